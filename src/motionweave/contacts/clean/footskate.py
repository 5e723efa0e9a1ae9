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
from dataclasses import dataclass, replace

import numpy as np

from motionweave.body import ik
from motionweave.body.floor import Floor
from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.body.root import at_pelvis
from motionweave.body.soles import contact_points
from motionweave.body.tpose import starts_in_tpose
from motionweave.contacts.clean.easing import eased
from motionweave.contacts.clean.plants import find_plants, goal_tracks, place_plants
from motionweave.contacts.clean.reach import Pull, smooth_shift
from motionweave.contacts.detect import detect_contacts, estimate_floor
from motionweave.core import rotations as quat
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.constraints import FOOT_KINDS, HAND_KINDS, Constraint
from motionweave.core.curves import smoothstep
from motionweave.core.interrupt import checkpoint
from motionweave.core.motion import Motion, checked, concatenate, local_translations
from motionweave.errors import MotionError, QualityWarning

# Share of a leg's length, before full extension, that clean-up does not use unless the
# clip itself does: the last half per cent is worth 11 degrees of knee.
_SOFT = 0.005
# A leg extended by less than the first share of its length moves freely under the body;
# from the second on the body follows it, this much as strictly as it keeps it in reach.
_BENT, _STRAIGHT = 0.98, 0.998
_LOCK = 1e-4
# Leg lengths by which the body goes down for a foot to reach its plant, but no further.
_CROUCH = 0.25
# Seconds over which the body gives way.
_WIDTH = 0.08
# Leg lengths by which a foot may miss its plant before the user is told.
_NOTICED = 0.002

_UP = np.array([0.0, 1.0, 0.0])
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
    spread = max(2, round(ease * motion.fps))
    tracks = _tracks(motion, used, hands, floor, spread)
    solver = _Solver(motion, floor, stretch)
    solver.shift_body([track for track in tracks if track.is_leg], _WIDTH * motion.fps)
    for track in tracks:
        checkpoint()
        _tell_missing(motion, track, solver.solve(track))
    return solver.result()


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


@dataclass(frozen=True)
class _Track:
    """The end of a limb, its way through the clip, and how that is to change.

    Parameters
    ----------
    name
        For messages, such as ``"left foot"``.
    limb
        Hip, knee and ankle, or shoulder, elbow and wrist.
    points
        Heel and toe, ``(T, 3)`` each; a hand has one.
    shifts
        ``(points, T, 3)`` by how much they are to move; exactly zero where nothing changes.
    lean
        ``(T,)`` 0 where the first point is to be exact, 1 where the last is.
    held
        ``(T,)`` where it is planted.
    grip
        ``(T,)`` 1 where it is planted, fading to 0 where it goes along with the body.
    """

    name: str
    limb: ik.Limb
    points: tuple[Array, ...]
    shifts: Array
    lean: Array
    held: BoolArray
    grip: Array

    @property
    def is_leg(self) -> bool:
        return len(self.points) == 2


def _tracks(
    motion: Motion, used: Sequence[Constraint], hands: bool, floor: Floor, spread: int
) -> list[_Track]:
    rig = find_rig(motion.skeleton)
    size = leg_length(motion.skeleton, rig)
    points = contact_points(motion, hands)
    count = len(motion)
    tracks = []
    for side in SIDES:
        limb = ik.Limb(*(rig.joint(f"{side}_{role}", "foot clean-up") for role in LEG))
        kinds = (f"{side}_heel", f"{side}_toe")
        plants = find_plants(used, kinds, count)
        foot = (points[kinds[0]], points[kinds[1]])
        goals = place_plants(plants, foot, floor, size, spread)
        goals = goal_tracks(plants, goals, foot, floor, size, spread)
        shifts, lean, held = foot_shifts(foot, goals, floor, spread)
        grip = _grip(held, spread)
        tracks.append(_Track(f"{side} foot", limb, foot, shifts, lean, held, grip))
    for side in SIDES if hands else ():
        limb = ik.Limb(*(rig.joint(f"{side}_{role}", "hand clean-up") for role in ARM))
        hand = points[f"{side}_hand"]
        goal = np.full_like(hand, np.nan)
        for plant in find_plants(used, (f"{side}_hand",), count):
            goal[plant.frames] = hand[plant.frames].mean(axis=0)
        wanted, held = _wanted(hand, goal)
        shifts = eased(wanted, held, spread)[None]
        grip = _grip(held, spread)
        tracks.append(_Track(f"{side} hand", limb, (hand,), shifts, np.zeros(count), held, grip))
    return tracks


