"""The gap between two frames, and the splines that can close it."""

from __future__ import annotations

import warnings

import numpy as np

from motionweave.core.arrays import Array
from motionweave.errors import BlendError, QualityWarning
from motionweave.methods.subspace import bezier
from motionweave.methods.subspace.field import Field
from motionweave.methods.subspace.tracing import LEAST_SPEED, JoinedClip, TimedSpline, trace

# The shortest duration in seconds of the most direct spline.
_SHORTEST_TIME = 0.2
# Splines get this many times as long from one to the next at which durations are found, and
# the durations grow at least by this power of it.
_RATIO = 2.0**0.5
_GROWTH = 0.25
# The lowest rung of that ladder.
_LOWEST = -8
# Longer splines give no new poses, only a longer wait.
MOST_LENGTH = 50.0


class Gap:
    """What lies between a frame of one clip and a frame of another.

    Lengths of splines are in units of the most direct one: the cubic that follows
    both clips for as long as it takes to go straight across at their speed.

    Parameters
    ----------
    field
        Poses and speeds in the subspace.
    left, entered
        The clips with the frames at which they are left and entered.
    points, tangents
        ``(2, d)`` of these frames, the tangents a second.
    degree, bias
        Of the splines, see `bezier.family`.
    fps
        Frames per second.
    least
        Shortest time in seconds that the poses need to turn into each other.
    plain
        As in the paper: the duration of a spline follows from the speeds along it.
    """

    def __init__(
        self,
        field: Field,
        left: JoinedClip,
        entered: JoinedClip,
        points: Array,
        tangents: Array,
        degree: int,
        bias: float,
        fps: float,
        *,
        least: float = 0.0,
        plain: bool = False,
    ):
        self._field, self._left, self._entered, self._fps = field, left, entered, fps
        self._least, self._plain = least, plain
        usual = max(float(field.usual_speeds[0]), LEAST_SPEED)
        speed = max(float(np.mean(np.linalg.norm(tangents, axis=1))), usual)
        distance = float(np.linalg.norm(points[1] - points[0]))
        seconds = max(distance / speed, _SHORTEST_TIME)
        aside = usual * seconds * _sideways(points)
        (start, end), (leaving, entering) = points, tangents * seconds
        self.family = bezier.family(start, end, leaving, entering, degree, bias=bias, aside=aside)
        direct = bezier.family(start, end, leaving, entering, 3, aside=aside)
        self.unit: float = bezier.arc_length(direct.spline(1.0))
        self._shortest = max(self.family.shortest / self.unit, _RATIO**_LOWEST)
        self._durations: dict[int, float] = {}
        self._traced: tuple[float, TimedSpline] | None = None

    def trace(self, length: float) -> TimedSpline:
        """The spline of that length and its timing."""
        if not (np.isfinite(length) and 0.0 < length <= MOST_LENGTH):
            raise BlendError(
                f"length {length:g} of a spline: expected a positive number up to {MOST_LENGTH:g}"
            )
        # Often the same again: with other feet, or after another place was tried.
        if self._traced is None or self._traced[0] != length:
            control = self.family.spline(self.family.reach(length * self.unit))
            clips = self._left, self._entered
            self._traced = length, trace(self._field, control, *clips, self._fps, plain=self._plain)
        return self._traced[1]

    def warn_if_too_short(self, length: float, frames: tuple[int, int]) -> None:
        """Warn if no spline between two frames is as short as that."""
        shortest = self.family.shortest / self.unit
        if length < shortest * (1.0 - 1e-6):
            warnings.warn(
                f"no spline of length {length:g} joins frames {frames[0]} and "
                f"{frames[1]}: the straight one of length {shortest:.2f} was used",
                QualityWarning,
                stacklevel=4,
            )

    def duration(self, length: float) -> float:
        """The duration in seconds of the spline of that length.

        It follows from the speeds along it, except that a longer spline always takes longer:
        the shape changes with the length, and a short spline may well pass where the
        clips are slow and a longer one where they are fast. And it takes as long as the
        poses need, more for a longer one.
        """
        if self._plain:
            return self.trace(length).seconds
        place = max(float(np.log(length) / np.log(_RATIO)), _LOWEST)
        lower = int(np.floor(place))
        share = place - lower
        seconds = (1.0 - share) * self._ladder(lower) + share * self._ladder(lower + 1)
        return max(seconds, self._least * max(length, _RATIO**_LOWEST) ** _GROWTH)

    def _ladder(self, rung: int) -> float:
        """Seconds at the length ``_RATIO ** rung``; at 0, the direct spline, as they come."""
        if rung not in self._durations:
            length = min(max(_RATIO**rung, self._shortest), MOST_LENGTH)
            seconds = self.trace(length).seconds
            if rung > 0:
                seconds = max(seconds, self._ladder(rung - 1) * _RATIO**_GROWTH)
            elif rung < 0:
                seconds = min(seconds, self._ladder(rung + 1) / _RATIO**_GROWTH)
            self._durations[rung] = seconds
        return self._durations[rung]


def _sideways(points: Array) -> Array:
    """Direction ``(d,)`` across the line between two points, to the middle of the clips.

    Without tangents to follow, a longer spline uses it.
    """
    along = points[1] - points[0]
    # The middle of the clips is the origin of the subspace.
    out = -points.mean(axis=0)
    if np.any(along):
        along = along / np.linalg.norm(along)
        out = out - along * (out @ along)
    size = float(np.linalg.norm(out))
    if size > 1e-9:
        return np.asarray(out / size)
    # On the line already: any axis will do that does not lie along it.
    axis = np.eye(len(out))[int(np.argmin(np.abs(along)))]
    out = axis - along * (axis @ along)
    size = float(np.linalg.norm(out))
    return np.asarray(out / size) if size > 1e-9 else axis
