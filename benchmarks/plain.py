"""The same work done in the straightforward with NumPy, and lower bounds for it.

Nothing here is used by the package. The plain forms are what one writes first; the
limits are the bare products or loops that any implementation has to do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]


def multiply(a: Array, b: Array) -> Array:
    """Quaternions xyzw."""
    ax, ay, az, aw = np.moveaxis(a, -1, 0)
    bx, by, bz, bw = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ],
        axis=-1,
    )


def rotate(q: Array, v: Array) -> Array:
    """Vectors by quaternions."""
    u, w = q[..., :3], q[..., 3:]
    t = 2.0 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def forward(parents: Any, offsets: Array, root: Array, rotations: Array) -> Array:
    """Forward kinematics, vectorised over frames, a loop over joints."""
    positions, turned = np.empty((*rotations.shape[:2], 3)), np.empty_like(rotations)
    positions[:, 0], turned[:, 0] = root, rotations[:, 0]
    for j in range(1, len(parents)):
        p = parents[j]
        turned[:, j] = multiply(turned[:, p], rotations[:, j])
        positions[:, j] = positions[:, p] + rotate(turned[:, p], offsets[j])
    return positions


def window_clouds(points: Array) -> Array:
    """``(T, 5 P, 3)``: each frame with the two before and after it, cut at the ends."""
    index = np.clip(np.arange(len(points))[:, None] + np.arange(-2, 3), 0, len(points) - 1)
    return points[index].reshape(len(points), -1, 3)


def cell(p: Array, q: Array) -> float:
    """One cell of the distance grid as Eq. 1 to 4 say it."""
    w = np.full(len(p), 1.0 / len(p))
    px, pz, qx, qz = w @ p[:, 0], w @ p[:, 2], w @ q[:, 0], w @ q[:, 2]
    s = w @ (p[:, 0] * q[:, 2] - q[:, 0] * p[:, 2]) - (px * qz - qx * pz)
    c = w @ (p[:, 0] * q[:, 0] + p[:, 2] * q[:, 2]) - (px * qx + pz * qz)
    angle = np.arctan2(s, c)
    x = q[:, 0] * np.cos(angle) + q[:, 2] * np.sin(angle)
    z = -q[:, 0] * np.sin(angle) + q[:, 2] * np.cos(angle)
    x, z = x - w @ x + px, z - w @ z + pz
    return float(w @ ((p[:, 0] - x) ** 2 + (p[:, 1] - q[:, 1]) ** 2 + (p[:, 2] - z) ** 2))


def grid_by_cells(a: Array, b: Array) -> Array:
    """The grid of window clouds, cell by cell."""
    return np.array([[cell(p, q) for q in b] for p in a])


def grid_products(a: Array, b: Array, block: int = 256) -> float:
    """Only the matrix products that a grid of clouds ``(T, P, 3)`` needs, in blocks of rows."""
    xz, heights = a[..., [0, 2]].reshape(len(a), -1), a[..., 1]
    turned = np.stack([a[..., 2], -a[..., 0]], axis=-1).reshape(len(a), -1)
    other, other_heights = b[..., [0, 2]].reshape(len(b), -1).T, b[..., 1].T
    total = 0.0
    for i in range(0, len(a), block):
        rows = slice(i, i + block)
        c, s = xz[rows] @ other, turned[rows] @ other
        total += c[0, 0] + s[0, 0] + (heights[rows] @ other_heights)[0, 0]
    return total


def blend_log_exp(rotations: Array, weights: Array, rounds: int = 3) -> Array:
    """Weighted mean of ``(k, T, J, 4)`` by logarithm and exponential."""
    mean = rotations[0]
    for _ in range(rounds):
        step = multiply(mean * np.array([-1.0, -1.0, -1.0, 1.0]), rotations)
        step = np.where(step[..., 3:] < 0.0, -step, step)
        size = np.linalg.norm(step[..., :3], axis=-1, keepdims=True)
        angle = np.arctan2(size, step[..., 3:])
        factor = np.where(size > 1e-12, angle / np.maximum(size, 1e-12), 1.0)
        vector = np.einsum("tk,ktjc->tjc", weights, step[..., :3] * factor)
        half = np.linalg.norm(vector, axis=-1, keepdims=True)
        turn = np.concatenate([vector * np.sinc(half / np.pi), np.cos(half)], axis=-1)
        mean = multiply(mean, turn)
    return mean


def warp_by_frames(rotations: Array, joints: list[int], knots: Array, vectors: Array) -> Array:
    """Rotation keys blended in and out, frame by frame and joint by joint.

    Parameters
    ----------
    rotations
        ``(T, J, 4)``
    joints, knots, vectors
        For each of n keys its joint, when it begins, is met and is over ``(n, 3)``, and its
        rotation vector ``(n, 3)``.
    """
    result = np.array(rotations)
    for t in range(len(rotations)):
        for joint, times, vector in zip(joints, knots, vectors, strict=True):
            part = vector * np.interp(t, times, [0.0, 1.0, 0.0])
            half = 0.5 * np.linalg.norm(part)
            turn = np.append(0.5 * part * np.sinc(half / np.pi), np.cos(half))
            result[t, joint] = multiply(turn, result[t, joint])
    return result


def legs_by_frames(hip: Array, knee: Array, ankle: Array, goal: Array) -> Array:
    """Knees ``(T, 3)`` of two-bone legs whose ankles go to goals, frame by frame."""
    result = np.empty_like(knee)
    for t in range(len(hip)):
        upper = np.linalg.norm(knee[t] - hip[t])
        lower = np.linalg.norm(ankle[t] - knee[t])
        way = goal[t] - hip[t]
        far = min(np.linalg.norm(way), upper + lower)
        way = way / np.linalg.norm(way)
        cosine = (upper**2 + far**2 - lower**2) / (2.0 * upper * far)
        side = knee[t] - hip[t] - way * (way @ (knee[t] - hip[t]))
        side = side / max(np.linalg.norm(side), 1e-12)
        sine = np.sqrt(max(1.0 - cosine**2, 0.0))
        result[t] = hip[t] + upper * (cosine * way + sine * side)
    return result


def poses_and_field(poses: Array, places: Array) -> Array:
    """What a subspace of poses ``(n, d)`` and a field over its places ``(n, 2)`` take at least."""
    centred = poses - poses.mean(axis=0)
    np.linalg.svd(centred, full_matrices=False)
    apart = np.linalg.norm(places[:, None] - places[None], axis=-1)
    return np.linalg.solve(apart + np.eye(len(places)), poses)


@njit(cache=True)
def nlerp_loop(rotations, weights, result):  # type: ignore[no-untyped-def]
    """Normalised sums, one joint after the other: about what C++ does."""
    k, frames, joints = rotations.shape[:3]
    for t in range(frames):
        for j in range(joints):
            x = y = z = w = 0.0
            for i in range(k):
                a = rotations[0, t, j]
                b = rotations[i, t, j]
                dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
                share = weights[t, i] if dot >= 0.0 else -weights[t, i]
                x += share * b[0]
                y += share * b[1]
                z += share * b[2]
                w += share * b[3]
            length = 1.0 / np.sqrt(x * x + y * y + z * z + w * w)
            result[t, j, 0] = x * length
            result[t, j, 1] = y * length
            result[t, j, 2] = z * length
            result[t, j, 3] = w * length
