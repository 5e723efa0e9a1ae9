"""Feet that stay where they are planted.

After Kovar, Schreiner & Gleicher, "Footskate Cleanup for Motion Capture Editing"
(2002): each plant gets one place; the foot is put there, by heel, toe or both; the
body gives way smoothly where a leg would be too short; the legs are solved in closed
form; and what was changed is eased in and out over the frames around the plants.
Everything else stays as it was, bit for bit.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from motionweave.body import ik
from motionweave.body.floor import Floor
from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.body.root import at_pelvis
from motionweave.body.soles import contact_points
from motionweave.body.tpose import starts_in_tpose
from motionweave.contacts.clean.easing import Mask, eased
from motionweave.contacts.clean.footing import Footing, find_footing, settled
from motionweave.contacts.clean.plants import find_plants, planted_heights
from motionweave.contacts.clean.shaking import Steadied, steadied
from motionweave.contacts.clean.solve import FootWay, body_shift, solve_limb
from motionweave.contacts.detect import detect_contacts, estimate_floor
from motionweave.core import rotations as quat
from motionweave.core.arrays import Array
from motionweave.core.constraints import FOOT_KINDS, HAND_KINDS, Constraint
from motionweave.core.interrupt import checkpoint
from motionweave.core.motion import Motion, checked, concatenate, local_translations
from motionweave.errors import MotionError, QualityWarning

# Leg lengths by which a foot may miss its plant before the user is told.
_NOTICED = 0.002

LEG = ("thigh", "shin", "ankle")
ARM = ("upper_arm", "forearm", "hand")


def clean_feet(
    motion: Motion,
    constraints: Iterable[Constraint] | None = None,
    *,
    stretch: float = 0.0,
    hands: bool = False,
    ease: float = 0.2,
    floor: Floor | None = None,
) -> Motion:
    """The motion with planted feet that neither slide nor sink, and nothing that pops.

    Parameters
    ----------
    motion
        Its rig needs thighs, shins and ankles on both sides.
    constraints
        When heels, toes (and hands) are planted. By default the motion's own, and those
        that are detected if it has none. The result carries them.
    stretch
        By which share legs may get longer where they cannot reach, such as 0.01.
    hands
        Whether to hold planted hands, too.
    ease
        Seconds over which a correction fades in before a plant and out after it.
    floor
        What the feet stand on; estimated from the motion by default.

    Returns
    -------
    The cleaned motion. Frames that are no plant and not within ``ease`` of one are the
    input's, bit for bit.
    """
    motion = checked(motion)
    if not 0.0 <= stretch <= 0.2:
        raise MotionError(f"stretch {stretch:g}: expected a share of the leg from 0 to 0.2")
    if not (np.isfinite(ease) and ease >= 0.0):
        raise MotionError(f"ease {ease:g}: expected seconds, 0 or more")
    motion = at_pelvis(motion)
    kinds = FOOT_KINDS + (HAND_KINDS if hands else ())
    used = _used(motion, constraints, kinds, hands)
    motion = motion.with_constraints(used)
    if not any(c.kind in kinds for c in used):
        return motion
    if starts_in_tpose(motion):
        # No part of the motion, so nothing is eased into it.
        rest = motion[1:]
        rest = clean_feet(
            rest, rest.constraints, stretch=stretch, hands=hands, ease=ease, floor=floor
        )
        return concatenate([motion[:1], rest]).with_constraints(used)
    if floor is None:
        floor = estimate_floor(motion)
    return _Solver(motion, floor, stretch, ease).cleaned(used, hands)


def _used(
    motion: Motion,
    constraints: Iterable[Constraint] | None,
    kinds: Sequence[str],
    hands: bool,
) -> tuple[Constraint, ...]:
    if constraints is not None:
        return tuple(sorted(constraints))
    if any(c.kind in kinds for c in motion.constraints):
        return motion.constraints
    return tuple(sorted((*motion.constraints, *detect_contacts(motion, hands))))


class _Track(NamedTuple):
    """The end of a limb, its points ``(points, T, 3)``, and how they are to move."""

    name: str
    limb: ik.Limb
    points: Array
    held: Mask
    footing: Footing
    steady: Steadied | None = None


class _Solver:
    """The clip in work: limbs are solved one by one into copies of its arrays."""

    def __init__(self, motion: Motion, floor: Floor, stretch: float, ease: float) -> None:
        self.motion = motion
        self.floor = floor
        self.stretch = stretch
        self.ease = ease
        self.rig = find_rig(motion.skeleton)
        self.size = leg_length(motion.skeleton, self.rig)
        self.positions, self.orientations = motion.forward()

    def cleaned(self, used: Sequence[Constraint], hands: bool) -> Motion:
        """The clip with planted feet, and hands if asked for."""
        points = contact_points(self.motion, hands)
        legs = [self._foot(used, points, side) for side in SIDES]
        arms = [self._hand(used, points, side) for side in SIDES] if hands else []
        tracks = legs + arms
        ways = [self._way(track) for track in tracks]
        free = np.any([way.grip > 0.0 for way in ways[: len(legs)]], axis=0)
        shift = body_shift(
            self.positions, ways[: len(legs)], free, self.motion.fps, self.size
        )
        local = np.array(self.motion.rotations)
        translations = np.array(local_translations(self.motion)) if self.stretch > 0.0 else None
        for track, way in zip(tracks, ways, strict=True):
            checkpoint()
            missing = solve_limb(
                self.motion, self.positions, self.orientations, way, shift, local
            )
            _tell_missing(self.motion, track, missing)
        return replace(
            self.motion,
            root=self.motion.root + shift,
            rotations=local,
            translations=self.motion.translations if translations is None else translations,
        )

    def _limb(self, side: str, roles: Sequence[str], feature: str) -> ik.Limb:
        return ik.Limb(*(self.rig.joint(f"{side}_{role}", feature) for role in roles))

    def _foot(self, used: Sequence[Constraint], points: dict[str, Array], side: str) -> _Track:
        kinds = (f"{side}_heel", f"{side}_toe")
        foot = np.stack([points[kind] for kind in kinds])
        count, fps = len(self.motion), self.motion.fps
        plants = find_plants(used, kinds, count)
        spread = max(round(self.ease * fps), 2)
        heights = planted_heights(plants, foot, self.floor, self.size, spread)
        held = np.zeros((2, count), dtype=bool)
        for plant in plants:
            held[plant.point, plant.frames] = True
        limb = self._limb(side, LEG, "foot clean-up")
        hip, _, ankle = (self.positions[:, joint] for joint in limb)
        resting = np.stack([settled(each, fps) for each in held])
        steady = steadied(foot, ankle, hip, held, resting, fps)
        foot = steady.moved(foot, ankle)
        footing = find_footing(foot, held, heights, self.floor, fps, self.ease)
        return _Track(f"{side} foot", limb, foot, held.any(axis=0), footing, steady)

    def _hand(self, used: Sequence[Constraint], points: dict[str, Array], side: str) -> _Track:
        hand = points[f"{side}_hand"]
        count = len(hand)
        goal = np.full_like(hand, np.nan)
        for plant in find_plants(used, (f"{side}_hand",), count):
            goal[plant.frames] = hand[plant.frames].mean(axis=0)
        held = ~np.isnan(goal[:, 0])
        reach = max(round(self.ease * self.motion.fps), 2)
        shifts = eased(np.where(held[:, None], goal - hand, 0.0), held, reach)[None]
        grip = eased(np.ones((count, 1)), held, reach)[:, 0]
        limb = self._limb(side, ARM, "hand clean-up")
        footing = Footing(shifts, np.zeros(count), grip)
        return _Track(f"{side} hand", limb, hand[None], held, footing)

    def _way(self, track: _Track) -> FootWay:
        axis = ik.hinge_axis(self.positions, self.orientations, track.limb)
        end = self.positions[:, track.limb.end]
        goals = track.points + track.footing.shifts
        changed = np.any(track.footing.shifts != 0.0, axis=(0, 2))
        if track.steady is None:
            placed = ik.place_foot(end, track.points[0], track.points[0], goals[0])
            turn = placed.turn
        else:
            steady = track.steady
            placed = ik.place_foot(
                end + steady.shift, *track.points, *goals, on_toe=track.footing.lean
            )
            turn = quat.multiply(placed.turn, steady.turn)
            changed |= np.any(steady.turn[:, :3] != 0.0, axis=-1)
        goal = np.where(changed[:, None], placed.ankle, end)
        turn = np.where(changed[:, None], turn, quat.IDENTITY)
        return FootWay(track.limb, axis, goal, turn, track.footing.grip)


def _tell_missing(motion: Motion, track: _Track, missing: Array) -> None:
    missing = np.where(track.held, missing, 0.0)
    size = leg_length(motion.skeleton)
    frame = int(missing.argmax())
    if missing[frame] > _NOTICED * size:
        what = f" of {motion.name!r}" if motion.name else ""
        warnings.warn(
            f"the {track.name}{what} cannot reach its plant at frame {frame}: "
            f"{missing[frame] / size:.1%} of a leg length is missing; "
            "check the contacts there, or allow a little stretch",
            QualityWarning,
            stacklevel=3,
        )
