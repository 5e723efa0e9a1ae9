"""Unit quaternions in xyzw order, vectorised over every leading dimension.

A quaternion and its negative are the same rotation. Functions that compare or mix rotations take
the shorter arc and ignore the sign. Euler orders are written as in BVH and SciPy with capitals:
``"ZYX"`` is the product ``Rz @ Ry @ Rx`` (turns about the body's own, already turned, axes).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.core.arrays import Array, read_only
from motionweave.core.runtime.kernels import kernel
from motionweave.errors import MotionError

IDENTITY: Array = np.array([0.0, 0.0, 0.0, 1.0])
IDENTITY.setflags(write=False)

_AXES = {"X": 0, "Y": 1, "Z": 2}
# Closer than this, the middle angle counts as gimbal lock: the other two angles then turn about one
# axis and only their sum is known.
_GIMBAL = 1e-8


def normalize(q: ArrayLike) -> Array:
    """Quaternions ``(..., 4)`` scaled to unit length."""
    q = np.asarray(q, dtype=np.float64)
    length = _length(q)
    # Also true for NaN.
    if length.size and not 0.0 < length.min() <= length.max() < np.inf:
        raise MotionError(
            "a quaternion of length zero or with a non-finite value is not a rotation"
        )
    return np.asarray(q / length)


@kernel(bare=True)
def _turn(turns, others, result):  # type: ignore[no-untyped-def]
    """Turn quaternions (n, 4) or vectors (n, 3) by unit quaternions (n, 4), into ``result``.

    Fewer than n, such as one for all or one for each joint, are used over and over. Both kinds are
    in one kernel, because compiling one takes a tenth of a second however small it is.
    """
    count, size = result.shape
    a, b = -1, -1
    for n in range(count):
        a = a + 1 if a + 1 < len(turns) else 0
        b = b + 1 if b + 1 < len(others) else 0
        x, y, z, w = turns[a, 0], turns[a, 1], turns[a, 2], turns[a, 3]
        vx, vy, vz = others[b, 0], others[b, 1], others[b, 2]
        if size == 4:
            vw = others[b, 3]
            result[n, 0] = w * vx + x * vw + y * vz - z * vy
            result[n, 1] = w * vy - x * vz + y * vw + z * vx
            result[n, 2] = w * vz + x * vy - y * vx + z * vw
            result[n, 3] = w * vw - x * vx - y * vy - z * vz
        else:
            # Twice the cross product of axis and vector.
            tx = 2.0 * (y * vz - z * vy)
            ty = 2.0 * (z * vx - x * vz)
            tz = 2.0 * (x * vy - y * vx)
            result[n, 0] = vx + w * tx + y * tz - z * ty
            result[n, 1] = vy + w * ty + z * tx - x * tz
            result[n, 2] = vz + w * tz + x * ty - y * tx


def _turned(turns: ArrayLike, others: ArrayLike, size: int) -> Array:
    """Quaternions or vectors ``(..., size)`` turned by quaternions ``(..., 4)``, broadcast."""
    turns, others = np.asarray(turns, dtype=np.float64), np.asarray(others, dtype=np.float64)
    if turns.shape[-1] != 4 or others.shape[-1] != size:
        raise ValueError(f"expected (..., 4) and (..., {size}), got {turns.shape}, {others.shape}")
    shape = turns.shape[:-1]
    if shape != others.shape[:-1]:
        shape = np.broadcast(turns[..., 0], others[..., 0]).shape
    result = np.empty((*shape, size))
    _turn(_rows(turns, shape), _rows(others, shape), result.reshape(-1, size))
    return result


def _rows(values: Array, shape: tuple[int, ...]) -> Array:
    """Values ``(..., n)`` repeated to a shape, in rows; once if they repeat over and over."""
    own, size = values.shape[:-1], values.shape[-1]
    if own != shape:
        while own and own[0] == 1:
            own = own[1:]
        if own != shape[len(shape) - len(own) :]:
            values = np.broadcast_to(values, (*shape, size))
    return read_only(values.reshape(-1, size))


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Products ``a * b`` (first b, then a), ``(..., 4)``, broadcast."""
    return _turned(a, b, 4)


