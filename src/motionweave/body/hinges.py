"""Which way knees and elbows bend."""

from __future__ import annotations

import numpy as np

from motionweave.body.rig.roles import SIDES, Rig, find_rig
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion

# Degrees by which a joint may pass straight, and how often, before it is worth a hint.
_TOLERATED = {"shin": 5.0, "forearm": 10.0}
# Upper joint, joint that bends, end, and where the end goes: -1 backwards, 1 forwards.
_HINGES = (("thigh", "shin", "ankle", -1.0), ("upper_arm", "forearm", "hand", 1.0))


def wrong_bends(motion: Motion) -> list[tuple[int, tuple[int, float, int]]]:
    """Knees and elbows that bend the wrong way.

    Returns
    -------
    Joint index, then the number of frames, the worst angle in degrees, and its frame.
    """
    rig = find_rig(motion.skeleton)
    found = []
    for upper, middle, end, way in _HINGES:
        for side in SIDES:
            angles = bend_angles(motion, rig, side, (upper, middle, end), way)
            if angles is None:
                continue
            wrong = angles < -_TOLERATED[middle]
            if np.any(wrong):
                worst = int(angles.argmin())
                joint = rig.roles[f"{side}_{middle}"]
                found.append((joint, (int(wrong.sum()), float(-angles[worst]), worst)))
    return found


def bend_angles(
    motion: Motion, rig: Rig, side: str, roles: tuple[str, str, str], way: float
) -> Array | None:
    """Bend ``(T,)`` in degrees of a limb, positive the way it is built; None if unknown.

    The axis is the one of the rest pose, fixed in the upper bone: across the bone and
    the direction (``way`` 1 forwards, -1 backwards) in which the end goes.
    """
    names = [f"{side}_{role}" for role in roles]
    if not rig.has(*names):
        return None
    rest = motion.skeleton.rest_positions
    left = rig.lateral_axis(rest[None])
    if left is None:
        return None
    forward = np.cross(left[0], [0.0, 1.0, 0.0])
    upper, middle, end = (rig.roles[name] for name in names)
    hinge = np.cross(rest[middle] - rest[upper], way * forward)
    if np.linalg.norm(hinge) < 1e-9 * motion.skeleton.height**2:
        return None
    positions, orientations = motion.forward()
    first = positions[:, middle] - positions[:, upper]
    second = positions[:, end] - positions[:, middle]
    axis = rotations.rotate(orientations[:, upper], hinge / np.linalg.norm(hinge))
    sine = np.sum(np.cross(first, second) * axis, axis=-1)
    cosine = np.sum(first * second, axis=-1)
    return np.degrees(np.arctan2(sine, cosine))
