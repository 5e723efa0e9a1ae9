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

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.core.arrays import Array
from motionweave.core.interrupt import checkpoint
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.errors import RegistrationError
from motionweave.registration.clouds import JointWeights, PointClip, as_points
from motionweave.registration.framewise import frame_distances, whole_stride
from motionweave.registration.windows import STEP, extents, window_distances, windows

# Rows of a band that are computed at a time.
_BLOCK = 128

__all__ = [
    "align",
    "align_frames",
    "corresponding",
    "distance_band",
    "distance_block",
    "distance_grid",
    "signal_band",
    "signal_block",
]


def distance_grid(
    a: Motion | PointClip, b: Motion | PointClip, *, weights: JointWeights | None = None
) -> Array:
    """Distances ``(Ta, Tb)`` of every frame of one clip to every frame of another.

    Mean square distances, in the clips' unit squared. The clips may have different
    frame rates, but must have the same points.
    """
    a, b = corresponding(a, b, weights)
    return _distances(a, b, (0, len(a)), (0, len(b)))


def distance_block(
    a: Motion | PointClip,
    b: Motion | PointClip,
    rows: tuple[int, int],
    columns: tuple[int, int],
) -> Array:
    """The part of the grid with rows ``[first, stop)`` and columns ``[first, stop)``."""
    a, b = corresponding(a, b)
    return _distances(a, b, rows, columns)


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
        part = _distances(a, b, (top, int(rows[-1]) + 1), (low, high))
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
    squares = np.sum(p * p, axis=1), np.sum(q * q, axis=1)
    left = np.column_stack([-2.0 * p, squares[0], np.ones(len(p))])
    apart = left @ np.column_stack([q, np.ones(len(q)), squares[1]]).T
    return np.asarray(np.maximum(apart, 0.0, out=apart))


def signal_band(a: PointClip, b: PointClip, first: NDArray[np.intp], width: int) -> Array:
    """The same along a band, as in `distance_band`; nothing beyond the clip."""
    columns = np.clip(first[:, None] + np.arange(width), 0, len(b) - 1)
    return np.asarray(np.sum((a.signals[:, None] - b.signals[columns]) ** 2, axis=2))


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
    return Planar.onto(np.arctan2(sine, cosine), origin, to)


def align_frames(
    a: Motion | PointClip, b: Motion | PointClip, frame_a: float, frame_b: float
) -> Planar:
    """The move that brings a frame of b nearest to a frame of a, each with its window."""
    a, b = corresponding(a, b)
    reaches = [extents(clip, at) for clip, at in ((a, frame_a), (b, frame_b))]
    before, after = (int(min(p, q)) for p, q in zip(*reaches, strict=True))
    offsets = np.arange(-before, after + 1)
    clouds = [
        clip.sample(
            np.clip(at + clip.fps * STEP * offsets, 0.0, len(clip) - 1.0), clip.fps
        ).points.reshape(-1, 3)
        for clip, at in ((a, frame_a), (b, frame_b))
    ]
    return align(clouds[0], clouds[1], np.tile(a.weights, len(offsets)) / len(offsets))


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


def _distances(
    a: PointClip, b: PointClip, rows: tuple[int, int], columns: tuple[int, int]
) -> Array:
    checkpoint()
    strides = whole_stride(a), whole_stride(b)
    if strides[0] is not None and strides[1] is not None:
        return frame_distances(a, b, (strides[0], strides[1]), rows, columns)
    level = float(a.points[..., 1].mean())
    return window_distances(
        windows(a, np.arange(*rows), level=level), windows(b, np.arange(*columns), level=level)
    )
