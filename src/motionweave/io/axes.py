"""Vertical axes: data whose z points up, seen with y up, and back.

A quarter turn about x exchanges y and z exactly: no rounding either way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from motionweave.body.normalize.up_axis import find_up
from motionweave.core.arrays import Array
from motionweave.core.checks import shown
from motionweave.core.skeleton import Skeleton
from motionweave.errors import FormatError

UP = ("y", "z")


@dataclass(frozen=True, eq=False)
class PoseArrays:
    """Root ``(T, 3)``, rotations ``(T, J, 4)``, and translations ``(T, J, 3)`` or None."""

    root: Array
    rotations: Array
    translations: Array | None


def check_up(up: str | None, path: str | Path) -> None:
    """Refuse an axis that is not ``"y"``, ``"z"`` or None."""
    if up is not None and (not isinstance(up, str) or up not in UP):
        raise FormatError(f"up axis {shown(up)}: expected 'y' or 'z'", path)


def found_up(skeleton: Skeleton, pose: PoseArrays, warnings: list[str]) -> str:
    """The up axis of data that does not state it; a doubt is added to ``warnings``."""
    found = find_up(skeleton, pose.root, pose.rotations, pose.translations)
    if found.doubt is not None:
        warnings.append(found.doubt)
    return found.axis


def to_y_up(vectors: Array) -> Array:
    """Vectors ``(..., 3)`` with z up, seen with y up."""
    return np.stack([vectors[..., 0], vectors[..., 2], -vectors[..., 1]], axis=-1)


def to_z_up(vectors: Array) -> Array:
    """Vectors ``(..., 3)`` with y up, seen with z up."""
    return np.stack([vectors[..., 0], -vectors[..., 2], vectors[..., 1]], axis=-1)


def turned(
    skeleton: Skeleton, pose: PoseArrays, turn: Callable[[Array], Array]
) -> tuple[Skeleton, PoseArrays]:
    """Skeleton and pose seen in turned axes."""
    seen = Skeleton(
        skeleton.names,
        skeleton.parents,
        turn(skeleton.offsets),
        skeleton.end_parents,
        turn(skeleton.end_offsets),
    )
    quaternions = np.concatenate([turn(pose.rotations[..., :3]), pose.rotations[..., 3:]], axis=-1)
    moves = None if pose.translations is None else turn(pose.translations)
    return seen, PoseArrays(turn(pose.root), quaternions, moves)
