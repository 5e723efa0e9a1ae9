"""Paths: the root's position, height and heading warped, and the whole body with it.

A change of heading turns the direction of travel with the body, so that what follows continues
along the new path; a change of position then moves the path aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from motionweave.body.size import body_height
from motionweave.core import kinematics
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.errors import WarpError
from motionweave.methods.warping.curves import scale_factor
from motionweave.methods.warping.keys import SIDES_OF_KEY
from motionweave.methods.warping.targets import Placed, WarpClip
from motionweave.methods.warping.turns import WarpShape

# A body that travels slower than this many leg lengths (of its height, halved) a second
# has no direction of travel that a bent path could turn.
_STANDING = 0.25
# Seconds over which the direction of travel is averaged: about one step.
_STEP = 0.5


@dataclass(frozen=True)
class Path:
    """How every frame of a clip is moved: a planar move and a change of height.

    Parameters
    ----------
    planar
        ``(T,)`` moves on the floor.
    rise
        ``(T,)`` upwards.
    """

    planar: Planar
    rise: Array

    def move(self, points: Array, frames: Array) -> Array:
        """Points ``(n, 3)``, each moved like the body at its fractional frame ``(n,)``."""
        x, z, angle = (
            kinematics.sample_vectors(np.asarray(part), frames)
            for part in (self.planar.x, self.planar.z, self.planar.angle)
        )
        rise = kinematics.sample_vectors(self.rise, frames)
        moved = Planar(angle, x, z).apply(points)
        moved[:, 1] += rise
        return moved

    def angle_at(self, frame: float) -> float:
        """Turn about the vertical at a fractional frame, radians."""
        return float(kinematics.sample_vectors(np.asarray(self.planar.angle), np.array([frame]))[0])

    def apply(self, motion: Motion) -> Motion:
        """The whole body moved, including the feet."""
        moved = motion.moved(self.planar)
        root = np.array(moved.root)
        root[:, 1] += self.rise
        return replace(moved, root=root)


def path_of(
    clip: WarpClip, placed: Sequence[Placed], shape: WarpShape, follow: bool = False
) -> Path:
    """The path through keys of the root's curves.

    Parameters
    ----------
    clip
        The clip as it was.
    placed
        Its keys for ``"position"``, ``"height"`` and ``"heading"``.
    shape
        How displacements run between and around keys.
    follow
        Turn the body to face along the path where position keys bend it.
    """
    root = clip.motion.root
    frames = len(root)
    # As the keys are, and as they would go on by their tangents in and out.
    now, *onward = placed, *([p.going_on(side) or p for p in placed] for side in SIDES_OF_KEY)
    headings = _heading_knots(clip, now)
    turning = [_nearest_turns(headings, _heading_knots(clip, rows)) for rows in onward]
    heading = _curve(clip, headings, turning, shape, clip.facing)
    turned = _turned_path(root[:, [0, 2]], heading)
    shift = np.empty((frames, 3))
    for axis in range(3):
        base = root[:, 1] if axis == 1 else turned[:, axis // 2]
        knots, *going = (_position_knots(clip, rows, axis, base) for rows in (now, *onward))
        shift[:, axis] = _curve(clip, knots, going, shape, base)
    level = turned + shift[:, [0, 2]]
    if follow:
        heading = heading + _bend(turned, level, clip)
    planar = Planar.about(root[:, [0, 2]], heading, level - root[:, [0, 2]])
    return Path(planar, shift[:, 1])


@dataclass(frozen=True)
class _Knot:
    """A key of one scalar curve: a change to add or a factor to scale by."""

    placed: Placed
    shift: float | None
    factor: float | None = None

    @property
    def value(self) -> float:
        """What it adds to the curve, or to the factor of one."""
        return float(self.shift or 0.0) if self.factor is None else self.factor - 1.0


def _curve(
    clip: WarpClip,
    knots: Sequence[_Knot],
    onward: Sequence[Sequence[_Knot]],
    shape: WarpShape,
    base: Array,
) -> Array:
    """What a scalar curve ``base`` ``(T,)`` changes by, ``(T,)``: (a - 1)·(θ - zero) + b.

    ``onward`` are the knots as they would go on by their tangents in and out.
    """
    change = np.zeros(len(base))
    for scaled in (True, False):
        order = sorted(
            (i for i, k in enumerate(knots) if (k.factor is not None) == scaled),
            key=lambda i: knots[i].placed.frame,
        )
        if not order:
            continue
        chosen = [knots[i] for i in order]
        for a, b in pairwise(k.placed for k in chosen):
            if b.frame - a.frame < 1e-9:
                keys = " and ".join(dict.fromkeys((str(a.key), str(b.key))))
                raise WarpError(
                    f"{keys}: two keys for the root at frame {clip.first + a.frame:g}; keep one"
                )
        course = shape.course(
            [k.placed.knot for k in chosen],
            np.array([k.value for k in chosen]),
            np.array([[side[i].value for i in order] for side in onward]),
            len(base),
            clip.motion.fps,
        )
        change += course * (base - _zero(chosen[0].placed, base)) if scaled else course
    return change


def _zero(placed: Placed, base: Array) -> float:
    about = placed.key.about
    if isinstance(about, str):
        return float(np.mean(base)) if about == "mean" else 0.0
    return float(about)


def _knot(placed: Placed, shift: float, base: Array) -> _Knot:
    """A change as the key's mode asks for it."""
    if placed.key.mode == "shift":
        return _Knot(placed, shift)
    zero = _zero(placed, base)
    have = float(kinematics.sample_vectors(base, np.array([placed.frame]))[0]) - zero
    factor = scale_factor([have + shift], [have])
    if factor is None:
        raise WarpError(f"{placed.key}: the curve is at its zero-point there; use mode 'shift'")
    return _Knot(placed, None, factor)


