"""Things that are costly to make from motions, remembered for as long as they may be asked for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from motionweave.core.motion import Motion

Value = TypeVar("Value")


class Memo(Generic[Value]):
    """The last few values made from motions and options.

    Motions are told apart by the identity of their data: a clip hands out the same arrays until
    it is edited, whatever it is called.
    """

    def __init__(self, size: int = 16) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[tuple[Motion, ...], Value]] = OrderedDict()

    def get(self, motions: Sequence[Motion], options: Hashable, make: Callable[[], Value]) -> Value:
        """What ``make`` gives, or gave when it was last asked for the same."""
        key = (tuple(_data(motion) for motion in motions), options)
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known[1]
        value = make()
        with self._lock:
            # The motions are kept too, so that their ids are not given to others.
            self._kept[key] = (tuple(motions), value)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return value


def _data(motion: Motion) -> Hashable:
    parts = (motion.skeleton, motion.root, motion.rotations, motion.translations)
    return (*map(id, parts), motion.fps, motion.constraints)
