"""Left, up and forward of pelvis and chest, in their own frames.

A rest pose that stands, its parts facing one way, says so directly. Many do not: bones along one
axis, or halves of the body turned against each other. Then the axes come from the
motion: left from the joints on both sides, up from what points up while the trunk is upright.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from motionweave.body.pose.heading import facing
from motionweave.body.rig.roles import SIDES, Rig, find_rig
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.numerics.vectors import unit
from motionweave.core.skeleton import Skeleton

# The joints that lie left and right of a body part.
_PAIRS = {"hips": "thigh", "chest": "upper_arm"}
# Directions of a standing rest pose may miss what they should be by this much (cosines).
_STANDS = np.cos(np.radians(45.0))
_LEVEL = np.cos(np.radians(25.0))
# How much the trunk's own direction counts compared with upright frames.
_TRUNK = 1e-3
# How quickly frames lose weight as the trunk leans.
_LEANS = 8.0


def part_axes(motion: Motion, part: str) -> Array:
    """Left, up and forward of a body part in its own frame, as the rows of a matrix ``(3, 3)``.

    Parameters
    ----------
    motion
        A body in motion.
    part
        ``"hips"`` or ``"chest"``; the rig must have it.
    """
    rig = find_rig(motion.skeleton)
    from_rest = rest_axes(motion.skeleton)
    if from_rest is not None:
        return from_rest
    positions, orientations = motion.forward()
    back = rotations.inverse(orientations[:, rig.roles[part]])
    left = _across(rig, positions, _PAIRS[part])
    if left is None:
        left = rig.lateral_axis(positions)
    if left is None:
        return np.eye(3)
    left = rotations.rotate(back, left).mean(axis=0)
    vertical = rotations.rotate(back, np.array([0.0, 1.0, 0.0]))
    up = vertical.mean(axis=0)
    if rig.has("hips", "chest"):
        trunk = unit(positions[:, rig.roles["chest"]] - positions[:, rig.roles["hips"]])
        upright = np.maximum(trunk[:, 1:2], 0.0) ** _LEANS
        up = np.mean(upright * vertical + _TRUNK * rotations.rotate(back, trunk), axis=0)
    return _frame(left, up)


def joint_forward(motion: Motion, joint: int) -> Array:
    """The direction ``(3,)`` in a joint's own frame that points where the body faces.

    Parameters
    ----------
    motion
        A body in motion.
    joint
        Any joint, such as the head.
    """
    from_rest = rest_axes(motion.skeleton)
    if from_rest is not None:
        return np.asarray(from_rest[2])
    angle = facing(motion)
    ahead = np.stack([np.sin(angle), np.zeros_like(angle), np.cos(angle)], axis=-1)
    back = rotations.inverse(motion.orientations()[:, joint])
    return unit(rotations.rotate(back, ahead).mean(axis=0))


@lru_cache(maxsize=256)
def rest_axes(skeleton: Skeleton) -> Array | None:
    """Left, up and forward of a rest pose that stands ``(3, 3)``; None if it is not usable.

    It stands if trunk and legs are upright, the lines through both hips and both shoulders
    are level and point the same way, and the toes point forward.
    """
    rig = find_rig(skeleton)
    rest = skeleton.rest_positions[None]
    if not rig.has("hips", "chest", "left_ankle", "right_ankle", "left_thigh", "right_thigh"):
        return None
    sides = [one for pair in _PAIRS.values() if (one := _across(rig, rest, pair)) is not None]
    lateral = rig.lateral_axis(rest)
    if not sides or lateral is None or np.linalg.norm(lateral[0]) < 0.5:
        return None
    left = unit(lateral[0] * np.array([1.0, 0.0, 1.0]))
    # Bones from which up is seen, and toes, from which forward is.
    upward = [("hips", "chest"), *((f"{side}_ankle", f"{side}_thigh") for side in SIDES)]
    stands = all(unit(_bone(rig, rest, a, b))[0, 1] > _STANDS for a, b in upward)
    level = all(unit(side)[0] @ left > _LEVEL for side in sides)
    axes = _frame(left, np.array([0.0, 1.0, 0.0]))
    toes = [
        _bone(rig, rest, f"{side}_ankle", f"{side}_toe")[0]
        for side in SIDES
        if rig.has(f"{side}_toe")
    ]
    ahead = all(toe @ axes[2] >= 0.0 for toe in toes)
    if not (stands and level and ahead):
        return None
    axes.setflags(write=False)
    return axes


def _bone(rig: Rig, positions: Array, start: str, end: str) -> Array:
    return np.asarray(positions[:, rig.roles[end]] - positions[:, rig.roles[start]])


def _across(rig: Rig, positions: Array, pair: str) -> Array | None:
    """Unit vectors ``(T, 3)`` from a joint of the right side to that of the left, or None."""
    if not rig.has(f"left_{pair}", f"right_{pair}"):
        return None
    across = _bone(rig, positions, f"right_{pair}", f"left_{pair}")
    return unit(across) if np.all(np.linalg.norm(across, axis=1) > 0.0) else None


def _frame(left: Array, up: Array) -> Array:
    """Rows left, up and forward of a right-handed frame; left holds, up is made to fit."""
    left = unit(left)
    up = up - left * (left @ up)
    if not np.any(left) or np.linalg.norm(up) < 1e-9:
        return np.eye(3)
    up = unit(up)
    return np.stack([left, up, np.cross(left, up)])
