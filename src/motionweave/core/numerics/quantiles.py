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


def quantiles_of_groups(values: Array, group: IntArray, share: ArrayLike) -> Array:
    """The `quantile` of each of g groups, ``(g,)`` or ``(g, c)``.

    Parameters
    ----------
    values
        ``(n,)``, or ``(n, c)`` of c columns.
    group
        ``(n,)`` which group each value is of: not decreasing, and each of 0 to g - 1 occurs.
    share
        Of the quantile; one number, or one for each column.
    """
    count = np.bincount(group)
    # Columns are sorted as rows, which are in one piece.
    ordered = np.array(values.T if values.ndim > 1 else values[None], order="C")
    last = np.cumsum(count) - 1
    # Groups are short: sorted one by one, they are done long before all values would be.
    for start, stop in zip((last - count + 1).tolist(), (last + 1).tolist(), strict=True):
        ordered[:, start:stop].sort()
    place = np.reshape(share, (-1, 1)) * (count - 1)
    whole = place.astype(np.intp)
    low = last - count + 1 + whole
    column = np.arange(len(ordered))[:, None]
    below, above = ordered[column, low], ordered[column, np.minimum(low + 1, last)]
    found = below + (place - whole) * (above - below)
    return np.asarray(found.T.reshape(len(count), *values.shape[1:]))
