"""How far the supporting foot slides.

Whatever contacts say, some point of a foot carries a body that stands or walks: of the heels and
toes on the floor, the slowest. Where even that one moves, the body slides.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core.arrays import Array
from motionweave.core.numerics.quantiles import quantile

# Seconds over which sliding is measured.
WINDOW = 0.5
# Leg lengths above the floor up to which a point can carry the body. The floor is as low as the
# lowest point is in all but this share of the frames.
_ON_FLOOR, _SHARE = 0.05, 0.2


def floor_level(heights: Array) -> float:
    """Height of the floor that heels and toes, ``(P, T)`` high, walk on."""
    return float(quantile(heights.min(axis=0), _SHARE))


def floor_along(levels: Sequence[float], seams: Sequence[tuple[int, int]], frames: int) -> Array:
    """Height of the floor under each frame ``(frames,)`` of joined clips: that of the clip shown.

    Clips that are joined may stand at slightly different heights, and a foot that slides on the
    higher floor would be in the air over the lower one.

    Parameters
    ----------
    levels
        Height of the floor of each clip, see `floor_level`.
    seams
        First and last frames between which each clip turns into the next, one fewer.
    frames
        How many.
    """
    places = [place for first, last in seams for place in (first, max(last, first + 1))]
    heights = np.repeat(levels, 2)[1:-1]
    return np.interp(np.arange(frames), places, heights)


def support_slides(heights: Array, steps: Array, fps: float, floor: ArrayLike) -> Array:
    """How far the supporting point slides in every half second of a motion.

    Parameters
    ----------
    heights
        ``(P, T)`` of heels and toes, in leg lengths.
    steps
        ``(P, T - 1)`` how far each moves over the floor from frame to frame, in leg lengths.
    fps
        Frames per second.
    floor
        Height of the floor in leg lengths, or of that under every frame ``(T,)``.

    Returns
    -------
    Array
        ``(n,)`` leg lengths, counted from each frame that has half a second after it; a shorter
        motion has one.
    """
    low = heights < np.asarray(floor) + _ON_FLOOR
    slowest = np.where(low[:, 1:] & low[:, :-1], steps, np.inf).min(axis=0)
    # While no point is on the floor, none slides on it.
    covered = np.concatenate([[0.0], np.cumsum(np.where(np.isfinite(slowest), slowest, 0.0))])
    width = min(max(round(WINDOW * fps), 1), len(covered) - 1)
    return np.asarray(covered[width:] - covered[:-width])
