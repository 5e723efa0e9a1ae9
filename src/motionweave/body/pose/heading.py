"""The direction in which a body faces."""

from __future__ import annotations

import numpy as np

from motionweave.body.rig.roles import SIDES, Rig, find_rig
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.numerics.vectors import unit

# A body whose left points this close to straight up or down does not face anywhere.
_LEAST_LEVEL = 0.15
# In frames in which the trunk is this upright (cosine), and the shins are, as in kneeling
# they are not, ...
_UPRIGHT, _ON_FEET = 0.9, 0.5
# ... feet point forwards; this much backwards (cosine) they never do for half of the frames.
_BACKWARDS = -0.3


def facing(motion: Motion) -> Array:
    """Facing direction ``(T,)`` of the body in radians, without jumps of full turns.

    0 is +z, and the direction in (x, z) is ``(sin, cos)`` of the angle: the sense of
    `Planar.angle`. Taken from the lines through both hips and both shoulders; frames in
    which these stand upright (lying on the side) are filled from their neighbours. Animals
    face where their trunk points. Where the skeleton lacks the roles, the turn of the root
    about the vertical is taken.
    """
    rig = find_rig(motion.skeleton)
    ahead = _ahead(rig, motion.positions())
    angle = None if ahead is None else seen_from_above(ahead, _LEAST_LEVEL)
    if angle is None:
        body = rig.roles.get("hips", 0)
        return np.unwrap(rotations.vertical_angle(motion.orientations()[:, body]))
    return angle


def seen_from_above(ahead: Array, least: float) -> Array | None:
    """Angles ``(T,)`` of vectors ``(T, 3)`` in radians, as of `facing`.

    Frames in which less than ``least`` of a vector is level are filled from their neighbours; None
    if that is all of them.
    """
    level = np.hypot(ahead[:, 0], ahead[:, 2]) > least
    if not level.any():
        return None
    angle = np.unwrap(np.arctan2(ahead[level, 0], ahead[level, 2]))
    frames = np.arange(len(ahead))
    return np.asarray(np.interp(frames, frames[level], angle))


def _ahead(rig: Rig, positions: Array) -> Array | None:
    """Vectors ``(T, 3)`` that are level and about 1 long where the body faces somewhere."""
    left = rig.lateral_axis(positions)
    if left is not None:
        # Facing +z, the left is +x.
        return np.stack([-left[:, 2], np.zeros(len(left)), left[:, 0]], axis=-1)
    front = next((role for role in ("chest", "neck", "head") if rig.has("hips", role)), None)
    if not rig.legs or front is None:
        return None
    trunk = positions[:, rig.roles[front]] - positions[:, rig.roles["hips"]]
    length = float(np.median(np.linalg.norm(trunk, axis=1)))
    return trunk / length if length > 0.0 else None


def sides_exchanged(motion: Motion) -> bool:
    """Whether left and right are swapped: the toes of the upright body point backwards.

    Parameters
    ----------
    motion
        A body in motion. Without toes, or if it never stands upright, this cannot be decided, and
        False is returned: the feet of somebody who kneels do point backwards.
    """
    rig = find_rig(motion.skeleton)
    feet = (f"{s}_{part}" for s in SIDES for part in ("shin", "ankle", "toe"))
    if not rig.has("hips", "chest", *feet):
        return False
    positions = motion.positions()

    def bone(upper: str, lower: str) -> Array:
        return unit(positions[:, rig.roles[lower]] - positions[:, rig.roles[upper]])

    upright = bone("hips", "chest")[:, 1] > _UPRIGHT
    for side in SIDES:
        upright &= bone(f"{side}_ankle", f"{side}_shin")[:, 1] > _ON_FEET
    if not upright.any():
        return False
    ahead = direction(facing(motion))
    toes = [np.sum(bone(f"{s}_ankle", f"{s}_toe")[:, [0, 2]] * ahead, axis=1) for s in SIDES]
    return bool(np.median(np.mean(toes, axis=0)[upright]) < _BACKWARDS)


def direction(angle: Array) -> Array:
    """Unit vectors ``(..., 2)`` in (x, z) of facing angles ``(...)``."""
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1)
