"""Stretches of clips that are like an example.

Two passes: the features of all clips, ten per second, name candidates by a scan that allows
for other timing; the true distance of registration (clouds of points, turned and shifted on
the floor, windows of five frames) on the candidates says how alike they are and when each
frame of the example happens in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.library import alike
from motionweave.library.features import (
    STRIDE,
    TRACKED,
    Basis,
    Track,
    descriptors,
    role_weights,
)
from motionweave.library.index import Index
from motionweave.registration.clouds import PointClip
from motionweave.registration.distance import distance_grid

# Rows of features that are compared at a time: what fits into the processor's cache.
_BLOCK = 1 << 16
# Candidates that are looked at closely, for each match that is wanted and at least.
_CLOSER, _LEAST_CLOSER = 3, 160
# Places around a candidate that are kept.
_EACH = 3
# Cells of the grid of distances that are computed at a time, and candidates at least.
_BATCH, _SMALLEST_BATCH = 600_000, 16
# Two stretches of a clip are one match if they share more than this part of the shorter.
_SAME = 0.4
# Samples around a candidate in which its exact place is looked for, as a share of its length.
_MARGIN = 0.25
# Half a window of the distance, in samples.
_WINDOW = 2
# Root mean square distance in leg lengths up to which two stretches are alike without more ado.
ALIKE = 0.16


@dataclass(frozen=True, eq=False)
class Stretch:
    """Samples of a clip in an index: a match in the making.

    Parameters
    ----------
    clip
        Number of the clip.
    first, last
        Samples, both included.
    distance
        Root mean square over the example's samples, in leg lengths.
    path
        ``(n,)`` the sample that belongs to each sample of the example.
    """

    clip: int
    first: int
    last: int
    distance: float
    path: NDArray[np.int64]

    def overlaps(self, other: Stretch) -> bool:
        """Whether both are in effect the same stretch."""
        return self.clip == other.clip and shared(
            (self.first, self.last), (other.first, other.last)
        )


def shared(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether two ranges share so much that they mean the same."""
    common = min(a[1], b[1]) - max(a[0], b[0]) + 1
    return common > _SAME * (min(a[1] - a[0], b[1] - b[0]) + 1)


