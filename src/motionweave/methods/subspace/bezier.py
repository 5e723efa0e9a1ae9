"""Bézier splines that leave one curve and enter another (Mukai, section 2.3).

Between the end points every control point is a mixture of two guesses: where the first clip would
continue to, and where the second would have come from::

    P_k = (1 - b_k) (start + k/n s leaving) + b_k (end - (n - k)/n s entering)

With b = 0 for the first two points and 1 for the last two, both end tangents are
met whatever the reach ``s``. A quadratic has one point for both tangents: the
mixture in the middle is the one nearest to the two guesses, in least squares.

The control points are linear in ``s`` and the length of a curve is a convex function of its control
points. At ``s = 0`` the curve is straight, the shortest there is, so the length only grows with
``s``: one number, found by bisection, gives any requested length.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core.arrays import Array
from motionweave.errors import BlendError

DEGREES = (2, 3, 4, 5, 6)

# Points at which a spline is sampled to measure it: lengths are accurate to about 1e-6.
_FINE = 1025
# How far, as a share of the reach the end speeds would give, the control points must
# move for the length to be solved by them alone.
_WEAK = 0.1
# Doublings of the reach before a length counts as out of reach.
_MOST_DOUBLINGS = 60


def bernstein(degree: int, u: ArrayLike) -> Array:
    """Values of the Bernstein polynomials ``(len(u), degree + 1)``."""
    u = np.asarray(u, dtype=np.float64)
    # Each polynomial from the one of lower degree, by products alone: powers are slow.
    rows = np.zeros((degree + 1, len(u)))
    rows[0] = 1.0
    for lower in range(1, degree + 1):
        for k in range(lower, 0, -1):
            rows[k] = (1.0 - u) * rows[k] + u * rows[k - 1]
        rows[0] *= 1.0 - u
    return rows.T


def evaluate(control: Array, u: ArrayLike) -> Array:
    """Points ``(len(u), d)`` at parameters ``u`` of the spline with ``control`` ``(n+1, d)``."""
    return bernstein(len(control) - 1, u) @ control


def derivative(control: Array, u: ArrayLike) -> Array:
    """Derivatives ``(len(u), d)`` with respect to the parameter."""
    degree = len(control) - 1
    return degree * bernstein(degree - 1, u) @ np.diff(control, axis=0)


def arc_length(control: Array) -> float:
    """Length of the whole spline."""
    return float(arc_table(control)[1][-1])


def arc_table(control: Array) -> tuple[Array, Array]:
    """Parameters ``(m,)`` from 0 to 1 and the length covered up to each of them ``(m,)``."""
    u, basis = _fine(len(control) - 1)
    steps = np.linalg.norm(basis @ np.diff(control, axis=0), axis=1)
    return u, np.concatenate([[0.0], np.cumsum(steps)])


def fitted(path: Array, degree: int) -> Array:
    """Control points ``(degree + 1, d)`` of the spline nearest to a path ``(n, d)``, in least
    squares, with the same ends."""
    basis = bernstein(degree, np.linspace(0.0, 1.0, len(path)))
    ends = basis[:, [0, -1]] @ path[[0, -1]]
    inner = np.linalg.lstsq(basis[:, 1:-1], path - ends, rcond=None)[0]
    return np.concatenate([path[:1], inner, path[-1:]])


@lru_cache(maxsize=len(DEGREES))
def _fine(degree: int) -> tuple[Array, Array]:
    """Parameters ``(m,)``, and how the steps between them follow from those of the control.

    A point is a sum of control points whose weights add up to one, so that the step from one point
    to the next is a sum of the steps between control points.
    """
    u = np.linspace(0.0, 1.0, _FINE)
    above = np.cumsum(bernstein(degree, u)[:, ::-1], axis=1)[:, ::-1]
    return u, np.diff(above[:, 1:], axis=0)


def at_arc(control: Array, arcs: ArrayLike, table: tuple[Array, Array] | None = None) -> Array:
    """Points ``(len(arcs), d)`` at these lengths along the spline.

    The ends are met exactly. The ``table`` is that of `arc_table`, if it is known.
    """
    arcs = np.asarray(arcs, dtype=np.float64)
    u, covered = arc_table(control) if table is None else table
    # For a spline of zero length any parameter will do.
    grows = np.concatenate([[True], np.diff(covered) > 0.0])
    return evaluate(control, np.interp(arcs, covered[grows], u[grows]))


@dataclass(frozen=True, eq=False)
class Family:
    """Splines of one degree between the same two points, starting with the straight one.

    Parameters
    ----------
    straight
        ``(degree + 1, d)`` control points of the straight spline.
    outwards
        ``(degree + 1, d)`` how they move as the reach grows.
    """

    straight: Array
    outwards: Array

    def spline(self, reach: float) -> Array:
        """Control points ``(degree + 1, d)`` of the spline with that reach, 0 or more."""
        return np.asarray(self.straight + reach * self.outwards)

    @property
    def shortest(self) -> float:
        """Length of the straight spline."""
        return float(np.linalg.norm(self.straight[-1] - self.straight[0]))

    def reach(self, length: float) -> float:
        """The reach that gives a spline of that length; 0 if that is too short for any."""

        def excess(reach: float) -> float:
            return arc_length(self.spline(reach)) - length

        if excess(0.0) >= 0.0:
            return 0.0
        high = 1.0
        for _ in range(_MOST_DOUBLINGS):
            if excess(high) >= 0.0:
                break
            high *= 2.0
        else:
            raise BlendError(f"no spline of length {length:g} joins these two points")
        from scipy.optimize import brentq

        return float(brentq(excess, 0.0, high, xtol=1e-9 * high, rtol=1e-12))


def family(
    start: ArrayLike,
    end: ArrayLike,
    leaving: ArrayLike,
    entering: ArrayLike,
    degree: int,
    *,
    bias: float = 0.0,
    aside: ArrayLike | None = None,
) -> Family:
    """Splines from ``start`` to ``end``.

    Parameters
    ----------
    start, end
        ``(d,)`` points to join.
    leaving, entering
        ``(d,)`` tangents at the two ends, as long as the distance the clips would move
        during the spline.
    degree
        2 to 6. From 3 on both tangents are met exactly.
    bias
        -1 to 1: above 0 the splines reach further back along the second clip
        (anticipation), below 0 further on along the first (follow-through).
    aside
        ``(d,)`` direction that is used where the tangents cancel or vanish.
    """
    if degree not in DEGREES:
        raise BlendError(f"spline of degree {degree}: expected 2, 3, 4, 5 or 6")
    if not -1.0 <= bias <= 1.0:
        raise BlendError(f"bias {bias:g}: expected a number from -1 to 1")
    k = np.arange(degree + 1)[:, None] / degree
    mix = _mixture(degree)[:, None]
    # A bias of 1 still leaves a tenth of the other tangent, so that both are met.
    go_on = (1.0 - 0.9 * bias) * np.asarray(leaving, dtype=np.float64)
    come_from = (1.0 + 0.9 * bias) * np.asarray(entering, dtype=np.float64)
    outwards = (1.0 - mix) * k * go_on - mix * (1.0 - k) * come_from
    if aside is not None:
        outwards = outwards + _detour(outwards, np.asarray(aside, dtype=np.float64), degree)
    straight = (1.0 - mix) * np.asarray(start, dtype=np.float64) + mix * np.asarray(end)
    return Family(straight, outwards)


def _mixture(degree: int) -> Array:
    """Share ``(degree + 1,)`` of the second clip in each control point."""
    if degree == 2:
        return np.array([0.0, 0.5, 1.0])
    return np.clip((np.arange(degree + 1) - 1.0) / (degree - 2.0), 0.0, 1.0)


def _detour(outwards: Array, aside: Array, degree: int) -> Array:
    """What to add so that the spline can grow although its tangents cancel or vanish.

    Fades in where the control points move less than `_WEAK` of ``aside``'s length.
    """
    size = float(np.linalg.norm(aside))
    moved = float(np.abs(np.linalg.norm(outwards, axis=1)).max())
    if size == 0.0 or moved >= _WEAK * size:
        return np.zeros_like(outwards)
    inner = np.zeros((degree + 1, 1))
    # The neighbours of the end points hold the tangents; a quadratic has no others, and
    # nor has a cubic.
    inner[1:-1] = 1.0 if degree <= 3 else 0.0
    inner[2:-2] = 1.0
    return np.asarray((_WEAK - moved / size) * aside * inner)
