"""Acclaim motion (ASF/AMC): the skeleton in one file, its takes in others beside it.

The numbers of a bone turn about the bone's own axes C, which ASF gives in the axes of the
rest pose: the local rotation of its joint is ``C M C⁻¹``, which is the identity at rest.
AMC does not state its frame rate; files written here have it in a comment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.checks import FASTEST, LARGEST, MOST_FRAMES, SLOWEST, size
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton
from motionweave.errors import FormatError
from motionweave.io.acclaim.asf import (
    MOVES,
    ROOT,
    TURNS,
    Acclaim,
    Bone,
    format_asf,
    from_skeleton,
    parse_asf,
    to_skeleton,
    widened,
)
from motionweave.io.acclaim.takes import find_asf, place_for, sibling
from motionweave.io.axes import (
    UP_OR_DOWN,
    PoseArrays,
    check_up,
    found_up,
    from_axes_of_file,
    to_axes_of_file,
)
from motionweave.io.bvh.channels import ANGLE_DECIMALS, length_decimals, without_full_turns
from motionweave.io.numbers import NotANumberError, decimals, parse_numbers
from motionweave.io.registry import Format
from motionweave.io.store.atomic import atomic_path

# The usual rate of motion-capture studios, and of the CMU archive in particular.
USUAL_RATE = 120.0
_RATE = re.compile(r"#\s*frames (?:a|per) second:\s*(\d{1,9}(?:\.\d{1,30})?(?:e-?\d{1,3})?)\s*$")
# Degrees, and share of body height, that are small enough to need no channel.
_NO_ANGLE = 1e-6
_SAME_PLACE = 1e-7


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
        values, said, warnings = _parse_amc(take, acclaim)
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
    columns = [[decimals(row) for row in values[name].tolist()] for name in moving]
    lines = [f"# frames per second: {motion.fps!r}", ":FULLY-SPECIFIED", ":DEGREES"]
    for frame, row in enumerate(zip(*columns, strict=True), start=1):
        lines.append(str(frame))
        lines += [f"{name} {numbers}" for name, numbers in zip(moving, row, strict=True)]
    with atomic_path(path) as temporary:
        temporary.write_text("\n".join([*lines, ""]), encoding="utf-8")


FORMAT = Format("ASF/AMC", (".amc", ".asf"), read=read, write=write, beside=True)


# Numbers


def _parse_amc(path: Path, asf: Acclaim) -> tuple[dict[str, Array], float | None, list[str]]:
    """Values ``(T, n)`` of each bone in degrees, the frame rate if it is stated, warnings."""
    data = path.read_bytes()
    if b"\0" in data:
        raise FormatError("this is a binary file, not an AMC text", path)
    degrees, rate = asf.degrees, None
    # For each bone the frames in which it has numbers, and the numbers as text.
    said: dict[str, tuple[list[int], list[str]]] = {name: ([], []) for name in asf.bones}
    lines: dict[str, list[int]] = {name: [] for name in asf.bones}
    frames, last = 0, None
    warnings = []
    for number, line in enumerate(data.decode("utf-8-sig", "replace").splitlines(), start=1):
        words = line.split(maxsplit=1)
        if not words:
            continue
        word = words[0]
        if word.startswith("#"):
            match = _RATE.match(line)
            if match and SLOWEST <= float(match.group(1)) <= FASTEST:
                rate = float(match.group(1))
        elif word.startswith(":"):
            if word[1:].lower() in ("degrees", "radians"):
                degrees = word[1:].lower() == "degrees"
        elif word.isascii() and word.isdecimal() and len(words) == 1:
            counted = int(word[:18])
            if last is not None and counted <= last:
                raise FormatError(f"frame {counted} comes after frame {last}", path, number)
            if last is not None and counted != last + 1:
                warnings.append(f"frames {last + 1} to {counted - 1} are missing")
            last = counted
            frames += 1
            if frames > MOST_FRAMES:
                raise FormatError(f"more than {MOST_FRAMES} frames", path, number)
        elif frames == 0:
            raise FormatError(f"expected the first frame, found {word[:40]!r}", path, number)
        elif word not in said:
            raise FormatError(f"the skeleton has no bone {word[:40]!r}", path, number)
        else:
            at, texts = said[word]
            if at and at[-1] == frames - 1:
                raise FormatError(f"the bone {word!r} appears twice in a frame", path, number)
            at.append(frames - 1)
            texts.append(words[1] if len(words) > 1 else "")
            lines[word].append(number)
    if frames == 0:
        raise FormatError("there are no frames", path)
    size(frames, len(asf.bones), len(data))
    values = {
        name: _column(asf.bones[name], *said[name], lines[name], frames, path) for name in said
    }
    if not degrees:
        for name, bone in asf.bones.items():
            turns = [index for index, one in enumerate(bone.dof) if one in TURNS]
            values[name][:, turns] = np.degrees(values[name][:, turns])
    return values, rate, warnings[:5]


def _column(
    bone: Bone, at: list[int], texts: list[str], lines: list[int], frames: int, path: Path
) -> Array:
    """Values ``(T, n)`` of a bone; a frame without values repeats those of the one before."""
    count = len(bone.dof)
    try:
        numbers, counts = parse_numbers("\n".join([*texts, ""]).encode())
    except NotANumberError as error:
        row = _row_of(texts, error.index)
        raise FormatError(
            f"bone {bone.name!r}: {error.token[:40]!r} is not a number", path, lines[row]
        ) from None
    wrong = np.flatnonzero(counts != count)
    if len(wrong):
        raise FormatError(
            f"the bone {bone.name!r} has {counts[wrong[0]]} numbers, but {count} channels",
            path,
            lines[wrong[0]],
        )
    rows = numbers.reshape(len(at), count)
    # Moves count from the offset; where they lead is checked with the motion.
    if rows.size and np.abs(rows).max() > 4.0 * LARGEST:
        row = int(np.argmax(np.abs(rows).max(axis=1)))
        raise FormatError(f"bone {bone.name!r}: a number is out of range", path, lines[row])
    if len(at) == frames:
        return rows
    index = np.full(frames, -1)
    index[at] = np.arange(len(at))
    index = np.maximum.accumulate(index)
    return np.concatenate([np.zeros((1, count)), rows])[index + 1]


def _row_of(texts: Sequence[str], index: int) -> int:
    """Which of the texts holds the number of that index."""
    for row, text in enumerate(texts):
        index -= len(text.split())
        if index < 0:
            return row
    raise IndexError(index)


def decode(
    asf: Acclaim, bones: Sequence[str], skeleton: Skeleton, values: Mapping[str, Array]
) -> PoseArrays:
    """The pose of values in degrees, in the file's axes."""
    frames = len(values[ROOT])
    quaternions = np.empty((frames, len(bones), 4))
    moves = np.tile(skeleton.offsets, (frames, 1, 1))
    sliding = False
    for joint, name in enumerate(bones):
        bone = asf.bones[name]
        axes = bone.turn
        turn = _turn(bone, values[name])
        quaternions[:, joint] = rotations.multiply(
            rotations.multiply(axes, turn), rotations.inverse(axes)
        )
        for index, channel in enumerate(bone.dof):
            if channel in MOVES:
                along = np.zeros(3)
                along[MOVES.index(channel)] = 1.0
                # The root moves along the axes of the world, bones along their own.
                direction = along if joint == 0 else rotations.rotate(axes, along)
                moves[:, joint] += values[name][:, index, None] * direction
                sliding |= joint > 0
    root = moves[:, 0].copy()
    moves[:, 0] = skeleton.offsets[0]
    return PoseArrays(root, quaternions, moves if sliding else None)


