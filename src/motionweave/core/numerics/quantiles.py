"""Quantiles of a few values, without the general machinery of NumPy's."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core.arrays import Array, IntArray


def quantile(values: Array, share: float) -> Array:
    """`numpy.quantile` along the first axis of ``(n, ...)``; ten times as fast for a few values."""
    ordered = values.copy()
    ordered.sort(axis=0)
    place = share * (len(values) - 1)
    low = int(place)
    if low == place:
        return np.asarray(ordered[low])
    return np.asarray(ordered[low] + (place - low) * (ordered[low + 1] - ordered[low]))


def median(values: Array) -> Array:
    """`numpy.median` along the first axis of ``(n, ...)``, bit for bit; ten times as fast for a few
    values."""
    ordered = values.copy()
    ordered.sort(axis=0)
    middle = len(values) // 2
    if len(values) % 2:
        return np.asarray(ordered[middle])
    return np.asarray(0.5 * (ordered[middle - 1] + ordered[middle]))


def quantiles_of_groups(values: Array, count: IntArray, share: ArrayLike) -> Array:
    """The `quantile` of each of g groups, ``(g,)`` or ``(g, c)``.

    Parameters
    ----------
    values
        ``(n,)``, or ``(c, n)`` of c rows: those of the first group, of the second and so on.
    count
        ``(g,)`` how many values each group has; none is empty.
    share
        Of the quantile; one number, or one for each row ``(c, 1)``.
    """
    # Groups are short: sorted one by one, they are done long before all values would be.
    ordered = values.copy()
    stop = np.cumsum(count)
    first = stop - count
    for begin, end in zip(first.tolist(), stop.tolist(), strict=True):
        ordered[..., begin:end].sort()
    place = np.asarray(share) * (count - 1)
    whole = place.astype(np.intp)
    low = first + whole
    high = np.minimum(low + 1, stop - 1)
    if values.ndim > 1:
        row = np.arange(len(values))[:, None]
        below, above = ordered[row, low], ordered[row, high]
    else:
        below, above = ordered[low], ordered[high]
    return np.asarray((below + (place - whole) * (above - below)).T)
