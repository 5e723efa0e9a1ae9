"""Frame correspondences of two and more clips: paths through grids of distances.

Everything here is in samples of clips that were spread to one rate. A path of a clip is
``(n, 2)``: samples of the reference and of the clip that belong together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from motionweave.errors import RegistrationError
from motionweave.registration import dtw
from motionweave.registration.clouds import PointClip
from motionweave.registration.distance import (
    distance_band,
    distance_block,
    signal_band,
    signal_block,
)
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
# A stretch that corresponds is at least this share of the shortest clip.
_LEAST_SHARE = 0.5
# What is good enough, between the distances of the nearest frames (0) and the usual one (1),
# and how often to be content with less.
_GOOD = 0.5
_GIVING_WAY = 30
# How many frames of the reference are tried as the beginning of a common stretch.
_MOST_STARTS = 100


@dataclass(frozen=True, eq=False)
class Pair:
    """Two clips, and how their frames correspond.

    Parameters
    ----------
    path
        ``(n, 2)`` samples that belong together.
    distance
        The mean distance of poses along the path.
    signals
        How much differences of the clips' signals counted beside the distances.
    """

    path: Path
    distance: float
    signals: float = 0.0

    def turned(self) -> Pair:
        """The same with the clips exchanged."""
        return replace(self, path=self.path[:, ::-1])

    def moved(self, row: int, column: int) -> Pair:
        """The same, the path moved by so many samples."""
        return replace(self, path=self.path + np.array([row, column]))


@dataclass(frozen=True, eq=False)
class Correspondence:
    """How k clips correspond to one of them.

    Parameters
    ----------
    reference
        The clip that all pairs refer to; its samples are their first column.
    pairs
        k pairs over the same samples of the reference; its own is the identity.
    """

    reference: int
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Rules:
    """What paths have to keep to.

    Parameters
    ----------
    slope_limit
        L, the most steps along a row or a column without a pause.
    strikes
        How much signals count: a full difference weighs like this many times the usual
        distance of corresponding poses. Where poses agree they decide; where they do
        not, as between a walk and a run, the signals do.
    """

    slope_limit: int = 2
    strikes: float = 0.0


def fixed(clips: Sequence[PointClip], rules: Rules, reference: int | None) -> Correspondence:
    """First frames belong together, and last frames."""

    def pair(a: int, b: int) -> Pair:
        return corner_pair(clips[a], clips[b], rules)

    return _through_reference(len(clips), pair, reference)


def anchored(
    clips: Sequence[PointClip],
    anchor: Sequence[int],
    rules: Rules,
    reference: int | None,
    reach: int | None = None,
) -> Correspondence:
    """Given samples belong together; from there both ways as far as it goes.

    ``reach`` limits how many samples before and after the given one are looked at.
    """
    most = int(np.sqrt(MOST_CELLS) / 2)
    reach = most if reach is None else min(reach, most)

    def pair(a: int, b: int) -> Pair:
        low = [max(0, anchor[c] - reach) for c in (a, b)]
        high = [min(len(clips[c]), anchor[c] + reach + 1) for c in (a, b)]
        cell = (anchor[a] - low[0], anchor[b] - low[1])
        block = _Block(clips[a], clips[b], (low[0], high[0]), (low[1], high[1]))
        found = block.best(lambda cost: dtw.path_through(cost, cell, rules.slope_limit), rules)
        return _trimmed(found).moved(low[0], low[1])

    return _through_reference(len(clips), pair, reference)


def free(clips: Sequence[PointClip], rules: Rules, reference: int | None) -> Correspondence:
    """The longest stretch on which all clips correspond well."""
    count = len(clips)
    if reference is None:
        means = np.zeros((count, count))
        for a in range(count):
            for b in range(a + 1, count):
                means[a, b] = means[b, a] = good_stretch(clips[a], clips[b], rules).distance
        reference = int(np.argmin(means.sum(axis=1)))
    others = [j for j in range(count) if j != reference]
    ref = clips[reference]
    if len(others) == 1:
        path = good_stretch(ref, clips[others[0]], rules).path
        span, inside = (int(path[0, 0]), int(path[-1, 0])), (int(path[0, 1]), int(path[-1, 1]))
        if len(ref) * len(clips[others[0]]) > MOST_CELLS:
            found = corner_pair(_cut(ref, span), _cut(clips[others[0]], inside), rules)
            pair = found.moved(span[0], inside[0])
        else:
            pair = _covering(ref, clips[others[0]], span, rules)
        pairs = (None, pair) if reference == 0 else (pair, None)
        return Correspondence(reference, _over_common_span(pairs))
    span = _common_stretch(ref, [clips[j] for j in others], rules)
    covering = [
        None if j == reference else _covering(ref, clip, span, rules)
        for j, clip in enumerate(clips)
    ]
    return Correspondence(reference, _over_common_span(covering))


def phases(
    rounds: Sequence[PointClip], rules: Rules, reference: int | None
) -> tuple[int, tuple[float, ...]]:
    """Of cycles, each three times over: the reference, and with which (fractional) sample each
    begins so that all are in the phase of the reference."""
    count = len(rounds)

    def best_phase(a: int, b: int) -> tuple[float, float]:
        _check_lengths(rounds[a], rounds[b], 3, rules, "use slope_limit={}")
        rows, columns = len(rounds[a]) // 3, len(rounds[b]) // 3
        block = _Block(rounds[a], rounds[b], (rows, 2 * rows + 1), (columns, 3 * columns + 1))

        def means_of(cost: Array) -> list[float]:
            parts = (cost[:, phase : phase + columns + 1] for phase in range(columns))
            return [_mean(part, dtw.corner_path(part, rules.slope_limit)) for part in parts]

        means = means_of(block.poses)
        if block.signals is not None and rules.strikes > 0.0:
            means = means_of(block.poses + rules.strikes * min(means) * block.signals)
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


def closed(rounds: Sequence[PointClip], rules: Rules, reference: int) -> Correspondence:
    """Of cycles in one phase, each three times over: the paths through one round."""

    def pair(a: int, b: int) -> Pair:
        rows, columns = len(rounds[a]) // 3, len(rounds[b]) // 3
        block = _Block(rounds[a], rounds[b], (rows, 2 * rows + 1), (columns, 2 * columns + 1))
        return block.best(lambda cost: dtw.corner_path(cost, rules.slope_limit), rules)

    return _through_reference(len(rounds), pair, reference)


def corner_pair(a: PointClip, b: PointClip, rules: Rules) -> Pair:
    """Two clips whose first samples belong together, and whose last ones do."""
    rows, columns = len(a), len(b)
    _check_lengths(a, b, 1, rules, "use slope_limit={}, or ends='free'")
    if rows * columns <= MOST_CELLS:
        weight = _TIE * a.height**2 + np.finfo(float).tiny
        return _Block(a, b, (0, rows), (0, columns)).best(
            lambda cost: dtw.corner_path(_towards_straight(cost, weight), rules.slope_limit), rules
        )
    return _Band(a, b, *_band(a, b, rules)).best(rules)


def good_stretch(a: PointClip, b: PointClip, rules: Rules) -> Pair:
    """The longest stretch on which the poses of two clips correspond well."""
    step = _coarseness(len(a), len(b))
    a, b = _thinned(a, step), _thinned(b, step)
    cost = distance_block(a, b, (0, len(a)), (0, len(b)))
    least = _least_length(cost.shape)
    for good in _good_levels(cost):
        path = dtw.longest_good(cost, good, rules.slope_limit)
        if np.all(np.ptp(path, axis=0) + 1 >= least):
            return _trimmed(Pair(path * step, _mean(cost, path)))
    raise RegistrationError(
        "the clips hold no stretch that corresponds; a larger slope_limit may find one"
    )


def _common_stretch(ref: PointClip, others: Sequence[PointClip], rules: Rules) -> Span:
    """The longest stretch of the reference to which stretches of all other clips correspond well.

    As for two clips, each earns what it is better than good, here as a share of what is
    good for it; the stretch on which the least successful clip earns most is taken.
    """
    step = max(_coarseness(len(ref), len(clip)) for clip in others)
    ref = _thinned(ref, step)
    costs = [
        distance_block(ref, clip, (0, len(ref)), (0, len(clip)))
        for clip in (_thinned(clip, step) for clip in others)
    ]
    least = _least_length((len(ref), *(cost.shape[1] for cost in costs)))
    starts = np.arange(0, len(ref) - least + 1, max(1, len(ref) // _MOST_STARTS))
    for goods in zip(*(_good_levels(cost) for cost in costs), strict=True):
        best, span = -np.inf, (0, 0)
        for start in starts:
            earned = np.min(
                [
                    dtw.earned_from(cost[start:], good, rules.slope_limit) / good
                    for cost, good in zip(costs, goods, strict=True)
                ],
                axis=0,
            )
            end = int(np.argmax(earned))
            if earned[end] > best:
                best, span = float(earned[end]), (int(start), int(start) + end)
        if span[1] - span[0] + 1 >= least:
            return span[0] * step, span[1] * step
    raise RegistrationError(
        "the clips hold no stretch on which all of them correspond; try fewer of them, "
        "a larger slope_limit, or cyclic=True if they repeat themselves"
    )


def _least_length(samples: Sequence[int]) -> int:
    """So many samples make a stretch that is not trivially short."""
    return max(2, int(np.ceil(_LEAST_SHARE * min(samples))))


def _good_levels(cost: Array) -> Iterator[float]:
    """Below which distance frames correspond, judged by the clips themselves; then ever more
    content with less similar frames, for where that gave too short a stretch."""
    nearest = np.concatenate([cost.min(axis=0), cost.min(axis=1)])
    matched, typical = float(np.quantile(nearest, 0.25)), float(np.median(cost))
    good = matched + _GOOD * (typical - matched)
    floor = 0.01 * typical + np.finfo(float).tiny
    for _ in range(_GIVING_WAY):
        yield max(good, floor)
        good = max(1.25 * good, good + 0.05 * typical)


def _check_lengths(a: PointClip, b: PointClip, rounds: int, rules: Rules, help_: str) -> None:
    """Refuse clips, or cycles several rounds long, of too different lengths."""
    counts = [(len(clip) - 1) // rounds + 1 for clip in (a, b)]
    needed = dtw.smallest_limit(*counts)
    if needed > rules.slope_limit:
        what = "a clip" if rounds == 1 else "a cycle"
        first, second = (f"{clip.name or what} ({clip.duration / rounds:.2f} s)" for clip in (a, b))
        raise RegistrationError(
            f"{first} and {second} cannot correspond from end to end with "
            f"slope_limit={rules.slope_limit}: {help_.format(needed)}"
        )


class _Block:
    """A part of the grid of two clips: distances of poses, and of signals on top."""

    def __init__(self, a: PointClip, b: PointClip, rows: Span, columns: Span):
        self.poses = distance_block(a, b, rows, columns)
        self.signals = signal_block(a, b, rows, columns) if a.signals.size else None

    def best(self, search: Callable[[Array], Path], rules: Rules) -> Pair:
        """The path that a search finds by poses, and then by poses and signals."""
        path = search(self.poses)
        usual = _mean(self.poses, path)
        if self.signals is None or rules.strikes == 0.0:
            return Pair(path, usual)
        weight = rules.strikes * usual
        path = search(self.poses + weight * self.signals)
        return Pair(path, _mean(self.poses, path), weight)


class _Band:
    """The part of the grid of two long clips that lies along a band."""

    def __init__(self, a: PointClip, b: PointClip, first: NDArray[np.int64], width: int):
        self.first, self.columns = first, len(b)
        self.poses = distance_band(a, b, first, width)
        self.signals = signal_band(a, b, first, width) if a.signals.size else None

    def best(self, rules: Rules) -> Pair:
        """The path from corner to corner by poses, and then by poses and signals."""
        path = self._path(self.poses, rules)
        usual = self._mean(path)
        if self.signals is None or rules.strikes == 0.0:
            return Pair(path, usual)
        weight = rules.strikes * usual
        path = self._path(self.poses + weight * self.signals, rules)
        return Pair(path, self._mean(path), weight)

    def _path(self, cost: Array, rules: Rules) -> Path:
        return dtw.corner_path(cost, rules.slope_limit, first=self.first, columns=self.columns)

    def _mean(self, path: Path) -> float:
        rows = path[:, 0]
        return float(self.poses[rows, path[:, 1] - self.first[rows]].mean())


def _covering(ref: PointClip, clip: PointClip, span: Span, rules: Rules) -> Pair:
    """A stretch of the reference, with whatever of the clip suits it best."""
    if (span[1] - span[0] + 1) * len(clip) > MOST_CELLS:
        raise RegistrationError(
            "clips of several minutes have no free ends if there are more than two: cut them first"
        )
    block = _Block(ref, clip, (span[0], span[1] + 1), (0, len(clip)))
    found = block.best(lambda cost: dtw.covering_path(cost, rules.slope_limit), rules)
    return _trimmed(found).moved(span[0], 0)


def _through_reference(
    count: int, pair: Callable[[int, int], Pair], reference: int | None
) -> Correspondence:
    """Pairs with the reference; if none is given, with the clip nearest to all others (4.2.2)."""
    found: dict[tuple[int, int], Pair] = {}
    if reference is None:
        means = np.zeros((count, count))
        for a in range(count):
            for b in range(a + 1, count):
                found[a, b] = pair(a, b)
                found[b, a] = found[a, b].turned()
                means[a, b] = means[b, a] = found[a, b].distance
        reference = int(np.argmin(means.sum(axis=1)))
    pairs = [
        None if j == reference else found.get((reference, j)) or pair(reference, j)
        for j in range(count)
    ]
    return Correspondence(reference, _over_common_span(pairs))


def _over_common_span(pairs: Sequence[Pair | None]) -> tuple[Pair, ...]:
    """Pairs cut to those samples of the reference that all of them cover."""
    paths = [pair.path for pair in pairs if pair is not None]
    first = max(int(path[0, 0]) for path in paths)
    last = min(int(path[-1, 0]) for path in paths)
    cut = []
    for pair in pairs:
        if pair is None:
            cut.append(_identity((first, last)))
            continue
        inside = (pair.path[:, 0] >= first) & (pair.path[:, 0] <= last)
        cut.append(replace(pair, path=pair.path[inside]))
    if last <= first or any(np.ptp(pair.path[:, 1]) == 0 for pair in cut):
        raise RegistrationError(
            "no two frames of one clip correspond to two of all others: the clips are too "
            "short or too different; ends='fixed' takes them from end to end"
        )
    return tuple(cut)


def _trimmed(pair: Pair) -> Pair:
    """The pair without the straight steps at the beginning and end of its path, which make one
    clip wait where the other has no more to give."""
    diagonal = np.flatnonzero(np.diff(pair.path, axis=0).all(axis=1))
    if len(diagonal) == 0:
        return pair
    return replace(pair, path=pair.path[diagonal[0] : diagonal[-1] + 2])


def _identity(span: Span) -> Pair:
    samples = np.arange(span[0], span[1] + 1)
    return Pair(np.stack([samples, samples], axis=1), 0.0)


def _mean(cost: Array, path: Path) -> float:
    return float(cost[path[:, 0], path[:, 1]].mean())


def _cut(clip: PointClip, span: Span) -> PointClip:
    return clip[span[0] : span[1] + 1]


def _towards_straight(cost: Array, weight: float) -> Array:
    """Costs ``(rows, columns)`` and on top what grows with the distance from the straight path."""
    off = np.linspace(0.0, 1.0, len(cost))[:, None] - np.linspace(0.0, 1.0, cost.shape[1])
    off *= off
    off *= weight
    off += cost
    return off


def _coarseness(rows: int, columns: int) -> int:
    """Every how many samples a grid may have a cell so that it is small enough."""
    return max(1, int(np.ceil(np.sqrt(rows * columns / MOST_CELLS))))


def _thinned(clip: PointClip, step: int) -> PointClip:
    if step == 1:
        return clip
    return replace(clip[::step], fps=clip.fps / step)


def _band(a: PointClip, b: PointClip, rules: Rules) -> tuple[NDArray[np.int64], int]:
    """First columns and width of a band around the path through a coarser grid."""
    step = _coarseness(len(a), len(b))
    thin_a, thin_b = (c.sample(_spread(len(c), step), c.fps / step) for c in (a, b))
    coarse = corner_pair(thin_a, thin_b, rules).path
    at = np.stack([_spread(len(c), step)[coarse[:, i]] for i, c in enumerate((a, b))], axis=1)
    rows, index = np.unique(at[:, 0], return_index=True)
    middle = np.interp(np.arange(len(a)), rows, at[index, 1])
    half = max(_NARROWEST_BAND, _BAND * step)
    first = np.clip(np.rint(middle).astype(np.int64) - half, 0, max(0, len(b) - 2 * half - 1))
    return np.maximum.accumulate(first), min(2 * half + 1, len(b))


def _spread(count: int, step: int) -> NDArray[np.intp]:
    """Every ``step``-th sample, the first and the last among them."""
    return np.unique(np.rint(np.linspace(0, count - 1, max(2, count // step))).astype(np.intp))
