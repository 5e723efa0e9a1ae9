"""Which way is up in a file that does not say so."""

from __future__ import annotations

import numpy as np

from motionweave.core import kinematics, rotations
from motionweave.core.arrays import Array
from motionweave.core.skeleton import Skeleton

# Frames looked at; more tell nothing new.
_FRAMES = 32
# Y is up in nearly all files: z has to win by this much.
_PRIOR = 0.8


def z_is_up(
    skeleton: Skeleton, root: Array, quaternions: Array, translations: Array | None = None
) -> bool:
    """Whether z rather than y is the vertical of data whose axes are unknown.

    Three witnesses are heard, each with one voice at most: along the vertical the
    rest pose is long, the moving body is long, and the lowest point of the body
    stays where it is, near zero. Where they do not agree, y is up: a body that is
    much longer than high, such as a dog, is found to be z-up only by being told.

    Parameters
    ----------
    skeleton
        J joints, in the data's axes.
    root, quaternions, translations
        ``(T, 3)``, ``(T, J, 4)`` and ``(T, J, 3)`` or None, as in a `Motion`.
    """
    chosen = slice(0, None, -(-len(root) // _FRAMES))
    moves = None if translations is None else translations[chosen]
    joints, turned = kinematics.forward(
        skeleton.parents, skeleton.offsets, root[chosen], quaternions[chosen], moves
    )
    ends = joints[:, skeleton.end_parents] + rotations.rotate(
        turned[:, skeleton.end_parents], skeleton.end_offsets
    )
    return z_is_up_of_points(
        np.concatenate([joints, ends], axis=1),
        np.concatenate([skeleton.rest_positions, skeleton.rest_end_positions]),
    )


def z_is_up_of_points(points: Array, rest: Array | None = None) -> bool:
    """The same for points ``(T, N, 3)`` and, where there is one, a rest pose ``(M, 3)``."""
    low, high = points.min(axis=1), points.max(axis=1)
    extent = (high - low).mean(axis=0)
    size = float(extent.max())
    if size <= 0.0:
        return False
    lowest = np.sort(low / size, axis=0)
    count = len(lowest)
    # Without a tenth at each end: a jump now and then is no reason to doubt the floor.
    spread = lowest[count - 1 - count // 10] - lowest[count // 10]
    level = np.minimum(np.abs(lowest[count // 2]), 1.0)
    voices = _voice(extent) - _voice(spread + level, floor=0.15)
    if rest is not None:
        voices += _voice(np.ptp(rest, axis=0))
    return bool(voices > _PRIOR)


def _voice(along: Array, floor: float = 1e-9) -> float:
    """How much more there is along z than along y, from -1 to 1."""
    y, z = float(along[1]) + floor, float(along[2]) + floor
    return float(np.clip(np.log(z / y), -1.0, 1.0))
