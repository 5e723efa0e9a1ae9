"""Goals that last, frame by frame: where they are missed between the poses found for them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.methods.warping.targets import SEEN, Placed, WarpClip

# Frames between two poses from which on there may be another one.
_APART = 3.0


def missed_between(
    before: WarpClip, now: WarpClip, goals: Sequence[Placed], posed: Sequence[float]
) -> list[float]:
    """Frames in which lasting goals are visibly missed although the poses around meet them.

    Parameters
    ----------
    before
        The clip before its goals: offsets are from there.
    now
        The clip posed by its goals.
    goals
        All of them; those of a moment are met where they are posed.
    posed
        The frames with poses, ascending.

    Returns
    -------
    list of float
        Of every stretch between two poses at most one frame, that of the largest miss.
    """
    found = set()
    for placed in goals:
        if placed.until is None or placed.key.kind not in ("goal", "offset"):
            continue
        off = _missed(before, now, placed) / before.scale
        inside = [frame for frame in posed if placed.frame <= frame <= placed.until]
        for first, last in pairwise(inside):
            between = off[int(first) + 1 : int(np.ceil(last))]
            met = max(off[round(first)], off[round(last)]) <= SEEN
            if met and last - first >= _APART and between.max(initial=0.0) > SEEN:
                found.add(float(int(first) + 1 + between.argmax()))
    return sorted(found)


def _missed(before: WarpClip, now: WarpClip, placed: Placed) -> Array:
    """How far ``(T,)`` a joint is from its goal; axes without one do not count."""
    positions, orientations = now.forward
    joint = placed.joints[0]
    there, tip = positions[:, joint], before.tip(placed.key)
    if tip is not None:
        there = there + rotations.rotate(orientations[:, joint], tip)
    return np.linalg.norm(np.nan_to_num(before.places(placed, now) - there), axis=-1)
