"""The search for the best place at which to join two clips, and for how long a join has to last.

A join is made in steps, of which each costs more time than the one before: first as short as the
poses allow, then longer if it strains the body, then with its feet planted and its faults counted.
After each step more is known of what the join costs, and the one that is cheapest by then takes
its next step. So most places are given up early.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import numpy as np

from motionweave.core.runtime.interrupt import checkpoint
from motionweave.errors import BlendError, MotionweaveError
from motionweave.methods.joining.splice import Spliced
from motionweave.methods.joining.strain import CALM, USUAL, Strain

# How many places are tried, best first, and how many of them are looked at for faults.
MOST_TRIES = 12
_MOST_LOOKS = 4
# A place that is not tried yet is expected to cost what a join usually does, and those that were
# tried; the former counts as much as this many of them.
_PRIOR = 2
# How many times as long a join may be made so that it is calm, in how many tries.
_LONGER = 3.0
_MOST_STRETCHES = 3

Place = TypeVar("Place")
Result = TypeVar("Result")

# What a join costs beyond its place as far as it is known, and the result of the last step.
Steps = Iterator[tuple[float, Result | None]]


def cheapest(
    places: Iterable[tuple[float, Place]], attempt: Callable[[Place], Steps[Result]]
) -> Result:
    """The cheapest join: its place, its strain on the body and its faults together.

    Parameters
    ----------
    places
        Candidate places and their costs, the cheapest first.
    attempt
        Makes the join at a place step by step; raises a `MotionweaveError` if there is none.

    Raises
    ------
    MotionweaveError
        The error of the last attempt, if no place works.
    """
    refused: MotionweaveError = BlendError("there is no place at which the clips could be joined")
    untried = enumerate(itertools.islice(places, MOST_TRIES))
    following = next(untried, None)
    # What each is known to cost, its number, the cost of its place, its steps and their result.
    waiting: list[tuple[float, int, float, Steps[Result], Result | None]] = []
    finished: list[tuple[float, int, Result]] = []
    known: dict[int, float] = {}
    while waiting or following is not None:
        checkpoint()
        expected = (_PRIOR * USUAL + sum(known.values())) / (_PRIOR + len(known))
        if following is not None and (not waiting or following[1][0] + expected < waiting[0][0]):
            number, (base, place) = following
            following = next(untried, None)
            steps = attempt(place)
        else:
            _, number, base, steps, result = heapq.heappop(waiting)
            if result is not None:
                return result
        try:
            cost, result = next(steps)
        except MotionweaveError as error:
            refused = error
            continue
        if result is not None:
            finished.append((base + cost, number, result))
            if len(finished) == _MOST_LOOKS:
                return min(finished, key=lambda one: one[:2])[2]
        else:
            known[number] = cost
        heapq.heappush(waiting, (base + cost, number, base, steps, result))
    raise refused


def relaxed(
    make: Callable[[float], Spliced], strain: Strain, longest: float = np.inf
) -> tuple[float, Spliced]:
    """A join that is made longer if it strains the body, and the factor.

    Parameters
    ----------
    make
        Makes the join that lasts this many times as long as the poses alone require.
    strain
        Measures the strain of a join.
    longest
        The largest factor.
    """
    times, made = 1.0, make(1.0)
    for _ in range(_MOST_STRETCHES):
        hardest = strain(made)
        longer = min(times * min(max(hardest, 1.1), 1.5), _LONGER, longest)
        if hardest <= CALM or longer <= times:
            break
        other = make(longer)
        # A longer join may slide further, or sink deeper into the floor.
        if strain.cost(other) >= strain.cost(made):
            break
        times, made = longer, other
    return times, made
