"""The body of a cross-fade over feet that stand.

A supporting foot moves as in the clips (it stays in place); where the averaged pose would drag it,
the root gives way, and makes up for that where no foot stands firmly. Feet that swing in one clip
and stand in the other are lifted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motionweave.body.rig.roles import leg_length
from motionweave.core.arrays import Array
from motionweave.core.curves import smoothstep
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.methods.footing import SolePoints, carrying, eased, loading, stepping
from motionweave.methods.resting import slow_parts

# Leg lengths per second up to which a body stands, and from which on it walks.
_STANDS, _WALKS = 0.2, 0.5
# How much a body catches up where its feet stand firmly, compared with where none stands.
_FIRMLY = 0.1


def standing(
    motion: Motion,
    way: Planar,
    clips: Sequence[Motion],
    ways: Sequence[Planar],
    weights: Array,
    feet: SolePoints,
) -> Motion:
    """A cross-fade moved so that supporting feet move as in the clips.

    Parameters
    ----------
    motion
        n frames, with contacts.
    way
        ``(n,)`` place and heading of its root.
    clips, ways
        The n frames that were averaged of each of k clips, and the ways of their roots.
    weights
        ``(n, k)`` of the clips, rows summing to one.
    feet
        Of the character.
    """
    if len(feet) == 0 or len(motion) < 2:
        return motion
    frames = np.arange(len(motion), dtype=np.float64)
    between = 0.5 * (weights[1:] + weights[:-1])
    stands, heights = (np.zeros((len(motion), len(feet))) for _ in range(2))
    wanted = np.zeros((len(motion) - 1, len(feet), 2))
    clear = np.zeros((len(motion), len(feet) // 2))
    pace, fastest = motion.fps / leg_length(motion.skeleton), 0.0
    for i, (clip, its_way) in enumerate(zip(clips, ways, strict=True)):
        points = feet.points(clip)
        held = np.stack(
            [loading(clip.constraints, kind, frames, clip.fps) for kind in feet.kinds], axis=1
        )
        planted = np.minimum(held[1:], held[:-1]) >= 1.0
        fastest = max(fastest, pace * float(_lengths(_steps(points))[planted].max(initial=0.0)))
        stands = stands + weights[:, i, None] * held
        heights = heights + weights[:, i, None] * points[..., 1]
        clear = clear + weights[:, i, None] * _lower_ends(points)
        steps = Planar(-its_way.angle[:-1, None]).apply_xz(_steps(points))
        wanted = wanted + between[:, i, None, None] * steps
    points, share = feet.points(motion), carrying(stands)
    slip = Planar(way.angle[:-1, None]).apply_xz(wanted) - _steps(points)
    shares = 0.5 * (share[1:] + share[:-1])
    give = eased(np.sum(shares[..., None] * slip, axis=1), motion.fps)
    going = _going(ways, pace)
    give = going * _as_far(give, way, stands.max(axis=1), motion.fps) + (1.0 - going) * give
    root = np.array(motion.root)
    root[:, 1] += eased(np.sum(share * (heights - points[..., 1]), axis=1), motion.fps)
    root[:, [0, 2]] += summed(give)
    drift = summed(give[:, None] - slip)
    motion = replace(motion, root=root)
    # Legs that swing in one clip and stand in the other are averaged to longer ones.
    low = eased(np.maximum(clear - _lower_ends(feet.points(motion)), 0.0), motion.fps)
    motion = stepping(motion, feet, drift, low)
    # A foot that stands in one clip and swings in the other is in the air in their mean.
    speeds = pace * _lengths(_steps(feet.points(motion)))
    by_kind = dict(zip(feet.kinds, speeds.T, strict=True))
    return motion.with_constraints(slow_parts(motion.constraints, by_kind, fastest, motion.fps))


def _going(ways: Sequence[Planar], pace: float) -> float:
    """From 0 to 1: whether two ways both lead somewhere, and in the same direction.

    ``pace`` is how many leg lengths per second a unit of length per frame is. A body that stands
    before or after a seam cannot step to make up for what it lags behind.
    """
    first, second = (np.array([way.x[-1] - way.x[0], way.z[-1] - way.z[0]]) for way in ways)
    lengths = [float(np.linalg.norm(each)) for each in (first, second)]
    straight = max(float(first @ second), 0.0) / max(lengths[0] * lengths[1], 1e-12)
    slower = pace * min(lengths) / (len(ways[0].x) - 1)
    return straight * float(smoothstep((slower - _STANDS) / (_WALKS - _STANDS)))


def _as_far(give: Array, way: Planar, firm: Array, fps: float) -> Array:
    """Steps ``(n - 1, 2)`` by which a body gives way that take it as far along its way as without.

    Clips out of step are averaged to shorter or longer steps, and a body that keeps to the foot it
    stands on lags behind or runs ahead. It makes up for that in the middle of the seam, mostly
    where no foot stands firmly (``firm`` ``(n,)``, 0 to 1).
    """
    gone = np.array([way.x[-1] - way.x[0], way.z[-1] - way.z[0]])
    lag = gone * float(give.sum(axis=0) @ gone) / max(float(gone @ gone), 1e-12)
    middle = np.sin(np.pi * (np.arange(len(give)) + 0.5) / len(give)) ** 2
    share = eased(middle * (1.0 + _FIRMLY - 0.5 * (firm[1:] + firm[:-1])), fps)
    return np.asarray(give - (share / share.sum())[:, None] * lag)


def _steps(points: Array) -> Array:
    """Steps ``(n - 1, ..., 2)`` over the floor of points ``(n, ..., 3)``."""
    return np.diff(points[..., [0, 2]], axis=0)


def _lower_ends(points: Array) -> Array:
    """Heights ``(n, 2)`` of the lower one of heel and toe of each foot."""
    return np.asarray(points[..., 1].reshape(len(points), -1, 2).min(axis=-1))


def _lengths(steps: Array) -> Array:
    """Lengths ``(...)`` of steps ``(..., 2)``."""
    return np.asarray(np.hypot(steps[..., 0], steps[..., 1]))


def summed(steps: Array) -> Array:
    """Sums ``(n, ...)`` of steps ``(n - 1, ...)``, from zero."""
    return np.concatenate([np.zeros((1, *steps.shape[1:])), np.cumsum(steps, axis=0)])
