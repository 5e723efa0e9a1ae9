"""The interpolant P(x, y[, z]): a curve drawn through the framespace.

x is time, from 0 at the beginning to 1 at the end of all cycles; y and, with four clips, z
determine how much of each clip is in the mix (Eq. 3 and 4). The curve is a clamped B-spline: it
begins at its first control vertex, ends at its last, and stays within the bounds because its
vertices do.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array, IntArray
from motionweave.core.checks import array, path_of
from motionweave.core.parsing import csv_rows, parse_json, read_text
from motionweave.errors import BlendError, FormatError, MotionError
from motionweave.io.store.atomic import atomic_path

SHAPES = ("concatenate", "blend")

_DEGREE = 3
# Parameters at which the curve is tabulated before its x is inverted.
_TABLE = 2048
_ROUNDING = 1e-12
# Corners of the 3-D framespace in the order in which a concatenation visits them: along
# the edges, so that never more than two clips are mixed. (y, z) of clips 1, 2, 4, 3.
_AROUND = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


@dataclass(frozen=True, eq=False)
class Interpolant:
    """A B-spline in the framespace of 2 clips (x, y) or 4 clips (x, y, z).

    Parameters
    ----------
    vertices
        ``(m, 2)`` or ``(m, 3)`` control vertices, at least two. Those outside the
        bounds 0 to 1 are moved onto them; x must not decrease.

    Examples
    --------
    >>> from motionweave import Interpolant
    >>> Interpolant([[0, 0], [1, 1]]).at([0.0, 0.25, 1.0]).ravel().tolist()
    [0.0, 0.25, 1.0]
    """

    vertices: Array

    def __post_init__(self) -> None:
        check_arguments(Interpolant.__init__, {"vertices": self.vertices}, BlendError)
        vertices = np.array(self.vertices, dtype=np.float64)
        if vertices.ndim != 2 or vertices.shape[1] not in (2, 3) or len(vertices) < 2:
            raise BlendError(
                "interpolant: expected at least two control vertices x, y (two clips) or "
                f"x, y, z (four clips), got an array of shape {vertices.shape}"
            )
        if not np.all(np.isfinite(vertices)):
            raise BlendError("interpolant: every control vertex must be finite")
        vertices = np.clip(vertices, 0.0, 1.0)
        back = np.flatnonzero(np.diff(vertices[:, 0]) < 0.0)
        if len(back):
            raise BlendError(
                f"interpolant: time runs backwards from control vertex {back[0] + 1} "
                f"(x = {vertices[back[0], 0]:g}) to the next (x = {vertices[back[0] + 1, 0]:g})"
            )
        vertices.setflags(write=False)
        object.__setattr__(self, "vertices", vertices)

    # Ready-made shapes

    @classmethod
    def concatenate(cls, clips: int = 2, hold: float | None = None) -> Interpolant:
        """From the first clip to the last.

        Parameters
        ----------
        clips
            2 or 4. Four are visited along the edges of the framespace, in the order
            1, 2, 4, 3, so that never more than two are mixed.
        hold
            Share of the whole time for which each clip is played alone; by default 0.2 for two
            clips and 0.1 for four.
        """
        check_arguments(Interpolant.concatenate, locals(), BlendError)
        corners = np.array([[0.0], [1.0]] if _corners(clips) == 2 else _AROUND)
        share = 0.4 / clips if hold is None else hold
        # A cubic lies on a corner as long as four vertices in a row do. At the ends of a
        # clamped curve four of them, evenly spaced, hold it for 23/36 of their width; in
        # between five of them hold it for half of theirs.
        outer, inner = share * 36.0 / 23.0, 2.0 * share
        free = 1.0 - 2.0 * outer - (len(corners) - 2) * inner
        if not (share >= 0.0 and free > 0.0):
            most = 1.0 / (72.0 / 23.0 + 2.0 * (len(corners) - 2))
            raise BlendError(
                f"concatenation: each of {clips} clips can be held for a share of 0 to "
                f"{most:.2f} of the time, not {share:g}"
            )
        begin, rows = 0.0, []
        for i, corner in enumerate(corners):
            last = i in (0, len(corners) - 1)
            width, count = (outer, 4) if last else (inner, 5)
            rows += [[x, *corner] for x in np.linspace(begin, begin + width, count)]
            begin += width + free / (len(corners) - 1)
        return cls(np.array(rows))

    @classmethod
    def blend(cls, *level: float, clips: int = 2, ramp: float = 0.0) -> Interpolant:
        """A constant mix of the clips.

        Parameters
        ----------
        level
            y, or y and z, of the mix; by default the middle.
        clips
            2 or 4.
        ramp
            Share of the time that it takes to get from the first clip to the mix, and from the mix
            to the last clip; 0 for the mix alone.
        """
        check_arguments(Interpolant.blend, locals(), BlendError)
        axes = 1 if _corners(clips) == 2 else 2
        mix = level or (0.5,) * axes
        if len(mix) != axes:
            raise BlendError(f"blend of {clips} clips: expected {axes} levels, got {len(mix)}")
        if not 0.0 <= ramp < 0.5:
            raise BlendError(f"blend: the ramp takes a share of 0 to 0.5 of the time, not {ramp:g}")
        held = [[x, *mix] for x in np.linspace(ramp, 1.0 - ramp, 4)]
        if ramp == 0.0:
            return cls(np.array(held))
        first, last = [0.0] * axes, [1.0] * axes
        begin = [[x, *first] for x in (0.0, 0.1 * ramp, 0.2 * ramp)]
        end = [[1.0 - x, *last] for x in (0.2 * ramp, 0.1 * ramp, 0.0)]
        return cls(np.array(begin + held + end))

    # The curve

    @property
    def clips(self) -> int:
        """How many clips it interpolates: 2 or 4."""
        return 2 if self.vertices.shape[1] == 2 else 4

    def points(self, count: int = 200) -> Array:
        """A number (``count``) of points along the curve, ``(count, 2 or 3)``, for drawing."""
        check_arguments(Interpolant.points, locals(), BlendError)
        return self._curve(np.linspace(0.0, 1.0, count))

    def at(self, x: ArrayLike) -> Array:
        """y, or y and z, at times ``x`` ``(n,)`` from 0 to 1: ``(n, 1)`` or ``(n, 2)``.

        Before the start and after the end of the curve, its end values are used.
        """
        check_arguments(Interpolant.at, locals(), BlendError)
        x = np.atleast_1d(np.asarray(x, dtype=np.float64))
        place = self._curve(np.interp(x, *self._table))[:, 1:]
        # Snap to edges: rounding must not mix in a trace of another clip.
        edge = np.round(place)
        return np.where(np.abs(place - edge) < _ROUNDING, edge, np.clip(place, 0.0, 1.0))

    def weights(self, x: ArrayLike) -> Array:
        """Weights of the clips ``(n, 2 or 4)`` at times ``x`` from 0 to 1 (Eq. 3 and 4)."""
        check_arguments(Interpolant.weights, locals(), BlendError)
        return corner_weights(self.at(x))

    def _curve(self, parameter: Array) -> Array:
        first, values = _basis(parameter, len(self.vertices))
        near = self.vertices.take(first[:, None] + np.arange(values.shape[1]), axis=0)
        return np.einsum("nk,nkc->nc", values, near)

    @cached_property
    def _table(self) -> tuple[Array, Array]:
        """Times and the curve's parameters there, both increasing."""
        parameter = np.linspace(0.0, 1.0, _TABLE)
        times = self._curve(parameter)[:, 0]
        # Where x is constant the last point counts: a vertical piece is a jump.
        keep = np.append(np.diff(times) > 0.0, True)
        return times[keep], parameter[keep]

    # Files

    @classmethod
    def load(cls, path: str | Path) -> Interpolant:
        """Read control vertices from ``path``: a JSON list, or CSV with one point per line."""
        path = path_of(path)
        text = read_text(path)
        rows: object
        if path.suffix.lower() == ".json":
            data = parse_json(text, path)
            rows = data.get("vertices") if isinstance(data, dict) else data
        else:
            rows = _numbers(text, path)
        try:
            return cls(array(rows, "control vertices x, y[, z]", (None, None)))
        except (BlendError, MotionError) as error:
            raise FormatError(str(error), path) from None

    def save(self, path: str | Path) -> None:
        """Write the control vertices to ``path`` as JSON or CSV, by its suffix."""
        rows = [[float(value) for value in row] for row in self.vertices]
        if Path(path).suffix.lower() == ".json":
            text = json.dumps({"vertices": rows}, indent=1) + "\n"
        else:
            names = ",".join("xyz"[: self.vertices.shape[1]])
            text = "\n".join([names, *(",".join(repr(v) for v in row) for row in rows)]) + "\n"
        with atomic_path(path) as temporary:
            temporary.write_text(text, encoding="utf-8")


