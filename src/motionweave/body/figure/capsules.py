"""The body around a skeleton as tapered capsules: what is drawn quickly, and looks round.

A tapered capsule is the hull of two balls. Limbs, feet and neck come from the body plan of
`motionweave.body.figure.plan`; the trunk is a spine with ribs, and hands, toes and a skull are
added where the skeleton ends without them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from motionweave.body.figure.plan import body_plan, body_points, up_to_limbs
from motionweave.body.rig.roles import SIDES, find_rig
from motionweave.body.size import body_height
from motionweave.core import kinematics
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton

# Radii as shares of the body height: the spine, and the lines through both hips and shoulders.
_SPINE, _HIPS, _SHOULDERS = 0.045, 0.052, 0.036
# Flanks: how far up from the hips to the shoulders, how wide of those, and the radius.
_FLANKS = ((0.42, 0.62, 0.048), (0.72, 0.55, 0.06))
# Least radii of a hand at the wrist and at its tip, and of the toes.
_WRIST, _FINGERTIPS, _TOES = 0.019, 0.012, 0.016
# Added where the skeleton ends: a hand, a toe, as shares of the body height.
_HAND, _TOE = 0.075, 0.045
# Feet and hands are broader than thick: half their breadth beside the joints, at the ball of the
# foot and at the knuckles; the share of it at the tips; and how thick they are there.
_BALL_BREADTH, _PALM_BREADTH, _AT_TIPS = 0.017, 0.013, 0.6
_BALL_RADIUS, _TOE_RADIUS, _PALM_RADIUS, _FINGER_RADIUS = 0.014, 0.011, 0.0125, 0.009
# Knuckles, and where the thumb begins and ends: shares of the hand's length, and of the breadth.
_KNUCKLES = 0.5
_THUMB = ((0.15, 0.9), (0.55, 2.3))
# Muscles of limbs: how far down the bone they are thickest, and how many times as thick as the
# plain taper there.
_MUSCLES = {
    "thigh": (0.25, 1.15),
    "shin": (0.28, 1.18),
    "upper_arm": (0.4, 1.1),
    "forearm": (0.25, 1.15),
}
# The palm is known if the hand points less far ahead than this (a cosine).
_AHEAD = 0.8
# The skull, from its joint: up to the crown's ball, and the radii of chin and crown.
_CROWN, _CHIN_RADIUS, _CROWN_RADIUS = 0.046, 0.042, 0.055


@dataclass(frozen=True, eq=False)
class Capsules:
    """Tapered capsules between points of a body.

    Parameters
    ----------
    ends
        ``(S, 2)`` the points at both ends of each; see `capsule_points`.
    radii
        ``(S, 2)`` at both ends, in the skeleton's unit.
    sides
        ``(S,)`` 1 left, -1 right, 0 neither.
    trunk
        ``(S,)`` whether it is a part of the trunk, collar bones and all.
    feet
        ``(S,)`` whether it begins at an ankle, a heel or a toe.
    carriers, solids
        ``(S,)`` the joint that each moves with, -1 for the trunk, which bends; and a number that is
        the same for those that make one solid.
    extra_joints, extra_offsets
        ``(X,)`` and ``(X, 3)``: points that the skeleton does not have, fixed to its joints.
    mixed, shares
        ``(M, 4)`` points between four others, and the share of each of those.
    """

    ends: NDArray[np.intp]
    radii: Array
    sides: NDArray[np.intp]
    trunk: NDArray[np.bool_]
    feet: NDArray[np.bool_]
    carriers: NDArray[np.intp]
    solids: NDArray[np.intp]
    extra_joints: NDArray[np.intp]
    extra_offsets: Array
    mixed: NDArray[np.intp]
    shares: Array


def capsule_points(motion: Motion) -> Array:
    """Points ``(T, P, 3)`` between which the capsules of a motion's body lie."""
    plan = capsules_of(motion.skeleton)
    positions, orientations = motion.forward()
    extra = kinematics.attached(positions, orientations, plan.extra_joints, plan.extra_offsets)
    points = np.concatenate([body_points(motion), extra], axis=1)
    between = np.einsum("tmkc,mk->tmc", points[:, plan.mixed], plan.shares)
    return np.concatenate([points, between], axis=1)


@lru_cache(maxsize=64)
def capsules_of(skeleton: Skeleton) -> Capsules:
    """The capsules of a skeleton's body."""
    return _Builder(skeleton).build()


