"""Caches of results for recently used motions.

Methods call each other, and several of them need the same result for the same motion, such as its
floor. A motion never changes, so the first result stays valid.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from motionweave.core.motion import Motion

Answer = TypeVar("Answer")


class Memory(Generic[Answer]):
    """Cached results of one function of motions, independent of their names and contacts.

    Parameters
    ----------
    most
        How many results are kept; the least recently used is dropped first.
    """

    def __init__(self, most: int = 64) -> None:
        self._most = most
        self._known: OrderedDict[Hashable, Answer] = OrderedDict()
        self._lock = threading.Lock()

    def recall(self, motion: Motion, find: Callable[[], Answer], *details: Hashable) -> Answer:
        """The result for a motion; computed if it is not cached.

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
        """Clear the cache, as needed for timing measurements."""
        with self._lock:
            self._known.clear()
