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

Result = TypeVar("Result")


class MotionCache(Generic[Result]):
    """Cached results of one function of motions, independent of their names and contacts.

    Parameters
    ----------
    size
        How many results are kept; the least recently used is dropped first.
    """

    def __init__(self, size: int = 64) -> None:
        self._size = size
        self._results: OrderedDict[Hashable, Result] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, motion: Motion, compute: Callable[[], Result], *details: Hashable) -> Result:
        """The result for a motion; computed if it is not cached.

        Parameters
        ----------
        motion
            What the result is about.
        compute
            Computes the result.
        *details
            What else the result depends on.
        """
        key = motion.skeleton, motion.fingerprint, *details
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        result = compute()
        with self._lock:
            self._results[key] = result
            while len(self._results) > self._size:
                self._results.popitem(last=False)
        return result

    def clear(self) -> None:
        """Clear the cache, as needed for timing measurements."""
        with self._lock:
            self._results.clear()
