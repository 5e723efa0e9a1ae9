"""Feet on given ground: where each stance is placed, and how the body follows.

Every stance is moved as a whole: onto the height and the tilt of the ground below it. A foot that
would straddle an edge, or that would have to climb too far at once, is put down at the nearest
suitable place, and everything after it follows: on stairs strides become as long as treads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from motionweave.body.floor import Floor
from motionweave.body.ground import Ground
from motionweave.contacts.floors import ground_under
from motionweave.core import kinematics, rotations
from motionweave.core.arrays import Array
from motionweave.core.planar import Planar
from motionweave.methods.warping.moments import Span
from motionweave.methods.warping.paths import Path
from motionweave.methods.warping.targets import WarpClip

# The sole reaches this far behind the heel and beyond the toe, and this far to either side, in
# lengths from heel to toe.
_BEHIND, _BEYOND, _ASIDE = 0.25, 0.45, 0.2
# Leg lengths by which ground under a sole may be uneven, and that one step may climb.
_UNEVEN, _CLIMB = 0.015, 0.3
# Preferred room in front of and behind the sole (lengths from heel to toe), and its value.
_ROOM, _AMPLE = 0.35, 1.0
# How far (leg lengths) a step may be moved, in steps of this, in this many directions, and the
# costs of uneven ground and of a climb that is too high.
_FARTHEST, _FINE, _DIRECTIONS = 0.8, 0.02, 16
_STRADDLING, _CLIMBING = 10.0, 10.0
# A foot is not tilted further than this.
_STEEPEST = np.radians(35.0)
# Seconds in which a foot takes over the weight; the body is led over this share of the time
# from one stance to the next, which counts as some seconds from and to.
_LOADING, _SMOOTH, _BETWEEN = 0.3, 0.4, (0.25, 0.9)


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

    def move(self, points: Array) -> Array:
        """Points ``(n, 3)`` of the foot after the move."""
        planar, rise = self.carried
        points = planar.apply(points) + np.array([0.0, rise, 0.0])
        turned = rotations.rotate(rotations.exp(self.tilt), points - self.centre)
        return np.asarray(self.centre + self.shift + turned)


@dataclass(frozen=True)
class Terrain:
    """Ground, what every stance does on it, and the path of the body over it.

    Parameters
    ----------
    ground
        In the world's axes and the clip's unit.
    spans, landings
        By side, stances and how each of them is moved. A foot that is in the air as the clip
        begins or ends has one of that moment, too.
    path
        The path of the body, the ground included.
    shift
        ``(T, 3)`` what the ground adds to it.
    """

    ground: Ground
    spans: Mapping[str, Sequence[Span]]
    landings: Mapping[str, Sequence[Landing]]
    path: Path
    shift: Array

    def under(self, heel: Array, toe: Array) -> Array:
        """Height ``(2, T)`` of the ground below heels and toes ``(T, 3)``, all of the sole."""
        foot = toe - heel
        back, front = heel - _BEHIND * foot, toe + _BEYOND * foot
        return np.stack(
            [
                np.maximum(self.ground.at(heel), self.ground.at(back)),
                np.maximum(self.ground.at(toe), self.ground.at(front)),
            ]
        )


def lay_out(
    clip: WarpClip,
    soles: Mapping[str, Array],
    spans: Mapping[str, Sequence[Span]],
    path: Path | None,
    ground: Ground,
    floor: Floor,
) -> Terrain:
    """Find where stances are placed.

    Parameters
    ----------
    clip
        The clip as it was.
    soles
        By side heel and toe ``(2, T, 3)``, as keys of the legs have them.
    spans
        By side, when they stand.
    path
        The path of the body, if any.
    ground
        As the user gave it.
    floor
        What the clip stands on.
    """
    count, fps = len(clip.motion), clip.motion.fps
    world = ground_under(ground, clip.motion)
    if path is None:
        path = Path(Planar(np.zeros(count), np.zeros(count), np.zeros(count)), np.zeros(count))
    firm, spans = spans, {side: _with_ends(held, count) for side, held in spans.items()}
    order = sorted(
        (min(max(0.5 * (first + last), 0.0), count - 1.0), side, index)
        for side, held in spans.items()
        for index, (first, last) in enumerate(held)
    )
    landings: dict[str, list[Landing]] = {side: [] for side in spans}
    carried, height = np.zeros(2), None
    for at, side, _ in order:
        ends = kinematics.sample_vectors(np.moveaxis(soles[side], 0, 1), np.array([at]))[0]
        x, z, angle, rise = (
            float(kinematics.sample_vectors(np.asarray(part), np.array([at]))[0])
            for part in (path.planar.x, path.planar.z, path.planar.angle, path.rise)
        )
        move = Planar(angle, x, z)
        heel, toe = move.apply(ends)
        # Where the sole is on the clip's floor, whatever it does above that.
        base = float(floor.at(ends.mean(axis=0))) + rise
        centre, shift, tilt = _landed(heel, toe, base, carried, height, world, clip.scale)
        landing = Landing(at, (move, rise), centre, shift, tilt)
        carried, height = landing.shift[[0, 2]], base + landing.shift[1]
        landings[side].append(landing)
    standing = {
        side: [
            (span, landing)
            for span, landing in zip(spans[side], landings[side], strict=True)
            if span in firm[side]
        ]
        for side in spans
    }
    shift = _body([pair for pairs in standing.values() for pair in pairs], count, fps)
    over = Path(
        Planar(path.planar.angle, path.planar.x + shift[:, 0], path.planar.z + shift[:, 2]),
        path.rise + shift[:, 1],
    )
    return Terrain(world, spans, landings, over, shift)


def _with_ends(held: Sequence[Span], count: int) -> list[Span]:
    """Stances, and the moments of a clip's ends at which the foot is in the air."""
    last = count - 1.0
    before = [] if held and held[0][0] <= 0.0 else [(0.0, 0.0)]
    after = [] if held and held[-1][1] >= last else [(last, last)]
    return [*before, *held, *after]


