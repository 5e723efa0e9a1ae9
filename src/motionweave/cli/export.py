"""``motionweave export``: clips in step with each other, as a set for a game engine."""

from __future__ import annotations

import argparse
from pathlib import Path

from motionweave.cli import blending, common


def add_arguments(parser: argparse.ArgumentParser) -> None:
    blending.add_curve(parser)
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FOLDER", help="folder to write"
    )
    parser.add_argument("--fps", type=float, help="frames per second (default: the clips' highest)")
    parser.add_argument(
        "--in-place",
        action="store_true",
        help="remove the root motion; the game moves the character",
    )
    parser.add_argument("--names", metavar="NAME,...", help="names of the clips in the set")
    common.add_json(parser)


def run(args: argparse.Namespace) -> None:
    from motionweave.export.export import export_set

    curve = blending.load_curve(args)
    told = export_set(
        curve,
        args.output,
        names=args.names.split(",") if args.names else None,
        fps=args.fps,
        root="in place" if args.in_place else "motion",
    )
    rows = [
        f"  {one['name']}: {one['duration']:.2f} s as recorded, "
        f"{one['parameters']['speed']:.2f} m/s, turn {round(one['parameters']['turn'])}°/s"
        for one in told["clips"]
    ]
    loops = "loops" if told["loop"] else "no loops (of gaits, --ends cyclic makes some)"
    head = (
        f"{args.output}: {len(told['clips'])} clips of {told['length']:.2f} s, "
        f"{loops}, see {args.output / 'README.md'}"
    )
    common.emit(args, told, "\n".join([head, *rows]))
