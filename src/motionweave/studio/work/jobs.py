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
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from motionweave import errors
from motionweave.core.runtime.interrupt import Interrupted, checkpoint, interruptible
from motionweave.core.runtime.kernels import compiling
from motionweave.studio.work.remarks import Remark, remark_of

Value = TypeVar("Value")

_pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="studio")


@dataclass(frozen=True)
class Outcome(Generic[Value]):
    """What came of a piece of work: a value or a problem, and remarks beside either."""

    value: Value | None = None
    problem: Exception | None = None
    remarks: tuple[Remark, ...] = ()
    seconds: float = 0.0

    @property
    def error(self) -> str:
        """What the library says about the problem; empty if there is none."""
        return "" if self.problem is None else str(self.problem)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the library warned about, in its own words."""
        return tuple(remark.details for remark in self.remarks)


def attempt(work: Callable[[], Value]) -> Outcome[Value]:
    """Do work; errors that a user can act on are its outcome, warnings are collected."""
    began = time.perf_counter()
    value, problem = None, None
    with _collected() as said:
        try:
            value = work()
        except errors.MotionweaveError as error:
            problem = error
    return Outcome(value, problem, tuple(dict.fromkeys(said)), time.perf_counter() - began)


_heard = threading.local()
_usual_show = warnings.showwarning


def _show(message: Warning | str, category: type[Warning], *place: Any, **options: Any) -> None:
    collector: list[Remark] | None = getattr(_heard, "remarks", None)
    if collector is not None and issubclass(category, errors.QualityWarning | errors.Notice):
        remark = remark_of(message)
        if remark is not None:
            collector.append(remark)
    else:
        _usual_show(message, category, *place, **options)


@contextmanager
def _collected() -> Iterator[list[Remark]]:
    """The library's warnings of this thread (`warnings.catch_warnings` would mix threads up)."""
    if warnings.showwarning is not _show:
        for kind in (errors.QualityWarning, errors.Notice):
            warnings.simplefilter("always", kind)
        warnings.showwarning = _show
    outer = getattr(_heard, "remarks", None)
    said: list[Remark] = []
    _heard.remarks = said
    try:
        yield said
    finally:
        _heard.remarks = outer


def tell(remarks: Iterable[Remark]) -> None:
    """Add to what is heard from this thread's work, such as what was heard when it was new."""
    collector: list[Remark] | None = getattr(_heard, "remarks", None)
    if collector is not None:
        collector.extend(remarks)


def told(outcome: Outcome[Value]) -> Value:
    """The value of work that is remembered, with what was heard when it was new."""
    tell(outcome.remarks)
    if outcome.problem is not None:
        raise outcome.problem
    assert outcome.value is not None
    return outcome.value


def stage(name: str, share: float) -> None:
    """Tell whoever waits for this thread's work what it does now, and how much is done.

    Parameters
    ----------
    name
        Such as "Matching the clips".
    share
        Of all the work, from 0 to 1.
    """
    checkpoint()
    told: Callable[[str, float], None] | None = getattr(_heard, "stage", None)
    if told is not None:
        told(name, share)


async def in_thread(
    work: Callable[[], Value],
    given_up: Callable[[], bool] = lambda: False,
    on_stage: Callable[[str, float], None] | None = None,
) -> Outcome[Value]:
    """`attempt` off the event loop; raises `Interrupted` if it was given up.

    ``on_stage`` is called on the event loop with what the work tells by `stage`.
    """
    loop = asyncio.get_running_loop()

    def tell(name: str, share: float) -> None:
        if on_stage is not None and not given_up():
            loop.call_soon_threadsafe(on_stage, name, share)

    def run() -> Outcome[Value]:
        _heard.stage = tell
        try:
            with interruptible(given_up):
                checkpoint()
                return attempt(work)
        finally:
            _heard.stage = None

    return await loop.run_in_executor(_pool, run)


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
    on_stage
        Called with what the work does now and the share that is done, while it is busy.
    compiles
        Called on the event loop when kernels have been compiled for a second: what takes long
        this once will not again.
    """

    def __init__(
        self,
        busy: Callable[[bool], None] = lambda _: None,
        *,
        patience: float = 0.4,
        on_stage: Callable[[str, float], None] = lambda name, share: None,
        compiles: Callable[[], None] = lambda: None,
    ) -> None:
        self._busy = busy
        self._on_stage = on_stage
        self._stage = ("", 0.0)
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

    async def rest(self) -> None:
        """Return when nothing runs and nothing waits."""
        while self._running is not None:
            await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)

    @property
    def behind(self) -> bool:
        """Whether it has been at work for long, and more waits for it."""
        return self._told and self._waiting is not None

    def _remind(self, given_up: threading.Event) -> None:
        if self._running is given_up:
            self._told = True
            self._busy(True)
            self._on_stage(*self._stage)

    def _staged(self, name: str, share: float) -> None:
        self._stage = (name, share)
        if self._told:
            self._on_stage(name, share)

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
                self._stage = ("", 0.0)
                try:
                    with compiling(lambda: loop.call_soon_threadsafe(self._compiling, given_up)):
                        outcome: Outcome[Any] = await in_thread(work, given_up.is_set, self._staged)
                except Interrupted:
                    return
                except Exception as problem:
                    # A bug, not bad input: the page must say so rather than wait forever.
                    logging.getLogger(__name__).exception("work in the background failed")
                    outcome = Outcome(problem=problem)
                if not given_up.is_set():
                    done(outcome)
        finally:
            reminder.cancel()
            if self._running is given_up:
                self._rest()
