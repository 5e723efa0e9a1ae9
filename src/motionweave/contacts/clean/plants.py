"""Where planted points are to stay: one place for each plant, where it costs least.

A foot is held by its heel, by its toe or by both. Each stretch of frames in which
one of the two is held is a plant and gets one goal. Moving a point there costs the
square of the way in every frame; between plants that follow each other closely the
correction has to change, and a quick change costs too. Heel and toe held at the same
time keep their distance, as they are parts of one rigid foot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from motionweave.body.floor import Floor
from motionweave.core.arrays import Array
from motionweave.core.constraints import Constraint, active
from motionweave.core.curves import smoothstep
from motionweave.core.intervals import runs
from motionweave.core.quantiles import quantile

# In leg lengths: a plant this close above a level stands on it ...
_SNAP = 0.02
# ... and a foot may hover by this much before it is taken to be held up on purpose.
_HOVER = 0.08
# ... its rest is the height that it is below for this share of the time ...
_RESTING = 0.3
# ... it may bob by this much, and be lifted by this much at most while it is planted.
_STILL = 0.005
_LIFT = 0.04
_MOST_STEPS = 30
_SETTLED = 1e-12


@dataclass(frozen=True)
class Plant:
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
    frames = np.arange(count)
    return sorted(
        (
            Plant(first, last, point)
            for point, kind in enumerate(kinds)
            for first, last in runs(active(constraints, kind, frames))
        ),
        key=lambda plant: (plant.first, plant.last, plant.point),
    )


def place_plants(
    plants: Sequence[Plant], points: Sequence[Array], floor: Floor, size: float, spread: float
) -> Array:
    """Goals ``(n, 3)`` of n plants of a foot.

    Parameters
    ----------
    plants
        In order of time.
    points
        Tracks ``(T, 3)`` of heel and toe.
    floor
        What the foot stands on.
    size
        Leg length.
    spread
        Frames over which a correction eases in or out.
    """
    goals = np.array([points[p.point][p.frames].mean(axis=0) for p in plants]).reshape(-1, 3)
    means = np.array(goals[:, [0, 2]])
    weights = np.array([p.last - p.first + 1.0 for p in plants])
    rest = np.array([_rest_height(floor.above(points[p.point][p.frames])) for p in plants])
    above = _heights(plants, rest, floor, size)
    links = _links(plants, points, spread)
    # On a slope the height depends on the place: once more settles it.
    for _ in range(2):
        goals[:, 1] = floor.at(goals) + above
        pairs = _rigid_pairs(plants, points, goals[:, 1])
        goals[:, [0, 2]] = _least_cost(means, weights, pairs, links)
    return goals


def _rest_height(heights: Array) -> float:
    """Height at which a planted point rests, not counting how it comes down and leaves."""
    return float(quantile(heights, _RESTING))


def goal_tracks(
    plants: Sequence[Plant],
    goals: Array,
    points: tuple[Array, Array],
    floor: Floor,
    size: float,
    spread: int,
) -> Array:
    """Where heel and toe are to be in every frame, ``(2, T, 3)``; NaN where not held.

    A point stays at its goal, but may come down onto it and leave it as the clip has
    it: a heel that has begun to rise is not pressed to the floor until its plant ends.
    As the foot is rigid, a point that rises about the other comes nearer to it.
    """
    tracks = np.full((2, len(points[0]), 3), np.nan)
    lifts = np.zeros(tracks.shape[:2])
    for plant, goal in zip(plants, goals, strict=True):
        heights = floor.above(points[plant.point][plant.frames])
        tracks[plant.point, plant.frames] = goal
        lifts[plant.point, plant.frames] = _lift(heights - _rest_height(heights), size, spread)
    tracks[..., 1] += lifts
    both = np.flatnonzero(~np.isnan(tracks[:, :, 0]).any(axis=0))
    across = (tracks[1, both] - tracks[0, both]) * [1.0, 0.0, 1.0]
    apart = np.linalg.norm(across, axis=-1)
    length = np.linalg.norm(points[1][both] - points[0][both], axis=-1)
    rise = tracks[1, both, 1] - tracks[0, both, 1]
    total = lifts[0, both] + lifts[1, both]
    reach = np.where(total > 0.0, np.sqrt(np.maximum(length**2 - rise**2, 0.0)), apart)
    nearer = (apart - reach) / np.maximum(apart, 1e-300)
    on_heel = lifts[0, both] / np.where(total > 0.0, total, 1.0)
    moves = np.stack([on_heel * nearer, (on_heel - 1.0) * nearer])[..., None] * across
    for plant in plants:
        inside = (both >= plant.first) & (both <= plant.last)
        if np.any(inside):
            # Where the other point is not held (yet, or any more), what it led to stays.
            frames = np.arange(plant.first, plant.last + 1)
            nearest = np.searchsorted(both[inside], frames).clip(0, inside.sum() - 1)
            tracks[plant.point, plant.frames] += moves[plant.point, inside][nearest]
    return tracks


def _lift(above: Array, size: float, spread: int) -> Array:
    """How far a point that is ``above`` ``(n,)`` its rest is let go, at either end of a plant.

    Only what comes down for good, or leaves for good, near the end of the plant counts; a
    small part of it, and what is beyond the largest lift, is held back.
    """
    count = len(above)
    steps = np.arange(count)
    arriving = np.minimum.accumulate(above) * smoothstep(1.0 - steps / spread)
    leaving = np.minimum.accumulate(above[::-1])[::-1]
    leaving = leaving * smoothstep(1.0 - (count - 1 - steps) / spread)
    rise = np.maximum(np.maximum(arriving, leaving), 0.0)
    dead = _STILL * size
    rise = np.where(rise < 2.0 * dead, rise**2 / (4.0 * dead), rise - dead)
    most = _LIFT * size
    return np.asarray(most * np.tanh(rise / most))


def _heights(plants: Sequence[Plant], heights: Array, floor: Floor, size: float) -> Array:
    """Heights above the floor's plane that plants of ``heights`` ``(n,)`` are to have.

    What stands close to the floor, or in it, stands on it. What is well above keeps its
    height, as a heel does that never comes down in a run; but where heel and toe both
    are, the foot hovers and is lowered as a whole. How high a stair is nobody knows as
    well as the foot that stands on it: plants on the floor's other levels stay there.
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
    """Indices of the plants that hold a foot without a gap, one list a stance."""
    groups: list[list[int]] = []
    last = -1
    for index, plant in enumerate(plants):
        if groups and plant.first <= last + 1:
            groups[-1].append(index)
        else:
            groups.append([index])
        last = max(last, plant.last)
    return groups


