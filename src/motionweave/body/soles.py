"""The points of the body that touch: heels, toes, hands.

A heel is the point of the sole straight below the ankle, at the height of the toe joint
when the foot is flat; a toe is the toe joint (the ball of the foot). Both are fixed to
the foot. Where the rig has no toe joint, the ankle's end site stands in for it, and
without that, or if it is not ahead of the ankle, a foot of usual proportions.

How a foot is when it is flat is told by a rest pose that stands. Rotations that were copied from a
rig whose feet rest at another angle do not fit it: where a body would stand on its heels alone,
with its toes in the air, its motion tells instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from motionweave.body.pose.heading import facing
from motionweave.body.pose.posture import LEG_JOINTS, rest_stands
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import SIDES, Rig, find_rig, leg_length
from motionweave.body.rig.tree import chain
from motionweave.body.size import body_height
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.kinematics import attached, in_parts
from motionweave.core.motion import Motion
from motionweave.core.runtime.cache import kept_with_motion
from motionweave.core.skeleton import Skeleton

# Ankle to ball of an average foot, in leg lengths: forward and down.
FOOT_FORWARD = 0.14
FOOT_DOWN = 0.05
# An end site this much straight below the ankle (cosine) is no toe. It is the sole if it is
# no farther below than this (leg lengths), and else what an exporter gave a bone without children.
_BELOW, _DEEPEST = 0.85, 0.15
# Nor is one that points away from where the body faces (cosine): some exporters give all bones
# without children the same end, whichever way they point.
_AHEAD = 0.25
# A rest pose in which the toe is less than this below the ankle (sine) is a scheme, with feet at
# right angles to the legs: no foot stands flat that way.
_LEAST_DROP = 0.05
# Frames whose foot is among the slowest and lowest of the clip show how a foot stands.
_STILLEST = 0.1
# Toes never come down that are up by this (sine) in all of the frames in which the heel is lowest,
# this share of about so many that are looked at. Only bodies on upright legs (cosine) count, in
# clips that are not shorter than this (seconds): toes are up where somebody sits, or jumps.
_TOES_UP, _LOWEST, _LOOKED_AT = np.sin(np.radians(20.0)), 0.25, 32
_UPRIGHT, _FOR_LONG = np.cos(np.radians(35.0)), 0.5


@dataclass(frozen=True)
class Sole:
    """Where the sole of a foot is, in the frames of its joints.

    Parameters
    ----------
    ankle
        Joint that carries the heel.
    heel
        ``(3,)`` place of the heel in the ankle's frame.
    toe_joint
        Joint that carries the toe point: the toe joint, or the ankle.
    toe
        ``(3,)`` place of the toe in that joint's frame.
    known
        Where the toe comes from: ``"toe joint"``, ``"end site"`` or ``"proportions"``.
    """

    ankle: int
    heel: Array
    toe_joint: int
    toe: Array
    known: str


@lru_cache(maxsize=256)
def has_feet(skeleton: Skeleton) -> bool:
    """Whether the skeleton has what foot contacts need: legs of some length."""
    rig = find_rig(skeleton)
    # Between the joints of a leg there may be others: exporters split a joint into several.
    return rig.has(*LEG_JOINTS) and any(
        np.any(skeleton.offsets[list(chain(skeleton, rig.roles[top], rig.roles[end])[1:])])
        for top, end in ((f"{side}_thigh", f"{side}_ankle") for side in SIDES)
    )


def flat_at_rest(motion: Motion) -> bool:
    """Whether the rest pose stands, on feet that are flat as far as they have toe joints, as those
    of the motion are."""
    skeleton = motion.skeleton
    rig = find_rig(skeleton)
    return (
        rest_stands(skeleton)
        and all(
            _sole_in_rest(skeleton, side) is not None for side in SIDES if rig.has(f"{side}_toe")
        )
        and not _on_heels(motion)
    )


def soles(motion: Motion, from_rest: bool = True) -> dict[str, Sole]:
    """The sole of each foot, ``left`` and ``right``.

    Parameters
    ----------
    motion
        Its rig needs ankles and thighs.
    from_rest
        Whether a rest pose that stands tells how the foot is when it is flat, before the
        motion does: unless the motion would have its toes in the air.
    """
    if from_rest and rest_stands(motion.skeleton) and _on_heels(motion):
        return _soles(motion, from_rest=False)
    return _soles(motion, from_rest)


def contact_points(
    motion: Motion,
    hands: bool = False,
    from_rest: bool = True,
    like: Motion | None = None,
    pose: tuple[Array, Array] | None = None,
) -> dict[str, Array]:
    """Global positions ``(T, 3)`` of what can touch, by constraint kind.

    Parameters
    ----------
    motion
        Its rig needs ankles and thighs (and hands, if requested).
    hands
        Whether to add ``left_hand`` and ``right_hand``.
    from_rest
        As in `soles`.
    like
        A motion of the same skeleton whose soles these are, such as the clip that a motion
        was made of: where the rest pose does not tell, feet that were turned stand otherwise.
    pose
        What `Motion.forward` gives, if it is known.
    """
    rig = find_rig(motion.skeleton)
    own = soles(motion if like is None else like, from_rest)
    palms = [f"{side}_hand" for side in SIDES] if hands else []
    joints = {kind: rig.joint(kind, "hand contacts") for kind in palms}

    def seen(positions: Array, orientations: Array) -> dict[str, Array]:
        points = sole_points(own, positions, orientations)
        return points | {kind: positions[:, joint] for kind, joint in joints.items()}

    if pose is not None:
        return seen(*pose)
    # Where all joints of a long take are would take more memory than the points.
    points: dict[str, Array] = {}
    for frames in in_parts(len(motion)):
        for kind, part in seen(*motion.forward(frames)).items():
            if kind not in points:
                points[kind] = np.empty((len(motion), 3))
            points[kind][frames] = part
    return points


def sole_points(
    soles: Mapping[str, Sole], positions: Array, orientations: Array
) -> dict[str, Array]:
    """Heels and toes ``(T, 3)`` of joints at ``(T, J, 3)`` turned by ``(T, J, 4)``, by kind."""
    if not soles:
        return {}
    kinds = [f"{side}_{end}" for side in soles for end in ("heel", "toe")]
    joints = [joint for sole in soles.values() for joint in (sole.ankle, sole.toe_joint)]
    offsets = [offset for sole in soles.values() for offset in (sole.heel, sole.toe)]
    points = attached(positions, orientations, np.array(joints), np.array(offsets))
    return dict(zip(kinds, points.swapaxes(0, 1), strict=True))


@kept_with_motion
def _on_heels(motion: Motion) -> bool:
    """Whether a body with the soles of its rest pose would stand on its heels, with the toes of
    both feet up."""
    if motion.duration < _FOR_LONG:
        return False
    first = tpose_frames(motion)
    some = slice(first, None, max((len(motion) - first) // _LOOKED_AT, 1))
    positions, orientations = motion.forward(some)
    for side, sole in _soles(motion, from_rest=True).items():
        heel, toe = sole_points({side: sole}, positions, orientations).values()
        low = np.argsort(heel[:, 1])[: max(int(_LOWEST * len(heel)), 1)]
        foot = toe[low] - heel[low]
        if (foot[:, 1] <= _TOES_UP * np.sqrt(np.einsum("ti,ti->t", foot, foot))).any():
            return False
        thigh = find_rig(motion.skeleton).roles[f"{side}_thigh"]
        leg = positions[low, thigh] - positions[low, sole.ankle]
        if np.median(leg[:, 1] / np.linalg.norm(leg, axis=1)) < _UPRIGHT:
            return False
    return True


def _soles(motion: Motion, from_rest: bool) -> dict[str, Sole]:
    rig = find_rig(motion.skeleton)
    return {side: _sole(motion, rig, side, from_rest) for side in SIDES}


def _sole(motion: Motion, rig: Rig, side: str, from_rest: bool) -> Sole:
    skeleton = motion.skeleton
    ankle = rig.joint(f"{side}_ankle", "foot contacts")
    thigh = rig.joint(f"{side}_thigh", "foot contacts")
    stands = from_rest and rest_stands(skeleton)
    if stands and rig.has(f"{side}_toe"):
        sole = _sole_in_rest(skeleton, side)
        if sole is not None:
            return sole
    toe_joint, toe, reach, known = _toe(skeleton, rig, side, ankle)
    size = leg_length(skeleton, rig)
    down = FOOT_DOWN * size
    if known == "end site":
        length = float(np.linalg.norm(reach))
        upright = _up_in_rest(skeleton, thigh, ankle, np.zeros(3)) if stands else None
        if upright is None:
            upright = _up_in_motion(motion, ankle)
        below = -(reach @ upright) > _BELOW * length
        level = reach - (reach @ upright) * upright
        ahead = _across(_forward(motion, rig, ankle, stands), upright)
        astray = level @ ahead < _AHEAD * np.linalg.norm(level)
        if below or astray:
            known, reach = "proportions", np.zeros(3)
            down = length if below and length < _DEEPEST * size else down
    up = _up_in_rest(skeleton, thigh, ankle, reach) if stands else None
    if up is None:
        up = _up_in_motion(motion, ankle)
    if known == "proportions":
        ahead = _across(_forward(motion, rig, ankle, stands), up)
        reach = toe = FOOT_FORWARD * size * ahead - down * up
    return Sole(ankle, (reach @ up) * up, toe_joint, toe, known)


@lru_cache(maxsize=256)
def _sole_in_rest(skeleton: Skeleton, side: str) -> Sole | None:
    """The sole of a foot with a toe joint in a rest pose that stands; None if not on flat feet."""
    rig = find_rig(skeleton)
    ankle, thigh = (rig.roles[f"{side}_{role}"] for role in ("ankle", "thigh"))
    joint, toe, reach, known = _toe(skeleton, rig, side, ankle)
    up = _up_in_rest(skeleton, thigh, ankle, reach)
    return None if up is None else Sole(ankle, (reach @ up) * up, joint, toe, known)


def _toe(skeleton: Skeleton, rig: Rig, side: str, ankle: int) -> tuple[int, Array, Array, str]:
    """Joint, place in its frame, vector from the ankle in the rest pose, and origin."""
    nothing = np.zeros(3)
    if rig.has(f"{side}_toe"):
        joint = rig.roles[f"{side}_toe"]
        reach = skeleton.rest_positions[joint] - skeleton.rest_positions[ankle]
        return joint, nothing, reach, "toe joint"
    ends = skeleton.end_offsets[skeleton.end_parents == ankle]
    if len(ends):
        farthest = ends[int(np.argmax(np.linalg.norm(ends, axis=1)))]
        if np.linalg.norm(farthest) > 1e-3 * body_height(skeleton):
            return ankle, farthest, farthest, "end site"
    return ankle, nothing, nothing, "proportions"


def _up_in_rest(skeleton: Skeleton, thigh: int, ankle: int, reach: Array) -> Array | None:
    """Normal of the sole in the ankle's frame in a rest pose that stands, if on flat feet.

    Legs may be spread, and the feet with them: the sole is across the leg sideways, and
    level from heel to toe. The ankle is above the toe.
    """
    leg = skeleton.rest_positions[thigh] - skeleton.rest_positions[ankle]
    level = reach * np.array([1.0, 0.0, 1.0])
    if np.linalg.norm(reach) > 0.0:
        if np.linalg.norm(level) < 0.5 * np.linalg.norm(reach):
            return None
        level = level / np.linalg.norm(level)
    up = leg - (leg @ level) * level
    up = up / np.linalg.norm(up)
    if np.any(reach) and -(reach @ up) < _LEAST_DROP * np.linalg.norm(reach):
        return None
    return np.asarray(up)


def _forward(motion: Motion, rig: Rig, ankle: int, stands: bool) -> Array:
    """Where the body faces, in the ankle's frame: from a rest pose that stands, or the motion."""
    forward = _forward_in_rest(rig) if stands else None
    return _forward_in_motion(motion, ankle) if forward is None else forward


