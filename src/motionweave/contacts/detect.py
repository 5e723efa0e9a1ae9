"""Heel, toe and hand plants, found from how slow and how low the points of the sole are.

Everything is measured in leg lengths and seconds, at a fixed internal rate, so that
unit, place, heading and frame rate of a clip make no difference and nothing has to be
tuned. A point that is still on the floor is planted. A point that is still above it (stairs, a
ladder, a box, but also a foot held up in a kick) is planted only if at some moment nothing lower
can carry the body, and only if it came down on that place and leaves it upwards or sideways: what
carries is solid, and a foot that hangs in the air in a jump or a dance came from below. A foot that
is higher than the pelvis carries nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from motionweave.body.floor import Floor, fit_floor, levels_of
from motionweave.body.normalize.pelvis import at_pelvis
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.body.soles import soles
from motionweave.contacts.stillness import (
    RATE,
    PointTrack,
    StillStretch,
    limits,
    smooth_sample,
    speeds,
    still_stretches,
)
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.constraints import FOOT_KINDS, HAND_KINDS, Constraint, in_time
from motionweave.core.intervals import merged
from motionweave.core.kinematics import attached, in_parts
from motionweave.core.motion import Motion, checked
from motionweave.core.numerics.quantiles import median
from motionweave.core.runtime.cache import MotionCache

Mask = NDArray[np.bool_]

# A foot faster than this does not carry the body.
_CARRIES = 1.5

# Height in leg lengths above the floor.
_ON_FLOOR = 0.06
# A height that the lower foot is this far below for half of the time is not the floor: the floor is
# where it is lower than in all but this share of the frames.
_UNDER, _LOW = 0.08, 0.1

# A foot is flat whose ends are at one height, within this, for a while (in seconds); its toes point
# no deeper through the floor than that, for less than this share of the time.
_FLAT, _FLAT_FOR = 0.05, 0.1
_FOOT, _RARELY = 0.15, 0.35

# Durations in seconds: of a plant above the floor, of the time in which only this foot can
# carry, and of a gap that may be none.
_SHORTEST_RAISED = 0.15
_ALONE = 0.08
_GAP = 0.2
# Nothing solid is where a point passes: within this distance on the floor, this share of the height
# below the place, and no less than that. Feet that step off an edge dip below it, too, but by less.
_OVER, _THROUGH, _DEEP = 0.12, 0.5, 0.09
# A point that moved no further than this in a gap (markers shake) did not leave.
_SAME_PLACE = 0.045

# Of each end of a foot the other one.
_OTHER_END = {
    f"{side}_{end}": f"{side}_{other}"
    for side in SIDES
    for end, other in (("heel", "toe"), ("toe", "heel"))
}

# What finding planted hands needs.
_HANDS = (*HAND_KINDS, "hips")
# Hands hold on to something if they stay while the body moves by so much.
_HAND_STILL = 0.25
_HAND_BODY_MOVES = 0.12
_HAND_SHORTEST = 0.2


def detect_contacts(motion: Motion, hands: bool = False) -> tuple[Constraint, ...]:
    """Detect when heels and toes (and, optionally, hands) are planted.

    Parameters
    ----------
    motion
        Its rig needs thighs, shins and ankles; see `motionweave.body.rig.roles`. A T-pose
        in frame 0 is left out.
    hands
        Whether to detect planted hands, too: hands that hold on to or lean on something.

    Returns
    -------
    tuple[Constraint, ...]
        In fractional frames of the clip, in order of time.

    Raises
    ------
    RigError
        If the skeleton's legs are not known.

    Examples
    --------
    >>> import motionweave as mw
    >>> contacts = mw.detect_contacts(mw.sample("walk"))
    >>> sorted({contact.kind for contact in contacts})
    ['left_heel', 'left_toe', 'right_heel', 'right_toe']
    """
    check_arguments(detect_contacts, locals())
    return _detected(motion, hands).contacts


def estimate_floor(motion: Motion) -> Floor:
    """The floor on which a clip's feet stand, in the clip's unit.

    Parameters
    ----------
    motion
        Its rig needs legs, as for `detect_contacts`.

    Returns
    -------
    Floor
        A plane, level or sloping, and the heights of steps above it.

    Raises
    ------
    RigError
        If the skeleton's legs are not known.

    Examples
    --------
    >>> import motionweave as mw
    >>> floor = mw.estimate_floor(mw.sample("walk"))
    >>> abs(floor.height) < 0.02, floor.tilt
    (True, 0.0)
    """
    check_arguments(estimate_floor, locals())
    return _detected(motion).floor


@dataclass(frozen=True, eq=False)
class _Detected:
    """The results for a clip, in its own unit and frames.

    Parameters
    ----------
    clock
        Ticks of the internal clock as frames of the clip.
    floor
        With its steps.
    feet, hands
        The plants, in ticks.
    """

    clock: _Clock
    floor: Floor
    feet: list[StillStretch]
    hands: list[StillStretch]

    @cached_property
    def contacts(self) -> tuple[Constraint, ...]:
        """The plants in frames of the clip; many ask for the floor alone."""
        found = (self.clock.constraint(plant) for plant in (*_timed(self.feet), *self.hands))
        return tuple(sorted(found, key=in_time))


DETECTED: MotionCache[_Detected] = MotionCache()


def _detected(motion: Motion, hands: bool = False) -> _Detected:
    """Floor and contacts, cached for the last few clips."""
    motion = at_pelvis(checked(motion))

    def look() -> _Detected:
        scene = _Scene(motion, hands)
        return _Detected(scene.clock, scene.whole_floor(), scene.feet, scene.hands)

    return DETECTED.get(motion, look, hands)


class _Clock(NamedTuple):
    """The internal clock of a clip: first and last frame, frames per tick, and the last tick."""

    first: int
    last: int
    scale: float
    last_tick: int

    def constraint(self, plant: StillStretch) -> Constraint:
        """A plant in frames of the clip."""
        start = min(self.first + plant.start * self.scale, self.last)
        # The clock may stop short of the last frame by less than a tick.
        reaches_end = plant.end >= self.last_tick
        end = self.last if reaches_end else self.first + plant.end * self.scale
        return Constraint(float(start), float(end), plant.kind)


class _Scene:
    """A clip on the internal clock, its floor and its plants, all in leg lengths."""

    def __init__(self, motion: Motion, hands: bool):
        self.size = leg_length(motion.skeleton, feature="finding contacts")
        first = tpose_frames(motion)
        motion = motion[first:]
        last = len(motion) - 1
        count = int(np.floor(motion.duration * RATE + 1e-6)) + 1
        frames = np.minimum(np.arange(count) * (motion.fps / RATE), last)
        self.clock = _Clock(first, first + last, motion.fps / RATE, count - 1)
        names = (*SIDES, *FOOT_KINDS, *(_HANDS if hands else ()))
        points = _points(motion, names).reshape(len(motion), -1)
        sampled = smooth_sample(points, frames)
        sampled /= self.size
        sampled = sampled.reshape(count, -1, 3)
        place_of = dict(zip(names, sampled.swapaxes(0, 1), strict=True))
        speed_of = dict(zip(names, speeds(sampled).T, strict=True))
        for side in SIDES:
            # A foot that lands rolls over its heel, wherever in the hind foot that is:
            # the heel rests as long as either end of the line up to the ankle does.
            heel = f"{side}_heel"
            speed_of[heel] = np.minimum(speed_of[heel], speed_of[side])
        kinds = (*FOOT_KINDS, *(HAND_KINDS if hands else ()))
        limit_of = dict(
            zip(kinds, limits(np.stack([speed_of[kind] for kind in kinds])), strict=True)
        )
        self.tracks = {
            kind: PointTrack(kind, place_of[kind], speed_of[kind], limit_of[kind]) for kind in kinds
        }
        pelvis = np.interp(frames, np.arange(last + 1.0), motion.root[:, 1]) / self.size
        lowest = pelvis.min()
        still = [
            plant
            for plant in still_stretches([self.tracks[kind] for kind in FOOT_KINDS])
            # Most feet are below the pelvis at its lowest.
            if plant.place[1] < lowest or _below(plant, pelvis)
        ]
        self.floor = _floor_of(still, [self.tracks[kind] for kind in FOOT_KINDS])
        self.feet = self._planted_feet(still)
        self.hands = self._planted_hands(place_of["hips"]) if hands else []

    def whole_floor(self) -> Floor:
        """The floor with its steps, in the clip's unit."""
        floor, size = self.floor, self.size
        places = np.array([plant.place for plant in self.feet]).reshape(-1, 3)
        return Floor(
            floor.height * size,
            floor.slope,
            tuple(level * size for level in levels_of(floor.above(places), 1.0)),
        )

    def _planted_feet(self, still: list[StillStretch]) -> list[StillStretch]:
        places = np.array([plant.place for plant in still]).reshape(-1, 3)
        on_floor = (self.floor.above(places) < _ON_FLOOR).tolist()
        planted = [plant for plant, low in zip(still, on_floor, strict=True) if low]
        raised = [
            plant
            for plant, low in zip(still, on_floor, strict=True)
            if not low and plant.seconds >= _SHORTEST_RAISED and self._on_something(plant)
        ]
        # A step counts once the step before it does: repeat until nothing is added.
        waiting = raised
        while waiting:
            held = [plant for plant in waiting if not self._carries(plant, planted)]
            if len(held) == len(waiting):
                break
            kept = {id(plant) for plant in held}
            planted += [plant for plant in waiting if id(plant) not in kept]
            waiting = held
        return _merged(planted, self.tracks)

    def _on_something(self, plant: StillStretch) -> bool:
        """Whether there can be anything solid where a raised point is still: it does not pass
        through it on its way there or away."""
        points = self.tracks[plant.kind].points
        height = float(self.floor.above(plant.place))
        deepest = float(plant.place[1]) - max(_THROUGH * height, _DEEP)
        first, last = int(np.ceil(plant.start)), int(plant.end)
        for path in (points[first::-1], points[last:]):
            beside = np.hypot(*(path - plant.place)[:, [0, 2]].T) > _OVER
            over = path[: int(np.argmax(beside)) if beside.any() else len(path)]
            if len(over) and over[:, 1].min() < deepest:
                return False
        return True

    def _carries(self, plant: StillStretch, planted: list[StillStretch]) -> bool:
        """Whether a raised point must be what the body stands on for a moment."""
        span = slice(int(np.ceil(plant.start)), int(plant.end) + 1)
        times = np.arange(span.start, span.stop)
        height = float(self.floor.above(plant.place))
        beside = np.zeros(len(times), dtype=bool)
        lower = np.zeros(len(times), dtype=bool)
        for other in planted:
            if other.end < plant.start or other.start > plant.end:
                continue
            held = (times >= other.start) & (times <= other.end)
            level = float(self.floor.above(other.place))
            if other.foot != plant.foot and abs(level - height) < _ON_FLOOR:
                beside |= held
            elif level < height - _ON_FLOOR:
                lower |= held
        for kind in FOOT_KINDS:
            track = self.tracks[kind]
            if track.foot != plant.foot:
                # A slow foot near the floor carries the body, even while it pivots.
                low = self.floor.above(track.points[span]) < _ON_FLOOR
                lower |= low & (track.speed[span] < _CARRIES)
        alone = ~lower & ~beside
        return bool(max(alone.sum(), beside.sum()) / RATE >= _ALONE)

    def _planted_hands(self, body: Array) -> list[StillStretch]:
        """Hands that stay in one place for a while although the body moves on."""
        found = []
        for kind in HAND_KINDS:
            track = self.tracks[kind]
            slow = replace(track, limit=np.full(len(track.speed), _HAND_STILL))
            for plant in still_stretches([slow]):
                span = slice(int(np.ceil(plant.start)), int(plant.end) + 1)
                travel = float(np.linalg.norm(np.ptp(body[span], axis=0)))
                drift = float(np.linalg.norm(np.ptp(track.points[span], axis=0)))
                holds = travel > max(_HAND_BODY_MOVES, 2.0 * drift)
                on_floor = self.floor.above(plant.place) < 1.5 * _ON_FLOOR
                if plant.seconds >= _HAND_SHORTEST and (holds or on_floor):
                    found.append(plant)
        return _merged(found, self.tracks)


