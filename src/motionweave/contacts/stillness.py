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


def limits(speeds: Array) -> Array:
    """Speeds up to which points may be still, of points with ``speeds`` ``(..., K)``."""
    swing = _running_max(speeds, int(_SWING_SPAN * RATE))
    slowest, fastest = _LIMIT
    return np.asarray(np.minimum(np.maximum(_SWING_SHARE * swing, slowest), fastest))


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
    limit = np.concatenate([track.limit for track in tracks])
    rows = [np.vstack([track.points.T, track.speed]) for track in tracks]
    values = np.concatenate(rows, axis=1)
    height, speed = values[1], values[3]
    certain = speed < _STILL * limit
    # How many ticks before each are certain.
    before = np.zeros(len(certain) + 1, dtype=np.intp)
    np.cumsum(certain, out=before[1:])
    slow = _spans(speed < limit, count)
    slow = slow.chosen(before[slow.stop] > before[slow.start])
    # A foot that is lifted slowly has left the floor before it moves fast.
    near = np.zeros(len(speed), dtype=bool)
    ticks, number = slow.ticks()
    usual = quantiles_of_groups(height[certain], before[slow.stop] - before[slow.start], 0.5)
    near[ticks] = height[ticks] - usual[number] < _LIFTED
    spans = _spans(near, count)
    at_edge = (spans.start % count == 0) | (spans.stop % count == 0)
    shortest = np.where(at_edge, _SHORTEST_AT_EDGE, _SHORTEST)
    lasting = (spans.stop - 1 - spans.start) / RATE >= shortest
    spans = spans.chosen(lasting & (before[spans.stop] > before[spans.start]))
    if len(spans.start) == 0:
        return []
    times, places = _times(values, limit, certain, spans, count)
    times -= (spans.start // count * count)[:, None]
    return [
        StillStretch(tracks[first // count].kind, start, end, rest, lift, place)
        for first, (start, end, rest, lift), place in zip(
            spans.start.tolist(), times.tolist(), places, strict=True
        )
    ]


def _spans(mask: BoolArray, count: int) -> _Spans:
    """Runs of true ticks, each within one track of ``count`` ticks."""
    padded = np.zeros((len(mask) // count, count + 2), dtype=bool)
    padded[:, 1:-1] = mask.reshape(-1, count)
    track, change = np.nonzero(padded[:, 1:] != padded[:, :-1])
    edges = track * count + change
    return _Spans(edges[::2], edges[1::2])


def _times(
    values: Array, limit: Array, certain: BoolArray, spans: _Spans, count: int
) -> tuple[Array, Array]:
    """When plants start and end and between when they are at rest ``(n, 4)``, and where they
    stand ``(n, 3)``.

    Parameters
    ----------
    values
        x, y, z and speed ``(4, m)`` of the ticks of all tracks.
    limit
        Their limits.
    certain
        Ticks that are slow beyond doubt.
    spans
        The slow stretches.
    count
        Ticks of a track.
    """
    ticks, number = spans.ticks()
    core = certain[ticks]
    inside, plant = ticks[core], number[core]
    still, each = values.take(inside, axis=1), np.bincount(plant)
    usual = quantiles_of_groups(still, each, [[0.5], [0.5], [0.5], [_USUAL]])
    places, height, usual = usual[:, :3], usual[:, 1], usual[:, 3]
    shake = quantiles_of_groups(np.abs(still[1] - height[plant]), each, 0.5)
    # One tick more on either side: the ends lie between ticks.
    track = spans.start // count * count
    around = _Spans(np.maximum(spans.start - 1, track), np.minimum(spans.stop + 1, track + count))
    ticks, number = around.ticks()
    # Speeds relative to those with which it goes into a swing, and begins to leave.
    most = np.maximum([[_SWINGING], [_LEAVING]] * usual, [[_SWING], [_REST]])
    fast = values[3, ticks] / np.minimum(most[:, number], limit[ticks])
    lifting = np.minimum(np.maximum(4.0 * shake, _LIFTING[0]), _LIFTING[1])
    lifted = (values[1, ticks] - height[number]) / lifting[number]
    np.maximum(fast[1], lifted, out=fast[1])
    return _ends(fast - 1.0, spans, around), places


def _ends(excess: Array, spans: _Spans, around: _Spans) -> Array:
    """Where values are first and last below 0 in each of n stretches, between ticks; the stretch's
    bounds if they never are.

    Parameters
    ----------
    excess
        ``(v, m)`` v values at the ticks of ``around``.
    spans, around
        The stretches, and the same with what is beside them.

    Returns
    -------
    Array
        ``(n, 2 v)`` first and last of each value.
    """
    length = around.stop - around.start
    # Places in all values, one after the other: where the ticks of each stretch begin and stop.
    row = excess.shape[1] * np.arange(len(excess))[:, None]
    begin = row + np.cumsum(length) - length
    stop = begin + length
    # How far the ticks of a stretch are from their places.
    tick = around.start - begin
    quiet, excess = np.flatnonzero(excess < 0.0), excess.ravel()
    first = quiet.searchsorted(spans.start - tick)
    after = quiet.searchsorted(spans.stop - tick)
    some = first < after
    # Some places are quiet: a stretch has ticks that are slow beyond doubt.
    at = quiet[np.stack([np.minimum(first, len(quiet) - 1), after - 1])]
    # What passes zero beside them, in the same stretch.
    beside = at + np.array([-1, 1]).reshape(2, 1, 1)
    within = (beside >= begin) & (beside < stop)
    here, there = excess[at], excess[np.where(within, beside, at)]
    passes = there > 0.0
    share = np.divide(here, here - there, out=np.zeros(at.shape), where=passes)
    times = tick + at + (beside - at) * share
    bounds = np.stack([spans.start, spans.stop - 1])[:, None]
    return np.asarray(np.where(some, times, bounds).transpose(2, 1, 0).reshape(len(length), -1))


def smooth_sample(values: Array, frames: Array) -> Array:
    """Values ``(T, n)`` at fractional ``frames`` ``(K,)`` by cubics, then blurred in time."""
    if len(values) < 3:
        return np.array(values[np.round(frames).astype(np.intp)])
    tangents = _slopes(values)
    radius = min(int(np.ceil(3.0 * _BLUR * RATE)), len(frames) - 1)
    # A row for each column, with room for what the blur needs beyond the ends.
    rows = np.empty((values.shape[1], len(frames) + 2 * radius))
    for ticks in in_parts(len(frames)):
        lower = np.minimum(np.floor(frames[ticks]).astype(np.intp), len(values) - 2)
        rise, out, into = hermite_basis((frames[ticks] - lower)[:, None])
        start, part = values.take(lower, axis=0), values.take(lower + 1, axis=0)
        part -= start
        part *= rise
        part += start
        part += out * tangents.take(lower, axis=0)
        part += into * tangents.take(lower + 1, axis=0)
        rows[:, radius + ticks.start : radius + ticks.stop] = part.T
    return _blurred(rows, radius).T


def _slopes(values: Array) -> Array:
    """Changes per tick ``(K, ...)`` of at least two values: as np.gradient, but quick for a few."""
    slopes = np.empty_like(values)
    slopes[1:-1] = (values[2:] - values[:-2]) / 2.0
    slopes[0], slopes[-1] = values[1] - values[0], values[-1] - values[-2]
    return slopes


def _blurred(rows: Array, radius: int) -> Array:
    """Rows ``(n, K)`` blurred in time; they come with room for ``radius`` values at either end."""
    if radius < 1:
        return rows
    kernel = np.exp(-0.5 * (np.arange(-radius, radius + 1) / (_BLUR * RATE)) ** 2)
    kernel /= kernel.sum()
    values = rows[:, radius:-radius]
    # Reflected through the end points, a steady motion continues steadily.
    rows[:, :radius] = 2.0 * values[:, :1] - values[:, radius:0:-1]
    rows[:, -radius:] = 2.0 * values[:, -1:] - values[:, -2 : -radius - 2 : -1]
    # All rows as one: what is blurred from one into the next is dropped.
    blurred = np.convolve(rows.ravel(), kernel)[2 * radius :].reshape(rows.shape)
    return blurred[:, : values.shape[1]]


def _running_max(values: Array, radius: int) -> Array:
    """Largest of values ``(..., K)``, none below 0, within ``radius`` ticks of each."""
    ticks = values.shape[-1]
    most = np.zeros((*values.shape[:-1], ticks + 2 * radius))
    most[..., radius : radius + ticks] = values
    # Of windows of a width that doubles, two that overlap make any wider one.
    width, reach = 1, 2 * radius + 1
    while 2 * width <= reach:
        most = np.maximum(most[..., :-width], most[..., width:])
        width *= 2
    return np.asarray(np.maximum(most[..., :ticks], most[..., reach - width :][..., :ticks]))
