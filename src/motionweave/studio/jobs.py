"""Work off the event loop: the newest request wins, and any can be given up.

The library's kernels spend their time outside Python's interpreter lock only in part, but a
thread keeps the page answering, and shares motions without copying them. A thread cannot be
stopped from outside: it looks between its steps whether it was given up.
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

from motionweave.core.compiled import compiling
from motionweave.core.interrupt import Interrupted, checkpoint, interruptible
from motionweave.errors import MotionweaveError, Notice, QualityWarning

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
    if collector is not None and issubclass(category, QualityWarning | Notice):
        collector.append(str(message))
    else:
        _usual_show(message, category, *place, **options)


@contextmanager
def _collected() -> Iterator[list[str]]:
    """The library's warnings of this thread (`warnings.catch_warnings` would mix threads up)."""
    if warnings.showwarning is not _show:
        for kind in (QualityWarning, Notice):
            warnings.simplefilter("always", kind)
        warnings.showwarning = _show
    outer = getattr(_heard, "messages", None)
    said: list[str] = []
    _heard.messages = said
    try:
        yield said
    finally:
        _heard.messages = outer


async def in_thread(
    work: Callable[[], Value], given_up: Callable[[], bool] = lambda: False
) -> Outcome[Value]:
    """`attempt` off the event loop; raises `Interrupted` if it was given up."""

    def run() -> Outcome[Value]:
        with interruptible(given_up):
            checkpoint()
            return attempt(work)

    return await asyncio.get_running_loop().run_in_executor(_pool, run)


class Latest:
    """Runs one piece of work at a time; what waits is replaced by what comes later.

    Parameters
    ----------
    busy
        Called with True when work goes on for longer than ``patience``, and with False when
        none is left.
    patience
        Seconds. Work that is done sooner is not worth mentioning: to show and hide that
        something is being done takes the page longer than the work itself.
    compiles
        Called on the event loop when kernels have been compiled for a second: what takes long
        this once will not again.
    """

    def __init__(
        self,
        busy: Callable[[bool], None] = lambda _: None,
        *,
        patience: float = 0.4,
        compiles: Callable[[], None] = lambda: None,
    ) -> None:
        self._busy = busy
        self._patience = patience
        self._compiles = compiles
        self._told = False
        self._waiting: tuple[Callable[[], Any], Callable[[Outcome[Any]], None]] | None = None
        # What runs now, by the event that gives it up; what was given up is nobody's.
        self._running: threading.Event | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def submit(self, work: Callable[[], Value], done: Callable[[Outcome[Value]], None]) -> None:
        """Do ``work`` as soon as possible, then call ``done`` on the event loop."""
        self._waiting = (work, done)
        if self._running is None:
            self._running = threading.Event()
            task = asyncio.get_running_loop().create_task(self._run(self._running))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def cancel(self) -> None:
        """Give up what runs and what waits.

        Work ends at its next `checkpoint`; whatever it still yields is thrown away, and what
        is submitted from now on does not wait for it.
        """
        self._waiting = None
        if self._running is not None:
            self._running.set()
            self._rest()

    def _remind(self, given_up: threading.Event) -> None:
        if self._running is given_up:
            self._told = True
            self._busy(True)

    def _compiling(self, given_up: threading.Event) -> None:
        if self._running is given_up:
            self._compiles()

    def _rest(self) -> None:
        self._running = None
        if self._told:
            self._told = False
            self._busy(False)

    async def _run(self, given_up: threading.Event) -> None:
        loop = asyncio.get_running_loop()
        reminder = loop.call_later(self._patience, self._remind, given_up)
        try:
            while self._waiting is not None and not given_up.is_set():
                work, done = self._waiting
                self._waiting = None
                try:
                    with compiling(lambda: loop.call_soon_threadsafe(self._compiling, given_up)):
                        outcome: Outcome[Any] = await in_thread(work, given_up.is_set)
                except Interrupted:
                    return
                except Exception as problem:
                    # A bug, not bad input: the page must say so rather than wait for ever.
                    logging.getLogger(__name__).exception("work in the background failed")
                    outcome = Outcome(error=f"This should not have happened: {problem!r}")
                if not given_up.is_set():
                    done(outcome)
        finally:
            reminder.cancel()
            if self._running is given_up:
                self._rest()
