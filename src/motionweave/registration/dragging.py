"""Feet that a blend would drag: those that are planted in one clip while they move in another.

How long contacts disagree says little: a foot that is about to lift hardly moves. How far it moves
meanwhile is how far the feet of a blend slide over the floor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionweave.body.rig.roles import SIDES, leg_length
from motionweave.body.soles import contact_points, has_feet
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.constraints import active
from motionweave.core.intervals import runs
from motionweave.core.motion import Motion
from motionweave.registration.timewarp import TimewarpCurve

# Samples per second along the curve.
_RATE = 60.0


class Drag(NamedTuple):
    """A stretch of the curve on which a foot is planted in one clip and moves in another.

    Parameters
    ----------
    way
        Leg lengths that it moves in the mean of the two.
    place
        The middle of the stretch, as a share of the curve from 0 to 1.
    """

    way: float
    place: float


def drags(motions: Sequence[Motion], timewarp: TimewarpCurve, reference: int) -> list[Drag]:
    """All stretches on which a foot would be dragged, in no order.

    Parameters
    ----------
    motions
        The clips of the curve, of one skeleton.
    timewarp
        Which of their frames match.
    reference
        The clip that the others are compared with.
    """
    if not has_feet(motions[0].skeleton):
        return []
    start, end = timewarp.start, timewarp.end
    steps = max(2, round((end - start) * _RATE))
    # The end of a closed curve is its beginning again.
    u = np.minimum(np.linspace(start, end, steps + 1), end - 1e-9 * (end - start))
    frames = timewarp.frames(u)
    size = leg_length(motions[0].skeleton)
    feet = [_feet(m, np.clip(frames[:, j], 0.0, len(m) - 1.0)) for j, m in enumerate(motions)]
    found = []
    for j in range(len(motions)):
        if j == reference:
            continue
        for one, other in ((feet[reference], feet[j]), (feet[j], feet[reference])):
            for (_, stands), (ways, goes_not) in zip(one, other, strict=True):
                for first, last in runs((stands & ~goes_not)[:-1]):
                    way = 0.5 * float(ways[first : last + 1].sum()) / size
                    found.append(Drag(way, 0.5 * (first + last + 1) / steps))
    return found


def _feet(motion: Motion, frames: Array) -> list[tuple[Array, BoolArray]]:
    """Of each foot the ways ``(n - 1,)`` of its slower end, and whether it stands ``(n,)``."""
    points = contact_points(motion)
    found = []
    for side in SIDES:
        kinds = f"{side}_heel", f"{side}_toe"
        gone = [_way(points[kind], frames) for kind in kinds]
        stands = np.any([active(motion.constraints, kind, frames) for kind in kinds], axis=0)
        found.append((np.minimum(*gone), stands))
    return found


def _way(points: Array, frames: Array) -> Array:
    """How far a point ``(T, 3)`` goes over the floor from each of ``frames`` to the next."""
    steps = np.linalg.norm(np.diff(points[:, [0, 2]], axis=0), axis=1)
    covered = np.concatenate([[0.0], np.cumsum(steps)])
    return np.abs(np.diff(np.interp(frames, np.arange(len(covered)), covered)))
