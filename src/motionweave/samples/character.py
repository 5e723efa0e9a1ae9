"""The built-in character: a person of 1.75 m, arms out in the rest pose, facing +z.

All lengths are in metres. The foot is known to the rest of the package by two joints,
the ankle (``LeftFoot``) and the ball (``LeftToe``): these are the points that the
constraints ``left_heel`` and ``left_toe`` hold.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from motionweave.core.skeleton import Skeleton

Array = NDArray[np.float64]

THIGH = 0.43
SHIN = 0.42
UPPER_ARM = 0.28
FOREARM = 0.25
ANKLE_HEIGHT = 0.085
BALL_HEIGHT = 0.02
# From the ankle to the ball of the foot, and from the ball to the tip of the toes.
ANKLE_TO_BALL = np.array([0.0, BALL_HEIGHT - ANKLE_HEIGHT, 0.135])
BALL_TO_TIP = np.array([0.0, -0.008, 0.065])
HIP_HALF_WIDTH = 0.09
PELVIS_HEIGHT = ANKLE_HEIGHT + SHIN + THIGH + 0.04

SIDES = ("Left", "Right")

# name, parent, offset from the parent; x is the character's left.
_MIDDLE = (
    ("Hips", None, (0.0, PELVIS_HEIGHT, 0.0)),
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
_LEG = (
    ("UpLeg", "Hips", (HIP_HALF_WIDTH, -0.04, 0.0)),
    ("Leg", "UpLeg", (0.0, -THIGH, 0.0)),
    ("Foot", "Leg", (0.0, -SHIN, 0.0)),
    ("Toe", "Foot", tuple(ANKLE_TO_BALL)),
)
_ENDS = (("Head", (0.0, 0.16, 0.0)), ("Hand", (0.17, 0.0, 0.0)), ("Toe", tuple(BALL_TO_TIP)))


@cache
def skeleton() -> Skeleton:
    """The character's 22 joints, named in the common Hips/LeftUpLeg convention."""
    names: list[str] = []
    parents: list[int] = []
    offsets: list[tuple[float, ...]] = []

    def add(name: str, parent: str | None, offset: tuple[float, ...]) -> None:
        parents.append(-1 if parent is None else names.index(parent))
        names.append(name)
        offsets.append(offset)

    middle = {name for name, _, _ in _MIDDLE}
    for name, parent, offset in _MIDDLE:
        add(name, parent, offset)
    # Limb by limb, which is the order of a hierarchy in a file: a clip that was saved and
    # loaded has its joints where the built-in one has them.
    for limb in (_ARM, _LEG):
        for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
            for name, parent, offset in limb:
                above = parent if parent in middle else f"{side}{parent}"
                add(f"{side}{name}", above, (sign * offset[0], *offset[1:]))
    end_parents: list[int] = []
    end_offsets: list[tuple[float, ...]] = []
    for joint, offset in _ENDS:
        owners = (
            [(joint, 1.0)] if joint in middle else [(f"Left{joint}", 1.0), (f"Right{joint}", -1.0)]
        )
        for owner, sign in owners:
            end_parents.append(names.index(owner))
            end_offsets.append((sign * offset[0], *offset[1:]))
    return Skeleton(
        names=tuple(names),
        parents=np.array(parents),
        offsets=np.array(offsets),
        end_parents=np.array(end_parents),
        end_offsets=np.array(end_offsets),
    )


def mirror_swap() -> NDArray[np.intp]:
    """For each joint the index of its partner on the other side, for `Motion.mirrored`."""
    names = skeleton().names
    other = {"Left": "Right", "Right": "Left"}
    return np.array(
        [
            next(
                (names.index(other[side] + name[len(side) :]) for side in SIDES if side in name),
                index,
            )
            for index, name in enumerate(names)
        ],
        dtype=np.intp,
    )


MIRROR_KINDS = {
    f"{a}_{part}": f"{b}_{part}"
    for a, b in (("left", "right"), ("right", "left"))
    for part in ("heel", "toe", "hand")
}
