"""``motionweave library fill``: the gap between two clips."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motionweave.cli import common

if TYPE_CHECKING:
    from motionweave.library.library import Library


def fill_arguments(parser: argparse.ArgumentParser) -> None:
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


def fill(args: argparse.Namespace, library: Library) -> tuple[Any, str]:
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