def _nearest_turns(knots: Sequence[_Knot], onward: Sequence[_Knot]) -> list[_Knot]:
    """Knots of a heading a little further on, turned the same way round as they are now."""
    found = []
    for now, on in zip(knots, onward, strict=True):
        if now.shift is not None and on.shift is not None:
            turns = round((now.shift - on.shift) / (2.0 * np.pi))
            on = replace(on, shift=on.shift + 2.0 * np.pi * turns)
        found.append(on)
    return found


def _heading_knots(clip: WarpClip, placed: Sequence[Placed]) -> list[_Knot]:
    knots = []
    for p in placed:
        if p.key.joint != "heading":
            continue
        if p.key.factor is not None:
            knots.append(_Knot(p, None, p.key.factor))
        elif p.key.offset is not None:
            knots.append(_knot(p, np.radians(p.key.offset), clip.facing))
        else:
            turn = np.radians(p.key.goal) - clip.facing_at(p.frame)
            short = (turn + np.pi) % (2.0 * np.pi) - np.pi
            knots.append(_knot(p, float(short), clip.facing))
    return knots


def _position_knots(
    clip: WarpClip, placed: Sequence[Placed], axis: int, base: Array
) -> list[_Knot]:
    """Knots of one axis; ``base`` ``(T,)`` is that axis after the path has been turned."""
    own = clip.motion.root[:, axis]
    knots = []
    for p in placed:
        if p.key.joint == "height" and axis == 1:
            offset, goal = p.key.offset, p.key.goal
            if offset is not None:
                offset = offset * clip.length(p.key)
        elif p.key.joint == "position":
            offset, goal = p.key.offset, None if p.key.goal is None else p.key.goal[axis]
            if offset is not None:
                offset = clip.offset_in_world(p.key, p.frame)[axis]
            elif goal is None and p.key.factor is None:
                continue
        else:
            continue
        at = np.array([p.frame])
        if p.key.factor is not None:
            knots.append(_Knot(p, None, p.key.factor))
            continue
        value = kinematics.sample_vectors(own, at)[0] + (offset or 0.0)
        if goal is not None:
            value = goal * clip.length(p.key)
        knots.append(_knot(p, float(value - kinematics.sample_vectors(base, at)[0]), base))
    return knots


def _turned_path(level: Array, heading: Array) -> Array:
    """Floor path ``(T, 2)`` whose every step is turned by ``heading`` ``(T,)``."""
    steps = np.diff(level, axis=0)
    if not np.any(heading):
        return level
    mean = 0.5 * (heading[1:] + heading[:-1])
    return np.concatenate([level[:1], level[0] + np.cumsum(Planar(mean).apply_xz(steps), axis=0)])


def _bend(old: Array, new: Array, clip: WarpClip) -> Array:
    """Angles ``(T,)`` between the directions of travel of two floor paths ``(T, 2)``."""
    if len(old) < 2:
        return np.zeros(len(old))
    fps = clip.motion.fps
    before, after = (_smooth(np.gradient(p, axis=0) * fps, _STEP * fps) for p in (old, new))
    along = np.sum(before * after, axis=-1)
    # Angles run from +z towards +x, as those of `Planar` do.
    across = before[:, 1] * after[:, 0] - before[:, 0] * after[:, 1]
    standing = (_STANDING * 0.5 * body_height(clip.motion.skeleton)) ** 2
    # A path that turns back is walked sideways or backwards: the body never turns by more than a
    # right angle, so it never spins.
    ahead = 0.5 * (along + np.hypot(along, standing)) + standing
    return _smooth(np.arctan2(across, ahead)[:, None], _STEP * fps)[:, 0]


def _smooth(values: Array, width: float) -> Array:
    """A Gaussian mean over time of ``(T, n)``; the ends are held."""
    from scipy.ndimage import gaussian_filter1d

    return np.asarray(gaussian_filter1d(values, 0.5 * width, axis=0, mode="nearest"))
