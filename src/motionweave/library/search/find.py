"""Stretches of clips that are like an example.

Two passes: the features of all clips, ten per second, propose candidates by a scan with time
warping; the true distance of registration (clouds of points, turned and shifted on the floor,
windows of five frames) and that of the courses (`course`) on the candidates decide how similar they
are and when each frame of the example happens in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.library.index.course import AHEAD, SMOOTH, courses, known, off_course
from motionweave.library.index.features import (
    STRIDE,
    TRACKED,
    ClipTrack,
    role_weights,
)
from motionweave.library.index.snapshot import GAP, Index
from motionweave.library.search import subsequence
from motionweave.library.search.candidates import Candidate, candidates
from motionweave.library.search.spans import Span, Taken, shared
from motionweave.registration.clouds import PointClip
from motionweave.registration.distance import distance_grid

# Candidates that are examined closely, per requested match and at least.
_CLOSER, _LEAST_CLOSER = 3, 160
# Places around a candidate that are kept.
_EACH = 3
# Cells of the grid of distances that are computed at a time, and candidates at least.
_BATCH, _SMALLEST_BATCH = 600_000, 16
# Samples around a candidate in which its exact place is searched, as a share of its length.
_MARGIN = 0.25
# Half a window of the distance, in samples.
_WINDOW = 2


@dataclass(frozen=True, eq=False)
class Stretch:
    """Samples of a clip in an index: a match before it is complete.

    Parameters
    ----------
    clip
        Number of the clip.
    first, last
        Samples, both included.
    distance
        Root mean square over the example's samples, in leg lengths.
    path
        ``(n,)`` the sample that matches each sample of the example.
    """

    clip: int
    first: int
    last: int
    distance: float
    path: NDArray[np.int64]

    @property
    def span(self) -> Span:
        """Its first and last sample."""
        return self.first, self.last

    def overlaps(self, other: Stretch) -> bool:
        """Whether both are effectively the same stretch."""
        return self.clip == other.clip and shared(self.span, other.span)


def find(
    index: Index,
    example: ClipTrack,
    *,
    most: int,
    roles: Sequence[str] = TRACKED,
    among: NDArray[np.bool_] | None = None,
    limit: float = np.inf,
) -> list[Stretch]:
    """Stretches similar to the example, the nearest first.

    Parameters
    ----------
    index
        Where to look.
    example
        Two samples or more.
    most
        How many at most.
    roles
        Which part of the body is compared.
    among
        ``(clips,)`` which clips to search; None for all.
    limit
        The largest distance, in leg lengths.
    """
    closer = max(_LEAST_CLOSER, _CLOSER * most)
    named = candidates(index, example, closer, roles=roles, among=among)
    found = verified(index, example, named, roles, limit)
    return [one for one in each_once(found) if one.distance <= limit][:most]


def each_once(stretches: Sequence[Stretch]) -> list[Stretch]:
    """The stretches, the nearest first, with only the nearest of those that are the same."""
    taken = Taken()
    ordered = sorted(stretches, key=lambda one: (one.distance, one.clip, one.first))
    return [one for one in ordered if taken.take(one.clip, one.span)]


def verified(
    index: Index,
    example: ClipTrack,
    candidates: Sequence[Candidate],
    roles: Sequence[str] = TRACKED,
    limit: float = np.inf,
) -> list[Stretch]:
    """The candidates with their exact places and distances, and their next best places.

    The most promising come first: when none of a batch is within the limit, neither is the
    rest.
    """
    found: list[Stretch] = []
    size = max(_SMALLEST_BATCH, _BATCH // len(example) ** 2)
    for low in range(0, len(candidates), size):
        batch = _batch(index, example, candidates[low : low + size], roles)
        found += batch
        if not any(one.distance <= limit for one in batch):
            break
    return found


def _batch(
    index: Index, example: ClipTrack, candidates: Sequence[Candidate], roles: Sequence[str]
) -> list[Stretch]:
    margin = int(_MARGIN * len(example)) + STRIDE
    spans = []
    for one in candidates:
        first, last = (STRIDE * row for row in one.rows)
        stop = min(index.entries[one.clip].samples, last + margin + 1)
        spans.append((one.clip, max(0, first - margin), stop))
    cloud = example.cloud(roles)
    if len(example) == 1:
        # A single pose has no windows: every sample is its own cloud.
        return [_nearest_pose(index, cloud, span, roles) for span in spans]
    pieces, columns, ways = [], [], []
    width = 0
    for clip, first, stop in spans:
        # Windows at the ends of a piece use the clip's own samples there; a gap follows.
        before, after = max(0, first - _WINDOW), min(index.entries[clip].samples, stop + _WINDOW)
        piece = index.track(clip, before, after).points
        piece = np.concatenate([piece, np.repeat(piece[-1:], GAP, axis=0)])
        columns.append((width + first - before, width + stop - before))
        pieces.append(piece)
        ways.append(_courses(index, clip, before, before + len(piece)))
        width += len(piece)
    heap = ClipTrack(np.concatenate(pieces), np.zeros(width, dtype=np.float32)).cloud(roles)
    cost = distance_grid(cloud, heap)
    if tuple(roles) == TRACKED:
        at = np.arange(len(example))
        cost += off_course(courses(example, at), known(len(example), at), np.concatenate(ways))
    outside = np.ones(width, dtype=bool)
    for low, high in columns:
        outside[low:high] = False
    cost[:, outside] = np.inf
    found = subsequence.paths(cost)
    result = []
    for (clip, first, _), (low, high) in zip(spans, columns, strict=True):
        # Adjacent candidates may find each other's best place: keep the next best, too.
        lowest = subsequence.minima(found.costs[low:high])
        for end in low + lowest[np.argsort(found.costs[low + lowest], kind="stable")[:_EACH]]:
            path = found.trace(int(end)) - low + first
            distance = float(np.sqrt(found.costs[end]))
            result.append(Stretch(clip, int(path[0]), int(path[-1]), distance, path))
    return result


def _courses(index: Index, clip: int, first: int, stop: int) -> Array:
    """Courses ``(stop - first, 12)`` of samples of a clip; beyond its end those of the last."""
    low = max(0, first + AHEAD[0] - SMOOTH)
    seen = index.track(clip, low, stop + AHEAD[-1] + SMOOTH)
    return courses(seen, np.minimum(np.arange(first, stop) - low, len(seen) - 1))


def _nearest_pose(
    index: Index, pose: PointClip, span: tuple[int, int, int], roles: Sequence[str]
) -> Stretch:
    clip, first, stop = span
    weights = role_weights(roles)
    clouds = index.track(clip, first, stop).cloud(roles).points
    squares = _pose_distances(pose.points[0], clouds, weights)
    best = int(np.argmin(squares))
    at = first + best
    return Stretch(clip, at, at, float(np.sqrt(squares[best])), np.array([at]))


def _pose_distances(pose: Array, clouds: Array, weights: Array) -> Array:
    """Mean square distances ``(n,)`` of clouds to one cloud, turned and shifted onto it (Eq. 1)."""
    from motionweave.registration.distance import align

    moved = align(pose[None], clouds, weights)[:, None].apply(clouds)
    return np.asarray(np.sum(weights * np.sum((moved - pose) ** 2, axis=-1), axis=-1))


def exact(
    index: Index, example: ClipTrack, clip: int, *, roles: Sequence[str] = TRACKED
) -> list[Stretch]:
    """All stretches of one clip that are local minima of the whole grid, without features.

    The exact search that `find` is compared with: slow, but complete.
    """
    samples = index.entries[clip].samples
    if samples < 2:
        return []
    cost = distance_grid(example.cloud(roles), index.track(clip).cloud(roles))
    if tuple(roles) == TRACKED:
        at = np.arange(len(example))
        own = courses(example, at), known(len(example), at)
        cost += off_course(*own, _courses(index, clip, 0, samples))
    found = subsequence.paths(cost)
    stretches = []
    for end in subsequence.minima(found.costs):
        path = found.trace(int(end))
        distance = float(np.sqrt(found.costs[end]))
        stretches.append(Stretch(clip, int(path[0]), int(path[-1]), distance, path))
    return each_once(stretches)
