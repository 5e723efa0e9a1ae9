"""Stretches of the library that could fill a gap.

The poses at both ends of a gap name candidates in all clips; how the body moves outside of it,
and how far it goes and turns in between, tell which are the best.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.library.index.features import (
    REACH,
    STRIDE,
    TRACKED,
    ClipTrack,
    as_seen,
    descriptors,
    local_points,
    mirrored,
    role_weights,
)
from motionweave.library.index.snapshot import Index

# Candidates that are looked at closely, for each length.
_CLOSER = 1500
# How much the pose at the end counts, how the body moves outside of the gap, and how far it goes
# and turns in it, beside the pose at the beginning. Where a stretch leads to is bent easily; a
# step that comes too early, or with the wrong foot, is not.
_END, _MOVING, _WAY = 2.0, 2.0, 0.05
# How long stretches may be, in gaps: what takes a little longer is played a little faster.
_PACES = (0.8, 0.87, 0.93, 1.0, 1.07, 1.15, 1.25)
# Two stretches of one clip whose beginnings are nearer than this many samples are one.
_APART = 5


@dataclass(frozen=True)
class Span:
    """A stretch that could fill a gap.

    Parameters
    ----------
    clip
        Number of the clip.
    first
        Sample that corresponds to the last before the gap.
    samples
        From there to the sample that corresponds to the first after the gap.
    distance
        Root mean square at the ends and before, in leg lengths.
    mirrored
        Whether it fits when mirrored.
    """

    clip: int
    first: int
    samples: int
    distance: float
    mirrored: bool = False


@dataclass(frozen=True, eq=False)
class GapInTime:
    """A gap to be filled, and what is before and after it as the library sees it.

    Parameters
    ----------
    before, after
        In one frame of reference; one sample or more each.
    samples
        From the last before the gap to the first after it.
    """

    before: ClipTrack
    after: ClipTrack
    samples: int

    @property
    def mirrored(self) -> GapInTime:
        """The gap with left and right exchanged."""
        return GapInTime(mirrored(self.before), mirrored(self.after), self.samples)


def nearest(index: Index, gap: GapInTime, most: int) -> list[Span]:
    """The ``most`` stretches that fit a gap best, as they are or mirrored, faster or slower, the
    nearest first; of a recording that the library has twice, only one counts."""
    fitting: list[_Fitting] = []
    lengths = sorted({max(2, round(gap.samples * pace)) for pace in _PACES})
    for swapped in (False, True):
        around = Surroundings(gap.mirrored if swapped else gap)
        both = around.poses_apart(index)
        for length in lengths:
            rows = _rows(index, both, length)
            fitting.append(_Fitting(length, swapped, *_compared(index, around, rows, length)))
    squares = np.concatenate([some.squares for some in fitting])
    parts = np.repeat(np.arange(len(fitting)), [len(some.squares) for some in fitting])
    places = np.concatenate([np.arange(len(some.squares)) for some in fitting])
    chosen: list[Span] = []
    taken: dict[tuple[int, bool], list[int]] = {}
    for number in np.argsort(squares, kind="stable"):
        span = fitting[parts[number]].span(int(places[number]))
        firsts = taken.setdefault((int(index.recordings[span.clip]), span.mirrored), [])
        if all(abs(span.first - first) >= _APART for first in firsts):
            firsts.append(span.first)
            chosen.append(span)
            if len(chosen) == most:
                break
    return chosen


@dataclass(frozen=True, eq=False)
class _Fitting:
    """Stretches of one length, all mirrored or none: their clips and first samples ``(m,)``, and
    squared distances from what is around a gap ``(m,)``."""

    samples: int
    mirrored: bool
    clips: NDArray[np.int64]
    firsts: NDArray[np.int64]
    squares: Array

    def span(self, which: int) -> Span:
        """One of them."""
        distance = float(np.sqrt(self.squares[which]))
        clip, first = int(self.clips[which]), int(self.firsts[which])
        return Span(clip, first, self.samples, distance, self.mirrored)


class Surroundings:
    """What is around a gap, as stretches are compared to it."""

    def __init__(self, gap: GapInTime):
        before, after = gap.before, gap.after
        # Samples on the way to the gap and from it, as many as are known.
        self.earlier = _steps(min(REACH, len(before) - 1), -1)
        self.later = _steps(min(REACH, len(after) - 1), 1)
        self.first = _seen(before, len(before) - 1, self.earlier)
        self.last = _seen(after, 0, self.later)
        self._ends = before[len(before) - 1 :], after[:1]
        here, there = self._ends
        way = (there.points - here.points)[:, :1, None]
        self.way = as_seen(way, np.zeros((1, 3)), here.heading)[0, 0, 0]
        self.turn = float(there.heading[0] - here.heading[0])

    def poses_apart(self, index: Index) -> tuple[Array, Array]:
        """Squared differences ``(rows,)`` of all poses from those at both ends."""
        basis = index.basis
        poses = index.features[:, : basis.poses]
        apart = []
        for end in self._ends:
            off = poses - basis.project(*descriptors(end))[0, : basis.poses]
            apart.append(np.einsum("ij,ij->i", off, off))
        return apart[0], apart[1]


def _compared(
    index: Index, around: Surroundings, rows: NDArray[np.int64], samples: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """Clips, first samples and squared distances ``(m,)`` of the stretches that begin around rows
    of features and fit into their clips."""
    clips = index.owners[rows]
    # Rows are three samples apart: look at the samples around them, too.
    firsts = ((rows - index.rows[clips])[:, None] * STRIDE + np.arange(STRIDE) - 1).ravel()
    clips = np.repeat(clips, STRIDE)
    room = np.array([entry.samples for entry in index.entries])[clips]
    fits = (firsts + min(around.earlier) >= 0) & (firsts + samples + max(around.later) < room)
    clips, firsts = clips[fits], firsts[fits]
    places, leads = differences(index, around, clips, firsts, samples)
    return clips, firsts, np.sum(places**2, axis=(1, 2, 3)) + np.sum(leads**2, axis=1)


def differences(
    index: Index,
    around: Surroundings,
    clips: NDArray[np.int64],
    firsts: NDArray[np.int64],
    samples: int,
) -> tuple[Array, Array]:
    """Differences of stretches from what is around a gap; their squares add up to those of
    distances in leg lengths.

    Returns
    -------
    places
        ``(m, k, R, 3)``: the poses at both ends, and how the body moves outside of them.
    leads
        ``(m, 3)``: where the body goes in between, sideways and forwards, and how it turns.
    """
    way, turn = index.ways(clips, firsts, samples)
    turned = (turn - around.turn + np.pi) % (2.0 * np.pi) - np.pi
    leads = np.stack([*(way - around.way)[:, [0, 2]].T, turned], axis=1)
    places = (
        _parts(index.around(clips, firsts, around.earlier) - around.first),
        np.sqrt(_END) * _parts(index.around(clips, firsts + samples, around.later) - around.last),
    )
    whole = np.sqrt(1.0 + _END + _MOVING)
    return np.concatenate(places, axis=1) / whole, np.sqrt(_WAY) / whole * leads


def _steps(reach: int, way: int) -> tuple[int, ...]:
    """Offsets at which a body is looked at: where a gap ends, and outside of it."""
    return tuple(way * step for step in sorted({0, reach // 2, reach}))


def _seen(track: ClipTrack, at: int, offsets: tuple[int, ...]) -> Array:
    return local_points(track.points, track.heading, np.array([at]), offsets, TRACKED)


def _parts(off: Array) -> Array:
    """Differences ``(m, k, R, 3)`` at an end and outside, as they count."""
    parts = np.array(off)
    if off.shape[1] > 1:
        # What lies outside counts by how the body moved, not once more by its pose.
        parts[:, 1:] = np.sqrt(_MOVING / (off.shape[1] - 1)) * (off[:, 1:] - off[:, :1])
    return parts * np.sqrt(role_weights())[:, None]


def _rows(index: Index, apart: tuple[Array, Array], samples: int) -> NDArray[np.int64]:
    """Rows of features whose pose, and the pose at the end of the gap, are nearest."""
    count = len(index.owners)
    gap = round(samples / STRIDE)
    if gap >= count:
        return np.zeros(0, dtype=np.int64)
    both = apart[0][: count - gap] + _END * apart[1][gap:]
    same = index.owners[: count - gap] == index.owners[gap:]
    inside = ~index.gaps[: count - gap] & ~index.gaps[gap:] & same
    rows = np.flatnonzero(inside)
    if len(rows) > _CLOSER:
        rows = rows[np.argpartition(both[rows], _CLOSER)[:_CLOSER]]
    return np.sort(rows)
