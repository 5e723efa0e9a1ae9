"""Who does long work for an action, and how far it is."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from motionweave.cli import common


def cluster_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="Dask scheduler whose workers do the work"
    )


@contextmanager
def workers(args: argparse.Namespace) -> Iterator[Any]:
    """The executor of a cluster, or None."""
    if args.cluster is None:
        yield None
        return
    from motionweave.library.engine import cluster

    with cluster(args.cluster) as executor:
        yield executor


@contextmanager
def bar(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """What shows progress on a terminal, once that takes over a second."""
    if not sys.stderr.isatty():
        yield None
        return
    began = time.monotonic()
    shown = 0

    def show(done: int, total: int) -> None:
        nonlocal shown
        if time.monotonic() - began > 1.0:
            text = common.bar(label, done, total)
            shown = len(text)
            sys.stderr.write(f"\r{text}")
            sys.stderr.flush()

    try:
        yield show
    finally:
        if shown:
            sys.stderr.write("\r" + " " * shown + "\r")
            sys.stderr.flush()
