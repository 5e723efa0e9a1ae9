"""Files without the movement of the root: the pelvis stays where it is, and the feet rise."""

from __future__ import annotations

import numpy as np

from motionweave.body.rig.roles import find_rig
from motionweave.body.size import leg_length
from motionweave.body.soles import contact_points, has_feet
from motionweave.core.constraints import FOOT_KINDS
from motionweave.core.motion import Motion

# In leg lengths: a pelvis that moves up and down by no more than this is pinned ...
_PINNED = 1e-3
# ... a foot this far above the lowest place of all is off the floor, if the pelvis is as high above
# that place as that of a body that stands ...
_OFF, _STANDING = 0.1, 0.7
# ... and this share of the clip is longer than a run flies.
_OFTEN = 0.25


def pinned(motion: Motion) -> float | None:
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
    if np.ptp(motion.root[:, 1]) > _PINNED * size:
        return None
    points = contact_points(motion)
    lowest = np.min([points[kind][:, 1] for kind in FOOT_KINDS], axis=0)
    rise = (lowest - lowest.min()) / size
    stands = motion.root[:, 1].max() - lowest.min() >= _STANDING * size
    return float(rise.max()) if stands and np.mean(rise > _OFF) >= _OFTEN else None
