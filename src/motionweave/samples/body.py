"""From tracks an animator thinks in to joint rotations.

Pelvis, spine, gaze, arms and feet are given over time; legs, and arms that reach for
something, follow by two-bone inverse kinematics in closed form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.constraints import Constraint
from motionweave.core.motion import Motion
from motionweave.errors import MotionError
from motionweave.samples import character
from motionweave.samples.character import FOREARM, SHIN, SIDES, THIGH, UPPER_ARM
from motionweave.samples.curves import soft_minimum
from motionweave.samples.feet import FootPath

# A leg never stretches further than this: near full length a knee snaps.
_LONGEST_LEG = 0.9965 * (THIGH + SHIN)
_LONGEST_ARM = 0.995 * (UPPER_ARM + FOREARM)
# Kinks where the legs hold the pelvis down are smoothed over this many metres.
_ROUNDING = 0.045

_UP = np.array([0.0, 1.0, 0.0])
_FORWARD = np.array([0.0, 0.0, 1.0])
_SPINE = ("Spine", "Spine1", "Chest")


@dataclass(frozen=True)
class Arm:
    """An arm over time: angles in radians, numbers or ``(T,)``.

    Parameters
    ----------
    flex
        Upper arm forwards (positive) or back from hanging down.
    out
        Upper arm away from the side.
    turn
        Upper arm turned inwards about itself.
    elbow
        Bend of the elbow.
    roll
        Forearm turned inwards about itself; the palm of a hanging hand faces in at 0.
    wrist
        Hand bent towards the palm.
    shrug, fore
        Collar bone up and forwards.
    reach
        ``(T, 3)`` where the wrist should be, in space; used to the degree that ``grip`` says.
    grip
        0 to 1: how much the hand follows ``reach`` rather than the angles.
    """

    flex: Any = 0.0
    out: Any = 0.12
    turn: Any = 0.0
    elbow: Any = 0.25
    roll: Any = 0.0
    wrist: Any = 0.1
    shrug: Any = 0.0
    fore: Any = 0.0
    reach: Array | None = None
    grip: Any = 1.0


@dataclass(frozen=True)
class KeyedBody:
    """Everything that is keyed. T frames at times ``t``.

    Parameters
    ----------
    pelvis
        ``(T, 3)`` target pelvis positions; the legs may hold it lower.
    hips
        ``(T, 4)`` orientation of the pelvis.
    feet
        Left and right `FootPath`.
    arms
        Left and right `Arm`.
    spine
        ``(T, 3)`` bend forwards, twist to the left, lean to the right, of the whole
        spine; its three joints share it.
    gaze
        ``(T, 4)`` orientation of the head, which the neck helps to reach.
    """

    pelvis: Array
    hips: Array
    feet: Mapping[str, FootPath]
    arms: Mapping[str, Arm]
    spine: Array
    gaze: Array
    splay: Mapping[str, Any] = field(default_factory=dict)

    def motion(self, fps: float, name: str, constraints: Sequence[Constraint]) -> Motion:
        """The clip, joint by joint."""
        skeleton = character.skeleton()
        index = {joint: skeleton.index(joint) for joint in skeleton.names}
        local = np.zeros((len(self.pelvis), len(skeleton), 4))
        local[..., 3] = 1.0
        root = held_by_legs(self.pelvis, self.hips, self.feet)
        local[:, index["Hips"]] = self.hips
        chest, shoulders = self._torso(root, local, index)
        for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
            self._leg(side, sign, root, local, index)
            self._arm(side, sign, shoulders, chest, local, index)
        return Motion(
            skeleton=skeleton,
            fps=fps,
            root=root,
            rotations=rotations.unroll(rotations.normalize(local)),
            constraints=tuple(constraints),
            name=name,
        )

    def _torso(self, root: Array, local: Array, index: Mapping[str, int]) -> tuple[Array, Array]:
        """Spine and head; returns the chest's orientation and the position of its joint."""
        offsets = character.skeleton().offsets
        share = rotations.from_euler(self.spine[:, [1, 0, 2]] / len(_SPINE), "YXZ")
        turn, at = self.hips, root
        for joint in _SPINE:
            at = at + rotations.rotate(turn, offsets[index[joint]])
            local[:, index[joint]] = share
            turn = rotations.multiply(turn, share)
        to_gaze = rotations.multiply(rotations.inverse(turn), self.gaze)
        half = rotations.exp(0.5 * rotations.log(to_gaze))
        local[:, index["Neck"]] = local[:, index["Head"]] = half
        return turn, at

    def _leg(
        self, side: str, sign: float, root: Array, local: Array, index: Mapping[str, int]
    ) -> None:
        foot = self.feet[side]
        hip = root + rotations.rotate(self.hips, _hip_offset(sign))
        # The knee looks to where pelvis and foot on average face.
        facing = rotations.vertical_angle(self.hips)
        apart = np.angle(np.exp(1j * (foot.heading - facing)))
        splay = np.asarray(self.splay.get(side, 0.0))
        thigh, shin = two_bones(
            hip, foot.ankle, (THIGH, SHIN), _LONGEST_LEG, facing + 0.5 * apart + sign * splay
        )
        sole = foot.orientations()
        local[:, index[f"{side}UpLeg"]] = rotations.multiply(rotations.inverse(self.hips), thigh)
        local[:, index[f"{side}Leg"]] = rotations.multiply(rotations.inverse(thigh), shin)
        local[:, index[f"{side}Foot"]] = rotations.multiply(rotations.inverse(shin), sole)
        local[:, index[f"{side}Toe"]] = rotations.about_axis("X", -foot.bend)

    def _arm(
        self,
        side: str,
        sign: float,
        chest_at: Array,
        chest: Array,
        local: Array,
        index: Mapping[str, int],
    ) -> None:
        arm = self.arms[side]
        count = len(chest)

        def about(axis: str, angle: ArrayLike) -> Array:
            return rotations.about_axis(axis, np.broadcast_to(angle, count))

        collar = rotations.multiply(
            about("Y", -sign * np.asarray(arm.fore)), about("Z", sign * np.asarray(arm.shrug))
        )
        # The rest pose has the arms out: first let them hang, then swing them.
        hanging = about("Z", -sign * (0.5 * np.pi - np.asarray(arm.out)))
        upper = rotations.multiply(
            about("X", -np.asarray(arm.flex)),
            rotations.multiply(hanging, about("X", np.asarray(arm.turn))),
        )
        upper = rotations.multiply(rotations.inverse(collar), upper)
        bend = about("Y", -sign * np.asarray(arm.elbow))
        if arm.reach is not None:
            upper, bend = self._reaching(sign, arm, chest_at, chest, collar, upper, bend, index)
        local[:, index[f"{side}Shoulder"]] = collar
        local[:, index[f"{side}Arm"]] = upper
        local[:, index[f"{side}ForeArm"]] = rotations.multiply(
            bend, about("X", np.asarray(arm.roll))
        )
        local[:, index[f"{side}Hand"]] = about("Z", -sign * np.asarray(arm.wrist))

    def _reaching(
        self,
        sign: float,
        arm: Arm,
        chest_at: Array,
        chest: Array,
        collar: Array,
        upper: Array,
        bend: Array,
        index: Mapping[str, int],
    ) -> tuple[Array, Array]:
        """Upper arm and elbow turned so that the wrist is at ``arm.reach``."""
        offsets = character.skeleton().offsets
        side = SIDES[0] if sign > 0 else SIDES[1]
        turned = rotations.multiply(chest, collar)
        shoulder = (
            chest_at
            + rotations.rotate(chest, offsets[index[f"{side}Shoulder"]])
            + rotations.rotate(turned, offsets[index[f"{side}Arm"]])
        )
        assert arm.reach is not None
        goal = rotations.rotate(rotations.inverse(turned), arm.reach - shoulder)
        # Smoothed, because an elbow that straightens into a limit snaps.
        distance = np.maximum(np.linalg.norm(goal, axis=-1), 0.12)
        distance = soft_minimum(distance, np.full_like(distance, _LONGEST_ARM), _ROUNDING)
        inner = np.clip(
            (UPPER_ARM**2 + FOREARM**2 - distance**2) / (2.0 * UPPER_ARM * FOREARM), -1.0, 1.0
        )
        elbow = np.pi - np.arccos(inner)
        straight = rotations.about_axis("Y", -sign * elbow)
        # Keep the keyed arm's swivel: turn it, elbow bent to the right length, the
        # shortest way onto the goal.
        wrist = np.array([sign * UPPER_ARM, 0.0, 0.0]) + rotations.rotate(
            straight, np.array([sign * FOREARM, 0.0, 0.0])
        )
        now = rotations.rotate(upper, wrist)
        aimed = rotations.multiply(rotations.between_vectors(now, goal), upper)
        grip = np.broadcast_to(np.asarray(arm.grip, dtype=np.float64), len(chest))
        return (
            rotations.slerp(upper, aimed, grip),
            rotations.slerp(bend, straight, grip),
        )


