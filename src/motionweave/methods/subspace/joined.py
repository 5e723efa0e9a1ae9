"""The result of joining two clips by a spline."""

from __future__ import annotations

from dataclasses import dataclass

from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar


@dataclass(frozen=True, eq=False)
class SplineTransition:
    """A motion joined by a spline, and how it was made.

    Parameters
    ----------
    motion
        The first clip up to ``leave``, without a T-pose in front, the transition, and the
        second clip from ``enter``, moved to where the transition arrives.
    raw
        The same before the feet were cleaned.
    start, end
        Frames of ``motion`` that show the pose left and the pose entered; the
        transition lies between them.
    leave, enter
        Frames of the clips, as they are in the subspace.
    degree, length
        Degree and length of the spline; the length is relative to the most direct one.
    control
        ``(degree + 1, d)`` control points in the subspace.
    path
        ``(end - start + 1, d)`` point in the subspace of every frame from start to end.
    explained
        Share of the squared dissimilarities that the subspace keeps.
    placed
        The planar move that was applied to the second clip.
    """

    motion: Motion
    raw: Motion
    start: int
    end: int
    leave: int
    enter: int
    degree: int
    length: float
    control: Array
    path: Array
    explained: float
    placed: Planar

    def __repr__(self) -> str:
        return (
            f"<SplineTransition {self.motion.name!r}: leaves frame {self.leave}, enters frame "
            f"{self.enter}, degree {self.degree}, {self.duration:.2f} s>"
        )

    @property
    def duration(self) -> float:
        """Seconds from the pose left to the pose entered."""
        return (self.end - self.start) / self.motion.fps

    def _repr_html_(self) -> str:
        """In a notebook it plays."""
        return self.motion._repr_html_()
