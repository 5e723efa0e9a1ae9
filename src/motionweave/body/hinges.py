"""Knees and elbows: the axis about which they bend, and the right direction.

The axis comes from how the limb bends in the motion: the plane of its two bones, over all
frames in which it is bent. The right direction comes from the build of the body: knees bend
backwards and elbows forwards, seen from the line through the hips or shoulders. The zero pose of
the file is ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionweave.body.rig.roles import SIDES, Rig, find_rig
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion

# Degrees by which a joint may pass straight, and how often, before it is worth a hint.
_TOLERATED = {"shin": 5.0, "forearm": 10.0}
# Upper joint, joint that bends, end, and what a hinge has for its axis in a body that stands:
# its left (1: the end goes backwards) or its right (-1: forwards).
_LIMBS = (("thigh", "shin", "ankle", 1.0), ("upper_arm", "forearm", "hand", -1.0))
# The limb bends about another axis than the body's build says if the two differ by more than
# this (cosine); arms turn about themselves, so that little short of the opposite is wrong.
_OPPOSITE = {"shin": -0.2, "forearm": -0.8}
# The axis from the build counts like this much of a bend (sine) in all frames: limbs that are never
# bent have no other evidence.
_BUILD = 0.02
# Bends in all directions (length of the mean of unit vectors) are not those of a hinge.
_HINGED = 0.7


@dataclass(frozen=True, eq=False)
class Hinge:
    """A knee or an elbow.

    Parameters
    ----------
    upper, joint, end
        The joints at the upper end of the limb, at the bend, and at the lower end.
    axis
        ``(3,)`` unit vector in the frame of ``upper``, across the upper bone. Turning the
        lower bone about it (right-handed) by a positive angle flexes the limb.
    steadiness
        How well all bends of the motion are about this axis, 0 to 1. Below 0.7 the joint
        is not a hinge in this rig, such as an elbow that also turns the upper arm.
    """

    upper: int
    joint: int
    end: int
    axis: Array
    steadiness: float

    @property
    def steady(self) -> bool:
        """Whether the limb really bends about the axis, and not in all directions."""
        return self.steadiness >= _HINGED

    def flexion(self, positions: Array, orientations: Array) -> Array:
        """Angle ``(T,)`` in radians by which the limb is bent: 0 straight, negative beyond.

        Parameters
        ----------
        positions, orientations
            ``(T, J, 3)`` and ``(T, J, 4)`` of all joints, as from `Motion.forward`.
        """
        first = positions[:, self.joint] - positions[:, self.upper]
        second = positions[:, self.end] - positions[:, self.joint]
        axis = rotations.rotate(orientations[:, self.upper], self.axis)
        sine = np.sum(rotations.cross(first, second) * axis, axis=-1)
        return np.asarray(np.arctan2(sine, np.sum(first * second, axis=-1)))


def find_hinges(
    motion: Motion, pose: tuple[Array, Array] | None = None, *, arms: bool = True
) -> dict[str, Hinge]:
    """The knees and elbows of a body, by the role of the joint that bends.

    Parameters
    ----------
    motion
        A body in motion; its bends show where the axes are.
    pose
        What `Motion.forward` gives, if it is known.
    arms
        Whether to find elbows, too.

    Returns
    -------
    dict
        ``left_shin``, ``right_shin``, ``left_forearm``, ``right_forearm``, as far as the rig
        has the joints of the limb and the bones have lengths.

    Examples
    --------
    >>> import numpy as np
    >>> import motionweave as mw
    >>> from motionweave.body.hinges import find_hinges
    >>> walk = mw.sample("walk")
    >>> knee = find_hinges(walk)["left_shin"]
    >>> bool(np.degrees(knee.flexion(*walk.forward())).max() > 40)
    True
    """
    rig = find_rig(motion.skeleton)
    positions, orientations = motion.forward() if pose is None else pose
    left = rig.lateral_axis(positions)
    if left is None:
        return {}
    limbs = [
        (f"{side}_{middle}", _joints(rig, side, (upper, middle, end)), sign, _OPPOSITE[middle])
        for upper, middle, end, sign in _LIMBS[: 2 if arms else 1]
        for side in SIDES
        if rig.has(*(f"{side}_{role}" for role in (upper, middle, end)))
    ]
    if not limbs:
        return {}
    roles, joints, signs, opposite = zip(*limbs, strict=True)
    built = np.array(signs)[:, None] * left[:, None]
    hinges = _hinges(positions, orientations, joints, built, opposite)
    return {role: hinge for role, hinge in zip(roles, hinges, strict=True) if hinge is not None}


def wrong_bends(motion: Motion) -> list[tuple[int, tuple[int, float, int]]]:
    """Knees and elbows that bend the wrong way.

    Parameters
    ----------
    motion
        A body in motion.

    Returns
    -------
    list
        Joint index, then the number of frames, the worst angle in degrees, and its frame.
    """
    positions, orientations = motion.forward()
    found = []
    for role, hinge in find_hinges(motion, (positions, orientations)).items():
        if not hinge.steady:
            continue
        angles = np.degrees(hinge.flexion(positions, orientations))
        # A fully bent limb passes half a turn; that is not the wrong way.
        wrong = (angles < -_TOLERATED[role.split("_")[1]]) & (angles > -135.0)
        if np.any(wrong):
            worst = int(np.argmin(np.where(wrong, angles, np.inf)))
            found.append((hinge.joint, (int(wrong.sum()), float(-angles[worst]), worst)))
    return found


def _joints(rig: Rig, side: str, roles: tuple[str, str, str]) -> tuple[int, int, int]:
    upper, middle, end = (rig.roles[f"{side}_{role}"] for role in roles)
    return upper, middle, end


def _hinges(
    positions: Array,
    orientations: Array,
    joints: Sequence[tuple[int, int, int]],
    built: Array,
    opposite: Sequence[float],
) -> list[Hinge | None]:
    """The hinges of n limbs; ``built`` ``(T, n, 3)``: where axes point by the body's build."""
    upper, middle, end = (list(column) for column in zip(*joints, strict=True))
    back = rotations.inverse(orientations[:, upper])
    places = (positions[:, column] for column in (upper, middle, end))
    bones = np.diff(np.array([*places]), axis=0)
    turned = rotations.rotate(back, np.array([*bones, built]))
    (bone, below), built = _unit(turned[:2]), turned[2]
    mean_bone = _unit(bone.mean(axis=0))
    expected = _unit(_across(built.mean(axis=0), mean_bone))
    bends = rotations.cross(bone, below)
    mean = bends.mean(axis=0)
    # How bent each limb is, and how much of it is about one axis (either way round).
    much = np.sqrt(np.einsum("tnc,tnc->tn", bends, bends)).mean(axis=0)
    toward = np.einsum("nc,nc->n", _unit(mean), expected)
    sign = np.where(toward < np.array(opposite), -1.0, 1.0)
    axis = _across(sign[:, None] * mean + _BUILD * expected, mean_bone)
    known = np.any(mean_bone, axis=1) & (np.linalg.norm(axis, axis=1) >= 1e-9)
    axis = _unit(axis)
    about = np.abs(np.einsum("tnc,nc->tn", bends, axis)).mean(axis=0)
    steadiness = np.where(much > _BUILD, about / np.where(much > _BUILD, much, 1.0), 1.0)
    return [
        Hinge(*joints[i], axis[i], float(steadiness[i])) if known[i] else None
        for i in range(len(joints))
    ]


def _across(vectors: Array, directions: Array) -> Array:
    """What vectors ``(n, 3)`` have at right angles to unit directions ``(n, 3)``."""
    along = np.einsum("nc,nc->n", vectors, directions)
    return np.asarray(vectors - directions * along[:, None])


def _unit(vectors: Array) -> Array:
    length = np.sqrt(np.einsum("...c,...c->...", vectors, vectors))[..., None]
    return np.asarray(vectors / np.where(length > 0.0, length, 1.0))
