"""``motionweave retarget``: put a motion on another body."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from motionweave.cli import batch, common


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_clips(parser, "several")
    parser.add_argument(
        "onto", type=Path, help="any clip of the target body; only the body is used"
    )
    batch.add_outputs(parser)
    batch.add_jobs(parser)
    parser.add_argument(
        "--mapping",
        type=Path,
        metavar="FILE",
        help="JSON file that says which joint follows which, if the automatic choice is wrong",
    )
    parser.add_argument(
        "--save-mapping",
        type=Path,
        metavar="FILE",
        help="write which joint follows which to a JSON file, to check and edit",
    )
    parser.add_argument(
        "--hands",
        action="store_true",
        help="make hands follow the source's hands, scaled, as feet do",
    )
    parser.add_argument(
        "--no-feet",
        action="store_true",
        help="only point the legs like the source's; do not place the feet",
    )
    common.add_json(parser)


def run(args: argparse.Namespace) -> int:
    batch.only_for_one(args, "save_mapping")
    pairs = batch.outputs(args)
    if args.save_mapping is not None:
        common.check_output(args.save_mapping, [*args.clips, args.onto], motion=False)
    for _, output in pairs:
        common.check_output(output, [args.onto])
    args.body = common.load_clip(args, args.onto)
    return batch.answer(args, *batch.each(args, pairs, _retargeted, "retargeting"))


def _retargeted(args: argparse.Namespace, pair: tuple[Path, Path]) -> tuple[dict[str, Any], str]:
    from motionweave.body.retarget.correspondence import match
    from motionweave.retargeting import joint_mapping, retarget

    path, output = pair
    motion, onto = common.load_clip(args, path), args.body
    if args.mapping is None:
        mapping = joint_mapping(motion, onto)
    else:
        mapping = match(motion.skeleton, onto.skeleton, args.mapping)
    result = retarget(
        motion,
        onto,
        mapping=None if args.mapping is None else mapping,
        feet=not args.no_feet,
        hands=args.hands,
    )
    common.save_clip(result, output)
    if args.save_mapping is not None:
        mapping.save(args.save_mapping)
    facts = common.facts_of(result, output, args.save_mapping) | {
        "mapping": mapping.to_json(),
        "at_rest": mapping.at_rest,
        "left_out": mapping.left_out,
    }
    notes = [] if args.several else [str(mapping)]
    return facts, common.summary(facts, *notes)
