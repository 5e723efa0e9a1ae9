"""Distances for whole blocks of a grid: the fast path behind `distance`.

What two windows have in common is what their frames have in common, summed along the grid's
diagonals, and what the paths of their centres have in common. So the matrix products are
those of single frames, a fifth of the work of whole windows. Each frame is centred on
the floor, and centres are seen from their window's middle, so that clips far from the origin lose
no precision.

At frame rates that are not a multiple of 30 fps the frames of a window fall between frames of
the clip. Then each gets its own product, and nothing else changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.core.kinematics import sample_vectors
from motionweave.core.runtime.kernels import kernel
from motionweave.core.runtime.threads import one_thread
from motionweave.registration.clouds import PointClip

# Seconds between the frames of a window.
STEP = 1.0 / 30.0
# How far from a whole frame still counts as one: frame rates such as 59.94 are rounded.
ROUNDING = 1e-6
# Rows and columns of a grid that are computed at a time, so that everything stays in the cache.
_ROWS, _COLUMNS = 96, 768
# A grid of up to this many cells is computed in one go, as if any window might be cut.
SMALL = 10_000


@dataclass(frozen=True, eq=False)
class CentredClip:
    """A clip of n frames, each centred on the floor.

    Coordinates are multiplied by the roots of their points' weights: plain products of two frames
    are the weighted means that Eqs. 1 to 4 ask for.

    Parameters
    ----------
    coordinates
        ``(n, 3 P + 2)``: x of all points about the frame's centre, z of all, y of all, then x and z
        of that centre, which is the weighted mean of the points.
    energy
        ``(n,)`` weighted mean of x² + z².
    signals, reach
        Those of the clip.
    roots
        ``(P,)`` of the points' weights.
    """

    coordinates: Array
    energy: Array
    signals: Array
    reach: int
    roots: Array

    @classmethod
    def of(cls, clip: PointClip) -> CentredClip:
        """The track of a clip, which is computed once."""
        if clip not in _CENTRED:
            count = len(clip.weights)
            coordinates = np.empty((len(clip), 3 * count + 2))
            for place, axis in enumerate((0, 2, 1)):
                coordinates[:, place * count : (place + 1) * count] = clip.points[..., axis]
            for place in range(2):
                column = coordinates[:, place * count : (place + 1) * count]
                centre = column @ clip.weights
                column -= centre[:, None]
                coordinates[:, 3 * count + place] = centre
            roots = np.sqrt(clip.weights)
            coordinates[:, : 3 * count] *= np.tile(roots, 3)
            _CENTRED[clip] = cls._made(coordinates, clip.signals, clip.reach, roots)
        return _CENTRED[clip]

    @classmethod
    def _made(cls, coordinates: Array, signals: Array, reach: int, roots: Array) -> CentredClip:
        plane = coordinates[:, : 2 * len(roots)]
        return cls(coordinates, dots(plane, plane), signals, reach, roots)

    def __len__(self) -> int:
        return len(self.coordinates)

    def __getitem__(self, frames: slice) -> CentredClip:
        return replace(
            self,
            coordinates=self.coordinates[frames],
            energy=self.energy[frames],
            signals=self.signals[frames],
        )

    def sample(self, frames: Array) -> CentredClip:
        """The track at fractional frames ``(n,)``: centred points lie on straight lines, as the
        points themselves do."""
        coordinates = sample_vectors(self.coordinates, frames)
        signals = sample_vectors(self.signals, frames)
        return self._made(coordinates, signals, self.reach, self.roots)

    @property
    def poses(self) -> Array:
        """x, z and y of all points ``(n, 3 P)``, wherever on the floor the body is."""
        return self.coordinates[:, :-2]

    @property
    def plane(self) -> Array:
        """x of all points about the centre, then z of all, ``(n, 2 P)``."""
        return self.coordinates[:, : 2 * len(self.roots)]

    @property
    def x(self) -> Array:
        """``(n, P)``, about the centre."""
        return self.coordinates[:, : len(self.roots)]

    @property
    def z(self) -> Array:
        """``(n, P)``, about the centre."""
        return self.coordinates[:, len(self.roots) : 2 * len(self.roots)]

    @property
    def y(self) -> Array:
        """``(n, P)``."""
        return self.coordinates[:, 2 * len(self.roots) : -2]

    @property
    def centre(self) -> Array:
        """``(n, 2)``: x and z."""
        return self.coordinates[:, -2:]


_CENTRED: WeakKeyDictionary[PointClip, CentredClip] = WeakKeyDictionary()


def dots(a: Array, b: Array) -> Array:
    """Products ``(n,)`` of the rows of a and b ``(n, m)``."""
    return np.asarray(np.einsum("ij,ij->i", a, b))


def products(a: Sequence[Array], b: Sequence[Array]) -> tuple[Array, Array]:
    """Denominator and numerator of Eq. 2 for points (x, z), before the weighted sum.

    They are the cosine and sine of the angle from b to a, times both lengths.
    """
    return a[0] * b[0] + a[1] * b[1], a[0] * b[1] - a[1] * b[0]


def _quarter_turned(plane: Array) -> Array:
    """All x, then all z ``(n, 2 m)`` of points turned by a quarter: (x, z) becomes (z, -x)."""
    x, z = np.hsplit(plane, 2)
    return np.hstack([z, -x])


def least_distance(cosine: Array, sine: Array, energy: Array, out: Array | None = None) -> Array:
    """Eq. 1 at its optimum: what energies ``E + E' - 2 Σ w y y'`` leave after the best turn.

    All three are overwritten: grids are large.
    """
    cosine *= cosine
    sine *= sine
    cosine += sine
    np.sqrt(cosine, out=cosine)
    cosine *= 2.0
    energy -= cosine
    # Rounding must not make a distance negative.
    return np.asarray(np.maximum(energy, 0.0, out=out))


@kernel(bare=True)
def _sum_windows(singles, down, right, count, sums):  # type: ignore[no-untyped-def]
    """Add to each cell of ``sums`` the cells of ``singles`` on a diagonal, ``count`` of them.

    Those of the first cell begin with the first of ``singles``, each ``down`` rows and ``right``
    columns after the one before.
    """
    rows, columns = sums.shape
    for i in range(rows):
        for k in range(count):
            single = singles[i + k * down, k * right :]
            for j in range(columns):
                sums[i, j] += single[j]


@dataclass(frozen=True, eq=False)
class _Side:
    """One clip of a grid: S single frames as rows of matrices, and T windows of K of them.

    Made once for each clip. Coordinates of points are multiplied by the roots of their weights, as
    in `CentredClip`.

    Parameters
    ----------
    plane
        ``(S, 2 P)`` all x, then all z of the points about each frame's centre.
    height
        ``(S, P)`` above ``level``.
    energy
        ``(S,)`` weighted mean square of a frame's coordinates.
    path
        ``(T, 2 K)`` the same of the centres of a window's frames, about their mean.
    path_energy
        ``(T, K)`` squares of the centres' distances from that.
    inside
        ``(T, K)`` which frames of a window there are, as 0 or 1.
    roots
        ``(P,)`` of the points' weights.
    level
        The mean height of all points.
    stride
        Frames of the clip between two of a window.
    offsets
        ``(K,)`` from a window's middle to its frames, in steps.
    shared
        Whether windows share their frames: S = T. Else S = K T, all first frames first.
    """

    plane: Array
    height: Array
    energy: Array
    path: Array
    path_energy: Array
    inside: Array
    roots: Array
    level: float
    stride: float
    offsets: NDArray[np.intp]
    shared: bool

    @classmethod
    def of(cls, clip: PointClip, shared: bool) -> _Side:
        """The side of a clip, which is computed once."""
        known = _SIDES.setdefault(clip, {})
        if shared not in known:
            known[shared] = cls._made(clip, shared)
        return known[shared]

    @classmethod
    def _made(cls, clip: PointClip, shared: bool) -> _Side:
        count = len(clip)
        stride = _stride(clip)
        offsets = np.arange(-clip.reach, clip.reach + 1)
        at = np.arange(count)[:, None] + stride * offsets
        inside = (at >= -ROUNDING) & (at <= count - 1 + ROUNDING)
        at = np.clip(at, 0.0, count - 1.0)
        if shared:
            track, place = CentredClip.of(clip), at.astype(np.intp)
        else:
            track = CentredClip.of(clip).sample(at.T.ravel())
            place = np.arange(count)[:, None] + count * np.arange(len(offsets))
        level = float((track.y @ track.roots).mean())
        height = track.y - level * track.roots
        path = track.centre.T[:, place] * inside
        path -= path.sum(axis=2, keepdims=True) / inside.sum(axis=1, keepdims=True)
        x, z = path * inside
        return cls(
            track.plane,
            height,
            track.energy + dots(height, height),
            np.hstack([x, z]),
            x * x + z * z,
            inside.astype(np.float64),
            track.roots,
            level,
            stride,
            offsets,
            shared,
        )

    @cached_property
    def turned(self) -> Array:
        """``(S, 2 P)``: ``plane`` turned by a quarter, (x, z) becomes (z, -x)."""
        return _quarter_turned(self.plane)

    @cached_property
    def path_turned(self) -> Array:
        """``(T, 2 K)``: ``path`` turned by a quarter."""
        return _quarter_turned(self.path)

    @cached_property
    def heights(self) -> Array:
        """``(S, P + 3)`` right factor of E + E' - 2 Σ w y y': heights, 1, energy, mean height."""
        return np.column_stack(
            [self.height, np.ones(len(self.height)), self.energy, self.height @ self.roots]
        )

    def lifted_heights(self, frames: slice, lift: float) -> Array:
        """Left factor ``(n, P + 3)`` of the same, of some frames: heights times -2, energy, 1, 0.

        All are lifted, y + lift instead of y; then the other's mean height counts as well.
        """
        height, energy = self.height[frames], self.energy[frames]
        result = np.empty((len(height), height.shape[1] + 3))
        np.multiply(height, -2.0, out=result[:, :-3])
        result[:, -3] = energy + lift * (2.0 * (height @ self.roots) + lift)
        result[:, -2] = 1.0
        result[:, -1] = -2.0 * lift
        return result

    @cached_property
    def path_energies(self) -> Array:
        """``(T, 2 K)``: left factor of the paths' energies; the right one has its halves
        exchanged."""
        return np.hstack([self.path_energy, self.inside])

    @cached_property
    def exchanged_path_energies(self) -> Array:
        """``(T, 2 K)``: the right factor of the paths' energies."""
        return np.hstack([self.inside, self.path_energy])

    def __len__(self) -> int:
        return len(self.path)

    def whole(self, first: int, stop: int) -> tuple[int, int]:
        """Which of the windows ``[first, stop)`` are not cut."""
        far = int(np.ceil(self.offsets[-1] * self.stride - ROUNDING))
        begin = min(max(first, far), stop)
        return begin, max(begin, min(stop, len(self) - far))

    def touched(self, first: int, stop: int) -> tuple[slice, slice]:
        """The single frames that the windows ``[first, stop)`` touch, if windows share them, and
        where they are among those that they would touch in a longer clip."""
        far = int(self.offsets[-1]) * round(self.stride)
        begin, end = max(0, first - far), min(len(self), stop + far)
        return slice(begin, end), slice(begin - first + far, end - first + far)


