"""Frame correspondences of two and more clips: paths through grids of distances.

Everything here is in samples of clips that were spread to one rate. A path of a clip is
``(n, 2)``: samples of the reference and of the clip that belong together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.errors import RegistrationError
from motionweave.registration import dtw
from motionweave.registration.clouds import PointClip
from motionweave.registration.distance import distance_band, distance_block
from motionweave.registration.dtw import Path

Array = NDArray[np.float64]
Span = tuple[int, int]  # first and last sample

# Grids of more cells than this are computed only along a band around the path that a
# coarser grid of at most as many cells gives.
MOST_CELLS = 16_000_000
# Half the width of that band, in coarse samples, and at least so many fine ones.
_BAND = 6
_NARROWEST_BAND = 45
# A pull towards the straight path, in squared body heights, where the distances leave the
# path undecided (a figure that stands still). Far below what two real frames differ by.
_TIE = 1e-6
# A stretch that corresponds is at least this share of the shorter clip.
_LEAST_SHARE = 1.0 / 3.0


@dataclass(frozen=True, eq=False)
class Correspondence:
    """Paths of k clips to one of them.

    Parameters
    ----------
    reference
        The clip that all paths refer to.
    paths
        k paths over the same samples of the reference; its own is the identity.
    distances
        ``(k,)`` mean distances along the paths.
    """

    reference: int
    paths: tuple[Path, ...]
    distances: Array


def fixed(clips: Sequence[PointClip], slope_limit: int, reference: int | None) -> Correspondence:
    """First frames belong together, and last frames."""

    def pair(a: int, b: int) -> tuple[Path, float]:
        return corner_path(clips[a], clips[b], slope_limit)

    return _through_reference(len(clips), pair, reference)


def anchored(
    clips: Sequence[PointClip],
    anchor: Sequence[int],
    slope_limit: int,
    reference: int | None,
    reach: int | None = None,
) -> Correspondence:
    """Given samples belong together; from there both ways as far as it goes.

    ``reach`` limits how many samples before and after the given one are looked at.
    """
    most = int(np.sqrt(MOST_CELLS) / 2)
    reach = most if reach is None else min(reach, most)

    def pair(a: int, b: int) -> tuple[Path, float]:
        low = np.array([max(0, anchor[c] - reach) for c in (a, b)])
        high = [min(len(clips[c]), anchor[c] + reach + 1) for c in (a, b)]
        cost = distance_block(clips[a], clips[b], (low[0], high[0]), (low[1], high[1]))
        cell = (anchor[a] - int(low[0]), anchor[b] - int(low[1]))
        path = dtw.path_through(cost, cell, slope_limit)
        return path + low, _mean(cost, path)

    return _through_reference(len(clips), pair, reference)


def free(clips: Sequence[PointClip], slope_limit: int, reference: int | None) -> Correspondence:
    """The longest stretch on which all clips correspond well."""
    count = len(clips)
    stretches: dict[tuple[int, int], tuple[Path, float]] = {}
    if reference is None:
        means = np.zeros((count, count))
        for a in range(count):
            for b in range(a + 1, count):
                stretches[a, b] = good_stretch(clips[a], clips[b], slope_limit)
                means[a, b] = means[b, a] = stretches[a, b][1]
        reference = int(np.argmin(means.sum(axis=1)))
    ref = clips[reference]
    # Shortest clips first: each narrows down what of the reference is left for the rest.
    span = (0, len(ref) - 1)
    inside: dict[int, Span] = {}
    for j in sorted((j for j in range(count) if j != reference), key=lambda j: len(clips[j])):
        path, _ = good_stretch(_cut(ref, span), clips[j], slope_limit)
        span = span[0] + int(path[0, 0]), span[0] + int(path[-1, 0])
        inside[j] = int(path[0, 1]), int(path[-1, 1])
    paths, distances = [], np.zeros(count)
    for j, clip in enumerate(clips):
        if j == reference:
            paths.append(_identity(span))
            continue
        path, distances[j] = _covering(_cut(ref, span), clip, inside[j], slope_limit)
        paths.append(path + np.array([span[0], 0]))
    return Correspondence(reference, tuple(paths), distances)


def phases(
    rounds: Sequence[PointClip], slope_limit: int, reference: int | None
) -> tuple[int, tuple[float, ...]]:
    """Of cycles, each three times over: the reference, and with which (fractional) sample each
    begins so that all are in the phase of the reference."""
    count = len(rounds)

    def best_phase(a: int, b: int) -> tuple[float, float]:
        rows, columns = len(rounds[a]) // 3, len(rounds[b]) // 3
        cost = distance_block(
            rounds[a], rounds[b], (rows, 2 * rows + 1), (columns, 3 * columns + 1)
        )
        tries = (cost[:, phase : phase + columns + 1] for phase in range(columns))
        means = [_mean(part, dtw.corner_path(part, slope_limit)) for part in tries]
        best = int(np.argmin(means))
        earlier, later = means[best - 1], means[(best + 1) % columns]
        bend = earlier - 2.0 * means[best] + later
        return means[best], best + (0.5 * (earlier - later) / bend if bend > 0 else 0.0)

    if reference is None:
        means = np.array(
            [[best_phase(a, b)[0] if a != b else 0.0 for b in range(count)] for a in range(count)]
        )
        reference = int(np.argmin((means + means.T).sum(axis=1))) if count > 2 else 0
    return reference, tuple(
        0.0 if j == reference else best_phase(reference, j)[1] for j in range(count)
    )


def closed(rounds: Sequence[PointClip], slope_limit: int, reference: int) -> Correspondence:
    """Of cycles in one phase, each three times over: the paths through one round."""

    def pair(a: int, b: int) -> tuple[Path, float]:
        rows, columns = len(rounds[a]) // 3, len(rounds[b]) // 3
        cost = distance_block(
            rounds[a], rounds[b], (rows, 2 * rows + 1), (columns, 2 * columns + 1)
        )
        path = dtw.corner_path(cost, slope_limit)
        return path, _mean(cost, path)

    return _through_reference(len(rounds), pair, reference)


def corner_path(a: PointClip, b: PointClip, slope_limit: int) -> tuple[Path, float]:
    """The path from first samples to last ones, and its mean distance."""
    rows, columns = len(a), len(b)
    if rows * columns <= MOST_CELLS:
        cost = distance_block(a, b, (0, rows), (0, columns))
        path = dtw.corner_path(cost + _towards_straight(a, rows, columns), slope_limit)
        return path, _mean(cost, path)
    first, width = _band(a, b, slope_limit)
    cost = distance_band(a, b, first, width)
    path = dtw.corner_path(cost, slope_limit, first=first, columns=columns)
    along = cost[path[:, 0], path[:, 1] - first[path[:, 0]]]
    return path, float(along.mean())


def good_stretch(a: PointClip, b: PointClip, slope_limit: int) -> tuple[Path, float]:
    """The longest stretch on which two clips correspond well, and its mean distance."""
    step = _coarseness(len(a), len(b))
    a, b = _thinned(a, step), _thinned(b, step)
    cost = distance_block(a, b, (0, len(a)), (0, len(b)))
    least = max(2, int(np.ceil(_LEAST_SHARE * min(cost.shape))))
    good, typical = _good_level(cost)
    while True:
        path = dtw.longest_good(cost, good, slope_limit)
        if np.all(np.ptp(path, axis=0) + 1 >= least):
            return path * step, _mean(cost, path)
        if good > cost.max():
            raise RegistrationError(
                "the clips hold no stretch that corresponds; a larger slope_limit may find one"
            )
        # Too short to be what was meant: be content with less similar frames.
        good = max(1.25 * good, good + 0.05 * typical)


def _good_level(cost: Array) -> tuple[float, float]:
    """Below which distance frames correspond, judged by the clips themselves; and how far
    apart frames are that do not."""
    nearest = np.concatenate([cost.min(axis=0), cost.min(axis=1)])
    matched, typical = float(np.quantile(nearest, 0.25)), float(np.median(cost))
    return matched + 0.4 * (typical - matched), max(typical, np.finfo(float).tiny)


def _covering(ref: PointClip, clip: PointClip, span: Span, slope_limit: int) -> tuple[Path, float]:
    """All of the reference, with whatever of the clip suits it best."""
    if len(ref) * len(clip) > MOST_CELLS:
        path, mean = corner_path(ref, _cut(clip, span), slope_limit)
        return path + np.array([0, span[0]]), mean
    cost = distance_block(ref, clip, (0, len(ref)), (0, len(clip)))
    path = dtw.covering_path(cost, slope_limit)
    return path, _mean(cost, path)


def _through_reference(
    count: int, pair: Callable[[int, int], tuple[Path, float]], reference: int | None
) -> Correspondence:
    """Paths to the reference; if none is given, to the clip nearest to all others (4.2.2)."""
    found: dict[tuple[int, int], tuple[Path, float]] = {}
    if reference is None:
        means = np.zeros((count, count))
        for a in range(count):
            for b in range(a + 1, count):
                path, mean = pair(a, b)
                found[a, b], found[b, a] = (path, mean), (path[:, ::-1], mean)
                means[a, b] = means[b, a] = mean
        reference = int(np.argmin(means.sum(axis=1)))
    paths: list[Path | None] = []
    distances = np.zeros(count)
    for j in range(count):
        if j == reference:
            paths.append(None)
            continue
        path, distances[j] = found.get((reference, j)) or pair(reference, j)
        paths.append(path)
    return Correspondence(reference, _over_common_span(paths), distances)


def _over_common_span(paths: Sequence[Path | None]) -> tuple[Path, ...]:
    """Paths cut to those samples of the reference that all of them cover."""
    given = [path for path in paths if path is not None]
    first = max(int(path[0, 0]) for path in given)
    last = min(int(path[-1, 0]) for path in given)
    if last <= first:
        raise RegistrationError("no two frames of the reference clip correspond to all clips")
    return tuple(
        _identity((first, last))
        if path is None
        else path[(path[:, 0] >= first) & (path[:, 0] <= last)]
        for path in paths
    )


def _identity(span: Span) -> Path:
    samples = np.arange(span[0], span[1] + 1)
    return np.stack([samples, samples], axis=1)


def _mean(cost: Array, path: Path) -> float:
    return float(cost[path[:, 0], path[:, 1]].mean())


def _cut(clip: PointClip, span: Span) -> PointClip:
    return clip[span[0] : span[1] + 1]


def _towards_straight(a: PointClip, rows: int, columns: int) -> Array:
    """``(rows, columns)``: grows with the distance from the straight path."""
    weight = _TIE * a.height**2 + np.finfo(float).tiny
    off = np.linspace(0.0, 1.0, rows)[:, None] - np.linspace(0.0, 1.0, columns)
    off *= off
    off *= weight
    return off


def _coarseness(rows: int, columns: int) -> int:
    """Every how many samples a grid may have a cell so that it is small enough."""
    return max(1, int(np.ceil(np.sqrt(rows * columns / MOST_CELLS))))


def _thinned(clip: PointClip, step: int) -> PointClip:
    if step == 1:
        return clip
    return PointClip(clip.points[::step], clip.fps / step, clip.weights)


def _band(a: PointClip, b: PointClip, slope_limit: int) -> tuple[NDArray[np.int64], int]:
    """First columns and width of a band around the path through a coarser grid."""
    step = _coarseness(len(a), len(b))
    coarse, _ = corner_path(
        PointClip(a.points[_spread(len(a), step)], a.fps / step, a.weights),
        PointClip(b.points[_spread(len(b), step)], b.fps / step, b.weights),
        slope_limit,
    )
    at = np.stack([_spread(len(c), step)[coarse[:, i]] for i, c in enumerate((a, b))], axis=1)
    rows, index = np.unique(at[:, 0], return_index=True)
    middle = np.interp(np.arange(len(a)), rows, at[index, 1])
    half = max(_NARROWEST_BAND, _BAND * step)
    first = np.clip(np.rint(middle).astype(np.int64) - half, 0, max(0, len(b) - 2 * half - 1))
    return np.maximum.accumulate(first), min(2 * half + 1, len(b))


def _spread(count: int, step: int) -> NDArray[np.intp]:
    """Every ``step``-th sample, the first and the last among them."""
    return np.unique(np.rint(np.linspace(0, count - 1, max(2, count // step))).astype(np.intp))
