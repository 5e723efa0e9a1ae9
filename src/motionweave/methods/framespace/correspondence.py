"""Which state of one clip is which state of the others (Ashraf & Wong 4.3, Table 3).

States correspond by the labels they share. A correspondence is a chain of state tuples, one state
from each clip, that run through every clip's cycle in the same order; of all chains the one that
shares most labels is chosen, and among equals the one that stretches the clips least. Unmatched
states are dropped.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.contacts.states import UPPER, State
from motionweave.core.arrays import Array
from motionweave.core.runtime.kernels import kernel
from motionweave.errors import RegistrationError

# A state's labels, each with the half of the body it is about.
Marked = frozenset[tuple[str, str]]

# The value of a shared label. If the whole body follows one correspondence, the feet decide, and
# the arms only where they agree with the feet: a foot that comes down late slides, an arm that
# swings late is a matter of style. Labels not listed count 1.
EVENT_WORTH = {"et": 2.0, "HI_ext": 0.5, "K_flex": 0.5, "K_ext": 0.5}
UPPER_WORTH = 0.25
ELBOW_WORTH = 0.1
# Price of stretching the clips between two neighbouring states: the variance over the
# clips of the logarithm of the gap, times this. Gaps of 1 to 2 cost 0.06, of 1 to 5 0.32.
_PRICE_OF_STRETCH = 0.5
# Two states of a clip that are nearer than this (in cycles) are one instant: matched
# with states that are apart, they would stop the clip.
_LEAST_GAP = 0.005
# Fewest states in a correspondence: with one, only the phase is known.
FEWEST_MATCHES = 2
# Most candidate tuples for which more than two clips are searched at once; beyond it the clips are
# matched one after another.
_MOST_CANDIDATES = 800
# Most pairs of tuples that are examined; beyond it not every tuple is tried as a start.
_MOST_PAIRS = 100_000_000


@dataclass(frozen=True)
class MatchedStates:
    """States of k clips that are the same instant of the movement.

    Parameters
    ----------
    labels
        For each of n matched states the labels that all clips share there.
    times
        ``(n, k)`` when, in each clip's own cycle; every column increases, and may
        pass 1.0 where the match runs into the clip's next cycle.
    cyclic
        Whether the state after the last is the first, one cycle later.
    names
        The clips' names.
    """

    labels: tuple[frozenset[str], ...]
    times: Array
    cyclic: bool = True
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def clips(self) -> int:
        """How many clips correspond."""
        return int(self.times.shape[1])

    def rows(self) -> list[tuple[frozenset[str], tuple[float, ...]]]:
        """Labels and times as the paper's Table 3 has them.

        A cycle's rows, closed by the first state again; times past the end of a
        clip's cycle start over, where the end itself is written 1 and not 0.
        """
        times = np.array(self.times)
        labels = list(self.labels)
        if self.cyclic:
            times = np.vstack([times, times[:1] + 1.0])
            labels.append(labels[0])
        past = times > 1.0 + 1e-9
        times = np.where(past, times - np.ceil(times - 1e-9) + 1.0, times)
        return [
            (label, tuple(float(t) for t in row)) for label, row in zip(labels, times, strict=True)
        ]

    def __str__(self) -> str:
        return "\n".join(
            f"{{{', '.join(sorted(labels))}}}  {{{', '.join(f'{t:.2f}' for t in times)}}}"
            for labels, times in self.rows()
        )


def label_worth(label: str, half: str) -> float:
    """The value of a label that the clips share."""
    event = label[2:]  # without the side: "et" of "L_et", "HI_flex" of "L.HI_flex"
    if half == UPPER:
        return ELBOW_WORTH if event.startswith("E_") else UPPER_WORTH
    return EVENT_WORTH.get(event, 1.0)


def match_states(
    sequences: Sequence[Sequence[State]],
    names: Sequence[str] = (),
    cyclic: bool = True,
    worth: Callable[[str, str], float] | None = None,
    what: str = "state",
) -> MatchedStates:
    """The best correspondence of k state sequences.

    Parameters
    ----------
    sequences
        For each clip its states, times as shares of its cycle. A last state at 1
        that repeats the first is the same state.
    names
        The clips' names, for messages.
    cyclic
        Whether the match may start anywhere in each clip's cycle. Otherwise the
        clips run once, from 0 to 1, and so does the match.
    worth
        What sharing a label counts, from the label and its half of the body;
        `label_worth` by default.
    what
        What is matched, for messages, such as ``"state of the upper body"``.

    Raises
    ------
    RegistrationError
        If fewer than two states match (none, for clips that run once).
    """
    clips = [_in_one_cycle(states, cyclic) for states in sequences]
    if len(clips) < 2:
        raise RegistrationError(f"a correspondence needs at least two clips, got {len(clips)}")
    called = tuple(names) or tuple(f"clip {i + 1}" for i in range(len(clips)))
    worth = worth or label_worth
    marked = [[_marked(state) for state in states] for states in clips]
    times = [np.array([[state.time] for state in states]).reshape(-1, 1) for states in clips]
    if len(clips) > 2 and _count_candidates(marked) > _MOST_CANDIDATES:
        labels, matched = marked[0], times[0]
        for others, their_times in zip(marked[1:], times[1:], strict=True):
            labels, matched = _matched([labels, others], [matched, their_times], worth, cyclic)
    else:
        labels, matched = _matched(marked, times, worth, cyclic)
    if len(labels) < (FEWEST_MATCHES if cyclic else 1):
        raise RegistrationError(_too_little(clips, called, len(labels), what))
    return MatchedStates(
        labels=tuple(frozenset(label for label, _ in row) for row in labels),
        times=_unwrapped(matched) if cyclic else matched,
        cyclic=cyclic,
        names=called,
    )


def _matched(
    marked: Sequence[Sequence[Marked]],
    times: Sequence[Array],
    worth: Callable[[str, str], float],
    cyclic: bool,
) -> tuple[list[Marked], Array]:
    """Labels shared and times ``(n, k)`` of the best chain.

    A sequence may itself be matched states of several clips: ``times`` holds an
    ``(n_i, k_i)`` array for each sequence, and the columns end up side by side.
    """
    tuples, shared = _candidates(marked)
    if not len(tuples):
        return [], np.zeros((0, sum(t.shape[1] for t in times)))
    scores = np.array([sum(worth(*label) for label in labels) for labels in shared])
    joined = np.concatenate([t[tuples[:, k]] for k, t in enumerate(times)], axis=1)
    chain = _best_chain(tuples, np.array([len(m) for m in marked]), joined, scores, cyclic)
    return [shared[c] for c in chain], joined[chain]


def _marked(state: State) -> Marked:
    return frozenset((label, state.half) for label in state.labels)


def _in_one_cycle(states: Sequence[State], cyclic: bool) -> list[State]:
    """States by time, without the copy of the first one that closes a cycle."""
    ordered = sorted(states, key=lambda s: s.time)
    if not cyclic:
        return ordered
    return [
        s
        for s in ordered
        if not (s.time >= 1.0 - 1e-9)
        or not any(s.labels == o.labels and abs(s.time - o.time - 1.0) < 1e-9 for o in ordered)
    ]


def _combinations(marked: Sequence[Sequence[Marked]]) -> dict[tuple[str, str], int]:
    """For each label in all clips how many tuples it makes: the product of its numbers."""
    counts = [Counter(label for labels in states for label in labels) for states in marked]
    return {
        label: math.prod(count[label] for count in counts)
        for label in counts[0]
        if all(count[label] for count in counts)
    }


def _count_candidates(marked: Sequence[Sequence[Marked]]) -> int:
    return sum(_combinations(marked).values())


def _candidates(marked: Sequence[Sequence[Marked]]) -> tuple[NDArray[np.intp], list[Marked]]:
    """Tuples of state indices ``(M, k)`` that share labels, and what each shares.

    Those with the rarest label come first: they are the surest places to begin.
    """
    combinations = _combinations(marked)
    partial: list[tuple[tuple[int, ...], Marked]] = [((), frozenset(combinations))]
    for states in marked:
        partial = [
            ((*chosen, i), labels & own)
            for chosen, labels in partial
            for i, own in enumerate(states)
            if labels & own
        ]
    partial.sort(key=lambda c: (min(combinations[label] for label in c[1]), c[0]))
    indices = np.array([chosen for chosen, _ in partial], dtype=np.intp).reshape(-1, len(marked))
    return indices, [labels for _, labels in partial]


def _best_chain(
    tuples: NDArray[np.intp], sizes: NDArray[np.intp], times: Array, scores: Array, cyclic: bool
) -> NDArray[np.intp]:
    """Indices into ``tuples`` of the best chain, in its order."""
    if cyclic:
        anchors = max(1, min(len(tuples), _MOST_PAIRS // len(tuples) ** 2))
        order = np.argsort(tuples[:, 0], kind="stable")
        return np.asarray(_chain(tuples, order, sizes, times, scores, anchors))
    # Clips that run once start together: a tuple of that start, before all states,
    # is where every chain begins. Its time 0 is also the time at which they end, 1.
    tuples = np.vstack([np.full((1, tuples.shape[1]), -1, dtype=np.intp), tuples]) + 1
    times = np.vstack([np.zeros((1, times.shape[1])), times])
    scores = np.concatenate([[0.0], scores])
    order = np.argsort(tuples[:, 0], kind="stable")
    return np.asarray(_chain(tuples, order, sizes + 1, times, scores, 1))[1:] - 1


@kernel()
def _stretch(times, b, c):  # type: ignore[no-untyped-def]
    """Price of the gaps from tuple b to c; infinite if one is too small."""
    clips = times.shape[1]
    mean, square = 0.0, 0.0
    for k in range(clips):
        gap = (times[c, k] - times[b, k]) % 1.0
        if gap < _LEAST_GAP:
            return np.inf
        size = np.log(gap)
        mean += size / clips
        square += size * size / clips
    return _PRICE_OF_STRETCH * (square - mean * mean)


@kernel()
def _chain(tuples, order, sizes, times, scores, anchors):  # type: ignore[no-untyped-def]
    """Richest chain that starts at one of the first ``anchors`` tuples and goes round once.

    From an anchor, a tuple may follow another if it is later in every clip, counted
    from the anchor on. The first clip's indices do not wrap: every chain is found
    from its earliest tuple in that clip. ``order`` sorts the tuples by that clip.
    """
    count, clips = tuples.shape
    later = np.empty((count, clips), dtype=np.int64)
    total = np.empty(count)
    before = np.empty(count, dtype=np.int64)
    best, best_last = -np.inf, -1
    best_before = before.copy()
    for anchor in range(anchors):
        for c in range(count):
            for k in range(clips):
                later[c, k] = tuples[c, k] - tuples[anchor, k]
                if later[c, k] < 0 and k > 0:
                    later[c, k] += sizes[k]
        total[:] = -np.inf
        before[:] = -1
        total[anchor] = scores[anchor]
        for place in range(count):
            c = order[place]
            if np.min(later[c]) <= 0:
                continue
            for earlier in range(place):
                b = order[earlier]
                if total[b] + scores[c] <= total[c]:
                    continue
                follows = True
                for k in range(clips):
                    if later[b, k] >= later[c, k]:
                        follows = False
                        break
                if not follows:
                    continue
                value = total[b] + scores[c] - _stretch(times, b, c)
                if value > total[c]:
                    total[c] = value
                    before[c] = b
        for c in range(count):
            if total[c] <= best:
                continue
            value = total[c]
            if c != anchor:
                # Close the cycle: from the last tuple to the anchor, one cycle later.
                value -= _stretch(times, c, anchor)
            if value > best + 1e-12:
                best, best_last = value, c
                best_before[:] = before
    length = 0
    c = best_last
    while c >= 0:
        length += 1
        c = best_before[c]
    chain = np.empty(length, dtype=np.int64)
    c = best_last
    while c >= 0:
        length -= 1
        chain[length] = c
        c = best_before[c]
    return chain


def _unwrapped(times: Array) -> Array:
    """Times ``(n, k)`` with whole cycles added so that every column increases."""
    steps = np.mod(np.diff(times, axis=0), 1.0)
    return np.concatenate([times[:1], times[:1] + np.cumsum(steps, axis=0)])


def _too_little(
    clips: Sequence[Sequence[State]], names: Sequence[str], found: int, what: str
) -> str:
    """The message for clips that have too little in common."""
    has = "; ".join(
        f"{name} has {_listed(states) or 'no step or bend of known limbs'}"
        for name, states in zip(names, clips, strict=True)
    )
    many = "no" if found == 0 else "only one"
    return (
        f"{many} {what} matches in all clips, which is too few to interpolate them: {has}. "
        "Give event tables whose labels the clips share"
    )


def _listed(states: Sequence[State], most: int = 8) -> str:
    """The first few states: a long clip has hundreds."""
    more = len(states) - most
    return ", ".join(str(state) for state in states[:most]) + (
        f" and {more} more" if more > 0 else ""
    )
