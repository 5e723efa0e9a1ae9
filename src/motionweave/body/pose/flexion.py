"""How far shoulders, elbows, hips and knees are bent, in anatomical terms.

Flexion is an angle in the sagittal plane of the parent: of the chest for the upper arm,
of the pelvis for the thigh, of the thigh for the shin. It does not depend on how a file
names, orders or orients its channels.
"""

from __future__ import annotations

import numpy as np

from motionweave.body.hinges import find_hinges
from motionweave.body.pose.axes import part_axes
from motionweave.body.rig.roles import SIDES, Rig, find_rig
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.numerics.quantiles import median
from motionweave.core.numerics.vectors import unit


def flexions(motion: Motion, pose: tuple[Array, Array] | None = None) -> dict[str, Array]:
    """Flexion ``(T,)`` in radians of every joint whose roles are known.

    Keys are the joints of event labels: ``L.S``, ``R.S`` (shoulder), ``L.E`` (elbow),
    ``L.HI`` (hip), ``L.K`` (knee) and so on. Forward is positive at shoulder and hip;
    a straight elbow or knee is 0, a bent one positive. Curves do not jump by full turns.
    ``pose`` is what `Motion.forward` gives, if it is known.
    """
    rig = find_rig(motion.skeleton)
    positions, orientations = pose = motion.forward() if pose is None else pose
    hinges = find_hinges(motion, pose, arms=False)

    def bone(upper: str, lower: str) -> Array:
        return positions[:, rig.roles[lower]] - positions[:, rig.roles[upper]]

    def seen_from(part: str, vectors: Array) -> Array:
        """Components to the left, up and forward of a body part ``(T, 3)``."""
        local = rotations.rotate(rotations.inverse(orientations[:, rig.roles[part]]), vectors)
        return local @ part_axes(motion, part).T

    found: dict[str, Array] = {}
    for side in SIDES:
        letter = side[0].upper()
        thigh, shin = f"{side}_thigh", f"{side}_shin"
        arm, forearm, hand = f"{side}_upper_arm", f"{side}_forearm", f"{side}_hand"
        if rig.has("chest", arm, forearm):
            found[f"{letter}.S"] = _forward_angle(seen_from("chest", bone(arm, forearm)))
        if rig.has(arm, forearm, hand):
            # A forearm also turns about itself; the bend between the bones does not see that.
            found[f"{letter}.E"] = _bend(bone(arm, forearm), bone(forearm, hand))
        if rig.has("hips", thigh, shin):
            found[f"{letter}.HI"] = _forward_angle(seen_from("hips", bone(thigh, shin)))
        if shin in hinges:
            found[f"{letter}.K"] = hinges[shin].flexion(positions, orientations)
    if not found:
        return {}
    # All at once: a bend between two bones, which never jumps, stays as it is.
    angles = _centred(np.unwrap(np.stack(list(found.values())), axis=1))
    return dict(zip(found, angles, strict=True))


def forward_of_pelvis(motion: Motion, rig: Rig, orientations: Array) -> Array:
    """Unit vectors ``(T, 2)`` in (x, z): where the pelvis points.

    ``orientations`` ``(T, J, 4)`` are the motion's own.
    """
    hips = rig.roles.get("hips", 0)
    axes = part_axes(motion, "hips") if rig.has("hips") else np.eye(3)
    front = rotations.rotate(orientations[:, hips], axes[2])
    return unit(front[:, [0, 2]])


def _forward_angle(seen: Array) -> Array:
    """Angle ``(T,)`` forward from straight down, of vectors (left, up, forward)."""
    return np.arctan2(seen[:, 2], -seen[:, 1])


def _bend(upper: Array, lower: Array) -> Array:
    cross = rotations.cross(upper, lower)
    sine, cosine = np.einsum("tc,tc->t", cross, cross) ** 0.5, np.einsum("tc,tc->t", upper, lower)
    return np.arctan2(sine, cosine)


def _centred(angles: Array) -> Array:
    """Curves ``(n, T)`` without whole turns: most of each between minus and plus half a turn."""
    turns = np.round(median(angles.T) / (2.0 * np.pi))
    return np.asarray(angles - 2.0 * np.pi * turns[:, None])