def _points(motion: Motion, names: Sequence[str]) -> Array:
    """Where points ``(T, n, 3)`` are: sides stand for ankles, others for ends of feet or joints."""
    rig = find_rig(motion.skeleton)
    # Joints, and where on them.
    fixed: dict[str, tuple[int, Array]] = {}
    for side, sole in soles(motion).items():
        fixed[side] = sole.ankle, np.zeros(3)
        fixed[f"{side}_heel"] = sole.ankle, sole.heel
        fixed[f"{side}_toe"] = sole.toe_joint, sole.toe
    for role in _HANDS:
        if role in names:
            fixed[role] = rig.joint(role, "hand contacts"), np.zeros(3)
    joints, offsets = map(np.array, zip(*(fixed[name] for name in names), strict=True))
    points = np.empty((len(motion), len(names), 3))
    for frames in in_parts(len(motion)):
        points[frames] = attached(*motion.forward(frames), joints, offsets)
    return points


def _below(plant: StillStretch, pelvis: Array) -> bool:
    """Whether a foot is lower than the pelvis, whose heights are ``(n,)``: the feet of a body that
    lies with its legs up, or stands on its hands, stand on nothing."""
    span = slice(int(plant.start), int(plant.end) + 1)
    return bool(plant.place[1] < median(pelvis[span]))


