"""Weighted mean of rotations: the Karcher mean of Park et al., used by Kovar & Gleicher 5.3."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.core.arrays import Array
from motionweave.core.compiled import kernel
from motionweave.errors import BlendError

_MOST_STEPS = 40
# A step so small is none: an input that is the mean comes back bit for bit.
_NONE = 1e-13
# A step so small is the last: it leaves less than a tenth of itself.
_LAST = 1e-10
# Inputs within a quarter turn of a mean have no other mean: 1 - cosine of the half angle.
_QUARTER = 1.0 - math.sqrt(0.5)
# Signs are asked from a sixth of a turn on: inputs a third of a turn apart are on their way
# to where the mean could change sides.
_SIXTH = 1.0 - math.sqrt(0.75)
# So far a / sin a is this polynomial in 1 - cos a, but for rounding.
_C1, _C2, _C3 = 0.33333333333313425, 0.13333333335979808, 0.05714285577444372
_C4, _C5, _C6 = 0.02539686156895528, 0.011543456029356433, 0.005333293615904679
_C7, _C8 = 0.0024543517514940814, 0.0012930322373475352
_C9, _C10 = 0.0002697065439145062, 0.0006094409225952268

_UNSIGNED = np.zeros((0, 0), dtype=np.int8)


@kernel(error_model="numpy", fastmath={"contract"})
def _mean_rotations(  # type: ignore[no-untyped-def]
    rotations, weights, signs, mean, total, result
):
    """Means of rotations (k, T J, 4) by weights (T, k), into (T J, 4).

    With half angles a_i from a quaternion m to the inputs, the gradient of the sum of
    w_i a_i² is what the sum s of w_i (a_i / sin a_i) q_i has at right angles to m. Along m,
    s has the mean of c_i = a_i cot a_i; the second derivative is the mean of c_i across and 1
    along the direction to each input. With all directions alike that is (1 + 2 s · m) / 3,
    by which steps are divided: nearly Newton's.

    ``signs`` (k, T J) are those of the quaternions, or (0, 0) if they mean nothing.
    ``mean`` and ``total``, each (4,), are m and s, and have no other use.
    """
    inputs, frames = rotations.shape[0], weights.shape[0]
    joints = rotations.shape[1] // frames
    for n in range(rotations.shape[1]):
        t = n // joints
        heaviest, convex = 0, True
        for i in range(inputs):
            convex = convex and weights[t, i] >= 0.0
            if abs(weights[t, i]) > abs(weights[t, heaviest]):
                heaviest = i
        lowest, signed = np.inf, signs.shape[0] > 0
        unique = _SIXTH if signed else _QUARTER
        for attempt in range(inputs):
            if attempt == 0 or not signed:
                start = (heaviest + attempt) % inputs
                cosine = 0.0
                for c in range(4):
                    mean[c] = rotations[start, n, c]
                    cosine += mean[c] * result[n, c]
                if attempt > 0 and abs(cosine) > 1.0 - _QUARTER:
                    continue
            else:
                length = 0.0
                for c in range(4):
                    mean[c] = 0.0
                    for i in range(inputs):
                        mean[c] += weights[t, i] * signs[i, n] * rotations[i, n, c]
                    length += mean[c] * mean[c]
                if length < _NONE:
                    break
                for c in range(4):
                    mean[c] /= math.sqrt(length)
            energy, alone = 0.0, True
            for _ in range(_MOST_STEPS):
                energy, alone = 0.0, True
                for c in range(4):
                    total[c] = 0.0
                for i in range(inputs):
                    if weights[t, i] == 0.0:
                        continue
                    cosine = 0.0
                    for c in range(4):
                        cosine += mean[c] * rotations[i, n, c]
                    # The short way: q and -q are one rotation.
                    share = weights[t, i] if cosine >= 0.0 else -weights[t, i]
                    d = 1.0 - abs(cosine)
                    if d < _QUARTER:
                        e = d * d
                        ratio = 1.0 + e * (_C2 + e * (_C4 + e * (_C6 + e * (_C8 + e * _C10))))
                        ratio += d * (_C1 + e * (_C3 + e * (_C5 + e * (_C7 + e * _C9))))
                    else:
                        ratio = math.acos(1.0 - d) / math.sqrt(d * (2.0 - d))
                    alone = alone and d < unique
                    energy += weights[t, i] * ratio * ratio * d * (2.0 - d)
                    for c in range(4):
                        total[c] += share * ratio * rotations[i, n, c]
                along = 0.0
                for c in range(4):
                    along += mean[c] * total[c]
                # Where inputs pull apart, no further than twice as far as their logarithms say.
                scale = 3.0 / (1.0 + 2.0 * along) if along > 0.25 else 2.0
                size = 0.0
                for c in range(4):
                    total[c] = scale * (total[c] - along * mean[c])
                    size += total[c] * total[c]
                if size < _NONE * _NONE:
                    break
                for c in range(4):
                    mean[c] = (mean[c] + total[c]) / math.sqrt(1.0 + size)
                if size < _LAST * _LAST:
                    break
            if energy < lowest or signed:
                lowest = energy
                for c in range(4):
                    result[n, c] = mean[c]
            # Of several means the one between the quaternions as they are signed counts, or
            # else the nearest to all inputs, so that those far from it have a try. With
            # negative weights it is the one next to the heaviest input.
            if alone or not convex or (signed and attempt > 0):
                break


def mean_rotations(
    rotations: ArrayLike, weights: ArrayLike, signs: NDArray[np.int8] | None = None
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
        ``(k, T, J)``, 1 or -1: which of the two quaternions of a rotation is meant. Rotations
        about half a turn apart have a mean on either side, and which is nearer to all changes
        from one moment to the next. With signs that belong together over time the mean stays
        on its side. Without, the nearest to all inputs is taken.

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
    result = np.zeros(rotations.shape[1:])
    inputs = rotations.reshape(len(rotations), -1, 4)
    meant = _UNSIGNED if signs is None else np.ascontiguousarray(signs).reshape(len(inputs), -1)
    _mean_rotations(inputs, weights, meant, np.empty(4), np.empty(4), result.reshape(-1, 4))
    return result
