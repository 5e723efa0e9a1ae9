"""Distances of windows of whole frames, for whole grids the fastest way.

What two windows have in common is what their frames have in common, summed along the grid's
diagonals, and what the paths of their centres have in common. So the matrix products are
those of single frames, a fifth of the work of whole windows. Each frame is centred on
the floor, and centres are seen from their window's middle, so that no digits are lost to
clips that lead far away.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from weakref import WeakKeyDictionary

import numpy as np

from motionweave.core.arrays import Array
from motionweave.registration.clouds import PointClip
from motionweave.registration.compare import Track
from motionweave.registration.windows import REACH, ROUNDING, STEP

# Rows and columns of a grid that are computed at a time, so that everything stays in the cache.
_ROWS, _COLUMNS = 96, 768
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

    As the left factor of products, rows are weighted, and each frame of a window counts
    one K-th; as the right one they are as they are.

    Parameters
    ----------
    plane, turned
        ``(T, 2 P)`` all x, then all z of the points about each frame's centre; the same turned
        by a quarter: (x, z) becomes (z, -x).
    height
        ``(T, P)`` above ``level``.
    energy
        ``(T,)`` weighted mean square of a frame's coordinates.
    path, path_turned
        ``(T, 2 K)`` the same as ``plane`` of the centres of a window's frames, about their mean.
    path_energy
        ``(T, K)`` squares of the centres' distances from that.
    inside
        ``(T, K)`` which frames of a window there are, as 0 or 1.
    weights
        ``(P,)`` of the points.
    level
        The mean height of all points.
    stride
        Frames between two of a window.
    """

    plane: Array
    turned: Array
    height: Array
    energy: Array
    path: Array
    path_turned: Array
    path_energy: Array
    inside: Array
    weights: Array
    level: float
    stride: int

    @classmethod
    def of(cls, clip: PointClip, stride: int) -> _Side:
        """The side of a clip, which is computed once."""
        if clip not in _SIDES:
            _SIDES[clip] = cls._made(clip, stride)
        return _SIDES[clip]

    @classmethod
    def _made(cls, clip: PointClip, stride: int) -> _Side:
        track = Track.of(clip)
        level = float(track.y.mean())
        height = track.y - level
        count = len(clip)
        at = np.arange(count)[:, None] + stride * _OFFSETS
        inside = (at >= 0) & (at < count)
        path = track.centre.T[:, np.clip(at, 0, count - 1)] * inside
        path -= path.sum(axis=2, keepdims=True) / inside.sum(axis=1, keepdims=True)
        x, z = path * inside
        return cls(
            np.hstack([track.x, track.z]),
            np.hstack([track.z, -track.x]),
            height,
            track.energy + (height * height) @ track.weights,
            np.hstack([x, z]),
            np.hstack([z, -x]),
            x * x + z * z,
            inside.astype(np.float64),
            track.weights,
            level,
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


_SIDES: WeakKeyDictionary[PointClip, _Side] = WeakKeyDictionary()


def frame_distances(
    a: PointClip,
    b: PointClip,
    strides: tuple[int, int],
    rows: tuple[int, int],
    columns: tuple[int, int],
) -> Array:
    """The part of the grid with rows ``[first, stop)`` and columns ``[first, stop)``."""
    left, right = _Side.of(a, strides[0]), _Side.of(b, strides[1])
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
    for first, start in product(range(top, bottom, _ROWS), range(low, high, _COLUMNS)):
        fill((first, min(first + _ROWS, bottom)), (start, min(start + _COLUMNS, high)))
    # What is left is a frame around that, of windows that are cut.
    fill((rows[0], top), columns)
    fill((bottom, rows[1]), columns)
    fill((top, bottom), (columns[0], low))
    fill((top, bottom), (high, columns[1]))
    return out


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

    k, w = _FRAMES, left.weights
    plane, path = left.plane[above] * np.tile(w / k, 2), left.path[i] / k
    cosine = windowed(plane @ right.plane[across].T, path @ right.path[j].T)
    sine = windowed(plane @ right.turned[across].T, path @ right.path_turned[j].T)
    # E + E' - 2 Σ w y y' as one product, the energies in two further columns; both clips' heights
    # above the level of the second.
    lift = left.level - right.level
    height = left.height[above]
    own = left.energy[above] + 2.0 * lift * (height @ w) + lift * lift
    one, other = np.ones(len(height)), right.energy[across]
    energy = windowed(
        np.column_stack([(height + lift) * (-2.0 * w), own, one])
        / k
        @ np.column_stack([right.height[across], np.ones(len(other)), other]).T,
        np.hstack([left.path_energy[i], left.inside[i]])
        / k
        @ np.hstack([right.inside[j], right.path_energy[j]]).T,
    )
    if left.whole(*rows) != rows or right.whole(*columns) != columns:
        # Windows are centred as far as their own clip goes; cut further, they are no more.
        there_a, there_b = left.inside[i], right.inside[j].T
        counts = there_a @ there_b
        xa, za = (left.path[i, c] @ there_b / counts for c in (slice(k), slice(k, None)))
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
