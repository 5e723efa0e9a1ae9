"""Matching frames of two or more clips, through a reference among them (4.2.2).

Everything here is in samples of clips that were spread to one rate. A path of a clip is
``(n, 2)``: matching samples of the reference and of the clip.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from motionweave.core.arrays import Array
from motionweave.errors import Kind, RegistrationError, Remedy
from motionweave.registration import dtw, pairing
from motionweave.registration.clouds import PointClip
from motionweave.registration.distance import distance_block
from motionweave.registration.grids import GridBlock
from motionweave.registration.pairing import Pair, Rules, Span

# How many frames of the reference are tried as the beginning of a common stretch.
_MOST_STARTS = 100
# Every how many samples a phase is tried to find the reference of cycles.
_FEW_PHASES = 3
# Samples before and after given ones that are searched: just over a minute.
_FARTHEST = 2000


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


def fixed(clips: Sequence[PointClip], rules: Rules, reference: int | None) -> Correspondence:
    """The first frames match, and the last frames."""

    def pair(a: int, b: int) -> Pair:
        return pairing.corner_pair(clips[a], clips[b], rules)

    return _through_reference(len(clips), pair, reference)


def anchored(
    clips: Sequence[PointClip],
    anchors: Sequence[Sequence[int]],
    fixed: tuple[bool, bool],
    rules: Rules,
    reference: int | None,
    reach: int | None = None,
) -> Correspondence:
    """Given samples match, in order of time; before the first and after the last of them the path
    continues as far as it can, or to the ends if these are fixed.

    ``reach`` limits how many samples before and after the given ones are searched.
    """
    far = _FARTHEST if reach is None else min(reach, _FARTHEST)

    def pair(a: int, b: int) -> Pair:
        cells = [(row[a], row[b]) for row in anchors]
        corner = (0, 0), (len(clips[a]) - 1, len(clips[b]) - 1)
        if fixed[0] and cells[:1] != [corner[0]]:
            cells.insert(0, corner[0])
        if fixed[1] and cells[-1:] != [corner[1]]:
            cells.append(corner[1])
        return pairing.through(clips[a], clips[b], cells, far, rules)

    return _through_reference(len(clips), pair, reference)


def free(
    clips: Sequence[PointClip],
    rules: Rules,
    reference: int | None,
    keep: Sequence[Sequence[tuple[float, float]]] | None = None,
) -> Correspondence:
    """The stretch on which all clips match well, with as much of the action as possible.

    ``keep`` are ranges of samples of each clip that have to be in it.
    """
    count = len(clips)
    worth = [
        pairing.worth_of(clip, () if keep is None else keep[i]) for i, clip in enumerate(clips)
    ]

    def stretch(a: int, b: int) -> Pair:
        return pairing.good_stretch(clips[a], clips[b], rules, (worth[a], worth[b]))

    found: dict[tuple[int, int], Pair] = {}
    if reference is None:
        means = np.zeros((count, count))
        for a in range(count):
            for b in range(a + 1, count):
                found[a, b] = stretch(a, b)
                means[a, b] = means[b, a] = found[a, b].distance
        reference = int(np.argmin(means.sum(axis=1)))
    others = [j for j in range(count) if j != reference]
    spans: dict[int, Span]
    if len(others) == 1:
        path = found[0, 1].path if (0, 1) in found else stretch(0, 1).path
        first, second = ((int(path[0, j]), int(path[-1, j])) for j in range(2))
        first, second = pairing.polished(clips[0], clips[1], first, second, rules, pairing.POLISH)
        spans = {0: first, 1: second}
    else:
        ref = clips[reference]
        spans = {reference: _common_stretch(clips, worth, reference, rules)}
        for j in others:
            pair_worth = worth[reference], worth[j]
            span = pairing.covering(ref, clips[j], spans[reference], rules, pair_worth)
            spans[j] = pairing.polished(ref, clips[j], spans[reference], span, rules)[1]
    own = spans[reference]
    pairs = [
        None
        if j == reference
        else pairing.between(clips[reference], clips[j], own, spans[j], rules)
        for j in range(count)
    ]
    return Correspondence(reference, _over_common_span(pairs))


def phases(
    rounds: Sequence[PointClip], rules: Rules, reference: int | None
) -> tuple[int, tuple[float, ...]]:
    """Of cycles, each three times over: the reference, and with which (fractional) sample each
    begins so that all are in the phase of the reference."""
    count = len(rounds)

    def best_phase(a: int, b: int, stride: int = 1) -> tuple[float, float]:
        pairing.check_lengths(rounds[a], rounds[b], 3, rules)
        rows, columns = len(rounds[a]) // 3, len(rounds[b]) // 3
        block = GridBlock(rounds[a], rounds[b], (rows, 2 * rows + 1), (columns, 3 * columns + 1))

        def means_of(cost: Array) -> Array:
            return dtw.corner_means(cost, columns + 1, range(0, columns, stride), rules.slope_limit)

        means = means_of(block.poses)
        weight = pairing.signal_weight(float(means.min()), block.height, rules)
        if block.signalled and weight > 0.0:
            means = means_of(block.costs(signals=weight))
        best = int(np.argmin(means))
        earlier, later = means[best - 1], means[(best + 1) % len(means)]
        bend = earlier - 2.0 * means[best] + later
        vertex = 0.5 * float(earlier - later) / float(bend) if bend > 0 else 0.0
        return float(means[best]), best + vertex

    if reference is None:
        # A few phases are enough to see which clip is nearest to all others.
        means = np.zeros((count, count))
        for a in range(count if count > 2 else 0):
            for b in range(a + 1, count):
                means[a, b] = means[b, a] = best_phase(a, b, _FEW_PHASES)[0]
        reference = int(np.argmin(means.sum(axis=1)))
    return reference, tuple(
        0.0 if j == reference else best_phase(reference, j)[1] for j in range(count)
    )


def closed(rounds: Sequence[PointClip], rules: Rules, reference: int) -> Correspondence:
    """Of cycles in one phase, each three times over: the paths through one round."""

    def pair(a: int, b: int) -> Pair:
        rows, columns = len(rounds[a]) // 3, len(rounds[b]) // 3
        middle = (rows, 2 * rows + 1), (columns, 2 * columns + 1)
        block = GridBlock(rounds[a], rounds[b], *middle, rules.slope_limit)
        return pairing.best(block, lambda cost: dtw.corner_path(cost, rules.slope_limit), rules)

    return _through_reference(len(rounds), pair, reference)


def _common_stretch(
    clips: Sequence[PointClip], worth: Sequence[Array], reference: int, rules: Rules
) -> Span:
    """The longest stretch of the reference that matches stretches of all other clips well.

    As for two clips, each earns what it is better than good, here as a share of what is
    good for it; the stretch on which the least successful clip earns most is taken.
    """
    others = [j for j in range(len(clips)) if j != reference]
    step = max(pairing.coarseness(len(clips[reference]), len(clips[j])) for j in others)
    ref = pairing.thinned(clips[reference], step)
    costs, prices = [], []
    for j in others:
        clip = pairing.thinned(clips[j], step)
        costs.append(distance_block(ref, clip, (0, len(ref)), (0, len(clip))))
        prices.append(0.5 * (worth[reference][::step, None] + worth[j][::step]))
    least = pairing.least_length((len(ref), *(cost.shape[1] for cost in costs)))
    starts = np.arange(0, len(ref) - least + 1, max(1, len(ref) // _MOST_STARTS))
    for goods in zip(*(pairing.good_levels(cost) for cost in costs), strict=True):
        best, span = -np.inf, (0, 0)
        for start in starts:
            earned = np.min(
                [
                    dtw.earned_from(cost[start:], good * price[start:], rules.slope_limit) / good
                    for cost, price, good in zip(costs, prices, goods, strict=True)
                ],
                axis=0,
            )
            end = int(np.argmax(earned))
            if earned[end] > best:
                best, span = float(earned[end]), (int(start), int(start) + end)
        if span[1] - span[0] + 1 >= least:
            return span[0] * step, span[1] * step
    raise RegistrationError(
        "there is no stretch on which all of the clips match; try fewer of them",
        remedies=(Remedy("slope_limit", rules.slope_limit + 1), Remedy("ends", "cyclic")),
        kind=Kind.NO_STRETCH,
    )


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
    cut: list[Pair] = []
    for pair in pairs:
        if pair is None:
            cut.append(_identity((first, last)))
            continue
        inside = (pair.path[:, 0] >= first) & (pair.path[:, 0] <= last)
        cut.append(replace(pair, path=pair.path[inside]))
    if last <= first or any(np.ptp(pair.path[:, 1]) == 0 for pair in cut):
        raise RegistrationError(
            "no two frames of one clip match two frames of all others: the clips are too "
            "short or too different to be cut",
            remedies=(Remedy("ends", "fixed"),),
            kind=Kind.NO_STRETCH,
        )
    return tuple(cut)


def _identity(span: Span) -> Pair:
    samples = np.arange(span[0], span[1] + 1)
    return Pair(np.stack([samples, samples], axis=1), 0.0)
