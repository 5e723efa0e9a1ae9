"""How far stretches fit a gap, and what fills it where they do not: interpolation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.library.index.features import RATE, ClipTrack, role_weights

# Seconds: stretches fit if they are no further from what is around the gap than the body moves,
# relative to its hips, in this time.
_FITS = 1.0
# How much less a stretch counts that is twice as far as the nearest: exp of minus this.
_SHARP = 1.0
# Samples over which this speed is measured.
_SPEED = round(0.2 * RATE)
# A movement in leg lengths that is none.
_NOTHING = 1e-6


def interpolated(start: Motion, end: Motion, frames: int) -> Motion:
    """Interpolation from the last frame of a motion to the first of another.

    Parameters
    ----------
    start, end
        Of the same body.
    frames
        Four or more: the interpolation is at the first pose in the second frame, and at the other
        in the last but one.
    """
    share = (np.arange(frames) - 1.0) / (frames - 3)
    here, there = start.rotations[-1], end.rotations[0]
    turns = rotations.log(rotations.multiply(there, rotations.inverse(here)))
    return replace(
        start,
        root=start.root[-1] + share[:, None] * (end.root[0] - start.root[-1]),
        rotations=rotations.multiply(rotations.exp(share[:, None, None] * turns), here[None]),
        translations=None,
        constraints=(),
    )


def fits(distance: float, around: Sequence[ClipTrack]) -> float:
    """How far the library has something similar to what is around a gap, from 0 to 1.

    Parameters
    ----------
    distance
        Of the nearest stretch, in leg lengths.
    around
        What is before and after the gap.
    """
    # To the fourth power: a body that stands does not walk a little.
    return min(_FITS * _speed(around) / max(distance, _NOTHING), 1.0) ** 4


def nearness(apart: Array) -> Array:
    """How much stretches count by their distances ``(k,)``, in sum 1: the nearer, the more."""
    near = np.exp(-_SHARP * (apart / max(float(apart[0]), _NOTHING) - 1.0))
    return np.asarray(near / near.sum())


def towards(straight: Motion, blend: Motion, share: float) -> Motion:
    """The motion that lies so far on the way from an interpolation to a blend."""
    return replace(
        blend,
        root=straight.root + share * (blend.root - straight.root),
        rotations=rotations.slerp(straight.rotations, blend.rotations, share),
    )


def _speed(around: Sequence[ClipTrack]) -> float:
    """Leg lengths per second at which a body moves relative to its hips where that is fastest;
    infinite if it is only seen in single poses."""
    speeds = []
    for seen in around:
        if len(seen) > 1:
            steps = min(_SPEED, len(seen) - 1)
            shape = seen.points - seen.points[:, :1]
            moved = np.sum((shape[steps:] - shape[:-steps]) ** 2, axis=-1) @ role_weights()
            speeds.append(float(np.sqrt(np.mean(moved))) / steps * RATE)
    return max(speeds, default=np.inf)
