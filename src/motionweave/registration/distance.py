"""How alike two frames are, wherever they stand and face (Kovar & Gleicher 4.1).

Around each frame a window of five frames, 1/30 s apart, is taken as one cloud of points.
The distance of two frames is the least weighted mean square distance of corresponding
points over all turns about the vertical and shifts on the floor of the second cloud
(Eq. 1). With both clouds centred on the floor, the optimum (Eqs. 2-4) put back into Eq. 1 is::

    E + E' - 2 sqrt(C² + S²) - 2 Σ w y y'

with the clouds' energies ``E = Σ w |p|²``, and ``C`` and ``S`` the denominator and numerator
of Eq. 2: a whole grid of distances is a few matrix products.

Near a clip's ends a window is cut off; then the other frame's window is cut in the same
way, and the weights are scaled so that they sum to one again.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.errors import RegistrationError
from motionweave.registration.clouds import JointWeights, PointClip, as_points

Array = NDArray[np.float64]

# Seconds between the frames of a window, and how many there are before and after its middle.
STEP = 1.0 / 30.0
REACH = 2
# Rows of a grid that are computed at a time, so that the products stay in the cache.
_BLOCK = 256
# How far from a whole frame still counts as one: frame rates such as 59.94 are rounded.
_ROUNDING = 1e-6


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

    @cached_property
    def turned(self) -> Array:
        """``plane`` turned by a quarter: (x, z) becomes (z, -x). ``(n, 2 K P)``"""
        pairs = self.plane.reshape(len(self), -1, 2, len(self.weights))
        return np.stack([pairs[:, :, 1], -pairs[:, :, 0]], axis=2).reshape(self.plane.shape)


def windows(clip: PointClip, frames: ArrayLike | None = None, *, level: float = 0.0) -> Windows:
    """Windows around (fractional) ``frames`` ``(n,)`` of a clip, by default around all.

    ``level`` is taken off all heights. That does not change distances, as long as both
    clips have the same, but saves digits.
    """
    at = np.arange(len(clip)) if frames is None else np.asarray(frames, dtype=np.float64)
    stride = clip.fps * STEP
    before, after = _extents(clip, at)
    offsets = np.arange(-REACH, REACH + 1)
    times = np.clip(at[:, None] + stride * offsets, 0.0, len(clip) - 1.0)
    whole = np.rint(times)
    if np.all(np.abs(times - whole) < _ROUNDING):
        clouds = clip.points[whole.astype(np.intp)]
    else:
        clouds = clip.sample(times.ravel(), clip.fps).points
        clouds = clouds.reshape(*times.shape, *clip.points.shape[1:])
    inside = (offsets >= -before[:, None]) & (offsets <= after[:, None])
    shares = inside / inside.sum(axis=1, keepdims=True)
    plane = clouds[..., [0, 2]].swapaxes(2, 3)
    centre = np.einsum("no,noc->nc", shares, plane @ clip.weights)
    return Windows(
        (plane - centre[:, None, :, None]).reshape(len(at), -1),
        (clouds[..., 1] - level).reshape(len(at), -1),
        before,
        after,
        clip.weights,
    )


def distance_grid(
    a: Motion | PointClip, b: Motion | PointClip, *, weights: JointWeights | None = None
) -> Array:
    """Distances ``(Ta, Tb)`` of every frame of one clip to every frame of another.

    Mean square distances, in the clips' unit squared. The clips may have different
    frame rates, but must have the same points.
    """
    a, b = corresponding(a, b, weights)
    return window_distances(*_both(a, b, None, None))


def distance_block(
    a: Motion | PointClip,
    b: Motion | PointClip,
    rows: tuple[int, int],
    columns: tuple[int, int],
) -> Array:
    """The part of the grid with rows ``[first, stop)`` and columns ``[first, stop)``."""
    a, b = corresponding(a, b)
    return window_distances(*_both(a, b, np.arange(*rows), np.arange(*columns)))


def distance_band(a: PointClip, b: PointClip, first: NDArray[np.intp], width: int) -> Array:
    """The part of the grid in which row i has the columns from ``first[i]`` on, ``width`` of them.

    Nothing outside the band is kept, so that memory grows with the clip's length, not
    with its square. Columns beyond the clip hold infinity.

    Parameters
    ----------
    first
        ``(Ta,)``, may be negative or reach beyond the clip.

    Returns
    -------
    ``(Ta, width)``
    """
    band = np.full((len(a), width), np.inf)
    block = max(16, min(_BLOCK, width))
    for top in range(0, len(a), block):
        rows = np.arange(top, min(top + block, len(a)))
        low = max(0, int(first[rows].min()))
        high = min(len(b), int(first[rows].max()) + width)
        if low >= high:
            continue
        part = window_distances(*_both(a, b, rows, np.arange(low, high)))
        columns = first[rows, None] + np.arange(width) - low
        inside = (columns >= 0) & (columns < high - low)
        row, place = np.nonzero(inside)
        band[top + row, place] = part[row, columns[row, place]]
    return band


def signal_block(
    a: PointClip, b: PointClip, rows: tuple[int, int], columns: tuple[int, int]
) -> Array:
    """Squared differences of the clips' signals on the part of the grid that is asked for."""
    p, q = a.signals[slice(*rows)], b.signals[slice(*columns)]
    apart = np.sum(p * p, axis=1)[:, None] + np.sum(q * q, axis=1) - 2.0 * (p @ q.T)
    return np.asarray(np.maximum(apart, 0.0))