def _grip(held: BoolArray, spread: int) -> Array:
    return eased(np.ones((len(held), 1)), held, spread)[:, 0]


def _wanted(point: Array, goal: Array) -> tuple[Array, BoolArray]:
    """Shifts ``(T, 3)`` onto a goal that is NaN where there is none, and where there is one."""
    held = ~np.isnan(goal[:, 0])
    return np.where(held[:, None], goal - point, 0.0), held


def foot_shifts(
    points: tuple[Array, Array], goals: Array, floor: Floor, spread: int
) -> tuple[Array, Array, BoolArray]:
    """How heel and toe have to move to be at ``goals`` ``(2, T, 3)``, NaN where free.

    Returns
    -------
    Shifts ``(2, T, 3)`` of heel and toe, exactly zero where nothing changes; ``(T,)``
    0 where the heel is to be exact, 1 where the toe is; ``(T,)`` whether either is held.
    """
    heel, on_heel = _wanted(points[0], goals[0])
    toe, on_toe = _wanted(points[1], goals[1])
    held = on_heel | on_toe
    # How toe and heel move against each other is known where both are held. It is the
    # turn of the foot, and fades where only one is.
    turn = eased(toe - heel, on_heel & on_toe, spread)
    # With it, either of them tells where the heel goes.
    heel = eased(np.where(on_heel[:, None], heel, toe - turn), held, spread)
    toe = _above(points[1], heel + turn, ~on_toe, floor)
    heel = _above(points[0], heel, ~on_heel, floor)
    lean = eased(np.where(on_heel & on_toe, 0.5, on_toe)[:, None], held, spread)[:, 0]
    return _rigid(points, np.stack([heel, toe]), lean), lean, held


def _rigid(points: tuple[Array, Array], shifts: Array, lean: Array) -> Array:
    """Shifts ``(2, T, 3)`` that keep the length of the foot, and the heights asked for.

    What is too long or too short is made up over the floor, by the point that is not
    exact. Of a foot that points down this would ask too much: it fades out there.
    """
    changed = np.any(shifts != 0.0, axis=(0, 2))
    result = np.array(shifts)
    old = points[1][changed] - points[0][changed]
    new = old + shifts[1, changed] - shifts[0, changed]
    level = np.hypot(new[:, 0], new[:, 2])
    length = np.linalg.norm(old, axis=-1)
    fitting = np.sqrt(np.maximum(length**2 - new[:, 1] ** 2, 0.0))
    trust = smoothstep((np.minimum(fitting, level) / length - 0.3) / 0.3)
    step = (trust * (fitting - level) / np.maximum(level, 1e-300))[:, None]
    step = step * new * np.array([1.0, 0.0, 1.0])
    share = lean[changed, None]
    result[0, changed] -= share * step
    result[1, changed] += (1.0 - share) * step
    return result


def _above(point: Array, shift: Array, free: BoolArray, floor: Floor) -> Array:
    """Shifts ``(T, 3)`` that press a free point no lower than the floor, or than it was.

    The limit is rounded within half the correction's own size, so that speed does not
    jump where the limit starts to count, and a correction of zero stays zero.
    """
    shift = np.array(shift)
    limit = np.minimum(-floor.above(point), 0.0)
    room = shift[:, 1] - limit
    edge = 0.5 * np.abs(shift[:, 1])
    rounds = free & (edge > 0.0) & (room < edge)
    near_limit = (room[rounds] + edge[rounds]) ** 2 / (4.0 * edge[rounds])
    shift[rounds, 1] = limit[rounds] + np.where(room[rounds] < -edge[rounds], 0.0, near_limit)
    return shift


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


