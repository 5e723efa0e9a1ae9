"""Corrections known in some frames, eased in and out over the frames around them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from motionweave.core.arrays import Array, BoolArray
from motionweave.core.intervals import runs
from motionweave.core.numerics.curves import hermite_basis


def eased(values: Array, known: BoolArray, reach: int) -> Array:
    """Fill in a correction where it is not known, without a jump in value or speed.

    From each end of a known stretch it fades to zero within ``reach`` frames and stays exactly zero
    beyond. Between two stretches that are too close for that, it leads straight from one to the
    other. The speed at an end is that of its last step.

    Parameters
    ----------
    values
        ``(T, n)`` the correction; read where ``known``.
    known
        ``(T,)`` where the correction is given.
    reach
        Frames, at least 1.
    """
    count = len(values)
    result = np.where(known[:, None], values, 0.0)
    zero = np.zeros(values.shape[1])
    stretches = runs(known)
    for index, (first, last) in enumerate(stretches):
        before = stretches[index - 1][1] if index else None
        after = stretches[index + 1][0] if index + 1 < len(stretches) else None
        leaving = values[last] - values[max(last - 1, first)]
        if before is None or first - before >= 2 * reach:
            arriving = values[min(first + 1, last)] - values[first]
            curve = _between(zero, zero, values[first], arriving, reach)
            inside = min(reach - 1, first)
            result[first - inside : first] = curve[len(curve) - inside :]
        if after is None or after - last >= 2 * reach:
            curve = _between(values[last], leaving, zero, zero, reach)
            inside = min(reach - 1, count - 1 - last)
            result[last + 1 : last + 1 + inside] = curve[:inside]
        elif after - last > 1:
            arriving = values[min(after + 1, stretches[index + 1][1])] - values[after]
            result[last + 1 : after] = _between(
                values[last], leaving, values[after], arriving, after - last
            )
    return result


def _between(start: Array, start_slope: Array, end: Array, end_slope: Array, count: int) -> Array:
    """Cubics ``(count - 1, n)`` strictly between two ends ``count`` frames apart.

    Values and slopes (per frame) at the ends are ``(n,)``.
    """
    rise, out, into = _basis(count)
    return np.asarray(start + rise * (end - start) + count * (out * start_slope + into * end_slope))


@lru_cache(maxsize=64)
def _basis(count: int) -> tuple[Array, Array, Array]:
    """`hermite_basis` ``(count - 1, 1)`` at the frames between two ends: plants are many, and
    frames between them mostly as many."""
    rise, out, into = hermite_basis(np.arange(1.0, count)[:, None] / count)
    return rise, out, into
