"""A pose put in front of a clip (usually a T-pose) that is no part of its motion."""

from __future__ import annotations

import numpy as np

from motionweave.core import rotations
from motionweave.core.motion import Motion

# The first frame is foreign if a joint leaves it by this angle at once, and by so many
# times more than any joint turns between the frames that follow.
_LEAST_JUMP = np.radians(20.0)
_LEAST_RATIO = 5.0
_COMPARED = 6


def starts_with_rest_frame(motion: Motion) -> bool:
    """Whether frame 0 is a pose of its own, such as a T-pose, from which the clip jumps."""
    if len(motion) < 4:
        return False
    head = motion.rotations[: _COMPARED + 2]
    turns = rotations.angle_between(head[:-1], head[1:]).max(axis=1)
    return bool(turns[0] > _LEAST_JUMP and turns[0] > _LEAST_RATIO * turns[1:].max())


def first_frame(motion: Motion) -> int:
    """The frame at which the motion itself starts: 1 after a rest frame, else 0."""
    return int(starts_with_rest_frame(motion))