def _rigid_pairs(
    plants: Sequence[Plant], points: Sequence[Array], heights: Array
) -> list[tuple[int, int, float]]:
    """Plants held together, and how far apart they are on the level."""
    pairs = []
    for i, a in enumerate(plants):
        for j in range(i + 1, len(plants)):
            b = plants[j]
            if b.first > a.last:
                break
            if a.point != b.point:
                both = slice(max(a.first, b.first), min(a.last, b.last) + 1)
                apart = points[a.point][both] - points[b.point][both]
                length = float(quantile(np.linalg.norm(apart, axis=-1), 0.5))
                rise = float(heights[i] - heights[j])
                pairs.append((i, j, float(np.sqrt(max(length**2 - rise**2, 0.0)))))
    return pairs


def _links(
    plants: Sequence[Plant], points: Sequence[Array], spread: float
) -> list[tuple[int, int, Array, float]]:
    """Plants that follow each other closely: the correction leads from one to the other.

    Going from the correction of one to that of the next within n frames costs
    ``spread^2 / n`` times the square of the difference: the same measure, of size and
    of speed over ``spread`` frames, that a correction has within a plant.
    """
    links = []
    order = sorted(range(len(plants)), key=lambda i: plants[i].last)
    for j, b in enumerate(plants):
        before = [i for i in order if plants[i].last < b.first]
        if not before or any(a.last >= b.first for a in plants[:j]):
            continue
        i = before[-1]
        a = plants[i]
        gap = b.first - a.last
        if gap < 2.0 * spread:
            way = points[b.point][b.first] - points[a.point][a.last]
            links.append((i, j, way[[0, 2]], spread**2 / gap))
    return links


def _least_cost(
    means: Array,
    weights: Array,
    pairs: Sequence[tuple[int, int, float]],
    links: Sequence[tuple[int, int, Array, float]],
) -> Array:
    """Places ``(n, 2)``: weighted least squares with the distances of pairs kept exactly.

    Newton's method for the distances (each step solves the quadratic cost under the
    distances made linear), which settles in a few steps as feet are hardly strained.
    """
    count = len(means)
    matrix = np.diag(weights)
    right = weights[:, None] * means
    for i, j, way, weight in links:
        matrix[i, i] += weight
        matrix[j, j] += weight
        matrix[i, j] -= weight
        matrix[j, i] -= weight
        right[j] += weight * way
        right[i] -= weight * way
    places = np.linalg.solve(matrix, right) if count else means
    if not pairs:
        return np.asarray(places)
    unbound = places
    first, second = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
    wanted = np.array([p[2] for p in pairs])
    # How places move when a pair is pushed apart, in the metric of the cost: (pairs, n).
    soft = np.linalg.inv(matrix)
    yielding = soft[first] - soft[second]
    between_pairs = yielding[:, first] - yielding[:, second]
    for _ in range(_MOST_STEPS):
        apart = places[first] - places[second]
        distance = np.linalg.norm(apart, axis=-1)
        direction = apart / np.maximum(distance, 1e-300)[:, None]
        # Least change from the unbound places to the plane of constraints through the
        # present ones.
        stiff = (direction @ direction.T) * between_pairs
        missing = wanted - np.sum(direction * (unbound[first] - unbound[second]), axis=-1)
        force = np.linalg.lstsq(stiff, missing, rcond=None)[0]
        new = unbound + yielding.T @ (force[:, None] * direction)
        moved = np.abs(new - places).max()
        places = new
        if moved <= _SETTLED * max(1e-300, float(np.abs(wanted).max())):
            break
    return np.asarray(places)
