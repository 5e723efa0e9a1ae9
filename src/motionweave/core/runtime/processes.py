"""Processes on this machine that share work, and that end together."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait


@contextmanager
def processes(count: int, start: str | None = None) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes that ends at once, without a word, when the work inside is interrupted.

    An error or Ctrl-C leaves the pool without waiting for the work in progress. Workers take no
    interrupts themselves: they end when this process says so, or when it is gone.

    Parameters
    ----------
    count
        Number of processes.
    start
        How they are started, as `multiprocessing.get_context` names it. None for the system's way.
    """
    context = multiprocessing.get_context(start)
    listening, telling = context.Pipe(duplex=False)
    with (
        listening,
        telling,
        ProcessPoolExecutor(count, context, initializer=_enlist, initargs=(listening,)) as pool,
    ):
        try:
            with _interrupts_held():
                # Processes are started as work for them comes in.
                for _ in range(count):
                    pool.submit(int)
            yield pool
        except BaseException:
            # Nobody reads it: it is there for all of them to see.
            telling.send(None)
            raise


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold back interrupts of this thread and of the processes that it starts.

    A process that is interrupted while it starts may swallow it and wait for work forever.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _enlist(listening: Connection) -> None:
    """Make this process a worker: it ends when it is told to, or when its parent is gone.

    A worker holds both ends of the queue that it takes work from, so it would not notice.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([listening, parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
