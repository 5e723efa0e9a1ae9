"""What a motion has and a scene format has no place for, noted in the file as plain values.

Files that are changed elsewhere may lose the note or fit it no longer; then it is not used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.core.checks import FASTEST, LARGEST, SLOWEST
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton

KEY = "motionweave"


@dataclass(frozen=True, eq=False)
class Note:
    """Lengths are in the unit of the file.

    Parameters
    ----------
    fps
        Of the motion.
    metres_a_unit
        Metres in one unit of the motion.
    root_offset, end_joints, end_offsets
        ``(3,)``, ``(E,)``, ``(E, 3)``: what the skeleton has beside joints.
    """

    fps: float
    metres_a_unit: float
    root_offset: Array
    end_joints: NDArray[np.intp]
    end_offsets: Array

    def on(self, skeleton: Skeleton) -> Skeleton:
        """The skeleton with the end sites and the root offset that are noted."""
        offsets = np.array(skeleton.offsets)
        offsets[0] = self.root_offset
        return Skeleton(
            skeleton.names, skeleton.parents, offsets, self.end_joints, self.end_offsets
        )


def values_of(motion: Motion, metres_a_unit: float) -> dict[str, Any]:
    """The note of a motion, which is in the unit of the file, as plain values."""
    skeleton = motion.skeleton
    return {
        "fps": motion.fps,
        "metres_a_unit": metres_a_unit,
        "root_offset": skeleton.offsets[0].tolist(),
        "end_joints": skeleton.end_parents.tolist(),
        "end_offsets": skeleton.end_offsets.reshape(-1).tolist(),
    }


def note_in(values: Any, joints: int) -> Note | None:
    """The note in plain values; None if there is none or it cannot be of this many joints."""
    if not isinstance(values, Mapping):
        return None
    try:
        note = Note(
            float(values["fps"]),
            float(values["metres_a_unit"]),
            np.array(values["root_offset"], dtype=np.float64).reshape(3),
            np.array(values["end_joints"], dtype=np.intp).reshape(-1),
            np.array(values["end_offsets"], dtype=np.float64).reshape(-1, 3),
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    ends = note.end_joints
    fits = len(ends) == len(note.end_offsets) and bool(np.all((ends >= 0) & (ends < joints)))
    sane = 1e-6 < note.metres_a_unit < 1e6 and SLOWEST <= note.fps <= FASTEST
    lengths = np.concatenate([note.root_offset, note.end_offsets.reshape(-1)])
    return note if fits and sane and bool(np.all(np.abs(lengths) <= LARGEST)) else None
