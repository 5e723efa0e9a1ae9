"""Cancelling long work: the caller requests it, and the library checks between steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_given_up: ContextVar[Callable[[], bool] | None] = ContextVar("given_up", default=None)


class Interrupted(Exception):  # noqa: N818 - it is not an error, and nothing that handles errors may see it
    """The caller cancelled the work."""


@contextmanager
def interruptible(given_up: Callable[[], bool]) -> Iterator[None]:
    """Make the work inside end with `Interrupted` soon after ``given_up()`` becomes true.

    It applies to the thread (or task) that enters it.
    """
    token = _given_up.set(given_up)
    try:
        yield
    finally:
        _given_up.reset(token)


def checkpoint() -> None:
    """A point between two steps of long work at which it can be cancelled."""
    given_up = _given_up.get()
    if given_up is not None and given_up():
        raise Interrupted
