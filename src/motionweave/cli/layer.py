"""``motionweave layer``: play part of one clip's body over another clip."""

from __future__ import annotations

import argparse
from pathlib import Path

from motionweave.cli import common


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("base", type=Path, help="clip whose legs and path are kept")
    parser.add_argument("over", type=Path, help="clip that the part comes from")
    common.add_clips(parser, "none")
    common.add_output(parser)
    parser.add_argument(
        "--part",
        default="upper",
        help="upper, spine, arms, left_arm, head ..., or a joint with everything below it "
        "(default: upper)",
    )
    parser.add_argument(
        "--start",
        type=float,
        default=0.0,
        metavar="FRAME",
        help="frame of the first clip at which the second begins (default: 0)",
    )
    parser.add_argument(
        "--weight",
        type=float,
        default=1.0,
        metavar="W",
        help="weight of the part, 0 to 1 (default: 1)",
    )
    parser.add_argument(
        "--ease",
        type=float,
        metavar="SECONDS",
        help="time over which the part fades in and out (default: as long as the body needs)",
    )
    parser.add_argument(
        "--in-step",
        action="store_true",
        help="register the clips, so that the part moves in step with the other clip's legs",
    )
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="film strip of the result (png, pdf, svg)"
    )
    common.add_json(parser)


def run(args: argparse.Namespace) -> None:
    from motionweave.methods.layering import layer

    inputs = [args.base, args.over]
    common.check_output(args.output, inputs)
    if args.plot is not None:
        common.check_output(args.plot, inputs, motion=False)
    base, over = common.load_clips(args, inputs)
    result = layer(
        base,
        over,
        args.part,
        start=args.start,
        weight=args.weight,
        ease=args.ease,
        in_step=args.in_step,
    )
    common.save_clip(result, args.output)
    if args.plot is not None:
        from motionweave.plots.filmstrip import film_strip

        film_strip(result, args.plot, frames=12, travel=True)
    facts = common.facts_of(result, args.output, args.plot) | {"part": args.part}
    layers = f"{args.part} of {args.over.name} over {args.base.name}"
    common.emit(args, facts, common.summary(facts, layers))
