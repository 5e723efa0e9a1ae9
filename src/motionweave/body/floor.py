"""The floor under a clip: level, sloping, or with steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core.arrays import Array

# In leg lengths: places this far above the lowest may still be on one floor ...
_ONE_LEVEL = 0.08
# ... a slope is believed if it leaves residuals below this ...
_FLAT_ENOUGH = 0.03
# ... and a sloping floor rises by at least this over the clip; otherwise it is level.
_LEAST_RISE = 0.02
# Steeper than this it is a staircase or a ladder.
_STEEPEST = np.tan(np.radians(12.0))
_ROUNDS = 12


@dataclass(frozen=True)
class Floor:
    """A plane, and the levels above it on which feet stand.

    Parameters
    ----------
    height
        Height at x = z = 0.
    slope
        Rise per unit of x and of z; zero for a level floor.
    levels
        Heights above the plane of all levels that feet stand on, the plane itself (0) first.
    """

    height: float
    slope: tuple[float, float] = (0.0, 0.0)
    levels: tuple[float, ...] = (0.0,)

    def at(self, points: ArrayLike) -> Array:
        """Height of the plane ``(...)`` below or above points ``(..., 3)``."""
        points = np.asarray(points, dtype=np.float64)
        return np.asarray(
            self.height + self.slope[0] * points[..., 0] + self.slope[1] * points[..., 2]
        )

    def above(self, points: ArrayLike) -> Array:
        """How high points ``(..., 3)`` are above the plane, ``(...)``."""
        points = np.asarray(points, dtype=np.float64)
        return np.asarray(points[..., 1] - self.at(points))

    @property
    def tilt(self) -> float:
        """Angle between the plane and the horizontal, in radians."""
        return float(np.arctan(np.hypot(*self.slope)))


def fit_floor(places: Array, weights: Array, size: float) -> Floor:
    """The floor through the lowest of the ``places`` ``(n, 3)`` where feet stood still.

    Parameters
    ----------
    places, weights
        Where, and for how long, ``(n, 3)`` and ``(n,)``; some may be in the air.
    size
        Leg length.
    """
    flat = _lowest_level(places[:, 1], weights, size)
    sloping = _plane(places, weights, size, flat)
    return Floor(flat) if sloping is None else sloping


def _lowest_level(heights: Array, weights: Array, size: float) -> float:
    """Weighted median of the lowest cluster of heights."""
    low = heights <= heights.min() + _ONE_LEVEL * size
    order = np.argsort(heights[low])
    share = np.cumsum(weights[low][order])
    middle = int(np.searchsorted(share, 0.5 * share[-1]))
    return float(heights[low][order][middle])


def _plane(places: Array, weights: Array, size: float, flat: float) -> Floor | None:
    """A sloping floor that explains nearly all places at least twice as well as a level one."""
    if np.ptp(places[:, 1]) <= _LEAST_RISE * size:
        return None
    centre = np.average(places, axis=0, weights=weights)
    level = places[:, [0, 2]] - centre[[0, 2]]
    design = np.column_stack([np.ones(len(places)), level])
    # Short clips say little about the slope: damp it unless places are far apart.
    hold = np.diag([0.0, 1.0, 1.0]) * (0.1 * size) ** 2 * weights.sum()
    trust = np.array(weights)
    solution = np.zeros(3)
    for _ in range(_ROUNDS):
        weighted = design * trust[:, None]
        solution = np.linalg.solve(design.T @ weighted + hold, weighted.T @ places[:, 1])
        rest = (places[:, 1] - design @ solution) / size
        # Feet do not stand below the floor, but they may be held above it.
        scale = np.where(rest > 0.0, 0.5 * _FLAT_ENOUGH, 2.0 * _FLAT_ENOUGH)
        trust = weights / (1.0 + (rest / scale) ** 2)
    slope = (float(solution[1]), float(solution[2]))
    rise = np.ptp(level @ solution[1:]) / size
    near = np.abs(rest) < _FLAT_ENOUGH
    explained = float(weights[near].sum() / weights.sum())
    level_near = np.abs(places[:, 1] - flat) < _FLAT_ENOUGH * size
    level_explained = float(weights[level_near].sum() / weights.sum())
    if not (rise > _LEAST_RISE and np.hypot(*slope) < _STEEPEST):
        return None
    spread_rest = float(np.average(rest[near] ** 2, weights=weights[near])) if near.any() else 0.0
    spread_flat = (
        float(np.average(((places[level_near, 1] - flat) / size) ** 2, weights=weights[level_near]))
        if level_near.any()
        else np.inf
    )
    better = explained > level_explained + 0.1 or (
        explained >= level_explained and 4.0 * spread_rest < spread_flat
    )
    if explained < 0.8 or not better:
        return None
    return Floor(float(solution[0] - solution[1:] @ centre[[0, 2]]), slope)


def levels_of(heights: Array, size: float) -> tuple[float, ...]:
    """Heights above the floor clustered into levels, the floor (0) first."""
    levels = [0.0]
    group: list[float] = []
    for height in np.sort(heights):
        if height < _ONE_LEVEL * size:
            continue
        if group and height - group[-1] > 0.5 * _ONE_LEVEL * size:
            levels.append(float(np.median(group)))
            group = []
        group.append(float(height))
    if group:
        levels.append(float(np.median(group)))
    return tuple(levels)
