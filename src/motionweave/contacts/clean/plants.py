"""When a foot is planted, and the target height of its planted points.

A foot is held by its heel, by its toe or by both. Each stretch of frames in which one of
the two is held is a plant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from motionweave.body.floor import Floor
from motionweave.body.ground import Ground
from motionweave.body.rig.roles import SIDES, leg_length
from motionweave.body.soles import contact_points
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.constraints import Constraint
from motionweave.core.intervals import frames_in, runs
from motionweave.core.motion import Motion
from motionweave.core.numerics.curves import smoothstep
from motionweave.core.numerics.quantiles import quantile

# In leg lengths: a plant this close above a level stands on it ...
_SNAP = 0.02
# ... and a foot may hover by this much before it counts as held up on purpose.
_HOVER = 0.08
# ... its resting height is the one it stays below for this share of the time ...
_RESTING = 0.3
# ... it may bob by this much, and be lifted by this much at most while it is planted.
_STILL = 0.005
_LIFT = 0.04
# How much a foot that steps rises for each length that it goes, and leg lengths above the floor at
# which it swings.
_RISE, CLEARANCE = 0.2, 0.03


class Plant(NamedTuple):
    """A point that stays put from frame ``first`` to ``last``, both included.

    Parameters
    ----------
    first, last
        Whole frames.
    point
        0 for the heel (or a hand), 1 for the toe.
    """

    first: int
    last: int
    point: int

    @property
    def frames(self) -> slice:
        return slice(self.first, self.last + 1)


def find_plants(constraints: Iterable[Constraint], kinds: Sequence[str], count: int) -> list[Plant]:
    """Plants of the points named by ``kinds`` in a clip of ``count`` frames, in order of time."""
    constraints = tuple(constraints)
    return sorted(
        Plant(first, last, point)
        for point, kind in enumerate(kinds)
        for first, last in frames_in(
            ((c.start, c.end) for c in constraints if c.kind == kind), count
        )
    )


def planted_heights(
    plants: Sequence[Sequence[Plant]],
    above: Array,
    floor: Floor | Ground,
    size: float,
    spread: int,
) -> Array:
    """Target heights of planted points of n feet above the floor's plane, ``(n, points, T)``.

    0 where a point is not planted. A point stays at its height, but may land and leave as in the
    clip: a heel that has begun to rise is not pressed to the floor until its plant ends.

    Parameters
    ----------
    plants
        Those of each foot in order of time.
    above
        ``(n, points, T)`` how high heels and toes are above the floor's plane.
    floor
        What the feet stand on.
    size
        Leg length.
    spread
        Frames over which a point comes down or leaves.
    """
    result = np.zeros_like(above)
    # All feet have their points in one row.
    _, points, count = above.shape
    every: list[Plant] = []
    resting: list[float] = []
    for foot, own in enumerate(plants):
        if not own:
            continue
        rest = [_rest_height(above[foot, p.point, p.frames]) for p in own]
        for plant, height in zip(own, _heights(own, np.array(rest), floor, size), strict=True):
            result[foot, plant.point, plant.frames] = height
        every += [plant._replace(point=foot * points + plant.point) for plant in own]
        resting += rest
    if not every:
        return result
    lifts = _lifts(every, above.reshape(-1, count), np.array(resting), size, spread)
    return result + lifts.reshape(above.shape)


def clearance_between_stances(motion: Motion, during: BoolArray) -> Array:
    """How high ``(2, 2, T)`` heel and toe of the left and the right foot have to be on their way
    from one stance to another.

    A foot rises with the distance from where it stood, and comes down towards where it will stand.
    In between it is as low over the floor as people swing their feet.

    Parameters
    ----------
    motion
        A body with legs, and all of its contacts.
    during
        ``(T,)`` some frames: swings count of which at least one frame is among them.
    """
    count, size = len(motion), leg_length(motion.skeleton)
    points = contact_points(motion)
    clearance = np.zeros((len(SIDES), 2, count))
    for own, side in zip(clearance, SIDES, strict=True):
        kinds = (f"{side}_heel", f"{side}_toe")
        foot = np.stack([points[kind][:, [0, 2]] for kind in kinds])
        planted = np.zeros(count, dtype=bool)
        for plant in find_plants(motion.constraints, kinds, count):
            planted[plant.frames] = True
        for (_, left), (reached, _) in pairwise(runs(planted)):
            swing = slice(left + 1, reached)
            if during[swing].any():
                ways = [foot[:, swing] - foot[:, [at]] for at in (left, reached)]
                # Heel and toe alike: how the foot is turned on its way is its own affair.
                apart = np.linalg.norm(ways, axis=-1).min(axis=(0, 1))
                own[:, swing] = np.minimum(_RISE * apart, CLEARANCE * size)
    return clearance


def anchored(plants: Sequence[Plant], wanted: Array, above: Array, fixed: BoolArray) -> Array:
    """Heights of planted points, ``(points, T)``, that agree with frames that do not change.

    Parameters
    ----------
    plants
        In order of time.
    wanted
        ``(points, T)`` target heights of the points: see `planted_heights`.
    above
        ``(points, T)`` how high they are.
    fixed
        ``(T,)`` frames that do not change. A plant that reaches into them has the height that
        it has there, and one that reaches into them at both ends goes from one to the other.
    """
    result = np.array(wanted)
    for plant in plants:
        frames = np.arange(plant.first, plant.last + 1)
        known = frames[fixed[frames]]
        if len(known):
            off = (above - wanted)[plant.point, known]
            result[plant.point, frames] += np.interp(frames, known, off)
    return result


def _rest_height(heights: Array) -> float:
    """Height at which a planted point rests, ignoring how it lands and leaves."""
    return float(quantile(heights, _RESTING))


def _lifts(plants: Sequence[Plant], above: Array, rest: Array, size: float, spread: int) -> Array:
    """How far points ``(points, T)`` are released at either end of their plants, which rest at
    heights ``rest`` ``(n,)``.

    Only what comes down for good, or leaves for good, near the end of a plant counts; a small part
    of it, and what is beyond the largest lift, is held back.
    """
    first, last, point = np.array(plants).T[..., None]
    steps = np.arange(min(spread, int((last - first).max()) + 1))
    weight = smoothstep(1.0 - steps / spread)
    inside = first + steps <= last
    point = np.broadcast_to(point, inside.shape)[inside]
    rise = np.zeros_like(above)
    for frames in (first + steps, last - steps):
        there = frames[inside]
        higher = np.full(inside.shape, np.inf)
        higher[inside] = above[point, there]
        lowest = np.minimum.accumulate(higher - rest[:, None], axis=1)
        rise[point, there] = np.maximum(rise[point, there], (lowest * weight)[inside])
    dead = _STILL * size
    rise = np.where(rise < 2.0 * dead, rise**2 / (4.0 * dead), rise - dead)
    most = _LIFT * size
    return np.asarray(most * np.tanh(rise / most))


def _heights(plants: Sequence[Plant], heights: Array, floor: Floor | Ground, size: float) -> Array:
    """Target heights above the floor's plane for plants of ``heights`` ``(n,)``.

    Points close to the floor, or in it, stand on it. A point well above it keeps its height, like a
    heel that never comes down in a run; but if heel and toe both are, the foot hovers and is
    lowered as a whole. The height of a stair is best known from the foot that stands on it: plants
    on the floor's other levels stay there.
    """
    levels = np.array(floor.levels)
    raised = levels[np.abs(heights[:, None] - levels).argmin(axis=1)] > 0.0
    result = np.array(heights)
    for stance in stances(plants):
        lowest = result[stance].min()
        if _SNAP * size < lowest < _HOVER * size and not raised[stance].any():
            result[stance] -= lowest
    return np.where(~raised & (result < _SNAP * size), 0.0, result)


def stances(plants: Sequence[Plant]) -> list[list[int]]:
    """Indices of the plants that hold a foot without a gap, one list per stance."""
    groups: list[list[int]] = []
    last = -1
    for index, plant in enumerate(plants):
        if groups and plant.first <= last + 1:
            groups[-1].append(index)
        else:
            groups.append([index])
        last = max(last, plant.last)
    return groups