def _turn(bone: Bone, values: Array) -> Array:
    """M ``(T, 4)``: turns about the bone's own axes, the first channel applied first."""
    turns = [index for index, one in enumerate(bone.dof) if one in TURNS][::-1]
    if not turns:
        return np.tile(rotations.IDENTITY, (len(values), 1))
    order = "".join(bone.dof[index][1].upper() for index in turns)
    return rotations.from_euler(np.radians(values[:, turns]), order)


def encode(
    asf: Acclaim,
    bones: Sequence[str],
    skeleton: Skeleton,
    pose: PoseArrays,
    source: Mapping[str, Any],
) -> tuple[Acclaim, dict[str, Array]]:
    """Values in degrees for a pose; bones that lack channels that it needs get them."""
    height = skeleton.height
    filed = source.get("values", {})
    said = dict(asf.bones)
    values = {}
    for joint, name in enumerate(bones):
        bone = asf.bones[name]
        axes = bone.turn
        local = rotations.multiply(
            rotations.multiply(rotations.inverse(axes), pose.rotations[:, joint]), axes
        )
        place = pose.root if joint == 0 else None
        if joint > 0 and pose.translations is not None:
            place = pose.translations[:, joint]
        away = np.zeros((len(local), 3))
        if place is not None:
            away = place - skeleton.offsets[joint]
            if joint > 0:
                away = rotations.rotate(rotations.inverse(axes), away)
        kept = filed.get(name)
        if kept is not None and _still(bone, kept, local, away, height):
            said[name], values[name] = bone, _unwound(bone, kept)
            continue
        bone = _with_room(bone, local, away, height)
        said[name] = bone
        values[name] = _values(bone, local, away, height)
    same = all(said[name].dof == asf.bones[name].dof for name in bones)
    return replace(asf, bones=said, text=asf.text if same else ""), values


