"""Planted feet shake in recordings: the foot is steadied without moving the knee.

The shaking of a planted heel or toe over the floor is removed by moving the ankle at right angles
to the leg, which does not change the leg's length: a nearly straight knee would turn a millimetre
into degrees. Where heel and toe shake differently, the foot is turned about the ankle, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionweave.contacts.clean.banded import BandedLeastSquares
from motionweave.core import rotations as quat
from motionweave.core.arrays import Array, BoolArray

# Seconds: movements faster than this in a plant are shaking.
_SHAKING = 0.04
# The cost of turning and of moving the foot, relative to remaining movement over the floor.
_TURN, _SHIFT = 0.02, 0.001
# A leg nearer to the horizontal than this (sine) is not followed.
_UPRIGHT = 0.5


class Steadied(NamedTuple):
    """How a foot moves to be steady: ``new = ankle + shift + turn * (old - ankle)``.

    Parameters
    ----------
    turn, shift
        ``(T, 4)`` and ``(T, 3)``.
    """

    turn: Array
    shift: Array

    @staticmethod
    def not_at_all(count: int) -> Steadied:
        """A foot that is left as it is, in this many frames."""
        return Steadied(np.tile(quat.IDENTITY, (count, 1)), np.zeros((count, 3)))

    def eased_off(self, trust: Array) -> Steadied:
        """The same, less of it where ``trust`` ``(T,)`` is below 1."""
        turn = np.where(
            trust[:, None] == 1.0, self.turn, quat.exp(quat.log(self.turn) * trust[:, None])
        )
        return Steadied(turn, self.shift * trust[:, None])

    def moved(self, points: Array, ankle: Array) -> Array:
        """Points ``(..., T, 3)`` of the foot after the move."""
        return ankle + self.shift + quat.rotate(self.turn, points - ankle)


def steadied(
    points: Array,
    ankle: Array,
    hip: Array,
    held: BoolArray,
    settled: Array,
    fps: float,
) -> Steadied:
    """The turn and shift that remove the shaking of planted points.

    Parameters
    ----------
    points
        ``(2, T, 3)`` heel and toe.
    ankle, hip
        ``(T, 3)`` the joints.
    held
        ``(2, T)`` when heel and toe are planted.
    settled
        ``(2, T)`` how much they are at rest then, 0 to 1.
    """
    shaking = np.stack([_shaking(p, h, fps) for p, h in zip(points, held, strict=True)])
    shaking *= settled[..., None]
    turn, shift = np.zeros_like(ankle), np.zeros_like(ankle)
    some = np.any(shaking != 0.0, axis=(0, 2))
    if some.any():
        angle, level = _least_move(
            points[:, some] - ankle[some], -shaking[:, some], settled[:, some]
        )
        leg = hip[some] - ankle[some]
        leg /= np.maximum(np.linalg.norm(leg, axis=-1), 1e-12)[:, None]
        across = leg[:, 0] * level[:, 0] + leg[:, 2] * level[:, 2]
        level[:, 1] = -across / np.maximum(leg[:, 1], _UPRIGHT)
        turn[some], shift[some] = angle, level
    return Steadied(quat.exp(turn), shift)


def _least_move(lever: Array, moves: Array, weight: Array) -> tuple[Array, Array]:
    """Turns ``(n, 3)`` about the ankle and level shifts ``(n, 3)`` that move points.

    Least squares over the floor, ``sum weight |turn x lever + shift - move|^2``, of
    points ``(2, n, 3)`` off the ankle by ``lever``; a turn and a shift cost a little.
    """
    _, count, _ = lever.shape
    x, y, z = np.moveaxis(lever, -1, 0)
    nothing, one = np.zeros_like(x), np.ones_like(x)
    # Unknowns: the turn about x, y and z, and the shift along x and z.
    rows = np.stack(
        [
            np.stack([nothing, z, -y, one, nothing], axis=-1),
            np.stack([y, -x, nothing, nothing, one], axis=-1),
        ]
    )
    wanted = np.stack([moves[..., 0], moves[..., 2]])
    weighted = rows * weight[..., None]
    matrix = np.einsum("cpni,cpnj->nij", weighted, rows)
    squares = np.einsum("pni,pni->n", lever, lever)
    matrix[:, [0, 1, 2], [0, 1, 2]] += np.maximum(_TURN * squares, 1e-300)[:, None]
    matrix[:, [3, 4], [3, 4]] += _SHIFT
    right = np.einsum("cpni,cpn->ni", weighted, wanted)
    found = np.linalg.solve(matrix, right[..., None])[..., 0]
    shift = np.zeros((count, 3))
    shift[:, [0, 2]] = found[:, 3:]
    return found[:, :3], shift


def _shaking(point: Array, held: BoolArray, fps: float) -> Array:
    """A point's movement ``(T, 3)`` in its plants without its slow part."""
    count = len(point)
    if count < 3 or not held.any():
        return np.zeros_like(point)
    frames = np.arange(count)
    slow = BandedLeastSquares(count, 1, sides=3)
    slow.add(frames, np.ones((1, 1)), 1.0, point)
    inside = held[:-2] & held[1:-1] & held[2:]
    slow.add(frames[:-2], np.array([[1.0, -2.0, 1.0]]), (_SHAKING * fps) ** 4 * inside)
    return np.where(held[:, None], point - slow.solve(np.ones(count, dtype=bool)), 0.0)
