"""The linear subspace: classical multidimensional scaling of all frames (Mukai, section 2.2).

The dissimilarity of two frames is that of their joints' positions and velocities, seen from the
character: the origin is the point of the floor under the root, the heading is the
body's own. Position and facing direction make no difference.

This dissimilarity is a Euclidean distance between feature vectors, and for those
classical scaling of the matrix of dissimilarities gives the principal axes of the
features. The axes are therefore found from the features: the same points, at a cost
that grows linearly with the number of frames, new frames are projected without a
refit, and no eigenvalue is negative, so that the explained variance says exactly how
much of the squared dissimilarities the subspace keeps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motionweave.body.pose.heading import facing
from motionweave.body.size import body_height
from motionweave.core.arrays import Array
from motionweave.core.kinematics import in_parts
from motionweave.core.motion import Motion, end_positions
from motionweave.core.planar import Planar
from motionweave.core.runtime.threads import one_thread
from motionweave.core.skeleton import Skeleton
from motionweave.errors import BlendError

# Seconds by which a difference in velocity is multiplied: the time in which it becomes a difference
# in position that counts as much.
VELOCITY_TIME = 0.1
# Seconds on either side over which velocities are fitted. Captured positions tremble; the
# speed along the curve in the subspace contains accelerations, which tremble more.
_FIT_TIME = 0.03


@dataclass(frozen=True, eq=False)
class Embedding:
    """A linear subspace of feature vectors ``(F,)`` with d dimensions.

    Parameters
    ----------
    centre
        ``(F,)`` mean of the features.
    axes
        ``(d, F)`` orthonormal axes, the one along which frames differ most first.
    spectrum
        ``(min(S, F),)`` variance along every axis there is, falling.
    """

    centre: Array
    axes: Array
    spectrum: Array

    @property
    def dimensions(self) -> int:
        """Number of dimensions of the subspace."""
        return len(self.axes)

    @property
    def explained(self) -> float:
        """Share of the squared dissimilarities that the subspace keeps, 0 to 1."""
        total = float(self.spectrum.sum())
        return float(self.spectrum[: self.dimensions].sum()) / total if total > 0.0 else 1.0

    def project(self, features: Array) -> Array:
        """Points ``(n, d)`` of feature vectors ``(n, F)``."""
        return np.asarray((features - self.centre) @ self.axes.T)


@one_thread()
def embed(features: Array, dimensions: int | None = None, explained: float = 0.95) -> Embedding:
    """Classical multidimensional scaling of S frames by the distances of their features.

    Parameters
    ----------
    features
        ``(S, F)`` feature vectors.
    dimensions
        How many dimensions to keep; None for the fewest (at least two) that keep
        ``explained`` of the squared dissimilarities.
    """
    count, size = features.shape
    if not 0.0 < explained <= 1.0:
        raise BlendError(f"explained variance {explained:g}: expected more than 0, at most 1")
    if dimensions is not None and not 1 <= dimensions <= min(count, size):
        raise BlendError(
            f"a subspace of {dimensions} dimensions: expected 1 to {min(count, size)} "
            "for these clips"
        )
    centre = features.mean(axis=0)
    _, singular, axes = np.linalg.svd(features - centre, full_matrices=False)
    spectrum = singular**2 / count
    if dimensions is None:
        # Rounding must not add axes along which nothing varies.
        share = np.cumsum(spectrum) / max(float(spectrum.sum()), np.finfo(float).tiny)
        enough = int(np.searchsorted(share, explained - 1e-12)) + 1
        dimensions = min(max(enough, 2), len(axes))
    axes = axes[:dimensions]
    # An axis and its negative are equally good: the largest entry is made positive, so that
    # repeated runs and pictures look the same.
    largest = np.take_along_axis(axes, np.argmax(np.abs(axes), axis=1)[:, None], axis=1)
    return Embedding(centre, axes * np.where(largest < 0.0, -1.0, 1.0), spectrum)


def features(motion: Motion) -> Array:
    """Feature vectors ``(T, F)``: places and velocities of the joints, seen from the body.

    The distance of two rows is the dissimilarity of the frames.
    """
    skeleton = motion.skeleton
    joints, orientations = motion.forward()
    positions = np.concatenate([joints, end_positions(skeleton, joints, orientations)], axis=1)
    velocities = rate_of_change(positions, motion.fps)
    heading = facing(motion)
    rows = np.empty((len(motion), 2, 3 * positions.shape[1]))
    for frames in in_parts(len(motion)):
        upright, places = Planar(-heading[frames, None]), positions[frames]
        seen = upright.apply(places - places[:, :1] * [1.0, 0.0, 1.0])
        moving = upright.apply(velocities[frames]) * VELOCITY_TIME
        rows[frames, 0], rows[frames, 1] = weighted(seen, skeleton), weighted(moving, skeleton)
    return rows.reshape(len(motion), -1)


def weighted(vectors: Array, skeleton: Skeleton) -> Array:
    """Vectors of joints and end sites ``(T, J + E, 3)`` as rows whose distance counts.

    In units of the body's height, ``(T, 3 (J + E))``. Each point counts by the length of
    the bones that meet there, so that ten finger joints do not outweigh a leg.
    """
    scale = np.sqrt(point_weights(skeleton))[:, None] / body_height(skeleton)
    return np.asarray((vectors * scale).reshape(len(vectors), -1))


def point_weights(skeleton: Skeleton) -> Array:
    """Shares ``(J + E,)`` of the body at each joint and end site: half of each of its bones."""
    joints = len(skeleton)
    ends = np.concatenate([skeleton.offsets[1:], skeleton.end_offsets])
    upper = np.concatenate([skeleton.parents[1:], skeleton.end_parents])
    weights = np.zeros(joints + len(skeleton.end_parents))
    bones = np.linalg.norm(ends, axis=1)
    weights[1:] += bones
    np.add.at(weights, upper, bones)
    total = float(weights.sum())
    return weights / total if total > 0.0 else np.full(len(weights), 1.0 / len(weights))


def rate_of_change(values: Array, fps: float) -> Array:
    """Derivatives in time ``(T, ...)`` of values ``(T, ...)``, per second.

    From parabolas fitted to the frames around each; near the ends of the clip the
    parabola of its first or last frames. Exact for values that are quadratic in time.
    """
    frames = len(values)
    half = min(max(round(_FIT_TIME * fps), 1), (frames - 1) // 2)
    if half == 0:
        return np.gradient(values, axis=0) * fps if frames > 1 else np.zeros_like(values)
    offsets = np.arange(-half, half + 1, dtype=np.float64)
    result = np.empty_like(values)
    inner = np.zeros_like(values[half : frames - half])
    weights = offsets / np.sum(offsets**2)
    for part in in_parts(len(inner)):
        for index, weight in enumerate(weights):
            inner[part] += weight * values[part.start + index : part.stop + index]
    result[half : frames - half] = inner
    # Slopes, at the frames left and right of the middle, of the parabola through the window.
    fit = np.linalg.pinv(np.vander(offsets, 3, increasing=True))
    slopes = fit[1] + 2.0 * offsets[:, None] * fit[2]
    first, last = values[: 2 * half + 1], values[frames - 2 * half - 1 :]
    result[:half] = np.tensordot(slopes[:half], first, 1)
    result[frames - half :] = np.tensordot(slopes[half + 1 :], last, 1)
    return result * fps
