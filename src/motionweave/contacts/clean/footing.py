"""How heels and toes have to move so that planted ones stay still: least squares over time.

The unknowns are the corrections ``d`` of a foot's heel and toe in every frame. A planted point must
not move over the floor, ``(p + d)' = 0`` (or only as another foot moves that it
follows), and must be at its height; where it stands is left free, so heel and toe are never sent to
places that do not fit one foot. Heel and toe keep their distance, and the foot its direction as far
as possible, a point in the air stays above the floor, and every correction is small and smooth:

    sum |d|^2 + 2 tau^2 |d'|^2 + tau^4 |d''|^2  +  rest^2 |(p + d)'|^2 + ...

with times in seconds, so that a clip sampled more finely is corrected the same way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionweave.body.floor import Floor
from motionweave.body.ground import Ground
from motionweave.contacts.clean.banded import BandedLeastSquares
from motionweave.core import rotations as quat
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.numerics.curves import smoothstep

# Seconds over which a point comes to rest after landing, and begins to leave.
_SETTLING = 0.03
# Seconds over which a foot goes over from its heel to its toe.
_LEANING = 0.1
# Time scale in seconds of the weight that keeps a planted point still.
_REST = 20.0
# The costs of missing a height, stretching a foot, turning it sideways, and a point in the floor,
# relative to a shift. If it cost nothing, a foot that shifts its weight from heel to toe and back
# would turn further each time, until heel and toe no longer fit it.
_HEIGHT, _RIGID, _TURN, _FLOOR = 600.0, 1e5, 10.0, 300.0
# Leg lengths beyond which a correction is held back, and the most that is allowed.
_FARTHEST = (0.15, 0.3)
# Leg lengths below the floor at which a point is lifted even far from any plant.
_SUNK = 0.005
# Of the length of the foot: a free point that is deeper by less is on the floor, which rounding
# must not decide, and one that is kept out of it stays so until it is this far above.
_ON_FLOOR, _CLEAR = 1e-9, 1e-4
# The share of its length by which what a foot is stretched may still change, and how often it is
# tried.
_STRETCHED = 0.003
_ROUNDS = 4
# What is over the floor, and what is upright.
_OVER, _UP = np.array([1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])


class Footing(NamedTuple):
    """How feet should move.

    Parameters
    ----------
    shifts
        ``(..., 2, T, 3)`` of heel and toe, exactly zero where nothing changes.
    lean
        ``(..., T)`` 0 where the heel must be exact, 1 where the toe must.
    grip
        ``(..., T)`` 1 where a foot is planted, fading to 0 where it moves with the body.
    held_back
        ``(..., T)`` by how much shifts fall short of what plants need, because that is too much.
    """

    shifts: Array
    lean: Array
    grip: Array
    held_back: Array


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
    clearance: Array | float = 0.0,
) -> Footing:
    """The corrections of n feet.

    Parameters
    ----------
    points
        ``(n, 2, T, 3)`` heels and toes.
    resting
        ``(n, 2, T)`` 0 where they are free, up to 1 where they rest in a plant: see `settled`.
    heights
        ``(n, 2, T)`` their target height above the floor's plane while they are planted.
    floor
        What they stand on.
    size
        Leg length.
    ease
        Seconds over which corrections fade in and out.
    drift
        ``(n, 2, T, 3)`` tracks along which planted points go; by default they rest.
    only
        ``(T,)`` frames that may change; by default all. A point that is planted across their
        ends rests where it is outside of them.
    clearance
        ``(n, 2, T)`` how high above the floor they have to be where they are free, 0 elsewhere: see
        `motionweave.contacts.clean.plants.clearance_between_stances`.
    """
    reach = max(round(ease * fps), 2)
    held = resting > 0.0
    planted = np.asarray(held.any(axis=1))
    above = floor.above(points) - clearance
    sunk = np.asarray((above < -_SUNK * size).any(axis=1))
    free = near(planted | sunk, reach)
    if only is not None:
        free &= only
    shifts, held_back = np.zeros_like(points), np.zeros(planted.shape)
    # A foot that stays as it is must not decide what is done to the other one.
    some = free.any(axis=1)
    if some.any():
        still = np.zeros_like(points) if drift is None else drift
        found = _solve(
            points[some],
            still[some],
            resting[some],
            heights[some],
            above[some],
            fps,
            ease,
            free[some],
        )
        shifts[some], held_back[some] = _bounded(found, size)
    lean = _lean(held, fps)
    grip = np.where(np.reshape(some, (-1, 1)), _grip(planted, reach), 0.0)
    return Footing(shifts, lean, grip, held_back)


def _lean(held: BoolArray, fps: float) -> Array:
    """How much ``(n, T)`` the toe decides where the foot is, of heels and toes that are planted
    ``(n, 2, T)``.

    Where heel and toe cannot both be met, the foot goes over from one to the other in some time:
    it must not jump as one of them lands or leaves. In the air it goes on to the next stance.
    """
    since, until = _apart(~held)
    weight = smoothstep((np.minimum(since, until) - 0.5) / (_LEANING * fps))
    lean, frames = np.full((len(held), held.shape[-1]), 0.5), np.arange(held.shape[-1])
    for own, (heel, toe) in zip(lean, weight, strict=True):
        planted = np.flatnonzero(heel + toe)
        if len(planted):
            own[:] = np.interp(frames, planted, toe[planted] / (heel + toe)[planted])
    return lean


def _grip(planted: BoolArray, reach: int) -> Array:
    """1 ``(n, T)`` where feet are planted, fading to 0 within ``reach`` frames of that; feet that
    are in the air for less than twice as long do not let go."""
    since, until = _apart(planted)
    fading = smoothstep(1.0 - np.minimum(since, until) / reach)
    return np.where(since + until < 2.0 * reach, 1.0, fading)


def _apart(mask: BoolArray) -> tuple[Array, Array]:
    """Frames ``(..., T)`` since the last one of a mask ``(..., T)`` and until the next, 0 in it and
    infinite where there is none."""
    frames = np.arange(mask.shape[-1], dtype=np.float64)
    before = np.maximum.accumulate(np.where(mask, frames, -np.inf), axis=-1)
    behind = np.where(mask, frames, np.inf)[..., ::-1]
    behind = np.minimum.accumulate(behind, axis=-1)[..., ::-1]
    return frames - before, behind - frames


def _bounded(shifts: Array, size: float) -> tuple[Array, Array]:
    """Shifts ``(n, 2, T, 3)`` with large ones held back, and by how much ``(n, T)``: a foot may
    leave its plant."""
    start, most = _FARTHEST[0] * size, _FARTHEST[1] * size
    way = np.sqrt(np.einsum("...i,...i->...", shifts, shifts)).max(axis=1)
    if way.max() <= start:
        return shifts, np.zeros_like(way)
    room = most - start
    bounded = np.where(way > start, start + room * np.tanh((way - start) / room), way)
    share = bounded / np.maximum(way, 1e-12)
    return np.where(way > start, share, 1.0)[:, None, :, None] * shifts, way - bounded


def near(mask: BoolArray, reach: int) -> BoolArray:
    """Frames less than ``reach`` frames from those of a mask ``(..., T)``."""
    frames = np.arange(mask.shape[-1])
    count = np.zeros((*mask.shape[:-1], len(frames) + 1), dtype=np.intp)
    np.cumsum(mask, axis=-1, out=count[..., 1:])
    first = np.maximum(frames - reach + 1, 0)
    last = np.minimum(frames + reach, len(frames))
    return np.asarray(count[..., last] > count[..., first])


def settled(held: BoolArray, fps: float) -> Array:
    """0 to 1, ``(..., T)``: how much points are at rest in their plants, 0 where they have none.

    ``held`` ``(..., T)`` says where they are planted. A plant that reaches over an end of the clip
    is at rest there.
    """
    since, until = _apart(~held)
    return np.where(held, smoothstep((np.minimum(since, until) - 0.5) / (_SETTLING * fps)), 0.0)


def _solve(
    points: Array,
    drift: Array,
    settled: Array,
    heights: Array,
    above: Array,
    fps: float,
    ease: float,
    free: BoolArray,
) -> Array:
    """Corrections ``(n, 2, T, 3)`` of heels and toes that are ``above`` ``(n, 2, T)`` the floor."""
    feet, _, count, _ = points.shape
    held = settled > 0.0
    plain = BandedLeastSquares(count, 6, tracks=feet)
    plain.add_smoothness(0.5 * ease * fps)
    steps = np.diff(points - drift, axis=2)
    resting = (held[..., 1:] & held[..., :-1]) * (_REST * fps) ** 2
    plain.add_change((-1.0, 1.0), _unknowns(resting[..., None] * _OVER), _unknowns(-steps))
    missing = np.where(held, heights - above, 0.0)
    plain.add_change((1.0,), _upright(_HEIGHT * settled), _upright(missing))
    foot = points[:, 1] - points[:, 0]
    length = _length(foot)
    along = foot / np.maximum(length, 1e-12)[..., None]
    deep = -_ON_FLOOR * length[:, None]
    active = ~held & (above < deep)
    found = np.zeros_like(points)
    live, reached = np.arange(feet), length
    # How far the toe goes from the heel, along the foot and sideways.
    apart = np.stack([_spread_along(along), _spread_along(quat.cross(_UP, along))])
    ties = np.empty((2, feet, count, 1))
    ties[:] = np.reshape([_RIGID, _TURN], (2, 1, 1, 1))
    wanted = np.zeros((2, feet, count))
    for _ in range(_ROUNDS):
        # A foot that is where it should be is not solved again.
        rows = plain.of_tracks(live)
        wanted[0] = _RIGID * (length - np.einsum("nti,nti->nt", along, foot))
        rows.add_along(apart[:, live], ties[:, live], wanted[:, live])
        if active[live].any():
            lifting = np.where(active[live], _FLOOR, 0.0)
            rows.add_change((1.0,), _upright(lifting), _upright(-above[live]))
        found[live] = rows.solve(free[live]).reshape(-1, count, 2, 3).swapaxes(1, 2)
        turned = foot + found[:, 1] - found[:, 0]
        before, reached = reached, _length(turned)
        along = turned / np.maximum(reached, 1e-12)[..., None]
        apart[0] = _spread_along(along)
        least = np.where(active, _CLEAR * length[:, None], deep)
        sinking = ~held & (above + found[..., 1] < least)
        stretched = (np.abs(reached - before) > _STRETCHED * length).any(axis=1)
        again = stretched | (sinking != active).any(axis=(1, 2))
        active = sinking
        live = live[again[live]]
        if len(live) == 0:
            break
    return found


def _spread_along(direction: Array) -> Array:
    """Vectors ``(n, T, 6)`` along which the unknowns amount to how far the toe goes from the heel
    in a ``direction`` ``(n, T, 3)``."""
    return np.concatenate([-direction, direction], axis=-1)


def _unknowns(values: Array) -> Array:
    """Values ``(n, 2, T, 3)`` of heels and toes as those of unknowns, ``(n, T, 6)``."""
    return values.swapaxes(1, 2).reshape(len(values), -1, 6)


def _upright(values: Array) -> Array:
    """Values ``(n, 2, T)`` of heels and toes as those of their heights, ``(n, T, 6)``."""
    return _unknowns(values[..., None] * _UP)


def _length(vectors: Array) -> Array:
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", vectors, vectors)))
