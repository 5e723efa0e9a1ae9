"""`register`: from clips to their registration curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from motionweave.analysis.cycles import displacement, extract_cycle, find_cycle, repeat, rolled
from motionweave.analysis.retarget import on_common_skeleton
from motionweave.core.motion import Motion
from motionweave.core.splines import QuadraticSpline
from motionweave.errors import RegistrationError
from motionweave.registration import correspond
from motionweave.registration.alignment import fit_alignment
from motionweave.registration.clouds import JointWeights, PointClip, as_points
from motionweave.registration.correspond import Correspondence, Rules
from motionweave.registration.curve import RegistrationCurve, constraint_matches
from motionweave.registration.files import fingerprint
from motionweave.registration.refine import refined
from motionweave.registration.signals import with_strikes
from motionweave.registration.timewarp import TimewarpCurve, fit_timewarp
from motionweave.registration.tracks import Tracks

Array = NDArray[np.float64]

# Samples a second at which frames are compared.
_RATE = 30.0
# How much strikes count beside poses: enough that they decide where poses disagree.
STRIKES = 2.0


def register(
    *motions: Motion,
    ends: str = "fixed",
    cyclic: bool = False,
    anchor: Sequence[float] | None = None,
    slope_limit: int = 2,
    weights: JointWeights | None = None,
    reference: int | None = None,
    reach: float | None = None,
    strikes: float = STRIKES,
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
    strikes
        How much it counts when a foot comes down in one clip and not in another: so many
        times as much as corresponding poses differ on average. Poses that are alike
        decide for themselves; a walk and a run meet where their feet do. 0 for poses
        alone, as in the paper.

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
    rules = Rules(int(slope_limit), strikes)
    fingerprints = tuple(fingerprint(motion) for motion in motions)
    motions = on_common_skeleton(motions)
    if cyclic:
        return _register_cycles(motions, rules, weights, reference, fingerprints)
    points = with_strikes([as_points(m, weights) for m in motions], motions)
    samples = [clip.spread(_RATE) for clip in points]
    if anchor is not None:
        cells = [
            _sample_of(f, clip, s) for f, clip, s in zip(anchor, motions, samples, strict=True)
        ]
        far = None if reach is None else max(1, round(reach * _RATE))
        found = correspond.anchored(samples, cells, rules, reference, far)
    elif ends == "free":
        found = correspond.free(samples, rules, reference)
    else:
        found = correspond.fixed(samples, rules, reference)
    curve, timewarp = _timewarp(found, points, samples, rules)
    return RegistrationCurve(
        motions=motions,
        timewarp=timewarp,
        alignment=fit_alignment(Tracks(points, curve), found.reference),
        matches=constraint_matches(motions, timewarp),
        ranges=timewarp.frames(np.array([timewarp.start, timewarp.end])).T,
        reference=found.reference,
        distances=_distances(found, points),
        fingerprints=fingerprints,
    )


def _register_cycles(
    motions: Sequence[Motion],
    rules: Rules,
    weights: JointWeights | None,
    reference: int | None,
    fingerprints: tuple[str, ...],
) -> RegistrationCurve:
    def rounds_of(cycles: Sequence[Motion]) -> list[PointClip]:
        # The middle one of the three rounds is the one that the curve speaks of: it stands
        # where the cycle itself stands.
        rounds = [repeat(cycle, 3).moved(displacement(cycle).inverse()) for cycle in cycles]
        return with_strikes([as_points(r, weights) for r in rounds], rounds)

    ranges = [find_cycle(motion) for motion in motions]
    cycles = [extract_cycle(motion, ends) for motion, ends in zip(motions, ranges, strict=True)]
    counts = [max(2, round(cycle.duration * _RATE)) for cycle in cycles]
    rounds = [_rounds(clip, n) for clip, n in zip(rounds_of(cycles), counts, strict=True)]
    reference, phases = correspond.phases(rounds, rules, reference)
    cycles = [
        rolled(cycle, round(phase * (len(cycle) - 1) / count))
        for cycle, phase, count in zip(cycles, phases, counts, strict=True)
    ]
    points = rounds_of(cycles)
    rounds = [_rounds(clip, n) for clip, n in zip(points, counts, strict=True)]
    found = correspond.closed(rounds, rules, reference)
    curve, timewarp = _timewarp(found, points, rounds, rules, cyclic=True)
    return RegistrationCurve(
        motions=tuple(cycles),
        timewarp=timewarp,
        alignment=fit_alignment(Tracks(points, curve), reference, cyclic=True),
        matches=constraint_matches(cycles, timewarp, cyclic=True),
        ranges=np.array(ranges, dtype=np.float64),
        reference=reference,
        distances=_distances(found, points),
        fingerprints=fingerprints,
        cyclic=True,
    )


def _rounds(clip: PointClip, count: int) -> PointClip:
    """Three rounds of a cycle with so many samples each."""
    return clip.sample(np.linspace(0.0, len(clip) - 1.0, 3 * count + 1), _RATE)


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
    rules: Rules,
    *,
    cyclic: bool = False,
) -> tuple[QuadraticSpline, TimewarpCurve]:
    """The curve through the correspondences of all clips (4.2.1, 4.2.2), in seconds and in
    frames."""
    seconds = np.array([c.duration / (len(s) - 1) for c, s in zip(points, samples, strict=True)])
    # Between corners a clip can be up to 2 L + 1 times as long as another (two frames
    # against 2 L + 2); that must be possible at constant speed, with room on both sides.
    epsilon = 0.5 / (2 * rules.slope_limit + 1)
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


def _mean_time(times: Array) -> Array:
    """u ``(n,)``: the mean of the times ``(n, k)`` since the first row."""
    return np.asarray((times - times[0]).mean(axis=1))


def _distances(found: Correspondence, points: Sequence[PointClip]) -> Array:
    """Root mean square distances ``(k,)`` to the reference, as shares of the height."""
    height = float(np.mean([clip.height for clip in points])) or 1.0
    return np.sqrt([pair.distance for pair in found.pairs]) / height
