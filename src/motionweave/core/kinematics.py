"""Forward kinematics and sampling in time: the loops every method runs through.

Compiled with Numba; the tests hold the same computations in plain NumPy.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]


@njit(cache=True, fastmath=False)
def _forward(parents, offsets, translations, root, rotations, positions, orientations):  # type: ignore[no-untyped-def]
    """Fill positions (T, J, 3) and global orientations (T, J, 4).

    ``translations`` is (T, J, 3), or (0, J, 3) when the offsets hold for all frames.
    """
    frames, joints = rotations.shape[0], rotations.shape[1]
    moving = translations.shape[0] > 0
    for t in range(frames):
        for c in range(3):
            positions[t, 0, c] = root[t, c]
        for c in range(4):
            orientations[t, 0, c] = rotations[t, 0, c]
        for j in range(1, joints):
            p = parents[j]
            px, py, pz, pw = (
                orientations[t, p, 0],
                orientations[t, p, 1],
                orientations[t, p, 2],
                orientations[t, p, 3],
            )
            if moving:
                vx, vy, vz = translations[t, j, 0], translations[t, j, 1], translations[t, j, 2]
            else:
                vx, vy, vz = offsets[j, 0], offsets[j, 1], offsets[j, 2]
            tx = 2.0 * (py * vz - pz * vy)
            ty = 2.0 * (pz * vx - px * vz)
            tz = 2.0 * (px * vy - py * vx)
            positions[t, j, 0] = positions[t, p, 0] + vx + pw * tx + py * tz - pz * ty
            positions[t, j, 1] = positions[t, p, 1] + vy + pw * ty + pz * tx - px * tz
            positions[t, j, 2] = positions[t, p, 2] + vz + pw * tz + px * ty - py * tx
            qx, qy, qz, qw = (
                rotations[t, j, 0],
                rotations[t, j, 1],
                rotations[t, j, 2],
                rotations[t, j, 3],
            )
            orientations[t, j, 0] = pw * qx + px * qw + py * qz - pz * qy
            orientations[t, j, 1] = pw * qy - px * qz + py * qw + pz * qx
            orientations[t, j, 2] = pw * qz + px * qy - py * qx + pz * qw
            orientations[t, j, 3] = pw * qw - px * qx - py * qy - pz * qz


def forward(
    parents: NDArray[np.intp],
    offsets: Array,
    root: Array,
    rotations: Array,
    translations: Array | None = None,
) -> tuple[Array, Array]:
    """Positions ``(T, J, 3)`` and global orientations ``(T, J, 4)`` of every joint.

    Parameters
    ----------
    parents, offsets
        ``(J,)`` and ``(J, 3)`` of the skeleton.
    root
        ``(T, 3)`` root positions.
    rotations
        ``(T, J, 4)`` local rotations.
    translations
        ``(T, J, 3)`` local translations that replace the offsets, or None.
    """
    frames, joints = rotations.shape[:2]
    positions = np.empty((frames, joints, 3))
    orientations = np.empty((frames, joints, 4))
    moving = np.empty((0, joints, 3)) if translations is None else translations
    _forward(
        np.ascontiguousarray(parents, dtype=np.int64),
        np.ascontiguousarray(offsets),
        np.ascontiguousarray(moving),
        np.ascontiguousarray(root),
        np.ascontiguousarray(rotations),
        positions,
        orientations,
    )
    return positions, orientations


@njit(cache=True, fastmath=False)
def _sample_rotations(rotations, frames, result):  # type: ignore[no-untyped-def]
    """Slerp the short way; whole frames are copied, so they come back bit for bit."""
    last = rotations.shape[0] - 1
    for n in range(frames.shape[0]):
        lower = int(np.floor(frames[n]))
        share = frames[n] - lower
        if share == 0.0 or lower >= last:
            for j in range(rotations.shape[1]):
                for c in range(4):
                    result[n, j, c] = rotations[min(lower, last), j, c]
            continue
        for j in range(rotations.shape[1]):
            dot = 0.0
            for c in range(4):
                dot += rotations[lower, j, c] * rotations[lower + 1, j, c]
            sign = 1.0
            if dot < 0.0:
                dot, sign = -dot, -1.0
            if dot > 0.999999:
                # So close that the chord is the arc: slerp would divide by a tiny sine.
                a, b = 1.0 - share, share
            else:
                angle = np.arccos(dot)
                sine = np.sin(angle)
                a, b = np.sin((1.0 - share) * angle) / sine, np.sin(share * angle) / sine
            length = 0.0
            for c in range(4):
                value = a * rotations[lower, j, c] + sign * b * rotations[lower + 1, j, c]
                result[n, j, c] = value
                length += value * value
            length = np.sqrt(length)
            for c in range(4):
                result[n, j, c] /= length


def sample_rotations(rotations: Array, frames: Array) -> Array:
    """Rotations ``(n, J, 4)`` at fractional ``frames`` ``(n,)`` of ``(T, J, 4)``."""
    result = np.empty((len(frames), *rotations.shape[1:]))
    _sample_rotations(np.ascontiguousarray(rotations), np.ascontiguousarray(frames), result)
    return result


def sample_vectors(values: Array, frames: Array) -> Array:
    """Values at fractional ``frames`` ``(n,)`` of ``(T, ...)``, linear in between."""
    lower = np.minimum(np.floor(frames).astype(np.intp), len(values) - 1)
    upper = np.minimum(lower + 1, len(values) - 1)
    share = (frames - lower).reshape(-1, *([1] * (values.ndim - 1)))
    return np.asarray(values[lower] + share * (values[upper] - values[lower]))
