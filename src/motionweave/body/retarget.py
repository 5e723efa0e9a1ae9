"""Motions of one character put on another with the same joints but other bones.

Two actors of one convention have the same tree and other lengths. Rotations carry over;
the root goes as much farther as the legs are longer, so that steps fit strides; limbs
whose rest pose points elsewhere are turned back to where they pointed. What is left of
feet that slide or float is for the foot clean-up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton
from motionweave.errors import RigError

# Limbs whose rest poses differ by less are taken as alike: bodies differ by that much.
_ALIKE = np.radians(3.0)
_LIMB_BONES = (("thigh", "shin"), ("shin", "ankle"), ("upper_arm", "forearm"), ("forearm", "hand"))


def on_skeleton(motion: Motion, skeleton: Skeleton) -> Motion:
    """The motion performed by another character with the same joints.

    Parameters
    ----------
    motion
        What to perform.
    skeleton
        Who performs it: same joint names and tree, any bone lengths.

    Raises
    ------
    RigError
        If the joints differ; the message lists which.
    """
    source = motion.skeleton
    if skeleton == source:
        return motion
    _require_same_joints(source, skeleton, motion.name)
    scale = _size(skeleton) / _size(source)
    return replace(
        motion,
        skeleton=skeleton,
        root=motion.root * scale,
        rotations=_turned_limbs(motion, skeleton),
        translations=None
        if motion.translations is None
        else skeleton.offsets + (motion.translations - source.offsets) * scale,
    )


def common_skeleton(motions: Sequence[Motion]) -> Skeleton:
    """The skeleton on which several motions can be combined: the first one's.

    Raises
    ------
    RigError
        If there is none because joints differ; the message names the motion and lists them.
    """
    if not motions:
        raise RigError("no motions, so no skeleton that they could have in common")
    first = motions[0].skeleton
    for motion in motions[1:]:
        _require_same_joints(first, motion.skeleton, motion.name)
    return first


def on_common_skeleton(
    motions: Sequence[Motion], skeleton: Skeleton | None = None
) -> tuple[Motion, ...]:
    """All motions on one skeleton: the given one, or the first motion's."""
    target = common_skeleton(motions) if skeleton is None else skeleton
    return tuple(on_skeleton(motion, target) for motion in motions)


def _require_same_joints(first: Skeleton, second: Skeleton, name: str) -> None:
    how = first.difference(second)
    if how:
        called = f" (clip {name!r})" if name else ""
        raise RigError(
            f"the skeletons have different joints{called}: {how}; "
            "only clips with the same joint names and hierarchy can be combined"
        )


def _size(skeleton: Skeleton) -> float:
    """Leg length, or the height of a rig without legs."""
    rig = find_rig(skeleton)
    if rig.has("left_thigh", "left_ankle", "right_thigh", "right_ankle"):
        return leg_length(skeleton, rig)
    if skeleton.height <= 0.0:
        raise RigError("a skeleton without any extent cannot take over a motion")
    return skeleton.height


def _turned_limbs(motion: Motion, skeleton: Skeleton) -> Array:
    """Local rotations ``(T, J, 4)`` under which limbs point where they do in the motion."""
    source = motion.skeleton
    rig = find_rig(source)
    turns: dict[int, Array] = {}
    for side in SIDES:
        for upper, lower in _LIMB_BONES:
            if not rig.has(f"{side}_{upper}", f"{side}_{lower}"):
                continue
            joint, end = rig.roles[f"{side}_{upper}"], rig.roles[f"{side}_{lower}"]
            there = skeleton.rest_positions[end] - skeleton.rest_positions[joint]
            here = source.rest_positions[end] - source.rest_positions[joint]
            if not (np.any(there) and np.any(here)):
                continue
            turn = rotations.between_vectors(there, here)
            if rotations.angle_between(turn, rotations.IDENTITY) > _ALIKE:
                turns[joint] = turn
    if not turns:
        return motion.rotations
    local = np.array(motion.rotations)
    for joint, parent in enumerate(source.parents):
        # A joint turned by `turn` in its own frame takes its children along: undo that.
        if int(parent) in turns:
            local[:, joint] = rotations.multiply(
                rotations.inverse(turns[int(parent)]), local[:, joint]
            )
        if joint in turns:
            local[:, joint] = rotations.multiply(local[:, joint], turns[joint])
    return local
