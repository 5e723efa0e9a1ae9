"""Planted feet shake in recordings: the foot is steadied without moving the knee.

The shaking of a planted heel or toe over the floor is removed by moving the ankle at right angles
to the leg, which does not change the leg's length: a nearly straight knee would turn a millimetre
into degrees. The foot of a leg that lies, as in a crawl, stays level. Where heel and toe shake
differently, the foot is turned about the ankle, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionweave.contacts.clean.banded import BandedLeastSquares
from motionweave.core import rotations as quat
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.numerics.curves import smoothstep

# Seconds: movements faster than this in a plant are shaking.
_SHAKING = 0.04
# The cost of turning and of moving the foot, relative to remaining movement over the floor.
_TURN, _SHIFT = 0.02, 0.001
# Sines of a leg's angle to the horizontal between which it comes to count as upright. The foot of
# one that lies, as in a crawl, would go up and down by more than it shakes.
_LYING, _UPRIGHT = 0.5, 0.8


class Steadied(NamedTuple):
    """How feet move to be steady: ``new = ankle + shift + turn * (old - ankle)``.

    Parameters
    ----------
    turn, shift
        ``(..., T, 4)`` and ``(..., T, 3)``.
    """

    turn: Array
    shift: Array

    @staticmethod
    def not_at_all(shape: tuple[int, ...]) -> Steadied:
        """Feet that are left as they are, ``shape`` being ``(..., T)``."""
        return Steadied(np.broadcast_to(quat.IDENTITY, (*shape, 4)), np.zeros((*shape, 3)))

    def eased_off(self, trust: Array) -> Steadied:
        """The same, less of it where ``trust`` ``(..., T)`` is below 1."""
        turn = np.where(
            trust[..., None] == 1.0, self.turn, quat.exp(quat.log(self.turn) * trust[..., None])
        )
        return Steadied(turn, self.shift * trust[..., None])

    def moved(self, points: Array, ankle: Array) -> Array:
        """Points ``(..., 2, T, 3)`` of the feet after the move; ``ankle`` is ``(..., T, 3)``."""
        lever = points - ankle[..., None, :, :]
        turned = quat.rotate(self.turn[..., None, :, :], lever)
        return np.asarray((ankle + self.shift)[..., None, :, :] + turned)


def steadied(
    points: Array,
    ankle: Array,
    hip: Array,
    held: BoolArray,
    settled: Array,
    fps: float,
) -> Steadied:
    """The turn and shift that remove the shaking of planted points of n feet.

    Parameters
    ----------
    points
        ``(n, 2, T, 3)`` heels and toes.
    ankle, hip
        ``(n, T, 3)`` the joints.
    held
        ``(n, 2, T)`` when heels and toes are planted.
    settled
        ``(n, 2, T)`` how much they are at rest then, 0 to 1.
    """
    shaking = _shaking(points, held, fps) * settled[..., None]
    turn, shift = np.zeros_like(ankle), np.zeros_like(ankle)
    some = np.any(shaking != 0.0, axis=(1, 3))
    if some.any():
        moves, weight = shaking.swapaxes(1, 2)[some], settled.swapaxes(1, 2)[some]
        lever = (points - ankle[:, None]).swapaxes(1, 2)[some]
        angle, level = _least_move(lever, -moves, weight)
        leg = hip[some] - ankle[some]
        leg /= np.maximum(np.linalg.norm(leg, axis=-1), 1e-12)[:, None]
        across = leg[:, 0] * level[:, 0] + leg[:, 2] * level[:, 2]
        upright = smoothstep((leg[:, 1] - _LYING) / (_UPRIGHT - _LYING))
        level[:, 1] = -upright * across / np.maximum(leg[:, 1], _LYING)
        turn[some], shift[some] = angle, level
    return Steadied(quat.exp(turn), shift)


def _least_move(lever: Array, moves: Array, weight: Array) -> tuple[Array, Array]:
    """Turns ``(n, 3)`` about the ankle and level shifts ``(n, 3)`` that move points.

    Least squares over the floor, ``sum weight |turn x lever + shift - move|^2``, of
    points ``(n, 2, 3)`` off the ankle by ``lever``; a turn and a shift cost a little.
    """
    count = len(lever)
    x, y, z = np.moveaxis(lever, -1, 0)
    # Unknowns: the turn about x, y and z, and the shift along x and z.
    rows = np.zeros((count, 4, 5))
    rows[:, :2, 1], rows[:, :2, 2], rows[:, :2, 3] = z, -y, 1.0
    rows[:, 2:, 0], rows[:, 2:, 1], rows[:, 2:, 4] = y, -x, 1.0
    wanted = np.concatenate([moves[..., 0], moves[..., 2]], axis=1)
    weighted = (rows * np.concatenate([weight, weight], axis=1)[..., None]).swapaxes(1, 2)
    matrix = weighted @ rows
    squares = np.einsum("npi,npi->n", lever, lever)
    matrix[:, [0, 1, 2], [0, 1, 2]] += np.maximum(_TURN * squares, 1e-300)[:, None]
    matrix[:, [3, 4], [3, 4]] += _SHIFT
    found = np.linalg.solve(matrix, weighted @ wanted[..., None])[..., 0]
    shift = np.zeros((count, 3))
    shift[:, [0, 2]] = found[:, 3:]
    return found[:, :3], shift


def _shaking(points: Array, held: BoolArray, fps: float) -> Array:
    """How points ``(n, 2, T, 3)`` move in their plants without the slow part of it."""
    count = points.shape[2]
    if count < 3 or not held.any():
        return np.zeros_like(points)
    tracks = points.reshape(-1, count, 3)
    slow = BandedLeastSquares(count, 1, sides=3, tracks=len(tracks))
    slow.add_change((1.0,), 1.0, tracks)
    inside = (held[..., :-2] & held[..., 1:-1] & held[..., 2:]).reshape(-1, count - 2)
    slow.add_change((1.0, -2.0, 1.0), (_SHAKING * fps) ** 4 * inside[..., None])
    calm = slow.solve(np.ones(tracks.shape[:2], dtype=bool)).reshape(points.shape)
    return np.where(held[..., None], points - calm, 0.0)