def inverse(q: ArrayLike) -> Array:
    """Inverse of unit quaternions ``(..., 4)``."""
    return np.asarray(q, dtype=np.float64) * np.array([-1.0, -1.0, -1.0, 1.0])


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """Vectors ``(..., 3)`` turned by unit quaternions ``(..., 4)``, broadcast."""
    return _turned(q, v, 3)


def cross(a: ArrayLike, b: ArrayLike) -> Array:
    """Cross products of vectors ``(..., 3)``, broadcast: as np.cross, which is slow for a few."""
    a = np.asarray(a, dtype=np.float64)
    b = np.asarray(b, dtype=np.float64)
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return _stacked(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)


def _length(v: Array) -> Array:
    """Lengths ``(..., 1)`` of vectors ``(..., n)``: as np.linalg.norm, which is slow for a few."""
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", v, v)))[..., None]


def _stacked(*parts: Array) -> Array:
    """Parts ``(...)`` of one shape side by side, ``(..., n)``: as np.stack, but quick for a few."""
    result = np.empty((*np.shape(parts[0]), len(parts)))
    for i, part in enumerate(parts):
        result[..., i] = part
    return result


def log(q: ArrayLike) -> Array:
    """Rotation vectors ``(..., 3)`` (axis times angle, at most pi long) of ``(..., 4)``."""
    q = np.asarray(q, dtype=np.float64)
    q = np.where(q[..., 3:] < 0.0, -q, q)
    sine = _length(q[..., :3])
    # atan2 stays accurate near 0 and near pi, where acos and asin do not.
    angle = 2.0 * np.arctan2(sine, q[..., 3:])
    small = sine < 1e-12
    scale = np.where(small, 2.0, angle / np.where(small, 1.0, sine))
    return np.asarray(q[..., :3] * scale)


def exp(vector: ArrayLike) -> Array:
    """Unit quaternions ``(..., 4)`` of rotation vectors ``(..., 3)``."""
    vector = np.asarray(vector, dtype=np.float64)
    half = 0.5 * _length(vector)
    # sin(x) / x, smooth through zero.
    safe = np.maximum(half, 1e-20)
    return np.concatenate([vector * (0.5 * np.sin(safe) / safe), np.cos(half)], axis=-1)


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Array:
    """Rotations at fraction ``t`` (broadcast over ``(...)``) of the shorter arc from a to b.

    At ``t == 0`` the result is exactly ``a``; ``t`` outside [0, 1] extrapolates.
    """
    a = np.asarray(a, dtype=np.float64)
    step = log(multiply(inverse(a), b))
    return multiply(a, exp(step * np.asarray(t, dtype=np.float64)[..., None]))


def angle_between(a: ArrayLike, b: ArrayLike) -> Array:
    """Angle in radians, 0 to pi, between rotations ``(..., 4)``."""
    return np.asarray(np.linalg.norm(log(multiply(inverse(a), b)), axis=-1))


def unroll(q: ArrayLike) -> Array:
    """Quaternions ``(T, ..., 4)`` with signs chosen so that each is near the one before."""
    q = np.asarray(q, dtype=np.float64)
    result = q.copy()
    flips = np.einsum("...i,...i->...", q[1:], q[:-1]) < 0.0
    if flips.any():
        result[1:][np.cumsum(flips, axis=0) % 2 == 1] *= -1.0
    return result


def about_axis(axis: str, angle: ArrayLike) -> Array:
    """Rotations ``(..., 4)`` by ``angle`` radians about ``"X"``, ``"Y"`` or ``"Z"``."""
    angle = np.asarray(angle, dtype=np.float64)
    q = np.zeros((*angle.shape, 4))
    q[..., _AXES[axis]] = np.sin(0.5 * angle)
    q[..., 3] = np.cos(0.5 * angle)
    return q


def about_vertical(angle: ArrayLike) -> Array:
    """Rotations ``(..., 4)`` by ``angle`` radians about +y, the vertical."""
    return about_axis("Y", angle)