def corner_weights(place: Array) -> Array:
    """Weights ``(n, 2)`` of 2 clips at y ``(n, 1)``, or ``(n, 4)`` of 4 at y, z ``(n, 2)``."""
    a = place[:, 0]
    if place.shape[1] == 1:
        return np.stack([1.0 - a, a], axis=1)  # Eq. 3
    b = place[:, 1]
    return np.stack([(1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b], axis=1)  # Eq. 4


def as_interpolant(given: Interpolant | str | ArrayLike, clips: int) -> Interpolant:
    """An interpolant for this many clips, from one, a shape's name, or control vertices."""
    if isinstance(given, str):
        if given not in SHAPES:
            raise BlendError(
                f"there is no shape {given!r}: choose {' or '.join(SHAPES)}, or give vertices"
            )
        curve = _ready_made(given, clips)
    elif isinstance(given, Interpolant):
        curve = given
    else:
        curve = Interpolant(np.asarray(given, dtype=np.float64))
    if curve.clips != clips:
        raise BlendError(
            f"the interpolant is made for {curve.clips} clips, but there are {clips}: "
            "2 clips take control vertices x, y and 4 clips x, y, z"
        )
    return curve


@lru_cache
def _ready_made(shape: str, clips: int) -> Interpolant:
    """A shape with nothing else said, and with it the table that it is read from."""
    return (
        Interpolant.concatenate(clips) if shape == "concatenate" else Interpolant.blend(clips=clips)
    )


def _corners(clips: int) -> int:
    if clips not in (2, 4):
        raise BlendError(f"a framespace has 2 or 4 clips, not {clips}")
    return clips


def _numbers(text: str, path: Path) -> list[list[float]]:
    rows: list[list[float]] = []
    for number, row in csv_rows(text, path):
        cells = [cell for cell in row if cell]
        if not cells or cells[0].startswith("#") or (not rows and cells[0].lower() == "x"):
            continue
        try:
            rows.append([float(cell) for cell in cells])
        except ValueError:
            raise FormatError(
                f"expected numbers x, y[, z], got {','.join(row)!r}", path, number
            ) from None
    return rows


def _basis(parameter: Array, count: int) -> tuple[IntArray, Array]:
    """The clamped uniform B-spline basis of ``count`` functions on 0 to 1 (Cox-de Boor).

    Returns the first function ``(n,)`` that is not zero at each parameter, and the values
    ``(n, degree + 1)`` of that and of those behind it: all others are zero.
    """
    degree = min(_DEGREE, count - 1)
    inner = np.linspace(0.0, 1.0, count - degree + 1)
    knots = np.concatenate([np.zeros(degree), inner, np.ones(degree)])
    # The last span includes its end.
    span = np.clip(np.searchsorted(knots, parameter, side="right") - 1, degree, count - 1)
    since = [parameter - knots[span - i] for i in range(degree)]
    until = [knots[span + 1 + i] - parameter for i in range(degree)]
    values = [np.ones(len(parameter))]
    for d in range(degree):
        # Each function of one degree less is shared by two, by where it is in its support.
        shares = [values[i] / (until[i] + since[d - i]) for i in range(d + 1)]
        falling = [until[i] * share for i, share in enumerate(shares)]
        rising = [since[d - i] * share for i, share in enumerate(shares)]
        inside = [up + down for up, down in zip(rising, falling[1:], strict=False)]
        values = [falling[0], *inside, rising[-1]]
    return span - degree, np.stack(values, axis=1)
