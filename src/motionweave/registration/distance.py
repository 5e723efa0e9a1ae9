"""How similar two frames are, whatever their position and facing direction (Kovar & Gleicher 4.1).

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
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from motionweave.core.arrays import Array
from motionweave.core.kinematics import sample_vectors
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.core.runtime.interrupt import checkpoint
from motionweave.core.runtime.threads import one_thread
from motionweave.errors import RegistrationError
from motionweave.registration.clouds import REACH, JointWeights, PointClip, as_points
from motionweave.registration.windows import (
    ROUNDING,
    SMALL,
    STEP,
    CentredClip,
    block_distances,
    dots,
    least_distance,
    products,
)

# Rows of a band that are computed at a time, at least.
_BLOCK = 48


def distance_grid(
    a: Motion | PointClip, b: Motion | PointClip, *, weights: JointWeights | None = None
) -> Array:
    """Distances ``(Ta, Tb)`` of every frame of one clip to every frame of another.

    Mean square distances, in the clips' unit squared. The clips may have different
    frame rates, but must have the same points.
    """
    a, b = corresponding(a, b, weights)
    return _block(a, b, (0, len(a)), (0, len(b)))


def distance_block(
    a: Motion | PointClip,
    b: Motion | PointClip,
    rows: tuple[int, int],
    columns: tuple[int, int],
    *,
    out: Array | None = None,
) -> Array:
    """The part of the grid with rows ``[first, stop)`` and columns ``[first, stop)``.

    What is computed for a clip of points is kept with it, for the next block; of a motion, only
    the frames that are needed become points. ``out`` is where to put the distances.
    """
    if isinstance(a, Motion):
        a, begin = near(a, *rows)
        rows = rows[0] - begin, rows[1] - begin
    if isinstance(b, Motion):
        b, begin = near(b, *columns)
        columns = columns[0] - begin, columns[1] - begin
    a, b = corresponding(a, b)
    return _block(a, b, rows, columns, out)


@one_thread()
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
    # Of a block at an angle to the band about as many columns are wasted as it has rows; of a short
    # clip, less work than beginning another block.
    block = len(a) if len(a) * len(b) <= SMALL else max(_BLOCK, width // 3)
    starts: list[int] = np.minimum(first, len(b)).tolist()
    for top in range(0, len(a), block):
        own = starts[top : top + block]
        low, high = max(0, min(own)), min(len(b), max(own) + width)
        if low >= high:
            continue
        part = _block(a, b, (top, top + len(own)), (low, high))
        for i, start in enumerate(own):
            begin, end = max(start, 0), min(start + width, len(b))
            band[top + i, begin - start : end - start] = part[i, begin - low : end - low]
    return band


def signal_band(a: PointClip, b: PointClip, first: NDArray[np.intp], width: int) -> Array:
    """Squared differences of the clips' signals along a band, as in `distance_band`; nothing
    beyond the clip."""
    before, after = max(0, -int(first.min())), max(0, int(first.max()) + width - len(b))
    held = np.pad(b.signals.T, ((0, 0), (before, after)), mode="edge")
    total = np.zeros((len(first), width))
    for own, other in zip(a.signals.T, held, strict=True):
        apart = sliding_window_view(other, width)[first + before]
        apart -= own[:, None]
        apart *= apart
        total += apart
    return total


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two clips of n frames compared frame by frame.

    Parameters
    ----------
    distance
        ``(n,)``, Eq. 1.
    cosine, sine
        ``(n,)``, denominator and numerator of Eq. 2.
    sizes
        ``(2, n)``: mean squares of the windows' extent on the floor.
    centres
        ``(2, n, 2)``: x and z of the weighted means of the first's and the second's windows.
    """

    distance: Array
    cosine: Array
    sine: Array
    sizes: Array
    centres: Array

    @cached_property
    def angle(self) -> Array:
        """``(n,)``, the angle by which to turn the second, Eq. 2."""
        return np.arctan2(self.sine, self.cosine)

    @cached_property
    def certainty(self) -> Array:
        """``(n,)``, from 0 to 1: how much of the windows' extent on the floor the angle brings
        to agree. Where the poses have little in common, about any angle is as good."""
        extent = np.sqrt(np.maximum(self.sizes[0] * self.sizes[1], np.finfo(float).tiny))
        return np.asarray(np.hypot(self.cosine, self.sine) / extent)

    @property
    def moves(self) -> Planar:
        """The moves ``(n,)`` that bring the second nearest to the first (Eqs. 2-4)."""
        return Planar.onto(self.angle, self.centres[1], self.centres[0])


