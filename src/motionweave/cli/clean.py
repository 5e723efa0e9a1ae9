"""``motionweave clean``: keep planted feet in place."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from motionweave.cli import batch, common


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_clips(parser, "several")
    batch.add_outputs(parser)
    batch.add_jobs(parser)
    parser.add_argument(
        "--contacts",
        type=Path,
        metavar="FILE",
        help="contacts to hold, instead of those beside the clip or those detected",
    )
    parser.add_argument(
        "--stretch",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="share by which legs may lengthen where they cannot reach, such as 0.01",
    )
    parser.add_argument("--hands", action="store_true", help="hold planted hands as well")
    parser.add_argument(
        "--ease",
        type=float,
        default=0.2,
        metavar="SECONDS",
        help="time over which a correction fades in and out (default: 0.2)",
    )
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help="picture of the clip before and after (png, pdf, svg)",
    )
    common.add_json(parser)


def run(args: argparse.Namespace) -> int:
    batch.only_for_one(args, "contacts", "plot")
    pairs = batch.outputs(args)
    if args.plot is not None:
        common.check_output(args.plot, args.clips, motion=False)
    return batch.answer(args, *batch.each(args, pairs, _cleaned, "cleaning"))


def _cleaned(args: argparse.Namespace, pair: tuple[Path, Path]) -> tuple[dict[str, Any], str]:
    from motionweave.body.pose.tpose import tpose_frames
    from motionweave.contacts.clean.footskate import clean_feet
    from motionweave.contacts.detect import detect_contacts, estimate_floor
    from motionweave.core.constraints import HAND_KINDS
    from motionweave.measure.quality import quality
    from motionweave.measure.quality_table import compared

    path, output = pair
    motion = common.load_clip(args, path, contacts=args.contacts or True)
    if args.hands and not any(c.kind in HAND_KINDS for c in motion.constraints):
        found = detect_contacts(motion, hands=True)
        hands = (c for c in found if c.kind in HAND_KINDS)
        motion = motion.with_constraints((*motion.constraints, *hands))
    floor = estimate_floor(motion[tpose_frames(motion) :])
    cleaned = clean_feet(
        motion, stretch=args.stretch, hands=args.hands, ease=args.ease, floor=floor
    )
    before, after = quality(motion, floor=floor), quality(cleaned, [motion], floor=floor)
    common.save_clip(cleaned, output)
    if args.plot is not None:
        from motionweave.plots.quality import quality_plot

        quality_plot([motion, cleaned], args.plot, labels=["before", "after"])
    facts = common.facts_of(cleaned, output, args.plot) | {
        "before": before.to_dict(),
        "after": after.to_dict(),
    }
    return facts, common.summary(facts, compared(before, after))
