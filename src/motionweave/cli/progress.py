"""A progress bar, on a terminal, for what takes longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TextIO, TypeVar

Item = TypeVar("Item")

# Seconds: shorter work needs no bar.
_PATIENCE = 1.0
# Characters between its ends.
_WIDTH = 30


def progress(
    items: Iterable[Item], label: str, total: int | None = None, *, stream: TextIO | None = None
) -> Iterator[Item]:
    """Iterate over items and show how many are done.

    Parameters
    ----------
    items
        What to go through.
    label
        What is being done.
    total
        How many there are; taken from ``items`` if None, where it has a length.
    stream
        Where the bar goes, standard error if None; nothing is shown unless it is
        a terminal.
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    with bar(label, stream=stream) as show:
        for done, item in enumerate(items):
            if total and show is not None:
                show(done, total)
            yield item


@contextmanager
def bar(label: str, *, stream: TextIO | None = None) -> Iterator[Callable[[int, int], None] | None]:
    """A function that shows how many of how many are done, until the work inside is; None unless
    the ``stream`` (standard error by default) is a terminal."""
    stream = sys.stderr if stream is None else stream
    if not stream.isatty():
        yield None
        return
    began = time.monotonic()
    shown = ""

    def show(done: int, total: int) -> None:
        nonlocal shown
        if time.monotonic() - began > _PATIENCE:
            full = _WIDTH * done // total
            shown = f"{label} [{'#' * full}{'.' * (_WIDTH - full)}] {done}/{total}"
            stream.write(f"\r{shown}")
            stream.flush()

    try:
        yield show
    finally:
        if shown:
            # The result follows in its place.
            stream.write("\r" + " " * len(shown) + "\r")
            stream.flush()
