"""One clip being cleaned: where feet and hands should be, and the body and limbs that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from motionweave.body import ik
from motionweave.body.floor import Floor
from motionweave.body.ground import Ground
from motionweave.body.hinges import find_hinges
from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.body.soles import contact_points
from motionweave.contacts.clean.calming import accelerations, calmed, hardest
from motionweave.contacts.clean.easing import eased
from motionweave.contacts.clean.footing import Footing, find_footing, settled
from motionweave.contacts.clean.plants import anchored, find_plants, planted_heights
from motionweave.contacts.clean.shaking import Steadied, steadied
from motionweave.contacts.clean.solve import FootWay, body_shift, legs_of, solve_limbs
from motionweave.core import rotations as quat
from motionweave.core.arrays import Array, BoolArray, sealed
from motionweave.core.constraints import Constraint
from motionweave.core.motion import Motion, local_translations
from motionweave.core.runtime.interrupt import checkpoint

# Leg lengths by which a body that is lowered may carry feet down unseen.
_UNSEEN = 1e-3

# Leg lengths by which a foot may miss its plant for a calm knee, see `FootWay`: less than
# elsewhere, because what then jerks is eased off.
_LOOSE = 0.0025

_NO_AXIS = np.zeros(3)
_UP = np.array([0.0, 1.0, 0.0])

LEG = ("thigh", "shin", "ankle")
ARM = ("upper_arm", "forearm", "hand")
# Heel and toe of each foot.
_ENDS = tuple((f"{side}_heel", f"{side}_toe") for side in SIDES)


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


class _Tracks(NamedTuple):
    """The ends of n limbs of a kind and how they should move.

    Parameters
    ----------
    names
        For messages, such as ``"left foot"``.
    limbs
        Which joints they are.
    end
        ``(n, T, 3)`` where the ends of the limbs should be.
    points
        ``(n, points, T, 3)`` heels and toes there; a hand has one.
    held
        ``(n, points, T)`` where these are planted.
    footing
        How their points should move.
    steady
        What comes before that; None for hands.
    """

    names: tuple[str, ...]
    limbs: tuple[ik.Limb, ...]
    end: Array
    points: Array
    held: BoolArray
    footing: Footing
    steady: Steadied | None = None


class Cleaned(NamedTuple):
    """A result, and what tells how good it is.

    Parameters
    ----------
    motion
        The body and its limbs.
    kept
        How the ends of limbs that were to be held are: both feet, and both hands if asked for.
    jerking
        Of each foot that is held at the cost of a joint that jerks: its name, the joint, and when.
    """

    motion: Motion
    kept: tuple[HeldEnd, ...]
    jerking: tuple[tuple[str, int, int], ...]


class HeldEnd(NamedTuple):
    """How well a foot or a hand is held.

    Parameters
    ----------
    name
        For messages, such as ``"left foot"``.
    held
        ``(points, T)`` where its points are planted.
    points
        ``(points, T, 3)`` as they were.
    held_back
        ``(T,)`` by how much it stays away from its plants on purpose, because they are too far.
    missing
        ``(T,)`` how far it is from where it should be.
    """

    name: str
    held: BoolArray
    points: Array
    held_back: Array
    missing: Array


class Cleaner:
    """A clip being cleaned.

    Parameters
    ----------
    motion
        A body with legs.
    floor
        What its feet stand on.
    stretch
        The share by which limbs may lengthen where they cannot reach.
    ease
        Seconds over which a correction fades in before a plant and out after it.
    leads
        For each side, ``left`` and ``right``, where its foot should go instead.
    only
        ``(T,)`` frames that may change; by default all.
    hands
        Whether to hold planted hands, too.
    clearance
        ``(2, 2, T)`` how high heels and toes of both feet have to be where they are not planted.
    """

    def __init__(
        self,
        motion: Motion,
        floor: Floor | Ground,
        stretch: float,
        ease: float,
        leads: Mapping[str, Lead] | None = None,
        only: BoolArray | None = None,
        hands: bool = False,
        clearance: Array | float = 0.0,
    ) -> None:
        self.motion = motion
        self.clearance = clearance
        self.floor = floor
        self.stretch = stretch
        self.ease = ease
        self.leads = leads
        self.only = only
        self.hands = hands
        self.rig = find_rig(motion.skeleton)
        self.size = leg_length(motion.skeleton, self.rig)
        self.pose = self.positions, self.orientations = motion.forward()
        self.hinges = tuple(find_hinges(motion, self.pose, arms=hands).values())

    def cleaned(self, used: Sequence[Constraint]) -> Cleaned:
        """The clip with what is planted held in its place."""
        feet = self._feet(used)
        # Hands are held exactly.
        tracks = [feet, self._hands(used)] if self.hands else [feet]
        motion, missing = self._solve(tracks)
        motion, jerking = self._calmed(feet, motion)
        kept = tuple(
            HeldEnd(*each)
            for own, left in zip(tracks, missing, strict=True)
            for each in zip(
                own.names, own.held, own.points, own.footing.held_back, left, strict=True
            )
        )
        return Cleaned(motion, kept, jerking)

    def _calmed(
        self, feet: _Tracks, motion: Motion
    ) -> tuple[Motion, tuple[tuple[str, int, int], ...]]:
        """A result with ankles that turn less suddenly where they would jerk, and what still does:
        see `Cleaned`."""
        fps = self.motion.fps
        knees_and_ankles = [[limb.middle for limb in feet.limbs], [limb.end for limb in feet.limbs]]
        was, now = (
            np.moveaxis(each.rotations[:, knees_and_ankles], 0, 2) for each in (self.motion, motion)
        )
        limit = hardest(accelerations(was, fps))
        if not (accelerations(now, fps) > limit[..., None]).any():
            return motion, ()
        now[1] = calmed(was[1], now[1], limit[1], fps)
        local = np.array(motion.rotations)
        local[:, knees_and_ankles[1]] = np.moveaxis(now[1], 0, 1)
        jerks = accelerations(now, fps) / limit[..., None]
        jerking = []
        for index, limb in enumerate(feet.limbs):
            which, frame = np.unravel_index(int(jerks[:, index].argmax()), jerks[:, index].shape)
            if jerks[which, index, frame] > 1.0:
                jerking.append((feet.names[index], limb[1 + int(which)], int(frame) + 1))
        return replace(motion, rotations=sealed(local)), tuple(jerking)

    def _solve(self, tracks: Sequence[_Tracks]) -> tuple[Motion, list[Array]]:
        """The body and its limbs, and what is missing ``(n, T)`` for those of each kind."""
        checkpoint()
        feet, *_ = ways = [self._ways(each) for each in tracks]
        led = self.leads is not None
        free = np.full(len(self.motion), led)
        free |= np.any([way.grip > 0.0 for way in feet], axis=0)
        if self.only is not None:
            free &= self.only
        legs = legs_of(self.positions, feet)
        shift = body_shift(legs, free, self.motion.fps, self.size, meant=led)
        lift = self._kept_above(tracks[0], legs.grip, shift)
        if lift.any():
            feet[:] = [
                replace(way, goal=way.goal + up[:, None] * _UP)
                for way, up in zip(feet, lift, strict=True)
            ]
            legs = legs._replace(span=legs.span - lift[..., None] * _UP)
        local = np.array(self.motion.rotations)
        translations = self.motion.translations
        if self.stretch > 0.0:
            translations = np.array(local_translations(self.motion))
        missing = []
        for kind in ways:
            known = legs if kind is feet else None
            left, longer = solve_limbs(self.motion, *self.pose, kind, shift, local, known)
            if translations is not None and self.stretch > 0.0:
                for way, by in zip(kind, longer, strict=True):
                    bones = self.motion.skeleton.chain(way.limb.upper, way.limb.end)[1:]
                    translations[:, bones] *= by[:, None, None]
            missing.append(left)
        motion = replace(
            self.motion,
            root=sealed(self.motion.root + shift),
            rotations=sealed(local),
            translations=translations,
        )
        return motion, missing

    def _kept_above(self, feet: _Tracks, grip: Array, shift: Array) -> Array:
        """How far ``(n, T)`` feet that go down with the body stay behind, not to reach the floor.

        ``grip`` ``(n, T)`` is 0 where they move with the body, which is shifted by ``shift``
        ``(T, 3)``.
        """
        down = (1.0 - grip) * np.maximum(-shift[:, 1], 0.0)
        if down.max() < _UNSEEN * self.size:
            return np.zeros_like(down)
        points = feet.points if feet.steady is None else feet.steady.moved(feet.points, feet.end)
        room = np.maximum(self.floor.above(points + feet.footing.shifts).min(axis=1), 0.0)
        # Of their height above the floor h, feet that would go down by d keep h²/(h + d).
        return np.asarray(down**2 / np.maximum(room + down, 1e-12))

    def _limbs(self, roles: Sequence[str], feature: str) -> tuple[ik.Limb, ...]:
        return tuple(
            ik.Limb(*(self.rig.joint(f"{side}_{role}", feature) for role in roles))
            for side in SIDES
        )

    def _feet(self, used: Sequence[Constraint]) -> _Tracks:
        foot = heels_and_toes(contact_points(self.motion, pose=self.pose))
        limbs = self._limbs(LEG, "foot clean-up")
        hip, _, ankle = (
            self.positions[:, list(joints)].swapaxes(0, 1) for joints in zip(*limbs, strict=True)
        )
        count, fps = len(self.motion), self.motion.fps
        plants = [find_plants(used, pair, count) for pair in _ENDS]
        held = np.zeros((len(SIDES), 2, count), dtype=bool)
        for own, its_plants in zip(held, plants, strict=True):
            for plant in its_plants:
                own[plant.point, plant.frames] = True
        resting = settled(held, fps)
        drift = None
        if self.leads is None:
            spread = max(round(self.ease * fps), 2)
            above = self.floor.above(foot)
            heights = planted_heights(plants, above, self.floor, self.size, spread)
            steady = steadied(foot, ankle, hip, held, resting, fps)
            if self.only is not None:
                steady = steady.eased_off(self.only.astype(np.float64))
                heights = np.stack(
                    [
                        anchored(its_plants, wanted, high, ~self.only)
                        for its_plants, wanted, high in zip(plants, heights, above, strict=True)
                    ]
                )
        else:
            leads = [self.leads[side] for side in SIDES]
            shift = np.stack([lead.shift for lead in leads])
            drift = np.stack([lead.touching for lead in leads])
            foot, ankle = foot + shift[:, None], ankle + shift
            heights = np.where(held, np.maximum(self.floor.above(drift), 0.0), 0.0)
            steady = Steadied.not_at_all(ankle.shape[:2])
        footing = find_footing(
            steady.moved(foot, ankle),
            resting,
            heights,
            self.floor,
            self.size,
            fps,
            self.ease,
            drift,
            self.only,
            np.where(held, 0.0, self.clearance),
        )
        names = tuple(f"{side} foot" for side in SIDES)
        return _Tracks(names, limbs, ankle, foot, held, footing, steady)

    def _hands(self, used: Sequence[Constraint]) -> _Tracks:
        limbs = self._limbs(ARM, "hand clean-up")
        hands = self.positions[:, [limb.end for limb in limbs]].swapaxes(0, 1)
        goal = np.full_like(hands, np.nan)
        for own, to, side in zip(hands, goal, SIDES, strict=True):
            for plant in find_plants(used, (f"{side}_hand",), len(own)):
                to[plant.frames] = own[plant.frames].mean(axis=0)
        held = ~np.isnan(goal[..., 0])
        reach = max(round(self.ease * self.motion.fps), 2)
        # What is missing, and how much of it counts.
        known = np.concatenate([goal - hands, np.ones((*held.shape, 1))], axis=-1)
        known = np.where(held[..., None], known, 0.0)
        spread = np.stack([eased(one, mask, reach) for one, mask in zip(known, held, strict=True)])
        still = np.zeros(held.shape)
        footing = Footing(spread[:, None, :, :3], still, spread[..., 3], still)
        names = tuple(f"{side} hand" for side in SIDES)
        return _Tracks(names, limbs, hands, hands[:, None], held[:, None], footing)

    def _ways(self, tracks: _Tracks) -> list[FootWay]:
        end, shifts, steady = tracks.end, tracks.footing.shifts, tracks.steady
        changed = np.any(shifts != 0.0, axis=(1, 3))
        if steady is None:
            goal, turn = end + shifts[:, 0], np.broadcast_to(quat.IDENTITY, (*changed.shape, 4))
        else:
            points = steady.moved(tracks.points, end)
            placed = ik.place_foot(
                end + steady.shift,
                *points.swapaxes(0, 1),
                *(points + shifts).swapaxes(0, 1),
                on_toe=tracks.footing.lean,
            )
            goal, turn = placed.ankle, quat.multiply(placed.turn, steady.turn)
            changed |= np.any(steady.turn[..., :3] != 0.0, axis=-1)
        goal = np.where(changed[..., None], goal, end)
        turn = np.where(changed[..., None], turn, quat.IDENTITY)
        axes = self._axes(tracks.limbs)
        return [
            FootWay(
                limb,
                axes[index],
                goal[index],
                turn[index],
                tracks.footing.grip[index],
                self.stretch,
                _LOOSE,
                exact=steady is None,
                faithful=True,
            )
            for index, limb in enumerate(tracks.limbs)
        ]

    def _axes(self, limbs: Sequence[ik.Limb]) -> Array:
        """The axes ``(n, T, 3)`` about which limbs bend; zeros for those without a hinge."""
        axis_of = {hinge.joint: hinge.axis for hinge in self.hinges}
        axes = np.array([axis_of.get(limb.middle, _NO_AXIS) for limb in limbs])
        upper = self.orientations[:, [limb.upper for limb in limbs]].swapaxes(0, 1)
        return quat.rotate(upper, axes[:, None])


def heels_and_toes(points: Mapping[str, Array]) -> Array:
    """Heels and toes of both feet ``(2, 2, T, 3)``, from ``(T, 3)`` of each kind."""
    return np.array([[points[kind] for kind in pair] for pair in _ENDS])
