"""Weighted mean of rotations: the Karcher mean of Park et al., used by Kovar & Gleicher 5.3."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.core.arrays import Array
from motionweave.core.kinematics import slerp_frames
from motionweave.core.runtime.kernels import kernel
from motionweave.errors import BlendError

_MOST_STEPS = 40
# Smaller steps are ignored, so that an input that is the mean is returned bit for bit.
_NONE = 1e-13
# The error that may remain.
_LAST = 1e-12
# A mean is nearer to all inputs than another if it is by more than rounding.
_NEARER = 1.0 - 1e-9
# Inputs within a quarter turn of a mean have no other mean: 1 - cosine of the half angle.
_QUARTER = 1.0 - math.sqrt(0.5)
# Signs matter from a sixth of a turn on: inputs a third of a turn apart approach the point where
# the mean could change sides.
_SIXTH = 1.0 - math.sqrt(0.75)
# Two inputs closer than a third of a turn are on one side: cosine of the half angle.
_THIRD = 0.5
# From 0 to half a turn, a / sin a is 1 + d P(d) / Q(d), d being 1 - cos a, except for 1e-13 ...
_P0, _P1, _P2 = 0.3333333333429022, -0.3200896822536824, 0.09515999173057807
_P3, _P4 = -0.008499992075556297, 1.1185606651298685e-05
_Q1, _Q2 = -1.3602690458955529, 0.6581590131615185
_Q3, _Q4 = -0.13176503397116315, 0.008919704627032196
# ... and (1 - a cot a) / sin² a is this up to a quarter turn, except for a share of 3e-5.
_B0, _B1, _B2, _B3 = 0.33332991, 0.26707285, 0.16412396, 0.1415743
_BENDING = 3e-5
# Means that are found side by side: loops over a few, without branches, use vector registers.
_LANES = 16


@kernel(fastmath={"contract"})
def _settle(rotations, weights, means, farthest, from_sum):  # type: ignore[no-untyped-def]
    """Bring ``means`` (T J, 4) to the means of rotations (k, T J, 4) by weights (T, k) beside them.

    Seen from a quaternion m, an input is a cosine and a vector r_i as long as the sine of its half
    angle a_i. The gradient of the sum of w_i a_i² is the sum g of w_i (a_i / sin a_i) r_i. The
    second derivative is the mean of c_i = a_i cot a_i across and 1 along the direction to each
    input: Newton's steps divide g by that matrix. If inputs are far from m, only by its mean
    (1 + 2 c) / 3, c being the mean of c_i, as if all directions were there.

    With ``from_sum`` the first step leads to the normalised sum of the inputs, each on the side of
    m, which is near the mean. ``farthest`` (T J,) takes 1 - cosine of the half angle to the
    farthest input.
    """
    clips, last = rotations.shape[0], rotations.shape[1] - 1
    joints = rotations.shape[1] // weights.shape[0]
    inputs, mean, most = np.empty((clips, 5, _LANES)), np.empty((4, _LANES)), np.empty(_LANES)
    # The mean of c_i and the gradient; the matrix without c: xx, yy, zz, xy, yz, zx.
    pull, bent = np.empty((4, _LANES)), np.empty((6, _LANES))
    for first in range(0, last + 1, _LANES):
        for lane in range(_LANES):
            # What is missing in the last block repeats the last joint.
            n = min(first + lane, last)
            for axis in range(4):
                mean[axis, lane] = means[n, axis]
            for i in range(clips):
                inputs[i, 4, lane] = weights[n // joints, i]
                for axis in range(4):
                    inputs[i, axis, lane] = rotations[i, n, axis]
        for step in range(_MOST_STEPS):
            exact = 0.0 if from_sum and step == 0 else 1.0
            most[:], pull[:], bent[:] = 0.0, 0.0, 0.0
            for i in range(clips):
                for lane in range(_LANES):
                    x, y, z, w = mean[0, lane], mean[1, lane], mean[2, lane], mean[3, lane]
                    qx, qy = inputs[i, 0, lane], inputs[i, 1, lane]
                    qz, qw = inputs[i, 2, lane], inputs[i, 3, lane]
                    share = inputs[i, 4, lane]
                    cosine = x * qx + y * qy + z * qz + w * qw
                    rx = w * qx - x * qw - y * qz + z * qy
                    ry = w * qy - y * qw - z * qx + x * qz
                    rz = w * qz - z * qw - x * qy + y * qx
                    d = 1.0 - abs(cosine)
                    most[lane] = d if share != 0.0 and d > most[lane] else most[lane]
                    top = _P0 + d * (_P1 + d * (_P2 + d * (_P3 + d * _P4)))
                    bottom = 1.0 + d * (_Q1 + d * (_Q2 + d * (_Q3 + d * _Q4)))
                    bend = exact * share * (_B0 + d * (_B1 + d * (_B2 + d * _B3)))
                    bx, by, bz = bend * rx, bend * ry, bend * rz
                    bent[0, lane] += bx * rx
                    bent[1, lane] += by * ry
                    bent[2, lane] += bz * rz
                    bent[3, lane] += bx * ry
                    bent[4, lane] += by * rz
                    bent[5, lane] += bz * rx
                    share *= 1.0 + exact * d * top / bottom
                    # The shorter arc: q and -q are the same rotation.
                    share = share if cosine >= 0.0 else -share
                    pull[0, lane] += share * cosine
                    pull[1, lane] += share * rx
                    pull[2, lane] += share * ry
                    pull[3, lane] += share * rz
            moving = 0
            for lane in range(_LANES):
                x, y, z, w = mean[0, lane], mean[1, lane], mean[2, lane], mean[3, lane]
                c, gx, gy, gz = pull[0, lane], pull[1, lane], pull[2, lane], pull[3, lane]
                near = 1.0 if most[lane] < _QUARTER and c > 0.25 else 0.0
                # Where inputs diverge, limit the step to twice their logarithms.
                across = 1.0 + 2.0 * c
                across = (across if across > 1.5 else 1.5) / 3.0
                c = across if exact > near else c
                full = exact * near
                xx, yy, zz = bent[0, lane], bent[1, lane], bent[2, lane]
                xx, yy, zz = full * xx + c, full * yy + c, full * zz + c
                xy, yz, zx = full * bent[3, lane], full * bent[4, lane], full * bent[5, lane]
                ax, ay, az = yy * zz - yz * yz, yz * zx - xy * zz, xy * yz - yy * zx
                by, bz, cz = xx * zz - zx * zx, xy * zx - xx * yz, xx * yy - xy * xy
                scale = 1.0 / (xx * ax + xy * ay + zx * az)
                sx = scale * (ax * gx + ay * gy + az * gz)
                sy = scale * (ay * gx + by * gy + bz * gz)
                sz = scale * (az * gx + bz * gy + cz * gz)
                size = sx * sx + sy * sy + sz * sz
                large = size >= _NONE * _NONE
                # Of a step remains what the matrix is off by, and what it changes on the way.
                left = most[lane] * (_BENDING + math.sqrt(size)) if full == 1.0 else most[lane]
                moving += 1 if large and size * left * left >= _LAST * _LAST else 0
                length = 1.0 / math.sqrt(1.0 + size)
                mean[0, lane] = length * (x + w * sx + y * sz - z * sy) if large else x
                mean[1, lane] = length * (y + w * sy + z * sx - x * sz) if large else y
                mean[2, lane] = length * (z + w * sz + x * sy - y * sx) if large else z
                mean[3, lane] = length * (w - x * sx - y * sy - z * sz) if large else w
            if moving == 0:
                break
        for lane in range(_LANES):
            n = min(first + lane, last)
            farthest[n] = most[lane]
            for axis in range(4):
                means[n, axis] = mean[axis, lane]


def mean_rotations(
    rotations: ArrayLike,
    weights: ArrayLike,
    signs: Callable[[], NDArray[np.int8]] | None = None,
) -> Array:
    """Weighted means of rotations.

    Iterated to convergence, from the normalised sum of the inputs on. A single weight of 1
    returns that input unchanged.

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
    if clips == 2:
        return _on_arcs(rotations, heaviest, weights, signs)
    result = rotations[heaviest, np.arange(frames)]
    inputs, means = rotations.reshape(clips, -1, 4), result.reshape(-1, 4)
    farthest = np.empty(len(means))
    _settle(inputs, weights, means, farthest, weights.min(initial=0.0) >= 0.0)
    # Far inputs may have several means. The one between the quaternions as they are signed
    # counts, or else the nearest to all inputs. With negative weights it is the one next to the
    # heaviest input.
    far = _QUARTER if signs is None else _SIXTH
    if farthest.max(initial=0.0) >= far:
        positive = weights.min(axis=1) >= 0.0
        at = np.flatnonzero((farthest >= far) & positive.repeat(joints))
        shares, several = weights[at // joints], inputs.take(at, axis=1)
        if signs is None:
            means[at] = _nearest(several, shares, means[at])
        else:
            means[at] = _between(several, shares, signs().reshape(clips, -1)[:, at], means[at])
    return result


def consistent_signs(tracks: Sequence[Array]) -> list[NDArray[np.int8]]:
    """Signs ``(T, J)`` of each of several tracks ``(T, J, 4)``, consistent over frames and tracks.

    Times its sign, each quaternion is near the one of the frame before, and the sum of a track is
    on the side of that of the first.
    """
    found = []
    reference: Array | None = None
    for turns in tracks:
        flips = np.einsum("tjc,tjc->tj", turns[1:], turns[:-1]) < 0.0
        signs = np.ones(turns.shape[:2])
        signs[1:] -= 2.0 * (np.cumsum(flips, axis=0) % 2)
        middle = np.einsum("tj,tjc->jc", signs, turns)
        if reference is None:
            reference = middle
        signs[:, np.einsum("jc,jc->j", reference, middle) < 0.0] *= -1.0
        found.append(signs.astype(np.int8))
    return found


def _on_arcs(
    rotations: Array,
    heavier: NDArray[np.intp],
    weights: Array,
    signs: Callable[[], NDArray[np.int8]] | None,
) -> Array:
    """Means ``(T, J, 4)`` of two inputs lie on the arcs between them, from the heavier one on."""
    frames = np.arange(len(weights))
    lower, upper = heavier * len(weights) + frames, (1 - heavier) * len(weights) + frames
    shares = weights[frames, 1 - heavier]
    result = slerp_frames(rotations.reshape(-1, *rotations.shape[2:]), lower, upper, shares)
    if signs is not None:
        cosines = np.einsum("tjc,tjc->tj", *rotations)
        far = np.abs(cosines) < _THIRD
        if far.any():
            # Those on different sides of each other take the longer arc.
            far &= cosines * signs().prod(axis=0) < 0.0
            t, j = np.nonzero(far)
            angles = np.arccos(-np.abs(cosines[t, j]))
            near, other = rotations[heavier[t], t, j], rotations[1 - heavier[t], t, j]
            behind = np.sin((1.0 - shares[t]) * angles) / np.sin(angles)
            ahead = np.sin(shares[t] * angles) / np.sin(angles) * np.sign(cosines[t, j])
            result[t, j] = behind[:, None] * near - ahead[:, None] * other
    return result


def _nearest(rotations: Array, weights: Array, means: Array) -> Array:
    """Of a mean and those next to each input the one nearest to all.

    Parameters
    ----------
    rotations, weights
        ``(k, n, 4)`` and ``(n, k)``.
    means
        ``(n, 4)``; changed.
    """
    left = np.arange(len(means))
    energies = _energies(rotations, weights, means)
    for one in rotations:
        start = one[left]
        # An input near to the mean leads there.
        new = np.abs(np.einsum("nc,nc->n", start, means[left])) <= 1.0 - _QUARTER
        at, found = left[new], start[new]
        beside, shares, farthest = rotations.take(at, axis=1), weights[at], np.empty(len(at))
        _settle(beside, shares, found, farthest, False)
        least = _energies(beside, shares, found)
        better = least < _NEARER * energies[at]
        means[at[better]], energies[at[better]] = found[better], least[better]
        left = np.setdiff1d(left, at[farthest < _QUARTER], assume_unique=True)
    return means


def _energies(rotations: Array, weights: Array, means: Array) -> Array:
    """Weighted sums ``(n,)`` of squared half angles from means ``(n, 4)`` to rotations."""
    cosines = np.abs(np.einsum("knc,nc->nk", rotations, means))
    return np.einsum("nk,nk->n", weights, np.arccos(np.minimum(cosines, 1.0)) ** 2)


def _between(rotations: Array, weights: Array, signs: NDArray[np.int8], means: Array) -> Array:
    """Means ``(n, 4)`` from the sum of signed quaternions on; those given where that is zero."""
    total = np.einsum("nk,kn,knc->nc", weights, signs, rotations)
    square = np.einsum("nc,nc->n", total, total)
    at = np.flatnonzero(square >= _NONE)
    found = total[at] / np.sqrt(square[at])[:, None]
    _settle(rotations.take(at, axis=1), weights[at], found, np.empty(len(at)), False)
    means[at] = found
    return means
