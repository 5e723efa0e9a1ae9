"""``motionweave transition``: join clips, each turning into the next."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from motionweave.cli import common
from motionweave.cli.blending import add_weights
from motionweave.errors import BlendError

if TYPE_CHECKING:
    from motionweave.methods.joining.junctions import Keep


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_clips(parser, "several")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="motion file to write")
    parser.add_argument(
        "--at",
        metavar="F1,F2",
        action="append",
        help="frame of each clip at the middle of the transition, or 'best'; "
        "once per pair of clips (default: the best place)",
    )
    parser.add_argument(
        "--half-width",
        metavar="FRAMES",
        action="append",
        type=_half_width,
        help="frames of the first clip from the middle of a transition to its ends, or 'usual'; "
        "once, or once per pair of clips "
        "(default: half a second, or less in short clips and near their ends)",
    )
    parser.add_argument(
        "--keep",
        metavar="WHAT",
        default="most",
        help="what must not be cut off: 'most' (the default: cutting has a cost), 'all', a share "
        "of "
        "the action such as 0.8, or ranges of frames of both clips, such as 10:80,5:40 or 10:80,-",
    )
    add_weights(parser)
    parser.add_argument(
        "--resample",
        action="store_true",
        help="allow the timing to fall between frames, and resample the clips around it",
    )
    parser.add_argument(
        "--list", action="store_true", help="list good places instead of making a transition"
    )
    common.add_cleaning(parser)
    common.add_json(parser)


def run(args: argparse.Namespace) -> None:
    if len(args.clips) < 2:
        raise BlendError("give two clips or more to join")
    if args.list:
        _list(args)
        return
    if args.output is None:
        raise BlendError("give the file to write with -o, or --list to see where to join")
    common.check_output(args.output, args.clips)
    places = None if args.at is None else [_place(text) for text in args.at]
    clips = common.load_clips(args, args.clips)
    from motionweave.methods.blending.transition import make_transition

    made = make_transition(
        clips,
        at=places,
        half_width=_widths(args.half_width),
        keep=_keep(args.keep),
        weights=dict(args.weight) or None,
        resample=args.resample,
        clean=not args.no_clean,
    )
    result = made.motion
    common.save_clip(result, args.output)
    notes = [
        f"joined at --at {j.frames[0]:.0f},{j.frames[1]:.0f}, frames {start} to {end}"
        for j, (start, end) in zip(made.junctions, made.seams, strict=True)
    ]
    notes += [f"cut: {told}" for told in made.cut]
    facts = common.facts_of(result, args.output) | {
        "places": [
            {"at": list(j.frames), "distance": j.distance, "kept": list(j.kept)}
            for j in made.junctions
        ],
        "seams": [list(seam) for seam in made.seams],
        "cut": list(made.cut),
    }
    common.emit(args, facts, common.summary(facts, *notes))


def _list(args: argparse.Namespace) -> None:
    from motionweave.methods.blending.transition import junctions

    clips = common.load_clips(args, args.clips)
    answer = []
    lines = []
    pairs = len(clips) - 1
    widths = _widths(args.half_width)
    rows = widths if isinstance(widths, list) else [widths] * pairs
    if len(rows) != pairs:
        raise BlendError(
            f"{len(clips)} clips have {pairs} transitions; got {len(rows)} half widths"
        )
    for a, b, first, second, width in zip(
        clips[:-1], clips[1:], args.clips[:-1], args.clips[1:], rows, strict=True
    ):
        found = junctions(
            a,
            b,
            half_width=width,
            keep=_keep(args.keep),
            weights=dict(args.weight) or None,
        )
        lines.append(f"{first.name} to {second.name}: {len(found)} places, best first")
        for junction in found:
            f1, f2 = junction.frames
            lines.append(f"  --at {f1:g},{f2:g}   distance {junction.distance:.3g}")
        answer.append(
            {
                "clips": [str(first), str(second)],
                "places": [{"at": list(j.frames), "distance": j.distance} for j in found],
            }
        )
    common.emit(args, answer, "\n".join(lines))


def _keep(text: str) -> Keep:
    """What must be kept, from the command line."""
    if text in ("most", "all"):
        return "most" if text == "most" else "all"
    try:
        if ":" not in text:
            return float(text)
        left, right = (_range(part) for part in text.split(","))
    except ValueError:
        raise BlendError(
            f"--keep {text!r}: expected 'most', 'all', a share such as 0.8, or ranges of frames "
            "such as 10:80,5:40"
        ) from None
    return left, right


def _range(text: str) -> tuple[float, float] | None:
    if text.strip() == "-":
        return None
    first, last = (float(frame) for frame in text.split(":"))
    return first, last


def _place(text: str) -> tuple[float, float] | None:
    if text.strip() == "best":
        return None
    try:
        first, second = (float(word) for word in text.replace(",", " ").split())
    except ValueError:
        raise BlendError(f"--at {text!r}: expected two frames such as 55,12, or 'best'") from None
    return first, second


def _half_width(text: str) -> float | None:
    return None if text.strip() == "usual" else float(text)


def _widths(given: list[float | None] | None) -> float | list[float | None] | None:
    """One for all pairs of clips, or one for each."""
    return given if given is None or len(given) > 1 else given[0]
