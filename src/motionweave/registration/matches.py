"""Constraint matches: which contacts of the clips mean the same (Kovar & Gleicher 4.4, App. B)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionweave.core.arrays import Array

Interval = tuple[float, float]


@dataclass(frozen=True, eq=False)
class ConstraintMatch:
    """Matching contacts of one kind, one from each of k clips.

    Parameters
    ----------
    kind
        Such as ``left_heel``.
    intervals
        ``(k, 2)`` where each begins and ends, in the curve's parameter u. On a cyclic
        curve an interval may reach beyond the curve's end; it continues at the beginning.
    """

    kind: str
    intervals: Array

    def __post_init__(self) -> None:
        intervals = np.array(self.intervals, dtype=np.float64)
        intervals.setflags(write=False)
        object.__setattr__(self, "intervals", intervals)

    def interval(self, weights: Sequence[float] | Array) -> Interval:
        """Begin and end for a blend with weights ``(k,)`` that sum to one (5.3)."""
        start, end = np.asarray(weights, dtype=np.float64) @ self.intervals
        return float(start), float(end)


def match(lanes: Sequence[Sequence[Interval]], *, literal: bool = False) -> list[Array]:
    """Group the contacts of one kind of k clips; each group is ``(k, 2)``.

    ``lanes[i]`` holds the i-th clip's contacts in u: disjoint, in order of time. ``literal``
    is for Appendix B to the letter; see `subsumes`.
    """
    waiting = [list(lane) for lane in lanes]
    matches = []
    while all(waiting):
        heads = [lane[0] for lane in waiting]
        if not connected(heads):
            # Nothing later can overlap the earliest one any more.
            earliest = min(range(len(heads)), key=lambda i: heads[i])
            waiting[earliest].pop(0)
            continue
        split, whole = partition(waiting, literal=literal)
        if split:
            gaps = {i: _gap(waiting, i, whole) for i in split}
            for i, (start, end) in gaps.items():
                first, last = waiting[i].pop(0)
                waiting[i][:0] = [(first, start), (end, last)]
        matches.append(np.array([lane.pop(0) for lane in waiting]))
    return matches


def connected(intervals: Sequence[Interval]) -> bool:
    """Whether the intervals together cover one interval without a hole (Figure 5)."""
    ordered = sorted(intervals)
    reached = ordered[0][1]
    for start, end in ordered[1:]:
        if start > reached:
            return False
        reached = max(reached, end)
    return True


def subsumes(a: Sequence[Interval], b: Sequence[Interval], *, literal: bool = False) -> bool:
    """Whether the first contact of lane a covers what in lane b are two (Appendix B).

    It must reach into b's second contact, and a's next one must begin only after that. It
    must also begin before b's second one, which goes without saying for two clips, but
    among more the heads may be connected through a third; ``literal`` leaves that out, as
    the paper does.
    """
    if len(b) < 2:
        return False
    next_start = a[1][0] if len(a) > 1 else np.inf
    begins = literal or a[0][0] < b[1][0]
    return bool(begins and b[1][0] < a[0][1] and next_start > b[1][1])


def partition(
    lanes: Sequence[Sequence[Interval]], *, literal: bool = False
) -> tuple[list[int], list[int]]:
    """Which clips' first contacts to split, and which not (Appendix B)."""
    clips = range(len(lanes))
    ended = max(lane[0][1] for lane in lanes)
    if all(len(lane) < 2 or lane[1][0] >= ended for lane in lanes):
        # No first contact reaches into anybody's second one.
        return [], list(clips)
    over = [[subsumes(lanes[i], lanes[j], literal=literal) for j in clips] for i in clips]
    if not any(any(row) for row in over):
        return [], list(clips)
    best: tuple[float, list[int], list[int]] | None = None
    for seed in clips:
        split = {seed} | {j for j in clips if not over[seed][j]}
        while True:
            moving = {j for j in clips if j not in split and not all(over[i][j] for i in split)}
            if not moving:
                break
            split |= moving
        whole = [j for j in clips if j not in split]
        chosen = (sorted(split), whole) if whole else ([], list(clips))
        overlap = _total_overlap(lanes, *chosen)
        if best is None or overlap > best[0]:
            best = overlap, *chosen
    assert best is not None
    return best[1], best[2]


def _total_overlap(
    lanes: Sequence[Sequence[Interval]], split: Sequence[int], whole: Sequence[int]
) -> float:
    """How much the contacts overlap in pairs, where one that is not split counts up to the
    end of its successor if others are split."""
    spans = [
        (lane[0][0], lane[1][1] if split and i in whole else lane[0][1])
        for i, lane in enumerate(lanes)
    ]
    return float(sum(max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for a in spans for b in spans))


def _gap(lanes: Sequence[Sequence[Interval]], i: int, whole: Sequence[int]) -> Interval:
    """Where to interrupt the first contact of lane i: the mean of the others' votes.

    A vote (Eq. 10) carries the other's two contacts, from the first one's start to the
    second one's end, linearly onto this contact from its start to a point p: to the
    place where the other's second contact ends if a third one follows within this
    contact, otherwise to this contact's end. The other's gap lands where ours should be.
    """
    start, end = lanes[i][0]
    votes = []
    for j in whole:
        (a0, a1), (b0, b1) = lanes[j][0], lanes[j][1]
        p = b1 if len(lanes[j]) > 2 and lanes[j][2][0] < end else end
        scale = (p - start) / (b1 - a0)
        votes.append((start + scale * (a1 - a0), start + scale * (b0 - a0)))
    mean = np.mean(votes, axis=0)
    return float(mean[0]), float(mean[1])
