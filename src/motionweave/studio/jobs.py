"""Work off the event loop: the newest request wins, and any can be given up.

The library's kernels spend their time outside Python's interpreter lock only in part, but a
thread keeps the page answering, and shares motions without copying them.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from motionweave.errors import MotionweaveError, QualityWarning

Value = TypeVar("Value")

_pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="studio")


@dataclass(frozen=True)
class Outcome(Generic[Value]):
    """What came of a piece of work: a value or a message, and warnings beside either."""

    value: Value | None = None
    error: str = ""
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0


def attempt(work: Callable[[], Value]) -> Outcome[Value]:
    """Do work; errors that a user can act on become a message, warnings are collected."""
    began = time.perf_counter()
    with _collected() as said:
        try:
            value, error = work(), ""
        except MotionweaveError as problem:
            value, error = None, str(problem)
    return Outcome(value, error, tuple(dict.fromkeys(said)), time.perf_counter() - began)


_heard = threading.local()
_usual_show = warnings.showwarning


def _show(message: Warning | str, category: type[Warning], *place: Any, **options: Any) -> None:
    collector: list[str] | None = getattr(_heard, "messages", None)
    if collector is not None and issubclass(category, QualityWarning):
        collector.append(str(message))
    else:
        _usual_show(message, category, *place, **options)


@contextmanager
def _collected() -> Iterator[list[str]]:
    """The library's warnings of this thread (`warnings.catch_warnings` would mix threads up)."""
    if warnings.showwarning is not _show:
        warnings.simplefilter("always", QualityWarning)
        warnings.showwarning = _show
    outer = getattr(_heard, "messages", None)
    said: list[str] = []
    _heard.messages = said
    try:
        yield said
    finally:
        _heard.messages = outer


async def in_thread(work: Callable[[], Value]) -> Outcome[Value]:
    """`attempt` off the event loop."""
    return await asyncio.get_running_loop().run_in_executor(_pool, attempt, work)


class Latest:
    """Runs one piece of work at a time; what waits is replaced by what comes later.

    Parameters
    ----------
    busy
        Called with True when work begins and with False when none is left.
    """

    def __init__(self, busy: Callable[[bool], None] = lambda _: None) -> None:
        self._busy = busy
        self._waiting: tuple[Callable[[], Any], Callable[[Outcome[Any]], None]] | None = None
        self._task: asyncio.Task[None] | None = None
        self._generation = 0

    def submit(self, work: Callable[[], Value], done: Callable[[Outcome[Value]], None]) -> None:
        """Do ``work`` as soon as possible, then call ``done`` on the event loop."""
        self._waiting = (work, done)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._run())

    def cancel(self) -> None:
        """Give up what runs and what waits: whatever it still yields is thrown away."""
        self._generation += 1
        self._waiting = None

    async def _run(self) -> None:
        self._busy(True)
        try:
            while self._waiting is not None:
                work, done = self._waiting
                outcome: Outcome[Any]
                self._waiting = None
                generation = self._generation
                try:
                    outcome = await in_thread(work)
                except Exception as problem:
                    # A bug, not bad input: the page must say so rather than wait for ever.
                    logging.getLogger(__name__).exception("work in the background failed")
                    outcome = Outcome(error=f"This should not have happened: {problem!r}")
                if generation == self._generation:
                    done(outcome)
        finally:
            self._busy(False)
