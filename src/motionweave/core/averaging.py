"""Weighted mean of rotations: the Karcher mean of Park et al., used by Kovar & Gleicher 5.3."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.core.arrays import Array, IntArray
from motionweave.core.compiled import kernel
from motionweave.errors import BlendError

_MOST_STEPS = 40
# Smaller steps are ignored, so that an input that is the mean is returned bit for bit.
_NONE = 1e-13
# The error that may remain. A step leaves less of itself than 1 - cosine of the half angle
# to the farthest input.
_LAST = 1e-12
# A mean is nearer to all inputs than another if it is by more than rounding.
_NEARER = 1.0 - 1e-9
# Inputs within a quarter turn of a mean have no other mean: 1 - cosine of the half angle.
_QUARTER = 1.0 - math.sqrt(0.5)
# Signs matter from a sixth of a turn on: inputs a third of a turn apart approach the point where
# the mean could change sides.
_SIXTH = 1.0 - math.sqrt(0.75)
# Up to here, a / sin a is this polynomial in 1 - cos a, except for rounding.
_C1, _C2, _C3 = 0.33333333333313425, 0.13333333335979808, 0.05714285577444372
_C4, _C5, _C6 = 0.02539686156895528, 0.011543456029356433, 0.005333293615904679
_C7, _C8 = 0.0024543517514940814, 0.0012930322373475352
_C9, _C10 = 0.0002697065439145062, 0.0006094409225952268


@kernel(error_model="numpy", fastmath={"contract"})
def _settle(rotations, weights, means, energies, farthest):  # type: ignore[no-untyped-def]
    """Bring ``means`` (T J, 4) to the means of rotations (k, T J, 4) by weights (T, k) beside them.

    With half angles a_i from a quaternion m to the inputs, the gradient of the sum of
    w_i a_i² is what the sum s of w_i (a_i / sin a_i) q_i has at right angles to m. Along m,
    s has the mean of c_i = a_i cot a_i; the second derivative is the mean of c_i across and 1
    along the direction to each input. If all directions agree, that is (1 + 2 s · m) / 3,
    by which steps are divided: nearly Newton's.

    ``energies`` (T J,) take the sums of w_i a_i², ``farthest`` (T J,) 1 - cosine of the half
    angle to the farthest input.
    """
    joints = rotations.shape[1] // weights.shape[0]
    for n in range(rotations.shape[1]):
        x, y, z, w = means[n, 0], means[n, 1], means[n, 2], means[n, 3]
        for _ in range(_MOST_STEPS):
            energy, most = 0.0, 0.0
            sx, sy, sz, sw = 0.0, 0.0, 0.0, 0.0
            for i in range(rotations.shape[0]):
                share = weights[n // joints, i]
                if share == 0.0:
                    continue
                qx, qy = rotations[i, n, 0], rotations[i, n, 1]
                qz, qw = rotations[i, n, 2], rotations[i, n, 3]
                cosine = x * qx + y * qy + z * qz + w * qw
                d = 1.0 - abs(cosine)
                if d < _QUARTER:
                    e = d * d
                    ratio = 1.0 + e * (_C2 + e * (_C4 + e * (_C6 + e * (_C8 + e * _C10))))
                    ratio += d * (_C1 + e * (_C3 + e * (_C5 + e * (_C7 + e * _C9))))
                else:
                    ratio = math.acos(1.0 - d) / math.sqrt(d * (2.0 - d))
                if d > most:
                    most = d
                energy += share * ratio * ratio * d * (2.0 - d)
                # The shorter arc: q and -q are the same rotation.
                share *= ratio if cosine >= 0.0 else -ratio
                sx += share * qx
                sy += share * qy
                sz += share * qz
                sw += share * qw
            along = x * sx + y * sy + z * sz + w * sw
            # Where inputs diverge, limit the step to twice their logarithms.
            scale = 3.0 / (1.0 + 2.0 * along) if along > 0.25 else 2.0
            sx, sy = scale * (sx - along * x), scale * (sy - along * y)
            sz, sw = scale * (sz - along * z), scale * (sw - along * w)
            size = sx * sx + sy * sy + sz * sz + sw * sw
            if size < _NONE * _NONE:
                break
            length = math.sqrt(1.0 + size)
            x, y, z, w = (x + sx) / length, (y + sy) / length, (z + sz) / length, (w + sw) / length
            if size * most * most < _LAST * _LAST:
                break
        means[n, 0], means[n, 1], means[n, 2], means[n, 3] = x, y, z, w
        energies[n], farthest[n] = energy, most


def mean_rotations(
    rotations: ArrayLike,
    weights: ArrayLike,
    signs: Callable[[], NDArray[np.int8]] | None = None,
) -> Array:
    """Weighted means of rotations.

    Started from the heaviest input and iterated to convergence, so that a single
    weight of 1 returns that input unchanged.

    Parameters
    ----------
    rotations
        ``(k, T, J, 4)`` unit quaternions of k inputs.
    weights
        ``(T, k)``, each row summing to one; may be negative (extrapolation).
    signs
        Gives ``(k, T, J)``, 1 or -1: which of the two quaternions of a rotation to use; called only
        where it matters. Rotations about half a turn apart have a mean on either side, and which is
        nearer to all changes from one moment to the next. With signs that are consistent over time
        the mean stays on its side. Without signs, the mean nearest to all inputs is used.

    Returns
    -------
    ``(T, J, 4)`` unit quaternions.
    """
    rotations = np.ascontiguousarray(rotations, dtype=np.float64)
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    if rotations.ndim != 4 or weights.shape != (rotations.shape[1], rotations.shape[0]):
        raise BlendError(
            f"mean of rotations {rotations.shape}: weights must have shape "
            f"(frames, inputs), got {weights.shape}"
        )
    clips, frames, joints = rotations.shape[:3]
    heaviest = np.abs(weights).argmax(axis=1)
    result = rotations[heaviest, np.arange(frames)]
    inputs, means = rotations.reshape(clips, -1, 4), result.reshape(-1, 4)
    energies, farthest = np.empty(len(means)), np.empty(len(means))
    _settle(inputs, weights, means, energies, farthest)
    # Of several means the one between the quaternions as they are signed counts, or else the
    # nearest to all inputs, so that those far from it have a try. With negative weights it is
    # the one next to the heaviest input.
    doubtful = farthest >= (_QUARTER if signs is None else _SIXTH)
    if doubtful.any():
        doubtful &= np.repeat((weights >= 0.0).all(axis=1), joints)
        at = np.flatnonzero(doubtful)
        shares = weights[at // joints]
        if signs is None:
            others = _nearest(
                inputs.take(at, axis=1), shares, heaviest[at // joints], means[at], energies[at]
            )
        else:
            others = _between(
                inputs.take(at, axis=1), shares, signs().reshape(clips, -1)[:, at], means[at]
            )
        means[at] = others
    return result


def _nearest(
    rotations: Array, weights: Array, heaviest: IntArray, means: Array, energies: Array
) -> Array:
    """Of the means next to each input the one nearest to all.

    Parameters
    ----------
    rotations, weights
        ``(k, n, 4)`` and ``(n, k)``.
    heaviest
        ``(n,)`` the inputs that have been tried.
    means, energies
        ``(n, 4)`` and ``(n,)``: what was found from them; both are changed.
    """
    inputs, left = len(rotations), np.arange(len(means))
    for attempt in range(1, inputs):
        start = rotations[(heaviest[left] + attempt) % inputs, left]
        # An input near to the mean leads there.
        new = np.abs(np.einsum("nc,nc->n", start, means[left])) <= 1.0 - _QUARTER
        at, found = left[new], start[new]
        least, farthest = np.empty(len(at)), np.empty(len(at))
        _settle(rotations.take(at, axis=1), weights[at], found, least, farthest)
        better = least < _NEARER * energies[at]
        means[at[better]], energies[at[better]] = found[better], least[better]
        left = np.setdiff1d(left, at[farthest < _QUARTER], assume_unique=True)
    return means


def _between(rotations: Array, weights: Array, signs: NDArray[np.int8], means: Array) -> Array:
    """Means ``(n, 4)`` from the sum of signed quaternions on; those given where that is zero."""
    total = np.einsum("nk,kn,knc->nc", weights, signs, rotations)
    square = np.einsum("nc,nc->n", total, total)
    at = np.flatnonzero(square >= _NONE)
    found = total[at] / np.sqrt(square[at])[:, None]
    _settle(rotations.take(at, axis=1), weights[at], found, np.empty(len(at)), np.empty(len(at)))
    means[at] = found
    return means