def vertical_angle(q: ArrayLike) -> Array:
    """The turn about +y contained in rotations ``(..., 4)`` (swing–twist), in (-pi, pi]."""
    q = np.asarray(q, dtype=np.float64)
    angle = 2.0 * np.arctan2(q[..., 1], q[..., 3])
    return np.asarray(np.mod(angle + np.pi, 2.0 * np.pi) - np.pi)


def between_vectors(a: ArrayLike, b: ArrayLike) -> Array:
    """Smallest rotations ``(..., 4)`` that take directions a to directions b ``(..., 3)``."""
    a = np.asarray(a, dtype=np.float64)
    b = np.asarray(b, dtype=np.float64)
    a, b = a / _length(a), b / _length(b)
    cosine = np.einsum("...i,...i->...", a, b)[..., None]
    q = np.concatenate([cross(a, b), 1.0 + cosine], axis=-1)
    # Opposite directions: any axis at right angles will do.
    opposite = cosine < -1.0 + 1e-12
    if opposite.any():
        helper = np.where(np.abs(a[..., :1]) < 0.9, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
        axis = np.broadcast_to(cross(a, helper), (*q.shape[:-1], 3))
        q = np.where(opposite, np.concatenate([axis, 0.0 * cosine], axis=-1), q)
    return normalize(q)


def to_matrix(q: ArrayLike) -> Array:
    """Matrices ``(..., 3, 3)`` of unit quaternions ``(..., 4)``."""
    q = np.asarray(q, dtype=np.float64)
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return _stacked(*(part for row in rows for part in row)).reshape(*q.shape[:-1], 3, 3)


def from_matrix(m: ArrayLike) -> Array:
    """Unit quaternions ``(..., 4)`` of rotation matrices ``(..., 3, 3)``."""
    m = np.asarray(m, dtype=np.float64)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    # The four rows are all multiples of the quaternion; the longest is the
    # best conditioned one.
    yz, zx, xy = m[..., 2, 1], m[..., 0, 2], m[..., 1, 0]
    zy, xz, yx = m[..., 1, 2], m[..., 2, 0], m[..., 0, 1]
    rows = np.stack(
        [
            np.stack([1 + xx - yy - zz, xy + yx, xz + zx, yz - zy], axis=-1),
            np.stack([xy + yx, 1 - xx + yy - zz, yz + zy, zx - xz], axis=-1),
            np.stack([xz + zx, yz + zy, 1 - xx - yy + zz, xy - yx], axis=-1),
            np.stack([yz - zy, zx - xz, xy - yx, 1 + xx + yy + zz], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(np.linalg.norm(rows, axis=-1), axis=-1)
    return normalize(np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :])


def orthogonal(matrices: ArrayLike) -> Array:
    """Rotations ``(..., 3, 3)`` nearest to matrices that may scale and shear."""
    matrices = np.asarray(matrices, dtype=np.float64)
    length = np.linalg.norm(matrices, axis=-2, keepdims=True)
    unit = matrices / np.where(length > 0.0, length, 1.0)
    error = np.abs(np.swapaxes(unit, -1, -2) @ unit - np.eye(3)).max(axis=(-1, -2))
    odd = (error > 1e-6) | (np.linalg.det(unit) < 0.0)
    if np.any(odd):
        left, _, right = np.linalg.svd(unit[odd])
        # A mirrored transform is decomposed as if it were not mirrored.
        left[..., :, 2] *= np.linalg.det(left @ right)[..., None]
        unit = unit.copy()
        unit[odd] = left @ right
    return np.asarray(unit)


def from_euler(angles: ArrayLike, order: str) -> Array:
    """Rotations ``(..., 4)`` of angles in radians ``(..., len(order))``, such as ``"ZYX"``."""
    angles = np.asarray(angles, dtype=np.float64)
    if not order or any(letter not in _AXES for letter in order):
        raise MotionError(f"rotation order {order!r}: expected letters X, Y and Z")
    if angles.shape[-1] != len(order):
        raise MotionError(f"rotation order {order!r} needs {len(order)} angles, not {angles.shape}")
    q = about_axis(order[0], angles[..., 0])
    for index, letter in enumerate(order[1:], start=1):
        q = multiply(q, about_axis(letter, angles[..., index]))
    return q


def to_euler(q: ArrayLike, order: str) -> Array:
    """Angles in radians ``(T, ..., 3)`` of rotations ``(T, ..., 4)``, continuous along T.

    Of the two sets of angles that give the same rotation, and of their full
    turns, each frame gets the one nearest to the frame before. In gimbal lock,
    where only the sum of the outer angles is known, the last one is held.
    """
    axes = [_AXES.get(letter, -1) for letter in order]
    if len(axes) != 3 or -1 in axes or axes[0] == axes[1] or axes[1] == axes[2]:
        raise MotionError(
            f"rotation order {order!r}: expected three of X, Y, Z, none twice in a row"
        )
    q = np.asarray(q, dtype=np.float64)
    if q.ndim == 1:
        return np.asarray(to_euler(q[None], order)[0])
    m = to_matrix(q)
    i, j = axes[0], axes[1]
    k = 3 - i - j
    # +1 where (i, j, k) is a cyclic permutation of (x, y, z), else -1.
    s = 1.0 if (j - i) % 3 == 1 else -1.0
    sum_of_outer = np.arctan2(s * m[..., k, j], m[..., j, j])
    if axes[2] == i:
        sine = np.hypot(m[..., j, i], m[..., k, i])
        first = np.arctan2(m[..., j, i], -s * m[..., k, i])
        middle = np.arctan2(sine, m[..., i, i])
        last = np.arctan2(m[..., i, j], s * m[..., i, k])
        locked = sine < _GIMBAL
        sign = np.where(m[..., i, i] > 0.0, 1.0, -1.0)
    else:
        cosine = np.hypot(m[..., i, i], m[..., i, j])
        first = np.arctan2(-s * m[..., j, k], m[..., k, k])
        middle = np.arctan2(s * m[..., i, k], cosine)
        last = np.arctan2(-s * m[..., i, j], m[..., i, i])
        locked = cosine < _GIMBAL
        sign = np.where(m[..., i, k] > 0.0, 1.0, -1.0)
    if np.any(locked):
        last = _hold_last(last, locked)
        first = np.where(locked, sum_of_outer - sign * last, first)
    other_middle = -middle if axes[2] == i else np.pi - middle
    angles = np.stack([first, middle, last], axis=-1)
    other = np.stack([first + np.pi, other_middle, last + np.pi], axis=-1)
    return _nearest_in_time(angles, other)


def _hold_last(values: Array, unknown: NDArray[np.bool_]) -> Array:
    """Values ``(T, ...)`` with unknown entries replaced by the last known one, else 0."""
    frames = np.arange(len(values)).reshape(-1, *([1] * (values.ndim - 1)))
    source = np.maximum.accumulate(np.where(unknown, -1, frames), axis=0)
    held = np.take_along_axis(values, np.maximum(source, 0), axis=0)
    return np.where(source < 0, 0.0, held)


def _nearest_in_time(angles: Array, other: Array) -> Array:
    """Choose per frame between two equivalent angle sets, then remove full turns."""

    def apart(a: Array, b: Array) -> Array:
        turn = np.mod(b - a + np.pi, 2.0 * np.pi) - np.pi
        return np.asarray(np.sum(turn * turn, axis=-1, keepdims=True))

    # Going from one set to the other is an isometry, so whether it is better to
    # switch between two frames does not depend on which set the first one uses:
    # the choices are a running count of switches.
    switch = apart(angles[:-1], other[1:]) < apart(angles[:-1], angles[1:])
    use_other = np.concatenate([np.zeros_like(switch[:1]), np.cumsum(switch, axis=0) % 2 == 1])
    if len(angles) == 1:
        return angles
    return np.asarray(np.unwrap(np.where(use_other, other, angles), axis=0))
