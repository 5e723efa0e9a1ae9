"""The root of a cross-fade, corrected so that supporting feet do not slide.

A supporting foot moves as in the clips: it stays in place. Where the averaged pose would drag it,
the root is shifted instead, and catches up where no foot stands firmly. Feet that swing in one clip
and stand in the other are lifted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from motionweave.body.rig.roles import leg_length
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.numerics.curves import smoothstep
from motionweave.core.numerics.vectors import lengths
from motionweave.core.planar import Planar
from motionweave.methods.joining.feet import (
    SolePoints,
    firmness,
    smoothed_inside,
    weight_shares,
    with_steps,
)
from motionweave.methods.resting_contacts import slow_parts

# Leg lengths per second up to which a body stands, and from which on it walks.
_STANDS, _WALKS = 0.2, 0.5
# How much a body catches up where its feet stand firmly, compared with where none stands.
_FIRMLY = 0.1
# Leg lengths by which a body that catches up may drag a foot that is to stand firmly.
_DRAGGED = 0.05


def keep_supporting_feet(
    motion: Motion,
    path: Planar,
    clips: Sequence[Motion],
    paths: Sequence[Planar],
    weights: Array,
    feet: SolePoints,
    firm: bool = False,
) -> Motion:
    """A cross-fade whose root is shifted so that supporting feet move as in the clips.

    Parameters
    ----------
    motion
        The n frames of the cross-fade, with contacts.
    path
        ``(n,)`` place and heading of its root.
    clips, paths
        The n frames of each of k clips that were averaged, and the paths of their roots.
    weights
        ``(n, k)`` of the clips, rows summing to one.
    feet
        Heels and toes of the character.
    firm
        Whether the body stays behind its clips, or ahead, rather than drag a supporting foot.
    """
    if len(feet) == 0 or len(motion) < 2:
        return motion
    pace = motion.fps / leg_length(motion.skeleton)
    mean = _mean_feet(clips, paths, weights, feet)
    points, share = feet.points(motion), weight_shares(mean.firm)
    slip = Planar(path.angle[:-1, None]).apply_xz(mean.steps) - _steps(points)
    shares = 0.5 * (share[1:] + share[:-1])
    shift = smoothed_inside(np.sum(shares[..., None] * slip, axis=1), motion.fps)
    walking = _walking_on(paths, pace)
    most = _DRAGGED * leg_length(motion.skeleton) if firm else np.inf
    as_far = _as_far_along(shift, path, mean.firm.max(axis=1), motion.fps, most)
    shift = walking * as_far + (1.0 - walking) * shift
    lift = np.sum(share * (mean.heights - points[..., 1]), axis=1)
    root = np.array(motion.root)
    root[:, 1] += smoothed_inside(lift, motion.fps)
    root[:, [0, 2]] += cumulative(shift)
    drift = cumulative(shift[:, None] - slip)
    motion = replace(motion, root=root)
    # Legs that swing in one clip and stand in the other are averaged to longer ones.
    sunk = np.maximum(mean.clearance - _lower_ends(feet.points(motion)), 0.0)
    motion = with_steps(motion, feet, drift, smoothed_inside(sunk, motion.fps))
    # A foot that stands in one clip and swings in the other is in the air in their mean.
    speeds = pace * lengths(_steps(feet.points(motion)))
    by_kind = dict(zip(feet.kinds, speeds.T, strict=True))
    fastest = pace * mean.fastest
    return motion.with_constraints(slow_parts(motion.constraints, by_kind, fastest, motion.fps))


class _MeanFeet(NamedTuple):
    """Weighted means over clips of what their P heels and toes do in n frames.

    Parameters
    ----------
    firm, heights
        ``(n, P)`` how firmly they stand, and how high they are.
    clearance
        ``(n, 2)`` heights of the lower end of each foot.
    steps
        ``(n - 1, P, 2)`` steps over the floor, relative to the heading of the root.
    fastest
        The longest step of a planted heel or toe in any clip.
    """

    firm: Array
    heights: Array
    clearance: Array
    steps: Array
    fastest: float


def _mean_feet(
    clips: Sequence[Motion], paths: Sequence[Planar], weights: Array, feet: SolePoints
) -> _MeanFeet:
    count = len(weights)
    frames = np.arange(count, dtype=np.float64)
    between = 0.5 * (weights[1:] + weights[:-1])
    firm, heights = (np.zeros((count, len(feet))) for _ in range(2))
    clearance = np.zeros((count, len(feet) // 2))
    steps = np.zeros((count - 1, len(feet), 2))
    fastest = 0.0
    for i, (clip, path) in enumerate(zip(clips, paths, strict=True)):
        points = feet.points(clip)
        held = np.stack(
            [firmness(clip.constraints, kind, frames, clip.fps) for kind in feet.kinds], axis=1
        )
        planted = np.minimum(held[1:], held[:-1]) >= 1.0
        fastest = max(fastest, float(lengths(_steps(points))[planted].max(initial=0.0)))
        firm = firm + weights[:, i, None] * held
        heights = heights + weights[:, i, None] * points[..., 1]
        clearance = clearance + weights[:, i, None] * _lower_ends(points)
        seen = Planar(-path.angle[:-1, None]).apply_xz(_steps(points))
        steps = steps + between[:, i, None, None] * seen
    return _MeanFeet(firm, heights, clearance, steps, fastest)


def _walking_on(paths: Sequence[Planar], pace: float) -> float:
    """How much, from 0 to 1, a body walks on through a seam: on both paths, in one direction.

    ``pace`` converts units of length per frame to leg lengths per second. A body that stands before
    or after a seam takes no step in which it could catch up.
    """
    first, second = (_travel(path) for path in paths)
    lengths = [float(np.linalg.norm(each)) for each in (first, second)]
    straight = max(float(first @ second), 0.0) / max(lengths[0] * lengths[1], 1e-12)
    slower = pace * min(lengths) / (len(paths[0].x) - 1)
    return straight * float(smoothstep((slower - _STANDS) / (_WALKS - _STANDS)))


def _as_far_along(shift: Array, path: Planar, firm: Array, fps: float, most: float) -> Array:
    """Shifts ``(n - 1, 2)`` of the root that do not change how far it goes along its path.

    Clips out of step are averaged to shorter or longer steps, and a body that follows its
    supporting foot lags behind or runs ahead. It makes up for that in the middle of the seam,
    mostly where no foot stands firmly (``firm`` ``(n,)``, 0 to 1), and no more than drags feet that
    stand by ``most``.
    """
    travel = _travel(path)
    lag = travel * float(shift.sum(axis=0) @ travel) / max(float(travel @ travel), 1e-12)
    middle = np.sin(np.pi * (np.arange(len(shift)) + 0.5) / len(shift)) ** 2
    stands = 0.5 * (firm[1:] + firm[:-1])
    share = smoothed_inside(middle * (1.0 + _FIRMLY - stands), fps)
    share = share / share.sum()
    dragged = float(np.linalg.norm(lag) * (share @ stands))
    lag = lag * min(1.0, most / max(dragged, 1e-12))
    return np.asarray(shift - share[:, None] * lag)


def _travel(path: Planar) -> Array:
    """How far ``(2,)`` a path ``(n,)`` leads over the floor, from its first place to its last."""
    return np.array([path.x[-1] - path.x[0], path.z[-1] - path.z[0]])


def _steps(points: Array) -> Array:
    """Steps ``(n - 1, ..., 2)`` over the floor of points ``(n, ..., 3)``."""
    return np.diff(points[..., [0, 2]], axis=0)


def _lower_ends(points: Array) -> Array:
    """Heights ``(n, 2)`` of heel or toe of each foot, whichever is lower."""
    return np.asarray(points[..., 1].reshape(len(points), -1, 2).min(axis=-1))


def cumulative(steps: Array) -> Array:
    """Cumulative sums ``(n, ...)`` of steps ``(n - 1, ...)``, beginning with zero."""
    return np.concatenate([np.zeros((1, *steps.shape[1:])), np.cumsum(steps, axis=0)])
