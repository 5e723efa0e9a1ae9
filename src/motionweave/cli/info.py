"""``motionweave info``: what is in a motion file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motionweave.cli import batch, common

if TYPE_CHECKING:
    from motionweave.core.motion import Motion


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_clips(parser, "several")
    batch.add_jobs(parser)
    common.add_json(parser)


def run(args: argparse.Namespace) -> int:
    facts, code = batch.each(args, args.clips, _facts, "reading")
    text = "\n\n".join(_text(one) for one in facts)
    common.emit(args, facts if args.several else facts[0], text)
    return code


def _facts(args: argparse.Namespace, path: Path) -> dict[str, Any]:
    return describe(common.load_clip(args, path), path)


def describe(motion: Motion, path: Path) -> dict[str, Any]:
    """All that is known about a clip, ready for JSON."""
    from motionweave.body.pose.tpose import tpose_frames
    from motionweave.body.rig.roles import ROLES, find_rig
    from motionweave.body.size import body_height
    from motionweave.body.soles import has_feet
    from motionweave.core.constraints import kinds, of_kind
    from motionweave.io.registry import format_of
    from motionweave.io.store import sidecar

    skeleton = motion.skeleton
    rig = find_rig(skeleton)
    roles = rig.names()
    source = motion.source
    missing = [role for role in ROLES if role not in roles]
    if sidecar.beside(path).exists():
        origin = f"given in {sidecar.beside(path).name}"
    elif has_feet(skeleton):
        origin = "detected"
    elif rig.legs:
        origin = f"not detected: the body {rig.why_not_human()}, not on two"
    else:
        origin = "not detected: the rig has no legs and feet that are known"
    return {
        "file": str(path),
        "format": format_of(path).name,
        "frames": len(motion),
        "fps": motion.fps,
        "frame_time": source.get("frame_time"),
        "duration": motion.duration,
        "joints": len(skeleton),
        "end_sites": len(skeleton.end_parents),
        "sliding_joints": motion.translations is not None,
        "height": body_height(skeleton),
        "up": source.get("up", "y"),
        "carrier": None
        if motion.carrier is None
        else {"kind": motion.carrier.kind, "joints": list(motion.carrier.names)},
        "joined": {}
        if skeleton.layout is None
        else {name: above for name, above, _ in skeleton.layout.moved},
        "tpose_frames": tpose_frames(motion),
        "roles": roles,
        "roles_missing": missing,
        "contacts_are": origin,
        "contacts": {
            kind: [[one.start, one.end] for one in of_kind(motion.constraints, kind)]
            for kind in kinds(motion.constraints)
        },
        "animations": list(source.get("animations", ())),
        "warnings": list(source.get("warnings", ())),
    }


def _text(facts: dict[str, Any]) -> str:
    """The facts as lines for people."""
    height = facts["height"]
    unit = _likely_unit(height)
    _, sign, axis = facts["up"].rpartition("-")
    lines = [
        facts["file"],
        f"  {facts['format']}, {facts['frames']} frame{'s' * (facts['frames'] != 1)} "
        f"at {facts['fps']:g} fps: {facts['duration']:.2f} s",
        f"  {facts['joints']} joints, {facts['end_sites']} end sites"
        + (", with joints that slide" if facts["sliding_joints"] else ""),
        f"  body height {height:.4g} units{f' (probably {unit})' if unit else ''}, "
        f"{axis} {'down' if sign else 'up'} in the file",
    ]
    if facts["carrier"] is not None:
        how = {"still": "stands still", "floor": "follows on the floor", "animated": "moves"}
        carrier = facts["carrier"]
        lines.append(f"  above the pelvis: {_first(carrier['joints'])} ({how[carrier['kind']]})")
    if facts["joined"]:
        hanging = ", ".join(f"{name} on {above}" for name, above in facts["joined"].items())
        lines.append(f"  in the file not on their limbs: {hanging}")
    if len(facts["animations"]) > 1:
        listed = ", ".join(facts["animations"])
        lines.append(f"  {len(facts['animations'])} animations (--option animation=NAME): {listed}")
    if posed := facts["tpose_frames"]:
        which = "frame 0 is a T-pose" if posed == 1 else f"frames 0 to {posed - 1} are in a T-pose"
        lines.append(f"  {which}, not part of the motion (--drop-tpose)")
    roles = facts["roles"]
    lines.append("  roles: " + (", ".join(f"{r} {n}" for r, n in roles.items()) or "none found"))
    if roles and facts["roles_missing"]:
        lines.append(f"  roles not found: {', '.join(facts['roles_missing'])}")
    lines.append(f"  contacts {facts['contacts_are']}")
    if facts["contacts_are"] == "detected" and not facts["contacts"]:
        lines[-1] += ": none"
        if facts["frames"] > 1:
            lines[-1] += "; if it walks in place, convert --travel gives it its way"
    for kind, spans in facts["contacts"].items():
        shown = ", ".join(f"{start:.1f}-{end:.1f}" for start, end in spans)
        lines.append(f"    {kind}: {shown}")
    return "\n".join(lines)


def _first(names: list[str], most: int = 6) -> str:
    """The first few names: rigs for animators have dozens of bones beside the body."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def _likely_unit(height: float) -> str:
    """The unit in which a body of that height is human, if there is one."""
    for unit, metre in (("metres", 1.0), ("centimetres", 100.0), ("millimetres", 1000.0)):
        if 1.2 * metre < height < 2.3 * metre:
            return unit
    return "inches" if 47.0 < height < 90.0 else ""
