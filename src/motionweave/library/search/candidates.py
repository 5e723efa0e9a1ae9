"""Stretches of clips that may be similar to an example, proposed by their features.

The features of all clips, ten per second, are scanned with time warping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.library.index.course import courses, known, off_course
from motionweave.library.index.features import (
    STRIDE,
    TRACKED,
    ClipTrack,
    PrincipalAxes,
    descriptors,
)
from motionweave.library.index.snapshot import Index
from motionweave.library.search import subsequence
from motionweave.library.search.spans import Taken

# Rows of features that are compared at a time: what fits into the processor's cache.
_BLOCK = 1 << 16
# How many times as slow examples are played: a path may be half to twice as fast in each, so that
# all paces from a quarter to four times are reached.
TEMPOS = (1.0, 0.5, 2.0)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A stretch whose features are similar to the example's.

    Parameters
    ----------
    clip
        Number of the clip.
    path
        ``(n,)`` the descriptor of the clip that matches each of the example's.
    cost
        Mean square distance of the features.
    tempo
        How many times as slow the example was played when it was found.
    """

    clip: int
    path: NDArray[np.int64]
    cost: float
    tempo: float = 1.0

    @property
    def rows(self) -> tuple[int, int]:
        """First and last descriptor."""
        return int(self.path[0]), int(self.path[-1])


def candidates(
    index: Index,
    example: ClipTrack,
    most: int,
    *,
    roles: Sequence[str] = TRACKED,
    among: NDArray[np.bool_] | None = None,
) -> list[Candidate]:
    """Candidates that may be similar, the most promising first; parameters as in `find`."""
    wanted = _Wanted(index.basis, example, roles)
    scans: list[subsequence.Paths] = []
    shifts: list[int] = []
    ends: list[tuple[Array, NDArray[np.int64], NDArray[np.int64]]] = []
    for low, high in _blocks(index, among):
        cost = wanted.costs(index, low, high)
        cost[:, index.gaps[index.rows[low] : index.rows[high]]] = np.inf
        found = subsequence.paths(cost)
        lowest = subsequence.minima(found.costs)
        if len(lowest) > 8 * most:
            lowest = lowest[np.argpartition(found.costs[lowest], 8 * most)[: 8 * most]]
        scan = np.full(len(lowest), len(scans))
        ends.append((found.costs[lowest], scan, lowest))
        scans.append(found)
        shifts.append(int(index.rows[low]))
    if not ends:
        return []
    costs, scan, stops = (np.concatenate(parts) for parts in zip(*ends, strict=True))
    taken = Taken()
    chosen: list[Candidate] = []
    for which in np.argsort(costs, kind="stable"):
        one, shift, stop = scans[scan[which]], shifts[scan[which]], int(stops[which])
        clip = int(index.owners[stop + shift])
        begin = int(index.rows[clip])
        if not taken.take(clip, (int(one.starts[stop]) + shift - begin, stop + shift - begin)):
            continue
        path = one.trace(stop) + shift - begin
        chosen.append(Candidate(clip, path, float(costs[which])))
        if len(chosen) == most:
            break
    return chosen


def at_tempos(
    index: Index,
    example: ClipTrack,
    most: int,
    *,
    roles: Sequence[str] = TRACKED,
    among: NDArray[np.bool_] | None = None,
) -> list[Candidate]:
    """Candidates at any tempo, the most promising first; ``most`` for each of `TEMPOS`."""
    rows = np.arange(0, len(example), STRIDE)
    found: list[Candidate] = []
    for tempo in TEMPOS:
        played = at_tempo(example, tempo)
        if played is None:
            continue
        at = in_tempo(rows, tempo) // STRIDE
        for one in candidates(index, played, most, roles=roles, among=among):
            path = one.path[np.minimum(at, len(one.path) - 1)]
            found.append(Candidate(one.clip, path, one.cost, tempo))
    taken = Taken()
    ordered = sorted(found, key=lambda one: (one.cost, one.clip, one.rows))
    return [one for one in ordered if taken.take(one.clip, one.rows)]


def at_tempo(example: ClipTrack, tempo: float) -> ClipTrack | None:
    """The example, slowed down by a factor; None if nothing would be left of it."""
    if tempo == 1.0:
        return example
    if (len(example) - 1) * tempo < STRIDE:
        return None
    return example.slowed(tempo)


def in_tempo(samples: NDArray[np.int64], tempo: float) -> NDArray[np.int64]:
    """Where samples of an example are in what `at_tempo` makes of it."""
    return np.round(samples * tempo).astype(np.int64)


class _Wanted:
    """What the features of candidates are compared to."""

    def __init__(self, basis: PrincipalAxes, example: ClipTrack, roles: Sequence[str]):
        self._whole = tuple(roles) == TRACKED
        self._roles = roles
        pose, dynamics = descriptors(example, roles)
        self._still = len(example) < 2
        at = np.arange(0, len(example), STRIDE)
        self._course = courses(example, at), known(len(example), at)
        if self._whole:
            self._rows = basis.project(pose, dynamics)
            if self._still:
                self._rows = self._rows[:, : basis.poses]
        else:
            self._rows = pose if self._still else np.concatenate([pose, dynamics], axis=1)

    def costs(self, index: Index, low: int, high: int) -> Array:
        """Squared distances ``(n, rows)`` to the rows of clips ``low`` to ``high``."""
        if self._whole:
            rows = index.features[index.rows[low] : index.rows[high], : self._rows.shape[1]]
        else:
            # Features describe whole bodies: parts are described on the fly.
            rows = np.zeros((int(index.rows[high] - index.rows[low]), self._rows.shape[1]))
            for number in range(low, high):
                parts = descriptors(index.track(number), self._roles)
                first = int(index.rows[number] - index.rows[low])
                rows[first : first + len(parts[0])] = (
                    parts[0] if self._still else np.concatenate(parts, axis=1)
                )
        squares = np.einsum("ij,ij->i", rows, rows)
        own = np.einsum("ij,ij->i", self._rows, self._rows)
        cost = np.maximum(own[:, None] + squares - 2.0 * (self._rows @ rows.T), 0.0)
        if self._whole and not self._still:
            cost += off_course(*self._course, index.courses[index.rows[low] : index.rows[high]])
        return cost


def _blocks(index: Index, among: NDArray[np.bool_] | None) -> list[tuple[int, int]]:
    """Ranges of clips whose rows fit into a block; clips that are not wanted are left out."""
    blocks: list[tuple[int, int]] = []
    wanted = range(len(index)) if among is None else np.flatnonzero(among).tolist()
    for number in wanted:
        if blocks and blocks[-1][1] == number:
            low = blocks[-1][0]
            if index.rows[number + 1] - index.rows[low] <= _BLOCK:
                blocks[-1] = (low, number + 1)
                continue
        blocks.append((number, number + 1))
    return blocks
