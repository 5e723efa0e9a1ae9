"""Ground given by the user: slopes, stairs, ledges, height fields, functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core import checks
from motionweave.core.arrays import Array
from motionweave.core.checks import check_choice
from motionweave.core.planar import Planar
from motionweave.errors import MotionError

GroundAxes = Literal["body", "world"]
GroundUnit = Literal["leg"]
_KINDS = ("slope", "stairs", "profile", "heights")


@dataclass(frozen=True, eq=False)
class Ground:
    """What feet stand on: a height for every point of the floor.

    `Ground.slope`, `Ground.stairs`, `Ground.profile` and `Ground.heights` make the usual kinds;
    anything else is a function.

    Parameters
    ----------
    function
        Heights ``(n,)`` at points given as two arrays ``(n,)``, x and z.
    axes
        The axes and the origin of x and z: ``"world"``, or the ``"body"`` as it stands
        and faces in the first frame: x to its left, z ahead, heights above the clip's floor.
    unit
        Lengths are in leg lengths; None for the clip's own unit.
    made_of
        How a warp file represents it; None for a function.

    Examples
    --------
    >>> import motionweave as mw
    >>> import numpy as np
    >>> walk = mw.sample("walk")
    >>> uphill = mw.warp(walk, ground=mw.Ground.slope(8))
    >>> waves = mw.Ground(lambda x, z: 0.05 * np.sin(3 * z))
    >>> wading = mw.warp(walk, ground=waves)
    """

    function: Callable[[Array, Array], ArrayLike]
    axes: GroundAxes = "world"
    unit: GroundUnit | None = None
    made_of: Mapping[str, Any] | None = field(default=None, repr=False)

    # The ground has no further levels above it: see `Floor.levels`.
    levels = (0.0,)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise MotionError(
                f"ground {checks.shown(self.function)}: expected a function of x and z, or "
                "Ground.slope, Ground.stairs, Ground.profile, Ground.heights"
            )
        check_choice(self.axes, GroundAxes, "ground: axes", MotionError)
        if self.unit is not None:
            check_choice(self.unit, GroundUnit, "ground: unit", MotionError)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ground):
            return NotImplemented
        same = (self.axes, self.unit, self.made_of) == (other.axes, other.unit, other.made_of)
        return same and (self.made_of is not None or self.function is other.function)

    def __hash__(self) -> int:
        return hash((self.axes, self.unit, repr(self.made_of)))

    @classmethod
    def slope(
        cls,
        degrees: float,
        *,
        direction: float = 0.0,
        axes: GroundAxes = "body",
    ) -> Ground:
        """Ground that rises evenly.

        Parameters
        ----------
        degrees
            The slope; negative if it falls.
        direction
            The direction in which it rises, in degrees from +z towards +x: 0 is ahead, 90 to the
            left.
        axes
            As for `Ground`.

        Returns
        -------
        Ground
        """
        steep = checks.number(degrees, "ground: slope in degrees", -60.0, 60.0)
        rise = float(np.tan(np.radians(steep)))
        made = {"slope": steep}
        return cls._along(lambda distance: rise * distance, direction, axes, None, made)

    @classmethod
    def stairs(
        cls,
        rise: float,
        run: float,
        *,
        start: float = 0.0,
        count: int | None = None,
        direction: float = 0.0,
        axes: GroundAxes = "body",
        unit: GroundUnit | None = None,
    ) -> Ground:
        """Stairs, up or down.

        Parameters
        ----------
        rise, run
            Height of a step (negative for stairs that lead down) and length of its tread.
        start
            Distance to the first step.
        count
            How many steps; None for stairs without end.
        direction, axes, unit
            As for `Ground.slope` and `Ground`.

        Returns
        -------
        Ground

        Examples
        --------
        >>> import motionweave as mw
        >>> stairs = mw.Ground.stairs(0.16, 0.45, start=0.6)
        >>> climbing = mw.warp(mw.sample("walk"), ground=stairs)
        """
        rise = checks.number(rise, "ground: rise of a step")
        run = checks.number(run, "ground: run of a step", 1e-9)
        start = checks.number(start, "ground: start of the stairs")
        most = np.inf if count is None else checks.whole(count, "ground: count of steps", 1, 10**6)
        made = {"stairs": {"rise": rise, "run": run, "start": start}}
        if count is not None:
            made["stairs"]["count"] = int(most)

        def height(distance: Array) -> Array:
            return rise * np.clip(np.floor((distance - start) / run) + 1.0, 0.0, most)

        return cls._along(height, direction, axes, unit, made)

    @classmethod
    def profile(
        cls,
        points: Sequence[Sequence[float]],
        *,
        direction: float = 0.0,
        axes: GroundAxes = "body",
        unit: GroundUnit | None = None,
    ) -> Ground:
        """Ground with the same profile everywhere across: ramps, ledges, kerbs, blocks.

        Parameters
        ----------
        points
            Pairs (distance, height) in order of distance, joined by straight lines; two pairs with
            the same distance make an edge. The ground is level before the first and after the last.
        direction, axes, unit
            As for `Ground.slope` and `Ground`.

        Returns
        -------
        Ground

        Examples
        --------
        >>> import motionweave as mw
        >>> kerb = mw.Ground.profile([(1.0, 0.0), (1.0, 0.12)])
        >>> over = mw.warp(mw.sample("walk"), ground=kerb)
        """
        given = _numbers(points, "ground: profile")
        if given.ndim != 2 or given.shape[1:] != (2,) or len(given) == 0:
            raise MotionError("ground: profile: expected pairs (distance, height)")
        distances, heights = given.T
        if np.any(np.diff(distances) < 0.0):
            raise MotionError("ground: profile: expected distances that do not decrease")
        return cls._along(
            lambda distance: np.interp(distance, distances, heights),
            direction,
            axes,
            unit,
            {"profile": given.tolist()},
        )

    @classmethod
    def heights(
        cls,
        grid: ArrayLike,
        cell: float,
        *,
        origin: Sequence[float] = (0.0, 0.0),
        axes: GroundAxes = "world",
        unit: GroundUnit | None = None,
    ) -> Ground:
        """A height field.

        Parameters
        ----------
        grid
            ``(nz, nx)`` heights at the corners of square cells; interpolated bilinearly, and level
            beyond the edges.
        cell
            Length of a cell's side.
        origin
            Place (x, z) of ``grid[0, 0]``.
        axes, unit
            As for `Ground`.

        Returns
        -------
        Ground

        Examples
        --------
        >>> import motionweave as mw
        >>> import numpy as np
        >>> bumps = 0.04 * np.random.default_rng(1).random((20, 20))
        >>> field = mw.Ground.heights(bumps, 0.5, origin=(-5, -2))
        >>> rough = mw.warp(mw.sample("walk"), ground=field)
        """
        field_ = _numbers(grid, "ground: heights")
        if field_.ndim != 2 or min(field_.shape) < 2:
            raise MotionError(
                f"ground: heights of shape {field_.shape}: expected at least two rows and two "
                "columns"
            )
        cell = checks.number(cell, "ground: cell", 1e-9)
        corner = _numbers(origin, "ground: origin")
        if corner.shape != (2,):
            raise MotionError("ground: origin: expected two numbers, x and z")

        def height(x: Array, z: Array) -> Array:
            return _bilinear(field_, (z - corner[1]) / cell, (x - corner[0]) / cell)

        made = {"heights": field_.tolist(), "cell": cell, "origin": corner.tolist()}
        return cls(height, axes, unit, _with_frame(made, axes, "world", unit))

    @classmethod
    def _along(
        cls,
        height: Callable[[Array], Array],
        direction: float,
        axes: GroundAxes,
        unit: GroundUnit | None,
        made: dict[str, Any],
    ) -> Ground:
        """Ground whose height depends on the distance in one direction."""
        angle = checks.number(direction, "ground: direction in degrees")
        ahead = np.sin(np.radians(angle)), np.cos(np.radians(angle))
        made = {**made, **({"direction": angle} if angle else {})}
        return cls(
            lambda x, z: height(ahead[0] * x + ahead[1] * z),
            axes,
            unit,
            _with_frame(made, axes, "body", unit),
        )

    @classmethod
    def from_data(cls, data: Any, unit: Any = None) -> Ground:
        """Ground from the data of a warp file; a `MotionError` says what is wrong.

        Parameters
        ----------
        data
            A mapping with one of ``slope``, ``stairs``, ``profile`` and ``heights``, and the
            parameters of that kind.
        unit
            Of lengths, unless the mapping says otherwise.

        Returns
        -------
        Ground
        """
        if not isinstance(data, Mapping) or sum(kind in data for kind in _KINDS) != 1:
            raise MotionError(f"ground {checks.shown(data)}: expected one of {', '.join(_KINDS)}")
        given = dict(data)
        kind = next(kind for kind in _KINDS if kind in given)
        value = given.pop(kind)
        if kind != "slope" and unit == "leg":
            given.setdefault("unit", unit)
        try:
            if kind == "stairs":
                if not isinstance(value, Mapping):
                    raise MotionError("ground: stairs: expected rise and run")
                return cls.stairs(**value, **given)
            made: Ground = getattr(cls, kind)(value, **given)
            return made
        except TypeError:
            raise MotionError(
                f"ground: {kind} does not take all of {', '.join(map(str, data))}; "
                f"see mw.Ground.{kind}"
            ) from None

    def placed(self, start: Planar, floor: float, leg: float) -> Ground:
        """The same ground in the world's axes and the clip's unit.

        Parameters
        ----------
        start
            Position and facing direction of the body in the first frame.
        floor
            Height of the clip's floor there.
        leg
            Leg length.

        Returns
        -------
        Ground
        """
        scale = leg if self.unit == "leg" else 1.0
        back = start.inverse() if self.axes == "body" else Planar()
        base = floor if self.axes == "body" else 0.0

        def height(x: Array, z: Array) -> Array:
            places = back.apply_xz(np.stack([x, z], axis=-1)) / scale
            return base + scale * np.asarray(self.function(places[..., 0], places[..., 1]))

        return replace(self, function=height, axes="world", unit=None, made_of=None)

    def at(self, points: ArrayLike) -> Array:
        """Height of the ground ``(...)`` below or above ``points`` ``(..., 3)``."""
        points = np.asarray(points, dtype=np.float64)
        flat = points.reshape(-1, 3)
        try:
            heights = np.asarray(self.function(flat[:, 0], flat[:, 2]), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise MotionError(f"ground: the function fails for arrays x and z: {error}") from None
        if heights.shape not in ((), (len(flat),)):
            raise MotionError(
                f"ground: the function returns an array of shape {heights.shape} for {len(flat)} "
                "places; expected one height per place"
            )
        heights = np.broadcast_to(heights, len(flat)).reshape(points.shape[:-1])
        if not np.all(np.isfinite(heights)):
            where = points[np.nonzero(~np.isfinite(heights))][0]
            raise MotionError(
                f"ground: no height at x = {where[0]:g}, z = {where[2]:g}; expected a finite number"
            )
        return np.array(heights)

    def above(self, points: ArrayLike) -> Array:
        """How high ``points`` ``(..., 3)`` are above the ground, ``(...)``."""
        points = np.asarray(points, dtype=np.float64)
        return np.asarray(points[..., 1] - self.at(points))


def _with_frame(
    made: Mapping[str, Any], axes: GroundAxes, usual: GroundAxes, unit: GroundUnit | None
) -> dict[str, Any]:
    return {
        **made,
        **({} if axes == usual else {"axes": axes}),
        **({} if unit is None else {"unit": unit}),
    }


def _numbers(value: Any, what: str) -> Array:
    try:
        numbers = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise MotionError(f"{what}: {checks.shown(value)}; expected numbers") from None
    if not np.all(np.isfinite(numbers)):
        raise MotionError(f"{what}: expected finite numbers")
    return numbers


def _bilinear(grid: Array, rows: Array, columns: Array) -> Array:
    """Values of a grid at fractional rows and columns ``(n,)``, held beyond its edges."""
    low, share = [], []
    for count, at in zip(grid.shape, (rows, columns), strict=True):
        at = np.clip(at, 0.0, count - 1.0)
        first = np.minimum(at.astype(np.intp), count - 2)
        low.append(first)
        share.append(at - first)
    (r, c), (s, t) = low, share
    near = grid[r, c] * (1.0 - t) + grid[r, c + 1] * t
    far = grid[r + 1, c] * (1.0 - t) + grid[r + 1, c + 1] * t
    return np.asarray(near * (1.0 - s) + far * s)