def _timed(plants: list[StillStretch]) -> list[StillStretch]:
    """Plants of the feet from first touch to last.

    A foot that comes out of a swing, or goes into one, passes from slow to fast at once.
    Where the other end of the foot stands meanwhile, the foot rolls, and the end that
    lifts (or comes down) is slow for a while without being at rest.
    """

    spans = {
        kind: sorted((p.start, p.end) for p in plants if p.kind == kind) for kind in FOOT_KINDS
    }

    def rolls(kind: str, time: float) -> bool:
        others = spans[_OTHER_END[kind]]
        # Plants of a kind follow each other: only the last one begun can last.
        before = bisect_left(others, (time, -np.inf)) - 1
        return before >= 0 and time < others[before][1]

    found = []
    for plant in plants:
        start = plant.rest if rolls(plant.kind, plant.start) else plant.start
        end = plant.lift if rolls(plant.kind, plant.end) else plant.end
        same = start == plant.start and end == plant.end
        found.append(plant if same else plant._replace(start=start, end=end))
    return found


def _merged(plants: Iterable[StillStretch], tracks: dict[str, PointTrack]) -> list[StillStretch]:
    """Merge plants of a kind that are close in time and place."""
    rows: dict[str, list[StillStretch]] = {}
    for plant in sorted(plants, key=lambda plant: plant.start):
        row = rows.setdefault(plant.kind, [])
        if row and _same(row[-1], plant, tracks[plant.kind]):
            longer, before = max(row[-1], plant, key=lambda each: each.seconds), row[-1]
            row[-1] = longer._replace(
                start=before.start, rest=before.rest, end=plant.end, lift=plant.lift
            )
        else:
            row.append(plant)
    return [plant for row in rows.values() for plant in row]


