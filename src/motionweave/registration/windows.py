"""Distances of windows around any moments of clips, whatever their frame rates.

The general way: each window is a row of a matrix, and the grid of distances is a few
products of such matrices. Where windows consist of whole frames, `framewise` is faster.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.core.arrays import Array
from motionweave.registration.clouds import PointClip

# Seconds between the frames of a window, and how many there are before and after its middle.
STEP = 1.0 / 30.0
REACH = 2
# How far from a whole frame still counts as one: frame rates such as 59.94 are rounded.
ROUNDING = 1e-6
# Rows of a grid that are computed at a time, so that the products stay in the cache.
_BLOCK = 128


@dataclass(frozen=True, eq=False)
class Windows:
    """The clouds of n windows of K = 2 REACH + 1 frames, each centred on the floor.

    Parameters
    ----------
    plane
        ``(n, 2 K P)``: for each frame of a window all x, then all z.
    height
        ``(n, K P)``: all y.
    before, after
        ``(n,)``: how many frames before and after the middle one lie in the clip.
    weights
        ``(P,)`` of the points, summing to one.
    """

    plane: Array
    height: Array
    before: NDArray[np.intp]
    after: NDArray[np.intp]
    weights: Array

    def __len__(self) -> int:
        return len(self.plane)

    def __getitem__(self, rows: slice) -> Windows:
        part = Windows(
            self.plane[rows],
            self.height[rows],
            self.before[rows],
            self.after[rows],
            self.weights,
        )
        if "turned" in self.__dict__:
            # Sliced rather than computed again.
            part.__dict__["turned"] = self.turned[rows]
        return part

    @property
    def whole(self) -> slice:
        """Those windows that are not cut: they stand together if frames are in order."""
        uncut = np.flatnonzero((self.before == REACH) & (self.after == REACH))
        return slice(int(uncut[0]), int(uncut[-1]) + 1) if len(uncut) else slice(0, 0)

    @property
    def inside(self) -> NDArray[np.bool_]:
        """``(K, n)``: which frames of the windows lie in the clip."""
        offsets = np.arange(-REACH, REACH + 1)[:, None]
        return (offsets >= -self.before) & (offsets <= self.after)

    @cached_property
    def turned(self) -> Array:
        """``plane`` turned by a quarter: (x, z) becomes (z, -x). ``(n, 2 K P)``"""
        pairs = self.plane.reshape(len(self), -1, 2, len(self.weights))
        turned = np.empty_like(pairs)
        turned[:, :, 0] = pairs[:, :, 1]
        np.negative(pairs[:, :, 0], out=turned[:, :, 1])
        return turned.reshape(self.plane.shape)


def windows(clip: PointClip, frames: ArrayLike | None = None, *, level: float = 0.0) -> Windows:
    """Windows around (fractional) ``frames`` ``(n,)`` of a clip, by default around all.

    ``level`` is taken off all heights. That does not change distances, as long as both
    clips have the same, but saves digits.
    """
    at = np.arange(len(clip)) if frames is None else np.asarray(frames, dtype=np.float64)
    stride = clip.fps * STEP
    before, after = extents(clip, at)
    offsets = np.arange(-REACH, REACH + 1)
    times = np.clip(at[:, None] + stride * offsets, 0.0, len(clip) - 1.0)
    whole = np.rint(times)
    if np.all(np.abs(times - whole) < ROUNDING):
        plane, height = clip.plane[whole.astype(np.intp)], clip.points[..., 1]
        height = height[whole.astype(np.intp)]
    else:
        sampled = clip.sample(times.ravel(), clip.fps)
        plane = sampled.plane.reshape(*times.shape, *sampled.plane.shape[1:])
        height = sampled.points[..., 1].reshape(*times.shape, -1)
    inside = (offsets >= -before[:, None]) & (offsets <= after[:, None])
    shares = inside / inside.sum(axis=1, keepdims=True)
    centre = np.sum(shares[:, :, None] * (plane @ clip.weights), axis=1)
    plane = plane - centre[:, None, :, None]
    return Windows(
        plane.reshape(len(at), -1),
        (height - level).reshape(len(at), -1),
        before,
        after,
        clip.weights,
    )


def window_distances(a: Windows, b: Windows) -> Array:
    """Distances ``(n, m)`` of n windows to m others, both in order of time."""
    result = np.empty((len(a), len(b)))
    rows, columns = a.whole, b.whole
    _ = b.turned  # Computed once, then sliced.
    _fill_whole(result[rows, columns], a[rows], b[columns])
    # What is left is a frame around that: a few rows above and below, a few columns
    # left and right.
    for edge in (slice(0, rows.start), slice(rows.stop, len(a))):
        if edge.start < edge.stop:
            result[edge] = _cut_distances(a[edge], b)
    for edge in (slice(0, columns.start), slice(columns.stop, len(b))):
        if edge.start < edge.stop and rows.start < rows.stop:
            result[rows, edge] = _cut_distances(a[rows], b[edge])
    return result


def extents(clip: PointClip, frames: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """How many frames of each window, before and after its middle, lie in the clip."""
    at = np.asarray(frames, dtype=np.float64)
    stride = clip.fps * STEP
    before = np.floor(at / stride + ROUNDING)
    after = np.floor((len(clip) - 1 - at) / stride + ROUNDING)
    return (
        np.clip(before, 0, REACH).astype(np.intp),
        np.clip(after, 0, REACH).astype(np.intp),
    )


def _fill_whole(out: Array, a: Windows, b: Windows) -> None:
    """Distances of windows none of which is cut, by matrix products."""
    frames = 2 * REACH + 1
    w = np.tile(a.weights / frames, frames)
    both = np.repeat(w.reshape(frames, -1), 2, axis=0).ravel()
    # E + E' - 2 Σ w y y' as one product, the energies in two further columns.
    left = np.hstack([a.height * (-2.0 * w), _energies(a, both, w), np.ones((len(a), 1))])
    right = np.hstack([b.height, np.ones((len(b), 1)), _energies(b, both, w)])
    # Twice the weight: what is needed in the end is 2 sqrt(C² + S²).
    weighted = a.plane * (2.0 * both)
    for top in range(0, len(a), _BLOCK):
        rows = slice(top, top + _BLOCK)
        cosine = weighted[rows] @ b.plane.T
        sine = weighted[rows] @ b.turned.T
        cosine *= cosine
        sine *= sine
        cosine += sine
        np.sqrt(cosine, out=cosine)
        np.matmul(left[rows], right.T, out=sine)
        np.subtract(sine, cosine, out=out[rows])
        # Rounding must not make identical windows nearer than identical.
        np.maximum(out[rows], 0.0, out=out[rows])


def _energies(w: Windows, plane_weights: Array, height_weights: Array) -> Array:
    """``(n, 1)``: the weighted mean squares of whole windows' coordinates."""
    energy = (w.plane * w.plane) @ plane_weights + (w.height * w.height) @ height_weights
    return energy[:, None]