def find(
    index: Index,
    example: Track,
    *,
    most: int,
    roles: Sequence[str] = TRACKED,
    among: NDArray[np.bool_] | None = None,
    limit: float = np.inf,
) -> list[Stretch]:
    """Stretches like the example, the nearest first.

    Parameters
    ----------
    index
        Where to look.
    example
        Two samples or more.
    most
        How many at most.
    roles
        What of the body is compared.
    among
        ``(clips,)`` which clips to look in; None for all.
    limit
        The largest distance, in leg lengths.
    """
    closer = max(_LEAST_CLOSER, _CLOSER * most)
    candidates = _candidates(index, example, closer, roles, among)
    found: list[Stretch] = []
    # The most promising first: when none of a batch is near enough, the rest is not, either.
    size = max(_SMALLEST_BATCH, _BATCH // len(example) ** 2)
    for low in range(0, len(candidates), size):
        batch = _verified(index, example, candidates[low : low + size], roles)
        found += batch
        if not any(one.distance <= limit for one in batch):
            break
    kept: list[Stretch] = []
    for stretch in sorted(found, key=lambda one: (one.distance, one.clip, one.first)):
        if len(kept) == most or stretch.distance > limit:
            break
        if not any(stretch.overlaps(other) for other in kept):
            kept.append(stretch)
    return kept


def _candidates(
    index: Index,
    example: Track,
    most: int,
    roles: Sequence[str],
    among: NDArray[np.bool_] | None,
) -> list[tuple[int, int, int]]:
    """Clip, first and last sample of what may be alike, the most promising first."""
    wanted = _Wanted(index.basis, example, roles)
    ends: list[tuple[Array, NDArray[np.int64], NDArray[np.int64]]] = []
    for low, high in _blocks(index, among):
        cost = wanted.costs(index, low, high)
        cost[:, index.gaps[index.rows[low] : index.rows[high]]] = np.inf
        found = alike.paths(cost)
        lowest = _minima(found.costs)
        if len(lowest) > 8 * most:
            lowest = lowest[np.argpartition(found.costs[lowest], 8 * most)[: 8 * most]]
        shift = int(index.rows[low])
        ends.append((found.costs[lowest], found.starts[lowest] + shift, lowest + shift))
    if not ends:
        return []
    costs, starts, stops = (np.concatenate(parts) for parts in zip(*ends, strict=True))
    taken: dict[int, list[tuple[int, int]]] = {}
    chosen: list[tuple[int, int, int]] = []
    for which in np.argsort(costs, kind="stable"):
        clip = int(index.owners[stops[which]])
        begin = int(index.rows[clip])
        span = (int(starts[which]) - begin, int(stops[which]) - begin)
        if any(shared(span, other) for other in taken.get(clip, ())):
            continue
        taken.setdefault(clip, []).append(span)
        last = min(span[1] * STRIDE, index.entries[clip].samples - 1)
        chosen.append((clip, span[0] * STRIDE, last))
        if len(chosen) == most:
            break
    return chosen


class _Wanted:
    """What the features of candidates are compared to."""

    def __init__(self, basis: Basis, example: Track, roles: Sequence[str]):
        self._whole = tuple(roles) == TRACKED
        self._roles = roles
        pose, dynamics = descriptors(example, roles)
        self._still = len(example) < 2
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
            # Features are of whole bodies: parts of them are described on the way.
            rows = np.zeros((int(index.rows[high] - index.rows[low]), self._rows.shape[1]))
            for number in range(low, high):
                parts = descriptors(index.track(number), self._roles)
                first = int(index.rows[number] - index.rows[low])
                rows[first : first + len(parts[0])] = (
                    parts[0] if self._still else np.concatenate(parts, axis=1)
                )
        squares = np.einsum("ij,ij->i", rows, rows)
        own = np.einsum("ij,ij->i", self._rows, self._rows)
        return np.maximum(own[:, None] + squares - 2.0 * (self._rows @ rows.T), 0.0)


def _blocks(index: Index, among: NDArray[np.bool_] | None) -> list[tuple[int, int]]:
    """Ranges of clips whose rows fit into a block; clips not asked for are left out."""
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


def _minima(costs: Array) -> NDArray[np.int64]:
    """Places lower than the one before and not higher than the one after."""
    padded = np.concatenate([[np.inf], costs, [np.inf]])
    lower = (costs < padded[:-2]) & (costs <= padded[2:])
    return np.flatnonzero(lower & np.isfinite(costs))


def _verified(
    index: Index,
    example: Track,
    candidates: Sequence[tuple[int, int, int]],
    roles: Sequence[str],
) -> list[Stretch]:
    """The candidates with their exact places and distances."""
    if not candidates:
        return []
    spans = []
    for clip, first, last in candidates:
        margin = int(_MARGIN * len(example)) + STRIDE
        spans.append(
            (clip, max(0, first - margin), min(index.entries[clip].samples, last + margin + 1))
        )
    cloud = example.cloud(roles)
    if len(example) == 1:
        # A single pose has no windows: every sample is a cloud for itself.
        return [_nearest_pose(index, cloud, span, roles) for span in spans]
    pieces, columns = [], []
    width = 0
    for clip, first, stop in spans:
        # Windows at the ends of a piece see what the clip has there; behind it comes a gap.
        before, after = max(0, first - _WINDOW), min(index.entries[clip].samples, stop + _WINDOW)
        piece = index.track(clip, before, after).points
        piece = np.concatenate([piece, np.repeat(piece[-1:], alike.GAP, axis=0)])
        columns.append((width + first - before, width + stop - before))
        pieces.append(piece)
        width += len(piece)
    heap = Track(np.concatenate(pieces), np.zeros(width, dtype=np.float32)).cloud(roles)
    cost = distance_grid(cloud, heap)
    outside = np.ones(width, dtype=bool)
    for low, high in columns:
        outside[low:high] = False
    cost[:, outside] = np.inf
    found = alike.paths(cost)
    result = []
    for (clip, first, _), (low, high) in zip(spans, columns, strict=True):
        # Candidates that lie side by side may see each other's best: keep the next best, too.
        lowest = _minima(found.costs[low:high])
        for end in low + lowest[np.argsort(found.costs[low + lowest], kind="stable")[:_EACH]]:
            path = found.trace(int(end)) - low + first
            distance = float(np.sqrt(found.costs[end]))
            result.append(Stretch(clip, int(path[0]), int(path[-1]), distance, path))
    return result


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
    index: Index, example: Track, clip: int, *, roles: Sequence[str] = TRACKED
) -> list[Stretch]:
    """All stretches of one clip that are local minima of the whole grid, without features.

    What `find` is measured against: slow, and complete.
    """
    samples = index.entries[clip].samples
    cost = distance_grid(example.cloud(roles), index.track(clip).cloud(roles))
    if samples < 2:
        return []
    found = alike.paths(cost)
    kept: list[Stretch] = []
    for end in sorted(_minima(found.costs), key=lambda column: found.costs[column]):
        path = found.trace(int(end))
        distance = float(np.sqrt(found.costs[end]))
        stretch = Stretch(clip, int(path[0]), int(path[-1]), distance, path)
        if not any(stretch.overlaps(other) for other in kept):
            kept.append(stretch)
    return kept
