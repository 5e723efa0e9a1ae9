"""Registration of bare points: timing and alignment need no more than that.

Recorded markers register as well as skeletons do, as long as all clips have the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.numerics.splines import QuadraticSpline
from motionweave.errors import Kind, RegistrationError
from motionweave.registration import correspond
from motionweave.registration.alignment import AlignmentCurve, fit_alignment
from motionweave.registration.clouds import PointClip
from motionweave.registration.correspond import Correspondence
from motionweave.registration.pairing import Rules
from motionweave.registration.refine import refined
from motionweave.registration.timewarp import TimewarpCurve, fit_timewarp
from motionweave.registration.tracks import Tracks

# Samples a second at which frames are compared.
RATE = 30.0
# How far the curve may go beyond the slopes of the path it is fitted to.
_ROOM = 0.9
# How much a given correspondence counts beside a found one.
_PIN = 100.0

# First and last frame of a range.
Range = tuple[float, float]
End = Literal["fixed", "free"]
PairEnds = tuple[End, End]


@dataclass(frozen=True, eq=False)
class PointRegistration:
    """What of a registration curve needs only points.

    Parameters
    ----------
    timewarp, reference, distances
        Those of the curve.
    tracks
        The clips along it.
    """

    timewarp: TimewarpCurve
    reference: int
    distances: Array
    tracks: Tracks

    @cached_property
    def alignment(self) -> AlignmentCurve:
        """That of the curve."""
        cyclic = self.tracks.curve.period is not None
        return fit_alignment(self.tracks, self.reference, cyclic=cyclic)


def register_points(
    *clips: PointClip,
    ends: PairEnds = ("fixed", "fixed"),
    anchors: Sequence[Sequence[float]] = (),
    keep: Sequence[Sequence[Range]] = (),
    rules: Rules = Rules(),  # noqa: B008 - immutable
    reference: int | None = None,
    reach: float | None = None,
) -> PointRegistration:
    """Timing and alignment of clips of points.

    Parameters
    ----------
    *clips
        Two or more, with the same points.
    ends
        Whether the first frames match, and the last frames.
    anchors
        Rows of k matching frames.
    keep
        For each clip the ranges of frames that have to be in a free stretch.
    rules, reference, reach
        See `register`.
    """
    check(clips, anchors, keep, rules, reference)
    samples = [clip.spread(RATE) for clip in clips]
    scale = np.array([(len(s) - 1) / (len(c) - 1) for s, c in zip(samples, clips, strict=True)])
    cells = [tuple(np.rint(np.array(row) * scale).astype(int).tolist()) for row in anchors]
    fixed = ends[0] == "fixed", ends[1] == "fixed"
    if all(fixed) and not cells:
        found = correspond.fixed(samples, rules, reference)
    elif any(fixed) or cells:
        far = None if reach is None else max(1, round(reach * RATE))
        found = correspond.anchored(samples, cells, fixed, rules, reference, far)
    else:
        ranges = [
            [(first * scale[j], last * scale[j]) for first, last in rows]
            for j, rows in enumerate(keep or [()] * len(clips))
        ]
        found = correspond.free(samples, rules, reference, ranges)
    return _finished(found, clips, samples, rules, pins=np.array(anchors, dtype=np.float64))


def register_rounds(
    *rounds: PointClip, counts: Sequence[int], rules: Rules, reference: int
) -> PointRegistration:
    """Timing and alignment of cycles in one phase, each three times over.

    Frames count from the beginning of the middle round; ``counts`` are samples a round.
    """
    samples = [sampled_rounds(clip, n) for clip, n in zip(rounds, counts, strict=True)]
    found = correspond.closed(samples, rules, reference)
    return _finished(found, rounds, samples, rules, cyclic=True)


def sampled_rounds(clip: PointClip, count: int) -> PointClip:
    """Three rounds of a cycle with this many samples each."""
    return clip.sample(np.linspace(0.0, len(clip) - 1.0, 3 * count + 1), RATE)


def check(
    clips: Sequence[PointClip],
    anchors: Sequence[Sequence[float]],
    keep: Sequence[Sequence[Range]],
    rules: Rules,
    reference: int | None,
) -> None:
    """Refuse what cannot be registered, saying why."""
    if len(clips) < 2:
        given = "no clip" if not clips else "one clip"
        raise RegistrationError(f"{given} given: registration needs two or more")
    names = [clip.name or f"clip {number}" for number, clip in enumerate(clips)]
    for name, clip in zip(names, clips, strict=True):
        if len(clip) < 2:
            raise RegistrationError(
                f"{name} has a single frame: registration needs clips with two or more",
                kind=Kind.TOO_SHORT,
            )
    if rules.slope_limit < 1 or rules.slope_limit != int(rules.slope_limit):
        raise RegistrationError(
            f"slope limit {rules.slope_limit}: expected a whole number, 1 or more"
        )
    if not (np.isfinite(rules.strikes) and rules.strikes >= 0.0):
        raise RegistrationError(f"strikes {rules.strikes}: expected a number, 0 or more")
    if reference is not None and not 0 <= reference < len(clips):
        raise RegistrationError(f"reference {reference}: there are clips 0 to {len(clips) - 1}")
    for row in anchors:
        if len(row) != len(clips):
            raise RegistrationError(
                f"anchor {tuple(row)}: expected one frame per clip, {len(clips)} in all"
            )
        for frame, name, clip in zip(row, names, clips, strict=True):
            _check_frame("anchor", frame, name, clip)
    if np.any(np.diff(np.array(anchors, dtype=np.float64), axis=0) <= 0.0):
        raise RegistrationError(
            f"anchors {[tuple(row) for row in anchors]}: frames of every clip have to increase "
            "from one anchor to the next"
        )
    if keep and len(keep) != len(clips):
        raise RegistrationError(
            f"frames to keep of {len(keep)} clips: expected a list of ranges for each of "
            f"{len(clips)} clips"
        )
    for ranges, name, clip in zip(keep, names, clips, strict=False):
        for first, last in ranges:
            if first >= last:
                raise RegistrationError(f"frames {first:g} to {last:g} of {name}: not a range")
            for frame in (first, last):
                _check_frame("range to keep", frame, name, clip)


def _check_frame(what: str, frame: float, name: str, clip: PointClip) -> None:
    if not 0 <= frame <= len(clip) - 1:
        raise RegistrationError(
            f"{what}: frame {frame:g} is not in {name}, which has frames 0 to {len(clip) - 1}"
        )


def _finished(
    found: Correspondence,
    clips: Sequence[PointClip],
    samples: Sequence[PointClip],
    rules: Rules,
    *,
    cyclic: bool = False,
    pins: Array | None = None,
) -> PointRegistration:
    curve, timewarp = _timewarp(found, clips, samples, rules, cyclic=cyclic, pins=pins)
    distances = _distances(found, clips)
    return PointRegistration(timewarp, found.reference, distances, Tracks(clips, curve))


def _timewarp(
    found: Correspondence,
    points: Sequence[PointClip],
    samples: Sequence[PointClip],
    rules: Rules,
    *,
    cyclic: bool = False,
    pins: Array | None = None,
) -> tuple[QuadraticSpline, TimewarpCurve]:
    """The curve through the correspondences of all clips (4.2.1, 4.2.2), in seconds and in
    frames; through the frames of ``pins`` ``(n, k)`` as nearly as the slopes allow."""
    seconds = np.array([c.duration / (len(s) - 1) for c, s in zip(points, samples, strict=True)])
    epsilon = _least_speed(found, seconds, rules)
    reference = found.reference
    at = found.pairs[reference].path[:, 0] * seconds[reference]
    columns = []
    for j, pair in enumerate(found.pairs):
        if j == reference:
            columns.append(at)
            continue
        times = pair.path * seconds[[reference, j]]
        both, _ = fit_timewarp(_mean_time(times), times, cyclic=cyclic, epsilon=epsilon)
        if rules.refine:
            clips = points[reference], points[j]
            both = refined(both, clips, epsilon, signals=pair.signals, cyclic=cyclic)
        column = both(both.inverse(0, at))[:, 1]
        # The ends are known exactly, and a closed curve's inverse leads round at its end.
        column[0], column[-1] = times[0, 1], times[-1, 1]
        columns.append(column)
    times, weights = np.stack(columns, axis=1), np.ones(len(at))
    fps = np.array([clip.fps for clip in points])
    if pins is not None and len(pins):
        times, weights = _pinned(times, pins / fps, reference)
    curve, base = fit_timewarp(
        _mean_time(times), times, cyclic=cyclic, epsilon=epsilon, weights=weights
    )
    frames = replace(
        curve,
        control=curve.control * fps,
        period=None if curve.period is None else curve.period * fps,
    )
    return curve, TimewarpCurve(frames, fps, base, epsilon)


def _pinned(times: Array, pins: Array, reference: int) -> tuple[Array, Array]:
    """Corresponding times ``(n, k)`` bent through the given ones, and how much each row counts.

    What a row is off by at a pin is taken off its neighbours as well, fading to nothing at
    the next pin and at the ends, which stay where they are. Pins are as fine as samples: less
    than half of one is left to the poses.
    """
    at = times[:, reference]
    pins = pins[(pins[:, reference] >= at[0]) & (pins[:, reference] <= at[-1])]
    now = np.stack([np.interp(pins[:, reference], at, column) for column in times.T], axis=1)
    far = np.abs(pins - now).max(axis=1, initial=0.0) > 0.5 / RATE
    pins, now = pins[far], now[far]
    known = np.concatenate([at[:1], pins[:, reference], at[-1:]])
    off = np.concatenate([np.zeros((1, len(times[0]))), pins - now, np.zeros((1, len(times[0])))])
    known, first = np.unique(known, return_index=True)
    moved = [np.interp(at, known, off[first, j]) for j in range(times.shape[1])]
    near = np.abs(at[:, None] - pins[:, reference]).min(axis=1, initial=np.inf)
    weights = 1.0 + _PIN * np.maximum(1.0 - near * RATE, 0.0)
    return np.asarray(times + np.stack(moved, axis=1)), np.asarray(weights)


def _least_speed(found: Correspondence, seconds: Array, rules: Rules) -> float:
    """ε of Eq. 5: a little beyond what the slope limit lets paths do.

    A larger ε would not let clips of very different length correspond; a smaller one would
    let the spline overshoot where the path turns, and one clip race past the other.
    """
    total = np.array([np.ptp(pair.path[:, 1]) for pair in found.pairs]) * seconds
    return float(_ROOM * min(1.0 / (rules.slope_limit + 1), total.min() / total.max()))


def _mean_time(times: Array) -> Array:
    """u ``(n,)``: the mean of the times ``(n, k)`` since the first row."""
    return np.asarray((times - times[0]).mean(axis=1))


def _distances(found: Correspondence, points: Sequence[PointClip]) -> Array:
    """Root mean square distances ``(k,)`` to the reference, as shares of the height."""
    height = float(np.mean([clip.height for clip in points])) or 1.0
    return np.sqrt([pair.distance for pair in found.pairs]) / height
