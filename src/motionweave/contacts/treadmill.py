"""Clips in which somebody walks in place, as on a treadmill: planted feet slide, the body stays."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import leg_length
from motionweave.body.soles import contact_points, has_feet
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.errors import QualityWarning

# A point of the sole this far above its lowest, in leg lengths, may touch a treadmill,
_LOW = 0.06
# and does if it moves at the belt's speed, give or take this share.
_WITH_THE_BELT = 0.35
# Belt speeds below this many leg lengths per second are noise.
_STANDING = 0.05
# How often planted points and the belt's speed are found from each other.
_ROUNDS = 8
# A body in place stays within this many leg lengths while the belt has at least this speed (leg
# lengths per second), and one that travels leaves a place of this size.
_IN_PLACE, _BELT = 0.5, 0.4
_TRAVELS = 1.0


def belt(motion: Motion) -> Array:
    """Velocity ``(2,)`` of the floor below the feet, in x and z, in units per second.

    The points of the soles near their lowest are planted or pass by. Those that are planted
    all move backwards at the same speed; swinging feet pass at another. So the velocity
    most of them share is looked for: first a median, then the mean of what is near it.

    Parameters
    ----------
    motion
        A clip of a body with feet.
    """
    size = leg_length(motion.skeleton)
    if len(motion) < 2:
        return np.zeros(2)
    moving, slow = [], []
    for points in contact_points(motion).values():
        velocity = np.gradient(points[:, [0, 2]], axis=0) * motion.fps
        rise = np.abs(np.gradient(points[:, 1])) * motion.fps
        low = points[:, 1] < np.quantile(points[:, 1], 0.05) + _LOW * size
        moving.append(velocity[low])
        slow.append(rise[low])
    velocity, rise = np.concatenate(moving), np.concatenate(slow)
    # A planted point does not rise.
    planted = velocity[rise <= np.median(rise)]
    found = np.median(planted, axis=0)
    for _ in range(_ROUNDS):
        off = np.linalg.norm(planted - found, axis=1)
        near = off <= max(_WITH_THE_BELT * float(np.linalg.norm(found)), float(np.median(off)))
        found = np.mean(planted[near], axis=0)
    return np.asarray(found if np.linalg.norm(found) > _STANDING * size else np.zeros(2))


def warn_of_treadmills(motions: Sequence[Motion], stacklevel: int = 2) -> None:
    """Warn if somebody walks in place in one clip and travels in another.

    What is made of both slides over the floor, however well it is made.

    Parameters
    ----------
    motions
        Clips to be combined, of one skeleton.
    stacklevel
        As in `warnings.warn`.
    """
    if len(motions) < 2 or not has_feet(motions[0].skeleton):
        return
    size = leg_length(motions[0].skeleton)
    bodies = [motion[tpose_frames(motion) :] for motion in motions]
    room = [float(np.linalg.norm(np.ptp(body.root[:, [0, 2]], axis=0))) / size for body in bodies]
    called = [_called(number, motions) for number in range(len(motions))]
    travels = next((one for one, far in zip(called, room, strict=True) if far > _TRAVELS), None)
    if travels is None:
        return
    for one, body, far in zip(called, bodies, room, strict=True):
        if far < _IN_PLACE and float(np.linalg.norm(belt(body))) > _BELT * size:
            warnings.warn(
                QualityWarning(
                    f"{one} walks in place, but {travels} travels, so feet will slide; "
                    "make it travel first (mw.travel, or convert --travel)"
                ),
                stacklevel=stacklevel + 1,
            )


def _called(number: int, motions: Sequence[Motion]) -> str:
    """What to call one of the clips, of which several may have the same name."""
    name = motions[number].name
    if not name:
        return f"clip {number + 1}"
    alone = [motion.name for motion in motions].count(name) == 1
    return f"clip {name!r}" if alone else f"clip {number + 1}, {name!r},"
