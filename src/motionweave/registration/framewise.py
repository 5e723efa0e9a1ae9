"""Distances of windows of whole frames, for whole grids the fastest way.

What two windows have in common is what their frames have in common, summed along the grid's
diagonals, and what the paths of their centres have in common. So the matrix products are
those of single frames, a fifth of the work of whole windows. Each frame is centred on
the floor, and centres are seen from their window's middle, so that no digits are lost to
clips that lead far away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from motionweave.registration.clouds import PointClip
from motionweave.registration.compare import Track
from motionweave.registration.windows import REACH, ROUNDING, STEP

Array = NDArray[np.float64]

# Rows of a grid that are computed at a time, so that everything stays in the cache.
_BLOCK = 96
_FRAMES = 2 * REACH + 1


def whole_stride(clip: PointClip) -> int | None:
    """How many frames of the clip lie between two of a window, or None if no whole number."""
    stride = round(clip.fps * STEP)
    return stride if stride >= 1 and abs(stride - clip.fps * STEP) < ROUNDING else None


@dataclass(frozen=True, eq=False)
class _Side:
    """One clip of a grid: its frames ``(T, ...)`` as rows of matrices, and their centres."""

    plane: Array
    turned: Array
    height: Array
    energy: Array
    centre: Array
    stride: int

    @classmethod
    def of(cls, clip: PointClip, level: float, stride: int) -> _Side:
        track = Track.of(clip)
        height = track.y - level
        energy = track.energy + (height * height) @ track.weights
        return cls(
            np.hstack([track.x, track.z]),
            np.hstack([track.z, -track.x]),
            height,
            energy,
            track.centre,
            stride,
        )

    def reach(self, first: int, stop: int) -> tuple[int, int]:
        """The frames that the windows of frames ``[first, stop)`` touch."""
        far = REACH * self.stride
        return max(0, first - far), min(len(self.centre), stop + far)

    def paths(self, first: int, stop: int) -> Array:
        """Centres of the windows' frames about their mean, ``(n, 2 K)``: all x, then all z.

        Only those of whole windows are of use; the others are not read.
        """
        offsets = self.stride * np.arange(-REACH, REACH + 1)
        at = np.clip(np.arange(first, stop)[:, None] + offsets, 0, len(self.centre) - 1)
        path = self.centre[at] - self.centre[first:stop, None]
        path = path - path.mean(axis=1, keepdims=True)
        return np.hstack([path[..., 0], path[..., 1]])


def frame_distances(
    a: PointClip,
    b: PointClip,
    strides: tuple[int, int],
    rows: tuple[int, int],
    columns: tuple[int, int],
) -> Array:
    """The part of the grid with rows ``[first, stop)`` and columns ``[first, stop)``."""
    # Only what the windows touch: the clips may be much longer.
    a, rows = _around(a, rows, strides[0])
    b, columns = _around(b, columns, strides[1])
    level = float(a.points[..., 1].mean())
    left, right = _Side.of(a, level, strides[0]), _Side.of(b, level, strides[1])
    weights = a.weights
    low, high = right.reach(*columns)
    plane_b, turned_b = right.plane[low:high].T, right.turned[low:high].T
    # E + E' - 2 Σ w y y' as one product, the energies in two further columns.
    ones = np.ones((high - low, 1))
    rest_b = np.hstack([right.height[low:high], ones, right.energy[low:high, None]]).T
    path_b = right.paths(*columns)
    k = _FRAMES
    path_turned = np.hstack([path_b[:, k:], -path_b[:, :k]]).T / k
    energy_b = np.sum(path_b**2, axis=1) / k
    out = np.empty((rows[1] - rows[0], columns[1] - columns[0]))
    for first in range(rows[0], rows[1], _BLOCK):
        stop = min(first + _BLOCK, rows[1])
        top, bottom = left.reach(first, stop)
        weighted = left.plane[top:bottom] * np.tile(weights, 2)
        ones = np.ones((bottom - top, 1))
        rest = np.hstack(
            [left.height[top:bottom] * (-2.0 * weights), left.energy[top:bottom, None], ones]
        )
        path_a = left.paths(first, stop)
        _combine(
            weighted @ plane_b,
            weighted @ turned_b,
            rest @ rest_b,
            path_a @ path_b.T / k,
            path_a @ path_turned,
            np.sum(path_a**2, axis=1) / k,
            energy_b,
            left.centre,
            right.centre,
            np.array([top, low, first, columns[0], *strides]),
            out[first - rows[0] : stop - rows[0]],
        )
    return out


def _around(
    clip: PointClip, frames: tuple[int, int], stride: int
) -> tuple[PointClip, tuple[int, int]]:
    """The clip as far as the windows of frames ``[first, stop)`` go, and those frames in it."""
    start = max(0, frames[0] - REACH * stride)
    return clip[start : frames[1] + REACH * stride], (frames[0] - start, frames[1] - start)


@njit(cache=True)
def _combine(  # type: ignore[no-untyped-def]
    cosine, sine, rest, path_cosine, path_sine, energy_a, energy_b, centre_a, centre_b, places, out
):
    """Sum along diagonals, add what the centres' paths contribute, and put into Eq. 1.

    ``cosine``, ``sine`` and ``rest`` begin with frames ``places[:2]`` of the clips, ``out``
    with frames ``places[2:4]``; ``places[4:]`` are the strides.
    """
    top, low, first, begin, step_a, step_b = places
    count_a, count_b = len(centre_a), len(centre_b)
    columns = out.shape[1]
    for n in range(out.shape[0]):
        i = first + n
        whole_from, whole_to = columns, columns
        if 2 * step_a <= i < count_a - 2 * step_a:
            whole_from = max(0, min(columns, 2 * step_b - begin))
            whole_to = max(whole_from, min(columns, count_b - 2 * step_b - begin))
            r = i - top
            c0, c1, c2 = cosine[r - 2 * step_a], cosine[r - step_a], cosine[r]
            c3, c4 = cosine[r + step_a], cosine[r + 2 * step_a]
            s0, s1, s2 = sine[r - 2 * step_a], sine[r - step_a], sine[r]
            s3, s4 = sine[r + step_a], sine[r + 2 * step_a]
            e0, e1, e2 = rest[r - 2 * step_a], rest[r - step_a], rest[r]
            e3, e4 = rest[r + step_a], rest[r + 2 * step_a]
            for m in range(whole_from, whole_to):
                j = begin + m - low
                p, q, u, v = j - 2 * step_b, j - step_b, j + step_b, j + 2 * step_b
                c = 0.2 * (c0[p] + c1[q] + c2[j] + c3[u] + c4[v]) + path_cosine[n, m]
                s = 0.2 * (s0[p] + s1[q] + s2[j] + s3[u] + s4[v]) + path_sine[n, m]
                e = 0.2 * (e0[p] + e1[q] + e2[j] + e3[u] + e4[v]) + energy_a[n] + energy_b[m]
                # Rounding must not make identical windows nearer than identical.
                out[n, m] = max(e - 2.0 * np.sqrt(c * c + s * s), 0.0)
        for m in range(columns):
            if whole_from <= m < whole_to:
                continue
            # A window that is cut: only what both have, the weights scaled to one again.
            j = begin + m
            count, c, s, e = 0, 0.0, 0.0, 0.0
            xa, za, xb, zb = 0.0, 0.0, 0.0, 0.0
            for o in range(-2, 3):
                f, g = i + o * step_a, j + o * step_b
                if f < 0 or g < 0 or f >= count_a or g >= count_b:
                    continue
                count += 1
                dxa, dza = centre_a[f, 0] - centre_a[i, 0], centre_a[f, 1] - centre_a[i, 1]
                dxb, dzb = centre_b[g, 0] - centre_b[j, 0], centre_b[g, 1] - centre_b[j, 1]
                c += cosine[f - top, g - low] + dxa * dxb + dza * dzb
                s += sine[f - top, g - low] + dxa * dzb - dza * dxb
                e += rest[f - top, g - low]
                e += dxa * dxa + dza * dza + dxb * dxb + dzb * dzb
                xa, za, xb, zb = xa + dxa, za + dza, xb + dxb, zb + dzb
            xa, za, xb, zb = xa / count, za / count, xb / count, zb / count
            c = c / count - (xa * xb + za * zb)
            s = s / count - (xa * zb - za * xb)
            e = e / count - (xa * xa + za * za + xb * xb + zb * zb)
            out[n, m] = max(e - 2.0 * np.sqrt(c * c + s * s), 0.0)