def _same(before: StillStretch, after: StillStretch, track: PointTrack) -> bool:
    if (after.start - before.end) / RATE > _GAP:
        return False
    gap = track.points[int(before.end) : int(np.ceil(after.start)) + 1]
    away = gap - gap[0]
    return float(np.einsum("ti,ti->t", away, away).max()) < _SAME_PLACE**2


def _floor_of(still: list[StillStretch], tracks: list[PointTrack]) -> Floor:
    if not still:
        lowest = min(float(track.points[:, 1].min()) for track in tracks)
        return Floor(lowest)
    places = np.array([plant.place for plant in still])
    weights = np.array([min(plant.seconds, 1.0) for plant in still])
    shown = ~_pointing_through(still, weights)
    floor = fit_floor(places[shown], weights[shown], 1.0)
    lowest = floor.above(np.array([track.points for track in tracks])).min(axis=0)
    if median(lowest) < -_UNDER:
        # When walking in place, a foot is only still in the air.
        return Floor(floor.height + float(np.quantile(lowest, _LOW)), floor.slope)
    return floor


def _pointing_through(still: Sequence[StillStretch], weights: Array) -> Mask:
    """Which stretches ``(n,)`` are ends of feet that point through the floor, as toes of dancers do
    whose joints turn more than their feet did.

    They are a little lower than all places where feet stand flat, and rare.
    """
    heights = np.array([plant.place[1] for plant in still])
    flat = [
        min(heel.place[1], toe.place[1])
        for heel, toe in _together(still)
        if abs(heel.place[1] - toe.place[1]) < _FLAT
    ]
    below = min(flat, default=-np.inf) - heights
    through = (below > _ON_FLOOR) & (below < _FOOT)
    deeper = bool(np.any(below >= _FOOT))
    rare = weights[through].sum() < _RARELY * weights.sum()
    return through & (rare and not deeper)


def _together(still: Sequence[StillStretch]) -> Iterable[tuple[StillStretch, StillStretch]]:
    """Stretches of a heel and of the toe of the same foot, at the same time for a while."""
    rows = {
        kind: sorted((p for p in still if p.kind == kind), key=lambda plant: plant.start)
        for kind in FOOT_KINDS
    }
    for side in SIDES:
        toes = rows[f"{side}_toe"]
        ends = [toe.end for toe in toes]
        for heel in rows[f"{side}_heel"]:
            # Stretches of a kind follow each other.
            for toe in toes[bisect_left(ends, heel.start) :]:
                if toe.start > heel.end:
                    break
                if min(heel.end, toe.end) - max(heel.start, toe.start) >= _FLAT_FOR * RATE:
                    yield heel, toe


def steps(constraints: Iterable[Constraint], side: str) -> list[tuple[float, float]]:
    """When a foot stands on its heel or toe: one stretch per step.

    Parameters
    ----------
    constraints
        Contacts of a clip.
    side
        ``"left"`` or ``"right"``.
    """
    if side not in SIDES:
        raise ValueError(f"side {side!r}: expected left or right")
    kinds = (f"{side}_heel", f"{side}_toe")
    return merged((c.start, c.end) for c in constraints if c.kind in kinds)