_SIDES: WeakKeyDictionary[PointClip, dict[bool, _Side]] = WeakKeyDictionary()


@one_thread()
def block_distances(
    a: PointClip,
    b: PointClip,
    rows: tuple[int, int],
    columns: tuple[int, int],
    out: Array | None = None,
) -> Array:
    """The part of the grid with rows ``[first, stop)`` and columns ``[first, stop)``."""
    shared = all(_stride(clip) == round(_stride(clip)) for clip in (a, b))
    left, right = _Side.of(a, shared), _Side.of(b, shared)
    if out is None:
        out = np.empty((rows[1] - rows[0], columns[1] - columns[0]))

    def fill(some: tuple[int, int], others: tuple[int, int]) -> None:
        if some[0] < some[1] and others[0] < others[1]:
            part = out[slice(*np.subtract(some, rows[0])), slice(*np.subtract(others, columns[0]))]
            _fill(left, right, some, others, part)

    if out.size <= SMALL:
        fill(rows, columns)
        return out
    top, bottom = left.whole(*rows)
    low, high = right.whole(*columns)
    for first, start in product(range(top, bottom, _ROWS), range(low, high, _COLUMNS)):
        fill((first, min(first + _ROWS, bottom)), (start, min(start + _COLUMNS, high)))
    # What remains is a border of windows that are cut off.
    fill((rows[0], top), columns)
    fill((bottom, rows[1]), columns)
    fill((top, bottom), (columns[0], low))
    fill((top, bottom), (high, columns[1]))
    return out


