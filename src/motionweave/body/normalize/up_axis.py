"""The up axis of a file that does not state it.

All evidence counts, and no single piece decides: of a body whose joints are known, how
high the head is above the feet and which way limbs hang while it moves, how its lowest point
stays on one level, and how its rest pose stands; of other bodies, how long they are along
each axis and the same lowest point. `Up.margin` says how clear the decision is. A body that is
upside down whichever of the two is up, while it moves and at rest, is in a file with an axis that
points down, as those of cameras do. One that is upside down only while it moves may stand on its
hands, and may as well be in such a file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from motionweave.body.rig.roles import SIDES, Rig, find_rig
from motionweave.body.rig.tree import is_above
from motionweave.core import kinematics, rotations
from motionweave.core.arrays import Array
from motionweave.core.numerics.vectors import unit
from motionweave.core.skeleton import Skeleton

# Frames that are examined; more would add nothing.
_FRAMES = 64
# Y is up in most files: z has to win by this much.
_PRIOR = 0.1
# The same where only points are known, which say less.
_PRIOR_OF_POINTS = 0.8
# The weights of the evidence. A body that lies straight has its head above its feet along a wrong
# axis, but seldom limbs that all hang along it; a rest pose that stands was made in the axes of its
# file, as a rule, and decides about bodies that lie, not about those that stand and walk.
_UPRIGHT, _HANGING, _ON_FLOOR, _REST = 0.5, 2.0, 1.5, 1.6
# Levels of the lowest point that differ by less than this share of the body say nothing.
_FLOOR = 0.15
# A body whose head points away from the feet this much along y or z, downwards, and no more than
# that upwards (cosines), is upside down.
_HEAD_DOWN, _HEAD_UP = -0.7, 0.3
# ... and its limbs hang upwards.
_LIMBS_UP = -0.5
# With a smaller margin the axis is worth a second look ...
_SURE = 0.5
# ... of what could have four limbs of three joints each.
_CREATURE = 12


@dataclass(frozen=True)
class Up:
    """A vertical axis, and how sure it is.

    Parameters
    ----------
    axis
        ``"y"`` or ``"z"``; ``"-y"`` or ``"-z"`` if it points down.
    margin
        The margin by which it won, 0 for a tie; bodies that stand and walk win by 2 or more.
    creature
        Whether it may be something that stands at all, not a prop of a few joints.
    head_down
        Whether the body is upside down all the time, but not at rest.
    """

    axis: str
    margin: float
    creature: bool = True
    head_down: bool = False

    @property
    def doubt(self) -> str | None:
        """What to tell about an axis that won narrowly; None if it won clearly."""
        if self.head_down:
            return (
                "the body is upside down from beginning to end: if it should stand, the "
                f'{self.axis} axis of the file points down; load it with up="-{self.axis}" '
                f'(--up -{self.axis}); up="{self.axis}" silences this warning'
            )
        if self.margin >= _SURE or not self.creature:
            return None
        other = "z" if self.axis == "y" else "y"
        return (
            "the file does not state its up axis, and the motion hardly shows it: "
            f"{self.axis} was assumed; if the body lies where it should stand, load it with "
            f'up="{other}" (--up {other}); up="{self.axis}" silences this warning'
        )


def find_up(
    skeleton: Skeleton, root: Array, quaternions: Array, translations: Array | None = None
) -> Up:
    """The vertical of data whose axes are unknown: y or z, up or down.

    Parameters
    ----------
    skeleton
        J joints, in the data's axes; what is above the pelvis is ignored.
    root, quaternions, translations
        ``(T, 3)``, ``(T, J, 4)`` and ``(T, J, 3)`` or None, as in a `Motion`.

    Returns
    -------
    Up
        The axis and its margin.
    """
    chosen = slice(0, None, -(-len(root) // _FRAMES))
    moves = None if translations is None else translations[chosen]
    joints, turned = kinematics.forward(
        skeleton.parents, skeleton.offsets, root[chosen], quaternions[chosen], moves
    )
    ends = joints[:, skeleton.end_parents] + rotations.rotate(
        turned[:, skeleton.end_parents], skeleton.end_offsets
    )
    rig = find_rig(skeleton)
    rest = skeleton.rest_positions[None]
    upright = _head_over_feet(rig, joints)
    if upright is None:
        found = up_of_points(
            np.concatenate([joints, ends], axis=1),
            np.concatenate([skeleton.rest_positions, skeleton.rest_end_positions]),
        )
        return replace(found, creature=len(skeleton) >= _CREATURE)
    hips = rig.roles.get("hips", 0)
    body = [j for j in range(len(skeleton)) if j == hips or is_above(skeleton, hips, j)]
    inside = np.isin(skeleton.end_parents, body)
    points = np.concatenate([joints[:, body], ends[:, inside]], axis=1)
    standing = _head_over_feet(rig, rest)
    hanging = _hanging(rig, joints)
    on_floor = _floor_evidence(points)
    evidence = _UPRIGHT * _more_along_z(upright) + _ON_FLOOR * on_floor
    evidence += _HANGING * _more_along_z(hanging)
    if standing is not None:
        evidence += _REST * _more_along_z(standing)
    if standing is not None and _points_down(upright):
        axis = 1 if upright[1] < upright[2] else 2
        margin = abs(_more_along_z(upright))
        # A handstand does not turn the rest pose over.
        if _points_down(standing):
            return Up(f"-{'xyz'[axis]}", margin)
        # Somebody who lies in a file with the other axis up rests along that one, or lies flat.
        flat = on_floor if axis == 1 else -on_floor
        if standing[axis] > -_HEAD_DOWN and hanging[axis] < _LIMBS_UP and flat <= 0.0:
            return Up("xyz"[axis], margin, head_down=True)
    return _decided(evidence - _PRIOR)


def up_of_points(points: Array, rest: Array | None = None) -> Up:
    """The vertical of points ``(T, N, 3)`` and, where there is one, a rest pose ``(M, 3)``.

    Along the vertical the moving body is long, and so is the rest pose, and its lowest
    point stays where it is, near zero. Where these do not agree, y is up: a body that is
    much longer than high, such as a dog, is found to be z-up only by being told.
    """
    extent = np.ptp(points, axis=1).mean(axis=0)
    if extent.max() <= 0.0:
        return Up("y", _PRIOR_OF_POINTS)
    evidence = _evidence(extent) + _floor_evidence(points)
    if rest is not None:
        evidence += _evidence(np.ptp(rest, axis=0))
    return _decided(evidence - _PRIOR_OF_POINTS)


def _decided(evidence: float) -> Up:
    return Up("z" if evidence > 0.0 else "y", abs(evidence))


def _more_along_z(along: Array) -> float:
    return float(along[2] - along[1])


def _head_over_feet(rig: Rig, joints: Array) -> Array | None:
    """Mean direction ``(3,)`` from the ankles to the head (or what is below it)."""
    top = next((role for role in ("head", "neck", "chest") if rig.has(role)), None)
    if top is None or not rig.has("left_ankle", "right_ankle"):
        return None
    feet = 0.5 * (joints[:, rig.roles["left_ankle"]] + joints[:, rig.roles["right_ankle"]])
    return _mean_direction(joints[:, rig.roles[top]] - feet)


def _points_down(along: Array) -> bool:
    return bool(along[1:].min() < _HEAD_DOWN and along[1:].max() < _HEAD_UP)


def _hanging(rig: Rig, joints: Array) -> Array:
    """Mean direction ``(3,)`` against which limbs hang: arms and legs, of crawlers too."""
    bones = (("upper_arm", "hand"), ("thigh", "shin"), ("shin", "ankle"))
    found = [
        _mean_direction(
            joints[:, rig.roles[f"{side}_{upper}"]] - joints[:, rig.roles[f"{side}_{lower}"]]
        )
        for side in SIDES
        for upper, lower in bones
        if rig.has(f"{side}_{upper}", f"{side}_{lower}")
    ]
    return np.mean(found, axis=0) if found else np.zeros(3)


def _mean_direction(vectors: Array) -> Array:
    return np.asarray(unit(vectors).mean(axis=0))


def _floor_evidence(points: Array) -> float:
    """How much more the lowest of points ``(T, N, 3)`` stays on one level, near zero, along z."""
    low = points.min(axis=1)
    size = float(np.ptp(points, axis=1).mean(axis=0).max())
    if size <= 0.0:
        return 0.0
    lowest = np.sort(low / size, axis=0)
    count = len(lowest)
    # Without a tenth at each end: a jump now and then gives no reason to doubt the floor.
    spread = lowest[count - 1 - count // 10] - lowest[count // 10]
    level = np.minimum(np.abs(lowest[count // 2]), 1.0)
    return -_evidence(spread + level, floor=_FLOOR)


def _evidence(along: Array, floor: float = 1e-9) -> float:
    """How much more there is along z than along y, from -1 to 1."""
    y, z = float(along[1]) + floor, float(along[2]) + floor
    return float(np.clip(np.log(z / y), -1.0, 1.0))