def two_bones(
    start: Array, goal: Array, lengths: tuple[float, float], longest: float, facing: Array
) -> tuple[Array, Array]:
    """Orientations ``(T, 4)`` of two bones along -y that take ``start`` ``(T, 3)`` to ``goal``.

    The joint between them bends towards ``facing`` ``(T,)``, an angle about +y, carried
    along as the limb swings away from hanging down; it is a hinge about the x axis.
    """
    upper, lower = lengths
    way = goal - start
    distance = np.clip(np.linalg.norm(way, axis=-1), abs(upper - lower) + 1e-3, longest)
    way = way / np.linalg.norm(way, axis=-1, keepdims=True)
    swing = rotations.between_vectors(-_UP, way)
    hint = rotations.rotate(rotations.multiply(swing, rotations.about_vertical(facing)), _FORWARD)
    # Law of cosines: the angle at the start, between the upper bone and the way.
    cosine = (upper**2 + distance**2 - lower**2) / (2.0 * upper * distance)
    opening = np.arccos(np.clip(cosine, -1.0, 1.0))
    inner = (upper**2 + lower**2 - distance**2) / (2.0 * upper * lower)
    flexion = np.pi - np.arccos(np.clip(inner, -1.0, 1.0))
    axis = np.cross(hint, way)
    frame = rotations.from_matrix(np.stack([axis, -way, np.cross(axis, -way)], axis=-1))
    first = rotations.multiply(frame, rotations.about_axis("X", -opening))
    return first, rotations.multiply(first, rotations.about_axis("X", flexion))


def held_by_legs(pelvis: Array, hips: Array, feet: Mapping[str, FootPath]) -> Array:
    """Pelvis positions ``(T, 3)``, lowered where a leg would be too short for its foot."""
    heights = []
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        offset = rotations.rotate(hips, _hip_offset(sign))
        way = feet[side].ankle - (pelvis + offset)
        level = way[:, 0] ** 2 + way[:, 2] ** 2
        if np.any(level > (0.985 * _LONGEST_LEG) ** 2):
            raise MotionError(
                "the steps are too long for the character's legs: "
                "ask for a shorter stride, a lower speed or a gentler turn"
            )
        heights.append(feet[side].ankle[:, 1] - offset[:, 1] + np.sqrt(_LONGEST_LEG**2 - level))
    held = np.array(pelvis)
    lower = soft_minimum(heights[0], heights[1], _ROUNDING)
    held[:, 1] = soft_minimum(lower, pelvis[:, 1], _ROUNDING)
    return held


def _hip_offset(sign: float) -> Array:
    skeleton = character.skeleton()
    return skeleton.offsets[skeleton.index("LeftUpLeg")] * np.array([sign, 1.0, 1.0])
