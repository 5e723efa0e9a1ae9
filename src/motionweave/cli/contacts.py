"""``motionweave contacts``: detect when feet (and hands) are planted."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motionweave.cli import batch, common

if TYPE_CHECKING:
    from motionweave.core.motion import Motion


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_clips(parser, "several")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="contacts file to write; for several clips a folder. NAME.contacts.json beside "
        "NAME.bvh is used when the clip is loaded",
    )
    batch.add_jobs(parser)
    parser.add_argument("--hands", action="store_true", help="detect planted hands, too")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="picture to draw (png, pdf, svg)")
    common.add_json(parser)


def run(args: argparse.Namespace) -> int:
    batch.only_for_one(args, "plot")
    if args.plot is not None:
        common.check_output(args.plot, args.clips, motion=False)
    # Contacts count the frames of the file, so its T-pose stays.
    args.drop_tpose = False
    pairs: list[tuple[Path, Path | None]] = [(path, None) for path in args.clips]
    if args.output is not None:
        args.format = None
        pairs = [*batch.outputs(args, ".contacts.json" if args.several else None, motion=False)]
    found, code = batch.each(args, pairs, _found, "looking")
    common.emit(args, found if args.several else found[0], "\n".join(map(_text, found)))
    return code


def _found(args: argparse.Namespace, pair: tuple[Path, Path | None]) -> dict[str, Any]:
    from motionweave.contacts.detect import detect_contacts

    path, output = pair
    motion = common.load_clip(args, path, contacts=False)
    motion = motion.with_constraints(detect_contacts(motion, hands=args.hands))
    if output is not None:
        from motionweave.io.store.sidecar import save_contacts

        save_contacts(motion, output, clip=path.name)
    if args.plot is not None:
        from motionweave.plots.contacts import contact_plot

        contact_plot(motion, args.plot)
    written = [str(one) for one in (output, args.plot) if one is not None]
    return {**describe(motion, path), "written": written}


def describe(motion: Motion, path: Path) -> dict[str, Any]:
    """Contacts, steps and floor of a clip, ready for JSON."""
    from motionweave.body.rig.roles import SIDES, leg_length
    from motionweave.body.soles import soles
    from motionweave.contacts.detect import estimate_floor, steps
    from motionweave.core.constraints import kinds, of_kind

    floor = estimate_floor(motion)
    return {
        "file": str(path),
        "frames": len(motion),
        "fps": motion.fps,
        "leg_length": leg_length(motion.skeleton),
        "toes_from": {side: sole.known for side, sole in soles(motion).items()},
        "floor": {
            "height": floor.height,
            "slope": list(floor.slope),
            "tilt_radians": floor.tilt,
            "levels": list(floor.levels),
        },
        "contacts": {
            kind: [[one.start, one.end] for one in of_kind(motion.constraints, kind)]
            for kind in kinds(motion.constraints)
        },
        "steps": {side: [list(span) for span in steps(motion.constraints, side)] for side in SIDES},
    }


def _text(facts: dict[str, Any]) -> str:
    from math import degrees

    floor = facts["floor"]
    shape = (
        "level" if floor["tilt_radians"] == 0.0 else f"tilted {degrees(floor['tilt_radians']):.1f}°"
    )
    lines = [
        f"{facts['file']}: {facts['frames']} frames at {facts['fps']:g} fps",
        f"  floor {shape}, height {floor['height']:.4g}"
        + (f", {len(floor['levels']) - 1} levels above it" if len(floor["levels"]) > 1 else ""),
    ]
    guessed = [side for side, known in facts["toes_from"].items() if known == "proportions"]
    if guessed:
        lines.append(
            f"  no toe joint or end site on the {' and '.join(guessed)} foot: "
            "its toe is placed as on an average foot"
        )
    width = max((len(kind) for kind in facts["contacts"]), default=0)
    for kind, spans in facts["contacts"].items():
        shown = ", ".join(f"{start:.1f}-{end:.1f}" for start, end in spans)
        lines.append(f"  {kind:<{width}}  {shown}")
    if not facts["contacts"]:
        lines.append("  no contacts")
    lines += [f"wrote {path}" for path in facts["written"]]
    return "\n".join(lines)
