"""What a key's words mean on a particular clip: joints, frames, lengths and axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from motionweave.body.heading import facing
from motionweave.body.rig.roles import Rig, find_rig, leg_length
from motionweave.body.size import body_height
from motionweave.core import kinematics, rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.errors import WarpError
from motionweave.methods.warping.joints import joints_called
from motionweave.methods.warping.keys import ROOT_CURVES, Key
from motionweave.methods.warping.moments import frame_of


@dataclass(frozen=True)
class Placed:
    """A key on a clip: its frame as a number and its joints as indices.

    Several joints (the spine's) share out a turn among them.
    """

    key: Key
    frame: float
    joints: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Clip:
    """A motion with what placing keys on it needs, each computed when first asked for."""

    motion: Motion

    @cached_property
    def rig(self) -> Rig:
        """Roles of the joints."""
        return find_rig(self.motion.skeleton)

    @cached_property
    def facing(self) -> Array:
        """``(T,)`` radians."""
        return facing(self.motion)

    @cached_property
    def forward(self) -> tuple[Array, Array]:
        """Global positions ``(T, J, 3)`` and orientations ``(T, J, 4)``."""
        return self.motion.forward()

    def place(self, key: Key) -> Placed:
        """Frame and joints of a key."""
        joints = () if key.joint in ROOT_CURVES else joints_called(key.joint, self.rig)
        try:
            return Placed(key, frame_of(key.frame, self.motion), joints)
        except WarpError as error:
            raise WarpError(f"{key}: {error}") from None

    def length(self, key: Key) -> float:
        """Length of the unit in which a key gives its lengths."""
        skeleton = self.motion.skeleton
        if key.unit == "leg":
            return leg_length(skeleton, self.rig)
        return body_height(skeleton) if key.unit == "height" else 1.0

    def facing_at(self, frame: float) -> float:
        """Radians, at a fractional frame."""
        return float(kinematics.sample_vectors(self.facing, np.array([frame]))[0])

    def orientations_at(self, joints: Array, frames: Array) -> Array:
        """Global orientations ``(n, 4)`` of joints ``(n,)`` at fractional frames ``(n,)``.

        Joint -1 is the world.
        """
        found = sample_pairs(self.forward[1], np.maximum(joints, 0), frames)
        return np.where((joints < 0)[:, None], rotations.IDENTITY, found)

    def in_world(
        self, vectors: ArrayLike, axes: Sequence[str], frames: Array, joints: Array
    ) -> Array:
        """Vectors ``(n, 3)`` along a key's axes each, in global axes.

        Parameters
        ----------
        axes
            For each vector ``"body"``, ``"parent"`` or ``"world"``.
        frames, joints
            ``(n,)`` where and of which joint; joint -1 has the world as its parent.
        """
        vectors = np.asarray(vectors, dtype=np.float64)
        turn = np.tile(rotations.IDENTITY, (len(vectors), 1))
        words = np.asarray(axes)
        body, parent = words == "body", words == "parent"
        if np.any(body):
            facing_then = kinematics.sample_vectors(self.facing, frames[body])
            turn[body] = rotations.about_vertical(facing_then)
        if np.any(parent):
            mine = joints[parent]
            above = np.where(mine < 0, -1, self.motion.skeleton.parents[mine])
            turn[parent] = self.orientations_at(above, frames[parent])
        return rotations.rotate(turn, vectors)

    def offset_in_world(self, key: Key, frame: float, joint: int = -1) -> Array:
        """The offset ``(3,)`` of a position key, in global axes and the clip's unit."""
        at, of = np.array([frame]), np.array([joint])
        return self.in_world([key.offset], [key.axes], at, of)[0] * self.length(key)


def sample_pairs(quaternions: Array, joints: Array, frames: Array) -> Array:
    """Rotations ``(n, 4)`` of joints ``(n,)`` at fractional frames ``(n,)`` of ``(T, J, 4)``."""
    moments, which = np.unique(frames, return_inverse=True)
    return np.asarray(kinematics.sample_rotations(quaternions, moments)[which, joints])
