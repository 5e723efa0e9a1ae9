"""The orientation of body parts in the frames of their joints, whatever the zero pose looks like.

The same numbers mean different things in two rigs: zero rotations are a T-pose in one, an A-pose in
another, and a third puts every bone along one axis. What they share is the body. So each joint gets
its own frame, fixed to the joint and read off the body: the trunk's from how the body stands (x to
its left, y up, z forward), a limb's from its bone and the hinge that it bends about, a foot's from
its sole, a hand's and its fingers' from the row of its knuckles. A body part that points the same
way in two bodies has the same frame in the world, and that is what a retargeted motion keeps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motionweave.body import ik
from motionweave.body.pose.posture import LEG_JOINTS, rest_stands, trunk_direction
from motionweave.body.rig.fingers import FINGERS, fingers_of
from motionweave.body.rig.parts import below
from motionweave.body.rig.roles import SIDES, Rig, find_rig
from motionweave.body.soles import Sole, soles
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.numerics.vectors import unit
from motionweave.core.skeleton import Skeleton
from motionweave.errors import RigError

# Frames count as standing by how far trunk and legs are from the vertical: radians within
# which they count about fully.
_SWAY = np.radians(20.0)
# The bend (its sine) that a knee or elbow must reach in a clip to show where its hinge is.
_BENT = 0.35
# Knuckles span at least this share of the way to them (a sine, about): otherwise they show no palm.
_FLAT = 0.1
# Upper joint, joint that bends, end, and where the end goes: -1 backwards, 1 forwards.
LIMBS = (("thigh", "shin", "ankle", -1.0), ("upper_arm", "forearm", "hand", 1.0))


@dataclass(frozen=True, eq=False)
class Body:
    """A character as a motion shows it, for reading frames off it.

    Parameters
    ----------
    motion
        What it does; a single frame of rest if nothing is known but the skeleton.
    """

    motion: Motion

    @classmethod
    def at_rest(cls, skeleton: Skeleton) -> Body:
        """The body of which only the rest pose is known.

        Raises
        ------
        RigError
            If that pose is not a standing one, so that it does not show how the body is built.
        """
        body = cls(rest_motion(skeleton))
        if not rest_stands(skeleton):
            raise RigError(
                "the zero pose of the skeleton is not upright, so it does not show how "
                "its joints are oriented: give a motion of the character instead of its skeleton"
            )
        return body

    @cached_property
    def rig(self) -> Rig:
        """Which joint is which."""
        return find_rig(self.motion.skeleton)

    @cached_property
    def _forward(self) -> tuple[Array, Array]:
        return self.motion.forward()

    @cached_property
    def _standing(self) -> tuple[Array, Array]:
        """How much each frame counts as standing ``(T,)``, and its trunk's turn ``(T, 4)``."""
        positions, _ = self._forward
        trunk = trunk_direction(self.rig, positions)
        left = self.rig.lateral_axis(positions)
        if trunk is None or left is None:
            raise RigError(
                "the front of the body cannot be determined: name its hips, thighs, and head "
                "or chest in a JSON file (--rig FILE, or mw.load(..., rig=FILE))"
            )
        tilts = [_angle_up(trunk)]
        for side in SIDES:
            thigh, shin, ankle = (self.rig.roles[f"{side}_{r}"] for r in ("thigh", "shin", "ankle"))
            tilts.append(_angle_up(positions[:, thigh] - positions[:, shin]))
            tilts.append(_angle_up(positions[:, shin] - positions[:, ankle]))
        unrest = np.sum(np.square(tilts), axis=0) / _SWAY**2
        # A jogger leans: up is along the trunk, not vertical.
        forward = unit(np.cross(left, trunk))
        facing = rotations.from_matrix(
            np.stack([np.cross(trunk, forward), trunk, forward], axis=-1)
        )
        return np.exp(0.5 * (unrest.min() - unrest)), facing

    def posture(self, from_rest: bool) -> Array:
        """Frames ``(J, 4)`` of all joints, read off the body as it stands.

        Parameters
        ----------
        from_rest
            Whether the rest pose counts as standing, instead of the most upright frames.
        """
        count = len(self.motion.skeleton)
        if from_rest:
            left = self.rig.lateral_axis(self.motion.skeleton.rest_positions[None])
            assert left is not None
            facing = rotations.about_vertical(np.arctan2(-left[0, 2], left[0, 0]))
            return np.tile(facing, (count, 1))
        weights, facing = self._standing
        seen = rotations.multiply(rotations.inverse(self._forward[1]), facing[:, None])
        return _mean(seen, weights)

    def hinges(self) -> frozenset[tuple[str, str]]:
        """Limbs, as side and upper joint, that bend enough in the motion to show their hinge."""
        return frozenset(
            (side, roles[0])
            for side in SIDES
            for *roles, _ in LIMBS
            if (limb := self._limb(side, roles)) is not None
            and len(self.motion) > 1
            and np.quantile(np.linalg.norm(self._sines(limb), axis=1), 0.9) > _BENT
        )

    def palms(self) -> dict[str, tuple[Array, Array]]:
        """For the hand of a side, from the wrist to the middle of its knuckles, and along them from
        the little finger to the index, ``(3,)`` in its joint's frame; only hands with fingers."""
        rest = self.motion.skeleton.rest_positions
        found = {}
        for side in SIDES:
            if not self.rig.has(f"{side}_hand"):
                continue
            hand = self.rig.roles[f"{side}_hand"]
            fingers = fingers_of(self.motion.skeleton, hand)
            knuckles = [rest[fingers[one][0]] - rest[hand] for one in FINGERS[1:] if one in fingers]
            if len(knuckles) < 2:
                continue
            reach, row = np.mean(knuckles, axis=0), knuckles[0] - knuckles[-1]
            if np.linalg.norm(np.cross(reach, row)) > _FLAT * np.linalg.norm(reach) ** 2:
                found[side] = reach, row
        return found

    def frames(
        self,
        from_rest: bool,
        hinged: frozenset[tuple[str, str]],
        palms: frozenset[str] = frozenset(),
    ) -> Array:
        """Frames ``(J, 4)`` of all joints: rotations from a body part's axes to its joint's.

        Parameters
        ----------
        from_rest
            As in `posture`.
        hinged
            Limbs of `hinges` whose frames come from how they bend in the motion; those of the
            others come from how human elbows and knees bend.
        palms
            Sides whose hand and fingers get frames read off its `palms`; otherwise they are as they
            are when the body stands.
        """
        posture = self.posture(from_rest)
        frames = np.array(posture)
        for side in SIDES:
            for upper, middle, end, way in LIMBS:
                limb = self._limb(side, (upper, middle, end))
                if limb is None:
                    continue
                shown = (side, upper) in hinged
                for joint, next_one in ((limb.upper, limb.middle), (limb.middle, limb.end)):
                    bone = self._local(joint, next_one)
                    if not np.any(bone):
                        continue
                    across = self._hinge(limb, joint) if shown else None
                    if across is None:
                        seen = rotations.rotate(rotations.inverse(posture[joint]), bone)
                        across = rotations.rotate(
                            posture[joint], np.cross(seen, [0.0, 0.0, way]) if _across(seen) else _X
                        )
                    frames[joint] = _frame(bone, across)
                self._carry(frames, posture, limb.end, limb.middle)
            if side in palms:
                self._put_hand(frames, side, from_rest)
        self._put_feet(frames, posture, from_rest)
        return frames

    def stance(self) -> Array:
        """Global orientations ``(J, 4)`` of all joints when the body stands on flat feet, facing
        +z, as its motion shows it."""
        posture = self.posture(from_rest=False)
        frames = np.array(posture)
        self._put_feet(frames, posture, from_rest=False)
        return rotations.inverse(frames)

    def _put_feet(self, frames: Array, posture: Array, from_rest: bool) -> None:
        """Give feet, and everything below them, frames read off their soles."""
        if not self.rig.has(*LEG_JOINTS):
            return
        for sole in soles(self.motion, from_rest).values():
            frame = self._foot(sole)
            if frame is not None:
                frames[sole.ankle] = frame
                for child in self.motion.skeleton.children[sole.ankle]:
                    self._carry(frames, posture, child, sole.ankle)

    def _put_hand(self, frames: Array, side: str, from_rest: bool) -> None:
        """Give a hand and its fingers frames read off its knuckles.

        However far fingers are bent, they are bent about the row of the knuckles.
        """
        skeleton, hand = self.motion.skeleton, self.rig.roles[f"{side}_hand"]
        reach, row = self.palms()[side]
        frames[list(below(skeleton, hand))] = _frame(reach, row)
        for finger, chain in fingers_of(skeleton, hand).items():
            # A thumb lies beside the palm and bends in its plane.
            across = np.cross(reach, row) if finger == "thumb" else row
            for joint in chain:
                bone = self._bone(joint)
                if np.any(bone):
                    seen = across if from_rest else self._seen_from(joint, hand, across)
                    frames[joint] = _frame(bone, seen)

    def _seen_from(self, joint: int, other: int, vector: Array) -> Array:
        """A ``vector`` ``(3,)`` in another joint's frame, in that of a joint, on average."""
        turned = self._forward[1]
        world = rotations.rotate(turned[:, other], vector)
        return np.mean(rotations.rotate(rotations.inverse(turned[:, joint]), world), axis=0)

    def _bone(self, joint: int) -> Array:
        """From a joint to the next one or to its end, or else on from the one above it ``(3,)``."""
        skeleton = self.motion.skeleton
        ends = np.flatnonzero(np.asarray(skeleton.end_parents) == joint)
        if skeleton.children[joint]:
            return np.asarray(skeleton.offsets[skeleton.children[joint][0]])
        return np.asarray(skeleton.end_offsets[ends[0]] if len(ends) else skeleton.offsets[joint])

    def _carry(self, frames: Array, posture: Array, joint: int, above: int) -> None:
        """Give a joint and everything below it frames that move with the joint ``above``.

        Both are turned as they are when the body stands, so that a straight wrist is straight.
        """
        turn = rotations.multiply(rotations.inverse(posture[above]), frames[above])
        stack = [joint]
        while stack:
            each = stack.pop()
            frames[each] = rotations.multiply(posture[each], turn)
            stack.extend(self.motion.skeleton.children[each])

    def _limb(self, side: str, roles: tuple[str, ...] | list[str]) -> ik.Limb | None:
        names = [f"{side}_{role}" for role in roles]
        return ik.Limb(*(self.rig.roles[n] for n in names)) if self.rig.has(*names) else None

    def _local(self, joint: int, other: int) -> Array:
        """Where a joint further down is in a joint's frame ``(3,)``, on average."""
        skeleton = self.motion.skeleton
        if self.motion.translations is None:
            return np.asarray(skeleton.rest_positions[other] - skeleton.rest_positions[joint])
        positions, orientations = self._forward
        away = positions[:, other] - positions[:, joint]
        return np.mean(rotations.rotate(rotations.inverse(orientations[:, joint]), away), axis=0)

    def _sines(self, limb: ik.Limb) -> Array:
        """Axes ``(T, 3)`` about which a limb is bent, as long as the sine of the bend."""
        positions, _ = self._forward
        upper, middle, end = (positions[:, joint] for joint in limb)
        return np.cross(unit(middle - upper), unit(end - middle))

    def _hinge(self, limb: ik.Limb, joint: int) -> Array | None:
        """The axis ``(3,)`` in a joint's frame about which the limb bends in the motion."""
        sines = self._sines(limb)
        local = rotations.rotate(rotations.inverse(self._forward[1][:, joint]), sines)
        # A strong bend shows its axis best.
        mean = np.sum(local * np.linalg.norm(local, axis=1, keepdims=True), axis=0)
        return mean if np.linalg.norm(mean) > 1e-6 else None

    def _foot(self, sole: Sole) -> Array | None:
        """The frame ``(4,)`` of a foot; None if its sole does not tell."""
        at_ankle = sole.toe_joint == sole.ankle
        reach = sole.toe if at_ankle else self._local(sole.ankle, sole.toe_joint)
        if np.linalg.norm(sole.heel) < 1e-6 * np.linalg.norm(reach):
            return None
        up = -unit(sole.heel)
        forward = reach - (reach @ up) * up
        if np.linalg.norm(forward) < 1e-3 * np.linalg.norm(reach):
            return None
        return _frame(up, np.cross(up, forward))


