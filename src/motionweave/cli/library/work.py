"""Who does long work for an action."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


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
