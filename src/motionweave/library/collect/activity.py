"""What a body does in a stretch of motion: how often each limb goes to and fro, how far and where,
whether the body leaves the floor, and which way it goes.

Time warping makes a raised hand of a wave, and a walk of a run: where one does more than the other,
it leaps. What is done in all tells them apart, in any style and at any speed. What counts is what
acts in the example: in a punch, what the feet and the other hand happen to do counts little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.core.runtime.kernels import kernel
from motionweave.library.index.features import RATE, SIDES, TRACKED, ClipTrack, local_points

# The ends of limbs whose courses are compared, if their part of the body is.
_ENDS = tuple(f"{side}_{end}" for end in ("hand", "ankle") for side in SIDES)
# How far a limb must come back to have turned: a share of how far it goes at all, and at least this
# many leg lengths.
_BACK, _LEAST = 0.07, 0.04
# Going to and fro more often than this is doing it again and again; how many times as often as
# another a limb may do so before it counts.
_MANY, _AS_OFTEN = 6.0, 1.5
# Up to the first number of strokes, where a limb begins, ends and goes is part of what is done;
# from the second on, it was cut out of something that repeats.
_ONCE, _REPEATED = 3.0, 4.0
# How far apart two such places may be, as shares of how far the limb goes.
_END, _FAR = 0.4, 0.5
# How many times as far as another a limb may go, and leg lengths that hardly count as movement.
_LARGER, _STILL = 2.5, 0.05
# How many times as fast as another a foot may be, and leg lengths per second that hardly count as
# speed. Hands have no such limit: in another style, a hand is raised up to six times as fast.
_FASTER, _SLOW = 2.0, 0.3
# How different the courses of a limb may be at moments that correspond: 0 for the same but for
# their size and place, 1 for what has nothing in common, 2 for the opposite.
_COURSE = 0.15
# Shares of how far the farthest limb goes below which a limb does nothing, and from which on it
# acts; how far apart two may be in that; and what it then counts, in leg lengths.
_IDLE, _ACTS, _AS_ACTIVE, _ACTING = 0.4, 0.7, 0.5, 0.4
# Leg lengths that a difference in what the limbs do that act counts, in the mean of these.
_LIMBS = 1.5
# A foot does not stand if it is faster than this, in leg lengths per second, and than this share of
# the speed of the hips.
_SWINGS, _AS_FAST = 0.3, 0.3
# How far apart the roots of two shares of time in the air may be, and what more counts, in leg
# lengths.
_AS_LONG, _IN_THE_AIR = 0.2, 1.5
# How far apart the directions may be in which bodies go, as they see it: 0 to 2.
_DIRECTION = 0.25
# Leg lengths that a body has to go for its direction to count, and from which on it does in full.
_STAYS, _GOES = 0.5, 1.0
# Samples between two places of a path: hips that sway go nowhere.
_STEP = 10
# Moments that are compared where none are known to correspond.
_MOMENTS = 30
_NOTHING = 1e-9


@dataclass(frozen=True, eq=False)
class Activity:
    """What is done in stretches.

    Parameters
    ----------
    limbs
        The ``L`` limbs that are compared.
    strokes
        ``(m, L)`` how often each goes to and fro, relative to the body.
    extents
        ``(m, L)`` how far, in leg lengths.
    speeds
        ``(m, L)`` how fast each is at most, in leg lengths per second.
    places
        ``(m, L, 2, 3)`` where each ends and where it is farthest from where it begins, as shares of
        how far it goes.
    courses
        ``(m, L, 3 n)`` where each is at ``n`` moments that correspond, from its mean place; the sum
        of squares is 1.
    airborne
        ``(m,)`` share of the time in which no foot stands.
    paths
        ``(m,)`` leg lengths that the body goes over the floor.
    directions
        ``(m, 2)`` to which side and how far forwards, as shares of that path.
    """

    limbs: tuple[str, ...]
    strokes: Array
    extents: Array
    speeds: Array
    places: Array
    courses: Array
    airborne: Array
    paths: Array
    directions: Array

    @classmethod
    def of(
        cls,
        tracks: Sequence[ClipTrack],
        roles: Sequence[str] = TRACKED,
        moments: NDArray[np.int64] | None = None,
    ) -> Activity:
        """What the limbs among some roles do in tracks; the body, if feet are among these.

        Parameters
        ----------
        tracks
            The ``m`` stretches.
        roles
            Which part of the body is compared.
        moments
            ``(m, n)`` samples of each that correspond to those of the others; None for some at
            equal distances.
        """
        limbs = tuple(end for end in _ENDS if end in roles)
        count = len(tracks)
        if moments is None:
            ends = np.array([len(track) - 1.0 for track in tracks])
            moments = np.round(np.outer(ends, np.linspace(0.0, 1.0, _MOMENTS))).astype(np.int64)
        strokes, extents, speeds = (np.zeros((count, len(limbs))) for _ in range(3))
        places = np.zeros((count, len(limbs), 2, 3))
        courses = np.zeros((count, len(limbs), 3 * moments.shape[1]))
        airborne, paths, directions = np.zeros(count), np.zeros(count), np.zeros((count, 2))
        for number, track in enumerate(tracks):
            at = np.arange(len(track))
            local = local_points(track.points, track.heading, at, (0,), limbs)[:, 0]
            extents[number] = np.linalg.norm(np.ptp(local, axis=0), axis=1)
            if len(track) > 1:
                fast = np.linalg.norm(np.gradient(local, axis=0), axis=2)
                speeds[number] = RATE * fast.max(axis=0)
            courses[number] = _course(local[moments[number]])
            for limb, extent in enumerate(extents[number]):
                line = np.ascontiguousarray(local[:, limb], dtype=np.float64)
                strokes[number, limb] = _strokes(line, max(_BACK * extent, _LEAST))
                way = line - line[0]
                farthest = way[np.argmax(np.sum(way**2, axis=1))]
                places[number, limb] = np.stack([way[-1], farthest]) / max(extent, _NOTHING)
            if any(limb.endswith("ankle") for limb in limbs):
                airborne[number] = _airborne(track)
                paths[number], directions[number] = _gone(track)
        return cls(limbs, strokes, extents, speeds, places, courses, airborne, paths, directions)

    def __len__(self) -> int:
        return len(self.strokes)

    def __getitem__(self, which: slice | Array) -> Activity:
        return Activity(self.limbs, *(values[which] for values in self.values))

    @property
    def values(self) -> tuple[Array, ...]:
        """All that is known of the stretches, in the order of the parameters."""
        return tuple(getattr(self, field.name) for field in fields(self)[1:])

    def apart(self, other: Activity, example: Activity) -> Array:
        """How different is what is done in ``m`` stretches and ``n`` others, ``(m, n)``: zero for
        what is the same but for its style. Limbs count as much as they act in the first stretch of
        an example."""
        limbs, body = self._limbs_apart(other, example), self._bodies_apart(other)
        return np.sum([*limbs.values(), *body.values()], axis=0)

    def difference(self, example: Activity) -> str:
        """In what the first of these stretches differs most from the first of an example."""
        one, two = self[:1], example[:1]
        each, body = one._each_limb_apart(two, two), one._bodies_apart(two)
        sizes = {name: float(term.max(initial=0.0)) for name, term in (each | body).items()}
        most = max(sizes, key=sizes.__getitem__)
        if most in body:
            return {
                "air": f"no foot is on the floor for {one.airborne[0]:.0%} of the time, not for "
                f"{two.airborne[0]:.0%}",
                "direction": "the body moves in another direction, relative to where it faces",
            }[most]
        limb = int(np.argmax(each[most][:, 0, 0]))
        name = self.limbs[limb].replace("_", " ").replace("ankle", "foot")
        strokes = [round(one.strokes[0, limb]), round(two.strokes[0, limb])]
        extents = [f"{one.extents[0, limb]:.2f}", f"{two.extents[0, limb]:.2f}"]
        speeds = [f"{one.speeds[0, limb]:.1f}", f"{two.speeds[0, limb]:.1f}"]
        shares = [
            f"{done.extents[0, limb] / max(done.extents.max(), _NOTHING):.0%}"
            for done in (one, two)
        ]
        return {
            "strokes": f"the {name} makes {strokes[0]} stroke{'s' * (strokes[0] != 1)}, not "
            f"{strokes[1]}",
            "places": f"the {name} moves along another path",
            "courses": f"the {name} moves along another path",
            "extents": f"the {name} goes {extents[0]} leg lengths far, not {extents[1]}",
            "speeds": f"the {name} is as fast as {speeds[0]} leg lengths per second, not "
            f"{speeds[1]}",
            "active": f"the {name} goes {shares[0]} as far as the limb that goes farthest, not "
            f"{shares[1]}",
        }[most]

    def _limbs_apart(self, other: Activity, example: Activity) -> dict[str, Array]:
        """Differences ``(m, n)`` in what limbs do, each beyond what is style."""
        each = self._each_limb_apart(other, example)
        active = each.pop("active").max(axis=0, initial=0.0)
        total = max(float(example.acting[:1].sum()), _NOTHING)
        return {name: _LIMBS * term.sum(axis=0) / total for name, term in each.items()} | {
            "active": active
        }

    def _each_limb_apart(self, other: Activity, example: Activity) -> dict[str, Array]:
        """Differences ``(L, m, n)`` in what each limb does."""
        counts = example.acting[0][:, None, None]
        acts = _across(self.acting.T, other.acting.T)
        once = np.minimum(self._once.T[:, :, None], other._once.T[:, None])
        places = np.zeros_like(acts)
        for limb in range(len(self.limbs)):
            for which, limit in enumerate((_END, _FAR)):
                way = self.places[:, None, limb, which] - other.places[:, limb, which]
                far = _beyond(np.linalg.norm(way, axis=2), limit)
                places[limb] = np.maximum(places[limb], far)
        ours, theirs = (one.courses.transpose(1, 0, 2) for one in (self, other))
        unlike = 1.0 - ours @ theirs.transpose(0, 2, 1)
        often = [np.log(np.clip(one.strokes, 1.0, _MANY)).T for one in (self, other)]
        large = [np.log(one.extents + _STILL).T for one in (self, other)]
        fast = [np.log(one.speeds + _SLOW).T for one in (self, other)]
        feet = np.array([limb.endswith("ankle") for limb in self.limbs])[:, None, None]
        return {
            "strokes": counts * _beyond(_across(*often), np.log(_AS_OFTEN)),
            "places": counts * once * places,
            "courses": counts * once * _beyond(unlike, _COURSE),
            "extents": counts * _beyond(_across(*large), np.log(_LARGER)),
            "speeds": counts * feet * _beyond(_across(*fast), np.log(_FASTER)),
            "active": _ACTING * _beyond(acts, _AS_ACTIVE),
        }

    def _bodies_apart(self, other: Activity) -> dict[str, Array]:
        """Differences ``(m, n)`` in what bodies do as a whole, each beyond what is style."""
        goes = [np.clip((one.paths - _STAYS) / (_GOES - _STAYS), 0.0, 1.0) for one in (self, other)]
        turned = np.linalg.norm(self.directions[:, None] - other.directions, axis=2)
        air = _across(np.sqrt(self.airborne), np.sqrt(other.airborne))
        return {
            "air": _IN_THE_AIR * _beyond(air, _AS_LONG),
            "direction": np.minimum(goes[0][:, None], goes[1]) * _beyond(turned, _DIRECTION),
        }

    @property
    def acting(self) -> Array:
        """How much ``(m, L)`` each limb acts, compared with the one that goes farthest: 0 to 1."""
        return _acting(self.extents)

    @property
    def _once(self) -> Array:
        """Which limbs ``(m, L)`` do what they do once: 1, or 0 for what repeats."""
        return np.clip((_REPEATED - self.strokes) / (_REPEATED - _ONCE), 0.0, 1.0)


def joined(parts: Sequence[Activity]) -> Activity:
    """What is done in the stretches of all parts, one part after the other."""
    columns = zip(*(part.values for part in parts), strict=True)
    return Activity(parts[0].limbs, *(np.concatenate(column) for column in columns))


def _acting(extents: Array) -> Array:
    """How much ``(m, L)`` limbs act that go ``(m, L)`` far: 0 to 1."""
    farthest = np.maximum(extents.max(axis=1, keepdims=True, initial=0.0), _NOTHING)
    return np.clip((extents / farthest - _IDLE) / (_ACTS - _IDLE), 0.0, 1.0)


def _course(places: Array) -> Array:
    """Courses ``(L, 3 n)`` of limbs at places ``(n, L, 3)``, as `Activity` has them."""
    way = np.asarray(places - places.mean(axis=0), dtype=np.float64)
    size = np.sqrt(np.sum(way**2, axis=(0, 2)))[:, None]
    return way.transpose(1, 0, 2).reshape(way.shape[1], -1) / np.maximum(size, _NOTHING)


def _across(ours: Array, others: Array) -> Array:
    """Differences ``(..., m, n)`` of values ``(..., m)`` from others ``(..., n)``."""
    return np.asarray(np.abs(ours[..., :, None] - others[..., None, :]))


def _beyond(values: Array, limit: float) -> Array:
    return np.asarray(np.maximum(values - limit, 0.0))


def _airborne(track: ClipTrack) -> float:
    """The share of the time in which neither ankle nor toe of either foot stands."""
    if len(track) < 2:
        return 0.0
    feet = [TRACKED.index(f"{side}_{part}") for side in SIDES for part in ("ankle", "toe")]
    points = np.asarray(track.points[:, [0, *feet]], dtype=np.float64)
    speeds = np.linalg.norm(np.gradient(points, axis=0), axis=2) * RATE
    slowest = speeds[:, 1:].min(axis=1)
    return float(np.mean(slowest > np.maximum(_SWINGS, _AS_FAST * speeds[:, 0])))


def _gone(track: ClipTrack) -> tuple[float, Array]:
    """How far a body goes over the floor, and which way ``(2,)`` as it sees it."""
    at = np.unique([*range(0, len(track), _STEP), len(track) - 1])
    steps = np.diff(np.asarray(track.points[at, 0][:, [0, 2]], dtype=np.float64), axis=0)
    path = float(np.linalg.norm(steps, axis=1).sum())
    # Halfway between two places, a body that turns faces the way that it goes.
    heading = np.unwrap(np.asarray(track.heading, dtype=np.float64))[(at[1:] + at[:-1]) // 2]
    cos, sin = np.cos(heading), np.sin(heading)
    way = [cos * steps[:, 0] - sin * steps[:, 1], sin * steps[:, 0] + cos * steps[:, 1]]
    return path, np.sum(way, axis=1) / max(path, _NOTHING)


@kernel()
def _strokes(places, back):  # type: ignore[no-untyped-def]
    """How often places ``(n, 3)`` go one way, until they have come back by ``back`` or more."""
    count = 0
    begin, farthest, far = 0, 0, 0.0
    for at in range(1, len(places)):
        way, returned = 0.0, 0.0
        for axis in range(3):
            way += (places[at, axis] - places[begin, axis]) ** 2
            returned += (places[at, axis] - places[farthest, axis]) ** 2
        if way > far:
            farthest, far = at, way
        elif far > back**2 and returned > back**2:
            count += 1
            begin, farthest, far = farthest, at, returned
    return count + 1 if far > back**2 else count
