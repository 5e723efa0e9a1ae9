"""Stretches of time: found from what holds in each frame, and merged where they touch."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core.arrays import Array, BoolArray

Interval = tuple[float, float]


def runs(mask: BoolArray) -> list[tuple[int, int]]:
    """First and last index of every run of true entries of ``mask`` ``(T,)``."""
    padded = np.zeros(len(mask) + 2, dtype=bool)
    padded[1:-1] = mask
    edges = np.flatnonzero(padded[1:] != padded[:-1]).tolist()
    return [(first, after - 1) for first, after in zip(edges[::2], edges[1::2], strict=True)]


def merged(intervals: Iterable[Interval], gap: float = 0.0) -> list[Interval]:
    """Intervals that overlap, touch, or are no more than ``gap`` apart made one, in order."""
    result: list[Interval] = []
    for start, end in sorted(intervals):
        if result and start <= result[-1][1] + gap:
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((start, end))
    return result


def covered(intervals: Iterable[Interval], places: ArrayLike) -> BoolArray:
    """Whether ``places`` ``(...)`` lie in any of the intervals, their ends included."""
    places = np.asarray(places, dtype=np.float64)
    apart = np.array(merged(intervals)).reshape(-1, 2)
    if len(apart) == 0:
        return np.zeros(places.shape, dtype=bool)
    last_begun = np.searchsorted(apart[:, 0], places, side="right") - 1
    return np.asarray((last_begun >= 0) & (places <= apart[last_begun, 1]))


def frames_in(intervals: Iterable[Interval], count: int) -> list[tuple[int, int]]:
    """First and last of the frames 0 to ``count`` - 1 in any of the intervals, one for each run."""
    found: list[tuple[int, int]] = []
    for start, end in merged(intervals):
        first, last = max(math.ceil(start), 0), min(math.floor(end), count - 1)
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], last
        elif first <= last:
            found.append((first, last))
    return found


def not_negative(values: ArrayLike) -> list[Interval]:
    """Fractional stretches of frames in which ``values`` ``(T,)`` are at least zero.

    Between two frames the values are taken to run straight, so that a stretch begins and
    ends where they cross zero.
    """
    values = np.asarray(values, dtype=np.float64)
    held = values >= 0.0
    if not held.any():
        return []
    edges = np.flatnonzero(held[1:] != held[:-1])
    crossings: Array = edges + values[edges] / (values[edges] - values[edges + 1])
    bounds = [*([0.0] if held[0] else []), *crossings, *([len(held) - 1.0] if held[-1] else [])]
    return [(float(a), float(b)) for a, b in zip(bounds[::2], bounds[1::2], strict=True)]
