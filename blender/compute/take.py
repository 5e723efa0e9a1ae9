"""What goes between Blender and motionweave: an action as arrays of bone matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Take:
    """T frames of an armature with J bones, in Blender's axes (z up).

    Parameters
    ----------
    name
        Of the action.
    fps
        Frames per second of the scene.
    start
        Scene frame of the first frame.
    names, parents
        Of the bones, parents before children; -1 for a bone without a parent.
    rest
        ``(J, 4, 4)`` bones at rest, in the armature's space.
    tails
        ``(J, 3)`` ends of the bones at rest, in the armature's space.
    poses
        ``(T, J, 4, 4)`` posed bones, constraints included, in the armature's space.
    objects
        ``(T, 4, 4)`` the armature object in the world.
    placed
        Whether the action itself says where the object is.
    contacts
        ``(first frame, last frame, kind)`` of each contact, counted from 0; None where they
        are to be detected.
    """

    name: str
    fps: float
    start: float
    names: tuple[str, ...]
    parents: np.ndarray
    rest: np.ndarray
    tails: np.ndarray
    poses: np.ndarray
    objects: np.ndarray
    placed: bool = False
    contacts: tuple[tuple[float, float, str], ...] | None = None

    def __len__(self) -> int:
        return len(self.poses)

    def world(self) -> np.ndarray:
        """``(T, J, 4, 4)`` posed bones in the world."""
        return self.objects[:, None] @ self.poses
