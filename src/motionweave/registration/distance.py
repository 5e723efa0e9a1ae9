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
_BLOCK = 128
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
    before, after = _extents(clip, at)
    offsets = np.arange(-REACH, REACH + 1)
    times = np.clip(at[:, None] + stride * offsets, 0.0, len(clip) - 1.0)
    whole = np.rint(times)
    if np.all(np.abs(times - whole) < _ROUNDING):
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


@dataclass(frozen=True, eq=False)
class Track:
    """A clip of n frames, made ready to be compared frame by frame.

    Parameters
    ----------
    x, y, z
        ``(n, P)``, x and z about each frame's own centre.
    centre
        ``(n, 2)`` x and z of the weighted mean of each frame's points.
    energy
        ``(n,)`` weighted mean of x² + z².
    signals, weights
        Those of the clip.
    """

    x: Array
    y: Array
    z: Array
    centre: Array
    energy: Array
    signals: Array
    weights: Array

    @classmethod
    def of(cls, clip: PointClip) -> Track:
        """The track of a clip."""
        w = clip.weights
        plane = clip.plane
        centre = plane @ w
        x, z = (plane[:, i] - centre[:, i, None] for i in range(2))
        y = np.ascontiguousarray(clip.points[..., 1])
        return cls(x, y, z, centre, (x * x + z * z) @ w, clip.signals, w)

    def __getitem__(self, frames: slice) -> Track:
        return Track(
            self.x[frames],
            self.y[frames],
            self.z[frames],
            self.centre[frames],
            self.energy[frames],
            self.signals[frames],
            self.weights,
        )


def compare(a: Track, b: Track, signals: float = 0.0) -> Comparison:
    """Compare two clips of n frames frame by frame, each frame with its neighbours.

    Other than in a grid, where each window runs at its own clip's pace, the windows here
    run through the same steps: this is for clips whose timing is known.

    ``signals`` is how much the difference of the clips' signals adds to the distance.
    """
    w = a.weights
    within = np.stack(
        [
            (a.x * b.x + a.z * b.z) @ w,
            (a.x * b.z - a.z * b.x) @ w,
            a.energy + b.energy + (a.y - b.y) ** 2 @ w,
        ]
    )
    within[2] += signals * np.sum((a.signals - b.signals) ** 2, axis=1)
    count = len(a.x)
    at = np.arange(count) + np.arange(-REACH, REACH + 1)[:, None]
    inside = (at >= 0) & (at < count)
    shares = inside / inside.sum(axis=0)
    at = np.clip(at, 0, count - 1)
    cosine, sine, energy = np.einsum("on,ron->rn", shares, within[:, at])
    # The centres of a window's frames, seen from its middle one: two small clouds more.
    p, q = (np.moveaxis(c[at] - c, 2, 0) for c in (a.centre, b.centre))
    mean_p, mean_q = (np.sum(shares * c, axis=1) for c in (p, q))
    p, q = p - mean_p[:, None], q - mean_q[:, None]
    cosine += np.sum(shares * (p[0] * q[0] + p[1] * q[1]), axis=0)
    sine += np.sum(shares * (p[0] * q[1] - p[1] * q[0]), axis=0)
    energy += np.sum(shares * (p * p + q * q).sum(axis=0), axis=0)
    return Comparison(
        np.maximum(energy - 2.0 * np.hypot(cosine, sine), 0.0),
        np.arctan2(sine, cosine),
        np.stack([a.centre + mean_p.T, b.centre + mean_q.T]),
    )


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
