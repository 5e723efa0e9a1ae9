"""`register`: from clips to their registration curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from motionweave.analysis.cycles import extract_cycle, find_cycle, repeat, rolled
from motionweave.core.motion import Motion
from motionweave.core.splines import QuadraticSpline
from motionweave.errors import RegistrationError
from motionweave.registration import correspond
from motionweave.registration.alignment import fit_alignment
from motionweave.registration.clouds import JointWeights, PointClip, as_points
from motionweave.registration.correspond import Correspondence
from motionweave.registration.curve import RegistrationCurve, constraint_matches
from motionweave.registration.files import fingerprint
from motionweave.registration.refine import refined
from motionweave.registration.timewarp import TimewarpCurve, fit_timewarp
from motionweave.registration.tracks import Tracks

Array = NDArray[np.float64]

# Samples a second at which frames are compared.
_RATE = 30.0


def register(
    *motions: Motion,
    ends: str = "fixed",
    cyclic: bool = False,
    anchor: Sequence[float] | None = None,
    slope_limit: int = 2,
    weights: JointWeights | None = None,
    reference: int | None = None,
    reach: float | None = None,
) -> RegistrationCurve:
    """Find which frames of clips belong together, how to lay them over each other, and which
    of their contacts mean the same.

    Parameters
    ----------
    *motions
        Two clips or more. They may differ in frame rate, length and skeleton.
    ends
        ``"fixed"``: first frames belong together, and last frames. ``"free"``: the
        longest stretch on which the clips correspond is found; ``curve.ranges`` says
        which frames that are.
    cyclic
        For motions that repeat themselves: one cycle of each clip is cut out, in the
        same phase, and the curve goes on at its start when its end is reached.
    anchor
        One frame of each clip; these belong together, and the curve goes from there both
        ways as far as one of the clips goes.
    slope_limit
        How many frames of one clip in a row may belong to one frame of another.
    weights
        How much each joint counts, by name (the others 1), or one number for each joint.
    reference
        The clip to which the others are compared; by default the one that is most like
        all others.
    reach
        With ``anchor``: look no further than so many seconds before and after it.

    Raises
    ------
    RegistrationError
        If the clips cannot be brought into correspondence; the message says what would help.

    Examples
    --------
    >>> import motionweave as mw
    >>> curve = mw.register(walk, jog, ends="free")  # doctest: +SKIP
    >>> curve.timewarp.frames([0.0, 0.5])  # doctest: +SKIP
    """
    _check(motions, ends, cyclic, anchor, slope_limit, reference)
    if cyclic:
        return _register_cycles(motions, slope_limit, weights, reference)
    points = [as_points(clip, weights) for clip in motions]
    samples = [clip.spread(_RATE) for clip in points]
    if anchor is not None:
        cells = [
            _sample_of(f, clip, s) for f, clip, s in zip(anchor, motions, samples, strict=True)
        ]
        far = None if reach is None else max(1, round(reach * _RATE))
        found = correspond.anchored(samples, cells, slope_limit, reference, far)
    elif ends == "free":
        found = correspond.free(samples, slope_limit, reference)
    else:
        found = correspond.fixed(samples, slope_limit, reference)
    curve, timewarp = _timewarp(found, points, samples, slope_limit)
    return RegistrationCurve(
        motions=motions,
        timewarp=timewarp,
        alignment=fit_alignment(Tracks(points, curve), found.reference),
        matches=constraint_matches(motions, timewarp),
        ranges=timewarp.frames(np.array([timewarp.start, timewarp.end])).T,
        reference=found.reference,
        distances=np.sqrt(found.distances) / _height(points),
        fingerprints=tuple(fingerprint(clip) for clip in motions),
    )


def _register_cycles(
    motions: Sequence[Motion],
    slope_limit: int,
    weights: JointWeights | None,
    reference: int | None,
) -> RegistrationCurve:
    ranges = [find_cycle(motion) for motion in motions]
    cycles = [extract_cycle(motion, ends) for motion, ends in zip(motions, ranges, strict=True)]
    counts = [max(2, round(cycle.duration * _RATE)) for cycle in cycles]
    rounds = [
        _rounds(as_points(repeat(c, 3), weights), n) for c, n in zip(cycles, counts, strict=True)
    ]
    reference, phases = correspond.phases(rounds, slope_limit, reference)
    cycles = [
        rolled(cycle, round(phase * (len(cycle) - 1) / count))
        for cycle, phase, count in zip(cycles, phases, counts, strict=True)
    ]
    points = [as_points(repeat(cycle, 3), weights) for cycle in cycles]
    rounds = [_rounds(clip, n) for clip, n in zip(points, counts, strict=True)]
    found = correspond.closed(rounds, slope_limit, reference)
    curve, timewarp = _timewarp(found, points, rounds, slope_limit, cyclic=True)
    return RegistrationCurve(
        motions=tuple(cycles),
        timewarp=timewarp,
        alignment=fit_alignment(Tracks(points, curve), reference, cyclic=True),
        matches=constraint_matches(cycles, timewarp, cyclic=True),
        ranges=np.array(ranges, dtype=np.float64),
        reference=reference,
        distances=np.sqrt(found.distances) / _height(points),
        fingerprints=tuple(fingerprint(clip) for clip in motions),
        cyclic=True,
    )


def _rounds(clip: PointClip, count: int) -> PointClip:
    """Three rounds of a cycle with so many samples each."""
    frames = np.linspace(0.0, len(clip) - 1.0, 3 * count + 1)
    return PointClip(clip.at(frames), _RATE, clip.weights)


def _check(
    motions: Sequence[Motion],
    ends: str,
    cyclic: bool,
    anchor: Sequence[float] | None,
    slope_limit: int,
    reference: int | None,
) -> None:
    if len(motions) < 2:
        raise RegistrationError(f"{len(motions)} clip given: registration needs two or more")
    for number, motion in enumerate(motions):
        if len(motion) < 2:
            raise RegistrationError(
                f"clip {number} ({motion.name or 'no name'}) has a single frame: "
                "registration needs clips of at least two"
            )
    if ends not in ("fixed", "free"):
        raise RegistrationError(f"ends={ends!r}: expected 'fixed' or 'free'")
    if slope_limit < 1 or slope_limit != int(slope_limit):
        raise RegistrationError(f"slope_limit={slope_limit}: expected a whole number from 1 on")
    if reference is not None and not 0 <= reference < len(motions):
        raise RegistrationError(f"reference={reference}: there are clips 0 to {len(motions) - 1}")
    if anchor is not None:
        if cyclic or ends == "free":
            raise RegistrationError("anchor cannot be combined with cyclic or free ends")
        if len(anchor) != len(motions):
            raise RegistrationError(
                f"anchor={tuple(anchor)}: expected one frame for each of {len(motions)} clips"
            )
        for number, (frame, motion) in enumerate(zip(anchor, motions, strict=True)):
            if not 0 <= frame <= len(motion) - 1:
                raise RegistrationError(
                    f"anchor frame {frame} is not in clip {number}, "
                    f"which has frames 0 to {len(motion) - 1}"
                )


def _sample_of(frame: float, clip: Motion, samples: PointClip) -> int:
    return round(frame * (len(samples) - 1) / (len(clip) - 1))


def _timewarp(
    found: Correspondence,
    points: Sequence[PointClip],
    samples: Sequence[PointClip],
    slope_limit: int,
    *,
    cyclic: bool = False,
) -> tuple[QuadraticSpline, TimewarpCurve]:
    """The curve through the correspondences of all clips (4.2.1, 4.2.2), in seconds and in
    frames."""
    seconds = np.array([c.duration / (len(s) - 1) for c, s in zip(points, samples, strict=True)])
    # Between corners a clip can be up to 2 L + 1 times as long as another (two frames
    # against 2 L + 2); that must be possible at constant speed, with room on both sides.
    epsilon = 0.5 / (2 * slope_limit + 1)
    reference = found.reference
    at = found.paths[reference][:, 0] * seconds[reference]
    columns = []
    for j, path in enumerate(found.paths):
        if j == reference:
            columns.append(at)
            continue
        times = path * seconds[[reference, j]]
        pair, _ = fit_timewarp(_mean_time(times), times, cyclic=cyclic, epsilon=epsilon)
        pair = refined(pair, (points[reference], points[j]), epsilon, cyclic=cyclic)
        column = pair(pair.inverse(0, at))[:, 1]
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


def _mean_time(times: Array) -> Array:
    """u ``(n,)``: the mean of the times ``(n, k)`` since the first row."""
    return np.asarray((times - times[0]).mean(axis=1))


def _height(points: Sequence[PointClip]) -> float:
    return float(np.mean([clip.height for clip in points])) or 1.0
