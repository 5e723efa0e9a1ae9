"""Stretches in which a point is still: when it comes to rest, stays, and begins to leave.

Points are examined at a fixed internal rate, in leg lengths, so that neither the unit nor the frame
rate of a clip makes a difference. All points of a clip are examined together: a clip has hundreds
of stretches, and arrays of all of them are handled as quickly as those of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from motionweave.core.arrays import Array, BoolArray, IntArray
from motionweave.core.kinematics import in_parts
from motionweave.core.numerics.curves import hermite_basis
from motionweave.core.numerics.quantiles import quantiles_of_groups

# The step of the internal clock, and the time over which velocities are averaged, in seconds.
RATE = 120.0
_BLUR = 0.012

# Speeds in leg lengths per second. A plant ends where the speed passes a share of the
# fastest swing nearby, within bounds: runs slide more than strolls. It must have been
# slower than another share of that limit.
_SWING_SHARE = 0.12
_SWING_SPAN = 0.35
_LIMIT = (0.4, 1.0)
_STILL = 0.6
# Recordings shake. A planted point goes into a swing, or begins to roll, where it is
# faster than this many times its usual speed in the plant (a low quantile), and never
# below the second number.
_USUAL = 0.4
_SWINGING, _SWING = 10.0, 0.2
_LEAVING, _REST = 2.5, 0.05

# Heights in leg lengths above that of the plant itself, for a foot that has left and for
# one that rolls.
_LIFTED = 0.035
_LIFTING = (0.003, 0.012)

# Durations in seconds: of a plant, and of one at the edge of the clip.
_SHORTEST = 0.05
_SHORTEST_AT_EDGE = 0.035


@dataclass(frozen=True)
class PointTrack:
    """A point on the internal clock: positions ``(K, 3)``, speeds and limits ``(K,)``, in leg
    lengths."""

    kind: str
    points: Array
    speed: Array
    limit: Array

    @property
    def foot(self) -> str:
        """``left`` or ``right``."""
        return self.kind.split("_")[0]


class StillStretch(NamedTuple):
    """A stretch of the internal clock, with fractional ends, in which a point is still.

    From ``start`` to ``end`` it is slow, from ``rest`` to ``lift`` it is at rest.
    """

    kind: str
    start: float
    end: float
    rest: float
    lift: float
    place: Array

    @property
    def foot(self) -> str:
        """``left`` or ``right``."""
        return self.kind.split("_")[0]

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return (self.end - self.start) / RATE


def track_of(kind: str, points: Array, speed: Array) -> PointTrack:
    """A point with the speeds up to which it may be still."""
    swing = _running_max(speed, int(_SWING_SPAN * RATE))
    return PointTrack(kind, points, speed, np.clip(_SWING_SHARE * swing, *_LIMIT))


def speeds(points: Array) -> Array:
    """Speeds ``(K, ...)`` of points ``(K, ..., 3)`` on the inner clock."""
    if len(points) < 2:
        return np.zeros(points.shape[:-1])
    step = _slopes(points)
    return np.asarray(np.sqrt(np.einsum("...c,...c->...", step, step)) * RATE)


class _Spans(NamedTuple):
    """Stretches ``[start, stop)`` of the ticks of all tracks, one after the other, ``(n,)``."""

    start: IntArray
    stop: IntArray

    def ticks(self) -> tuple[IntArray, IntArray]:
        """All ticks of all stretches ``(m,)``, and the stretch that each is of."""
        length = self.stop - self.start
        number = np.repeat(np.arange(len(length)), length)
        first = np.cumsum(length) - length
        return np.arange(len(number)) - (first - self.start)[number], number

    def chosen(self, which: BoolArray) -> _Spans:
        """Some of them."""
        return _Spans(self.start[which], self.stop[which])


def still_stretches(tracks: Sequence[PointTrack]) -> list[StillStretch]:
    """Stretches in which points are slow and stay at their height, wherever that is.

    Parameters
    ----------
    tracks
        Points on one clock.

    Returns
    -------
    list of Plant
        Track by track, in order of time.
    """
    count = len(tracks[0].speed)
    speed = np.concatenate([track.speed for track in tracks])
    limit = np.concatenate([track.limit for track in tracks])
    points = np.concatenate([track.points for track in tracks])
    certain = speed < _STILL * limit
    slow = _spans(speed < limit, count)
    slow = slow.chosen(_counts(certain, slow) > 0)
    # A foot that is lifted slowly has left the floor before it moves fast.
    near = np.zeros(len(speed), dtype=bool)
    ticks, number = slow.ticks()
    core = certain[ticks]
    usual = quantiles_of_groups(points[ticks[core], 1], number[core], 0.5)
    near[ticks] = points[ticks, 1] - usual[number] < _LIFTED
    spans = _spans(near, count)
    at_edge = (spans.start % count == 0) | (spans.stop % count == 0)
    shortest = np.where(at_edge, _SHORTEST_AT_EDGE, _SHORTEST)
    lasting = (spans.stop - 1 - spans.start) / RATE >= shortest
    spans = spans.chosen(lasting & (_counts(certain, spans) > 0))
    if len(spans.start) == 0:
        return []
    times, places = _times(speed, limit, points, certain, spans, count)
    times -= (spans.start // count * count)[:, None]
    return [
        StillStretch(tracks[first // count].kind, start, end, rest, lift, place)
        for first, (start, end, rest, lift), place in zip(
            spans.start.tolist(), times.tolist(), places, strict=True
        )
    ]


def _spans(mask: BoolArray, count: int) -> _Spans:
    """Runs of true ticks, each within one track of ``count`` ticks."""
    padded = np.zeros((len(mask) // count, count + 2), dtype=np.int8)
    padded[:, 1:-1] = mask.reshape(-1, count)
    track, change = np.nonzero(np.diff(padded))
    edges = track * count + change
    return _Spans(edges[::2], edges[1::2])


def _counts(mask: BoolArray, spans: _Spans) -> IntArray:
    """How many ticks of each stretch are true."""
    total = np.concatenate([[0], np.cumsum(mask)])
    return np.asarray(total[spans.stop] - total[spans.start])


def _times(
    speed: Array, limit: Array, points: Array, certain: BoolArray, spans: _Spans, count: int
) -> tuple[Array, Array]:
    """When plants start and end and between when they are at rest ``(n, 4)``, and where they
    stand ``(n, 3)``.

    Parameters
    ----------
    speed, limit, points
        Of the ticks of all tracks.
    certain
        Ticks that are slow beyond doubt.
    spans
        The slow stretches.
    count
        Ticks of a track.
    """
    ticks, number = spans.ticks()
    inside, plant = ticks[certain[ticks]], number[certain[ticks]]
    still = np.concatenate([points.T, speed[None]]).take(inside, axis=1).T
    usual = quantiles_of_groups(still, plant, np.array([0.5, 0.5, 0.5, _USUAL]))
    places, usual = usual[:, :3], usual[:, 3]
    shake = quantiles_of_groups(np.abs(points[inside, 1] - places[plant, 1]), plant, 0.5)
    # One tick more on either side: the ends lie between ticks.
    track = spans.start // count * count
    around = _Spans(np.maximum(spans.start - 1, track), np.minimum(spans.stop + 1, track + count))
    ticks, number = around.ticks()

    def times_usual(factor: float, least: float) -> Array:
        """Speeds relative to this many times the usual speed."""
        most = np.maximum(factor * usual, least)[number]
        return np.asarray(speed[ticks] / np.minimum(most, limit[ticks]))

    too_fast, moving = times_usual(_SWINGING, _SWING), times_usual(_LEAVING, _REST)
    lifting = np.clip(4.0 * shake, *_LIFTING)
    lifted = (points[ticks, 1] - places[number, 1]) / lifting[number]
    slow = _ends(too_fast - 1.0, ticks, number, spans)
    resting = _ends(np.maximum(moving, lifted) - 1.0, ticks, number, spans)
    return np.stack([*slow, *resting], axis=1), places


def _ends(excess: Array, ticks: IntArray, number: IntArray, spans: _Spans) -> tuple[Array, Array]:
    """Where a value is first and last below 0 in each stretch, between ticks; the stretch's
    bounds if it never is.

    ``excess``, ``ticks`` and ``number`` ``(m,)`` go a tick farther than the stretches.
    """
    within = (ticks >= spans.start[number]) & (ticks < spans.stop[number])
    quiet = np.flatnonzero(within & (excess < 0.0))
    plant = number[quiet]
    count = np.bincount(plant, minlength=len(spans.start))
    some = np.flatnonzero(count)
    last = np.cumsum(count)[some] - 1
    first = last - count[some] + 1
    start, end = spans.start.astype(np.float64), spans.stop.astype(np.float64) - 1.0
    start[some] = _crossings(excess, ticks, number, quiet[first], -1)
    end[some] = _crossings(excess, ticks, number, quiet[last], +1)
    return start, end


def _crossings(
    excess: Array, ticks: IntArray, number: IntArray, index: IntArray, step: int
) -> Array:
    """Where negative values next to those of ``index`` pass zero; there if they do not."""
    after = np.clip(index + step, 0, len(excess) - 1)
    here, there = excess[index], excess[after]
    passes = (number[after] == number[index]) & (there > 0.0)
    share = np.divide(here, here - there, out=np.zeros(len(index)), where=passes)
    return np.asarray(ticks[index] + step * share)


def smooth_sample(values: Array, frames: Array) -> Array:
    """Values ``(T, n)`` at fractional ``frames`` ``(K,)`` by cubics, then blurred in time."""
    if len(values) < 3:
        return np.array(values[np.round(frames).astype(np.intp)])
    tangents = _slopes(values)
    sampled = np.empty((len(frames), values.shape[1]))
    for ticks in in_parts(len(frames)):
        lower = np.minimum(np.floor(frames[ticks]).astype(np.intp), len(values) - 2)
        rise, out, into = hermite_basis((frames[ticks] - lower)[:, None])
        start, part = values.take(lower, axis=0), values.take(lower + 1, axis=0)
        part -= start
        part *= rise
        part += start
        part += out * tangents.take(lower, axis=0)
        part += into * tangents.take(lower + 1, axis=0)
        sampled[ticks] = part
    return _blurred(sampled)


def _slopes(values: Array) -> Array:
    """Changes per tick ``(K, ...)`` of at least two values: as np.gradient, but quick for a few."""
    slopes = np.empty_like(values)
    slopes[1:-1] = (values[2:] - values[:-2]) / 2.0
    slopes[0], slopes[-1] = values[1] - values[0], values[-1] - values[-2]
    return slopes


def _blurred(values: Array) -> Array:
    radius = min(int(np.ceil(3.0 * _BLUR * RATE)), len(values) - 1)
    if radius < 1:
        return values
    kernel = np.exp(-0.5 * (np.arange(-radius, radius + 1) / (_BLUR * RATE)) ** 2)
    kernel /= kernel.sum()
    # Reflected through the end points, a steady motion continues steadily.
    before = 2.0 * values[0] - values[radius:0:-1]
    after = 2.0 * values[-1] - values[-2 : -radius - 2 : -1]
    padded = np.concatenate([before, values, after]).T
    # All columns in a row: what is blurred from one into the next is dropped.
    blurred = np.empty(padded.shape)
    blurred.ravel()[: padded.size - 2 * radius] = np.convolve(padded.ravel(), kernel, mode="valid")
    return blurred[:, : len(values)].T


def _running_max(values: Array, radius: int) -> Array:
    """Largest value within ``radius`` ticks of each."""
    most = np.concatenate([np.zeros(radius), values, np.zeros(radius)])
    # Of windows of a width that doubles, two that overlap make any wider one.
    width, reach = 1, 2 * radius + 1
    while 2 * width <= reach:
        most = np.maximum(most[:-width], most[width:])
        width *= 2
    return np.asarray(np.maximum(most[: len(values)], most[reach - width :][: len(values)]))
