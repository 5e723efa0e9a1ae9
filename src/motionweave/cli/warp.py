"""``motionweave warp``: reshape a clip by the keys of a warp file."""

from __future__ import annotations

import argparse
from pathlib import Path

from motionweave.cli import common


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_clips(parser, "one")
    parser.add_argument("keys", type=Path, help="warp file: keys in YAML or JSON")
    common.add_output(parser)
    common.add_cleaning(parser)
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help="picture of curves and poses before and after (png, pdf, svg)",
    )
    common.add_json(parser)


def run(args: argparse.Namespace) -> None:
    from motionweave.methods.warping.files import load_warp

    common.check_output(args.output, [args.clip, args.keys])
    if args.plot is not None:
        common.check_output(args.plot, [args.clip, args.keys], motion=False)
    recipe = load_warp(args.keys)
    motion = common.load_clip(args, args.clip)
    changed = {"clean": False} if args.no_clean else {}
    warped = recipe.apply(motion, **changed)
    common.save_clip(warped, args.output)
    written = [args.output]
    if args.plot is not None:
        from motionweave.plots.warp import warp_plot

        warp_plot(motion, warped, recipe, args.plot)
        written.append(args.plot)
    frames = recipe.key_frames(motion)
    data = {
        "title": recipe.title,
        "keys": len(recipe.keys),
        "key_frames": frames,
        "frames": len(warped),
        "fps": warped.fps,
        "written": [str(path) for path in written],
    }
    at = ", ".join(f"{frame:g}" for frame in frames) or "none"
    lines = [
        f"{recipe.title or args.keys.name}: {len(recipe.keys)} keys at frames {at}",
        f"{len(warped)} frames at {warped.fps:g} fps",
        *(f"wrote {path}" for path in written),
    ]
    common.emit(args, data, "\n".join(lines))
