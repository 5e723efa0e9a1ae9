"""The built-in character: a person of 1.75 m, arms out in the rest pose, facing +z.

All lengths are in metres. The foot stands on two points, the heel straight below the ankle
(``LeftFoot``) and the ball (``LeftToe``): these are what the constraints ``left_heel`` and
``left_toe`` hold.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from motionweave.core.skeleton import Skeleton

THIGH = 0.43
SHIN = 0.42
UPPER_ARM = 0.28
FOREARM = 0.25
ANKLE_HEIGHT = 0.085
BALL_HEIGHT = 0.02
# From the ankle to the heel and to the ball of the foot, and from the ball to the tip of
# the toes. Heel and ball are equally high: that is a flat foot.
ANKLE_TO_HEEL = np.array([0.0, BALL_HEIGHT - ANKLE_HEIGHT, 0.0])
ANKLE_TO_BALL = np.array([0.0, BALL_HEIGHT - ANKLE_HEIGHT, 0.135])
BALL_TO_TIP = np.array([0.0, -0.008, 0.065])
HIP_HALF_WIDTH = 0.09
PELVIS_HEIGHT = ANKLE_HEIGHT + SHIN + THIGH + 0.04

SIDES = ("Left", "Right")

# name, parent, offset from the parent; x is the character's left.
_PELVIS = (("Hips", None, (0.0, PELVIS_HEIGHT, 0.0)),)
_LEG = (
    ("UpLeg", "Hips", (HIP_HALF_WIDTH, -0.04, 0.0)),
    ("Leg", "UpLeg", (0.0, -THIGH, 0.0)),
    ("Foot", "Leg", (0.0, -SHIN, 0.0)),
    ("Toe", "Foot", tuple(ANKLE_TO_BALL)),
)
_TORSO = (
    ("Spine", "Hips", (0.0, 0.10, -0.012)),
    ("Spine1", "Spine", (0.0, 0.13, -0.008)),
    ("Chest", "Spine1", (0.0, 0.14, 0.0)),
    ("Neck", "Chest", (0.0, 0.155, 0.005)),
    ("Head", "Neck", (0.0, 0.09, 0.02)),
)
_ARM = (
    ("Shoulder", "Chest", (0.03, 0.10, 0.0)),
    ("Arm", "Shoulder", (0.15, 0.0, 0.0)),
    ("ForeArm", "Arm", (UPPER_ARM, 0.0, 0.0)),
    ("Hand", "ForeArm", (FOREARM, 0.0, 0.0)),
)
# Parts in the order of a file that goes through the tree limb by limb; the sign of a
# part's x is -1 on the right.
_PARTS = (
    (_PELVIS, "", 1.0),
    (_LEG, "Left", 1.0),
    (_LEG, "Right", -1.0),
    (_TORSO, "", 1.0),
    (_ARM, "Left", 1.0),
    (_ARM, "Right", -1.0),
)
_TIPS = {"Toe": tuple(BALL_TO_TIP), "Head": (0.0, 0.16, 0.0), "Hand": (0.17, 0.0, 0.0)}


@cache
def skeleton() -> Skeleton:
    """The character's 22 joints, named in the common Hips/LeftUpLeg convention."""
    names: list[str] = []
    parents: list[int] = []
    offsets: list[tuple[float, ...]] = []
    end_parents: list[int] = []
    end_offsets: list[tuple[float, ...]] = []
    for part, side, sign in _PARTS:
        for name, parent, offset in part:
            above = parent if parent in names else f"{side}{parent}"
            parents.append(-1 if parent is None else names.index(above))
            names.append(f"{side}{name}")
            offsets.append((sign * offset[0], *offset[1:]))
            if name in _TIPS:
                end_parents.append(len(names) - 1)
                end_offsets.append((sign * _TIPS[name][0], *_TIPS[name][1:]))
    return Skeleton(
        names=tuple(names),
        parents=np.array(parents),
        offsets=np.array(offsets),
        end_parents=np.array(end_parents),
        end_offsets=np.array(end_offsets),
    )
