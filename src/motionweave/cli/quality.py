"""``motionweave quality``: measure sliding feet, jumps and speeds."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from motionweave.cli import batch, common

if TYPE_CHECKING:
    from motionweave.measure.quality import Quality


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_clips(parser, "several")
    parser.add_argument(
        "--against",
        type=Path,
        action="append",
        default=[],
        metavar="CLIP",
        help="a clip that these were made from, to compare speeds; may be given several times",
    )
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="picture of the first clip (png, pdf, svg)"
    )
    batch.add_jobs(parser)
    common.add_json(parser)


def run(args: argparse.Namespace) -> int:
    if args.plot is not None:
        common.check_output(args.plot, args.clips, motion=False)
    args.inputs = common.load_clips(args, args.against, contacts=False)
    found, code = batch.each(args, args.clips, _measured, "measuring")
    if args.plot is not None:
        from motionweave.plots.quality import quality_plot

        quality_plot(common.load_clip(args, args.clips[0]), args.plot)
    data = [{"file": str(path), **one.to_dict()} for path, one in found]
    text = "\n\n".join(f"{path}\n{one}" if args.several else str(one) for path, one in found)
    if args.plot is not None:
        text += f"\nwrote {args.plot}"
    common.emit(args, data if args.several else data[0], text)
    return code


def _measured(args: argparse.Namespace, path: Path) -> tuple[Path, Quality]:
    from motionweave.measure.quality import quality

    return path, quality(common.load_clip(args, path), args.inputs)
