"""The paper's own form: every Euler angle is a curve that is scaled and shifted separately."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from motionweave.core import kinematics, rotations
from motionweave.core.arrays import Array
from motionweave.methods.warping.turns import Turn, WarpShape, onward_values, shared_zero

# An angle nearer to its zero-point than this cannot be scaled to another value.
_AT_ZERO = 1e-6


def warp_angles(row: Array, turns: Sequence[Turn], shape: WarpShape, fps: float) -> Array:
    """Rotations ``(T, 4)`` of one joint whose Euler angles are warped by its keys.

    Parameters
    ----------
    row
        ``(T, 4)`` the joint's own rotations.
    turns
        Its keys in order of time.
    shape
        How displacements run; its ``order`` says which angles.
    """
    assert shape.order is not None
    order = shape.order
    angles = rotations.to_euler(row, order)
    scales = [turn for turn in turns if turn.factor is not None or turn.scaled]
    factor = np.ones_like(angles)
    zero = np.zeros(3)
    if scales:
        zero = _zero_angles(angles, scales, order)

        def wanted_factors(turn: Turn) -> Array:
            return _factors(turn, _at(angles, turn.frame), zero, order) - 1.0

        factor = 1.0 + _course(scales, wanted_factors, shape, len(row), fps)
    # a·θ about the zero-point: a·(θ - zero) + zero.
    scaled = np.where(factor == 1.0, angles, zero + factor * (angles - zero))
    shifts = [turn for turn in turns if turn.factor is None]
    shift = np.zeros_like(angles)
    if shifts:

        def wanted_shift(turn: Turn) -> Array:
            have = _at(angles if turn.vector is None else scaled, turn.frame)
            return _wanted(turn, have, order) - _at(scaled, turn.frame)

        shift = _course(shifts, wanted_shift, shape, len(row), fps)
    still = np.all((factor == 1.0) & (shift == 0.0), axis=-1, keepdims=True)
    return np.where(still, row, rotations.from_euler(scaled + shift, order))


def nearest_angles(rotation: Array, near: Array, order: str) -> Array:
    """Of all angles ``(3,)`` that give a rotation, those nearest to ``near`` ``(3,)``."""
    angles = rotations.to_euler(rotation, order)
    proper = order[0] == order[2]
    flipped = -angles[1] if proper else np.pi - angles[1]
    other = np.array([angles[0] + np.pi, flipped, angles[2] + np.pi])
    both = np.stack([angles, other])
    both = near + np.mod(both - near + np.pi, 2.0 * np.pi) - np.pi
    return np.asarray(both[np.argmin(np.sum((both - near) ** 2, axis=-1))])


def _at(angles: Array, frame: float) -> Array:
    return np.asarray(kinematics.sample_vectors(angles, np.array([frame]))[0])


def _course(
    turns: Sequence[Turn],
    value: Callable[[Turn], Array],
    shape: WarpShape,
    frames: int,
    fps: float,
) -> Array:
    """The curves ``(frames, 3)`` through the values of turns."""
    values = np.array([value(turn) for turn in turns])
    knots = [turn.knot for turn in turns]
    onward = onward_values(turns, values, lambda i, on: value(on))
    return shape.course(knots, values, onward, frames, fps)


def _wanted(turn: Turn, have: Array, order: str) -> Array:
    rotation = turn.rotation
    if turn.vector is not None:
        own = rotations.from_euler(have, order)
        rotation = rotations.multiply(rotations.exp(turn.vector), own)
    assert rotation is not None
    return nearest_angles(rotation, have, order)


def _factors(turn: Turn, have: Array, zero: Array, order: str) -> Array:
    """Values of a at a scale key, one for each angle."""
    if turn.factor is not None:
        return np.full(3, turn.factor)
    wanted = _wanted(turn, have, order)
    still = np.abs(have - zero) < _AT_ZERO
    # An angle at its zero-point stays unscaled; the shift takes it to its value.
    return np.where(still, 1.0, (wanted - zero) / np.where(still, 1.0, have - zero))


def _zero_angles(angles: Array, scales: Sequence[Turn], order: str) -> Array:
    about = shared_zero(scales)
    if isinstance(about, str):
        return np.mean(angles, axis=0) if about == "mean" else np.zeros(3)
    return nearest_angles(about, np.mean(angles, axis=0), order)
