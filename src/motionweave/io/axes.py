"""Vertical axes: data whose z points up, or whose y or z points down, seen with y up, and back.

Quarter turns about x exchange y and z exactly: no rounding either way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from motionweave.body.normalize.up_axis import find_up
from motionweave.core.arrays import Array
from motionweave.core.checks import shown
from motionweave.core.skeleton import Skeleton
from motionweave.errors import FormatError

UP = ("y", "z")
# Files that cameras are behind have an axis that points down.
UP_OR_DOWN = (*UP, "-y", "-z")


@dataclass(frozen=True, eq=False)
class PoseArrays:
    """Root ``(T, 3)``, rotations ``(T, J, 4)``, and translations ``(T, J, 3)`` or None."""

    root: Array
    rotations: Array
    translations: Array | None


def check_up(up: str | None, path: str | Path, allowed: Sequence[str] = UP) -> None:
    """Refuse an axis that is neither None nor one of those ``allowed``."""
    if up is not None and (not isinstance(up, str) or up not in allowed):
        expected = " or ".join(map(repr, allowed))
        raise FormatError(f"up axis {shown(up)}: expected {expected}", path)


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


def upside_down(vectors: Array) -> Array:
    """Vectors ``(..., 3)`` with y down, seen with y up, or the other way round."""
    return np.stack([vectors[..., 0], -vectors[..., 1], -vectors[..., 2]], axis=-1)


_TO_Y_UP = {"z": to_y_up, "-y": upside_down, "-z": to_z_up}
_FROM_Y_UP = {"z": to_z_up, "-y": upside_down, "-z": to_y_up}


def from_axes_of_file(skeleton: Skeleton, pose: PoseArrays, up: str) -> tuple[Skeleton, PoseArrays]:
    """Skeleton and pose of a file with that axis up, one of `UP_OR_DOWN`, seen with y up."""
    return (skeleton, pose) if up == "y" else turned(skeleton, pose, _TO_Y_UP[up])


def to_axes_of_file(skeleton: Skeleton, pose: PoseArrays, up: str) -> tuple[Skeleton, PoseArrays]:
    """Skeleton and pose, with y up, as in a file with that axis up, one of `UP_OR_DOWN`."""
    return (skeleton, pose) if up == "y" else turned(skeleton, pose, _FROM_Y_UP[up])


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
