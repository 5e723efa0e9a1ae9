"""``motionweave join``: overlap one clip with the next."""

from __future__ import annotations

import argparse
from pathlib import Path

from motionweave.cli import common


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("first", type=Path, help="clip to begin with, of any supported format")
    parser.add_argument("second", type=Path, help="clip to end with")
    common.add_clips(parser, "none")
    common.add_output(parser)
    parser.add_argument(
        "--overlap",
        type=float,
        metavar="FRAMES",
        help="number of frames at the end of the first clip that overlap the start of the second "
        "(default: half a second where the clips are most similar)",
    )
    parser.add_argument(
        "--intervals",
        type=float,
        nargs=4,
        metavar="FRAME",
        help="first and last frame of the overlap, in the first and in the second clip",
    )
    parser.add_argument(
        "--match",
        type=_pair,
        action="append",
        metavar="A:B",
        help="matching frames of both clips; may be given several times",
    )
    common.add_cleaning(parser)
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="film strip of the join (png, pdf, svg)"
    )
    common.add_json(parser)


def run(args: argparse.Namespace) -> None:
    from motionweave.methods.warping.join import make_join

    inputs = [args.first, args.second]
    common.check_output(args.output, inputs)
    if args.plot is not None:
        common.check_output(args.plot, inputs, motion=False)
    a, b = common.load_clips(args, inputs)
    overlap = args.overlap
    if args.intervals is not None:
        overlap = (tuple(args.intervals[:2]), tuple(args.intervals[2:]))
    place, result = make_join(a, b, overlap, args.match, clean=not args.no_clean)
    common.save_clip(result, args.output)
    if args.plot is not None:
        from motionweave.plots.filmstrip import film_strip

        film_strip(result, args.plot, frames=12, travel=True)
    facts = common.facts_of(result, args.output, args.plot) | {
        "overlap": {"first": place.first, "second": place.second, "matches": place.points}
    }
    overlap = (
        f"frames {place.first[0]:g} to {place.first[1]:g} of {args.first.name} overlap "
        f"{place.second[0]:g} to {place.second[1]:g} of {args.second.name}"
    )
    common.emit(args, facts, common.summary(facts, overlap))


def _pair(text: str) -> tuple[float, float]:
    a, colon, b = text.partition(":")
    try:
        if not colon:
            raise ValueError
        return float(a), float(b)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected frames such as 40:12") from None
