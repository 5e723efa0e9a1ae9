"""Takes as actions: local channels of every bone, in the rotation mode that it has."""

from __future__ import annotations

from typing import Any

import numpy as np
from mathutils import Matrix, Quaternion

from ..compute.take import Take
from . import actions

# Share of the armature's size below which a bone does not leave its place.
_STILL = 1e-7
# How far a scale may be from 1 before it is written.
_UNIT = 1e-5


def write_take(owner: Any, take: Take, action: Any) -> list[str]:
    """Fill an action with a take of an object's armature; what was in it is replaced.

    Returns
    -------
    list of str
        Bones whose constraints are switched off within the action: they are already in the
        poses, and would be added again.
    """
    actions.clear(action, owner)
    frames = take.start + np.arange(len(take))
    size = float(np.ptp(take.rest[:, :3, 3], axis=0).max(initial=1e-9))
    place = {name: number for number, name in enumerate(take.names)}
    constrained = []
    for bone in owner.data.bones:
        pose_bone = owner.pose.bones[bone.name]
        basis = _basis(bone, take, place)
        write = _Writer(action, owner, frames, pose_bone, bone.name)
        moves = basis[:, :3, 3]
        # A connected bone sits on its parent, whatever its channels say.
        if not (bone.parent and bone.use_connect):
            still = np.abs(moves).max() <= _STILL * size
            write("location", np.zeros_like(moves) if still else moves)
        _write_turn(write, pose_bone.rotation_mode, basis)
        scale = np.linalg.norm(basis[:, :3, :3], axis=1)
        if np.abs(scale - 1.0).max() > _UNIT or np.abs(np.array(pose_bone.scale) - 1.0).max() > 0:
            write("scale", scale)
        if _mute(pose_bone, action, owner, frames):
            constrained.append(bone.name)
    if take.placed or np.abs(take.objects - take.objects[0]).max() > 0.0:
        _write_object(owner, take, action, frames)
    return constrained


class _Writer:
    """Writes properties of one thing."""

    def __init__(self, action: Any, owner: Any, frames: np.ndarray, thing: Any, group: str):
        self._given = action, owner, frames, thing, group

    def __call__(self, name: str, values: np.ndarray) -> None:
        action, owner, frames, thing, group = self._given
        path = name if thing == owner else thing.path_from_id(name)
        actions.write(action, owner, path, group, frames, values)


def _basis(bone: Any, take: Take, place: dict[str, int]) -> np.ndarray:
    """``(T, 4, 4)``: what a bone's channels are to say."""
    poses, rest = take.poses[:, place[bone.name]], take.rest[place[bone.name]]
    if bone.parent is None:
        return np.linalg.inv(rest) @ poses
    above, above_rest = take.poses[:, place[bone.parent.name]], take.rest[place[bone.parent.name]]
    if bone.use_inherit_rotation and bone.use_local_location and bone.inherit_scale == "FULL":
        return np.linalg.inv(np.linalg.inv(above_rest) @ rest) @ np.linalg.inv(above) @ poses
    # Blender knows best what a bone takes over from its parent.
    return np.array(
        [
            bone.convert_local_to_pose(
                Matrix(pose),
                bone.matrix_local,
                parent_matrix=Matrix(parent),
                parent_matrix_local=bone.parent.matrix_local,
                invert=True,
            )
            for pose, parent in zip(poses, above, strict=True)
        ],
        dtype=np.float64,
    )


def _write_turn(write: _Writer, mode: str, matrices: np.ndarray) -> None:
    """Write the rotations of ``(T, 4, 4)`` matrices in a rotation mode, without jumps."""
    turns = _quaternions(matrices)
    if mode == "QUATERNION":
        write("rotation_quaternion", turns)
    elif mode == "AXIS_ANGLE":
        write("rotation_axis_angle", _axis_angles(turns))
    else:
        eulers: list[Any] = []
        for turn in map(Quaternion, turns):
            eulers.append(turn.to_euler(mode, eulers[-1]) if eulers else turn.to_euler(mode))
        write("rotation_euler", np.array(eulers))


def _quaternions(matrices: np.ndarray) -> np.ndarray:
    """Unit quaternions wxyz ``(T, 4)`` of matrices, each on the side of the one before."""
    m = matrices[:, :3, :3] / np.linalg.norm(matrices[:, :3, :3], axis=1, keepdims=True)
    diagonal = np.diagonal(m, axis1=1, axis2=2)
    # Four times the squares of w, x, y, z; the others follow from the largest.
    signs = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    squares = 1.0 + diagonal @ signs.T
    products = np.zeros((len(m), 4, 4))
    products[:, np.arange(4), np.arange(4)] = squares
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        products[:, 0, a + 1] = products[:, a + 1, 0] = m[:, c, b] - m[:, b, c]
        products[:, a + 1, b + 1] = products[:, b + 1, a + 1] = m[:, b, a] + m[:, a, b]
    turns = products[np.arange(len(m)), squares.argmax(axis=1)]
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    flips = np.where(np.sum(turns[1:] * turns[:-1], axis=1) < 0.0, -1.0, 1.0)
    turns[1:] *= np.cumprod(flips)[:, None]
    return turns


def _axis_angles(turns: np.ndarray) -> np.ndarray:
    """Angle and axis ``(T, 4)`` of quaternions wxyz."""
    length = np.linalg.norm(turns[:, 1:], axis=1)
    angle = 2.0 * np.arctan2(length, turns[:, 0])
    # Without a turn any axis will do.
    still = length < 1e-12
    axis = np.where(still[:, None], [0.0, 1.0, 0.0], turns[:, 1:])
    return np.column_stack([angle, axis / np.where(still, 1.0, length)[:, None]])


def _mute(bone: Any, action: Any, owner: Any, frames: np.ndarray) -> bool:
    """Switch the constraints of a bone off for as long as the action is played."""
    active = [one for one in bone.constraints if not one.mute and one.influence > 0.0]
    for one in active:
        actions.write(
            action, owner, one.path_from_id("influence"), bone.name, frames[:1], np.zeros((1, 1))
        )
    return bool(active)


def _write_object(owner: Any, take: Take, action: Any, frames: np.ndarray) -> None:
    """Write where the object itself goes."""
    space = np.array(owner.matrix_world) @ np.linalg.inv(np.array(owner.matrix_basis))
    basis = np.linalg.inv(space) @ take.objects
    write = _Writer(action, owner, frames, owner, "Object Transforms")
    write("location", basis[:, :3, 3])
    _write_turn(write, owner.rotation_mode, basis)
    if take.placed:
        write("scale", np.linalg.norm(basis[:, :3, :3], axis=1))
