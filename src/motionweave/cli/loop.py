"""``motionweave loop``: one cycle of a clip, closed, to be repeated forever."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from motionweave.cli import batch, common
from motionweave.errors import Remedy


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_clips(parser, "several")
    batch.add_outputs(parser)
    batch.add_jobs(parser)
    parser.add_argument(
        "--rounds",
        type=int,
        default=1,
        metavar="N",
        help="how many times the cycle is played (default: 1)",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--frames",
        type=common.frame_range,
        metavar="A:B",
        help="frames of the cycle; found automatically by default",
    )
    where.add_argument(
        "--whole",
        action="store_const",
        const="whole",
        dest="frames",
        help="the clip already is one cycle",
    )
    parser.add_argument(
        "--in-place",
        action="store_true",
        help="remove the root motion, as on a treadmill",
    )
    common.add_cleaning(parser)
    common.add_json(parser)


def run(args: argparse.Namespace) -> int:
    return batch.answer(args, *batch.each(args, batch.outputs(args), _looped, "cutting"))


def _looped(args: argparse.Namespace, pair: tuple[Path, Path]) -> tuple[dict[str, Any], str]:
    from motionweave.core.cycles import displacement
    from motionweave.registration.cycles import find_cycle
    from motionweave.registration.loops import loop

    path, output = pair
    motion = common.load_clip(args, path)
    if args.frames is None:
        first, last = find_cycle(motion, remedies=[Remedy("whole", True)])
    elif args.frames == "whole":
        first, last = 0, len(motion) - 1
    else:
        first, last = args.frames
    result = loop(
        motion,
        args.rounds,
        frames=args.frames if args.frames == "whole" else (first, last),
        in_place=args.in_place,
        clean=not args.no_clean,
    )
    common.save_clip(result, output)
    seconds = result.duration / args.rounds
    turn = float(displacement(result).angle) / args.rounds
    facts = common.facts_of(result, output) | {
        "cycle": {"frames": [first, last], "seconds": seconds, "turn": turn},
        "rounds": args.rounds,
    }
    rounds = "one round" if args.rounds == 1 else f"{args.rounds} rounds"
    note = f"{rounds} of {seconds:.2f} s, frames {first} to {last} of {path.name}"
    return facts, common.summary(facts, note)
