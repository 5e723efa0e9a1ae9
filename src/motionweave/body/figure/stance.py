"""Motions whose rest pose is the body as it stands, whatever the file's rest pose looks like.

What is drawn around a skeleton is planned at rest: heels are below ankles, toes ahead of them.
Many rigs have rest poses that do not stand, such as those that put all bones along one axis, or not
on flat feet; their motions show how the body stands.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from motionweave.body.pose.posture import LEG_JOINTS
from motionweave.body.retarget.anatomical_frames import Body
from motionweave.body.rig.roles import find_rig
from motionweave.body.soles import flat_at_rest
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.errors import RigError


def stance(motion: Motion) -> Array:
    """Global orientations ``(J, 4)`` of all joints when the body of a motion stands.

    Those of the rest pose, which are identities, if that stands on flat feet, or if nothing tells
    how the body stands.
    """
    skeleton = motion.skeleton
    if not flat_at_rest(motion) and find_rig(skeleton).has(*LEG_JOINTS):
        try:
            return Body(motion).stance()
        except RigError:  # Nothing tells where the body's front is.
            pass
    return np.tile(rotations.IDENTITY, (len(skeleton), 1))


def with_rest_pose(motion: Motion, orientations: Array) -> Motion:
    """The same motion with another rest pose.

    Parameters
    ----------
    motion
        Any.
    orientations
        ``(J, 4)`` of all joints in the new rest pose, as the motion's own rest pose counts them.

    Returns
    -------
    Motion
        Its joints and end sites are in the same places; joints are turned by the inverse of
        ``orientations`` from what they were.
    """
    skeleton = motion.skeleton
    above = orientations[np.maximum(skeleton.parents, 0)]
    # The root's parent is the world, which is not rotated.
    above[0] = rotations.IDENTITY
    local = rotations.multiply(
        rotations.multiply(above, motion.rotations), rotations.inverse(orientations)
    )
    return replace(
        motion,
        skeleton=replace(
            skeleton,
            offsets=rotations.rotate(above, skeleton.offsets),
            end_offsets=rotations.rotate(orientations[skeleton.end_parents], skeleton.end_offsets),
        ),
        rotations=local,
        translations=(
            None if motion.translations is None else rotations.rotate(above, motion.translations)
        ),
    )


def standing_at_rest(motion: Motion) -> Motion:
    """The same motion with its body's `stance` as its rest pose; itself if that stands already."""
    return motion if flat_at_rest(motion) else with_rest_pose(motion, stance(motion))
