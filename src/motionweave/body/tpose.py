"""A T-pose that a converter put before the first captured frame."""

from __future__ import annotations

import numpy as np

from motionweave.core import rotations
from motionweave.core.motion import Motion

# A step from the first frame to the second that no joint makes in a captured motion.
_JUMP = np.radians(12.0)
# ... and so many times the largest step of the frames that follow.
_OUT_OF_LINE = 3.0
# Frames that follow.
_FOLLOWING = 12
# A T-pose is as wide as the body is high, give or take, and flat.
_WIDE = 0.75
_FLAT = 0.5


def starts_in_tpose(motion: Motion) -> bool:
    """Whether frame 0 is a T-pose (or the rest pose) that the motion jumps away from.

    Many archives have such a frame, as a reference for the skeleton. It is no part of
    the motion: registration, blending and contacts are better off without it
    (``motion[1:]``). A clip whose performer really stands with arms spread, and
    moves on from there, is not meant.
    """
    if len(motion) < 3:
        return False
    start = motion.rotations[: _FOLLOWING + 2]
    steps = rotations.angle_between(start[:-1], start[1:])
    largest = steps.max(axis=1)
    if largest[0] < max(_JUMP, _OUT_OF_LINE * float(np.median(largest[1:]))):
        return False
    return _is_rest(motion) or _is_t_shaped(motion)


def _is_rest(motion: Motion) -> bool:
    """Whether no joint but the root is turned in frame 0."""
    if len(motion.skeleton) < 2:
        return False
    turn = rotations.angle_between(motion.rotations[0, 1:], rotations.IDENTITY)
    return bool(turn.max() < 1e-3)


def _is_t_shaped(motion: Motion) -> bool:
    first = motion[:1]
    points = np.concatenate([first.positions()[0], first.end_positions()[0]])
    height = float(np.ptp(points[:, 1]))
    floor = points[:, [0, 2]] - points[:, [0, 2]].mean(axis=0)
    # The principal axes of the body seen from above: from hand to hand, and the depth.
    axes = np.linalg.eigh(floor.T @ floor)[1]
    depth, width = np.ptp(floor @ axes, axis=0)
    return bool(width > _WIDE * height and depth < _FLAT * width)
