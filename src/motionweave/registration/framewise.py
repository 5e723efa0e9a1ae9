"""Distances of windows of whole frames, for whole grids the fastest way.

What two windows have in common is what their frames have in common, summed along the grid's
diagonals, and what the paths of their centres have in common. So the matrix products are
those of single frames, a fifth of the work of whole windows. Each frame is centred on
the floor, and centres are seen from their window's middle, so that no digits are lost to
clips that lead far away.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from motionweave.registration.clouds import PointClip
from motionweave.registration.compare import Track
from motionweave.registration.windows import REACH, ROUNDING, STEP

Array = NDArray[np.float64]

# Rows of a grid that are computed at a time, so that everything stays in the cache.
_BLOCK = 96
# A grid of so few cells is computed in one go, as if any window might be cut.
_SMALL = 10_000
_OFFSETS = np.arange(-REACH, REACH + 1)
_FRAMES = len(_OFFSETS)


def whole_stride(clip: PointClip) -> int | None:
    """How many frames of the clip lie between two of a window, or None if no whole number."""
    stride = round(clip.fps * STEP)
    return stride if stride >= 1 and abs(stride - clip.fps * STEP) < ROUNDING else None


@dataclass(frozen=True, eq=False)
class _Side:
    """One clip of a grid: its T frames as rows of matrices, and their windows of K frames.

    Parameters
    ----------
    plane, turned
        ``(T, 2 P)`` all x, then all z of the points about each frame's centre; the same turned
        by a quarter: (x, z) becomes (z, -x).
    rest
        ``(T, P + 2)`` heights, a column of ones, and the frame's energy.
    path, path_turned
        ``(T, 2 K)`` the same of the centres of a window's frames, about their mean.
    path_rest
        ``(T, 2 K)`` which frames of a window there are, as 0 or 1, then the centres' energies.
    stride
        Frames between two of a window.
    """

    plane: Array
    turned: Array
    rest: Array
    path: Array
    path_turned: Array
    path_rest: Array
    stride: int

    @classmethod
    def of(cls, clip: PointClip, level: float, stride: int) -> _Side:
        track = Track.of(clip)
        height = track.y - level
        energy = track.energy + (height * height) @ track.weights
        count = len(clip)
        at = np.arange(count)[:, None] + stride * _OFFSETS
        inside = (at >= 0) & (at < count)
        path = track.centre.T[:, np.clip(at, 0, count - 1)] * inside
        path -= path.sum(axis=2, keepdims=True) / inside.sum(axis=1, keepdims=True)
        x, z = path * inside
        return cls(
            np.hstack([track.x, track.z]),
            np.hstack([track.z, -track.x]),
            np.column_stack([height, np.ones(count), energy]),
            np.hstack([x, z]),
            np.hstack([z, -x]),
            np.hstack([inside, x * x + z * z]),
            stride,
        )

    def __len__(self) -> int:
        return len(self.plane)

    def whole(self, first: int, stop: int) -> tuple[int, int]:
        """Which of the frames ``[first, stop)`` have windows that are not cut."""
        far = REACH * self.stride
        begin = min(max(first, far), stop)
        return begin, max(begin, min(stop, len(self) - far))

    def touched(self, first: int, stop: int) -> tuple[int, int]:
        """The frames that the windows of frames ``[first, stop)`` touch."""
        far = REACH * self.stride
        return max(0, first - far), min(len(self), stop + far)

    def steps(self, first: int, stop: int) -> list[tuple[slice, slice]]:
        """For each frame of a window: which of ``[first, stop)`` have it, and where it is.

        The latter among the frames that are touched.
        """
        top, bottom = self.touched(first, stop)
        found = []
        for by in (self.stride * _OFFSETS).tolist():
            begin = max(first + by, top)
            end = max(begin, min(stop + by, bottom))
            here, there = (slice(begin - zero, end - zero) for zero in (first + by, top))
            found.append((here, there))
        return found

    def weighted(self, weights: Array) -> _Side:
        """The left factor of the products: each frame of a window counts one K-th."""
        count = len(weights)
        heights, one, energy = np.split(self.rest, [count, count + 1], axis=1)
        there, energies = np.split(self.path_rest, 2, axis=1)
        return replace(
            self,
            plane=self.plane * np.tile(weights / _FRAMES, 2),
            rest=np.hstack([heights * (-2.0 * weights), energy, one]) / _FRAMES,
            path=self.path / _FRAMES,
            path_rest=np.hstack([energies, there]) / _FRAMES,
        )


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
    left = _Side.of(a, level, strides[0]).weighted(a.weights)
    right = _Side.of(b, level, strides[1])
    out = np.empty((rows[1] - rows[0], columns[1] - columns[0]))

    def fill(some: tuple[int, int], others: tuple[int, int]) -> None:
        if some[0] < some[1] and others[0] < others[1]:
            part = out[slice(*np.subtract(some, rows[0])), slice(*np.subtract(others, columns[0]))]
            _fill(left, right, some, others, part)

    if out.size <= _SMALL:
        fill(rows, columns)
        return out
    top, bottom = left.whole(*rows)
    low, high = right.whole(*columns)
    for first in range(top, bottom, _BLOCK):
        fill((first, min(first + _BLOCK, bottom)), (low, high))
    # What is left is a frame around that, of windows that are cut.
    fill((rows[0], top), columns)
    fill((bottom, rows[1]), columns)
    fill((top, bottom), (columns[0], low))
    fill((top, bottom), (high, columns[1]))
    return out


def _around(
    clip: PointClip, frames: tuple[int, int], stride: int
) -> tuple[PointClip, tuple[int, int]]:
    """The clip as far as the windows of frames ``[first, stop)`` go, and those frames in it."""
    start = max(0, frames[0] - REACH * stride)
    return clip[start : frames[1] + REACH * stride], (frames[0] - start, frames[1] - start)


def _fill(
    left: _Side, right: _Side, rows: tuple[int, int], columns: tuple[int, int], out: Array
) -> None:
    """Put the distances of some windows into ``out``; either all are whole or any may be cut."""
    i, j = slice(*rows), slice(*columns)
    above, across = slice(*left.touched(*rows)), slice(*right.touched(*columns))
    steps = list(zip(left.steps(*rows), right.steps(*columns), strict=True))

    def windowed(single: Array, total: Array) -> Array:
        # Products of single frames, summed along the diagonals.
        for (rows_here, rows_there), (here, there) in steps:
            total[rows_here, here] += single[rows_there, there]
        return total

    cosine = windowed(left.plane[above] @ right.plane[across].T, left.path[i] @ right.path[j].T)
    sine = windowed(
        left.plane[above] @ right.turned[across].T, left.path[i] @ right.path_turned[j].T
    )
    # E + E' - 2 Σ w y y' as one product, the energies in two further columns.
    energy = windowed(
        left.rest[above] @ right.rest[across].T, left.path_rest[i] @ right.path_rest[j].T
    )
    if left.whole(*rows) != rows or right.whole(*columns) != columns:
        # Windows are centred as far as their own clip goes; cut further, they are no more.
        k = _FRAMES
        there_a, there_b = k * left.path_rest[i, k:], right.path_rest[j, :k].T
        counts = there_a @ there_b
        xa, za = (k * left.path[i, c] @ there_b / counts for c in (slice(k), slice(k, None)))
        xb, zb = (there_a @ right.path[j, c].T / counts for c in (slice(k), slice(k, None)))
        scale = k / counts
        cosine = scale * cosine - (xa * xb + za * zb)
        sine = scale * sine - (xa * zb - za * xb)
        energy = scale * energy - (xa * xa + za * za + xb * xb + zb * zb)
    cosine *= cosine
    sine *= sine
    cosine += sine
    np.sqrt(cosine, out=cosine)
    cosine *= -2.0
    np.add(energy, cosine, out=out)
    # Rounding must not make identical windows nearer than identical.
    np.maximum(out, 0.0, out=out)
