"""Feet that stay where they are planted.

After Kovar, Schreiner & Gleicher, "Footskate Cleanup for Motion Capture Editing" (2002): planted
points are held still, the body gives way where a leg would be too short, and the legs are solved in
closed form. Their method has five steps, each of which may spoil what the one before has made
smooth; here foot, body and knee are three small least-squares problems over time (`footing`,
`solve`), smooth by construction at any frame rate.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from motionweave.body import ik
from motionweave.body.floor import Floor
from motionweave.body.ground import Ground
from motionweave.body.hinges import find_hinges
from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.body.root import at_pelvis
from motionweave.body.soles import contact_points
from motionweave.body.tpose import starts_in_tpose
from motionweave.contacts.clean.easing import eased
from motionweave.contacts.clean.footing import Footing, find_footing, settled
from motionweave.contacts.clean.plants import anchored, find_plants, planted_heights
from motionweave.contacts.clean.shaking import Steadied, steadied
from motionweave.contacts.clean.solve import FootWay, body_shift, solve_limb
from motionweave.contacts.detect import detect_contacts, estimate_floor
from motionweave.contacts.floors import ground_under
from motionweave.core import rotations as quat
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.concatenation import concatenate
from motionweave.core.constraints import FOOT_KINDS, HAND_KINDS, Constraint
from motionweave.core.curves import smoothstep
from motionweave.core.interrupt import checkpoint
from motionweave.core.motion import Motion, checked, local_translations
from motionweave.errors import MotionError, QualityWarning

# Leg lengths by which a foot may miss its plant before there is a warning.
_NOTICED = 0.02

# A correction is reduced where a joint of the limb would accelerate more than this many times as
# hard as it does anywhere in the clip, which counts as at least this many radians per second
# squared: by this factor, this many times at most, within this many seconds of it at first.
_LIMIT, _HARDLY = 1.45, 2.0
_BACK_OFF, _ATTEMPTS, _AROUND = 0.6, 5, 0.08

# Seconds over which a correction fades in before a plant and out after it.
_EASE = 0.2

LEG = ("thigh", "shin", "ankle")
ARM = ("upper_arm", "forearm", "hand")


def clean_feet(
    motion: Motion,
    constraints: Iterable[Constraint] | None = None,
    *,
    stretch: float = 0.0,
    hands: bool = False,
    ease: float = _EASE,
    floor: Floor | Ground | None = None,
    warn: bool = True,
) -> Motion:
    """The motion with planted feet that neither slide nor sink, without pops.

    Parameters
    ----------
    motion
        Its rig needs thighs, shins and ankles on both sides.
    constraints
        When heels and toes (and hands) are planted. By default the motion's own contacts, or
        detected ones if it has none. The result carries them.
    stretch
        The share by which legs may lengthen where they cannot reach, such as 0.01.
    hands
        Whether to hold planted hands, too.
    ease
        Seconds over which a correction fades in before a plant and out after it.
    floor
        What the feet stand on, such as ``Ground.slope(8)``; estimated from the motion by
        default.
    warn
        Whether to warn where a foot is not held firmly or cannot reach its plant. Methods that
        check their own results turn this off.

    Returns
    -------
    Motion
        The cleaned motion. Frames further than ``ease`` from any contact, and from any foot below
        the floor, are unchanged, bit for bit. Where holding a foot would make its knee or ankle
        jerk, the correction is reduced, and a `QualityWarning` says where.

    Raises
    ------
    MotionError
        ``stretch`` or ``ease`` is out of range.
    RigError
        The rig has no legs.

    Examples
    --------
    >>> import motionweave as mw
    >>> jog = mw.sample("jog")
    >>> cleaned = mw.clean_feet(jog)
    >>> mw.quality(cleaned).skate_max < 0.002
    True
    """
    check_arguments(clean_feet, locals())
    motion = checked(motion)
    if not 0.0 <= stretch <= 0.2:
        raise MotionError(f"stretch {stretch:g}: expected a share of leg length from 0 to 0.2")
    if not (np.isfinite(ease) and ease >= 0.0):
        raise MotionError(f"ease {ease:g}: expected seconds, 0 or more")
    motion = at_pelvis(motion)
    kinds = FOOT_KINDS + (HAND_KINDS if hands else ())
    used = _used(motion, constraints, kinds, hands)
    motion = motion.with_constraints(used)
    if not any(c.kind in kinds for c in used):
        return motion
    if starts_in_tpose(motion):
        # Not part of the motion, so no correction fades into it.
        rest = motion[1:]
        rest = clean_feet(
            rest,
            rest.constraints,
            stretch=stretch,
            hands=hands,
            ease=ease,
            floor=floor,
            warn=warn,
        )
        return concatenate([motion[:1], rest]).with_constraints(used)
    if floor is None:
        floor = estimate_floor(motion)
    elif isinstance(floor, Ground):
        floor = ground_under(floor, motion)
    return _Solver(motion, floor, stretch, ease, warn).cleaned(used, hands)


class Lead(NamedTuple):
    """Where a foot should go instead, and how it then touches the floor.

    Parameters
    ----------
    shift
        ``(T, 3)`` of the foot, from where it is.
    touching
        ``(2, T, 3)`` heel and toe of a foot that goes there: while they are planted, this foot's
        points follow their movement over the floor and their height.
    """

    shift: Array
    touching: Array


def lead_feet(motion: Motion, leads: Mapping[str, Lead], floor: Floor | Ground) -> Motion:
    """The motion with feet on other trajectories, planted during its contacts.

    Parameters
    ----------
    motion
        A body with legs, and its contacts.
    leads
        For each side, ``left`` and ``right``, the trajectory of its foot.
    floor
        What the feet stand on.
    """
    return _Solver(motion, floor, 0.0, _EASE, False, leads).cleaned(motion.constraints, False)


def plant_between(motion: Motion, first: int, last: int) -> Motion:
    """The motion with its contacts planted between two frames; these and all outside stay.

    A foot that stands across one of the two frames is held where it stands outside.

    Parameters
    ----------
    motion
        A body with legs, and its contacts.
    first, last
        The last frame before, and the first behind what may change.
    """
    motion = at_pelvis(motion)
    frames = np.arange(len(motion))
    only = (frames > first) & (frames < last)
    solver = _Solver(motion, estimate_floor(motion), 0.0, _EASE, False, only=only)
    return solver.cleaned(motion.constraints, False)


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
    """The end of a limb and how it should move.

    Parameters
    ----------
    name
        For messages, such as ``"left foot"``.
    end
        ``(T, 3)`` where the end of the limb should be.
    points
        ``(points, T, 3)`` heel and toe there; a hand has one.
    held
        ``(T,)`` where it is planted.
    footing
        How its points should move.
    steady
        What comes before that; None for a hand.
    """

    name: str
    limb: ik.Limb
    end: Array
    points: Array
    held: BoolArray
    footing: Footing
    steady: Steadied | None = None

    def eased_off(self, trust: Array) -> _Track:
        """The same with corrections that are multiplied by ``trust`` ``(T,)``."""
        footing = self.footing._replace(shifts=self.footing.shifts * trust[:, None])
        steady = None if self.steady is None else self.steady.eased_off(trust)
        return self._replace(footing=footing, steady=steady)


class _Solved(NamedTuple):
    motion: Motion
    missing: tuple[Array, ...]


class _Solver:
    """The clip being cleaned."""

    def __init__(
        self,
        motion: Motion,
        floor: Floor | Ground,
        stretch: float,
        ease: float,
        warn: bool,
        leads: Mapping[str, Lead] | None = None,
        only: BoolArray | None = None,
    ) -> None:
        self.motion = motion
        self.warn = warn
        self.floor = floor
        self.stretch = stretch
        self.ease = ease
        self.leads = leads
        self.only = only
        self.rig = find_rig(motion.skeleton)
        self.size = leg_length(motion.skeleton, self.rig)
        self.positions, self.orientations = motion.forward()
        self.hinges = tuple(find_hinges(motion).values())

    def cleaned(self, used: Sequence[Constraint], hands: bool) -> Motion:
        """The clip with planted feet and, optionally, hands."""
        points = contact_points(self.motion, hands)
        tracks = [self._foot(used, points, side) for side in SIDES]
        tracks += [self._hand(used, points, side) for side in SIDES if hands]
        solved = self._solve(tracks)
        # Hands are held only on request, and then exactly.
        for index in range(len(SIDES)):
            tracks[index], solved = self._calmed(tracks, index, solved)
        for track, missing in zip(tracks, solved.missing, strict=True):
            if self.warn:
                _tell_missing(self.motion, track, missing, self.size)
        return solved.motion

    def _calmed(
        self, tracks: Sequence[_Track], index: int, solved: _Solved
    ) -> tuple[_Track, _Solved]:
        """A foot's track with corrections reduced where they would jerk knee or ankle."""
        track = tracks[index]
        limit = _LIMIT * np.maximum(
            _jerks(self.motion, track.limb).max(axis=0, initial=0.0), _HARDLY
        )
        trust = np.ones(len(self.motion))
        for attempt in range(_ATTEMPTS):
            sudden = _jerks(solved.motion, track.limb) / limit
            if sudden.max(initial=0.0) <= 1.0:
                break
            if attempt == 0 and self.warn:
                _tell_eased_off(self.motion, track, sudden)
            # What jerks for being eased off within too short a time is given more.
            around = (1 + attempt) * _AROUND * self.motion.fps
            trust *= _doubt((sudden > 1.0).any(axis=1), around)
            eased_off = [*tracks[:index], track.eased_off(trust), *tracks[index + 1 :]]
            solved = self._solve(eased_off)
        return track.eased_off(trust), solved

    def _solve(self, tracks: Sequence[_Track]) -> _Solved:
        checkpoint()
        ways = [self._way(track) for track in tracks]
        legs = ways[: len(SIDES)]
        led = self.leads is not None
        free = np.full(len(self.motion), led)
        free |= np.any([way.grip > 0.0 for way in legs], axis=0)
        if self.only is not None:
            free &= self.only
        shift = body_shift(self.positions, legs, free, self.motion.fps, self.size, meant=led)
        local = np.array(self.motion.rotations)
        translations = self.motion.translations
        if self.stretch > 0.0:
            translations = np.array(local_translations(self.motion))
        missing = []
        for way in ways:
            left, longer = solve_limb(
                self.motion, self.positions, self.orientations, way, shift, local
            )
            if translations is not None and self.stretch > 0.0:
                bones = self.motion.skeleton.chain(way.limb.upper, way.limb.end)[1:]
                translations[:, bones] *= longer[:, None, None]
            missing.append(left)
        motion = replace(
            self.motion,
            root=self.motion.root + shift,
            rotations=local,
            translations=translations,
        )
        return _Solved(motion, tuple(missing))

    def _limb(self, side: str, roles: Sequence[str], feature: str) -> ik.Limb:
        return ik.Limb(*(self.rig.joint(f"{side}_{role}", feature) for role in roles))

    def _foot(self, used: Sequence[Constraint], points: dict[str, Array], side: str) -> _Track:
        kinds = (f"{side}_heel", f"{side}_toe")
        foot = np.stack([points[kind] for kind in kinds])
        limb = self._limb(side, LEG, "foot clean-up")
        hip, _, ankle = (self.positions[:, joint] for joint in limb)
        lead = None if self.leads is None else self.leads[side]
        if lead is not None:
            foot, ankle = foot + lead.shift, ankle + lead.shift
        count, fps = len(self.motion), self.motion.fps
        plants = find_plants(used, kinds, count)
        held = np.zeros((2, count), dtype=bool)
        for plant in plants:
            held[plant.point, plant.frames] = True
        resting = np.stack([settled(each, fps) for each in held])
        if lead is None:
            spread = max(round(self.ease * fps), 2)
            heights = planted_heights(plants, tuple(foot), self.floor, self.size, spread)
            steady = steadied(foot, ankle, hip, held, resting, fps)
            if self.only is not None:
                steady = steady.eased_off(self.only.astype(np.float64))
                heights = anchored(plants, heights, self.floor.above(foot), ~self.only)
        else:
            heights = np.where(held, np.maximum(self.floor.above(lead.touching), 0.0), 0.0)
            steady = Steadied.not_at_all(count)
        footing = find_footing(
            steady.moved(foot, ankle),
            resting,
            heights,
            self.floor,
            self.size,
            fps,
            self.ease,
            None if lead is None else lead.touching,
            self.only,
        )
        planted = np.asarray(held.any(axis=0))
        return _Track(f"{side} foot", limb, ankle, foot, planted, footing, steady)

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
        return _Track(f"{side} hand", limb, hand, hand[None], held, footing)

    def _way(self, track: _Track) -> FootWay:
        end, shifts, steady = track.end, track.footing.shifts, track.steady
        changed = np.any(shifts != 0.0, axis=(0, 2))
        if steady is None:
            goal, turn = end + shifts[0], np.broadcast_to(quat.IDENTITY, (len(end), 4))
        else:
            points = steady.moved(track.points, end)
            placed = ik.place_foot(
                end + steady.shift, *points, *(points + shifts), on_toe=track.footing.lean
            )
            goal, turn = placed.ankle, quat.multiply(placed.turn, steady.turn)
            changed |= np.any(steady.turn[:, :3] != 0.0, axis=-1)
        goal = np.where(changed[:, None], goal, end)
        turn = np.where(changed[:, None], turn, quat.IDENTITY)
        return FootWay(
            track.limb,
            self._axis(track.limb),
            goal,
            turn,
            track.footing.grip,
            self.stretch,
            exact=steady is None,
        )

    def _axis(self, limb: ik.Limb) -> Array:
        """The axis ``(T, 3)`` about which a limb bends; zeros for one without a hinge."""
        for hinge in self.hinges:
            if hinge.joint == limb.middle:
                return quat.rotate(self.orientations[:, limb.upper], hinge.axis)
        return np.zeros((len(self.motion), 3))


