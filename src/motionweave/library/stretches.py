"""Stretches of the library that could fill a gap: similar before it, at its end, and in between.

The poses at both ends of a gap propose candidates in all clips; how the body got to the first, and
where it should be at the last relative to the first, decide which are the best.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.library.features import (
    REACH,
    STRIDE,
    TRACKED,
    Track,
    descriptors,
    local_points,
    mirrored,
    role_weights,
)
from motionweave.library.index import Index

# Candidates that are examined closely.
_CLOSER = 1500
# Of those, the ones that are kept: neighbours are merged later.
_KEPT = 200
# How much the motion before the gap counts compared with the poses at its ends.
_BEFORE = 0.5
# How long stretches may be, relative to the gap: longer ones are played slightly faster.
_PACES = (0.85, 1.0, 1.18)
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


def nearest(index: Index, before: Track, after: Track, samples: int, most: int) -> list[Span]:
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
    for length in sorted({max(2, round(samples * pace)) for pace in _PACES}):
        spans += _fitting(index, before, after, length)
        spans += [
            replace(span, mirrored=True)
            for span in _fitting(index, mirrored(before), mirrored(after), length)
        ]
    chosen: list[Span] = []
    for span in sorted(spans, key=_rank):
        if not any(_same(span, other) for other in chosen):
            chosen.append(span)
            if len(chosen) == most:
                break
    return chosen


def _rank(span: Span) -> tuple[float, bool, int, int, int]:
    """The nearest first, in a fixed order if they are equally near."""
    return span.distance, span.mirrored, span.clip, span.first, span.samples


def _same(a: Span, b: Span) -> bool:
    """Whether two spans are effectively the same."""
    return (a.clip, a.mirrored) == (b.clip, b.mirrored) and abs(a.first - b.first) < _APART


def _fitting(index: Index, before: Track, after: Track, samples: int) -> list[Span]:
    """The best of the stretches around the candidates, more than are wanted."""
    rows = _rows(index, before, after, samples)
    if len(rows) == 0:
        return []
    clips = index.owners[rows]
    # Rows are three samples apart: look at the samples around them, too.
    firsts = (rows - index.rows[clips])[:, None] * STRIDE + np.arange(STRIDE) - 1
    clips, firsts = np.repeat(clips, STRIDE), firsts.ravel()
    room = np.array([entry.samples for entry in index.entries])[clips]
    fits = (firsts >= REACH) & (firsts + samples < room)
    clips, firsts = clips[fits], firsts[fits]
    wanted = _weighted(
        local_points(*_joined(before, after), np.array([len(before) - 1]), _offsets(1), TRACKED)
    )
    have = _weighted(index.around(clips, firsts, _offsets(samples)))
    squares = np.sum((have - wanted) ** 2, axis=(1, 2, 3))
    best = np.argsort(squares, kind="stable")[:_KEPT]
    return [Span(int(clips[i]), int(firsts[i]), samples, float(np.sqrt(squares[i]))) for i in best]


def _rows(index: Index, before: Track, after: Track, samples: int) -> NDArray[np.int64]:
    """Rows of features whose pose, and the pose at the end of the gap, are nearest."""
    basis = index.basis
    poses = index.features[:, : basis.poses]
    ends = [
        basis.project(*descriptors(Track(part.points[[at]], part.heading[[at]])))[0, : basis.poses]
        for part, at in ((before, -1), (after, 0))
    ]
    gap = round(samples / STRIDE)
    if gap >= len(poses):
        return np.zeros(0, dtype=np.int64)
    apart = [np.einsum("ij,ij->i", poses - end, poses - end) for end in ends]
    both = apart[0][: len(poses) - gap] + apart[1][gap:]
    same = index.owners[: len(poses) - gap] == index.owners[gap:]
    inside = ~index.gaps[: len(poses) - gap] & ~index.gaps[gap:] & same
    rows = np.flatnonzero(inside)
    if len(rows) > _CLOSER:
        rows = rows[np.argpartition(both[rows], _CLOSER)[:_CLOSER]]
    return np.sort(rows)


def _joined(before: Track, after: Track) -> tuple[Array, Array]:
    return (
        np.concatenate([before.points, after.points]),
        np.concatenate([before.heading, after.heading]),
    )


def _offsets(gap: int) -> tuple[int, ...]:
    """Samples at which a gap is examined: before it, at its beginning and at its end."""
    return (-REACH, -REACH // 2, 0, gap)


def _weighted(local: Array) -> Array:
    """Roles ``(m, 4, R, 3)`` so that sums of squares are mean square distances."""
    scale = np.sqrt(role_weights())[:, None]
    weights = np.sqrt(np.array([_BEFORE, _BEFORE, 1.0, 1.0]) / (2.0 + 2.0 * _BEFORE))
    # Before the gap, only the movement of the body counts, not its pose again.
    before = local[:, :2] - local[:, 2:3]
    parts = np.concatenate([before, local[:, 2:]], axis=1)
    return np.asarray(parts * scale * weights[:, None, None])
