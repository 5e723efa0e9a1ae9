"""The posture of a body: where its trunk points, and whether a rest pose is a standing one."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from motionweave.body.rig.roles import SIDES, Rig, find_rig
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.numerics.vectors import unit
from motionweave.core.skeleton import Skeleton

LEG_JOINTS = tuple(f"{side}_{role}" for side in SIDES for role in ("thigh", "shin", "ankle"))

# A rest pose stands if legs and trunk are nearer to the vertical than this (cosine), and
# what is to the left of it nearer to the horizontal than this (sine).
_UPRIGHT = np.cos(np.radians(35.0))
_LEVEL = np.sin(np.radians(30.0))
# Components of a quaternion that differ by less do not.
_TURNS = 1e-9


@lru_cache(maxsize=256)
def rest_stands(skeleton: Skeleton) -> bool:
    """Whether the rest pose is a standing one: T-pose, A-pose, arms as they may be.

    Other rest poses show neither how the body is oriented nor how flat feet look: many rigs put all
    bones along one axis, or have meaningless zeros.
    """
    rig = find_rig(skeleton)
    rest = skeleton.rest_positions
    if not rig.has(*LEG_JOINTS):
        return False
    left = rig.lateral_axis(rest[None])
    if left is None or np.linalg.norm(left[0]) < 0.5:
        return False
    # Legs alone, without anything above them, may stand too.
    trunk = trunk_direction(rig, rest[None])
    up = np.array([0.0, 1.0, 0.0]) if trunk is None else trunk[0]
    if up[1] < _UPRIGHT or abs(left[0, 1]) > _LEVEL * np.linalg.norm(left[0]):
        return False
    forward = np.cross(left[0], up)
    for side in SIDES:
        thigh, ankle = (rest[rig.roles[f"{side}_{role}"]] for role in ("thigh", "ankle"))
        leg = thigh - ankle
        if leg[1] < _UPRIGHT * np.linalg.norm(leg) or not np.any(leg):
            return False
        if rig.has(f"{side}_toe") and (rest[rig.roles[f"{side}_toe"]] - ankle) @ forward < 0.0:
            return False
    return True


def bending_spine(rig: Rig, *motions: Motion) -> tuple[int, ...]:
    """Joints of the spine that turn in at least one of the motions; all if none does.

    Some rigs have helper joints in the spine, which never turn and share in no bend.

    Parameters
    ----------
    rig
        Which joint is which.
    *motions
        On the rig's skeleton.
    """
    turning = tuple(
        joint
        for joint in rig.spine
        if any(np.ptp(motion.rotations[:, joint], axis=0).max() > _TURNS for motion in motions)
    )
    return turning or rig.spine


def trunk_direction(rig: Rig, positions: Array) -> Array | None:
    """Unit directions ``(T, 3)`` from the middle of the hips to the top of the trunk.

    None if the rig lacks legs, or all of arms, neck, head and chest.

    Parameters
    ----------
    rig
        Which joint is which.
    positions
        ``(T, J, 3)`` of its joints.
    """
    if not rig.has(*LEG_JOINTS):
        return None
    hips = 0.5 * (positions[:, rig.roles["left_thigh"]] + positions[:, rig.roles["right_thigh"]])
    if rig.has("left_upper_arm", "right_upper_arm"):
        top = 0.5 * (
            positions[:, rig.roles["left_upper_arm"]] + positions[:, rig.roles["right_upper_arm"]]
        )
    else:
        role = next((r for r in ("neck", "head", "chest") if r in rig.roles), None)
        if role is None:
            return None
        top = positions[:, rig.roles[role]]
    return unit(top - hips)
