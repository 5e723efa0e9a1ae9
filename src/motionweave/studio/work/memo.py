"""Things that are costly to make from motions, remembered for as long as they may be asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from motionweave.core.motion import Motion
from motionweave.core.runtime.cache import Recent
from motionweave.studio.work.jobs import Outcome, attempt, told

Value = TypeVar("Value")


class Memo(Generic[Value]):
    """The last few values made from motions and options.

    Motions are told apart by the identity of their data: a clip hands out the same arrays until
    it is edited, whatever it is called. Warnings, and errors that a user can act on, belong to
    what was made: they are heard again whenever it is asked for.

    Parameters
    ----------
    size
        How many values are remembered.
    quiet
        Whether nobody hears the warnings: a step on the way, which says nothing about the result.
    """

    def __init__(self, size: int = 16, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._kept: Recent[tuple[tuple[Motion, ...], Outcome[Value]]] = Recent(size)

    def get(self, motions: Sequence[Motion], options: Hashable, make: Callable[[], Value]) -> Value:
        """What ``make`` gives, or gave when it was last asked for the same."""
        key = (tuple(_data(motion) for motion in motions), options)
        known = self._kept.get(key)
        if known is None:
            outcome = attempt(make)
            # The motions are kept too, so that their ids are not given to others.
            known = tuple(motions), replace(outcome, remarks=()) if self._quiet else outcome
            self._kept.put(key, known)
        return told(known[1])


def _data(motion: Motion) -> Hashable:
    parts = (motion.skeleton, motion.root, motion.rotations, motion.translations)
    return (*map(id, parts), motion.fps, motion.constraints)
