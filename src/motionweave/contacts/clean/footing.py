"""How heels and toes have to move so that planted ones stay still: least squares over time.

The unknowns are the corrections ``d`` of a foot's heel and toe in every frame. A planted point must
not move over the floor, ``(p + d)' = 0`` (or only as another foot moves that it
follows), and must be at its height; where it stands is left free, so heel and toe are never sent to
places that do not fit one foot. Heel and toe keep their distance, a point in the air stays above
the floor, and every correction is small and smooth:

    sum |d|^2 + 2 tau^2 |d'|^2 + tau^4 |d''|^2  +  rest^2 |(p + d)'|^2 + ...

with times in seconds, so that a clip sampled more finely is corrected the same way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionweave.body.floor import Floor
from motionweave.body.ground import Ground
from motionweave.contacts.clean.banded import BandedLeastSquares
from motionweave.contacts.clean.easing import eased
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.curves import smoothstep
from motionweave.core.intervals import runs

# Seconds over which a point comes to rest after landing, and begins to leave.
_SETTLING = 0.03
# Time scale in seconds of the weight that keeps a planted point still.
_REST = 20.0
# The costs of missing a height, stretching a foot, and a point in the floor, relative to a shift.
_HEIGHT, _RIGID, _FLOOR = 300.0, 1e4, 300.0
# Leg lengths beyond which a correction is held back, and the most that is allowed.
_FARTHEST = (0.15, 0.3)
# Leg lengths below the floor at which a point is lifted even far from any plant.
_SUNK = 0.005
_ROUNDS = 3


class Footing(NamedTuple):
    """How a foot should move.

    Parameters
    ----------
    shifts
        ``(2, T, 3)`` of heel and toe, exactly zero where nothing changes.
    lean
        ``(T,)`` 0 where the heel must be exact, 1 where the toe must.
    grip
        ``(T,)`` 1 where the foot is planted, fading to 0 where it moves with the body.
    """

    shifts: Array
    lean: Array
    grip: Array


def find_footing(
    points: Array,
    resting: Array,
    heights: Array,
    floor: Floor | Ground,
    size: float,
    fps: float,
    ease: float,
    drift: Array | None = None,
    only: BoolArray | None = None,
) -> Footing:
    """The corrections of one foot.

    Parameters
    ----------
    points
        ``(2, T, 3)`` heel and toe.
    resting
        ``(2, T)`` 0 where they are free, up to 1 where they rest in a plant: see `settled`.
    heights
        ``(2, T)`` their target height above the floor's plane while they are planted.
    floor
        What they stand on.
    size
        Leg length.
    ease
        Seconds over which corrections fade in and out.
    drift
        ``(2, T, 3)`` tracks along which planted points go; by default they rest.
    only
        ``(T,)`` frames that may change; by default all. A point that is planted across their
        ends rests where it is outside of them.
    """
    count = points.shape[1]
    reach = max(round(ease * fps), 2)
    held = resting > 0.0
    planted = np.asarray(held.any(axis=0))
    sunk = (floor.above(points) < -_SUNK * size).any(axis=0)
    free = near(planted | sunk, reach)
    if only is not None:
        free &= only
    if not free.any():
        return Footing(np.zeros_like(points), np.full(count, 0.5), np.zeros(count))
    still = np.zeros_like(points) if drift is None else drift
    shifts = _bounded(_solve(points, still, resting, heights, floor, fps, ease, free), size)
    weight = eased(held.T.astype(np.float64), planted, reach)
    total = weight.sum(axis=-1)
    lean = np.where(total > 0.0, weight[:, 1] / np.maximum(total, 1e-12), 0.5)
    grip = eased(np.ones((count, 1)), planted, reach)[:, 0]
    return Footing(shifts, lean, grip)


def _bounded(shifts: Array, size: float) -> Array:
    """Shifts ``(2, T, 3)`` with large ones held back: a foot may leave its plant."""
    start, most = _FARTHEST[0] * size, _FARTHEST[1] * size
    way = np.linalg.norm(shifts, axis=-1).max(axis=0)
    room = most - start
    bounded = start + room * np.tanh((way - start) / room)
    share = np.where(way > start, bounded / np.maximum(way, 1e-12), 1.0)
    return np.asarray(shifts * share[:, None])


def near(mask: BoolArray, reach: int) -> BoolArray:
    """Frames less than ``reach`` frames from those of a mask ``(T,)``."""
    count = np.cumsum(np.concatenate([[0], mask]))
    frames = np.arange(len(mask))
    first = np.maximum(frames - reach + 1, 0)
    last = np.minimum(frames + reach, len(mask))
    return np.asarray(count[last] > count[first])


def settled(held: BoolArray, fps: float) -> Array:
    """0 to 1, ``(T,)``: how much a point is at rest in its plants, 0 where it has none.

    A plant that reaches over an end of the clip is at rest there.
    """
    result = np.zeros(len(held))
    for first, last in runs(held):
        frames = np.arange(first, last + 1)
        since = np.inf if first == 0 else frames - first + 0.5
        until = np.inf if last == len(held) - 1 else last + 0.5 - frames
        result[frames] = smoothstep(np.minimum(since, until) / (_SETTLING * fps))
    return result


def _solve(
    points: Array,
    drift: Array,
    settled: Array,
    heights: Array,
    floor: Floor | Ground,
    fps: float,
    ease: float,
    free: BoolArray,
) -> Array:
    """Corrections ``(2, T, 3)`` of heel and toe."""
    held = settled > 0.0
    count = points.shape[1]
    frames = np.arange(count)
    plain = BandedLeastSquares(count, 6)
    plain.add_smoothness(0.5 * ease * fps)
    for point in (0, 1):
        resting = (held[point, 1:] & held[point, :-1]) * (_REST * fps) ** 2
        steps = np.diff(points[point] - drift[point], axis=0)[:, [0, 2]]
        plain.add_change((-1.0, 1.0), resting, -steps, (3 * point, 3 * point + 2))
        missing = heights[point] - floor.above(points[point])
        missing = np.where(held[point], missing, 0.0)[:, None]
        plain.add_change((1.0,), _HEIGHT * settled[point], missing, (3 * point + 1,))
    foot = points[1] - points[0]
    length = np.linalg.norm(foot, axis=-1)
    along = foot / np.maximum(length, 1e-12)[:, None]
    above = floor.above(points)
    active = ~held & (above < 0.0)
    found = np.zeros((2, count, 3))
    for _ in range(_ROUNDS):
        rows = plain.copy()
        coefficients = np.concatenate([-along, along], axis=1)
        stretch = length - np.einsum("ti,ti->t", along, foot)
        rows.add(frames, coefficients, _RIGID, stretch)
        for point in (0, 1):
            rows.add_change(
                (1.0,), _FLOOR * active[point], -above[point][:, None], (3 * point + 1,)
            )
        found = rows.solve(free).reshape(count, 2, 3).swapaxes(0, 1)
        turned = foot + found[1] - found[0]
        along = turned / np.maximum(np.linalg.norm(turned, axis=-1), 1e-12)[:, None]
        sinking = ~held & (above + found[..., 1] < np.where(active, 1e-4 * length, 0.0))
        if np.array_equal(sinking, active) and np.abs(turned - foot).max() < 0.1 * length.max():
            break
        active = sinking
    return found