def _still(bone: Bone, values: Array, local: Array, away: Array, height: float) -> bool:
    """Whether a file's numbers still describe this pose."""
    if len(values) != len(local) or "l" in bone.dof:
        return False
    moves = np.zeros_like(away)
    for index, channel in enumerate(bone.dof):
        if channel in MOVES:
            moves[:, MOVES.index(channel)] = values[:, index]
    close = rotations.angle_between(_turn(bone, values), local).max() < np.radians(_NO_ANGLE)
    return bool(close) and bool(np.allclose(moves, away, rtol=0.0, atol=1e-9 * height))


def _unwound(bone: Bone, values: Array) -> Array:
    turns = [index for index, one in enumerate(bone.dof) if one in TURNS]
    result = values.copy()
    result[:, turns] = without_full_turns(values[:, turns])
    return result


def _all_turns(bone: Bone) -> list[str]:
    """Three rotation channels that begin with those of the bone."""
    turns = [one for one in bone.dof if one in TURNS]
    return [*turns, *(one for one in TURNS if one not in turns)]


def _angles(bone: Bone, local: Array) -> dict[str, Array]:
    """Degrees ``(T,)`` about each axis."""
    order = _all_turns(bone)[::-1]
    angles = np.degrees(rotations.to_euler(local, "".join(one[1].upper() for one in order)))
    return {one: angles[:, index] for index, one in enumerate(order)}


def _with_room(bone: Bone, local: Array, away: Array, height: float) -> Bone:
    angles = _angles(bone, local)
    needed = [
        one
        for one, column in angles.items()
        if one not in bone.dof and np.abs(column).max() > _NO_ANGLE
    ]
    moves = [
        one
        for axis, one in enumerate(MOVES)
        if one not in bone.dof and np.abs(away[:, axis]).max() > _SAME_PLACE * height
    ]
    if needed:
        # All three: with two of them the angles may jump.
        needed = [one for one in _all_turns(bone) if one not in bone.dof]
    return widened(bone, [*moves, *needed]) if needed or moves else bone


def _values(bone: Bone, local: Array, away: Array, height: float) -> Array:
    angles = _angles(bone, local)
    places = length_decimals(height)
    columns = []
    for one in bone.dof:
        if one in TURNS:
            columns.append(np.round(angles[one], ANGLE_DECIMALS))
        elif one in MOVES:
            columns.append(np.round(away[:, MOVES.index(one)], places))
        else:
            columns.append(np.zeros(len(local)))
    return np.stack(columns, axis=1) if columns else np.zeros((len(local), 0))


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
