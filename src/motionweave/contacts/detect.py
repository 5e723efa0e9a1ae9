"""Heel, toe and hand plants, found from how slow and how low the points of the sole are.

Everything is measured in leg lengths and seconds, on an inner clock of its own, so that
unit, place, heading and frame rate of a clip make no difference and nothing has to be
tuned. A point that is still on the floor is planted. A point that is still above it
(stairs, a ladder, a box, but also a foot held up in a kick) is planted only if at some
moment nothing lower can be what carries the body.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from motionweave.body.floor import Floor, fit_floor, levels_of
from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.body.root import at_pelvis
from motionweave.body.soles import contact_points, soles
from motionweave.body.tpose import starts_in_tpose
from motionweave.core.arrays import Array
from motionweave.core.constraints import FOOT_KINDS, HAND_KINDS, Constraint
from motionweave.core.intervals import merged, runs
from motionweave.core.motion import Motion, checked
from motionweave.core.quantiles import quantile

Mask = NDArray[np.bool_]

# The inner clock, and the time over which velocities are averaged, in seconds.
_RATE = 120.0
_BLUR = 0.012

# Speeds in leg lengths per second. A plant ends where the speed passes a share of the
# fastest swing nearby, within bounds: runs slide more than strolls. It must have been
# slower than another share of that limit.
_SWING_SHARE = 0.12
_SWING_SPAN = 0.35
_LIMIT = (0.4, 1.0)
_STILL = 0.6
# Recordings shake. A planted point goes into a swing, or begins to roll, where it is
# faster than this many times its usual speed in the plant (a low quantile), and never
# below the second number.
_USUAL = 0.4
_SWINGING, _SWING = 10.0, 0.2
_LEAVING, _REST = 2.5, 0.05
# A foot faster than this does not carry the body.
_CARRIES = 1.5

# Heights in leg lengths: above the floor, and above the height of the plant itself, for
# a foot that has left and for one that rolls.
_ON_FLOOR = 0.06
_LIFTED = 0.035
_LIFTING = (0.003, 0.012)

# Durations in seconds: of a plant on the floor, above it, at the edge of the clip, of
# the time in which only this foot can carry, and of a gap that may be none.
_SHORTEST = 0.05
_SHORTEST_RAISED = 0.15
_SHORTEST_AT_EDGE = 0.035
_ALONE = 0.08
_GAP = 0.2
# What went no farther than this in a gap (markers shake) did not leave.
_SAME_PLACE = 0.045

# Hands hold on to something if they stay while the body moves by so much.
_HAND_STILL = 0.25
_HAND_BODY_MOVES = 0.12
_HAND_SHORTEST = 0.2


@dataclass(frozen=True)
class _Track:
    """A point on the inner clock: places ``(K, 3)``, speeds and limits ``(K,)``, in legs."""

    kind: str
    points: Array
    speed: Array
    limit: Array

    @property
    def foot(self) -> str:
        return self.kind.split("_")[0]


@dataclass(frozen=True)
class _Plant:
    """A stretch of the inner clock, ends fractional, in which a point is still.

    From ``start`` to ``end`` it is slow, from ``rest`` to ``lift`` it is at rest.
    """

    kind: str
    start: float
    end: float
    rest: float
    lift: float
    place: Array

    @property
    def foot(self) -> str:
        return self.kind.split("_")[0]

    @property
    def seconds(self) -> float:
        return (self.end - self.start) / _RATE


def detect_contacts(motion: Motion, hands: bool = False) -> tuple[Constraint, ...]:
    """When heels and toes (and hands, if asked for) are planted.

    Parameters
    ----------
    motion
        Its rig needs thighs, shins and ankles; see `motionweave.body.rig.roles`. A T-pose
        in frame 0 is left out.
    hands
        Whether to look for hands that hold on or lean on something, too.

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
    motion = checked(motion)
    return _Scene(motion, hands).constraints()


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
    motion = checked(motion)
    scene = _Scene(motion, hands=False)
    floor, size = scene.floor, scene.size
    heights = np.array(
        [floor.above(plant.place) for plant in scene.feet if plant.kind in FOOT_KINDS]
    )
    return Floor(
        floor.height * size,
        floor.slope,
        tuple(level * size for level in levels_of(heights, 1.0)),
    )


