"""Warped curves: θ'(t) = a(t)·θ(t) + b(t), with a and b Cardinal splines through the keys.

``b`` is zero and ``a`` is one before the first and after the last key, except that
they take ``ease`` frames to get there, or stay as they are where they are held.
Rotations are warped in the tangent space: the shift is a rotation vector whose
rotation follows the joint's own, the scale stretches the rotation vector that
leads from a zero-point to the joint's rotation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.numerics.curves import cardinal_tangents, hermite
from motionweave.core.runtime.kernels import kernel

# A turn from the zero-point smaller than this (radians) has no direction to scale along.
_NO_DIRECTION = 1e-6
# Seconds: what moves more quickly than this is detail of a clip, or shaking, and not to be
# multiplied.
_DETAIL, _QUICK = 0.05, 0.02


@dataclass(frozen=True)
class Ends:
    """What a displacement does outside its keys.

    Parameters
    ----------
    before, after
        Frames from neutral to the first key, and from the last key back to
        neutral; None holds the first or the last key's value forever.
    """

    before: float | None
    after: float | None


def displacement_basis(
    times: ArrayLike,
    ends: Ends,
    at: ArrayLike,
    tension: float = 0.0,
    still: Sequence[bool] | None = None,
    given: Sequence[tuple[bool, bool]] | None = None,
    along: Sequence[int] | None = None,
) -> Array:
    """Weights ``(m, n)`` of n keys at ``times`` in the displacement at frames ``at`` ``(m,)``.

    The displacement itself is ``basis @ values``. A row belonging to a key is one
    at that key and zero elsewhere; rows outside the eased or held range are zero.
    The displacement has no speed at keys that are ``still``. Where it goes ``along`` to the next
    key (1) or comes along from the one before (-1), it has the mean speed between them, unless it
    is held beyond. Where the tangents in and out of a key are ``given``, they are not the spline's
    own: see `tangent_basis`.
    """
    knots = np.asarray(times, dtype=np.float64)
    values = np.eye(len(knots))
    # At rest at the first and at the last key, so that what eases to and from them cannot
    # overshoot: a first key that changes nothing leaves everything before it alone.
    tangents = cardinal_tangents(knots, values, tension)
    if still is not None and any(still):
        tangents[np.asarray(still)] = 0.0
    held = {0: ends.before is None, len(knots) - 1: ends.after is None}
    for key, way in enumerate(along or ()):
        if way and 0 <= key + way < len(knots) and not held.get(key, False):
            tangents[key] = (values[key + way] - values[key]) / (knots[key + way] - knots[key])
    if given is None or not np.any(given):
        return _through(knots, ends, at, values, tangents, tangents)
    into, out = (np.where(column[:, None], 0.0, tangents) for column in np.transpose(given))
    return _through(knots, ends, at, values, into, out)


def tangent_basis(
    times: ArrayLike, ends: Ends, at: ArrayLike, given: Sequence[tuple[bool, bool]]
) -> Array:
    """Weights ``(m, 2, n)`` of the tangents in and out of n keys, where they are ``given``.

    Tangents are changes per frame; ``times``, ``ends`` and ``at`` as for `displacement_basis`.
    """
    knots = np.asarray(times, dtype=np.float64)
    count = len(knots)
    rows = np.eye(2 * count).reshape(2, count, 2 * count)
    into, out = rows * np.transpose(np.asarray(given))[:, :, None]
    weights = _through(knots, ends, at, np.zeros((count, 2 * count)), into, out)
    return weights.reshape(-1, 2, count)


def _through(
    knots: Array, ends: Ends, at: ArrayLike, values: Array, into: Array, out: Array
) -> Array:
    """Curves ``(m, k)`` through ``values`` ``(n, k)``, with tangents into and out of the knots."""
    at = np.asarray(at, dtype=np.float64)
    zero = np.zeros((1, values.shape[1]))
    if ends.before is not None:
        knots = np.concatenate([[knots[0] - ends.before], knots])
        values, into, out = (np.vstack([zero, rows]) for rows in (values, into, out))
    if ends.after is not None:
        knots = np.concatenate([knots, [knots[-1] + ends.after]])
        values, into, out = (np.vstack([rows, zero]) for rows in (values, into, out))
    return hermite(knots, values, out, at, into)


def nearest_branches(vectors: ArrayLike) -> Array:
    """Rotation vectors ``(n, 3)`` with full turns added so that each is near the one before.

    A spline through keys at +170° and -170° then turns 20° between them, not 340°.
    """
    vectors = np.array(vectors, dtype=np.float64)
    for i in range(1, len(vectors)):
        length = np.linalg.norm(vectors[i])
        if length < _NO_DIRECTION:
            continue
        axis = vectors[i] / length
        turns = np.round((vectors[i - 1] @ axis - length) / (2.0 * np.pi))
        vectors[i] += 2.0 * np.pi * turns * axis
    return vectors


@kernel()
def _turn(turned, joints, vectors):  # type: ignore[no-untyped-def]
    """Follow rotations ``(T, J, 4)`` of ``joints`` ``(n,)`` by vectors ``(T, n, 3)``, in place."""
    for t in range(turned.shape[0]):
        for n in range(joints.shape[0]):
            vx, vy, vz = vectors[t, n, 0], vectors[t, n, 1], vectors[t, n, 2]
            angle = np.sqrt(vx * vx + vy * vy + vz * vz)
            if angle == 0.0:
                continue
            share = np.sin(0.5 * angle) / angle
            ax, ay, az, aw = vx * share, vy * share, vz * share, np.cos(0.5 * angle)
            j = joints[n]
            bx, by, bz, bw = turned[t, j, 0], turned[t, j, 1], turned[t, j, 2], turned[t, j, 3]
            turned[t, j, 0] = aw * bx + ax * bw + ay * bz - az * by
            turned[t, j, 1] = aw * by - ax * bz + ay * bw + az * bx
            turned[t, j, 2] = aw * bz + ax * by - ay * bx + az * bw
            turned[t, j, 3] = aw * bw - ax * bx - ay * by - az * bz


def shift_rotations(quaternions: ArrayLike, joints: Sequence[int], vectors: ArrayLike) -> Array:
    """Rotations ``(T, J, 4)`` of which ``joints`` are followed by ``vectors`` ``(T, n, 3)``.

    Where a vector is zero the rotation stays as it is, bit for bit.
    """
    turned = np.array(quaternions, dtype=np.float64, order="C")
    _turn(turned, np.asarray(joints, dtype=np.int64), np.ascontiguousarray(vectors))
    return turned


def scale_rotations(quaternions: ArrayLike, zero: ArrayLike, factors: ArrayLike) -> Array:
    """Rotations ``(T, 4)`` with their turn from ``zero`` ``(4,)`` stretched by ``(T,)`` factors.

    Where a factor is one the rotation stays as it is, bit for bit.
    """
    quaternions = np.asarray(quaternions, dtype=np.float64)
    factors = np.asarray(factors, dtype=np.float64)
    turn = rotations.log(rotations.multiply(rotations.inverse(zero), quaternions))
    scaled = rotations.multiply(zero, rotations.exp(turn * factors[:, None]))
    return np.where(factors[:, None] == 1.0, quaternions, scaled)


def scale_factor(value: ArrayLike, original: ArrayLike) -> float | None:
    """The factor by which vector ``original`` comes closest to ``value``; None if it is zero."""
    original = np.asarray(original, dtype=np.float64)
    square = float(original @ original)
    if square < _NO_DIRECTION**2:
        return None
    return float(np.asarray(value, dtype=np.float64) @ original / square)


def calmed(values: Array, fps: float, *, quick: bool = False) -> Array:
    """Curves ``(T, ...)`` without detail, or without what is quicker than a motion (``quick``)."""
    from scipy.ndimage import gaussian_filter1d

    width = (_QUICK if quick else _DETAIL) * fps
    return np.asarray(gaussian_filter1d(values, width, axis=0, mode="nearest"))