def _jerks(motion: Motion, limb: ik.Limb) -> Array:
    """Angular accelerations ``(T - 2, 2)`` of knee and ankle, in radians per second squared."""
    local = motion.rotations[:, [limb.middle, limb.end]]
    steps = quat.log(quat.multiply(quat.inverse(local[:-1]), local[1:]))
    return np.asarray(np.linalg.norm(np.diff(steps, axis=0), axis=-1) * motion.fps**2)


def _doubt(sudden: BoolArray, around: float) -> Array:
    """What corrections are multiplied by ``(T,)``: less where they make a joint jerk.

    ``sudden`` ``(T - 2,)`` are the accelerations at fault, of the frames from the second on,
    and ``around`` the frames before and after them that are eased off, too.
    """
    frames = np.arange(len(sudden) + 2)
    bad = np.flatnonzero(sudden) + 1
    after = np.searchsorted(bad, frames).clip(0, len(bad) - 1)
    away = np.minimum(np.abs(bad[after] - frames), np.abs(bad[np.maximum(after - 1, 0)] - frames))
    return np.asarray(1.0 - (1.0 - _BACK_OFF) * smoothstep(1.0 - away / around))


def _tell_eased_off(motion: Motion, track: _Track, sudden: Array) -> None:
    frame, which = np.unravel_index(int(sudden.argmax()), sudden.shape)
    joint = motion.skeleton.names[track.limb[1 + int(which)]]
    what = f" of {motion.name!r}" if motion.name else ""
    warnings.warn(
        f"the {track.name}{what} is not held firmly around frame {int(frame) + 1}, because that "
        f"would jerk {joint}; check the contacts there",
        QualityWarning,
        stacklevel=5,
    )


def _tell_missing(motion: Motion, track: _Track, missing: Array, size: float) -> None:
    missing = np.where(track.held, missing, 0.0)
    frame = int(missing.argmax())
    if missing[frame] > _NOTICED * size:
        what = f" of {motion.name!r}" if motion.name else ""
        warnings.warn(
            f"the {track.name}{what} cannot reach its plant at frame {frame}: "
            f"it is {missing[frame] / size:.1%} of a leg length away; "
            "check the contacts there, or allow a little stretch (stretch=0.01)",
            QualityWarning,
            stacklevel=5,
        )
