"""What was found out about the motions that were last looked at.

One method calls the next, and several of them ask the same of the same motion: where its
floor is, for instance. A motion never changes, so that the first answer holds.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from motionweave.core.motion import Motion

Answer = TypeVar("Answer")


class Memory(Generic[Answer]):
    """Answers to one question about movements, whatever their names and contacts are.

    Parameters
    ----------
    most
        How many answers are kept; the one not asked for longest is forgotten first.
    """

    def __init__(self, most: int = 64) -> None:
        self._most = most
        self._known: OrderedDict[Hashable, Answer] = OrderedDict()
        self._lock = threading.Lock()

    def recall(self, motion: Motion, find: Callable[[], Answer], *details: Hashable) -> Answer:
        """The answer for a motion; found if it is not known.

        Parameters
        ----------
        motion
            What is asked about.
        find
            Finds the answer.
        *details
            What else the result depends on.
        """
        key = motion.skeleton, motion.fingerprint, *details
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        answer = find()
        with self._lock:
            self._known[key] = answer
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return answer

    def forget(self) -> None:
        """Forget all answers: who measures how long finding takes has to."""
        with self._lock:
            self._known.clear()
