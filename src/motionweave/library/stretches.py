"""Stretches of the library that could fill a gap, and how much of each makes the best blend.

The poses at both ends of a gap name candidates in all clips; how the body moves outside of it,
and how far it goes and turns in between, tell which are the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.library.features import (
    REACH,
    STRIDE,
    TRACKED,
    ClipTrack,
    as_seen,
    descriptors,
    local_points,
    mirrored,
    mirrored_places,
    role_weights,
)
from motionweave.library.index import Index

# Candidates that are looked at closely, for each length.
_CLOSER = 1500
# Of those, the ones that are kept: neighbours are merged later.
_KEPT = 200
# How much the pose at the end counts, how the body moves outside of the gap, and how far it goes
# and turns in it, beside the pose at the beginning. Where a stretch leads to is bent easily; a
# step that comes too early, or with the wrong foot, is not.
_END, _MOVING, _WAY = 2.0, 2.0, 0.05
# How long stretches may be, in gaps: what takes a little longer is played a little faster.
_PACES = (0.8, 0.87, 0.93, 1.0, 1.07, 1.15, 1.25)
# How much less a stretch counts that is twice as far as the nearest: exp of minus this.
_SHARP = 1.0
# A distance in leg lengths that is none.
_NOTHING = 1e-6
# How much shares of a blend resist being shifted, in square leg lengths: at least so much, and more
# where even the nearest stretch is far.
_RIDGE = 0.0015
# How firmly shares are held to a sum of 1.
_WHOLE = 1e3
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


def nearest(
    index: Index, before: ClipTrack, after: ClipTrack, samples: int, most: int
) -> list[Span]:
    """The stretches that fit a gap best, as they are or mirrored, faster or slower, the nearest
    first.

    Parameters
    ----------
    index
        Where to look.
    before, after
        What is around the gap, in one frame of reference; one sample or more each.
    samples
        From the last before the gap to the first after it.
    most
        How many stretches.
    """
    spans: list[Span] = []
    lengths = sorted({max(2, round(samples * pace)) for pace in _PACES})
    for swapped in (False, True):
        gap = _Gap(*((mirrored(before), mirrored(after)) if swapped else (before, after)))
        both = gap.poses_apart(index)
        for length in lengths:
            spans += [
                replace(span, mirrored=swapped) for span in _fitting(index, gap, both, length)
            ]
    chosen: list[Span] = []
    for span in sorted(spans, key=_rank):
        if not any(_same(span, other) for other in chosen):
            chosen.append(span)
            if len(chosen) == most:
                break
    return chosen


def shares(
    index: Index, spans: Sequence[Span], before: ClipTrack, after: ClipTrack
) -> tuple[Array, Array]:
    """How much of each stretch there is in a blend of them, ``(k,)`` twice.

    The nearer a stretch, the more it counts. That alone leaves a blend that begins and ends
    beside what is around the gap, wherever most of the stretches lie to one side; a regression
    (ridge) on where they begin and end shifts the shares until the blend meets it about as well
    as it can, so that little is left to be warped.

    Returns
    -------
    near
        By distance alone; positive.
    blended
        Shifted.
    """
    apart = np.array([span.distance for span in spans])
    near = np.exp(-_SHARP * (apart / max(float(apart[0]), _NOTHING) - 1.0))
    near /= near.sum()
    wanted = _seen_from_start(before, after)
    off = []
    for span in spans:
        clip, first = np.array([span.clip]), np.array([span.first])
        offsets = (*_steps(min(REACH, len(before) - 1), -1), span.samples)
        seen = index.around(clip, first, offsets)
        off.append(mirrored_places(seen)[0] if span.mirrored else seen[0])
    weights = np.sqrt(role_weights())[:, None]
    table = ((np.stack(off) - wanted) * weights).reshape(len(spans), -1)
    return near, _regressed(near, table, max(_RIDGE, float(apart[0]) ** 2))


def _seen_from_start(before: ClipTrack, after: ClipTrack) -> Array:
    """What is around a gap ``(k, R, 3)`` as the body sees it where the gap begins."""
    points = np.concatenate([before.points, after.points[:1]])
    heading = np.concatenate([before.heading, after.heading[:1]])
    at = len(before) - 1
    offsets = (*_steps(min(REACH, at), -1), 1)
    return local_points(points, heading, np.array([at]), offsets, TRACKED)[0]


def _regressed(near: Array, off: Array, resistance: float) -> Array:
    """Shares ``(k,)``, none negative and in sum 1, with which rows ``(k, d)`` come near to zero in
    the mean.

    Shares below zero would meet ends that lie beside all the stretches, but the frames in between
    would be thrown far off.
    """
    from scipy.optimize import nnls

    # In units of these, all shares resist alike.
    root = np.sqrt(near)
    resists = np.sqrt(resistance)
    rows = np.concatenate([off.T * root, resists * np.eye(len(near)), _WHOLE * root[None]])
    wanted = np.concatenate([np.zeros(off.shape[1]), resists * root, [_WHOLE]])
    found = root * nnls(rows, wanted)[0]
    return np.asarray(found / found.sum())


def _rank(span: Span) -> tuple[float, bool, int, int, int]:
    """The nearest first, in a fixed order if they are equally near."""
    return span.distance, span.mirrored, span.clip, span.first, span.samples


def _same(a: Span, b: Span) -> bool:
    """Whether two spans are effectively the same."""
    return (a.clip, a.mirrored) == (b.clip, b.mirrored) and abs(a.first - b.first) < _APART


class _Gap:
    """What is around a gap, as stretches are compared to it.

    Parameters
    ----------
    before, after
        As in `nearest`.
    """

    def __init__(self, before: ClipTrack, after: ClipTrack):
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


def _fitting(index: Index, gap: _Gap, poses: tuple[Array, Array], samples: int) -> list[Span]:
    """The best of the stretches around the candidates, more than are wanted."""
    rows = _rows(index, poses, samples)
    if len(rows) == 0:
        return []
    clips = index.owners[rows]
    # Rows are three samples apart: look at the samples around them, too.
    firsts = (rows - index.rows[clips])[:, None] * STRIDE + np.arange(STRIDE) - 1
    clips, firsts = np.repeat(clips, STRIDE), firsts.ravel()
    room = np.array([entry.samples for entry in index.entries])[clips]
    fits = (firsts + min(gap.earlier) >= 0) & (firsts + samples + max(gap.later) < room)
    if not fits.any():
        return []
    clips, firsts = clips[fits], firsts[fits]
    squares = _apart(index, gap, clips, firsts, samples)
    best = np.argsort(squares, kind="stable")[:_KEPT]
    return [Span(int(clips[i]), int(firsts[i]), samples, float(np.sqrt(squares[i]))) for i in best]


def _apart(
    index: Index, gap: _Gap, clips: NDArray[np.int64], firsts: NDArray[np.int64], samples: int
) -> Array:
    """Mean square distances ``(m,)`` of stretches from what is around the gap."""
    way, turn = index.ways(clips, firsts, samples)
    turned = (turn - gap.turn + np.pi) % (2.0 * np.pi) - np.pi
    squares = (
        _parts_apart(index.around(clips, firsts, gap.earlier) - gap.first)
        + _END * _parts_apart(index.around(clips, firsts + samples, gap.later) - gap.last)
        + _WAY * (np.sum((way - gap.way)[:, [0, 2]] ** 2, axis=1) + turned**2)
    )
    return np.asarray(squares / (1.0 + _END + _MOVING))


def _steps(reach: int, way: int) -> tuple[int, ...]:
    """Offsets at which a body is looked at: where a gap ends, and outside of it."""
    return tuple(way * step for step in sorted({0, reach // 2, reach}))


def _seen(track: ClipTrack, at: int, offsets: tuple[int, ...]) -> Array:
    return local_points(track.points, track.heading, np.array([at]), offsets, TRACKED)


def _parts_apart(off: Array) -> Array:
    """Mean square distances ``(m,)`` from differences ``(m, k, R, 3)`` at an end and outside."""
    weights = role_weights()[:, None]
    squares = np.sum(weights * off[:, 0] ** 2, axis=(1, 2))
    if off.shape[1] > 1:
        # What lies outside counts by how the body moved, not once more by its pose.
        moved = off[:, 1:] - off[:, :1]
        squares += _MOVING * np.mean(np.sum(weights * moved**2, axis=(2, 3)), axis=1)
    return np.asarray(squares)


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
