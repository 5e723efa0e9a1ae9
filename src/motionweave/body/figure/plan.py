"""A body with volume for any skeleton: tapered limbs, a trunk, a head.

Its plan follows from the tree alone; roles of joints, where they are known, say
which limb is left and which is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from motionweave.body.props import props_of
from motionweave.body.rig.names import is_control, is_worn
from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.body.rig.tree import is_above
from motionweave.body.size import body_height
from motionweave.body.soles import FOOT_DOWN, FOOT_FORWARD, has_feet
from motionweave.core import kinematics
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion, end_positions
from motionweave.core.skeleton import Skeleton

# A limb is about this thick, as a share of sqrt(body height x length of what is below it).
_THICKNESS = 0.043
_THICKEST = 0.045
_SOLE = 0.011
# An ankle and the ball of a foot below which the skeleton does not go on.
_ANKLE, _BALL = 0.02, 0.012
# What goes on no further than this below an ankle, in leg lengths, is no foot.
_NO_FOOT = 0.01
# A heel is behind the ankle by this share of the way from there to the toe.
_BEHIND = 0.33
_NECK = 0.028
# A head is this large, as a share of the body height; that of a cartoon is larger: this share of
# the way from its joint to its crown, up to a limit.
_HEAD, _HEAD_OF_CROWN, _LARGEST_HEAD = 0.062, 0.45, 0.2
# Branches belong to the trunk up to this share of the body height from it.
_TRUNK_REACH = 0.16
# Bones of limbs, from role to role: nothing but the next bone hangs on them.
_BONES = (("upper_arm", "forearm"), ("forearm", "hand"), ("thigh", "shin"), ("shin", "ankle"))
# What leaves an ankle further off the toes' direction is no toe: the cosine of that angle.
_TOES_SPREAD = 0.7


@dataclass(frozen=True)
class Piece:
    """A part of the body: the hull of discs at some of its points (see `body_points`)."""

    points: tuple[int, ...]
    radii: tuple[float, ...]
    side: int  # 1 left, -1 right, 0 neither

    @property
    def trunk(self) -> bool:
        """Whether limbs hang on it: bones have two points, feet three."""
        return len(self.points) > 3


@dataclass(frozen=True)
class BodyPlan:
    """The body around a skeleton.

    Parameters
    ----------
    pieces
        Trunk and limbs.
    head
        The head joint and the point above it, or None.
    head_radius
        Of the head's disc.
    added_joints, added_offsets
        Points that skeletons do not have: heels, and the toes of legs that end at the ankle.
        ``(A,)`` ankles and ``(A, 3)`` from there.
    strays
        Joints and end sites that are not parts of the body, and are not drawn.
    """

    pieces: tuple[Piece, ...]
    head: tuple[int, int] | None
    head_radius: float
    added_joints: NDArray[np.intp]
    added_offsets: Array
    strays: frozenset[int]

    @property
    def head_height(self) -> float:
        """The height of a usual body that has a head of this size."""
        return self.head_radius / _HEAD


def body_points(motion: Motion) -> Array:
    """Points ``(T, P, 3)`` of the body: joints, end sites, and those that the plan adds."""
    shape = body_plan(motion.skeleton)
    positions, orientations = motion.forward()
    added = kinematics.attached(positions, orientations, shape.added_joints, shape.added_offsets)
    ends = end_positions(motion.skeleton, positions, orientations)
    return np.concatenate([positions, ends, added], axis=1)


@lru_cache(maxsize=64)
def body_plan(skeleton: Skeleton) -> BodyPlan:
    """The body plan of a skeleton."""
    joints, ends = len(skeleton), len(skeleton.end_parents)
    parents = np.concatenate([skeleton.parents, skeleton.end_parents])
    offsets = np.concatenate([skeleton.offsets, skeleton.end_offsets])
    lengths = np.linalg.norm(offsets, axis=1)
    height = body_height(skeleton) or 1.0
    roles = find_rig(skeleton).roles
    head = _head(skeleton, parents)
    # Without a length nothing is drawn of them, and nothing is thicker for them.
    strays = _strays(skeleton, parents, head)
    lengths[sorted(strays)] = 0.0
    below = np.zeros(joints + ends)
    for point in range(joints + ends - 1, 0, -1):
        parent = parents[point]
        below[parent] = max(below[parent], below[point] + lengths[point])
    no_trunk = {roles[role] for role in ("neck", "head") if role in roles} | set(head or ())
    trunk = _trunk(parents, lengths, joints, height) | up_to_limbs(skeleton)
    trunk -= no_trunk | strays | _in_limbs(skeleton)
    bearers = _bearers(parents, trunk)
    trunk -= bearers
    lengths[[point for point in range(1, len(parents)) if int(parents[point]) in bearers]] = 0.0
    sides = _sides(skeleton, parents)
    radius = _THICKNESS * np.sqrt(height * (below + 0.02 * height))
    radius = np.minimum(radius, _THICKEST * height)
    for point in no_trunk:
        radius[point] = _NECK * height
    added = [*_heels(skeleton).items()]
    heel_of = {ankle: joints + ends + k for k, (ankle, _) in enumerate(added)}
    pieces = []
    for point in range(1, joints + ends):
        parent = int(parents[point])
        if (point in trunk and parent in trunk) or lengths[point] <= 1e-9:
            continue
        if head is not None and point == head[1]:
            continue
        thick = float(radius[point] if point in no_trunk else radius[parent])
        thin = max(float(radius[point]), 0.35 * thick)
        if parent in heel_of:
            foot = (heel_of[parent], parent, point)
            pieces.append(Piece(foot, (_SOLE * height, 0.8 * thick, thin), int(sides[point])))
        else:
            pieces.append(Piece((parent, point), (thick, thin), int(sides[point])))
    for ankle, (heel, toe) in _usual_feet(skeleton, below).items():
        foot = (joints + ends + len(added), ankle, joints + ends + len(added) + 1)
        added += [(ankle, heel), (ankle, toe)]
        radii = (_SOLE * height, _ANKLE * height, _BALL * height)
        pieces.append(Piece(foot, radii, int(sides[ankle])))
    if len(trunk) > 1:
        order = tuple(sorted(trunk))
        pieces.append(Piece(order, (_THICKEST * height,) * len(order), 0))
    rest = np.concatenate([skeleton.rest_positions, skeleton.rest_end_positions])
    crown = 0.0 if head is None else float(np.linalg.norm(rest[head[1]] - rest[head[0]]))
    skull = min(max(_HEAD * height, _HEAD_OF_CROWN * crown), _LARGEST_HEAD * height)
    return BodyPlan(
        tuple(pieces),
        head,
        skull,
        np.array([joint for joint, _ in added], dtype=np.intp),
        np.reshape([offset for _, offset in added], (len(added), 3)),
        frozenset(strays),
    )


def _strays(
    skeleton: Skeleton, parents: NDArray[np.intp], head: tuple[int, int] | None
) -> set[int]:
    """Points that files hang on a body without being a part of it that has a shape of its own.

    A skull is drawn for the head: jaws, eyes, hair, and the end sites that exporters put on a
    head's tip. Beside the next bone a limb carries only what helps to turn or to track it.
    Goals and controls, such as pole targets, are around the body, and so are props, hair and
    clothes.
    """
    roles = find_rig(skeleton).roles
    rest = np.concatenate([skeleton.rest_positions, skeleton.rest_end_positions])
    strays = set(props_of(skeleton))
    # Only a head that is known as one: the highest tip of another creature may be anything.
    kept = set(head or ()) if "head" in roles else set()
    carriers = set(kept)
    ankles: dict[int, int] = {}
    apart = {
        joint
        for joint, name in enumerate(skeleton.names)
        if (is_control(name) or is_worn(name))
        and not any(joint == role or is_above(skeleton, joint, role) for role in roles.values())
    }
    for side in ("left", "right"):
        for upper, lower in _BONES:
            if f"{side}_{upper}" in roles and f"{side}_{lower}" in roles:
                path = _path_down(parents, roles[f"{side}_{upper}"], roles[f"{side}_{lower}"])
                kept.update(path)
                carriers.update(path[:-1])
        if f"{side}_ankle" in roles and f"{side}_toe" in roles:
            path = _path_down(parents, roles[f"{side}_ankle"], roles[f"{side}_toe"])
            kept.update(path)
            ankles.update((ankle, roles[f"{side}_toe"]) for ankle in path[:1])
    for point in range(1, len(parents)):
        parent = int(parents[point])
        if parent in strays or (point not in kept and parent in carriers) or point in apart:
            strays.add(point)
        elif point not in kept and parent in ankles:
            toe, other = ((rest[p] - rest[parent])[[0, 2]] for p in (ankles[parent], point))
            both = float(np.linalg.norm(toe) * np.linalg.norm(other))
            if float(toe @ other) < _TOES_SPREAD * both:
                strays.add(point)
    return strays


def _path_down(parents: NDArray[np.intp], first: int, last: int) -> list[int]:
    """Points from one down the tree to another; none if it does not lead there."""
    path = [last]
    while path[-1] != first and path[-1] >= 0:
        path.append(int(parents[path[-1]]))
    return path[::-1] if path[-1] == first else []


def _heels(skeleton: Skeleton) -> dict[int, Array]:
    """Behind and below each ankle, as far as the rest pose lets one guess: ``(3,)`` from there."""
    roles, rest = find_rig(skeleton).roles, skeleton.rest_positions
    heels = {}
    for side in SIDES:
        ankle, toe = roles.get(f"{side}_ankle"), roles.get(f"{side}_toe")
        if ankle is None or toe is None:
            continue
        foot = (rest[toe] - rest[ankle]) * np.array([1.0, 0.0, 1.0])
        lowest = min(rest[toe, 1], *skeleton.rest_end_positions[:, 1], rest[ankle, 1])
        drop = rest[ankle, 1] - lowest
        if 0.0 < drop < 0.12 * body_height(skeleton) and np.linalg.norm(foot) > 0.0:
            heels[ankle] = -_BEHIND * foot - np.array([0.0, 0.9 * drop, 0.0])
    return heels


def _usual_feet(skeleton: Skeleton, below: Array) -> dict[int, tuple[Array, Array]]:
    """Feet of usual proportions for legs that end at their ankles: heel and ball, from there.

    ``below`` is how far the skeleton goes on below each point.
    """
    rig, rest = find_rig(skeleton), skeleton.rest_positions
    if not has_feet(skeleton):
        return {}
    left, right = (rest[rig.roles[f"{side}_thigh"]] for side in SIDES)
    ahead = np.cross(left - right, [0.0, 1.0, 0.0])
    wide, size = float(np.linalg.norm(ahead)), leg_length(skeleton, rig)
    if wide < 1e-6 * size:
        return {}
    along = FOOT_FORWARD * size * ahead / wide
    down = np.array([0.0, FOOT_DOWN * size, 0.0])
    ankles = (rig.roles[f"{side}_ankle"] for side in SIDES)
    return {
        ankle: (-_BEHIND * along - 0.9 * down, along - down)
        for ankle in ankles
        if below[ankle] < _NO_FOOT * size
    }


def _trunk(parents: NDArray[np.intp], lengths: Array, joints: int, height: float) -> set[int]:
    """Joints from which two or more long limbs hang, and where those limbs begin."""
    count = len(parents)
    reach = np.zeros(count)
    limbs: list[int] = [0] * count
    for point in range(count - 1, 0, -1):
        parent = parents[point]
        far = reach[point] + lengths[point]
        reach[parent] = max(reach[parent], far)
    for point in range(count - 1, 0, -1):
        parent = parents[point]
        is_limb = limbs[point] == 0 and reach[point] + lengths[point] > 0.2 * height
        limbs[parent] += 1 if is_limb else limbs[point]
    trunk = {point for point in range(joints) if limbs[point] >= 2}
    start = dict.fromkeys(trunk, 0.0)
    for point in range(1, joints):
        parent = int(parents[point])
        if point not in trunk and parent in start:
            far = start[parent] + lengths[point]
            if far < _TRUNK_REACH * height:
                start[point] = far
    return trunk | set(start)


def up_to_limbs(skeleton: Skeleton) -> set[int]:
    """Joints where arms and legs begin, and all above them: collarbones, spine."""
    roles = find_rig(skeleton).roles
    found: set[int] = set()
    for role in ("upper_arm", "thigh"):
        for side in SIDES:
            joint = roles.get(f"{side}_{role}", -1)
            while joint >= 0:
                found.add(joint)
                joint = int(skeleton.parents[joint])
    return found


def _in_limbs(skeleton: Skeleton) -> set[int]:
    """Joints below where an arm or a leg begins: long fingers hang on a hand, not on a trunk."""
    roles = find_rig(skeleton).roles
    starts = {roles.get(f"{side}_{part}") for side in SIDES for part in ("upper_arm", "thigh")}
    inside: set[int] = set()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent in starts or parent in inside:
            inside.add(joint)
    return inside


def _bearers(parents: NDArray[np.intp], trunk: set[int]) -> set[int]:
    """Joints from the root to where a trunk begins: a scene's root, often down on the floor."""
    bearers: set[int] = set()
    joint = 0
    while len(below := np.flatnonzero(parents == joint)) == 1:
        bearers.add(joint)
        joint = int(below[0])
    return bearers if joint in trunk else set()


