"""``motionweave quality``: measure sliding feet, jumps and speeds."""

from __future__ import annotations

import argparse
from pathlib import Path

from motionweave.cli import common


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_clips(parser, "several")
    parser.add_argument(
        "--against",
        type=Path,
        action="append",
        default=[],
        metavar="CLIP",
        help="a clip that these were made from, for its speeds; may be given several times",
    )
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="picture of the first clip (png, pdf, svg)"
    )
    common.add_json(parser)


def run(args: argparse.Namespace) -> None:
    from motionweave.measure.quality import quality

    if args.plot is not None:
        common.check_output(args.plot, args.clips, motion=False)
    inputs = common.load_clips(args, args.against, contacts=False)
    found = []
    for path in common.progress(args.clips, "measuring"):
        motion = common.load_clip(args, path)
        found.append(quality(motion, inputs))
        if args.plot is not None and len(found) == 1:
            from motionweave.plots.quality import quality_plot

            quality_plot(motion, args.plot)
    data = [
        {"file": str(path), **one.to_dict()} for path, one in zip(args.clips, found, strict=True)
    ]
    text = "\n\n".join(str(one) for one in found)
    if args.plot is not None:
        text += f"\nwrote {args.plot}"
    common.emit(args, data if len(data) > 1 else data[0], text)
