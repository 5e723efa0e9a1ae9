"""One joint of a motion: what ``motion["left_hand"]`` gives."""

from __future__ import annotations

from dataclasses import dataclass

from motionweave.core.arrays import Array


@dataclass(frozen=True, eq=False)
class JointTrack:
    """One joint of a motion over its T frames.

    Parameters
    ----------
    name, joint
        What the skeleton calls it, and its index there.
    positions
        ``(T, 3)`` global positions.
    orientations, rotations
        ``(T, 4)`` global orientations and local rotations, unit quaternions xyzw.
    """

    name: str
    joint: int
    positions: Array
    orientations: Array
    rotations: Array

    def __len__(self) -> int:
        return len(self.positions)

    def __repr__(self) -> str:
        return f"<JointTrack {self.name!r}: {len(self)} frames>"