class _Solver:
    """The clip in work: limbs are solved one by one into copies of its arrays."""

    def __init__(self, motion: Motion, floor: Floor, stretch: float) -> None:
        self.motion = motion
        self.floor = floor
        self.positions, self.orientations = motion.forward()
        self.shift = np.zeros((len(motion), 3))
        self.stretch = stretch
        self.rotations = np.array(motion.rotations)
        self.translations = np.array(local_translations(motion)) if stretch > 0.0 else None

    def shift_body(self, legs: Sequence[_Track], width: float) -> None:
        """Move the body so that ``legs`` reach their goals and straight knees stay calm."""
        pulls = []
        for leg in legs:
            hip, knee, ankle = (self.positions[:, joint] for joint in leg.limb)
            goal, _ = self._placed(leg, leg.shifts)
            own = np.linalg.norm(ankle - hip, axis=-1)
            full = np.linalg.norm(knee - hip, axis=-1) + np.linalg.norm(ankle - knee, axis=-1)
            most = np.maximum(own, (1.0 - _SOFT) * full) * (1.0 + self.stretch)
            lock = leg.grip * smoothstep((own / full - _BENT) / (_STRAIGHT - _BENT))
            # A plant that the body would have to crouch for is left behind rather than followed.
            down = (_CROUCH * leg.grip * full)[:, None] * _UP
            crouched = np.linalg.norm(hip - goal - down, axis=-1)
            give = self.stretch * full
            pulls.append(
                Pull(
                    hip - goal,
                    np.maximum(own, crouched),
                    np.maximum(most, crouched),
                    _LOCK * lock,
                    give,
                    leg.grip,
                )
            )
        free = np.any([leg.grip > 0.0 for leg in legs], axis=0)
        self.shift = smooth_shift(pulls, free, width)

    def _placed(self, track: _Track, shifts: Array) -> tuple[Array, Array]:
        """Place ``(T, 3)`` and turn ``(T, 4)`` of a limb's end whose points are shifted."""
        end = self.positions[:, track.limb.end]
        goals = [point + shift for point, shift in zip(track.points, shifts, strict=True)]
        if track.is_leg:
            return ik.place_foot(end, *track.points, *goals, on_toe=track.lean)
        return ik.place_foot(end, track.points[0], track.points[0], goals[0])

    def solve(self, track: _Track) -> Array:
        """Bring a limb's end to its goal; returns what is missing ``(T,)``."""
        # What is not planted goes along with the body, but not into the floor.
        shifts = track.shifts + (1.0 - track.grip)[:, None] * self.shift
        if track.is_leg:
            for point, shift in zip(track.points, shifts, strict=True):
                shift[:] = _above(point, shift, ~track.held, self.floor)
        changed = np.any(shifts != self.shift, axis=(0, 2))
        missing = np.zeros(len(changed))
        goal, turn = (part[changed] for part in self._placed(track, shifts))
        limb = track.limb
        hinge = ik.hinge_axis(self.positions, self.orientations, limb)[changed]
        joints = self.positions[changed] + self.shift[changed, None]
        upper, middle, end = (joints[:, joint] for joint in limb)
        solved = ik.solve_two_bones(upper, middle, end, goal, hinge=hinge, soft=_SOFT)
        before = self.orientations[changed]
        new = ik.apply_to_limb(
            self.rotations[changed],
            before,
            self.motion.skeleton,
            limb,
            solved,
            quat.multiply(turn, before[:, limb.end]),
        )
        rows = np.ix_(changed, limb)
        # The sign of a quaternion means nothing, but stays as the clip has it.
        flipped = np.sum(new * self.rotations[rows], axis=-1, keepdims=True) < 0.0
        self.rotations[rows] = np.where(flipped, -new, new)
        missing[changed] = solved.shortfall
        if self.translations is not None:
            wanted = np.linalg.norm(goal - upper, axis=-1)
            reached = np.linalg.norm(solved.end - upper, axis=-1)
            factor = np.clip(wanted / reached, 1.0, 1.0 + self.stretch)
            bones = self.motion.skeleton.chain(limb.upper, limb.end)[1:]
            self.translations[np.ix_(changed, bones)] *= factor[:, None, None]
            missing[changed] = np.abs(wanted - factor * reached)
        return missing

    def result(self) -> Motion:
        """The motion as solved."""
        return replace(
            self.motion,
            root=self.motion.root + self.shift,
            rotations=self.rotations,
            translations=self.motion.translations
            if self.translations is None
            else self.translations,
        )
