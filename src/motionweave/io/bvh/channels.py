"""The meaning of BVH channels: columns of numbers to root, rotations, translations and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.core import rotations
from motionweave.core.arrays import Array, read_only
from motionweave.core.checks import LARGEST
from motionweave.core.runtime.kernels import kernel
from motionweave.io.axes import PoseArrays

Channels = tuple[tuple[str, ...], ...]

# The order that meets gimbal lock last for a standing character: the middle angle
# is the pitch, and only someone lying face up or down has 90 degrees of that.
DEFAULT_ROTATION = ("Zrotation", "Xrotation", "Yrotation")
POSITION = ("Xposition", "Yposition", "Zposition")

# Written angles are rounded to this many decimals of a degree.
ANGLE_DECIMALS = 6
# An angle below this (degrees) need not be written where there is no channel for it.
_NO_ANGLE = 1e-6
# Share of body height below which a position counts as that of the rest pose.
_SAME_PLACE = 1e-6
# Several bones of at least this share of the height are not all shorter than this share of
# themselves.
_SEVERAL, _BONE, _SHORTEST = 3, 1e-3, 0.05


@kernel(bare=True)
def _decode(values, joint_of, axis_of, turns, places, quaternions):  # type: ignore[no-untyped-def]
    """Fill places (T, J, 3) and quaternions (T, J, 4), which hold the rest pose at first."""
    frames, channels = values.shape
    for t in range(frames):
        for c in range(channels):
            j, a = joint_of[c], axis_of[c]
            if not turns[c]:
                places[t, j, a] = values[t, c]
                continue
            half = values[t, c] * (np.pi / 360.0)
            s, w = np.sin(half), np.cos(half)
            q = quaternions[t, j]
            # q times a turn about one axis: the product has only two terms per component.
            b, d = (a + 1) % 3, (a + 2) % 3
            qa, qb, qd, qw = q[a], q[b], q[d], q[3]
            q[a] = qa * w + qw * s
            q[b] = qb * w + qd * s
            q[d] = qd * w - qb * s
            q[3] = qw * w - qa * s


def decode(channels: Channels, offsets: Array, height: float, values: Array) -> PoseArrays:
    """The pose of rows of channel values ``(T, C)``, in the file's axes.

    Position channels replace the offset, component by component; rotation channels
    multiply in the order in which they stand. Some programs write how far a joint is from
    its offset instead, and bones would have no length: there they are added to it.
    Translations are None if no joint but the root ever leaves its offset.
    """
    frames, joints = len(values), len(channels)
    joint_of = np.repeat(np.arange(joints), [len(row) for row in channels])
    flat = [name for row in channels for name in row]
    axis_of = np.array(["XYZ".index(name[0]) for name in flat])
    turns = np.array([name.endswith("rotation") for name in flat])
    places = np.empty((frames, joints, 3))
    places[:] = offsets
    quaternions = np.empty((frames, joints, 4))
    quaternions[:] = rotations.IDENTITY
    _decode(read_only(values), joint_of, axis_of, turns, places, quaternions)
    added = _added(channels, offsets, height, values)
    places[:, added] += offsets[added]
    root = places[:, 0].copy()
    sliding = bool(np.any(~turns & (joint_of > 0))) and bool(
        np.any(np.abs(places[:, 1:] - offsets[1:]) > _SAME_PLACE * height)
    )
    if sliding:
        places[:, 0] = offsets[0]
    return PoseArrays(root, quaternions, places if sliding else None)


def _added(channels: Channels, offsets: Array, height: float, values: Array) -> NDArray[np.intp]:
    """Joints whose position channels say how far they are from their offsets: all, or none."""
    placing = _columns(channels)[1]
    bones = np.linalg.norm(offsets, axis=1)
    joints = np.array(
        [j for j in range(1, len(bones)) if len(placing[j]) == 3 and bones[j] > _BONE * height],
        dtype=np.intp,
    )
    moves = [np.linalg.norm(values[:, placing[j]], axis=1).max(initial=0.0) for j in joints]
    several = len(joints) >= _SEVERAL
    return joints if several and np.all(moves < _SHORTEST * bones[joints]) else joints[:0]


@dataclass(frozen=True, eq=False)
class Kept:
    """The file's own numbers, for what is still as it was in the file.

    Two sets of angles can mean one rotation, and in gimbal lock any number of them:
    numbers that are kept come back as they were. ``values`` ``(T, C)`` belong to
    ``channels``; ``turns`` and ``places`` ``(J,)`` say which joints are unchanged.
    """

    channels: Channels
    values: Array
    turns: NDArray[np.bool_]
    places: NDArray[np.bool_]


def kept(
    channels: Channels, offsets: Array, height: float, values: Array, pose: PoseArrays
) -> Kept:
    """The part of a file's ``values`` that still applies to a pose, which may be a stretch of its
    frames."""
    joints = len(channels)
    filed = decode(channels, offsets, height, values)
    first = _place_in(filed, pose)
    if first is None:
        nothing = np.zeros(joints, dtype=bool)
        return Kept(channels, values, nothing, nothing)
    stretch = slice(first, first + len(pose.root))
    turns = np.all(filed.rotations[stretch] == pose.rotations, axis=(0, 2))
    places = np.full(joints, filed.translations is None and pose.translations is None)
    if filed.translations is not None and pose.translations is not None:
        places = np.all(filed.translations[stretch] == pose.translations, axis=(0, 2))
    if not places[1:].all() and len(_added(channels, offsets, height, values)):
        # That numbers are added to offsets is seen only if all of them are.
        places[:] = False
    places[0] = np.array_equal(filed.root[stretch], pose.root)
    return Kept(channels, values[stretch], turns, places)


def _place_in(filed: PoseArrays, pose: PoseArrays) -> int | None:
    """The frame of the file at which the pose begins, or None."""
    longest = len(filed.root) - len(pose.root)
    if longest <= 0:
        return 0 if longest == 0 else None
    # The root is left out: a clip that was moved on the floor keeps its other joints.
    starts = np.all(filed.rotations[: longest + 1, 1:] == pose.rotations[0, 1:], axis=(1, 2))
    stops = np.all(filed.rotations[-longest - 1 :, 1:] == pose.rotations[-1, 1:], axis=(1, 2))
    frames = np.flatnonzero(starts & stops)
    return int(frames[0]) if len(frames) else None


def with_room(
    channels: Channels, pose: PoseArrays, offsets: Array, height: float, kept: Kept | None = None
) -> Channels:
    """Channels that can hold a pose: a joint gets those that it lacks and needs."""
    result = []
    for joint, row in enumerate(channels):
        turn, place = _split(row)
        moves = _moves(pose, joint)
        if (
            moves is not None
            and not (kept is not None and kept.places[joint])
            and not _rests(moves, place, offsets[joint], height)
        ):
            row = (*POSITION, *turn)
        if not (kept is not None and kept.turns[joint]) and not _turns_fit(
            pose.rotations[:, joint], turn
        ):
            row = (*_split(row)[1], *_full_order(turn))
        result.append(row)
    return tuple(result)


def encode(
    channels: Channels, pose: PoseArrays, offsets: Array, height: float, kept: Kept | None = None
) -> Array:
    """Channel values ``(T, C)`` of a pose; angles make no full turn between frames.

    ``channels`` must have room for the pose, see `with_room`.
    """
    decimals = length_decimals(height)
    values = np.empty((len(pose.root), sum(len(row) for row in channels)))
    turning, placing = _columns(channels)
    had_turning, had_placing = _columns(kept.channels) if kept is not None else ([], [])
    by_order: dict[tuple[str, ...], list[int]] = {}
    for joint, row in enumerate(channels):
        turn, place = _split(row)
        if kept is not None and kept.turns[joint]:
            values[:, turning[joint]] = without_full_turns(kept.values[:, had_turning[joint]])
        elif turn:
            by_order.setdefault(turn, []).append(joint)
        if kept is not None and kept.places[joint]:
            values[:, placing[joint]] = kept.values[:, had_placing[joint]]
        elif place:
            axes = [POSITION.index(name) for name in place]
            moves = _moves(pose, joint)
            at = offsets[joint, axes] if moves is None else moves[:, axes]
            values[:, placing[joint]] = np.round(at, decimals)
    for turn, group in by_order.items():
        order = "".join(name[0] for name in (turn if len(turn) == 3 else _full_order(turn)))
        angles = np.degrees(rotations.to_euler(pose.rotations[:, group], order))
        for index, joint in enumerate(group):
            values[:, turning[joint]] = np.round(angles[:, index, : len(turn)], ANGLE_DECIMALS)
    return values


def without_full_turns(angles: Array) -> Array:
    """Degrees ``(T, n)`` with no step beyond half a turn; untouched where there was none."""
    turns = np.cumsum(np.round(np.diff(angles, axis=0, prepend=angles[:1]) / 360.0), axis=0)
    # The subtraction leaves noise in the last bits, which would be written out.
    unwound = np.where(turns == 0.0, angles, np.round(angles - 360.0 * turns, 9))
    # Angles of millions of turns may unwind out of the range of a file.
    return unwound if np.abs(unwound).max(initial=0.0) <= LARGEST else angles


def length_decimals(height: float) -> int:
    """Decimals that hold a length to 1e-8 of the body height."""
    return int(np.clip(8 - np.floor(np.log10(height)), 0, 15)) if height > 0.0 else 15


def _moves(pose: PoseArrays, joint: int) -> Array | None:
    if joint == 0:
        return pose.root
    return None if pose.translations is None else pose.translations[:, joint]


def _split(row: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Rotation and position channels of a joint, each in their order."""
    return (
        tuple(name for name in row if name.endswith("rotation")),
        tuple(name for name in row if name.endswith("position")),
    )