def _cut_distances(a: Windows, b: Windows) -> Array:
    """Distances of windows that may be cut, gathered frame of the window by frame."""
    frames, points = 2 * REACH + 1, len(a.weights)
    inside = np.stack([p[:, None] & q for p, q in zip(a.inside, b.inside, strict=True)])
    shares = inside / inside.sum(axis=0)
    w, both = a.weights, np.tile(a.weights, 2)
    pa, pb, turned = (v.reshape(len(v), frames, -1) for v in (a.plane, b.plane, b.turned))
    ya, yb = (v.reshape(len(v), frames, -1) for v in (a.height, b.height))
    # Windows are centred as far as their own clip goes; cut further, they are no more.
    means_a, means_b = (v.reshape(len(v), frames, 2, points) @ w for v in (pa, pb))
    shape = (len(a), len(b))
    cosine, sine, energy = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    centre_a, centre_b = np.zeros((2, *shape)), np.zeros((2, *shape))
    for o, share in enumerate(shares):
        cosine += share * ((pa[:, o] * both) @ pb[:, o].T)
        sine += share * ((pa[:, o] * both) @ turned[:, o].T)
        squares_a = (pa[:, o] ** 2) @ both + (ya[:, o] ** 2) @ w
        squares_b = (pb[:, o] ** 2) @ both + (yb[:, o] ** 2) @ w
        energy += share * (squares_a[:, None] + squares_b - 2.0 * ((ya[:, o] * w) @ yb[:, o].T))
        for c in range(2):
            centre_a[c] += share * means_a[:, o, c, None]
            centre_b[c] += share * means_b[:, o, c]
    cosine -= np.sum(centre_a * centre_b, axis=0)
    sine -= centre_a[0] * centre_b[1] - centre_a[1] * centre_b[0]
    energy -= np.sum(centre_a**2 + centre_b**2, axis=0)
    return np.asarray(np.maximum(energy - 2.0 * np.hypot(cosine, sine), 0.0))
