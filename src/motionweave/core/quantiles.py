"""Quantiles of a few values, without the general machinery of NumPy's."""

from __future__ import annotations

import numpy as np

from motionweave.core.arrays import Array


def quantile(values: Array, share: float) -> Array:
    """`numpy.quantile` along the first axis of ``(n, ...)``; ten times as fast for a few values."""
    ordered = values.copy()
    ordered.sort(axis=0)
    place = share * (len(values) - 1)
    low = int(place)
    if low == place:
        return np.asarray(ordered[low])
    return np.asarray(ordered[low] + (place - low) * (ordered[low + 1] - ordered[low]))
