"""How far the stretches that fill a gap are trusted, and what is done where they are not.

A library need not have what happened in a gap. Then the nearest stretches are far from what is
around the gap, or each does something else, and their blend is further from the truth than the
plain interpolation of the poses on both sides. The fill lies between the two: all blend where the
stretches fit and agree, all interpolation where they do neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motionweave.body.rig.roles import leg_length
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.library.features import RATE, ClipTrack, role_weights

# Seconds: stretches fit as well as can be expected if they are no further from what is around the
# gap than the body moves, relative to its hips, in this time.
_FITS = 0.4
# They agree if what they do together is this share of how far they differ, squared, or more.
_AGREE = 0.5
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


def trust(
    parts: Sequence[Motion],
    weights: Array,
    straight: Motion,
    distance: float,
    around: Sequence[ClipTrack],
) -> float:
    """How much of a blend of stretches there is in a fill, from 0 to 1; the rest is interpolation.

    What the stretches do apart from the interpolation is compared with how far they disagree about
    it, and how far the nearest is from what is around the gap with how fast the body moves there.

    Parameters
    ----------
    parts
        Stretches, warped to meet both ends of the gap.
    weights
        ``(k,)`` of the stretches, in sum 1.
    straight
        The interpolation, with as many frames.
    distance
        Of the nearest stretch, in leg lengths.
    around
        What is before and after the gap.
    """
    size = leg_length(straight.skeleton)
    off = np.stack([part.positions() for part in parts]) - straight.positions()
    mean = np.tensordot(weights, off, axes=1)
    done = float(np.mean(np.sum(mean**2, axis=-1)))
    spread = float(weights @ np.mean(np.sum((off - mean) ** 2, axis=-1), axis=(1, 2)))
    agree = done / max(_AGREE * spread, (_NOTHING * size) ** 2)
    return min(1.0, agree) * min(1.0, (_FITS * _speed(around) / max(distance, _NOTHING)) ** 2)


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