def _stride(clip: PointClip) -> float:
    """Frames of the clip between two of a window; a whole number where it is one but for
    rounding."""
    stride = clip.fps * STEP
    whole = float(round(stride))
    return whole if whole >= 1.0 and abs(stride - whole) < ROUNDING else stride


def _fill(
    left: _Side, right: _Side, rows: tuple[int, int], columns: tuple[int, int], out: Array
) -> None:
    """Put the distances of some windows into ``out``; either all are whole or any may be cut."""
    i, j = slice(*rows), slice(*columns)
    k = len(left.offsets)
    cut = left.whole(*rows) != rows or right.whole(*columns) != columns
    # Both clips' heights are taken above the level of the second.
    lift = left.level - right.level

    def compare(above: slice, across: slice, out: Array) -> Array:
        """What single frames have in common: cosine, sine, and E + E' - 2 Σ w y y'."""
        plane, heights = left.plane[above], left.lifted_heights(above, lift)
        np.matmul(plane, right.plane[across].T, out=out[0])
        np.matmul(plane, right.turned[across].T, out=out[1])
        np.matmul(heights, right.heights[across].T, out=out[2])
        return out

    # What the paths of windows have in common.
    sums = np.empty((3, *out.shape))
    np.matmul(left.path[i], right.path[j].T, out=sums[0])
    np.matmul(left.path[i], right.path_turned[j].T, out=sums[1])
    np.matmul(left.path_energies[i], right.exchanged_path_energies[j].T, out=sums[2])
    if cut:
        # Windows are centred as far as their own clip goes; cut further, they are not centred.
        there_a, there_b = left.inside[i], right.inside[j].T
        counts = there_a @ there_b
        halves = slice(k), slice(k, None)
        xa, za = a = [left.path[i, half] @ there_b / counts for half in halves]
        xb, zb = b = [there_a @ right.path[j, half].T / counts for half in halves]
        centres = np.stack([*products(a, b), xa * xa + za * za + xb * xb + zb * zb])
        sums -= centres * counts
    if left.shared:
        strides = round(left.stride), round(right.stride)
        shape = (size + (k - 1) * stride for size, stride in zip(out.shape, strides, strict=True))
        singles = np.empty((3, *shape))
        if cut:
            # Frames before and after a clip have nothing in common with any.
            singles[:] = 0.0
        (above, place_a), (across, place_b) = left.touched(*rows), right.touched(*columns)
        compare(above, across, singles[:, place_a, place_b])
        for total, single in zip(sums, singles, strict=True):
            _sum_windows(single, *strides, k, total)
    else:
        for o in range(k):
            above, across = (
                slice(o * len(side) + some.start, o * len(side) + some.stop)
                for side, some in ((left, i), (right, j))
            )
            there = left.inside[i, o, None] * right.inside[j, o]
            sums += there * compare(above, across, np.empty(sums.shape))
    cosine, sine, energy = sums
    least_distance(cosine, sine, energy, out)
    # All were sums over the frames of windows: the distance is a mean.
    out /= counts if cut else k