def rest_motion(skeleton: Skeleton) -> Motion:
    """One frame of the rest pose."""
    count = len(skeleton)
    return Motion(skeleton, 30.0, skeleton.offsets[:1], np.tile(rotations.IDENTITY, (1, count, 1)))


@dataclass(frozen=True, eq=False)
class BodyPair:
    """Two bodies whose parts are read in the same way.

    So that going from one body to the other and back is exact, both are read off their rest
    poses if both stand, otherwise off how both stand in their motions; a limb's hinge off the
    motions if both bend it; and hands off their knuckles if both have some.

    Parameters
    ----------
    source, target
        The source body and the target body.
    """

    source: Body
    target: Body

    @cached_property
    def from_rest(self) -> bool:
        """Whether the rest poses show how the bodies stand."""
        return all(rest_stands(each.motion.skeleton) for each in (self.source, self.target))

    def frames(self) -> tuple[Array, Array]:
        """Frames ``(J, 4)`` of the joints of both bodies."""
        hinged = self.source.hinges() & self.target.hinges()
        palms = frozenset(self.source.palms()) & frozenset(self.target.palms())
        return (
            self.source.frames(self.from_rest, hinged, palms),
            self.target.frames(self.from_rest, hinged, palms),
        )


_X = np.array([1.0, 0.0, 0.0])


