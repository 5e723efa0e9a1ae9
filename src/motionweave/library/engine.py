"""What does the work: this process, processes on this machine, or a cluster.

Everything is written against `concurrent.futures.Executor`. Work is handed out in order and
results are taken in order, so that it makes no difference which worker did it; only the caller
writes.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from motionweave.core.runtime.processes import processes
from motionweave.errors import LibraryError, MissingDependencyError

Item = TypeVar("Item")
Result = TypeVar("Result")

# Starting processes costs about as much as this many pieces of work.
_WORTH_PROCESSES = 24
# Pieces of work in progress per worker.
_AHEAD = 4
# How long to wait for the scheduler of a cluster.
_ANSWERS_WITHIN = "10s"


class Here(Executor):
    """An executor that does the work at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Do the work and return it as a finished future."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextmanager
def workers(executor: Executor | None, pieces: int) -> Iterator[Executor]:
    """The given executor, or processes on this machine if they are worth starting.

    Parameters
    ----------
    executor
        Any `concurrent.futures.Executor`; it stays open. None to choose.
    pieces
        How many pieces of work there are.
    """
    count = os.cpu_count() or 1
    if executor is not None:
        yield executor
    elif count == 1 or pieces < _WORTH_PROCESSES:
        yield Here()
    else:
        with processes(count) as pool:
            yield pool


def in_order(
    executor: Executor, work: Callable[[Item], Result], items: Iterable[Item]
) -> Iterator[Result]:
    """Results of work on items, in the order of the items, with a bounded number in progress.

    Raises
    ------
    LibraryError
        If a worker process dies; what was done before is not lost.
    """
    ahead = _AHEAD * max(os.cpu_count() or 1, 4)
    pending: deque[Future[Result]] = deque()
    try:
        for item in items:
            pending.append(executor.submit(work, item))
            if len(pending) >= ahead:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    except BrokenProcessPool:
        raise LibraryError(
            "a worker process died (killed, or out of memory); the work done so far is kept: "
            "run the same command again to resume"
        ) from None
    finally:
        for future in pending:
            future.cancel()


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """The workers of a Dask cluster, which all must see the clips under the same paths.

    Parameters
    ----------
    address
        Of its scheduler, such as ``tcp://10.0.0.1:8786``.

    Raises
    ------
    MissingDependencyError
        If Dask is not installed.
    LibraryError
        If nothing answers at the address.
    """
    try:
        from distributed import Client
    except ImportError:
        raise MissingDependencyError("work on a cluster (dask.distributed)", "cluster") from None
    try:
        client = Client(address, timeout=_ANSWERS_WITHIN)
    except (OSError, ValueError) as error:
        raise LibraryError(f"no Dask scheduler answers at {address}: {error}") from None
    with client:
        # Reading a clip has no side effects: the work of a lost worker may be repeated.
        yield client.get_executor(pure=False, retries=3)