def _columns(channels: Channels) -> tuple[list[list[int]], list[list[int]]]:
    """For each joint the columns of its rotation and of its position channels."""
    turning: list[list[int]] = []
    placing: list[list[int]] = []
    start = 0
    for row in channels:
        turning.append([start + i for i, name in enumerate(row) if name.endswith("rotation")])
        placing.append([start + i for i, name in enumerate(row) if name.endswith("position")])
        start += len(row)
    return turning, placing


def _rests(moves: Array, place: Sequence[str], offset: Array, height: float) -> bool:
    """Whether a joint stays at its offset along every axis that has no channel."""
    free = [axis for axis in range(3) if POSITION[axis] not in place]
    return bool(np.all(np.abs(moves[:, free] - offset[free]) <= _SAME_PLACE * height))


def _turns_fit(quaternions: Array, turn: Sequence[str]) -> bool:
    """Whether rotation channels can hold rotations ``(T, 4)``."""
    order = "".join(name[0] for name in turn)
    if len(order) == 3:
        return order[0] != order[1] and order[1] != order[2]
    if len(order) > 3 or len(set(order)) < len(order):
        return False
    full = "".join(name[0] for name in _full_order(turn))
    angles = np.degrees(rotations.to_euler(quaternions, full))
    return bool(np.all(np.abs(angles[:, len(order) :]) < _NO_ANGLE))


def _full_order(turn: Sequence[str]) -> tuple[str, ...]:
    """Three rotation channels that begin as ``turn`` does, where that is possible."""
    if len(set(turn)) != len(turn) or len(turn) > 3:
        return DEFAULT_ROTATION
    return (*turn, *(name for name in DEFAULT_ROTATION if name not in turn))
