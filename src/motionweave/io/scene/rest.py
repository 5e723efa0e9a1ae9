"""Formats whose joints are turned at rest, and motions whose joints are not.

With B the global orientations of a file's rest pose, and G those of a frame, the motion
has the orientations ``G B⁻¹``: at rest no joint is turned, and offsets lie in global axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion, local_translations
from motionweave.core.skeleton import Skeleton
from motionweave.io.axes import PoseArrays

# Share of the body height below which a bone does not change its length.
_SAME_PLACE = 1e-5


@dataclass(frozen=True, eq=False)
class Rest:
    """The rest pose of a file: global positions ``(J, 3)`` and orientations ``(J, 4)``."""

    positions: Array
    orientations: Array


def normalised(
    names: Sequence[str],
    parents: Sequence[int],
    rest: Rest,
    positions: Array,
    orientations: Array,
) -> tuple[Skeleton, PoseArrays]:
    """Skeleton and pose of joints that are at ``(T, J, 3)``, oriented ``(T, J, 4)``.

    Bones that have one length in all frames have it in the skeleton too, whatever the
    rest pose says.
    """
    above = np.maximum(np.asarray(parents, dtype=np.intp), 0)
    turned = rotations.multiply(orientations, rotations.inverse(rest.orientations))
    local = rotations.normalize(rotations.multiply(rotations.inverse(turned[:, above]), turned))
    local[:, 0] = rotations.normalize(turned[:, 0])
    moves = rotations.rotate(rotations.inverse(turned[:, above]), positions - positions[:, above])
    offsets = rest.positions - rest.positions[above]
    offsets[0] = rest.positions[0]
    moves[:, 0] = offsets[0]
    skeleton = Skeleton(tuple(names), np.asarray(parents, dtype=np.intp), offsets)
    near = _SAME_PLACE * skeleton.height
    if np.all(np.abs(moves - offsets) <= near):
        return skeleton, PoseArrays(positions[:, 0], local, None)
    if np.all(np.ptp(moves, axis=0) <= near):
        constant = np.where(np.abs(moves - offsets).max(axis=0) <= near, offsets, moves[0])
        skeleton = Skeleton(skeleton.names, skeleton.parents, constant)
        return skeleton, PoseArrays(positions[:, 0], local, None)
    return skeleton, PoseArrays(positions[:, 0], local, moves)


def with_rest(motion: Motion, orientations: Array) -> tuple[Array, Array, Array]:
    """Local rotations ``(T, J, 4)``, local translations ``(T, J, 3)`` and local rest
    rotations ``(J, 4)`` of a motion, in a format whose rest pose has ``orientations``."""
    above = np.maximum(motion.skeleton.parents, 0)
    back = rotations.inverse(orientations[above])
    # The root's parent is the world, which is not rotated.
    back[0] = rotations.IDENTITY
    local = rotations.multiply(rotations.multiply(back, motion.rotations), orientations)
    moves = rotations.rotate(back, local_translations(motion))
    moves[:, 0] = motion.root
    return local, moves, rotations.multiply(back, orientations)


def orientations_of(motion: Motion, source_format: str) -> Array:
    """Rest orientations ``(J, 4)`` of the file that a motion came from, otherwise identity."""
    source: Mapping[str, Any] = motion.source
    kept = source.get("rest_orientations")
    if source.get("format") == source_format and source.get("joints") == motion.skeleton.names:
        turns = np.asarray(kept)
        fits = turns.shape == (len(motion.skeleton), 4) and turns.dtype == np.float64
        # Not so if the layout is from a damaged archive.
        if fits and np.all(np.abs(np.linalg.norm(turns, axis=-1) - 1.0) < 1e-6):
            return turns
    return np.tile(rotations.IDENTITY, (len(motion.skeleton), 1))