def _frame(along: Array, across: Array) -> Array:
    """The rotation ``(4,)`` that takes y to ``along`` and x as near as can be to ``across``."""
    y = unit(along)
    x = across - (across @ y) * y
    if np.linalg.norm(x) < 1e-9 * max(float(np.linalg.norm(across)), 1e-300):
        return rotations.between_vectors([0.0, 1.0, 0.0], y)
    x = unit(x)
    return rotations.from_matrix(np.stack([x, y, np.cross(x, y)], axis=1))


def _across(bone: Array) -> bool:
    """Whether a bone seen from the body is far enough from pointing forward or backward."""
    return bool(np.hypot(bone[0], bone[1]) > 0.05 * np.linalg.norm(bone))


def _angle_up(vectors: Array) -> Array:
    return np.arctan2(np.hypot(vectors[:, 0], vectors[:, 2]), vectors[:, 1])


def _mean(quats: Array, weights: Array) -> Array:
    """Weighted mean over time ``(..., 4)`` of rotations ``(T, ..., 4)``, near each other."""
    best = quats[int(np.argmax(weights))]
    signs = np.sign(np.sum(quats * best, axis=-1, keepdims=True))
    shape = (-1, *([1] * (quats.ndim - 1)))
    return rotations.normalize(np.sum(quats * signs * weights.reshape(shape), axis=0))
