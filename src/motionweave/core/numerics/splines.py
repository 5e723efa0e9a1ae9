"""Uniform quadratic B-splines: fitted by least squares, evaluated and inverted in closed form.

A spline of ``m`` spans over ``[start, end]`` has ``m + 2`` control points. On a span whose
three control points are ``p, q, r`` the value at the local parameter ``t`` in [0, 1] is::

    (p + q) / 2 + (q - p) t + (p - 2 q + r) t² / 2

so that the curve begins at the middle of the first two control points, ends at the middle
of the last two, and rises wherever the control points do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.core import checks
from motionweave.core.arrays import Array
from motionweave.core.numerics.banded import solve_bands
from motionweave.errors import MotionError

# Share of the data's own weight with which a bend is discouraged where no data decides.
_SLIGHT = 1e-9


@dataclass(frozen=True, eq=False)
class QuadraticSpline:
    """A curve in d dimensions over ``[start, end]``.

    Parameters
    ----------
    control
        ``(m + 2, d)`` control points of m spans of equal length.
    start, end
        The parameter's range, ``start < end``.
    period
        None, or ``(d,)``: the curve closes up to this step, so that its value at
        ``u + (end - start)`` is its value at ``u`` plus ``period``, for every u.
    """

    control: Array
    start: float
    end: float
    period: Array | None = None

    def __post_init__(self) -> None:
        control = np.array(checks.array(self.control, "control points", (None, None), np.inf))
        if len(control) < 3 or not np.all(np.isfinite(control)):
            raise MotionError(
                f"control points: expected shape (3 or more, d), all finite, got {control.shape}"
            )
        start = checks.number(self.start, "start of a spline")
        end = checks.number(self.end, "end of a spline")
        if not start < end:
            raise MotionError(f"a spline from {start:g} to {end:g}: expected start < end")
        control.setflags(write=False)
        object.__setattr__(self, "control", control)
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "end", end)
        if self.period is not None:
            period = checks.array(self.period, "period", (control.shape[1],))
            object.__setattr__(self, "period", np.array(period))

    @property
    def spans(self) -> int:
        """How many quadratic pieces there are."""
        return len(self.control) - 2

    def __call__(self, u: ArrayLike) -> Array:
        """Values ``(..., d)`` at parameters ``(...)``; outside the range the ends' values,
        or for a periodic spline the repetition."""
        u = np.asarray(u, dtype=np.float64)
        turns, span, t = self._locate(u)
        p, q, r = (self.control.take(span + i, axis=0) for i in range(3))
        t = t[..., None]
        value = 0.5 * (p + q) + t * ((q - p) + 0.5 * t * (p - 2.0 * q + r))
        return value if self.period is None else value + turns[..., None] * self.period

    def derivative(self, u: ArrayLike) -> Array:
        """d value / d u, ``(..., d)``; outside the range the ends' derivatives."""
        _, span, t = self._locate(np.asarray(u, dtype=np.float64))
        p, q, r = (self.control.take(span + i, axis=0) for i in range(3))
        t = t[..., None]
        return np.asarray(
            ((q - p) + t * (p - 2.0 * q + r)) * (self.spans / (self.end - self.start))
        )

    def inverse(self, dimension: int, value: ArrayLike) -> Array:
        """The parameters ``(...)`` at which an increasing dimension takes these values.

        Each span is a quadratic, so that this has a closed form. Values beyond the
        curve's ends give the ends, or for a periodic spline continue around.
        """
        p = self.control[:, dimension]
        edges = 0.5 * (p[:-1] + p[1:])
        if np.any(np.diff(p) <= 0.0):
            raise MotionError(f"dimension {dimension} of the spline does not increase everywhere")
        value = np.asarray(value, dtype=np.float64)
        turns = np.zeros(value.shape)
        if self.period is not None:
            turns = np.floor((value - edges[0]) / self.period[dimension])
            value = value - turns * self.period[dimension]
        value = np.clip(value, edges[0], edges[-1])
        span = np.clip(np.searchsorted(edges, value, side="right") - 1, 0, self.spans - 1)
        slope = p[span + 1] - p[span]
        bend = p[span] - 2.0 * p[span + 1] + p[span + 2]
        rise = value - edges[span]
        # The root of bend t²/2 + slope t = rise that is free of cancellation: the slope is
        # positive, and the radicand is the square of the slope at the point sought.
        root = np.sqrt(np.maximum(slope * slope + 2.0 * bend * rise, 0.0))
        t = np.clip(2.0 * rise / (slope + root), 0.0, 1.0)
        return np.asarray(self.start + (self.end - self.start) * (turns + (span + t) / self.spans))

    def _locate(self, u: Array) -> tuple[Array, NDArray[np.intp], Array]:
        """Whole periods passed, span, and local parameter in [0, 1], each ``(...)``."""
        place = (u - self.start) / (self.end - self.start)
        if self.period is None:
            turns = np.zeros(place.shape)
            place = np.clip(place, 0.0, 1.0)
        else:
            turns = np.floor(place)
            place = place - turns
        place = place * self.spans
        span = np.minimum(place.astype(np.intp), self.spans - 1)
        return turns, span, place - span


