"""``motionweave library``: search a folder of clips, make new motion and fill gaps from it."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motionweave.cli import common
from motionweave.errors import LibraryError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from motionweave.library.graph.graph import Graph
    from motionweave.library.library import Library
    from motionweave.library.search.matches import Match

_ACTIONS = {
    "add": "index new and changed clips, forget those that are gone",
    "info": "show what is in the library",
    "find": "find stretches similar to an example, or clips by words and measures",
    "collect": "collect all clips of an example's kind and blend them",
    "graph": "find where one clip can turn into another",
    "walk": "make a new motion from the motion graph of the clips",
    "fill": "fill the gap between two clips",
    "remove": "forget clips, but keep their files",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, summary in _ACTIONS.items():
        sub = actions.add_parser(
            name, help=summary, description=f"{summary[0].upper()}{summary[1:]}."
        )
        sub.add_argument("folder", type=Path, help="folder with the clips")
        sub.add_argument(
            "--store",
            type=Path,
            metavar="FOLDER",
            help="where the library is kept (default: .motionweave in the folder)",
        )
        _ARGUMENTS[name](sub)
        common.add_json(sub)


def run(args: argparse.Namespace) -> None:
    from motionweave.library.library import Library

    with Library(args.folder, store=args.store) as library:
        data, text = _RUNS[args.action](args, library)
    common.emit(args, data, text)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", type=Path, nargs="*", help="files and folders (default: all)")
    _cluster_argument(parser)


def _add(args: argparse.Namespace, library: Library) -> tuple[Any, str]:
    with _workers(args) as executor, _bar("reading") as progress:
        report = library.add(*args.paths, executor=executor, progress=progress)
    return vars(report), str(report)


def _info_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def _info(args: argparse.Namespace, library: Library) -> tuple[Any, str]:
    info = library.info()
    lines = [
        f"{info['clips']} clips of {info['rigs']} rigs, {info['frames']} frames, "
        f"{info['seconds'] / 60:.1f} min; {info['bytes'] / 1e6:.1f} MB kept",
        f"most frequent words: {', '.join(list(info['words'])[:20])}",
    ]
    if info["broken"]:
        many = len(info["broken"])
        lines.append(f"{many} file{'s' * (many != 1)} could not be read:")
        lines += [f"  {path}: {reason}" for path, reason in info["broken"].items()]
    return info, "\n".join(lines)


def _query_arguments(parser: argparse.ArgumentParser, when: str = "") -> None:
    parser.add_argument(
        "--most", type=int, default=20, metavar="N", help="list at most this many (default: 20)"
    )
    parser.add_argument(
        "--limit", type=float, metavar="LEGS", help="largest distance, in leg lengths"
    )
    parser.add_argument("--part", help="part of the body: arms, legs, 'left arm', a role ...")
    parser.add_argument(
        "--alike",
        type=float,
        metavar="SHARE",
        help=f"{when}how much a match must share of what sets the example apart, 0 to 1: lower it "
        "to get more, raise it to get less",
    )
    parser.add_argument(
        "--mirrored", action="store_true", help="also what is similar to a mirror image"
    )
    parser.add_argument(
        "--words", default="", help="only clips with these words in names, folders or catalogues"
    )


def _query(args: argparse.Namespace) -> dict[str, Any]:
    """What the options that find and collect share ask for, as `Library` takes it."""
    names = ("frames", "most", "limit", "alike", "part", "mirrored", "words")
    return {name: getattr(args, name) for name in names}


def _find_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "example",
        nargs="?",
        help="clip that shows what to look for, inside or outside the library",
    )
    parser.add_argument(
        "--frames",
        type=common.frame_range,
        metavar="A:B",
        help="first and last frame of the example to use",
    )
    _query_arguments(parser, "with --through: ")
    parser.add_argument(
        "--through", action="store_true", help="also find clips similar to a match, and so on"
    )
    parser.add_argument(
        "--no-self",
        dest="itself",
        action="store_false",
        help="leave out the stretch that the example was cut out of",
    )
    parser.add_argument(
        "--where",
        type=_range,
        action="append",
        default=[],
        metavar="MEASURE=LOW:HIGH",
        help="only clips with this measure, such as turn=60: or speed=1:2 (lengths in leg lengths)",
    )
    parser.add_argument(
        "--rig",
        action="append",
        default=[],
        metavar="CLIP",
        help="only clips with the same joints as this one; may be given several times",
    )


def _find(args: argparse.Namespace, library: Library) -> tuple[Any, str]:
    matches = library.find(
        args.example,
        itself=args.itself,
        through_others=args.through,
        measures=dict(args.where),
        rigs=args.rig,
        **_query(args),
    )
    return [_match(match) for match in matches], "\n".join(map(str, matches)) or "nothing found"


def _collect_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "examples",
        nargs="+",
        metavar="example",
        help="clip that shows what to look for, inside or outside the library; several show what "
        "the kind comprises",
    )
    parser.add_argument(
        "--frames",
        type=common.frame_range,
        action="append",
        metavar="A:B",
        help="first and last frame of the example to use; for several examples, once for each",
    )
    _query_arguments(parser)
    parser.set_defaults(most=200)
    parser.add_argument(
        "--measure",
        action="append",
        default=[],
        help="measure that controls the blend, such as turn",
    )
    parser.add_argument(
        "--at", type=float, action="append", default=[], help="value for each measure"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="blend to write")


def _collect(args: argparse.Namespace, library: Library) -> tuple[Any, str]:
    if args.output is not None:
        common.check_output(args.output)
    if len(args.at) not in (0, len(args.measure)):
        raise LibraryError("give one value (--at) for each measure (--measure)")
    found = library.collect(*args.examples, **_query(args))
    values = {name: (v.min(), v.max()) for name, v in found.values(args.measure).items()}
    lines = [
        f"{len(found)} of this kind, {len(found.outliers)} left out as outliers, "
        f"{len(found.others)} similar but of another kind, {len(found.unreached)} out of reach",
        *(f"{name} from {low:.3g} to {high:.3g}" for name, (low, high) in values.items()),
        *(f"  {clip}: {reason}" for clip, reason in (found.others | found.unreached).items()),
    ]
    if args.at and args.output is not None:
        wanted = dict(zip(args.measure, args.at, strict=True))
        space = found.parametric(args.measure)
        common.save_clip(space.at(**wanted).motion, args.output)
        lines.append(f"wrote {args.output}")
    data = {
        "matches": [_match(match) for match in found.matches],
        "outliers": [_match(match) for match in found.outliers],
        "others": found.others,
        "unreached": found.unreached,
        "values": {name: list(pair) for name, pair in values.items()},
    }
    return data, "\n".join(lines)


def _graph_arguments(parser: argparse.ArgumentParser) -> None:
    _kind_arguments(parser)
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="picture of the graph (png, pdf, svg)"
    )
    _cluster_argument(parser)


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


# Figures of a graph in words, where their names alone say too little.
_STATISTICS = {
    "clips": "clips in the graph",
    "of": "clips in the library",
    "found": "junctions before dead ends were removed",
    "seconds": "seconds of motion",
}


def _graph(args: argparse.Namespace, library: Library) -> tuple[Any, str]:
    if args.plot is not None:
        common.check_output(args.plot, motion=False)
    with _workers(args) as executor:
        graph = _ways(args, library, executor)
    statistics = graph.statistics()
    if args.plot is not None:
        from motionweave.plots.library import graph_picture

        graph_picture(graph, args.plot)
    lines = [f"{_STATISTICS.get(name, name)}: {value:g}" for name, value in statistics.items()]
    return statistics, "\n".join(lines)


def _walk_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_output(parser)
    _kind_arguments(parser)
    parser.add_argument(
        "--path", metavar="X,Z ...", help="places to walk along, such as '0,0 0,300 200,500'"
    )
    parser.add_argument("--to", type=float, nargs=2, metavar=("X", "Z"), help="place to walk to")
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
        "optionally, a speed",
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


def _walk(args: argparse.Namespace, library: Library) -> tuple[Any, str]:
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
        notes.append(f"{walk.error:.3g} away from its target")
    facts = common.facts_of(walk.motion, args.output)
    return facts | {"clips": walk.clips, "error": walk.error}, common.summary(facts, *notes)


def _ways(args: argparse.Namespace, library: Library, executor: Executor | None = None) -> Graph:
    """The graph of the clips that were asked for."""
    with _bar("comparing") as progress:
        return library.graph(
            words=args.words, tolerance=args.tolerance, executor=executor, progress=progress
        )


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


def _fill_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", type=Path, help="clip before the gap")
    parser.add_argument("after", type=Path, help="clip after the gap")
    parser.add_argument("--seconds", type=float, required=True, help="length of the gap")
    parser.add_argument(
        "--to",
        type=float,
        nargs=2,
        metavar=("X", "Z"),
        help="place where the clip after the gap begins (default: where it already is)",
    )
    parser.add_argument(
        "--heading",
        type=float,
        metavar="DEGREES",
        help="direction to face there, in degrees; 0 is +z, 90 is +x (default: as in the clip)",
    )
    common.add_clips(parser, "none")
    common.add_output(parser)
    common.add_cleaning(parser)


def _fill(args: argparse.Namespace, library: Library) -> tuple[Any, str]:
    from motionweave.library.fill.inbetween import inbetween

    common.check_output(args.output, [args.before, args.after])
    before, after = common.load_clips(args, [args.before, args.after])
    result = inbetween(
        before,
        after,
        args.seconds,
        library,
        to=None if args.to is None else tuple(args.to),
        heading=args.heading,
        clean=not args.no_clean,
    )
    common.save_clip(result, args.output)
    facts = common.facts_of(result, args.output)
    return facts, common.summary(facts)


def _remove_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", type=Path, nargs="+", help="clips or folders of clips")


def _remove(args: argparse.Namespace, library: Library) -> tuple[Any, str]:
    gone = library.remove(*args.paths)
    return list(gone), f"{len(gone)} clip{'s' * (len(gone) != 1)} forgotten"


_ARGUMENTS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "add": _add_arguments,
    "info": _info_arguments,
    "find": _find_arguments,
    "collect": _collect_arguments,
    "graph": _graph_arguments,
    "walk": _walk_arguments,
    "fill": _fill_arguments,
    "remove": _remove_arguments,
}
_RUNS: dict[str, Callable[[argparse.Namespace, Any], tuple[Any, str]]] = {
    "add": _add,
    "info": _info,
    "find": _find,
    "collect": _collect,
    "graph": _graph,
    "walk": _walk,
    "fill": _fill,
    "remove": _remove,
}


def _match(match: Match) -> dict[str, Any]:
    return {
        "clip": match.clip,
        "frames": [match.first, match.last],
        "distance": match.distance,
        "via": list(match.via),
        "example": match.example,
        "mirrored": match.mirrored,
    }


def _cluster_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="Dask scheduler whose workers do the work"
    )


@contextmanager
def _workers(args: argparse.Namespace) -> Iterator[Any]:
    """The executor of a cluster, or None."""
    if args.cluster is None:
        yield None
        return
    from motionweave.library.engine import cluster

    with cluster(args.cluster) as executor:
        yield executor


@contextmanager
def _bar(label: str) -> Iterator[Callable[[int, int], None] | None]:
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


def _range(text: str) -> tuple[str, tuple[float | None, float | None]]:
    name, equals, limits = text.partition("=")
    low, colon, high = limits.partition(":")
    try:
        if not equals or not colon:
            raise ValueError
        return name, (float(low) if low else None, float(high) if high else None)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r}: expected a measure and its range such as turn=60: or speed=1:2"
        ) from None


def _places(text: str) -> list[tuple[float, float]]:
    places = []
    for word in text.split():
        x, comma, z = word.partition(",")
        try:
            if not comma:
                raise ValueError
            places.append((float(x), float(z)))
        except ValueError:
            raise LibraryError(f"path {text!r}: expected places such as '0,0 0,300'") from None
    return places
