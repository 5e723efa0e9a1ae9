"""Where on given ground a stance is placed.

A stance is moved as a whole: onto the height and the tilt of the ground below it. A foot that would
straddle an edge, turn into a riser, or have to climb too far for the time that its swing takes is
put down at the nearest place that suits it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from motionweave.body.ground import Ground
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.planar import Planar

# The sole reaches this far behind the heel and beyond the toe, and this far to either side, in
# lengths from heel to toe.
BEHIND, BEYOND, _ASIDE = 0.25, 0.45, 0.2
# Leg lengths by which ground under a sole may be uneven, or a foot be in it.
_UNEVEN = 0.015
# Preferred room in front of and behind the sole (lengths from heel to toe), and its value.
_ROOM, _AMPLE = 0.35, 1.0
# How far (leg lengths) a step may be moved, in steps of this, in this many directions, and the
# costs of ground that does not suit the foot and of a climb that is too high.
_FARTHEST, _FINE, _DIRECTIONS = 0.8, 0.02, 16
_UNSUITED, _CLIMBING = 10.0, 10.0
# A foot is not tilted further than this.
_STEEPEST = np.radians(35.0)


@dataclass(frozen=True)
class Landing:
    """How one stance is moved.

    Parameters
    ----------
    moment
        The frame in the middle of the stance, which determines how all of it is moved.
    carried
        The move along the path, and its rise, that comes first.
    centre
        ``(3,)`` the middle of the sole on the floor after that.
    shift
        ``(3,)`` of the centre.
    tilt
        ``(3,)`` rotation vector about it.
    """

    moment: float
    carried: tuple[Planar, float]
    centre: Array
    shift: Array
    tilt: Array

    @property
    def height(self) -> float:
        """How high the ground is on which the foot stands."""
        return float(self.centre[1] + self.shift[1])

    def move(self, points: Array) -> Array:
        """Points ``(n, 3)`` of the foot after the move."""
        turned = rotations.rotate(
            rotations.exp(self.tilt), along(self.carried, points) - self.centre
        )
        return np.asarray(self.centre + self.shift + turned)


class Stance(NamedTuple):
    """A stance before it is moved.

    Parameters
    ----------
    moment
        The frame in its middle.
    ends
        ``(2, 3)`` heel and toe there.
    through
        ``(n, 3)`` heels and toes at moments from its beginning to its end.
    base
        The height of the floor below.
    carried
        The move along the path, and its rise.
    """

    moment: float
    ends: Array
    through: Array
    base: float
    carried: tuple[Planar, float]


class Climb(NamedTuple):
    """A height from which a foot can climb or go down so far."""

    height: float
    most: float


def along(carried: tuple[Planar, float], points: Array) -> Array:
    """Points ``(..., 3)`` after a move along a path, and its rise."""
    planar, rise = carried
    return np.asarray(planar.apply(points) + np.array([0.0, rise, 0.0]))


def land(
    stance: Stance, start: Array, climbs: Sequence[Climb], ground: Ground, size: float
) -> Landing:
    """The nearest place on the ground that suits a stance.

    Parameters
    ----------
    stance
        The stance.
    start
        ``(2,)`` how far it would be moved over the floor, if the ground there suited it.
    climbs
        How far the foot may go up or down, and from which heights.
    ground
        In the world's axes and the clip's unit.
    size
        Leg length.
    """
    heel, toe = along(stance.carried, stance.ends)
    base = stance.base + stance.carried[1]
    foot = (toe - heel)[[0, 2]]
    length = max(float(np.linalg.norm(foot)), 1e-9 * size)
    axes = np.stack([foot, [foot[1], -foot[0]]])
    moves = _moves(size)

    def under(points: Array) -> Array:
        """Heights ``(moves, n)`` of the ground at ``(n, 2)``, lengths of the foot from the heel
        along and across it."""
        places = np.zeros((len(moves), len(points), 3))
        places[..., [0, 2]] = heel[[0, 2]] + points @ axes + (start + moves)[:, None]
        return ground.at(places)

    def level(room: float) -> tuple[Array, Array, Array]:
        """Heights below the sole, the planes through them, and how uneven they are."""
        sole = np.linspace(-BEHIND - room, 1.0 + BEYOND + room, 6)
        grid = np.array([(s, t) for s in sole for t in (-_ASIDE, 0.0, _ASIDE)])
        heights = under(grid)
        planes = heights @ np.linalg.pinv(_design(grid)).T
        return heights, planes, np.abs(heights - planes @ _design(grid).T).max(axis=1)

    heights, planes, uneven = level(0.0)
    wide = level(_ROOM)[2]
    points = along(stance.carried, stance.through)
    places = (points - heel)[:, [0, 2]] @ axes.T / length**2
    # How deep the foot is in the ground at some moment, if it stands on the plane below the sole.
    above = points[:, 1] - base
    deep = (under(places) - planes @ _design(places).T - above).max(axis=1)
    middles = planes[:, 0] + 0.5 * planes[:, 1]
    beyond = [np.abs(middles - climb.height) - climb.most for climb in climbs]
    cost = (
        np.linalg.norm(moves, axis=1)
        + _UNSUITED * np.maximum(uneven - _UNEVEN * size, 0.0)
        + _UNSUITED * np.maximum(deep - _UNEVEN * size, 0.0)
        + _AMPLE * np.maximum(wide - _UNEVEN * size, 0.0)
        + _CLIMBING * np.max([np.zeros(len(moves)), *beyond], axis=0)
    )
    best = int(np.argmin(cost))
    flat = uneven[best] <= 2.0 * _UNEVEN * size
    height = middles[best] if flat else heights[best].max()
    rise = planes[best, 1:] @ axes / length**2
    tilt = np.zeros(3)
    steep = float(np.arctan(np.hypot(*rise)))
    if flat and steep > 0.0:
        # The turn that takes the vertical to the ground's normal.
        tilt[[0, 2]] = np.array([rise[1], -rise[0]]) / np.hypot(*rise)
        tilt *= -min(steep, _STEEPEST)
    centre = np.array([0.5 * (heel[0] + toe[0]), base, 0.5 * (heel[2] + toe[2])])
    x, z = start + moves[best]
    shift = np.array([x, height - base, z])
    return Landing(stance.moment, stance.carried, centre, shift, tilt)


def _moves(size: float) -> Array:
    """Moves ``(n, 2)`` over the floor that are tried, the first of them none."""
    angles = np.arange(_DIRECTIONS) * (2.0 * np.pi / _DIRECTIONS)
    radii = np.arange(1, round(_FARTHEST / _FINE) + 1) * (_FINE * size)
    around = radii[:, None, None] * np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    return np.concatenate([np.zeros((1, 2)), around.reshape(-1, 2)])


def _design(points: Array) -> Array:
    """Of planes at points ``(n, 2)``: the height at the heel, the rise along and across."""
    return np.column_stack([np.ones(len(points)), points])
