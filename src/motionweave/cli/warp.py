"""``motionweave warp``: reshape a clip by the keys of a warp file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from motionweave.cli import batch, common


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_clips(parser, "several")
    parser.add_argument("keys", type=Path, help="warp file: keys in YAML or JSON")
    batch.add_outputs(parser)
    batch.add_jobs(parser)
    common.add_cleaning(parser)
    parser.add_argument(
        "--paper",
        action="store_true",
        help="exactly as published: curves of Euler angles, feet not planted",
    )
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help="picture of curves and poses before and after (png, pdf, svg)",
    )
    common.add_json(parser)


def run(args: argparse.Namespace) -> int:
    from motionweave.methods.warping.files import load_warp

    batch.only_for_one(args, "plot")
    pairs = batch.outputs(args)
    for _, output in pairs:
        common.check_output(output, [args.keys])
    if args.plot is not None:
        common.check_output(args.plot, [*args.clips, args.keys], motion=False)
    args.recipe = load_warp(args.keys)
    return batch.answer(args, *batch.each(args, pairs, _warped, "warping"))


def _warped(args: argparse.Namespace, pair: tuple[Path, Path]) -> tuple[dict[str, Any], str]:
    path, output = pair
    recipe = args.recipe
    motion = common.load_clip(args, path)
    changed = {}
    if args.no_clean:
        changed["clean"] = False
    if args.paper:
        changed["paper"] = True
    warped = recipe.apply(motion, **changed)
    common.save_clip(warped, output)
    if args.plot is not None:
        from motionweave.plots.warp import warp_plot

        warp_plot(motion, warped, recipe, args.plot)
    frames = recipe.key_frames(motion)
    facts = common.facts_of(warped, output, args.plot) | {
        "title": recipe.title,
        "keys": len(recipe.keys),
        "key_frames": frames,
    }
    at = ", ".join(f"{frame:g}" for frame in frames) or "none"
    keys = "key" if len(recipe.keys) == 1 else "keys"
    where = "frame" if len(frames) == 1 else "frames"
    note = f"{recipe.title or args.keys.name}: {len(recipe.keys)} {keys} at {where} {at}"
    return facts, common.summary(facts, note)
