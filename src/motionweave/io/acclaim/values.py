"""The values of bones' channels, and the poses that they stand for.

The numbers of a bone turn about the bone's own axes C, which ASF gives in the axes of the
rest pose: the local rotation of its joint is ``C M C⁻¹``, which is the identity at rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.skeleton import Skeleton
from motionweave.io.acclaim.bones import MOVES, ROOT, TURNS, Acclaim, Bone, widened
from motionweave.io.axes import PoseArrays
from motionweave.io.bvh.channels import ANGLE_DECIMALS, length_decimals, without_full_turns

# Degrees, and share of body height, that are small enough to need no channel.
_NO_ANGLE = 1e-6
_SAME_PLACE = 1e-7


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