def signal_band(a: PointClip, b: PointClip, first: NDArray[np.intp], width: int) -> Array:
    """The same along a band, as in `distance_band`; nothing beyond the clip."""
    columns = np.clip(first[:, None] + np.arange(width), 0, len(b) - 1)
    return np.asarray(np.sum((a.signals[:, None] - b.signals[columns]) ** 2, axis=2))


def window_distances(a: Windows, b: Windows) -> Array:
    """Distances ``(n, m)`` of n windows to m others."""
    result = np.empty((len(a), len(b)))
    # Frames whose windows are cut in the same way stand together: a few ranges on each
    # side, most of the grid in a single pair of them.
    for rows, before_a, after_a in _equally_cut(a):
        for columns, before_b, after_b in _equally_cut(b):
            before, after = min(before_a, before_b), min(after_a, after_b)
            for top in range(rows.start, rows.stop, _BLOCK):
                part = slice(top, min(top + _BLOCK, rows.stop))
                _fill(result[part, columns], a, b, part, columns, before, after)
    return result


def align(a: ArrayLike, b: ArrayLike, weights: ArrayLike | None = None) -> Planar:
    """The moves that bring clouds b nearest to clouds a (Eqs. 2-4).

    Parameters
    ----------
    a, b
        ``(..., n, 3)`` corresponding points.
    weights
        ``(..., n)``, summing to one; by default all equal.
    """
    p = np.asarray(a, dtype=np.float64)[..., [0, 2]]
    q = np.asarray(b, dtype=np.float64)[..., [0, 2]]
    w = np.full(p.shape[-2], 1.0 / p.shape[-2]) if weights is None else np.asarray(weights)
    to, origin = np.sum(w[..., None] * p, axis=-2), np.sum(w[..., None] * q, axis=-2)
    p, q = p - to[..., None, :], q - origin[..., None, :]
    cosine = np.sum(w * (p[..., 0] * q[..., 0] + p[..., 1] * q[..., 1]), axis=-1)
    sine = np.sum(w * (p[..., 0] * q[..., 1] - p[..., 1] * q[..., 0]), axis=-1)
    return onto(np.arctan2(sine, cosine), origin, to)


