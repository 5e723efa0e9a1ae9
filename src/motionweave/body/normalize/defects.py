"""Defects of recordings that loading can only report: broken frames, no or half of the motion."""

from __future__ import annotations

import numpy as np

from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import find_rig, leg_length
from motionweave.body.size import body_height
from motionweave.body.soles import contact_points, has_feet
from motionweave.core.constraints import FOOT_KINDS
from motionweave.core.motion import Motion

# Numbers of a file that differ by less, of quaternions or of the body's height, are the same.
_SAME = 1e-5
# No body moves as many body heights from one frame to the next, nor per second.
_FARTHEST_STEP, _TOP_SPEED = 1.0, 30.0
# In leg lengths: a pelvis whose height varies by no more than this does not move up and down ...
_STILL_PELVIS = 1e-3
# ... a foot this far above the lowest place of all is off the floor, if the pelvis is at least as
# high above that place as that of a body that stands ...
_OFF_FLOOR, _STANDING = 0.1, 0.7
# ... and this share of the clip is longer than the flights of a run.
_LEAST_SHARE = 0.25


def stands_still(motion: Motion) -> bool:
    """Whether all frames after a T-pose at the beginning are one pose.

    Parameters
    ----------
    motion
        Any body, of at least one frame.
    """
    moving = motion[tpose_frames(motion) :]
    room = _SAME * max(body_height(motion.skeleton), float(np.abs(motion.root).max()))
    moves = [moving.root] if moving.translations is None else [moving.root, moving.translations]
    turning = np.ptp(moving.rotations, axis=0).max() > _SAME
    return not turning and all(np.ptp(one, axis=0).max() <= room for one in moves)


def broken_frame(motion: Motion) -> tuple[int, float] | None:
    """The frame after which the body is suddenly far away, and the distance in body heights.

    Of several such frames the one with the largest jump; None if there is none. Frame 0 is not
    looked at: a reference pose often stands elsewhere.

    Parameters
    ----------
    motion
        Any body.
    """
    height = body_height(motion.skeleton)
    if len(motion) < 3 or height <= 0.0:
        return None
    steps = np.linalg.norm(np.diff(motion.root[1:], axis=0), axis=1) / height
    worst = int(steps.argmax())
    if steps[worst] < _FARTHEST_STEP or steps[worst] * motion.fps < _TOP_SPEED:
        return None
    return worst + 1, float(steps[worst])


def missing_root_motion(motion: Motion) -> float | None:
    """How high, in leg lengths, both feet rise because the pelvis never sinks; None if all is well.

    Exports of rotations alone keep the pelvis in one place. The body then does not crouch or sit
    down: its legs fold, and the feet hang in the air.

    Parameters
    ----------
    motion
        Any motion; one without feet, or with feet that only its shape suggests, is left alone.
    """
    named = find_rig(motion.skeleton).origins.get("left_thigh") != "shape"
    if len(motion) < 2 or not named or not has_feet(motion.skeleton):
        return None
    size = leg_length(motion.skeleton)
    if np.ptp(motion.root[:, 1]) > _STILL_PELVIS * size:
        return None
    points = contact_points(motion)
    lowest = np.min([points[kind][:, 1] for kind in FOOT_KINDS], axis=0)
    rise = (lowest - lowest.min()) / size
    stands = motion.root[:, 1].max() - lowest.min() >= _STANDING * size
    return float(rise.max()) if stands and np.mean(rise > _OFF_FLOOR) >= _LEAST_SHARE else None
