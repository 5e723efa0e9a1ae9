"""Caches: what was used recently, by its key or for a motion, and what is kept with a motion.

Methods call each other, and several of them need the same result for the same motion, such as its
floor. A motion never changes, so the first result stays valid.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Generic, TypeVar

from motionweave.core.motion import Motion

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """The values that were put there or asked for last, by their keys.

    Parameters
    ----------
    size
        How many are kept; the least recently used is dropped first.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, Value] = OrderedDict()

    def get(self, key: Hashable) -> Value | None:
        """The value of a key, if it is still there."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: Hashable, value: Value) -> None:
        """Keep a value."""
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    def made(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key; what ``make`` returns if it is not there."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        value = make()
        self.put(key, value)
        return value

    def clear(self) -> None:
        """Drop all values."""
        with self._lock:
            self._kept.clear()


class MotionCache(Generic[Value]):
    """Cached results of one function of motions, independent of their names and contacts.

    Parameters
    ----------
    size
        How many results are kept; the least recently used is dropped first.
    """

    def __init__(self, size: int = 64) -> None:
        self._results: Recent[Value] = Recent(size)

    def get(self, motion: Motion, compute: Callable[[], Value], *details: Hashable) -> Value:
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
        return self._results.made((motion.skeleton, motion.fingerprint, *details), compute)

    def clear(self) -> None:
        """Clear the cache, as needed for timing measurements."""
        self._results.clear()


def kept_with_motion(find: Callable[[Motion], Value]) -> Callable[[Motion], Value]:
    """Keep what a function finds out about a motion with that motion, for as long as it lives.

    For small results that depend on skeleton and frames alone: the same motion with other contacts
    has them, too. Those of equal motions that were made separately are found for each of them,
    which takes less time than a `MotionCache` needs to tell that long takes are equal.
    """
    name = f"{find.__module__}.{find.__qualname__}"

    @wraps(find)
    def kept(motion: Motion) -> Value:
        known = motion.known
        if name not in known:
            known[name] = find(motion)
        return known[name]  # type: ignore[no-any-return]

    return kept