def _forward_in_rest(rig: Rig) -> Array | None:
    """Where a body faces in its rest pose; None if that does not tell."""
    left = rig.lateral_axis(rig.skeleton.rest_positions[None])
    return None if left is None else np.array([-left[0, 2], 0.0, left[0, 0]])


def _forward_in_motion(motion: Motion, ankle: int) -> Array:
    """Where the body faces while the foot stands, in the ankle's frame."""
    standing = _standing(motion, ankle)
    angle = facing(motion)[standing]
    ahead = np.stack([np.sin(angle), np.zeros(len(angle)), np.cos(angle)], axis=-1)
    back = rotations.inverse(motion.orientations()[standing, ankle])
    return np.asarray(rotations.rotate(back, ahead).mean(axis=0))


def _across(forward: Array, up: Array) -> Array:
    """The unit vector across ``up`` that points forward; any across it if none does."""
    forward = forward - (forward @ up) * up
    if np.linalg.norm(forward) < 1e-3:
        forward = np.cross(up, np.eye(3)[int(np.abs(up).argmin())])
    return np.asarray(forward / np.linalg.norm(forward))


def _up_in_motion(motion: Motion, ankle: int) -> Array:
    """Normal of the sole in the ankle's frame, from the frames in which the foot stands."""
    turn = motion.orientations()[_standing(motion, ankle), ankle]
    mean = rotations.rotate(rotations.inverse(turn), np.array([0.0, 1.0, 0.0])).mean(axis=0)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-12))


def _standing(motion: Motion, ankle: int) -> NDArray[np.intp]:
    """Frames in which the foot stands most surely."""
    first = tpose_frames(motion)
    place = motion.positions()[first:, ankle]
    if len(place) < 2:
        return np.array([first])
    speed = np.linalg.norm(np.gradient(place, axis=0), axis=1)
    size = max(float(np.ptp(place[:, 1])), 1e-12)
    # Ranks of speed and height together: being still in the air or low in a swing is not standing.
    unrest = speed / max(float(speed.max()), 1e-12) + (place[:, 1] - place[:, 1].min()) / size
    return first + np.flatnonzero(unrest <= np.quantile(unrest, _STILLEST))
