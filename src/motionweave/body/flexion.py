"""How far shoulders, elbows, hips and knees are bent, measured as an anatomist would.

Flexion is an angle in the sagittal plane of the parent: of the chest for the upper arm,
of the pelvis for the thigh, of the thigh for the shin. It does not depend on how a file
names, orders or orients its channels.
"""

from __future__ import annotations

import numpy as np

from motionweave.body.rig.roles import SIDES, Rig, find_rig
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton

# A lateral axis of the rest pose shorter than this (of its usual length 1) is none.
_LEAST_WIDTH = 0.1
# A rest pose stands if its trunk is nearer to the vertical than this (cosine).
_STANDING = np.cos(np.radians(45.0))


def flexions(motion: Motion) -> dict[str, Array]:
    """Flexion ``(T,)`` in radians of every joint whose roles are known.

    Keys are the joints of event labels: ``L.S``, ``R.S`` (shoulder), ``L.E`` (elbow),
    ``L.HI`` (hip), ``L.K`` (knee) and so on. Forward is positive at shoulder and hip;
    a straight elbow or knee is 0, a bent one positive. Curves do not jump by full turns.
    """
    rig = find_rig(motion.skeleton)
    axes = body_axes(motion.skeleton)
    positions, orientations = motion.forward()

    def bone(upper: str, lower: str) -> Array:
        return positions[:, rig.roles[lower]] - positions[:, rig.roles[upper]]

    def seen_from(joint: int, vectors: Array) -> Array:
        """Components to the left, up and forward of a body part's rest axes ``(T, 3)``."""
        local = rotations.rotate(rotations.inverse(orientations[:, joint]), vectors)
        return local @ axes.T

    found: dict[str, Array] = {}
    for side in SIDES:
        letter = side[0].upper()
        thigh, shin, ankle = f"{side}_thigh", f"{side}_shin", f"{side}_ankle"
        arm, forearm, hand = f"{side}_upper_arm", f"{side}_forearm", f"{side}_hand"
        if rig.has("chest", arm, forearm):
            found[f"{letter}.S"] = _swing(seen_from(rig.roles["chest"], bone(arm, forearm)))
        if rig.has(arm, forearm, hand):
            # A forearm also turns about itself; the bend between the bones does not see that.
            found[f"{letter}.E"] = _bend(bone(arm, forearm), bone(forearm, hand))
        if rig.has("hips", thigh, shin):
            found[f"{letter}.HI"] = _swing(seen_from(rig.roles["hips"], bone(thigh, shin)))
        if rig.has(thigh, shin, ankle):
            upper = seen_from(rig.roles[thigh], bone(thigh, shin))
            lower = seen_from(rig.roles[thigh], bone(shin, ankle))
            # Backwards of the thigh is positive; in line with it is straight.
            found[f"{letter}.K"] = np.unwrap(_forward_angle(upper) - _forward_angle(lower))
    return {joint: _centred(angle) for joint, angle in found.items()}


def body_axes(skeleton: Skeleton) -> Array:
    """Left, up and forward of the rest pose, as the rows of a rotation matrix ``(3, 3)``.

    Left is from the right hip and shoulder to the left ones. Up is +y, or from the hips
    to the chest in a rest pose that lies; one that does not tell counts as facing +z.
    """
    rig = find_rig(skeleton)
    rest = skeleton.rest_positions
    left = rig.lateral_axis(rest[None])
    if left is None or np.linalg.norm(left[0]) < _LEAST_WIDTH:
        return np.eye(3)
    up = np.array([0.0, 1.0, 0.0])
    if rig.has("hips", "chest"):
        trunk = rest[rig.roles["chest"]] - rest[rig.roles["hips"]]
        # A spine curves: in a rest pose that stands, up is up.
        if trunk[1] < _STANDING * np.linalg.norm(trunk):
            up = trunk
    left_axis = left[0] / np.linalg.norm(left[0])
    up = up - left_axis * (left_axis @ up)
    if np.linalg.norm(up) < 1e-6 * skeleton.height:
        return np.eye(3)
    up /= np.linalg.norm(up)
    return np.stack([left_axis, up, np.cross(left_axis, up)])


def forward_of_pelvis(motion: Motion, rig: Rig) -> Array:
    """Unit vectors ``(T, 2)`` in (x, z): where the pelvis points."""
    hips = rig.roles.get("hips", 0)
    front = rotations.rotate(motion.orientations()[:, hips], body_axes(motion.skeleton)[2])
    level = front[:, [0, 2]]
    length = np.linalg.norm(level, axis=1, keepdims=True)
    return np.asarray(level / np.where(length > 0.0, length, 1.0))


def _forward_angle(seen: Array) -> Array:
    """Angle ``(T,)`` forward from straight down, of vectors (left, up, forward)."""
    return np.arctan2(seen[:, 2], -seen[:, 1])


def _swing(seen: Array) -> Array:
    return np.unwrap(_forward_angle(seen))


def _bend(upper: Array, lower: Array) -> Array:
    cross = np.linalg.norm(np.cross(upper, lower), axis=1)
    return np.arctan2(cross, np.sum(upper * lower, axis=1))


def _centred(angle: Array) -> Array:
    """The curve without whole turns: most of it between minus and plus half a turn."""
    turns = np.round(np.median(angle) / (2.0 * np.pi))
    return np.asarray(angle - 2.0 * np.pi * turns)
