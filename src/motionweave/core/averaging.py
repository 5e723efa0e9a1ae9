"""Weighted mean of rotations: the Karcher mean of Park et al., used by Kovar & Gleicher 5.3."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from motionweave.errors import BlendError

Array = NDArray[np.float64]

_MOST_ITERATIONS = 30
_CONVERGED = 1e-13


@njit(cache=True, fastmath=False)
def _mean_rotations(rotations, weights, result):  # type: ignore[no-untyped-def]
    """Means of rotations (k, T, J, 4) by weights (T, k), into (T, J, 4)."""
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
                # Mean of log(mean^-1 q_i): the step in the tangent space.
                sx, sy, sz = 0.0, 0.0, 0.0
                for i in range(inputs):
                    weight = weights[t, i]
                    if weight == 0.0:
                        continue
                    qx, qy, qz, qw = (
                        rotations[i, t, j, 0],
                        rotations[i, t, j, 1],
                        rotations[i, t, j, 2],
                        rotations[i, t, j, 3],
                    )
                    dx = w * qx - x * qw - y * qz + z * qy
                    dy = w * qy + x * qz - y * qw - z * qx
                    dz = w * qz - x * qy + y * qx - z * qw
                    dw = w * qw + x * qx + y * qy + z * qz
                    if dw < 0.0:
                        dx, dy, dz, dw = -dx, -dy, -dz, -dw
                    sine = np.sqrt(dx * dx + dy * dy + dz * dz)
                    if sine < 1e-12:
                        factor = 2.0 * weight
                    else:
                        factor = 2.0 * weight * np.arctan2(sine, dw) / sine
                    sx += factor * dx
                    sy += factor * dy
                    sz += factor * dz
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
