"""``motionweave plot``: motions as pictures."""

from __future__ import annotations

import argparse

from motionweave.cli import common
from motionweave.errors import MotionError

KINDS = {
    "strip": "a film strip, one row per clip",
    "contacts": "foot heights and contact lanes of one clip",
    "path": "the path over the floor, seen from above",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_clips(parser, "several")
    common.add_output(parser, "picture to write (png, pdf, svg)")
    parser.add_argument(
        "--kind",
        choices=tuple(KINDS),
        default="strip",
        help="; ".join(f"{kind}: {what}" for kind, what in KINDS.items()) + " (default: strip)",
    )
    strip = parser.add_argument_group("film strip")
    strip.add_argument("--frames", type=int, default=10, help="how many poses (default: 10)")
    strip.add_argument(
        "--view",
        choices=("side", "front", "three-quarter", "follow"),
        default="side",
        help="viewing direction; follow turns with the character (default: side)",
    )
    strip.add_argument(
        "--travel",
        action="store_true",
        help="put poses where they are on the floor instead of side by side",
    )
    common.add_json(parser)


def run(args: argparse.Namespace) -> None:
    common.check_output(args.output, args.clips, motion=False)
    if args.kind == "contacts" and len(args.clips) > 1:
        raise MotionError(
            f"--kind contacts draws one clip at a time, and {len(args.clips)} were given"
        )
    motions = common.load_clips(args, args.clips)
    labels = [motion.name or path.stem for motion, path in zip(motions, args.clips, strict=True)]
    if args.kind == "strip":
        from motionweave.plots.filmstrip import film_strip

        film_strip(
            motions,
            args.output,
            frames=args.frames,
            view=args.view,
            travel=args.travel,
            labels=labels,
        )
    elif args.kind == "contacts":
        from motionweave.plots.contacts import contact_plot

        contact_plot(motions[0], args.output)
    else:
        from motionweave.plots.path import path_plot

        path_plot(motions, args.output, labels=labels)
    common.emit(args, {"written": str(args.output)}, f"wrote {args.output}")
