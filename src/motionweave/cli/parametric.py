"""``motionweave parametric``: the blend with a requested turn, speed or reach."""

from __future__ import annotations

import argparse
from pathlib import Path

from motionweave.cli import blending, common
from motionweave.errors import BlendError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    blending.add_curve(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="motion file to write")
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a parameter and its target value, such as turn=35; may be given several times",
    )
    parser.add_argument(
        "--range",
        metavar="NAME",
        action="append",
        default=[],
        help="show which values of a parameter these clips can reach",
    )
    parser.add_argument(
        "--nearest", action="store_true", help="use the nearest value if one is out of reach"
    )
    parser.add_argument("--list", action="store_true", help="list all parameters")
    common.add_cleaning(parser)
    common.add_json(parser)


def run(args: argparse.Namespace) -> None:
    from motionweave.measure import measures

    if args.list:
        common.emit(args, list(measures.names()), "\n".join(measures.names()))
        return
    wanted = dict(_setting(text) for text in args.set)
    if bool(wanted) == bool(args.range):
        raise BlendError(
            "give --set turn=35 to make a motion, or --range turn to see which values are possible"
        )
    if wanted and args.output is None:
        raise BlendError("give the file to write with -o")
    steered = measures.by_name(list(wanted or args.range))
    if args.output is not None:
        common.check_output(args.output, args.clips)
    curve = blending.load_curve(args)
    from motionweave.methods.blending.parametric import Outside, parametric

    space = parametric(curve, steered)
    if args.range:
        lines = [f"{name}: {a:g} to {b:g}" for name, (a, b) in space.ranges.items()]
        common.emit(args, space.ranges, "\n".join(lines))
        return
    outside: Outside = "nearest" if args.nearest else "error"
    reached = space.at(outside=outside, clean=not args.no_clean, **wanted)
    common.save_clip(reached.motion, args.output)
    got = ", ".join(f"{name} {value:.4g}" for name, value in reached.values.items())
    weights = ", ".join(f"{w:.3f}" for w in reached.weights)
    facts = common.facts_of(reached.motion, args.output) | {
        "reached": reached.values,
        "asked": wanted,
        "weights": reached.weights,
        "used": blending.used(curve),
    }
    notes = [f"{got} (weights {weights})", *blending.parts(curve)]
    common.emit(args, facts, common.summary(facts, *notes))


def _setting(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise BlendError(f"--set {text!r}: expected a name and a value, such as turn=35") from None
