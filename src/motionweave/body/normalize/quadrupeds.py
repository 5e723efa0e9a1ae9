"""Animals whose joints have human names, recognised by how they move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from motionweave.body.pose.posture import LEG_JOINTS, trunk_direction
from motionweave.body.rig.roles import SIDES, Rig, find_rig, leg_length
from motionweave.body.rig.tree import is_above
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion

_ARM_JOINTS = tuple(f"{side}_{role}" for side in SIDES for role in ("upper_arm", "hand"))
# Joints of a chain that may be a tail.
_TAIL = 3
# Who goes on all fours has a trunk no steeper than this (sine), hands no higher above the floor
# than this share of the leg, and, other than a human who crawls, no lower knees than that.
_LEVEL = 0.6
_HAND, _KNEE = 0.35, 0.3
# For this share of the clip: an animal may sit, beg or jump.
_MOSTLY = 0.6


def as_quadruped(motion: Motion) -> Motion:
    """The motion, on a skeleton with four legs if that is how the body walks.

    Rigs of dogs and horses often have the names of human joints, and zero poses that stand on
    nothing. What has a tail and goes on its hands and feet, knees off the floor, is an animal.

    Parameters
    ----------
    motion
        Any body. One whose limbs or legs the user has named is as the user says.
    """
    rig = find_rig(motion.skeleton)
    if rig.legs or motion.skeleton.roles or not rig.has("hips", *LEG_JOINTS, *_ARM_JOINTS):
        return motion
    if not (_has_tail(rig) and _on_all_fours(rig, motion.positions())):
        return motion
    return replace(motion, skeleton=replace(motion.skeleton, roles={"legs": 4}))


def _has_tail(rig: Rig) -> bool:
    """Whether a chain hangs from the hips that leads to no limb and no head."""
    skeleton, hips = rig.skeleton, rig.roles["hips"]
    for joint, parent in enumerate(skeleton.parents):
        if int(parent) != hips or any(
            joint == other or is_above(skeleton, joint, other) for other in rig.roles.values()
        ):
            continue
        below = [each for each in range(len(skeleton)) if is_above(skeleton, joint, each)]
        if len(below) + 1 >= _TAIL:
            return True
    return False


def _on_all_fours(rig: Rig, positions: Array) -> bool:
    """Whether the body goes so for most of joint ``positions`` ``(T, J, 3)``."""
    trunk = trunk_direction(rig, positions)
    assert trunk is not None
    heights = {role: positions[:, rig.roles[role], 1] for role in (*LEG_JOINTS, *_ARM_JOINTS)}
    hands, ankles, knees = (
        np.minimum(heights[f"left_{role}"], heights[f"right_{role}"])
        for role in ("hand", "ankle", "shin")
    )
    floor = np.minimum(hands, ankles).min()
    size = leg_length(rig.skeleton)
    fours = (
        (np.abs(trunk[:, 1]) < _LEVEL)
        & (hands - floor < _HAND * size)
        & (knees - floor > _KNEE * size)
    )
    return bool(fours.mean() >= _MOSTLY)
