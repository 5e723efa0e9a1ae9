"""Registration of bare points: timing and alignment need no more than that.

Recorded markers register as well as skeletons do, as long as all clips have the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.splines import QuadraticSpline
from motionweave.errors import RegistrationError
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


@dataclass(frozen=True, eq=False)
class PointRegistration:
    """What of a registration curve needs only points; the fields are those of the curve."""

    timewarp: TimewarpCurve
    alignment: AlignmentCurve
    reference: int
    distances: Array


def register_points(
    *clips: PointClip,
    ends: str = "fixed",
    anchor: Sequence[float] | None = None,
    rules: Rules = Rules(),  # noqa: B008 - immutable
    reference: int | None = None,
    reach: float | None = None,
) -> PointRegistration:
    """Timing and alignment of clips of points; the parameters are those of `register`."""
    check(clips, ends, anchor, rules, reference)
    samples = [clip.spread(RATE) for clip in clips]
    if anchor is not None:
        cells = [
            round(frame * (len(sampled) - 1) / (len(clip) - 1))
            for frame, clip, sampled in zip(anchor, clips, samples, strict=True)
        ]
        far = None if reach is None else max(1, round(reach * RATE))
        found = correspond.anchored(samples, cells, rules, reference, far)
    elif ends == "free":
        found = correspond.free(samples, rules, reference)
    else:
        found = correspond.fixed(samples, rules, reference)
    return _finished(found, clips, samples, rules)


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
    """Three rounds of a cycle with so many samples each."""
    return clip.sample(np.linspace(0.0, len(clip) - 1.0, 3 * count + 1), RATE)


def check(
    clips: Sequence[PointClip],
    ends: str,
    anchor: Sequence[float] | None,
    rules: Rules,
    reference: int | None,
) -> None:
    """Refuse what cannot be registered, saying why."""
    if len(clips) < 2:
        raise RegistrationError(f"{len(clips)} clip given: registration needs two or more")
    for number, clip in enumerate(clips):
        if len(clip) < 2:
            raise RegistrationError(
                f"{clip.name or f'clip {number}'} has a single frame: registration needs "
                "clips of at least two"
            )
    if ends not in ("fixed", "free"):
        raise RegistrationError(f"ends={ends!r}: expected 'fixed' or 'free'")
    if rules.slope_limit < 1 or rules.slope_limit != int(rules.slope_limit):
        raise RegistrationError(
            f"slope_limit={rules.slope_limit}: expected a whole number from 1 on"
        )
    if not (np.isfinite(rules.strikes) and rules.strikes >= 0.0):
        raise RegistrationError(f"strikes={rules.strikes}: expected a number from 0 on")
    if reference is not None and not 0 <= reference < len(clips):
        raise RegistrationError(f"reference={reference}: there are clips 0 to {len(clips) - 1}")
    if anchor is None:
        return
    if ends == "free":
        raise RegistrationError("anchor and ends='free' exclude each other; give one of them")
    if len(anchor) != len(clips):
        raise RegistrationError(
            f"anchor={tuple(anchor)}: expected one frame for each of {len(clips)} clips"
        )
    for number, (frame, clip) in enumerate(zip(anchor, clips, strict=True)):
        if not 0 <= frame <= len(clip) - 1:
            raise RegistrationError(
                f"anchor frame {frame:g} is not in {clip.name or f'clip {number}'}, "
                f"which has frames 0 to {len(clip) - 1}"
            )


def _finished(
    found: Correspondence,
    clips: Sequence[PointClip],
    samples: Sequence[PointClip],
    rules: Rules,
    *,
    cyclic: bool = False,
) -> PointRegistration:
    curve, timewarp = _timewarp(found, clips, samples, rules, cyclic=cyclic)
    return PointRegistration(
        timewarp,
        fit_alignment(Tracks(clips, curve), found.reference, cyclic=cyclic),
        found.reference,
        _distances(found, clips),
    )


def _timewarp(
    found: Correspondence,
    points: Sequence[PointClip],
    samples: Sequence[PointClip],
    rules: Rules,
    *,
    cyclic: bool = False,
) -> tuple[QuadraticSpline, TimewarpCurve]:
    """The curve through the correspondences of all clips (4.2.1, 4.2.2), in seconds and in
    frames."""
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
        first, _ = fit_timewarp(_mean_time(times), times, cyclic=cyclic, epsilon=epsilon)
        clips = points[reference], points[j]
        both = refined(first, clips, epsilon, signals=pair.signals, cyclic=cyclic)
        column = both(both.inverse(0, at))[:, 1]
        # The ends are known exactly, and a closed curve's inverse leads round at its end.
        column[0], column[-1] = times[0, 1], times[-1, 1]
        columns.append(column)
    times = np.stack(columns, axis=1)
    curve, base = fit_timewarp(_mean_time(times), times, cyclic=cyclic, epsilon=epsilon)
    fps = np.array([clip.fps for clip in points])
    frames = replace(
        curve,
        control=curve.control * fps,
        period=None if curve.period is None else curve.period * fps,
    )
    return curve, TimewarpCurve(frames, fps, base, epsilon)


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