class _Capsule(NamedTuple):
    """One of `Capsules`; the points between others have negative numbers."""

    ends: tuple[int, int]
    radii: tuple[float, float]
    side: int
    carrier: int
    solid: int


class _Builder:
    """Collects capsules and the points that they need beyond the skeleton's."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.shape = body_plan(skeleton)
        self.height = body_height(skeleton) or 1.0
        self.roles = find_rig(skeleton).roles
        first = len(skeleton) + len(skeleton.end_parents)
        # Heels and toes that the plan adds, and how many points there are with them.
        self.added = range(first, first + len(self.shape.added_joints))
        self.known = self.added.stop
        self.drawn: list[_Capsule] = []
        self._inner = up_to_limbs(skeleton)
        self._hands = {self.roles[f"{s}_hand"] for s in SIDES if f"{s}_hand" in self.roles}
        feet = [f"{s}_{r}" for s in SIDES for r in ("ankle", "toe")]
        self._feet = {self.roles[role] for role in feet if role in self.roles}
        self._muscles = {
            self.roles[f"{side}_{role}"]: muscle
            for side in SIDES
            for role, muscle in _MUSCLES.items()
            if f"{side}_{role}" in self.roles
        }
        self.of_trunk: list[int] = []
        self.extra: list[tuple[int, Array]] = []
        self.mixed: list[tuple[tuple[int, ...], tuple[float, ...]]] = []

    def build(self) -> Capsules:
        parents = np.concatenate([self.skeleton.parents, self.skeleton.end_parents])
        self._tips(parents)
        self._skull()
        for piece in self.shape.pieces:
            self._piece(piece.points, piece.radii, piece.side, parents)
        if not self.drawn:
            self._draw(0, 0, 0.05 * self.height, 0.05 * self.height, 0, 0)
        # The points between others come last, after all that the builder added.
        shift = self.known + len(self.extra)
        ends = np.array([one.ends for one in self.drawn], dtype=np.intp)
        ends = np.where(ends >= 0, ends, shift - ends - 1)
        return Capsules(
            ends=ends,
            radii=np.array([one.radii for one in self.drawn], dtype=np.float64),
            sides=np.array([one.side for one in self.drawn], dtype=np.intp),
            trunk=np.isin(np.arange(len(self.drawn)), self.of_trunk),
            feet=np.isin(ends[:, 0], [*self._feet, *self.added]),
            carriers=np.array([one.carrier for one in self.drawn], dtype=np.intp),
            solids=np.array([one.solid for one in self.drawn], dtype=np.intp),
            extra_joints=np.array([joint for joint, _ in self.extra], dtype=np.intp),
            extra_offsets=np.array([offset for _, offset in self.extra]).reshape(-1, 3),
            mixed=np.array([points for points, _ in self.mixed], dtype=np.intp).reshape(-1, 4),
            shares=np.array([share for _, share in self.mixed], dtype=np.float64).reshape(-1, 4),
        )

    def _draw(
        self,
        a: int,
        b: int,
        ra: float,
        rb: float,
        side: int,
        carrier: int = -1,
        solid: int | None = None,
    ) -> None:
        """Add a capsule, as a solid of its own or as a part of one, named by its first capsule."""
        own = len(self.drawn) if solid is None else solid
        self.drawn.append(_Capsule((a, b), (ra, rb), side, carrier, own))

    def _add(self, joint: int, offset: Array) -> int:
        self.extra.append((joint, np.asarray(offset, dtype=np.float64)))
        return self.known + len(self.extra) - 1

    def _mix(self, points: tuple[int, ...], shares: tuple[float, ...]) -> int:
        """A point between four others; its number is negative until all points are known."""
        self.mixed.append((points, shares))
        return -len(self.mixed)

    def _tips(self, parents: NDArray[np.intp]) -> None:
        """Hands and toes of limbs whose last joint has nothing beyond it."""
        rest = self.skeleton.rest_positions
        for side, sign in zip(SIDES, (1, -1), strict=True):
            for role, length in (("hand", _HAND), ("toe", _TOE)):
                joint = self.roles.get(f"{side}_{role}")
                if joint is None or self._reach(joint, parents) > 0.3 * length * self.height:
                    continue
                above = int(self.skeleton.parents[joint])
                along = rest[joint] - rest[max(above, 0)]
                if role == "toe":
                    along = along * np.array([1.0, 0.0, 1.0])
                size = float(np.linalg.norm(along))
                if size > 0.0:
                    along *= length * self.height / size
                    if not self._broad(joint, along, sign):
                        tip = self._add(joint, along)
                        thick = (0.021 if role == "hand" else 0.018) * self.height
                        self._draw(joint, tip, thick, 0.7 * thick, sign, joint)

    def _reach(self, joint: int, parents: NDArray[np.intp]) -> float:
        """How far a joint's children and end sites lie from it."""
        offsets = np.concatenate([self.skeleton.offsets, self.skeleton.end_offsets])
        lengths = np.linalg.norm(offsets[self._below(joint, parents)], axis=1)
        return float(lengths.max(initial=0.0))

    def _below(self, joint: int, parents: NDArray[np.intp]) -> list[int]:
        """A joint's children and end sites that are parts of the body."""
        below = np.flatnonzero(parents == joint).tolist()
        return [point for point in below if point not in self.shape.strays]

    def _skull(self) -> None:
        if self.shape.head is None:
            return
        joint, top = self.shape.head
        rest = np.concatenate([self.skeleton.rest_positions, self.skeleton.rest_end_positions])
        along = rest[top] - rest[joint]
        if np.linalg.norm(along) < 1e-3 * self.height:
            above = int(self.skeleton.parents[joint])
            along = rest[joint] - rest[above] if above >= 0 else np.array([0.0, 1.0, 0.0])
        length = float(np.linalg.norm(along))
        up = along / length if length > 0.0 else np.array([0.0, 1.0, 0.0])
        tall = self.shape.head_height
        chin = self._add(joint, 0.022 * tall * up)
        crown = self._add(joint, (0.022 + _CROWN) * tall * up)
        self._draw(chin, crown, _CHIN_RADIUS * tall, _CROWN_RADIUS * tall, 0, joint)

    def _piece(
        self,
        points: tuple[int, ...],
        radii: tuple[float, ...],
        side: int,
        parents: NDArray[np.intp],
    ) -> None:
        height = self.height
        if len(points) == 2:
            ra, rb = radii
            alone = len(self._below(points[0], parents)) == 1
            if alone and self._broad(points[0], self._rest_vector(*points), side):
                return
            if points[0] in self._hands:
                ra, rb = max(ra, _WRIST * height), max(rb, _FINGERTIPS * height)
            elif points[0] in self._feet:
                rb = max(rb, _TOES * height)
            elif points[1] in self._inner:
                self.of_trunk.append(len(self.drawn))
            elif points[0] in self._muscles:
                at, times = self._muscles[points[0]]
                belly = self._mix((*points, *points), (0.5 - 0.5 * at, 0.5 * at) * 2)
                thick = times * ((1.0 - at) * ra + at * rb)
                first = len(self.drawn)
                self._draw(points[0], belly, ra, thick, side, points[0], first)
                self._draw(belly, points[1], thick, rb, side, points[0], first)
                return
            self._draw(points[0], points[1], ra, rb, side, points[0])
        elif len(points) == 3 and points[0] in self.added:
            heel, ankle, toe = points
            back, ball = 1.6 * radii[0], _BALL_RADIUS * height
            along = self._rest_vector(ankle, toe)
            across = self._across_foot(along) * _BALL_BREADTH * height
            middle = self._mix((ankle, heel, ankle, heel), (0.25, 0.25, 0.25, 0.25))
            edges = [self._add(ankle, along + share * across) for share in (1.0, 0.0, -1.0)]
            first = len(self.drawn)
            for behind, radius in ((heel, back), (middle, back), (ankle, radii[1])):
                for edge in edges:
                    self._draw(behind, edge, radius, ball, side, ankle, first)
            self._draw(ankle, heel, radii[1], back, side, ankle, first)
        else:
            first = len(self.drawn)
            self._trunk(points, parents)
            self.of_trunk.extend(range(first, len(self.drawn)))

    def _rest_vector(self, joint: int, point: int) -> Array:
        """From a joint to a point of the body plan in the rest pose."""
        joints = self.skeleton.rest_positions
        added = joints[self.shape.added_joints] + self.shape.added_offsets
        rest = np.concatenate([joints, self.skeleton.rest_end_positions, added])
        return np.asarray(rest[point] - rest[joint])

    def _across_foot(self, along: Array) -> Array:
        """Unit vector to the side of a foot that points ``along`` a vector at rest."""
        across = np.array([along[2], 0.0, -along[0]])
        return across / max(float(np.linalg.norm(across)), 1e-12)

    def _broad(self, joint: int, vector: Array, side: int) -> bool:
        """Draw toes or a hand along ``vector``, broader than thick, if it is known how they lie."""
        length = float(np.linalg.norm(vector))
        if joint in self._feet and length > 0.0:
            across = self._across_foot(vector) * _BALL_BREADTH * self.height
            self._wedge(joint, (0.0, 1.0), vector, across, (_BALL_RADIUS, _TOE_RADIUS), side)
            return True
        if joint not in self._hands or length <= 0.3 * _HAND * self.height:
            return False
        left, right = (self.roles.get(f"{one}_thigh") for one in SIDES)
        if left is None or right is None:
            return False
        # Palms face down or the thighs, so that a hand is broad from front to back.
        ahead = np.cross(self._rest_vector(right, left), [0.0, 1.0, 0.0])
        wide, along = float(np.linalg.norm(ahead)), vector / length
        if wide < 1e-6 * self.height or abs(float(ahead @ along)) > _AHEAD * wide:
            return False
        ahead /= wide
        across = ahead - (ahead @ along) * along
        across *= _PALM_BREADTH * self.height / np.linalg.norm(across)
        self._wedge(joint, (0.1, _KNUCKLES), vector, across, (_PALM_RADIUS, _PALM_RADIUS), side)
        self._wedge(joint, (_KNUCKLES, 1.0), vector, across, (_PALM_RADIUS, _FINGER_RADIUS), side)
        thumb = [self._add(joint, a * vector + b * across) for a, b in _THUMB]
        thin = _FINGER_RADIUS * self.height
        self._draw(thumb[0], thumb[1], thin, thin, side, joint)
        return True

    def _wedge(
        self,
        joint: int,
        stretch: tuple[float, float],
        along: Array,
        across: Array,
        radii: tuple[float, float],
        side: int,
    ) -> None:
        """A flat part that moves with a joint: three lines side by side, near enough to be one."""
        near, far = (radius * self.height for radius in radii)
        narrow = _AT_TIPS if stretch[1] == 1.0 else 1.0
        first = len(self.drawn)
        for share in (-1.0, 0.0, 1.0):
            begin = self._add(joint, stretch[0] * along + share * across)
            end = self._add(joint, stretch[1] * along + narrow * share * across)
            self._draw(begin, end, near, far, side, joint, first)

    def _trunk(self, points: tuple[int, ...], parents: NDArray[np.intp]) -> None:
        """A spine along the tree, and where both sides are known a line through each pair of
        limbs and flanks between them."""
        trunk, height, roles = set(points), self.height, self.roles
        limbs = {roles.get(f"{side}_{role}") for side in SIDES for role in ("thigh", "upper_arm")}
        for point in points:
            parent = int(parents[point])
            if parent in trunk and point not in limbs:
                self._draw(parent, point, _SPINE * height, _SPINE * height, 0)
        pairs = []
        for role, radius in (("thigh", _HIPS), ("upper_arm", _SHOULDERS)):
            left, right = (roles.get(f"{side}_{role}") for side in SIDES)
            if left is not None and right is not None:
                pairs.append((left, right))
                self._draw(left, right, radius * height, radius * height, 0)
        if len(pairs) == 2:
            self._flanks(*pairs)

    def _flanks(self, hips: tuple[int, int], shoulders: tuple[int, int]) -> None:
        """Both sides of the trunk from hip to shoulder, and what lies across between them."""
        height = self.height
        levels: list[list[tuple[int, float]]] = []
        for up, wide, radius in _FLANKS:
            near, far = 0.5 + 0.5 * wide, 0.5 - 0.5 * wide
            row = []
            for shares in ((near, far), (far, near)):
                mixed = (*((1.0 - up) * s for s in shares), *(up * s for s in shares))
                row.append((self._mix((*hips, *shoulders), mixed), radius * height))
            levels.append(row)
            self._draw(row[0][0], row[1][0], row[0][1], row[1][1], 0)
        for side in (0, 1):
            line = [
                (hips[side], _HIPS * height),
                *(row[side] for row in levels),
                (shoulders[side], _SHOULDERS * height),
            ]
            for (a, ra), (b, rb) in pairwise(line):
                self._draw(a, b, ra, rb, 0)
