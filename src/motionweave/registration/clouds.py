"""Frames as clouds of points: markers spread evenly over a character's bones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.body.props import props_of
from motionweave.core.arrays import Array
from motionweave.core.checks import array
from motionweave.core.kinematics import in_parts, sample_vectors
from motionweave.core.motion import Motion, end_positions
from motionweave.core.numerics.quantiles import median
from motionweave.core.runtime.threads import one_thread
from motionweave.core.skeleton import Skeleton
from motionweave.errors import MotionError

# One weight per joint, by name (1 for those not named) or all of them in the skeleton's order.
JointWeights = Mapping[str, float] | ArrayLike

POINTS = 40
REACH = 2
# Places on a bone that may become markers, as a share of the skeleton's whole length.
_FINENESS = 1.0 / 400.0
# Places are equally far if their distances differ by less than this share of the largest.
_TIED = 1e-6


@dataclass(frozen=True, eq=False)
class PointClip:
    """A clip as bare points: what the distance sees of a motion, or recorded markers.

    Parameters
    ----------
    points
        ``(T, P, 3)``, up is +y.
    fps
        Frames per second.
    weights
        ``(P,)``, not negative; scaled to sum to one.
    signals
        ``(T, F)`` further numbers that frames may be compared by, such as which foot
        strikes.
    name
        What to call the clip in messages.
    reach
        How many neighbours on either side a frame is compared with: windows of
        ``2 reach + 1`` frames, 1/30 s apart.
    """

    points: Array
    fps: float
    weights: Array
    signals: Array = field(default_factory=lambda: np.zeros((0, 0)))
    name: str = ""
    reach: int = REACH

    def __post_init__(self) -> None:
        points = np.asarray(self.points, dtype=np.float64)
        weights = np.asarray(self.weights, dtype=np.float64)
        if points.ndim != 3 or points.shape[2] != 3 or 0 in points.shape:
            raise MotionError(f"points: expected shape (frames, points, 3), got {points.shape}")
        if not np.all(np.isfinite(points)):
            raise MotionError("points: every value must be finite; fill the gaps first")
        if not (np.isfinite(self.fps) and self.fps > 0):
            raise MotionError(f"frame rate {self.fps}: expected a positive number")
        total = weights.sum()
        if weights.shape != points.shape[1:2] or np.any(weights < 0) or not 0 < total < np.inf:
            raise MotionError(
                f"weights of {points.shape[1]} points: expected as many numbers, "
                "none negative and not all zero"
            )
        signals = np.asarray(self.signals, dtype=np.float64)
        if signals.size == 0:
            signals = np.zeros((len(points), 0))
        if signals.shape[:1] != points.shape[:1] or not np.all(np.isfinite(signals)):
            raise MotionError(
                f"signals of {len(points)} frames: expected finite numbers of shape "
                f"(frames, n), got {signals.shape}"
            )
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "signals", signals)
        object.__setattr__(self, "fps", float(self.fps))
        object.__setattr__(self, "weights", weights / total)

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, frames: slice) -> PointClip:
        if frames.indices(len(self)) == (0, len(self), 1):
            # Much is kept with a clip.
            return self
        return replace(self, points=self.points[frames], signals=self.signals[frames])

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return (len(self) - 1) / self.fps

    @cached_property
    def height(self) -> float:
        """How tall the cloud is: the median over frames of its vertical extent."""
        return float(median(np.ptp(self.points[..., 1], axis=1)))

    def sample(self, frames: ArrayLike, fps: float) -> PointClip:
        """The clip at fractional frames ``(n,)``, said to have a frame rate."""
        at = np.asarray(frames, dtype=np.float64)
        return replace(
            self,
            points=sample_vectors(self.points, at),
            fps=fps,
            signals=sample_vectors(self.signals, at),
        )

    def spread(self, fps: float) -> PointClip:
        """As many frames as suit a frame rate, evenly spread from the first to the last.

        Both ends stay frames of the clip, so that the step is not exactly ``1 / fps``:
        over the whole clip it is off by at most half a step. The result is cached, because much
        else is computed from it and kept with it.
        """
        count = max(min(2, len(self)), round(self.duration * fps) + 1)
        if count == len(self) and fps == self.fps:
            return self
        if fps not in self._spreads:
            self._spreads[fps] = (
                replace(self, fps=fps)
                if count == len(self)
                else self.sample(np.linspace(0.0, len(self) - 1.0, count), fps)
            )
        return self._spreads[fps]

    @cached_property
    def _spreads(self) -> dict[float, PointClip]:
        return {}


@one_thread()
def point_clouds(motion: Motion, points: int = POINTS) -> Array:
    """The clouds ``(T, P, 3)`` of a motion's frames, P about ``points``.

    The markers are spread evenly over the bones, extremities first, so that neither a
    hand full of fingers nor a thigh without joints counts for more than its length.
    """
    attachment, _ = _markers(motion.skeleton, points)
    clouds = np.empty((len(motion), len(attachment), 3))
    for frames in in_parts(len(motion)):
        positions, orientations = motion.forward(frames)
        ends = end_positions(motion.skeleton, positions, orientations)
        places = np.concatenate([positions, ends], axis=1)
        for axis in range(3):
            clouds[frames, :, axis] = places[..., axis] @ attachment.T
    return clouds


def as_points(
    clip: Motion | PointClip,
    weights: JointWeights | None = None,
    points: int = POINTS,
    reach: int = REACH,
) -> PointClip:
    """A motion as a `PointClip`, each marker with the weight of its joint; points as they are."""
    if isinstance(clip, PointClip):
        if weights is not None:
            raise MotionError("joint weights need motions; bare points carry their own weights")
        return clip
    _, owner = _markers(clip.skeleton, points)
    by_joint = joint_weights(clip.skeleton, weights)
    return PointClip(
        point_clouds(clip, points), clip.fps, by_joint[owner], name=clip.name, reach=reach
    )


def joint_weights(skeleton: Skeleton, weights: JointWeights | None) -> Array:
    """Weights ``(J,)`` of joints, from None (all 1), a mapping by name, or an array."""
    if weights is None:
        return np.ones(len(skeleton))
    if isinstance(weights, Mapping):
        result = np.ones(len(skeleton))
        for name, value in weights.items():
            result[skeleton.index(name)] = value
    else:
        result = array(weights, "joint weights", (None,))
    if result.shape != (len(skeleton),) or not np.all(result >= 0) or not result.sum() > 0:
        raise MotionError(
            f"joint weights: expected {len(skeleton)} numbers, none negative and not all zero"
        )
    return result


@lru_cache(maxsize=32)
def _markers(skeleton: Skeleton, points: int) -> tuple[Array, NDArray[np.intp]]:
    """Where the markers sit: ``(P, J + E)`` shares of joints and end sites, ``(P,)`` owners.

    Markers are chosen one after another, each the place furthest along the bones from all chosen
    before; a marker between two joints belongs to the upper one, which moves it. Of places equally
    far, such as a left and a right hand, the leftmost comes first, so that the choice does not
    depend on the order of the joints.
    """
    attachment, owner, distance = _candidates(skeleton)
    places = attachment @ np.concatenate([skeleton.rest_positions, skeleton.rest_end_positions])
    near = _TIED * float(distance.max())
    rank = np.argsort(
        np.lexsort(np.round(places.T[::-1] / max(near, 1e-300)) * [[1.0], [1.0], [-1.0]])
    )

    def farthest_of(far: Array) -> int:
        tied = np.flatnonzero(far >= far.max() - near)
        return int(tied[np.argmin(rank[tied])])

    chosen = [farthest_of(distance[0])]
    nearest = distance[chosen[0]].copy()
    while len(chosen) < min(points, len(owner)):
        farthest = farthest_of(nearest)
        if nearest[farthest] <= 0.0:
            break
        chosen.append(farthest)
        nearest = np.minimum(nearest, distance[farthest])
    chosen.sort()
    return attachment[chosen], owner[chosen]


def _candidates(skeleton: Skeleton) -> tuple[Array, NDArray[np.intp], Array]:
    """Places ``(n, J + E)`` close together on all bones, their joints ``(n,)``, and how far
    ``(n, n)`` it is along the bones from one to another.

    Props are no bones: a long one would have most of the markers, and poses would be compared by
    how it is held.
    """
    joints = len(skeleton)
    props = props_of(skeleton)
    lowers = [p for p in range(1, joints + len(skeleton.end_parents)) if p not in props]
    uppers = np.concatenate([skeleton.parents, skeleton.end_parents])[lowers]
    offsets = np.concatenate([skeleton.offsets, skeleton.end_offsets])[lowers]
    lengths = np.linalg.norm(offsets, axis=1)
    fine = lengths.sum() * _FINENESS
    rows, owners, parents, steps = (
        [np.eye(1, joints + len(skeleton.end_parents))[0]],
        [0],
        [-1],
        [0.0],
    )
    last_on = {0: 0}
    for upper, lower, length in zip(uppers, lowers, lengths, strict=True):
        pieces = max(1, int(np.ceil(length / fine))) if length > 0 else 1
        before = last_on[int(upper)]
        for piece in range(1, pieces + 1):
            row = np.zeros(joints + len(skeleton.end_parents))
            row[upper], row[lower] = 1.0 - piece / pieces, piece / pieces
            rows.append(row)
            owners.append(int(lower) if piece == pieces and lower < joints else int(upper))
            parents.append(before)
            steps.append(float(length) / pieces)
            before = len(rows) - 1
        last_on[int(lower)] = before
    count = len(rows)
    distance = np.zeros((count, count))
    for place in range(1, count):
        distance[place, :place] = distance[parents[place], :place] + steps[place]
        distance[:place, place] = distance[place, :place]
    return np.stack(rows), np.array(owners, dtype=np.intp), distance
