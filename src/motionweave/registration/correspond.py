"""Frame correspondences of two and more clips, through a reference among them (4.2.2).

Everything here is in samples of clips that were spread to one rate. A path of a clip is
``(n, 2)``: samples of the reference and of the clip that belong together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from motionweave.core.arrays import Array
from motionweave.errors import RegistrationError
from motionweave.registration import dtw, pairing
from motionweave.registration.clouds import PointClip
from motionweave.registration.distance import distance_block
from motionweave.registration.pairing import Block, Pair, Rules, Span

# How many frames of the reference are tried as the beginning of a common stretch.
_MOST_STARTS = 100


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
    """First frames belong together, and last frames."""

    def pair(a: int, b: int) -> Pair:
        return pairing.corner_pair(clips[a], clips[b], rules)

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
    most = int(np.sqrt(pairing.MOST_CELLS) / 2)
    reach = most if reach is None else min(reach, most)

    def pair(a: int, b: int) -> Pair:
        low = [max(0, anchor[c] - reach) for c in (a, b)]
        high = [min(len(clips[c]), anchor[c] + reach + 1) for c in (a, b)]
        cell = (anchor[a] - low[0], anchor[b] - low[1])
        block = Block(clips[a], clips[b], (low[0], high[0]), (low[1], high[1]))
        found = block.best(lambda cost: dtw.path_through(cost, cell, rules.slope_limit), rules)
        return pairing.trimmed(found).moved(low[0], low[1])

    return _through_reference(len(clips), pair, reference)


def free(clips: Sequence[PointClip], rules: Rules, reference: int | None) -> Correspondence:
    """The longest stretch on which all clips correspond well."""
    count = len(clips)
    if reference is None:
        means = np.zeros((count, count))
        for a in range(count):
            for b in range(a + 1, count):
                means[a, b] = means[b, a] = pairing.good_stretch(clips[a], clips[b], rules).distance
        reference = int(np.argmin(means.sum(axis=1)))
    others = [j for j in range(count) if j != reference]
    ref = clips[reference]
    if len(others) == 1:
        path = pairing.good_stretch(ref, clips[others[0]], rules).path
        span, inside = (int(path[0, 0]), int(path[-1, 0])), (int(path[0, 1]), int(path[-1, 1]))
        if len(ref) * len(clips[others[0]]) > pairing.MOST_CELLS:
            found = pairing.corner_pair(
                pairing.cut(ref, span), pairing.cut(clips[others[0]], inside), rules
            )
            pair = found.moved(span[0], inside[0])
        else:
            pair = pairing.covering(ref, clips[others[0]], span, rules)
        pairs = (None, pair) if reference == 0 else (pair, None)
        return Correspondence(reference, _over_common_span(pairs))
    span = _common_stretch(ref, [clips[j] for j in others], rules)
    covering = [
        None if j == reference else pairing.covering(ref, clip, span, rules)
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
        pairing.check_lengths(rounds[a], rounds[b], 3, rules, "use slope_limit={}")
        rows, columns = len(rounds[a]) // 3, len(rounds[b]) // 3
        block = Block(rounds[a], rounds[b], (rows, 2 * rows + 1), (columns, 3 * columns + 1))

        def means_of(cost: Array) -> list[float]:
            parts = (cost[:, phase : phase + columns + 1] for phase in range(columns))
            return [dtw.corner_mean(part, rules.slope_limit) for part in parts]

        means = means_of(block.poses)
        if block.signals is not None and rules.strikes > 0.0:
            means = means_of(block.poses + rules.strikes * min(means) * block.signals)
        best = int(np.argmin(means))
        earlier, later = means[best - 1], means[(best + 1) % columns]
        bend = earlier - 2.0 * means[best] + later
        return means[best], best + (0.5 * (earlier - later) / bend if bend > 0 else 0.0)

    found = {}
    if reference is None:
        found = {(a, b): best_phase(a, b) for a in range(count) for b in range(count) if a != b}
        means = np.zeros((count, count))
        for pair, (mean, _) in found.items():
            means[pair] = mean
        reference = int(np.argmin((means + means.T).sum(axis=1))) if count > 2 else 0
    return reference, tuple(
        0.0 if j == reference else (found.get((reference, j)) or best_phase(reference, j))[1]
        for j in range(count)
    )


def closed(rounds: Sequence[PointClip], rules: Rules, reference: int) -> Correspondence:
    """Of cycles in one phase, each three times over: the paths through one round."""

    def pair(a: int, b: int) -> Pair:
        rows, columns = len(rounds[a]) // 3, len(rounds[b]) // 3
        block = Block(rounds[a], rounds[b], (rows, 2 * rows + 1), (columns, 2 * columns + 1))
        return block.best(lambda cost: dtw.corner_path(cost, rules.slope_limit), rules)

    return _through_reference(len(rounds), pair, reference)


def _common_stretch(ref: PointClip, others: Sequence[PointClip], rules: Rules) -> Span:
    """The longest stretch of the reference to which stretches of all other clips correspond well.

    As for two clips, each earns what it is better than good, here as a share of what is
    good for it; the stretch on which the least successful clip earns most is taken.
    """
    step = max(pairing.coarseness(len(ref), len(clip)) for clip in others)
    ref = pairing.thinned(ref, step)
    costs = [
        distance_block(ref, clip, (0, len(ref)), (0, len(clip)))
        for clip in (pairing.thinned(clip, step) for clip in others)
    ]
    least = pairing.least_length((len(ref), *(cost.shape[1] for cost in costs)))
    starts = np.arange(0, len(ref) - least + 1, max(1, len(ref) // _MOST_STARTS))
    for goods in zip(*(pairing.good_levels(cost) for cost in costs), strict=True):
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
            "no two frames of one clip correspond to two of all others: the clips are too "
            "short or too different; ends='fixed' takes them from end to end"
        )
    return tuple(cut)


def _identity(span: Span) -> Pair:
    samples = np.arange(span[0], span[1] + 1)
    return Pair(np.stack([samples, samples], axis=1), 0.0)
