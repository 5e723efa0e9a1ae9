"""Broken frames: those in which a body is suddenly far away."""

from __future__ import annotations

import numpy as np

from motionweave.body.size import body_height
from motionweave.core.motion import Motion

# Body heights per frame and per second that no body moves.
_STEP, _SPEED = 1.0, 30.0


def thrown(motion: Motion) -> tuple[int, float] | None:
    """The frame after which the body is farthest away, and how many of its heights; or None.

    Frame 0 is not looked at: a pose for reference often stands elsewhere.

    Parameters
    ----------
    motion
        Any body.
    """
    height = body_height(motion.skeleton)
    if len(motion) < 3 or height <= 0.0:
        return None
    ways = np.linalg.norm(np.diff(motion.root[1:], axis=0), axis=1) / height
    worst = int(ways.argmax())
    if ways[worst] < _STEP or ways[worst] * motion.fps < _SPEED:
        return None
    return worst + 1, float(ways[worst])
