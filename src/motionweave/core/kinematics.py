"""Forward kinematics and sampling in time: the loops every method runs through.

Compiled with Numba; the tests hold the same computations in plain NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from motionweave.core import rotations as quaternions
from motionweave.core.arrays import Array, read_only
from motionweave.core.runtime.kernels import kernel

# Frames of a long take that are looked at together.
_AT_ONCE = 1024
# Rotations whose half angle has a larger cosine, 0.4 rad apart, need no more terms than these.
_CLOSE, _TERMS = 0.98, 6


@kernel(bare=True)
def _forward(parents, offsets, rotations, positions, orientations):  # type: ignore[no-untyped-def]
    """Fill positions (T, J, 3) and global orientations (T, J, 4), which hold those of the root.

    ``offsets`` is (T, J, 3), or (1, J, 3) when they hold for all frames.
    """
    frames, joints, _ = rotations.shape
    for t in range(frames):
        own = t if len(offsets) > 1 else 0
        for j in range(1, joints):
            p = parents[j]
            px, py = orientations[t, p, 0], orientations[t, p, 1]
            pz, pw = orientations[t, p, 2], orientations[t, p, 3]
            vx, vy, vz = offsets[own, j, 0], offsets[own, j, 1], offsets[own, j, 2]
            tx = 2.0 * (py * vz - pz * vy)
            ty = 2.0 * (pz * vx - px * vz)
            tz = 2.0 * (px * vy - py * vx)
            positions[t, j, 0] = positions[t, p, 0] + vx + pw * tx + py * tz - pz * ty
            positions[t, j, 1] = positions[t, p, 1] + vy + pw * ty + pz * tx - px * tz
            positions[t, j, 2] = positions[t, p, 2] + vz + pw * tz + px * ty - py * tx
            qx, qy = rotations[t, j, 0], rotations[t, j, 1]
            qz, qw = rotations[t, j, 2], rotations[t, j, 3]
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
    positions[:, 0], orientations[:, 0] = root, rotations[:, 0]
    _forward(
        np.array(parents, dtype=np.int64),
        read_only(offsets[None] if translations is None else translations),
        read_only(rotations),
        positions,
        orientations,
    )
    return positions, orientations


def in_parts(frames: int) -> Iterator[slice]:
    """All frames of a take, some at a time.

    What is made of a long take in parts stays in the processor's cache and takes little memory.
    """
    for first in range(0, frames, _AT_ONCE):
        yield slice(first, min(first + _AT_ONCE, frames))


def attached(
    positions: Array, orientations: Array, joints: NDArray[np.intp], offsets: Array
) -> Array:
    """Points ``(T, P, 3)`` fixed to joints: P joints ``(P,)`` and how far from them ``(P, 3)``.

    Parameters
    ----------
    positions, orientations
        ``(T, J, 3)`` and ``(T, J, 4)``: global ones, as `forward` gives them.
    joints, offsets
        To which joint a point belongs, and where it lies in that joint's own axes.
    """
    points = positions.take(joints, axis=1)
    points += quaternions.rotate(orientations.take(joints, axis=1), offsets[None])
    return points


@kernel(bare=True, fastmath={"contract"})
def _slerp(rotations, lower, upper, shares, result):  # type: ignore[no-untyped-def]
    """Slerp (T, J, 4) from frames ``lower`` (n,) to ``upper``, the short way, into (n, J, 4).

    Where the share is zero, ``lower`` comes back bit for bit.
    """
    _, joints, _ = rotations.shape
    for n in range(len(lower)):
        share, below = shares[n], lower[n]
        above, rest = upper[n] if share != 0.0 else below, 1.0 - share
        for j in range(joints):
            ax, ay = rotations[below, j, 0], rotations[below, j, 1]
            az, aw = rotations[below, j, 2], rotations[below, j, 3]
            bx, by = rotations[above, j, 0], rotations[above, j, 1]
            bz, bw = rotations[above, j, 2], rotations[above, j, 3]
            dot = ax * bx + ay * by + az * bz + aw * bw
            if abs(dot) > _CLOSE:
                a, b = 1.0, 1.0
                # sin(s angle) / (s sin angle) in powers of cosine - 1, from the highest.
                for i in range(_TERMS, 0, -1):
                    square, scale = 1.0 / (i * i), i / (2.0 * i + 1.0)
                    change = scale * (abs(dot) - 1.0)
                    a = 1.0 + a * (change * (square * (rest * rest) - 1.0))
                    b = 1.0 + b * (change * (square * (share * share) - 1.0))
                a, b = a * rest, b * share
            else:
                angle = math.acos(abs(dot))
                a = math.sin(rest * angle) / math.sin(angle)
                b = math.sin(share * angle) / math.sin(angle)
            if dot < 0.0:
                b = -b
            x, y, z, w = a * ax + b * bx, a * ay + b * by, a * az + b * bz, a * aw + b * bw
            length = 1.0 / math.sqrt(x * x + y * y + z * z + w * w) if share != 0.0 else 1.0
            result[n, j, 0], result[n, j, 1] = length * x, length * y
            result[n, j, 2], result[n, j, 3] = length * z, length * w


def slerp_frames(
    rotations: Array,
    lower: NDArray[np.intp],
    upper: NDArray[np.intp],
    shares: Array,
    out: Array | None = None,
) -> Array:
    """Rotations ``(n, J, 4)`` on the shorter arcs between two frames of ``(T, J, 4)`` each.

    Parameters
    ----------
    rotations
        Unit quaternions.
    lower, upper
        ``(n,)`` from which frame to which; the latter need not exist where the share is 0.
    shares
        ``(n,)`` how far: at 0 the frame ``lower`` is returned bit for bit; outside [0, 1]
        rotations are extrapolated.
    out
        Where to put them, if there is a place.
    """
    result = np.empty((len(shares), *rotations.shape[1:])) if out is None else out
    _slerp(read_only(rotations), lower, upper, shares, result)
    return result


def sample_rotations(rotations: Array, frames: Array, out: Array | None = None) -> Array:
    """Rotations ``(n, J, 4)`` at fractional ``frames`` ``(n,)`` of ``(T, J, 4)``.

    ``out`` is where to put them, if there is a place.
    """
    last = len(rotations) - 1
    frames = np.minimum(frames, last)
    lower = frames.astype(np.intp)
    return slerp_frames(rotations, lower, lower + 1, frames - lower, out)


def sample_vectors(values: Array, frames: Array) -> Array:
    """Values at fractional ``frames`` ``(n,)`` of ``(T, ...)``, linear in between."""
    lower = np.minimum(np.floor(frames).astype(np.intp), len(values) - 1)
    upper = np.minimum(lower + 1, len(values) - 1)
    share = (frames - lower).reshape(-1, *([1] * (values.ndim - 1)))
    below, result = values.take(lower, axis=0), values.take(upper, axis=0)
    result -= below
    result *= share
    result += below
    return result
