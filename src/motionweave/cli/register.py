"""``motionweave register``: match the frames of clips, and write a ``.mwreg`` file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motionweave.cli import common
from motionweave.cli.blending import add_registering, registered
from motionweave.errors import RegistrationError

if TYPE_CHECKING:
    from motionweave.registration.curve import RegistrationCurve


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_clips(parser, "several")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="registration file to write (.mwreg)"
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="picture to draw (png, pdf, svg)")
    add_registering(parser)
    common.add_json(parser)


def run(args: argparse.Namespace) -> None:
    if args.output is None and args.plot is None and not args.json:
        raise RegistrationError("the result would be lost: give -o FILE, --plot FILE or --json")
    for target in (args.output, args.plot):
        if target is not None:
            common.check_output(target, args.clips, motion=False)
    curve = registered(args, common.load_clips(args, args.clips))
    if args.output is not None:
        curve.save(args.output)
    if args.plot is not None:
        from motionweave.plots.registration import registration_plot

        registration_plot(curve, args.plot)
    common.emit(args, _data(curve), _text(curve))


def _data(curve: RegistrationCurve) -> dict[str, Any]:
    return {
        "clips": [
            {
                "name": motion.name,
                "fps": motion.fps,
                "frames": [float(first), float(last)],
                "distance": float(distance),
            }
            for motion, (first, last), distance in zip(
                curve.motions, curve.ranges, curve.distances, strict=True
            )
        ],
        "reference": curve.reference,
        "cyclic": curve.cyclic,
        "verdict": None if curve.verdict is None else curve.verdict.to_dict(),
        "start": curve.timewarp.start,
        "end": curve.timewarp.end,
        "matches": [{"kind": match.kind, "intervals": match.intervals} for match in curve.matches],
    }


def _text(curve: RegistrationCurve) -> str:
    lines = []
    for j, motion in enumerate(curve.motions):
        first, last = curve.ranges[j]
        note = (
            "reference"
            if j == curve.reference
            else f"differs by {100 * curve.distances[j]:.1f} % of body height"
        )
        lines.append(f"{motion.name or f'clip {j}'}: frames {first:.0f} to {last:.0f}, {note}")
    kinds = sorted({match.kind for match in curve.matches})
    counts = [f"{sum(m.kind == kind for m in curve.matches)} {kind}" for kind in kinds]
    lines.append(f"matching contacts: {', '.join(counts) or 'none'}")
    if curve.verdict is not None:
        lines.append(str(curve.verdict))
    return "\n".join(lines)
