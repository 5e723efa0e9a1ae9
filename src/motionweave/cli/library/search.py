"""``motionweave library find`` and ``collect``: what is similar to an example, or of its kind."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motionweave.cli import common
from motionweave.errors import LibraryError

if TYPE_CHECKING:
    from motionweave.library.index.store import Entry
    from motionweave.library.library import Library
    from motionweave.library.search.matches import Match

# Lines about what was not collected.
_SOME = 10


def find_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "example",
        nargs="?",
        help="clip that shows what to look for, inside or outside the library",
    )
    parser.add_argument(
        "--frames",
        type=common.frame_or_range,
        metavar="A:B",
        help="first and last frame of the example to use, or one frame to find its pose",
    )
    _query_arguments(parser, 20, "with --through: ")
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


def find(args: argparse.Namespace, library: Library) -> tuple[Any, str]:
    matches = library.find(
        args.example,
        itself=args.itself,
        through_others=args.through,
        measures=dict(args.where),
        rigs=args.rig,
        **_query(args),
    )
    if args.example is None:
        lines = [_measured(library.entry(match.clip), dict(args.where)) for match in matches]
    else:
        lines = [str(match) for match in matches]
    return [_match(match) for match in matches], "\n".join(lines) or "nothing found"


def _measured(clip: Entry, measures: Iterable[str]) -> str:
    """A clip that was found by words or measures: how long it is, and what was asked for."""
    values = [f", {name} {clip.measures[name]:.3g}" for name in measures if name != "duration"]
    return f"{clip.path}, {clip.measures['duration']:.2f} s{''.join(values)}"


def collect_arguments(parser: argparse.ArgumentParser) -> None:
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
    _query_arguments(parser, 200)
    parser.add_argument(
        "--measure",
        action="append",
        default=[],
        help="measure that controls the blend, such as turn",
    )
    parser.add_argument(
        "--at", type=float, action="append", default=[], help="value for each measure"
    )
    parser.add_argument(
        "--nearest", action="store_true", help="use the nearest value if one is out of reach"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="blend to write")


def collect(args: argparse.Namespace, library: Library) -> tuple[Any, str]:
    if len(args.at) not in (0, len(args.measure)):
        raise LibraryError("give one value (--at) for each measure (--measure)")
    if bool(args.at) != (args.output is not None):
        raise LibraryError("to write a blend, say which: --measure turn --at 30 --output FILE")
    if args.output is not None:
        common.check_output(args.output)
    found = library.collect(*args.examples, **_query(args))
    values = {name: (v.min(), v.max()) for name, v in found.values(args.measure).items()}
    lines = [
        *_listed("of this kind", map(str, found.matches)),
        *(f"{name} from {low:.3g} to {high:.3g}" for name, (low, high) in values.items()),
        *_listed("left out as outliers", map(str, found.outliers), _SOME),
        *_listed("similar, but of another kind", _reasons(found.others), _SOME),
        *_listed("of this kind that cannot be used with the others", _reasons(found.unreached)),
    ]
    if args.output is not None:
        wanted = dict(zip(args.measure, args.at, strict=True))
        space = found.parametric(args.measure)
        blend = space.at(**wanted, outside="nearest" if args.nearest else "error")
        common.save_clip(blend.motion, args.output)
        lines.append(f"wrote {args.output}")
    data = {
        "matches": [_match(match) for match in found.matches],
        "outliers": [_match(match) for match in found.outliers],
        "others": found.others,
        "unreached": found.unreached,
        "values": {name: list(pair) for name, pair in values.items()},
    }
    return data, "\n".join(lines)


def _listed(title: str, each: Iterable[str], most: int | None = None) -> list[str]:
    """Lines that say how many there are, and list all or the first ``most`` of them."""
    lines = [f"  {one}" for one in each]
    left = 0 if most is None else len(lines) - most
    more = [f"  and {left} more; --json lists all"] if left > 0 else []
    if not lines:
        return [f"0 {title}"]
    return [f"{len(lines)} {title}:", *lines[:most], *more]


def _reasons(clips: Mapping[str, str]) -> list[str]:
    return [f"{clip}: {reason}" for clip, reason in clips.items()]


def _query_arguments(parser: argparse.ArgumentParser, most: int, when: str = "") -> None:
    parser.add_argument(
        "--most",
        type=int,
        default=most,
        metavar="N",
        help=f"find at most this many (default: {most})",
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


def _match(match: Match) -> dict[str, Any]:
    return {
        "clip": match.clip,
        "frames": [match.first, match.last],
        "distance": match.distance,
        "via": list(match.via),
        "example": match.example,
        "mirrored": match.mirrored,
    }


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
