"""Recorded markers: labelled points in motion, without a skeleton."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.core import checks
from motionweave.core.arrays import Array
from motionweave.core.checks import shown
from motionweave.core.kinematics import sample_vectors
from motionweave.core.planar import Planar
from motionweave.errors import MotionError


@dataclass(frozen=True, eq=False)
class Markers:
    """T frames of P labelled markers. Never changed in place; up is +y.

    Parameters
    ----------
    labels
        P names, unique.
    points
        ``(T, P, 3)`` positions; NaN where a marker was not seen.
    fps
        Frames per second.
    name
        What to call the clip in messages.
    source
        Other data from its file.

    Examples
    --------
    >>> import numpy as np
    >>> import motionweave as mw
    >>> gap = np.array([[[0.0, 1.0, 0.0]], [[np.nan] * 3], [[0.0, 1.0, 2.0]]])
    >>> mw.Markers(("LFHD",), gap, fps=100).filled().points[1].tolist()
    [[0.0, 1.0, 1.0]]
    """

    labels: tuple[str, ...]
    points: Array
    fps: float
    name: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        labels = checks.words(self.labels, "marker labels")
        try:
            points = np.array(self.points, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise MotionError(f"markers: expected numbers, got {shown(self.points)}") from None
        if points.ndim != 3 or points.shape[1:] != (len(labels), 3) or 0 in points.shape:
            raise MotionError(
                f"markers: expected shape (frames, {len(labels)}, 3), got {points.shape}"
            )
        if len(set(labels)) != len(labels):
            raise MotionError("marker labels must be unique")
        if np.any(np.abs(points) > checks.LARGEST):
            raise MotionError(
                f"markers: every value must be finite, at most {checks.LARGEST:g}, or NaN where "
                "there is none"
            )
        # A marker has all three coordinates or none.
        points[np.isnan(points).any(axis=2)] = np.nan
        points.setflags(write=False)
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "fps", checks.rate(self.fps))

    def __len__(self) -> int:
        return len(self.points)

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return (len(self) - 1) / self.fps

    @property
    def seen(self) -> NDArray[np.bool_]:
        """``(T, P)`` whether each marker was seen."""
        return ~np.isnan(self.points[..., 0])

    def __getitem__(self, frames: slice) -> Markers:
        """A stretch of frames; a step other than 1 keeps the speed."""
        step = 1 if frames.step is None else int(frames.step)
        if step < 1 or len(self.points[frames]) == 0:
            raise MotionError(f"the slice {frames} contains no frame, or runs backwards")
        return replace(self, points=self.points[frames], fps=self.fps / step)

    def only(self, labels: tuple[str, ...] | list[str]) -> Markers:
        """The markers with these ``labels``, in that order."""
        missing = [one for one in labels if one not in self.labels]
        if missing:
            raise MotionError(
                f"there is no marker {missing[0]!r}; there are {shown(list(self.labels))}"
            )
        chosen = [self.labels.index(one) for one in labels]
        return replace(self, labels=tuple(labels), points=self.points[:, chosen])

    def filled(self) -> Markers:
        """The markers with gaps filled linearly; markers that are never seen are left out."""
        seen = self.seen
        kept = np.flatnonzero(seen.any(axis=0))
        if len(kept) == 0:
            raise MotionError("no marker is ever visible")
        points = np.array(self.points[:, kept])
        frames = np.arange(len(self))
        for column, marker in enumerate(kept):
            known = seen[:, marker]
            if known.all():
                continue
            for axis in range(3):
                values = self.points[known, marker, axis]
                points[:, column, axis] = np.interp(frames, frames[known], values)
        return replace(self, labels=tuple(self.labels[one] for one in kept), points=points)

    def sample(self, frames: ArrayLike) -> Markers:
        """The markers at fractional ``frames`` ``(n,)``, interpolated linearly."""
        at = np.array(frames, dtype=np.float64, ndmin=1)
        if at.size == 0 or not (at.min() > -1e-6 and at.max() < len(self) - 1 + 1e-6):
            raise MotionError(f"frames to sample must be in the clip, 0 to {len(self) - 1}")
        return replace(self, points=sample_vectors(self.points, np.clip(at, 0.0, len(self) - 1)))

    def moved(self, planar: Planar) -> Markers:
        """The markers turned and shifted on the floor by ``planar``, one move or ``(T,)`` moves."""
        if planar.shape not in ((), (len(self),)):
            raise MotionError(f"{len(self)} frames cannot be moved by {planar.shape} moves")
        each = planar if planar.shape == () else planar[:, None]
        return replace(self, points=each.apply(self.points))
