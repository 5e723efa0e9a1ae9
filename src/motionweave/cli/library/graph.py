"""``motionweave library graph`` and ``walk``: where clips turn into others, and new motion."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motionweave.cli import common
from motionweave.cli.library.work import cluster_argument, workers
from motionweave.cli.progress import bar
from motionweave.errors import LibraryError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from motionweave.library.graph.graph import Graph
    from motionweave.library.library import Library

# Figures of a graph in words, where their names alone say too little.
_STATISTICS = {
    "clips": "clips in the graph",
    "of": "clips in the library",
    "found": "junctions before dead ends were removed",
    "seconds": "seconds of motion",
}


def graph_arguments(parser: argparse.ArgumentParser) -> None:
    _kind_arguments(parser)
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="picture of the graph (png, pdf, svg)"
    )
    cluster_argument(parser)


def graph(args: argparse.Namespace, library: Library) -> tuple[Any, str]:
    if args.plot is not None:
        common.check_output(args.plot, motion=False)
    with workers(args) as executor:
        graph = _ways(args, library, executor)
    statistics = graph.statistics()
    if args.plot is not None:
        from motionweave.plots.library import graph_picture

        graph_picture(graph, args.plot)
    lines = [f"{_STATISTICS.get(name, name)}: {value:g}" for name, value in statistics.items()]
    return statistics, "\n".join(lines)


def walk_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_output(parser)
    _kind_arguments(parser)
    parser.add_argument(
        "--path",
        metavar="X,Z ...",
        help="places to walk along, such as '0,0 0,3 2,5', in metres of a body 1.7 m tall; what "
        "neither jumps nor crouches is preferred, and --words restricts which clips take part",
    )
    parser.add_argument(
        "--to",
        type=float,
        nargs=2,
        metavar=("X", "Z"),
        help="place to walk to, from 0 0 and facing +z, in the same metres",
    )
    parser.add_argument(
        "--heading", type=float, metavar="DEGREES", help="direction to face there, in degrees"
    )
    parser.add_argument(
        "--through",
        action="append",
        metavar="CLIP",
        help="clip or kind of clip to pass through; may be given several times",
    )
    parser.add_argument("--seconds", type=float, help="duration of a random walk")
    parser.add_argument(
        "--live",
        action="store_true",
        help="walk step by step: each line of standard input is a heading in degrees and, "
        "optionally, a speed in metres per second",
    )
    parser.add_argument(
        "--bend",
        type=float,
        default=8.0,
        metavar="DEGREES",
        help="how far the walk may be bent towards its path, per leg length (default: 8)",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed for random choices")
    parser.add_argument("--start", metavar="CLIP", help="clip to begin with")
    common.add_cleaning(parser)


def walk(args: argparse.Namespace, library: Library) -> tuple[Any, str]:
    common.check_output(args.output)
    if args.live:
        return _live(args, library)
    walk = library.walk(
        None if args.path is None else _places(args.path),
        to=None if args.to is None else tuple(args.to),
        heading=args.heading,
        through=args.through,
        seconds=args.seconds,
        seed=args.seed,
        start=args.start,
        bend=args.bend,
        clean=not args.no_clean,
        graph=_ways(args, library),
    )
    common.save_clip(walk.motion, args.output)
    notes = [f"{clip} {first:.0f} to {last:.0f}" for clip, first, last in walk.clips]
    if walk.error is not None:
        notes.append(f"{walk.error:.2f} m away from its target")
    facts = common.facts_of(walk.motion, args.output)
    return facts | {"clips": walk.clips, "error": walk.error}, common.summary(facts, *notes)


def _live(args: argparse.Namespace, library: Library) -> tuple[Any, str]:
    """A step for each line that is read."""
    if args.no_clean:
        raise LibraryError("--no-clean with --live: the steps of a live walk are always planted")
    live = library.live(start=args.start, graph=_ways(args, library))
    for number, line in enumerate(sys.stdin, start=1):
        try:
            wish = [float(word) for word in line.split()]
            if len(wish) > 2:
                raise ValueError
        except ValueError:
            raise LibraryError(
                f"line {number}: {line.strip()!r}: expected a heading in degrees and, optionally, "
                "a speed"
            ) from None
        live.step(*wish)
    motion = live.motion
    common.save_clip(motion, args.output)
    facts = common.facts_of(motion, args.output)
    text = common.summary(facts, f"{len(live.clips)} clips")
    return facts | {"clips": live.clips, "place": live.place}, text


def _kind_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--words", default="", help="only clips with these words in names, folders or catalogues"
    )
    parser.add_argument(
        "--tolerance",
        type=float,
        default=1.0,
        help="factor for how far apart poses may be (default: 1)",
    )


def _ways(args: argparse.Namespace, library: Library, executor: Executor | None = None) -> Graph:
    """The graph of the clips that were asked for."""
    with bar("comparing") as progress:
        return library.graph(
            words=args.words, tolerance=args.tolerance, executor=executor, progress=progress
        )


def _places(text: str) -> list[tuple[float, float]]:
    places = []
    for word in text.split():
        x, comma, z = word.partition(",")
        try:
            if not comma:
                raise ValueError
            places.append((float(x), float(z)))
        except ValueError:
            raise LibraryError(f"path {text!r}: expected places such as '0,0 0,3'") from None
    return places
