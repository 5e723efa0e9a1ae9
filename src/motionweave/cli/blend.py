"""``motionweave blend``: blend clips, with weights that are constant or change over time."""

from __future__ import annotations

import argparse
from pathlib import Path

from motionweave.cli import blending, common
from motionweave.core.checks import shown
from motionweave.core.parsing import csv_rows, read_text
from motionweave.errors import BlendError, FormatError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    blending.add_curve(parser)
    common.add_output(parser, "motion file to write")
    weights = parser.add_mutually_exclusive_group()
    weights.add_argument(
        "-w",
        "--weights",
        metavar="W,W,...",
        help="one weight per clip, such as 0.3,0.7 (default: all equal); they are scaled to sum to "
        "one",
    )
    weights.add_argument(
        "--weights-over-time",
        type=Path,
        metavar="CSV",
        help="table of seconds and weights (time,w1,w2,...), smoothly interpolated",
    )
    parser.add_argument("--duration", type=float, metavar="SECONDS", help="stop after this time")
    parser.add_argument("--fps", type=float, help="frames per second of the output")
    parser.add_argument(
        "--method",
        choices=("registered", "linear"),
        default="registered",
        help="linear is the plain average of frames, for comparison",
    )
    common.add_cleaning(parser)
    common.add_json(parser)


def run(args: argparse.Namespace) -> None:
    common.check_output(args.output, args.clips)
    from motionweave.methods.blending.blend import blend
    from motionweave.methods.blending.weights import Weights, over_time

    duration = args.duration
    weights: Weights | None = None if args.weights is None else _numbers(args.weights)
    if args.weights_over_time is not None:
        times, rows = read_weights(args.weights_over_time)
        weights = over_time(times, rows)
        duration = times[-1] if duration is None else duration
    curve = blending.load_curve(args)
    if weights is None:
        weights = [1.0] * len(curve.motions)
    result = blend(
        curve,
        weights,
        method=args.method,
        duration=duration,
        fps=args.fps,
        clean=not args.no_clean and args.method == "registered",
    )
    common.save_clip(result, args.output)
    facts = common.facts_of(result, args.output)
    notes: tuple[str, ...] = ()
    if args.method == "registered":
        facts["used"] = blending.used(curve)
        notes = blending.parts(curve)
    common.emit(args, facts, common.summary(facts, *notes))


def _numbers(text: str) -> list[float]:
    try:
        return [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise BlendError(f"weights {text!r}: expected numbers such as 0.3,0.7") from None


def read_weights(path: Path) -> tuple[list[float], list[list[float]]]:
    """Times and rows of weights from a CSV file, with or without a line of names."""
    times: list[float] = []
    rows: list[list[float]] = []
    for number, row in csv_rows(read_text(path), path):
        if not any(row):
            continue
        try:
            values = [float(cell) for cell in row]
        except ValueError:
            if not times and number == 1:
                continue
            raise FormatError(f"expected numbers, got {shown(row)}", path, number) from None
        if rows and len(values) != len(rows[0]) + 1:
            raise FormatError(
                f"expected {len(rows[0]) + 1} numbers as in the lines above", path, number
            )
        if len(values) < 2 or (times and values[0] <= times[-1]):
            raise FormatError("expected a later time, then a weight per clip", path, number)
        times.append(values[0])
        rows.append(values[1:])
    if not times:
        raise FormatError(
            "the table contains no weights; expected lines such as time,w1,w2,...", path
        )
    return times, rows
