"""Smooth curves through keys: the hand of the animator who made the built-in clips."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core.arrays import Array


def bump(t: ArrayLike) -> Array:
    """From 0 at t <= 0 over 1 at t = 0.5 to 0 at t >= 1, without slope or bend at the ends."""
    u = np.clip(np.asarray(t, dtype=np.float64), 0.0, 1.0)
    return 64.0 * (u * (1.0 - u)) ** 3


def quintic(
    t: ArrayLike, knots: Array, values: Array, velocities: Array, accelerations: Array
) -> Array:
    """Values at times ``t`` ``(n,)`` of the piecewise quintic with given derivatives at knots.

    ``knots`` is ``(m,)`` and increasing, the others ``(m, ...)``. Outside the knots the
    end values hold. The curve has continuous accelerations.
    """
    t = np.asarray(t, dtype=np.float64)
    if len(knots) == 1:
        return np.broadcast_to(values[0], (*t.shape, *values.shape[1:])).copy()
    span = np.clip(np.searchsorted(knots, t, side="right") - 1, 0, len(knots) - 2)
    width = knots[span + 1] - knots[span]
    u = np.clip((t - knots[span]) / width, 0.0, 1.0)
    extra = (1,) * (values.ndim - 1)
    u, width = u.reshape(-1, *extra), width.reshape(-1, *extra)
    p0, p1 = values[span], values[span + 1]
    v0, v1 = velocities[span] * width, velocities[span + 1] * width
    a0, a1 = accelerations[span] * width**2, accelerations[span + 1] * width**2
    # Hermite quintic, as a polynomial in u.
    d = p1 - p0
    c3 = 10.0 * d - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1
    c4 = -15.0 * d + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1
    c5 = 6.0 * d - 3.0 * (v0 + v1) - 0.5 * (a0 - a1)
    return np.asarray(p0 + u * (v0 + u * (0.5 * a0 + u * (c3 + u * (c4 + u * c5)))))


def through(
    t: ArrayLike,
    knots: ArrayLike,
    values: ArrayLike,
    start: tuple[ArrayLike, ArrayLike] = (0.0, 0.0),
    end: tuple[ArrayLike, ArrayLike] = (0.0, 0.0),
) -> Array:
    """A curve through keys that does not overshoot: a held key is held.

    Parameters
    ----------
    t
        Times ``(n,)``.
    knots, values
        Times ``(m,)`` and values ``(m, ...)`` of the keys.
    start, end
        Velocity and acceleration at the first and the last key.
    """
    times = np.asarray(knots, dtype=np.float64)
    keys = np.asarray(values, dtype=np.float64)
    velocities, accelerations = np.zeros_like(keys), np.zeros_like(keys)
    if len(times) > 2:
        velocities[1:-1] = _monotone_slopes(times, keys)
    velocities[0], accelerations[0] = start
    velocities[-1], accelerations[-1] = end
    return quintic(t, times, keys, velocities, accelerations)


def keyed(t: ArrayLike, keys: Sequence[tuple[float, ArrayLike]]) -> Array:
    """`through` for a list of (time, value) pairs that starts and ends at rest."""
    return through(t, [time for time, _ in keys], np.array([value for _, value in keys]))


def soft_minimum(a: Array, b: Array, width: float) -> Array:
    """The smaller of two curves, the corner rounded where they are less than ``width`` apart.

    Elsewhere it is exactly the smaller one; accelerations are continuous.
    """
    near = np.maximum(width - np.abs(a - b), 0.0) / width
    return np.asarray(np.minimum(a, b) - near**3 * width / 6.0)


def _monotone_slopes(times: Array, keys: Array) -> Array:
    """Slopes at the inner keys: zero at an extremum, else the harmonic mean of both sides."""
    width = np.diff(times).reshape(-1, *(1,) * (keys.ndim - 1))
    slope = np.diff(keys, axis=0) / width
    before, after = slope[:-1], slope[1:]
    wb, wa = 2.0 * width[1:] + width[:-1], width[1:] + 2.0 * width[:-1]
    same = before * after > 0.0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mean = (wb + wa) / (wb / before + wa / after)
    return np.where(same, mean, 0.0)