def along(a: CentredClip, b: CentredClip, signals: float = 0.0) -> Comparison:
    """Compare two clips of n frames frame by frame, each frame with its neighbours.

    Other than in a grid, where each window runs at its own clip's pace, the windows here
    run through the same steps: this is for clips whose timing is known.

    ``signals`` is how much the difference of the clips' signals adds to the distance.
    """
    count = len(a)
    apart = a.y - b.y
    other = dots(apart, apart)
    if signals:
        other += signals * np.sum((a.signals - b.signals) ** 2, axis=1)
    # Rows of sums over the windows: cosine, sine, both energies, and what no turn changes; x and z
    # of both centres, seen from the middle of the window; and how many frames it has.
    sine = dots(a.x, b.z) - dots(a.z, b.x)
    single = np.stack([dots(a.plane, b.plane), sine, a.energy, b.energy, other])
    centres = np.concatenate([a.centre.T, b.centre.T])
    sums, paths, frames = single.copy(), np.zeros((4, count)), np.ones(count)
    for offset in range(1, min(a.reach, count - 1) + 1):
        earlier, later = slice(None, -offset), slice(offset, None)
        xa, za, xb, zb = step = centres[:, later] - centres[:, earlier]
        # The way from one frame to another is the way back but for its sign.
        common = np.stack([*products((xa, za), (xb, zb)), xa * xa + za * za, xb * xb + zb * zb])
        for here, there, way in ((earlier, later, 1.0), (later, earlier, -1.0)):
            sums[:, here] += single[:, there]
            sums[:4, here] += common
            paths[:, here] += way * step
            frames[here] += 1.0
    sums /= frames
    xa, za, xb, zb = means = paths / frames
    sums[:2] -= products((xa, za), (xb, zb))
    sums[2] -= xa * xa + za * za
    sums[3] -= xb * xb + zb * zb
    cosine, sine, size_a, size_b, other = sums
    return Comparison(
        least_distance(cosine.copy(), sine.copy(), size_a + size_b + other),
        cosine,
        sine,
        sums[2:4],
        (centres + means).reshape(2, 2, -1).swapaxes(1, 2),
    )


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
    pairs = products((p[..., 0], p[..., 1]), (q[..., 0], q[..., 1]))
    cosine, sine = (np.sum(w * each, axis=-1) for each in pairs)
    return Planar.onto(np.arctan2(sine, cosine), origin, to)


def align_frames(
    a: Motion | PointClip, b: Motion | PointClip, frame_a: float, frame_b: float
) -> Planar:
    """The move that brings a frame of b nearest to a frame of a, each with its window."""
    a, begin_a = near(a, int(frame_a), int(frame_a) + 2)
    b, begin_b = near(b, int(frame_b), int(frame_b) + 2)
    frame_a, frame_b = frame_a - begin_a, frame_b - begin_b
    a, b = corresponding(a, b)
    sides = [(clip.fps * STEP, at, len(clip) - 1 - at) for clip, at in ((a, frame_a), (b, frame_b))]
    before = min(a.reach, *(int(past / stride + ROUNDING) for stride, past, _ in sides))
    after = min(a.reach, *(int(left / stride + ROUNDING) for stride, _, left in sides))
    offsets = np.arange(-before, after + 1)
    clouds = [
        sample_vectors(
            clip.points, np.clip(at + clip.fps * STEP * offsets, 0.0, len(clip) - 1.0)
        ).reshape(-1, 3)
        for clip, at in ((a, frame_a), (b, frame_b))
    ]
    return align(clouds[0], clouds[1], np.tile(a.weights, len(offsets)) / len(offsets))


def near(clip: Motion | PointClip, first: int, stop: int) -> tuple[Motion | PointClip, int]:
    """The part of a clip that the windows of frames ``[first, stop)`` need, and the frame with
    which it begins."""
    reach = clip.reach if isinstance(clip, PointClip) else REACH
    far = int(np.ceil(reach * clip.fps * STEP)) + 1
    begin = max(0, first - far)
    return clip[begin : stop + far], begin


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
    if first.reach != second.reach:
        raise RegistrationError(
            f"windows of {2 * first.reach + 1} and {2 * second.reach + 1} frames have no distance"
        )
    return first, second


def _block(
    a: PointClip,
    b: PointClip,
    rows: tuple[int, int],
    columns: tuple[int, int],
    out: Array | None = None,
) -> Array:
    checkpoint()
    return block_distances(a, b, rows, columns, out)