def _landed(
    heel: Array,
    toe: Array,
    base: float,
    carried: Array,
    last: float | None,
    ground: Ground,
    size: float,
) -> tuple[Array, Array, Array]:
    """The nearest place for a foot ``heel`` to ``toe`` ``(3,)`` that stood at a height ``base``.

    ``carried`` ``(2,)`` is how far the stance before it was moved, and ``last`` how high that
    is. Returns the centre of the sole, its shift and its tilt, see `Landing`.
    """
    foot = (toe - heel)[[0, 2]]
    length = max(float(np.linalg.norm(foot)), 1e-9 * size)
    across = np.array([foot[1], -foot[0]])
    angles = np.arange(_DIRECTIONS) * (2.0 * np.pi / _DIRECTIONS)
    radii = np.arange(1, round(_FARTHEST / _FINE) + 1) * (_FINE * size)
    around = radii[:, None, None] * np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    moves = np.concatenate([np.zeros((1, 2)), around.reshape(-1, 2)])

    def under(room: float) -> tuple[Array, Array, Array]:
        """Heights below the sole for every move, the planes through them, and what is uneven."""
        along = np.linspace(-_BEHIND - room, 1.0 + _BEYOND + room, 6)
        grid = np.array([(s, t) for s in along for t in (-_ASIDE, 0.0, _ASIDE)])
        places = np.zeros((len(moves), len(grid), 3))
        sole = heel[[0, 2]] + grid[:, :1] * foot + grid[:, 1:] * across
        places[..., [0, 2]] = sole + (carried + moves)[:, None]
        heights = ground.at(places)
        # Height at the heel, rise along and across.
        design = np.column_stack([np.ones(len(grid)), grid])
        planes = heights @ np.linalg.pinv(design).T
        return heights, planes, np.abs(heights - planes @ design.T).max(axis=1)

    heights, planes, uneven = under(0.0)
    wide = under(_ROOM)[2]
    middles = planes[:, 0] + 0.5 * planes[:, 1]
    climb = np.zeros(len(moves)) if last is None else np.abs(middles - last)
    cost = (
        np.linalg.norm(moves, axis=1)
        + _STRADDLING * np.maximum(uneven - _UNEVEN * size, 0.0)
        + _AMPLE * np.maximum(wide - _UNEVEN * size, 0.0)
        + _CLIMBING * np.maximum(climb - _CLIMB * size, 0.0)
    )
    best = int(np.argmin(cost))
    flat = uneven[best] <= 2.0 * _UNEVEN * size
    level = middles[best] if flat else heights[best].max()
    rise = (planes[best, 1] * foot + planes[best, 2] * across) / length**2
    tilt = np.zeros(3)
    steep = float(np.arctan(np.hypot(*rise)))
    if flat and steep > 0.0:
        # The turn that takes the vertical to the ground's normal.
        tilt[[0, 2]] = np.array([rise[1], -rise[0]]) / np.hypot(*rise)
        tilt *= -min(steep, _STEEPEST)
    centre = np.array([0.5 * (heel[0] + toe[0]), base, 0.5 * (heel[2] + toe[2])])
    x, z = carried + moves[best]
    return centre, np.array([x, level - base, z]), tilt


def _body(stances: Sequence[tuple[Span, Landing]], count: int, fps: float) -> Array:
    """How the body moves ``(T, 3)``: with its supporting feet, smoothly from one to the next."""
    from scipy.ndimage import gaussian_filter1d

    frames = np.arange(count, dtype=np.float64)
    total, weights = np.zeros((count, 3)), np.zeros(count)
    for (first, last), landing in stances:
        # A stance at an end of the clip extends beyond it.
        since = frames - (-np.inf if first <= 0.0 else first)
        until = (np.inf if last >= count - 1.0 else last) - frames
        load = np.clip(np.minimum(since, until) / (_LOADING * fps), 0.0, 1.0)
        total += load[:, None] * landing.shift
        weights += load
    known = weights > 0.0
    if not known.any():
        return total
    wanted = total[known] / weights[known, None]
    filled = np.stack([np.interp(frames, frames[known], w) for w in wanted.T], axis=1)
    middles = np.sort([0.5 * (first + last) for (first, last), _ in stances])
    apart = np.diff(middles) if len(middles) > 1 else np.zeros(1)
    between = float(np.clip(np.median(apart), *(np.array(_BETWEEN) * fps)))
    return np.asarray(gaussian_filter1d(filled, _SMOOTH * between, axis=0, mode="nearest"))
