"""Weighted mean of rotations: the Karcher mean of Park et al., used by Kovar & Gleicher 5.3."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from motionweave.errors import BlendError

Array = NDArray[np.float64]

_MOST_ITERATIONS = 30
# A step so small is none: an input that is the mean comes back bit for bit.
_CONVERGED = 1e-13
# A step of Newton's so small, once made, leaves an error of its square: none.
_SETTLED = 1e-8
# Newton's steps are for the neighbourhood of the mean: within so many radians, and where
# the determinant of the second derivative says that there is a minimum.
_NEAR = 0.5
_FLAT = 0.2


@njit(cache=True, fastmath=False)
def _mean_rotations(rotations, weights, result):  # type: ignore[no-untyped-def]
    """Means of rotations (k, T, J, 4) by weights (T, k), into (T, J, 4).

    Newton's method on the sum of squared angles: with half angles a_i between the mean and
    the inputs, about axes n_i, its gradient is the mean of the logarithms and its second
    derivative the mean of c_i + (1 - c_i) n_i n_i^T with c_i = a_i cot(a_i).
    """
    inputs, frames, joints = rotations.shape[0], rotations.shape[1], rotations.shape[2]
    for t in range(frames):
        heaviest = 0
        for i in range(1, inputs):
            if abs(weights[t, i]) > abs(weights[t, heaviest]):
                heaviest = i
        for j in range(joints):
            x = rotations[heaviest, t, j, 0]
            y = rotations[heaviest, t, j, 1]
            z = rotations[heaviest, t, j, 2]
            w = rotations[heaviest, t, j, 3]
            for _ in range(_MOST_ITERATIONS):
                sx, sy, sz = 0.0, 0.0, 0.0
                xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
                for i in range(inputs):
                    weight = weights[t, i]
                    if weight == 0.0:
                        continue
                    q = rotations[i, t, j]
                    # mean^-1 q_i
                    dx = w * q[0] - x * q[3] - y * q[2] + z * q[1]
                    dy = w * q[1] + x * q[2] - y * q[3] - z * q[0]
                    dz = w * q[2] - x * q[1] + y * q[0] - z * q[3]
                    dw = w * q[3] + x * q[0] + y * q[1] + z * q[2]
                    sine = np.sqrt(dx * dx + dy * dy + dz * dz)
                    if sine < 1e-12:
                        # log q = 2 q for what hardly turns, of whichever sign.
                        factor = 2.0 * weight if dw > 0.0 else -2.0 * weight
                        curved, outer = weight, 0.0
                    else:
                        # The short way: q and -q are one rotation.
                        angle = np.arctan2(sine, dw) if dw > 0.0 else np.arctan2(-sine, -dw)
                        angle /= sine
                        factor = 2.0 * weight * angle
                        curved = weight * angle * dw
                        outer = (weight - curved) / (sine * sine)
                    sx += factor * dx
                    sy += factor * dy
                    sz += factor * dz
                    xx += curved + outer * dx * dx
                    yy += curved + outer * dy * dy
                    zz += curved + outer * dz * dz
                    xy += outer * dx * dy
                    xz += outer * dx * dz
                    yz += outer * dy * dz
                # The step solves the symmetric 3 x 3 system by Cramer's rule.
                ax, ay, az = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
                det = xx * ax + xy * ay + xz * az
                near = sx * sx + sy * sy + sz * sz < _NEAR * _NEAR and det > _FLAT
                if near:
                    px = ax * sx + ay * sy + az * sz
                    py = ay * sx + (xx * zz - xz * xz) * sy + (xy * xz - xx * yz) * sz
                    pz = az * sx + (xy * xz - xx * yz) * sy + (xx * yy - xy * xy) * sz
                    sx, sy, sz = px / det, py / det, pz / det
                size = np.sqrt(sx * sx + sy * sy + sz * sz)
                if size < _CONVERGED:
                    break
                half = np.sin(0.5 * size) / size
                ex, ey, ez, ew = sx * half, sy * half, sz * half, np.cos(0.5 * size)
                nx = w * ex + x * ew + y * ez - z * ey
                ny = w * ey - x * ez + y * ew + z * ex
                nz = w * ez + x * ey - y * ex + z * ew
                nw = w * ew - x * ex - y * ey - z * ez
                length = np.sqrt(nx * nx + ny * ny + nz * nz + nw * nw)
                x, y, z, w = nx / length, ny / length, nz / length, nw / length
                if near and size < _SETTLED:
                    break
            result[t, j, 0] = x
            result[t, j, 1] = y
            result[t, j, 2] = z
            result[t, j, 3] = w


def mean_rotations(rotations: ArrayLike, weights: ArrayLike) -> Array:
    """Weighted means of rotations, blind to the quaternions' signs.

    Started from the heaviest input and iterated to convergence, so that a single
    weight of 1 returns that input unchanged.

    Parameters
    ----------
    rotations
        ``(k, T, J, 4)`` unit quaternions of k inputs.
    weights
        ``(T, k)``, each row summing to one; may be negative (extrapolation).

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
    result = np.empty(rotations.shape[1:])
    _mean_rotations(rotations, weights, result)
    return result
