"""Curves through values: eases from 0 to 1, and cubics with given slopes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core.arrays import Array


def smoothstep(share: ArrayLike) -> Array:
    """From 0 at 0 and below to 1 at 1 and above, with zero slope at either end."""
    share = np.minimum(np.maximum(np.asarray(share, dtype=np.float64), 0.0), 1.0)
    return np.asarray(share * share * (3.0 - 2.0 * share))


def smootherstep(share: ArrayLike) -> Array:
    """From 0 at 0 and below to 1 at 1 and above, with zero slope and curvature at either end."""
    share = np.clip(np.asarray(share, dtype=np.float64), 0.0, 1.0)
    return np.asarray(share**3 * (10.0 + share * (6.0 * share - 15.0)))


def hermite_basis(share: Array) -> tuple[Array, Array, Array]:
    """The weight of a cubic's second value at a ``share`` of its interval, and the weights of the
    slopes at both ends (per interval)."""
    rest = 1.0 - share
    return share * share * (3.0 - 2.0 * share), share * rest * rest, -share * share * rest


def hermite(
    times: ArrayLike,
    values: ArrayLike,
    tangents: ArrayLike,
    at: ArrayLike,
    arriving: ArrayLike | None = None,
) -> Array:
    """Cubics ``(m, ...)`` that meet ``values`` and ``tangents`` ``(n, ...)``, at ``at`` ``(m,)``.

    Outside the ``times`` the first or last value is used. At a knot the value comes
    back bit for bit. Where the curve has corners, ``arriving`` ``(n, ...)`` are the tangents with
    which it comes to its knots, and ``tangents`` those with which it goes on.
    """
    times = np.asarray(times, dtype=np.float64)
    values = np.asarray(values, dtype=np.float64)
    tangents = np.asarray(tangents, dtype=np.float64)
    at = np.clip(np.asarray(at, dtype=np.float64), times[0], times[-1])
    if len(times) == 1:
        return np.repeat(values, len(at), axis=0)
    left = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    width = times[left + 1] - times[left]
    shape = (-1, *([1] * (values.ndim - 1)))
    basis = hermite_basis((at - times[left]) / width)
    rise, out, into = (column.reshape(shape) for column in basis)
    width = width.reshape(shape)
    # From the left value on, so that equal values stay equal; the right end as it is.
    straight = values[left] + rise * (values[left + 1] - values[left])
    straight = np.where(rise == 1.0, values[left + 1], straight)
    reached = tangents if arriving is None else np.asarray(arriving, dtype=np.float64)
    slopes = out * tangents[left] + into * reached[left + 1]
    return np.asarray(straight + width * slopes)


def cardinal_tangents(times: ArrayLike, values: ArrayLike, tension: float = 0.0) -> Array:
    """Tangents ``(n, ...)`` of a Cardinal spline through ``values`` ``(n, ...)`` at ``times``.

    Each is (1 - tension) times the slope between the neighbours (tension 0 is the
    Catmull-Rom spline, 1 stops at every key); those of the two ends are zero.
    """
    times = np.asarray(times, dtype=np.float64)
    values = np.asarray(values, dtype=np.float64)
    tangents = np.zeros_like(values)
    if len(times) > 2:
        span = (times[2:] - times[:-2]).reshape(-1, *([1] * (values.ndim - 1)))
        tangents[1:-1] = (1.0 - tension) * (values[2:] - values[:-2]) / span
    return tangents
