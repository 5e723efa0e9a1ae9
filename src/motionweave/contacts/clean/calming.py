"""Ankles that would jerk, turned more gently where they do.

A foot that is held while its shin swings on needs an ankle that turns, sometimes more suddenly than
any did in the clip. What jerks is not how far it is turned, but how suddenly that changes. So what
is added to its turn keeps its size and loses its bend: within a moment of the jerk it goes straight
from what it was to what it will be, as far as that is needed. The foot gives way by
millimetres for that moment, and the leg does not move.
"""

from __future__ import annotations

import numpy as np

from motionweave.contacts.clean.banded import BandedLeastSquares
from motionweave.core import rotations as quat
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.numerics.curves import smoothstep

# A joint jerks that accelerates more than this many times as hard as it does anywhere in the clip,
# which counts as at least this many radians per second squared. One that never does so by more than
# the last of these was not captured.
_LIMIT, _HARDLY, _NOT_CAPTURED = 1.45, np.radians(100.0), 0.1
# Seconds around a jerk in which the turn is changed, and the time scale of that; both grow with
# each attempt, and there are this many at most.
_AROUND, _BENDING, _ATTEMPTS = 0.02, 0.004, 12


def accelerations(local: Array, fps: float) -> Array:
    """Angular accelerations ``(..., T - 2)`` of rotations ``(..., T, 4)``, in radians per second
    squared."""
    steps = quat.log(quat.multiply(quat.inverse(local[..., :-1, :]), local[..., 1:, :]))
    change = steps[..., 1:, :] - steps[..., :-1, :]
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", change, change)) * fps**2)


def hardest(before: Array) -> Array:
    """How hard ``(joints, n)`` joints of n limbs may accelerate that do so by ``before``
    ``(joints, n, T - 2)`` in the clip."""
    own = before.max(axis=-1, initial=0.0)
    # What was not captured may move as that of another limb does, or as the joints that were.
    for others in (own.max(axis=1, keepdims=True), own.max()):
        own = np.where(own < _NOT_CAPTURED, others, own)
    return np.asarray(_LIMIT * np.maximum(own, _HARDLY))


def calmed(before: Array, after: Array, limit: Array, fps: float) -> Array:
    """Rotations ``(n, T, 4)`` of n joints that accelerate no harder than ``limit`` ``(n,)``, as far
    as possible.

    Parameters
    ----------
    before, after
        ``(n, T, 4)`` local rotations as they were and as they are to be.
    """
    change = quat.log(quat.multiply(quat.inverse(before), after))
    result, stiffness = after, np.zeros((len(after), max(after.shape[1] - 2, 0)))
    for attempt in range(_ATTEMPTS):
        sudden = accelerations(result, fps) > limit[:, None]
        if not sudden.any():
            break
        around = max((1 + 0.5 * attempt) * _AROUND * fps, 2.0)
        stiffness = stiffness + np.stack([_around(bad, around) for bad in sudden])
        calm = _straightened(change, stiffness, max(_BENDING * fps, 0.5))
        same = np.all(calm == change, axis=-1)
        result = np.where(same[..., None], after, quat.multiply(before, quat.exp(calm)))
    return result


def _around(some: BoolArray, reach: float) -> Array:
    """1 ``(T,)`` in some frames ``(T,)``, fading to 0 within ``reach`` frames of them."""
    at = np.flatnonzero(some)
    if len(at) == 0:
        return np.zeros(len(some))
    away = np.abs(np.arange(len(some))[:, None] - at).min(axis=1)
    return smoothstep(1.0 - away / reach)


def _straightened(values: Array, stiffness: Array, width: float) -> Array:
    """Curves ``(n, T, k)`` that bend less where ``stiffness`` ``(n, T - 2)`` is not 0.

    It counts how often the cost of bending, at a time scale of ``width`` frames, is quadrupled. All
    other frames, and those in which a curve is 0, are unchanged, bit for bit.
    """
    tracks, count, sides = values.shape
    cost = width**4 * (4.0**stiffness - 1.0)
    rows = BandedLeastSquares(count, 1, sides=sides, tracks=tracks)
    rows.add_change((1.0,), 1.0)
    rows.add_change((1.0, -2.0, 1.0), cost[..., None], -np.diff(values, 2, axis=1))
    free = np.zeros((tracks, count), dtype=bool)
    for offset in range(3):
        free[:, offset : count - 2 + offset] |= cost > 0.0
    return values + rows.solve(free & np.any(values != 0.0, axis=-1))
