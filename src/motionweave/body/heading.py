"""The direction in which a body faces."""

from __future__ import annotations

import numpy as np

from motionweave.body.rig.roles import find_rig
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion

# A body whose left points this close to straight up or down does not face anywhere.
_LEAST_LEVEL = 0.15


def facing(motion: Motion) -> Array:
    """Angle ``(T,)`` in which the body faces, in radians, without jumps of full turns.

    0 is +z, and the direction in (x, z) is ``(sin, cos)`` of the angle: the sense of
    `Planar.angle`. Taken from the lines through both hips and both shoulders; frames in
    which these stand upright (lying on the side) are filled from their neighbours. Where
    the skeleton lacks the roles, the turn of the root about the vertical is taken.
    """
    rig = find_rig(motion.skeleton)
    positions, orientations = motion.forward()
    left = rig.lateral_axis(positions)
    level = None if left is None else np.hypot(left[:, 0], left[:, 2]) > _LEAST_LEVEL
    if left is None or level is None or not level.any():
        body = rig.roles.get("hips", 0)
        return np.unwrap(rotations.vertical_angle(orientations[:, body]))
    # Facing +z, the left is +x; turned by the angle it is (cos, -sin) in (x, z).
    angle = np.arctan2(-left[:, 2], left[:, 0])
    frames = np.arange(len(motion))
    return np.asarray(np.interp(frames, frames[level], np.unwrap(angle[level])))


def direction(angle: Array) -> Array:
    """Unit vectors ``(..., 2)`` in (x, z) of facing angles ``(...)``."""
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1)
