"""Feet that stay planted while a warp moves the body above them.

Every foot has a target trajectory: its own, moved with the path, changed by keys and goals of the
leg itself, and by nothing else. During a stance it is moved by a single move, that of the middle of
the stance, so that it cannot slide; in the air it is guided from one stance to the next, above the
floor. Then body and legs follow (`motionweave.methods.warping.legs`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from motionweave.body.floor import Floor
from motionweave.body.ground import Ground
from motionweave.body.ik import Limb
from motionweave.body.rig.roles import SIDES
from motionweave.body.soles import contact_points, has_feet
from motionweave.contacts.clean.banded import BandedLeastSquares
from motionweave.contacts.clean.footing import near
from motionweave.contacts.clean.plants import CLEARANCE
from motionweave.contacts.detect import estimate_floor
from motionweave.core import kinematics, rotations
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.motion import Motion
from motionweave.core.numerics.curves import smoothstep
from motionweave.methods.warping.clearance import Clearance, frames_from
from motionweave.methods.warping.curves import calmed
from motionweave.methods.warping.goals import Posed
from motionweave.methods.warping.landings import Landing
from motionweave.methods.warping.moments import Span, stances
from motionweave.methods.warping.paths import Path
from motionweave.methods.warping.steps import Stepping, insert_steps
from motionweave.methods.warping.targets import WarpClip
from motionweave.methods.warping.terrain import Terrain, lay_out
from motionweave.methods.warping.turns import WarpShape

# Seconds over which a foot blends from its own trajectory into that of a stance, the time scale of
# that, that of a foot which keys or goals of its own lead, and the seconds in which a foot that
# leaves the floor moves with the body.
_LEADING, _WIDTH, _LED, _LEAVING = 0.4, 0.2, 0.1, 0.15
# A goal this many seconds from a stance at most, and this share of a swing, belongs to the stance.
_LANDING, _OF_SWING = 0.15, 0.3
# The weight of known values relative to everything else.
_KNOWN = 1e7
# Moves below this share of the leg's length, and turns below it in radians, are rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Keyed:
    """What keys of the legs themselves make of a clip, without any other key.

    Parameters
    ----------
    whole
        The clip with all keys of leg joints: where feet go.
    footed
        The clip with the keys that turn ankles and toes alone: how feet are turned that stand. A
        leg that is swung further, or an ankle that is scaled, does not tilt the foot on the floor.
    own
        For each side ``(2, T)``: how much of a key of thigh or shin there is, in the air and
        in stances, 0 to 1. Where it is 1 the leg is as keyed, and its foot where that is.
    """

    whole: Motion
    footed: Motion
    own: Mapping[str, Array]


@dataclass(frozen=True)
class FootPlan:
    """The target of one foot.

    Parameters
    ----------
    side
        ``"left"`` or ``"right"``.
    ankle
        ``(T, 3)`` global positions.
    orientation
        ``(T, 4)`` global orientations of the ankle.
    standing
        ``(T,)`` 1 in stances, 0 where the foot moves with the body.
    own
        ``(T,)`` 1 where the keys of the leg are followed instead.
    lifted
        ``(T,)`` by how much the foot is lifted over the ground: included in ``ankle``.
    clearance
        How low it may be in the air.
    steps
        Whether the foot takes steps that are not in the clip.
    """

    side: str
    limb: Limb
    ankle: Array
    orientation: Array
    standing: Array
    own: Array
    lifted: Array
    clearance: Clearance
    steps: bool = False


@dataclass(frozen=True, eq=False)
class Feet:
    """The feet of the original clip, with what every plan for them needs."""

    clip: WarpClip

    @cached_property
    def level(self) -> Floor:
        """What the clip stands on."""
        return estimate_floor(self.clip.motion)

    @cached_property
    def floor(self) -> Array:
        """``(2, sides, T)``: height of the floor under heel and toe of each foot."""
        return np.stack([self.level.at(self.points[i]) for i in range(2)])

    @cached_property
    def points(self) -> Array:
        """``(2, sides, T, 3)`` heels and toes."""
        return _points(self.clip.motion, self.clip.motion)

    def terrain(
        self, keyed: Keyed, path: Path | None, ground: Ground, release: Sequence[str]
    ) -> Terrain:
        """Given ground, and where the feet stand on it; parameters as for `plans`."""
        clip = self.clip
        firm = _firm(clip.motion, release)
        before, after = clip.forward[0], keyed.whole.forward()[0]
        soles, spans = {}, {}
        for side, limb in clip.legs.items():
            led = after[:, limb.end] - before[:, limb.end]
            soles[side] = self.points[:, SIDES.index(side)] + led
            spans[side] = stances(firm, side)
        return lay_out(clip, soles, spans, path, ground, self.level)

    def stepping(self, path: Path | None, release: Sequence[str]) -> dict[str, Stepping]:
        """When feet stand, with the steps that a path needs; parameters as for `plans`."""
        clip = self.clip
        if not has_feet(clip.motion.skeleton):
            return {}
        firm = _firm(clip.motion, release)
        places = {side: clip.forward[0][:, limb.end] for side, limb in clip.legs.items()}
        spans = {side: stances(firm, side) for side in places}
        return insert_steps(spans, places, path, clip.motion.fps, clip.scale)

    def plans(
        self,
        keyed: Keyed,
        path: Path | None,
        posed: Sequence[Posed],
        shape: WarpShape,
        release: Sequence[str],
        stepping: Mapping[str, Stepping],
        terrain: Terrain | None = None,
        carried: Mapping[str, Array] | None = None,
    ) -> list[FootPlan]:
        """Plans for the feet of every leg that is known.

        Parameters
        ----------
        keyed
            What keys of the legs do.
        path
            The path that carries the body, if any.
        posed
            Frames posed by goals; those of the feet count.
        shape
            How displacements run.
        release
            Kinds of contact that no longer hold. A foot whose heel is released stands
            on its toe.
        stepping
            When the feet stand.
        terrain
            Given ground; the path leads over it.
        carried
            By side, how far ``(T, 3)`` the feet of the posed motion are from their plan without
            goals and lifts.
        """
        clip = self.clip
        if not has_feet(clip.motion.skeleton):
            return []
        before, after = clip.forward, keyed.whole.forward()
        foot = after if keyed.footed is keyed.whole else keyed.footed.forward()
        sole = self.points
        if keyed.footed is not clip.motion:
            sole = _points(keyed.footed, clip.motion)
        fps = clip.motion.fps
        result = []
        for side in SIDES:
            limb = clip.legs.get(side)
            if limb is None:
                continue
            index = SIDES.index(side)
            # What of the foot stays where it is, in the clip and as keys have it.
            own, held = before[0][:, limb.end], foot[0][:, limb.end]
            if f"{side}_heel" in release:
                own, held = self.points[1, index], sole[1, index]
            # A turned ankle moves the toes, but does not lead the foot anywhere.
            moved = own + calmed(after[0][:, limb.end] - before[0][:, limb.end], fps)
            spans, moments = stepping[side].spans, stepping[side].moments
            if terrain is None:
                way, ground, tilt = _held(own, moved, path, clip.scale, spans, moments, fps)
                way[:, 1] += stepping[side].lift(len(way), clip.scale)
            else:
                stands, landings = terrain.spans[side], terrain.landings[side]
                moments = tuple(landing.moment for landing in landings)
                way, ground, tilt = _held(
                    own, moved, path, clip.scale, stands, moments, fps, landings
                )
            off = None if carried is None else carried.get(side)
            way[:, :3] += _goal_shift(side, posed, shape, clip, spans, off)
            standing = _standing(spans, len(way))
            firmness = _eased(standing, fps)
            level = rotations.about_vertical(way[:, 3])
            if terrain is not None:
                level = rotations.multiply(rotations.exp(tilt), level)
            pose = _between(after[1][:, limb.end], foot[1][:, limb.end], firmness)
            # From the orientation of the ankle keys to the target orientation.
            turn = rotations.multiply(
                level, rotations.multiply(pose, rotations.inverse(foot[1][:, limb.end]))
            )
            ankle = way[:, :3] + rotations.rotate(turn, foot[0][:, limb.end] - held)
            lever = rotations.rotate(turn, sole[:, index] - foot[0][:, limb.end])
            # A foot in the air swings as high as feet do, unless it is lower in the clip.
            least = np.minimum(
                self.points[:, index, :, 1], self.floor[:, index] + CLEARANCE * clip.scale
            )
            if terrain is not None:
                least = least - self.floor[:, index]
                ankle += terrain.detour(ankle, lever, least, standing, clip)
                ground = terrain.under(*(ankle + lever))
            lowest = (least + ground - lever[..., 1]).max(axis=0) - ROUNDING * clip.scale
            clearance = Clearance(lowest, standing, clip.scale, fps)
            lifted = clearance.lift(ankle[:, 1])
            ankle[:, 1] += lifted
            turned = rotations.multiply(level, pose)
            loose, in_stance = keyed.own.get(side, np.zeros((2, len(way))))
            own_way = np.where(standing, in_stance, loose)
            steps = bool(stepping[side].swings)
            result.append(
                FootPlan(side, limb, ankle, turned, firmness, own_way, lifted, clearance, steps)
            )
        return result


def _between(loose: Array, firm: Array, firmness: Array) -> Array:
    """Orientations ``(T, 4)`` from those in the air to those on the floor."""
    if loose is firm:
        return firm
    apart = rotations.log(rotations.multiply(loose, rotations.inverse(firm)))
    share = (1.0 - firmness)[:, None]
    return np.where(share == 0.0, firm, rotations.multiply(rotations.exp(share * apart), firm))


def _points(motion: Motion, clip: Motion) -> Array:
    """Heels and toes ``(2, sides, T, 3)`` of a motion that was made of a clip."""
    points = contact_points(motion, like=clip)
    return np.stack(
        [np.stack([points[f"{side}_{part}"] for side in SIDES]) for part in ("heel", "toe")]
    )


def _firm(motion: Motion, release: Sequence[str]) -> Motion:
    """The motion without contacts that no longer hold."""
    return motion.with_constraints(c for c in motion.constraints if c.kind not in release)


def _held(
    own: Array,
    moved: Array,
    path: Path | None,
    size: float,
    spans: Sequence[Span],
    moments: Sequence[float],
    fps: float,
    landings: Sequence[Landing] | None = None,
) -> tuple[Array, Array, Array]:
    """A trajectory and its heading, ``(T, 4)``, moved along a path by one move per stance.

    Also how much higher ``(T,)`` the ground below it is than before, and its tilt there, as
    rotation vectors ``(T, 3)``.

    ``own`` ``(T, 3)`` is the foot's way as it was, ``moved`` as keys of the leg have it;
    ``size`` is the leg's length; each stance of ``spans`` stands where it is at one of the
    ``moments``, and ``landings`` say how stances lie on given ground.
    """
    count = len(own)
    frames = np.arange(count, dtype=np.float64)
    heading = np.zeros(count) if path is None else np.asarray(path.planar.angle)
    rise = np.zeros(count) if path is None else path.rise
    carried = own if path is None else path.move(own, frames)
    keyed = moved - own if path is None else path.move(moved, frames) - carried
    way = np.column_stack([carried, heading, rise, np.zeros((count, 3))])
    correction, of_keys = np.zeros((count, 8)), np.zeros((count, 3))
    known = np.zeros(count, dtype=bool)
    then = np.array(moments, dtype=np.float64)
    # Keys of the leg may plant a foot elsewhere, but not in the floor or above it.
    changes = kinematics.sample_vectors(moved - own, then) * [1.0, 0.0, 1.0]
    rises = kinematics.sample_vectors(rise, then)
    for index, ((first, last), at) in enumerate(zip(spans, moments, strict=True)):
        inside = _whole_frames(first, last)
        place, there = own[inside], own[inside] + changes[index]
        if path is not None:
            correction[inside, 3] = path.angle_at(at) - heading[inside]
            if landings is None:
                place, there = (path.move(p, np.full(len(p), at)) for p in (place, there))
                correction[inside, 4] = rises[index] - rise[inside]
            else:
                place, there = (landings[index].move(p) for p in (place, there))
                correction[inside, 5:] = landings[index].tilt
        correction[inside, :3] = place - carried[inside]
        of_keys[inside] = there - place - keyed[inside]
        known[inside] = True
    way[:, :3] += keyed
    if np.any(correction) or np.any(of_keys):
        lengths = np.column_stack([way[:, :3] - own, correction[:, [0, 1, 2, 4]], of_keys])
        touched = _more_than_rounding(lengths, size)
        touched |= _more_than_rounding(correction[:, [3, 5, 6, 7]], 1.0)
        free = near(touched, round(_LEADING * fps))
        way += _led(correction, known, free, _WIDTH * fps)
        if np.any(of_keys):
            way[:, :3] += _led(of_keys, known, free, _LED * fps)
    return way[:, :4], way[:, 4], way[:, 5:]


def _more_than_rounding(changes: Array, size: float) -> BoolArray:
    """Frames ``(T,)`` in which something of ``(T, n)`` really changes.

    The result depends on which frames may change: rounding must not decide that.
    """
    return np.asarray(np.any(np.abs(changes) > ROUNDING * size, axis=1))


def _goal_shift(
    side: str,
    posed: Sequence[Posed],
    shape: WarpShape,
    clip: WarpClip,
    spans: Sequence[Span],
    off: Array | None,
) -> Array:
    """How far goals move a foot, ``(T, 3)``: constant throughout a stance.

    Posed frames without a goal for this foot leave it alone. ``off`` ``(T, 3)`` is how far the foot
    was from its plan in the motion that was posed.
    """
    count, fps = len(clip.motion), clip.motion.fps
    goals = [p.frame for p in posed if side in p.feet]
    if not goals:
        return np.zeros((count, 3))
    values, into, out = (
        np.array([p.feet.get(side, np.zeros(3)) for p in rows])
        for rows in (posed, *([p.going_on(way) for p in posed] for way in (0, 1)))
    )
    if off is not None:
        more = np.array([_at(off, p.frame) if side in p.feet else np.zeros(3) for p in posed])
        values, into, out = values + more, into + more, out + more
    shift = shape.course([p.knot for p in posed], values, np.array([into, out]), count, fps)
    wanted = np.zeros_like(shift)
    known = np.zeros(count, dtype=bool)
    of_goals = [_stance_of(frame, spans, fps) for frame in goals]
    for index, (first, last) in enumerate(spans):
        inside = _whole_frames(first, last)
        keyed = [frame for frame, stance in zip(goals, of_goals, strict=True) if stance == index]
        at = min(max(0.5 * (first + last), 0.0), count - 1.0)
        if keyed:
            # Of a foot that is held the one nearest to the stance: before, it was still elsewhere.
            at = min(keyed, key=lambda frame: max(first - frame, frame - last, 0.0))
        wanted[inside] = _at(shift, at)
        known[inside] = True
    # A goal in the air is met exactly, whatever the stances around it need, and so is one that
    # holds the foot, in all of its frames.
    met = [slice(round(frame), round(frame) + 1) for frame in goals]
    met += [slice(round(p.frame), round(q.frame) + 1) for p, q in pairwise(posed) if side in p.held]
    for frames in met:
        wanted[frames] = shift[frames]
        known[frames] = True
    touched = near(np.any((shift != 0.0) | (wanted != 0.0), axis=1), round(_LEADING * fps))
    return _led(wanted, known, touched, _LED * fps, shift)


def _stance_of(frame: float, spans: Sequence[Span], fps: float) -> int | None:
    """The stance that a goal of a foot belongs to; None if the foot is clearly in the air.

    A foot that has just left or is about to land could only jump to where it stands.
    """
    away = [max(first - frame, frame - last, 0.0) for first, last in spans]
    if not spans:
        return None
    nearest = int(np.argmin(away))
    before = max((last for _, last in spans if last < frame), default=-np.inf)
    after = min((first for first, _ in spans if first > frame), default=np.inf)
    near = min(_LANDING * fps, _OF_SWING * (after - before))
    return nearest if away[nearest] <= near else None


def _led(
    values: Array, known: BoolArray, free: BoolArray, width: float, near_to: Array | None = None
) -> Array:
    """Values ``(T, n)`` that are ``known`` ``(T,)`` in some frames, and smooth between them.

    Elsewhere they stay near zero, or near others, with critical damping over ``width`` frames;
    frames that are neither known nor ``free`` are zero.
    """
    count, sides = values.shape
    width = max(width, 1.0)
    rows = BandedLeastSquares(count, 1, sides)
    rows.add_smoothness(width)
    if near_to is not None:
        rows.add_change((1.0,), 1.0, near_to)
    weight = _KNOWN * width**4
    rows.add_change((1.0,), weight * known[:, None], np.where(known[:, None], values, 0.0))
    return np.where(known[:, None], values, rows.solve(free | known))


def _standing(spans: Sequence[Span], count: int) -> BoolArray:
    result = np.zeros(count, dtype=bool)
    for first, last in spans:
        result[_whole_frames(first, last)] = True
    return result


def _eased(standing: BoolArray, fps: float) -> Array:
    """``(T,)``: 1 where a foot stands, fading to 0 in the frames beside."""
    return np.asarray(smoothstep(1.0 - frames_from(standing) / max(_LEAVING * fps, 1.0)))


def _whole_frames(first: float, last: float) -> slice:
    return slice(int(np.ceil(first)), int(np.floor(last)) + 1)


def _at(values: Array, frame: float) -> Array:
    return np.asarray(kinematics.sample_vectors(values, np.array([frame]))[0])