def align_frames(
    a: Motion | PointClip, b: Motion | PointClip, frame_a: float, frame_b: float
) -> Planar:
    """The move that brings a frame of b nearest to a frame of a, each with its window."""
    a, b = corresponding(a, b)
    extents = [_extents(clip, at) for clip, at in ((a, frame_a), (b, frame_b))]
    before, after = (int(min(p, q)) for p, q in zip(*extents, strict=True))
    offsets = np.arange(-before, after + 1)
    clouds = [
        clip.sample(
            np.clip(at + clip.fps * STEP * offsets, 0.0, len(clip) - 1.0), clip.fps
        ).points.reshape(-1, 3)
        for clip, at in ((a, frame_a), (b, frame_b))
    ]
    return align(clouds[0], clouds[1], np.tile(a.weights, len(offsets)) / len(offsets))


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two clips of n frames compared frame by frame.

    Parameters
    ----------
    distance
        ``(n,)``, Eq. 1.
    angle
        ``(n,)``, by how much the second is to be turned, Eq. 2.
    centres
        ``(2, n, 2)``: x and z of the weighted means of the first's and the second's windows.
    """

    distance: Array
    angle: Array
    centres: Array

    @property
    def moves(self) -> Planar:
        """The moves ``(n,)`` that bring the second nearest to the first (Eqs. 2-4)."""
        return onto(self.angle, self.centres[1], self.centres[0])


def compare(a: PointClip, b: PointClip, signals: float = 0.0) -> Comparison:
    """Compare two clips of n frames frame by frame, each frame with its neighbours.

    ``signals`` is how much the difference of the clips' signals adds to the distance.

    Other than in a grid, where each window runs at its own clip's pace, the windows here
    run through the same steps: this is for clips whose timing is known.
    """
    weights = a.weights
    origins = [np.mean(clip.points, axis=(0, 1)) * (1.0, 0.0, 1.0) for clip in (a, b)]
    p, q = a.points - origins[0], b.points - origins[1]
    means = [np.einsum("npc,p->nc", track, weights) for track in (p, q)]
    cosine = np.einsum("npc,npc,p->n", p[..., ::2], q[..., ::2], weights)
    sine = np.einsum("np,np,p->n", p[..., 0], q[..., 2], weights) - np.einsum(
        "np,np,p->n", p[..., 2], q[..., 0], weights
    )
    rise = p[..., 1] - q[..., 1]
    energy = np.einsum("np,np,p->n", rise, rise, weights)
    energy += signals * np.sum((a.signals - b.signals) ** 2, axis=1)
    for track in (p, q):
        energy += np.einsum("npc,npc,p->n", track[..., ::2], track[..., ::2], weights)
    rows = np.stack([cosine, sine, energy, *(m[:, i] for m in means for i in (0, 2))])
    cosine, sine, energy, xa, za, xb, zb = _running_mean(rows)
    cosine = cosine - (xa * xb + za * zb)
    sine = sine - (xa * zb - za * xb)
    energy = energy - (xa * xa + za * za) - (xb * xb + zb * zb)
    centres = np.stack(
        [
            np.stack([x, z], axis=-1) + origin[::2]
            for x, z, origin in zip((xa, xb), (za, zb), origins, strict=True)
        ]
    )
    apart = np.maximum(energy - 2.0 * np.hypot(cosine, sine), 0.0)
    return Comparison(apart, np.arctan2(sine, cosine), centres)


def _running_mean(rows: Array) -> Array:
    """Means ``(r, n)`` over windows along the last axis, cut off at the ends."""
    total = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(rows, axis=1)], axis=1)
    middle = np.arange(rows.shape[1])
    first = np.maximum(middle - REACH, 0)
    stop = np.minimum(middle + REACH, rows.shape[1] - 1) + 1
    return np.asarray((total[:, stop] - total[:, first]) / (stop - first))


def onto(angle: ArrayLike, origin: Array, to: Array) -> Planar:
    """The moves that turn by ``angle`` and take floor points ``origin`` to ``to`` ``(..., 2)``."""
    turned = Planar(angle).apply_xz(origin)
    return Planar(angle, to[..., 0] - turned[..., 0], to[..., 1] - turned[..., 1])


def corresponding(
    a: Motion | PointClip, b: Motion | PointClip, weights: JointWeights | None = None
) -> tuple[PointClip, PointClip]:
    """Both as points; an error if the points of one are not those of the other."""
    first, second = as_points(a, weights), as_points(b, weights)
    if first.points.shape[1] != second.points.shape[1]:
        raise RegistrationError(
            f"clips with {first.points.shape[1]} and {second.points.shape[1]} points have no "
            "distance: bring them onto one skeleton first"
        )
    return first, second


def _both(
    a: PointClip, b: PointClip, rows: ArrayLike | None, columns: ArrayLike | None
) -> tuple[Windows, Windows]:
    level = float(a.points[..., 1].mean())
    return windows(a, rows, level=level), windows(b, columns, level=level)


def _extents(clip: PointClip, frames: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """How many frames of each window, before and after its middle, lie in the clip."""
    at = np.asarray(frames, dtype=np.float64)
    stride = clip.fps * STEP
    before = np.floor(at / stride + _ROUNDING)
    after = np.floor((len(clip) - 1 - at) / stride + _ROUNDING)
    return (
        np.clip(before, 0, REACH).astype(np.intp),
        np.clip(after, 0, REACH).astype(np.intp),
    )


def _equally_cut(w: Windows) -> Iterator[tuple[slice, int, int]]:
    change = np.flatnonzero((np.diff(w.before) != 0) | (np.diff(w.after) != 0)) + 1
    edges = [0, *change.tolist(), len(w)]
    for start, stop in itertools.pairwise(edges):
        yield slice(start, stop), int(w.before[start]), int(w.after[start])


def _cut(weights: Array, before: int, after: int) -> tuple[Array, slice]:
    """Weights ``(frames · n,)`` for the n columns of each frame of a cut window, and where
    its columns are in the whole one."""
    frames, count = before + after + 1, len(weights)
    part = slice((REACH - before) * count, (REACH + after + 1) * count)
    return np.tile(weights / frames, frames), part


def _means(plane: Array, weights: Array) -> Array:
    """Weighted means ``(n, 2)`` of points ``(n, frames · 2 · P)``."""
    pairs = plane.reshape(len(plane), -1, 2, len(weights))
    return np.asarray((pairs @ weights).mean(axis=1))


def _fill(
    out: Array, a: Windows, b: Windows, rows: slice, columns: slice, before: int, after: int
) -> None:
    both, plane = _cut(np.tile(a.weights, 2), before, after)
    w, part = _cut(a.weights, before, after)
    pa, pb, turned = a.plane[rows, plane], b.plane[columns, plane], b.turned[columns, plane]
    ya, yb = a.height[rows, part], b.height[columns, part]
    weighted = pa * both
    energy_a = np.einsum("ij,ij->i", weighted, pa) + (ya * ya) @ w
    energy_b = (pb * pb) @ both + (yb * yb) @ w
    cosine = weighted @ pb.T
    sine = weighted @ turned.T
    if before < REACH or after < REACH:
        # The windows are centred as far as their own clip goes; this one is cut shorter.
        ma, mb = _means(pa, a.weights), _means(pb, a.weights)
        cosine -= ma @ mb.T
        sine -= np.outer(ma[:, 0], mb[:, 1]) - np.outer(ma[:, 1], mb[:, 0])
        energy_a -= np.sum(ma * ma, axis=1)
        energy_b -= np.sum(mb * mb, axis=1)
    cosine *= cosine
    sine *= sine
    cosine += sine
    np.sqrt(cosine, out=cosine)
    np.matmul(ya * w, yb.T, out=sine)
    cosine += sine
    cosine *= -2.0
    cosine += energy_a[:, None]
    cosine += energy_b
    # Rounding must not make identical windows nearer than identical.
    np.maximum(cosine, 0.0, out=out)
