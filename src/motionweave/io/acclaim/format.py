"""Acclaim motion (ASF/AMC): the skeleton in one file, its takes in others beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from motionweave.core.checks import size
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton
from motionweave.errors import FormatError
from motionweave.io.acclaim.amc import format_amc, parse_amc
from motionweave.io.acclaim.asf import format_asf, parse_asf
from motionweave.io.acclaim.bones import ROOT, Acclaim, from_skeleton, to_skeleton
from motionweave.io.acclaim.takes import find_asf, place_for, sibling
from motionweave.io.acclaim.values import decode, encode
from motionweave.io.axes import (
    UP_OR_DOWN,
    PoseArrays,
    check_up,
    found_up,
    from_axes_of_file,
    to_axes_of_file,
)
from motionweave.io.registry import Format
from motionweave.io.store.atomic import atomic_path

# The usual rate of motion-capture studios, and of the CMU archive in particular.
USUAL_RATE = 120.0


def read(
    path: str | Path,
    *,
    asf: str | Path | None = None,
    fps: float | None = None,
    up: str | None = None,
) -> Motion:
    """Read a take, or with an ASF file alone the rest pose.

    Parameters
    ----------
    path
        The AMC file. For an ASF file the take of the same name beside it; if there is
        none, one frame of the rest pose.
    asf
        The skeleton; searched beside the take if None.
    fps
        Frames per second; if None, the rate in a comment of the file, otherwise 120.
    up
        ``"y"`` or ``"z"``, the axis that points up in the file, or ``"-y"`` or ``"-z"``, the one
        that points down; detected if None.
    """
    path = Path(path)
    check_up(up, path, UP_OR_DOWN)
    take: Path | None = path
    if path.suffix.lower() == ".asf":
        asf = path if asf is None else asf
        take = sibling(path, ".amc")
    where = Path(asf) if asf is not None else find_asf(path)
    if not where.is_file():
        raise FormatError("there is no such skeleton file", where)
    acclaim = parse_asf(where)
    skeleton, bones = to_skeleton(acclaim)
    if take is None:
        values = {name: np.zeros((1, len(bone.dof))) for name, bone in acclaim.bones.items()}
        said: float | None = USUAL_RATE
        warnings = ["the skeleton alone: there is no take"]
    else:
        values, said, warnings = parse_amc(take, acclaim)
    size(len(values[ROOT]), len(acclaim.bones), (take or where).stat().st_size)
    pose = decode(acclaim, bones, skeleton, values)
    if any("l" in bone.dof for bone in acclaim.bones.values()):
        warnings.append("bones that change length keep their length in the skeleton")
    if fps is None and said is None:
        warnings.append(f"AMC files do not state their frame rate; {USUAL_RATE:g} fps is assumed")
    up = up or found_up(skeleton, pose, warnings)
    source = {
        "format": FORMAT.name,
        "up": up,
        "asf": acclaim,
        "bones": tuple(bones),
        "skeleton": skeleton,
        "values": values,
        "warnings": tuple(warnings),
    }
    skeleton, pose = from_axes_of_file(skeleton, pose, up)
    return Motion(
        skeleton,
        fps or said or USUAL_RATE,
        pose.root,
        pose.rotations,
        pose.translations,
        name=path.stem,
        source=source,
    )


def write(
    motion: Motion, path: str | Path, *, asf: str | Path | None = None, up: str | None = None
) -> None:
    """Write a take, and its skeleton beside it.

    Parameters
    ----------
    motion
        What to write.
    path
        The AMC file.
    asf
        The skeleton file; ``NAME.asf`` beside the take if None, unless the one that would
        be found for the take is the same already.
    up
        As for `read`; None for that of the original file, otherwise ``"y"``.
    """
    path = Path(path).with_suffix(".amc") if Path(path).suffix.lower() == ".asf" else Path(path)
    check_up(up, path, UP_OR_DOWN)
    source = motion.source if motion.source.get("format") == FORMAT.name else {}
    up = up or source.get("up", "y")
    skeleton, pose = motion.skeleton, PoseArrays(motion.root, motion.rotations, motion.translations)
    skeleton, pose = to_axes_of_file(skeleton, pose, up)
    acclaim, bones = _fitting(skeleton, source)
    acclaim, values = encode(acclaim, bones, skeleton, pose, source)
    text = acclaim.text or format_asf(acclaim, motion.name)
    place = place_for(text, path) if asf is None else Path(asf)
    if place is not None:
        with atomic_path(place) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="")
    moving = [name for name in bones if acclaim.bones[name].dof]
    with atomic_path(path) as temporary:
        temporary.write_text(format_amc(moving, values, motion.fps), encoding="utf-8")


FORMAT = Format("ASF/AMC", (".amc", ".asf"), read=read, write=write, beside=True)


def _fitting(skeleton: Skeleton, source: Mapping[str, Any]) -> tuple[Acclaim, list[str]]:
    """The file's own bones if the skeleton is still that of the file, else new ones."""
    if source and source["skeleton"] == skeleton:
        return source["asf"], list(source["bones"])
    asf, bones = from_skeleton(skeleton)
    if source and source["skeleton"].same_joints(skeleton):
        # Another size of the same character: axes, channels and limits still hold.
        before: Acclaim = source["asf"]
        for name, filed in zip(bones, source["bones"], strict=True):
            asf.bones[name] = replace(before.bones[filed], name=name, vector=asf.bones[name].vector)
        asf.length_unit = before.length_unit
    return asf, bones