class _Scene:
    """A clip on the inner clock, its floor and its plants, all in leg lengths."""

    def __init__(self, motion: Motion, hands: bool):
        motion = at_pelvis(motion)
        self.size = leg_length(motion.skeleton)
        self.fps = motion.fps
        self.first = int(starts_in_tpose(motion))
        motion = motion[self.first :]
        last = len(motion) - 1
        count = int(np.floor(motion.duration * _RATE + 1e-6)) + 1
        frames = np.minimum(np.arange(count) * (motion.fps / _RATE), last)
        self.last_frame = self.first + last
        positions = motion.positions()
        soled = soles(motion)
        points = contact_points(motion, hands)
        ankles = [soled[side].ankle for side in SIDES]
        # All in one go: columns are sampled as one array, (T, 3 n).
        columns = np.concatenate([*points.values(), *(positions[:, j] for j in ankles)], axis=1)
        sampled = np.split(_smooth_sample(columns, frames) / self.size, columns.shape[1] // 3, 1)
        ankle_speed = dict(zip(SIDES, map(_speed, sampled[len(points) :]), strict=True))
        self.tracks: dict[str, _Track] = {}
        for kind, places in zip(points, sampled, strict=False):
            speed = _speed(places)
            if kind.endswith("heel"):
                # A foot that lands rolls over its heel, wherever in the hind foot that is:
                # the heel rests as long as either end of the line up to the ankle does.
                speed = np.minimum(speed, ankle_speed[kind.removesuffix("_heel")])
            self.tracks[kind] = _track(kind, places, speed)
        still = [plant for kind in FOOT_KINDS for plant in _still(self.tracks[kind])]
        self.floor = _floor_of(still, [self.tracks[kind] for kind in FOOT_KINDS])
        self.feet = self._planted_feet(still)
        self.hands: list[_Plant] = []
        if hands:
            rig = find_rig(motion.skeleton)
            body = positions[:, rig.joint("hips", "hand contacts")]
            self.hands = self._planted_hands(_smooth_sample(body, frames) / self.size)

    def constraints(self) -> tuple[Constraint, ...]:
        """The plants in frames of the clip."""
        scale = self.fps / _RATE
        found = []
        for plant in (*self.feet, *self.hands):
            start = min(self.first + plant.start * scale, self.last_frame)
            # The inner clock may stop short of the last frame by less than a tick.
            reaches_end = plant.end >= len(self.tracks[plant.kind].speed) - 1
            end = self.last_frame if reaches_end else self.first + plant.end * scale
            found.append(Constraint(float(start), float(end), plant.kind))
        return tuple(sorted(found))

    def _planted_feet(self, still: list[_Plant]) -> list[_Plant]:
        places = np.array([plant.place for plant in still]).reshape(-1, 3)
        on_floor = (self.floor.above(places) < _ON_FLOOR).tolist()
        planted = [plant for plant, low in zip(still, on_floor, strict=True) if low]
        raised = [
            plant
            for plant, low in zip(still, on_floor, strict=True)
            if not low and plant.seconds >= _SHORTEST_RAISED
        ]
        # A step counts once the step before it does: go on until nothing is added.
        waiting = raised
        while waiting:
            held = [plant for plant in waiting if not self._carries(plant, planted)]
            if len(held) == len(waiting):
                break
            planted += [plant for plant in waiting if plant not in held]
            waiting = held
        return _timed(_merged(planted, self.tracks))

    def _carries(self, plant: _Plant, planted: list[_Plant]) -> bool:
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
                # Slow and near the floor it carries, even while it pivots.
                low = self.floor.above(track.points[span]) < _ON_FLOOR
                lower |= low & (track.speed[span] < _CARRIES)
        alone = ~lower & ~beside
        return bool(max(alone.sum(), beside.sum()) / _RATE >= _ALONE)

    def _planted_hands(self, body: Array) -> list[_Plant]:
        """Hands that stay in one place for a while although the body goes on."""
        found = []
        for kind in HAND_KINDS:
            track = self.tracks[kind]
            slow = replace(track, limit=np.full(len(track.speed), _HAND_STILL))
            for plant in _still(slow):
                span = slice(int(np.ceil(plant.start)), int(plant.end) + 1)
                travel = float(np.linalg.norm(np.ptp(body[span], axis=0)))
                drift = float(np.linalg.norm(np.ptp(track.points[span], axis=0)))
                holds = travel > max(_HAND_BODY_MOVES, 2.0 * drift)
                on_floor = self.floor.above(plant.place) < 1.5 * _ON_FLOOR
                if plant.seconds >= _HAND_SHORTEST and (holds or on_floor):
                    found.append(plant)
        return _merged(found, self.tracks)


# Still stretches


def _speed(points: Array) -> Array:
    if len(points) < 2:
        return np.zeros(len(points))
    return np.asarray(np.linalg.norm(np.gradient(points, axis=0), axis=1) * _RATE)


def _track(kind: str, points: Array, speed: Array) -> _Track:
    swing = _running_max(speed, int(_SWING_SPAN * _RATE))
    return _Track(kind, points, speed, np.clip(_SWING_SHARE * swing, *_LIMIT))


def _still(track: _Track) -> list[_Plant]:
    """Stretches in which a point is slow and stays at its height, wherever that is."""
    plants: list[_Plant] = []
    slow, certain = track.speed < track.limit, track.speed < _STILL * track.limit
    for first, last in runs(slow):
        core = certain[first : last + 1]
        heights = track.points[first : last + 1, 1]
        if not core.any():
            continue
        # A foot that is lifted slowly has left before it is fast.
        near = heights - float(quantile(heights[core], 0.5)) < _LIFTED
        for a, b in runs(near):
            span = slice(first + a, first + b + 1)
            at_edge = span.start == 0 or span.stop == len(track.speed)
            shortest = _SHORTEST_AT_EDGE if at_edge else _SHORTEST
            if (span.stop - 1 - span.start) / _RATE < shortest:
                continue
            inside = span.start + np.flatnonzero(core[a : b + 1])
            if len(inside) == 0:
                continue
            place = quantile(track.points[inside], 0.5)
            plants.append(_Plant(track.kind, *_plant_times(track, span, inside, place), place))
    return plants


def _plant_times(
    track: _Track, span: slice, inside: NDArray[np.intp], place: Array
) -> tuple[float, float, float, float]:
    """When a plant starts and ends, and between when it is at rest.

    Parameters
    ----------
    track
        The point.
    span, inside
        The slow stretch, and those of its ticks that are slow beyond doubt.
    place
        ``(3,)`` where it stands.
    """
    usual = float(quantile(track.speed[inside], _USUAL))
    shake = float(quantile(np.abs(track.points[inside, 1] - place[1]), 0.5))
    # One tick more on either side: the ends lie between ticks.
    around = slice(max(span.start - 1, 0), span.stop + 1)
    speed, limit = track.speed[around], track.limit[around]
    too_fast = speed / np.minimum(max(_SWINGING * usual, _SWING), limit)
    moving = speed / np.minimum(max(_LEAVING * usual, _REST), limit)
    lifted = (track.points[around, 1] - place[1]) / min(max(4.0 * shake, _LIFTING[0]), _LIFTING[1])
    within = slice(span.start - around.start, span.stop - around.start)
    start, end = _ends(too_fast - 1.0, within)
    rest, lift = _ends(np.maximum(moving, lifted) - 1.0, within)
    return (
        around.start + start,
        around.start + end,
        around.start + rest,
        around.start + lift,
    )


def _ends(excess: Array, within: slice) -> tuple[float, float]:
    """Where a value is first and last below 0, between ticks; the bounds if it never is."""
    quiet = np.flatnonzero(excess[within] < 0.0) + within.start
    if len(quiet) == 0:
        return float(within.start), float(within.stop - 1)
    first, last = int(quiet[0]), int(quiet[-1])
    return _crossing(excess, first, -1), _crossing(excess, last, +1)


def _crossing(excess: Array, index: int, step: int) -> float:
    """Where a negative value next to ``index`` passes zero; ``index`` if it does not."""
    after = index + step
    if not 0 <= after < len(excess):
        return float(index)
    here, there = float(excess[index]), float(excess[after])
    return index + step * here / (here - there) if there > 0.0 else float(index)


def _timed(plants: list[_Plant]) -> list[_Plant]:
    """Plants of the feet from first touch to last.

    A foot that comes out of a swing, or goes into one, passes from slow to fast at once.
    Where the other end of the foot stands meanwhile, the foot rolls, and the end that
    lifts (or comes down) is slow for a while without being at rest.
    """

    spans = {
        kind: sorted((p.start, p.end) for p in plants if p.kind == kind) for kind in FOOT_KINDS
    }

    def rolls(plant: _Plant, time: float) -> bool:
        end = "toe" if plant.kind.endswith("heel") else "heel"
        others = spans[f"{plant.foot}_{end}"]
        # Plants of a kind follow each other: only the last one begun can last.
        before = bisect_left(others, (time, -np.inf)) - 1
        return before >= 0 and time < others[before][1]

    return [
        replace(
            plant,
            start=plant.rest if rolls(plant, plant.start) else plant.start,
            end=plant.lift if rolls(plant, plant.end) else plant.end,
        )
        for plant in plants
    ]


def _merged(plants: Iterable[_Plant], tracks: dict[str, _Track]) -> list[_Plant]:
    """Plants of a kind that are hardly apart in time and place made one."""
    rows: dict[str, list[_Plant]] = {}
    for plant in sorted(plants, key=lambda plant: plant.start):
        row = rows.setdefault(plant.kind, [])
        if row and _same(row[-1], plant, tracks[plant.kind]):
            longer, before = max(row[-1], plant, key=lambda each: each.seconds), row[-1]
            row[-1] = replace(
                longer, start=before.start, rest=before.rest, end=plant.end, lift=plant.lift
            )
        else:
            row.append(plant)
    return [plant for row in rows.values() for plant in row]


def _same(before: _Plant, after: _Plant, track: _Track) -> bool:
    if (after.start - before.end) / _RATE > _GAP:
        return False
    gap = track.points[int(before.end) : int(np.ceil(after.start)) + 1]
    away = np.linalg.norm(gap - gap[0], axis=1)
    return float(away.max()) < _SAME_PLACE


def _floor_of(still: list[_Plant], tracks: list[_Track]) -> Floor:
    if not still:
        lowest = min(float(track.points[:, 1].min()) for track in tracks)
        return Floor(lowest)
    places = np.array([plant.place for plant in still])
    weights = np.array([min(plant.seconds, 1.0) for plant in still])
    return fit_floor(places, weights, 1.0)


# Signals


def _smooth_sample(values: Array, frames: Array) -> Array:
    """Values ``(T, n)`` at fractional ``frames`` ``(K,)`` by cubics, then blurred in time."""
    if len(values) < 3:
        return np.array(values[np.round(frames).astype(np.intp)])
    tangents = np.gradient(values, axis=0)
    lower = np.minimum(np.floor(frames).astype(np.intp), len(values) - 2)
    t = (frames - lower)[:, None]
    p0, p1 = values[lower], values[lower + 1]
    m0, m1 = tangents[lower], tangents[lower + 1]
    sampled = (
        (2 * t**3 - 3 * t**2 + 1) * p0
        + (t**3 - 2 * t**2 + t) * m0
        + (3 * t**2 - 2 * t**3) * p1
        + (t**3 - t**2) * m1
    )
    return _blurred(sampled)


def _blurred(values: Array) -> Array:
    radius = min(int(np.ceil(3.0 * _BLUR * _RATE)), len(values) - 1)
    if radius < 1:
        return values
    kernel = np.exp(-0.5 * (np.arange(-radius, radius + 1) / (_BLUR * _RATE)) ** 2)
    kernel /= kernel.sum()
    # Reflected through the end points, a steady motion goes on steadily.
    before = 2.0 * values[0] - values[radius:0:-1]
    after = 2.0 * values[-1] - values[-2 : -radius - 2 : -1]
    padded = np.concatenate([before, values, after])
    columns = [np.convolve(padded[:, c], kernel, mode="valid") for c in range(values.shape[1])]
    return np.stack(columns, axis=1)


def _running_max(values: Array, radius: int) -> Array:
    """Largest value within ``radius`` ticks of each."""
    most = np.concatenate([np.zeros(radius), values, np.zeros(radius)])
    # Of windows of a width that doubles, two that overlap make any wider one.
    width, reach = 1, 2 * radius + 1
    while 2 * width <= reach:
        most = np.maximum(most[:-width], most[width:])
        width *= 2
    return np.asarray(np.maximum(most[: len(values)], most[reach - width :][: len(values)]))


def steps(constraints: Iterable[Constraint], side: str) -> list[tuple[float, float]]:
    """From when to when a foot stands, heel or toe: one stretch a step.

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