def _sides(skeleton: Skeleton, parents: NDArray[np.intp]) -> NDArray[np.intp]:
    """1 for everything below a left joint, -1 below a right one, 0 for the rest."""
    sides = np.zeros(len(parents), dtype=np.intp)
    for role, joint in find_rig(skeleton).roles.items():
        if role.startswith("left_"):
            sides[joint] = 1
        elif role.startswith("right_"):
            sides[joint] = -1
    for point in range(1, len(parents)):
        if sides[point] == 0:
            sides[point] = sides[parents[point]]
    return sides


def _head(skeleton: Skeleton, parents: NDArray[np.intp]) -> tuple[int, int] | None:
    """The head joint and the point above it: from its role, else the highest tip."""
    joints = len(skeleton)
    role = find_rig(skeleton).roles.get("head")
    points = np.concatenate([skeleton.rest_positions, skeleton.rest_end_positions])
    if role is not None:
        # The neck says where up is: a jaw or an eye is no crown.
        neck = points[role] - points[max(int(parents[role]), 0)]
        above = [p for p in range(1, len(parents)) if parents[p] == role]
        return role, max(
            above, key=lambda p: float((points[p] - points[role]) @ neck), default=role
        )
    if len(points) < 2:
        return None
    top = int(np.argmax(points[:, 1]))
    if top < 1 or len(points) == joints:
        return None
    return int(parents[top]), top