def fit(
    u: ArrayLike,
    values: ArrayLike,
    spans: int,
    *,
    start: float,
    end: float,
    ends: tuple[ArrayLike, ArrayLike] | None = None,
    period: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> QuadraticSpline:
    """The spline of this many spans that is nearest to samples, by least squares.

    Parameters
    ----------
    u, values
        ``(n,)`` parameters and ``(n, d)`` samples.
    spans
        Number of pieces.
    start, end
        The parameter's range.
    ends
        Values ``(d,)`` that the curve takes exactly at ``start`` and ``end``.
    period
        ``(d,)``: make the curve close up to this step. Of ``ends`` only the first is used.
    weights
        ``(n,)`` how much each sample counts; by default all the same.

    Notes
    -----
    A trace of stiffness is always there, so that the fit is defined where spans hold
    no samples.
    """
    u = np.asarray(u, dtype=np.float64)
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 2 or len(values) != len(u) or len(u) == 0 or spans < 1:
        raise MotionError(f"cannot fit {spans} spans to samples {values.shape} at {u.shape}")
    # Fitted about their own middle: coordinates far from zero lose no digits, and moving
    # all samples moves the fit with them.
    middle = values.mean(axis=0)
    share = np.ones(len(u)) if weights is None else np.asarray(weights, dtype=np.float64)
    place = np.clip((u - start) / (end - start), 0.0, 1.0) * spans
    band, right = _normal_equations(place, values - middle, share, spans)
    conditions, wanted = [], []
    step = None if period is None else np.asarray(period, dtype=np.float64)
    if step is not None:
        for i in range(2):
            closes = np.zeros(spans + 2)
            closes[i], closes[spans + i] = -1.0, 1.0
            conditions.append(closes)
            wanted.append(step)
    for edge, value in () if ends is None else zip((0, spans), ends, strict=True):
        if edge == 0 or step is None:
            halfway = np.zeros(spans + 2)
            halfway[edge : edge + 2] = 0.5
            conditions.append(halfway)
            wanted.append(np.asarray(value, dtype=np.float64) - middle)
    control = _solve(band, right, conditions, wanted) + middle
    # Once more against rounding, so that the ends are met to the last digit.
    if ends is not None:
        control[0] = 2.0 * np.asarray(ends[0]) - control[1]
    if step is not None:
        control[spans:] = control[:2] + step
    elif ends is not None:
        control[-1] = 2.0 * np.asarray(ends[1]) - control[-2]
    return QuadraticSpline(control, start, end, step)


def _normal_equations(place: Array, values: Array, share: Array, spans: int) -> tuple[Array, Array]:
    """Upper bands ``(m + 2, 3)`` and right side ``(m + 2, d)``; see `banded`."""
    count = spans + 2
    span = np.minimum(place.astype(np.intp), spans - 1)
    t = place - span
    weights = (0.5 * (1.0 - t) ** 2, 0.5 + t * (1.0 - t), 0.5 * t * t)
    bend = (1.0, -2.0, 1.0)
    stiffness = _SLIGHT * max(1.0, share.sum() / spans)
    band = np.zeros((count, 3))
    right = np.zeros((count, values.shape[1]))
    for a in range(3):
        for d in range(values.shape[1]):
            right[:, d] += np.bincount(span + a, share * weights[a] * values[:, d], minlength=count)
        for b in range(a, 3):
            column = band[:, b - a]
            column += np.bincount(span + a, share * weights[a] * weights[b], minlength=count)
            column[a : a + spans] += stiffness * bend[a] * bend[b]
    return band, right


def _solve(band: Array, right: Array, conditions: list[Array], wanted: list[Array]) -> Array:
    """Least squares ``(n, d)`` under linear conditions, each ``(n,)``, that equal ``(d,)``."""
    if not conditions:
        return solve_bands(band, right)
    rows = np.stack(conditions)
    both = solve_bands(band, np.concatenate([right, rows.T], axis=1))
    free, pull = both[:, : right.shape[1]], both[:, right.shape[1] :]
    # Lagrange: move along the conditions' own directions until they hold.
    return np.asarray(free + pull @ np.linalg.solve(rows @ pull, np.stack(wanted) - rows @ free))
