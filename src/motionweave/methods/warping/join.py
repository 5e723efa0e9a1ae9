"""``join``: two clips overlapped, warped in time onto the shared interval, and blended.

The end of the first clip and the beginning of the second are brought onto one
interval so that corresponding frames coincide, and a slow-in/slow-out weight leads from
one to the other (Witkin & Popović, section 3, after Perlin).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.size import body_height
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.numerics.curves import smootherstep
from motionweave.errors import Kind, QualityWarning, Remedy, WarpError
from motionweave.methods.finish import Finished, finish
from motionweave.methods.joining.junctions import (
    LEAD_OVER,
    UNLIKE,
    Junction,
    action_before,
    find_junctions,
    warn_of_cut,
    what_is_cut,
)
from motionweave.methods.joining.search import MOST_TRIES, Steps, cheapest, relaxed
from motionweave.methods.joining.splice import (
    Seam,
    Spliced,
    plant_near_seams,
    splice,
    without_sliding,
)
from motionweave.methods.joining.strain import Strain
from motionweave.methods.warping.time import TimeCurve, paced_curve
from motionweave.registration.distance import distance_block
from motionweave.registration.register import comparable, timing
from motionweave.retargeting import on_common_skeleton

Interval = tuple[float, float]

# Default overlap in seconds, but at most this share of the shorter clip; and the spacing of
# automatically found correspondences.
_OVERLAP = 0.6
_SHARE = 0.24
_BETWEEN = 0.12
# The longest join in seconds, if the poses are so far apart that it has to last longer than the
# overlap.
_LONGEST = 2.5


@dataclass(frozen=True)
class Overlap:
    """Which frames of two clips overlap.

    Parameters
    ----------
    first, second
        First and last frame of the interval, in each clip.
    points
        Pairs of frames inside that correspond.
    least
        The fewest frames of the shared interval, from its first to its last.
    """

    first: Interval
    second: Interval
    points: tuple[tuple[float, float], ...] = ()
    least: int = 1

    @property
    def length(self) -> int:
        """Frames of the shared interval: the mean of both, or more if that is too quick."""
        return max(self._mean, self.least)

    @property
    def _mean(self) -> int:
        return round(0.5 * (np.ptp(self.first) + np.ptp(self.second)))

    def later(self, by: Array) -> Overlap:
        """The same frames counted from earlier ones: later ``by`` ``(2,)`` frames."""
        x, y = by.tolist()
        return replace(
            self,
            first=(self.first[0] + x, self.first[1] + x),
            second=(self.second[0] + y, self.second[1] + y),
            points=tuple((at + x, other + y) for at, other in self.points),
        )

    def curves(self) -> tuple[TimeCurve, TimeCurve]:
        """For each clip its frames along the shared interval, if it is not made longer.

        The first clip leaves at its own speed and the second arrives at its own, so that
        nothing changes pace at the borders.
        """
        pairs = np.array(
            [(self.first[0], self.second[0]), *self.points, (self.first[1], self.second[1])]
        )
        start, span = pairs[0], pairs[-1] - pairs[0]
        shared = self._mean * np.mean((pairs - start) / span, axis=1)
        pace = span / self._mean
        return (
            paced_curve(shared, pairs[:, 0], 1.0, pace[0]),
            paced_curve(shared, pairs[:, 1], pace[1], 1.0),
        )

    def seam(self) -> Seam:
        """The frames of both clips along the shared interval, slow in and slow out."""
        shared = np.arange(self._mean + 1, dtype=np.float64)
        first, second = (curve(shared) for curve in self.curves())
        seam = Seam(
            np.clip(first, *self.first),
            np.clip(second, *self.second),
            # Speed and acceleration of the blend do not jump at its ends.
            smootherstep(shared / self._mean),
        )
        return seam.stretched_to(self.length + 1)


def join(
    a: Motion,
    b: Motion,
    overlap: float | tuple[Interval, Interval] | None = None,
    correspondences: Iterable[tuple[float, float]] | None = None,
    *,
    clean: bool = True,
) -> Motion:
    """Join two clips by overlapping the end of ``a`` with the start of ``b``.

    Parameters
    ----------
    a, b
        Clips with the same joints. The second is converted to the first's skeleton and frame rate,
        and moved on the floor to where the first one arrives.
    overlap
        How many frames at the end of ``a`` overlap as many at the start of ``b``; or the two
        intervals, ``((first, last), (first, last))``, which may differ in length; frames of ``b``
        count at the frame rate of ``a``. None finds the place where the clips are most similar and
        least is cut off, and overlaps 0.6 seconds there, or less if a clip is short.
    correspondences
        Pairs of matching frames (of a, of b) inside the intervals, such as strikes of the same
        foot. None finds them by registration; ``()`` uses none.
    clean
        Plant the feet that the join has moved.

    Returns
    -------
    Motion
        ``a`` unchanged before the overlap, ``b`` moved but otherwise unchanged after it, except
        for feet that are planted within 1.5 seconds of it. A T-pose in front of a clip is left
        out.

    Raises
    ------
    WarpError
        If the overlap or the correspondences are not in the clips.

    Warns
    -----
    QualityWarning
        If the poses are far apart, if half of a clip or more is cut off at an automatically chosen
        place, or if the result is rougher than its clips.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk, jog = mw.sample("walk"), mw.sample("jog")
    >>> mw.join(walk, jog, 20).name
    'walk to jog'
    """
    check_arguments(join, locals(), WarpError)
    return make_join(a, b, overlap, correspondences, clean=clean)[1]


def make_join(
    a: Motion,
    b: Motion,
    overlap: float | tuple[Interval, Interval] | None = None,
    correspondences: Iterable[tuple[float, float]] | None = None,
    *,
    clean: bool = True,
) -> tuple[Overlap, Motion]:
    """The same as `join`, with the place at which the clips were joined."""
    a, b, starts = _alike(a, b)
    if overlap is None and correspondences is None:
        place, done = _best(a, b, clean)
    else:
        if overlap is None:
            place = _around(a, b, _junctions(a, b)[0])
        else:
            place = _given(a, b, overlap, starts)
        points = (
            _found(a, b, place)
            if correspondences is None
            else _checked(correspondences, place, starts)
        )
        place = replace(place, points=points)
        done = _finished(splice(a, b, place.seam()), clean)
    if overlap is None:
        _warn_of_cut((a, b), place)
    _warn_of_distance(a, b, place)
    return place.later(starts), done.reported((Remedy("overlap"),), stacklevel=3)


def _warn_of_cut(clips: tuple[Motion, Motion], place: Overlap) -> None:
    """Warn if an automatically chosen place cuts off much of a clip."""
    spans = (place.first[1], len(clips[0]) - 1.0), (0.0, place.second[0])
    middles = [0.5 * sum(interval) for interval in (place.first, place.second)]
    before = [float(action_before(c)[round(m)]) for c, m in zip(clips, middles, strict=True)]
    kept = before[0], 1.0 - before[1]
    lost = [
        what_is_cut(clip, *span, 1.0 - share)
        for clip, span, share in zip(clips, spans, kept, strict=True)
        if span[1] - span[0] >= 1.0
    ]
    shown = middles[0] / (len(clips[0]) - 1), 1.0 - middles[1] / (len(clips[1]) - 1)
    warn_of_cut(clips, kept, shown, lost, stacklevel=4)


def _warn_of_distance(a: Motion, b: Motion, place: Overlap) -> None:
    """Warn if the poses are far apart where clips are joined."""
    middles = [round(0.5 * sum(interval)) for interval in (place.first, place.second)]
    block = distance_block(a, b, *((m, m + 1) for m in middles))
    apart = float(np.sqrt(max(float(block[0, 0]), 0.0))) / body_height(a.skeleton)
    if apart > UNLIKE:
        warnings.warn(
            f"frames {middles[0]} of {a.name or 'the first clip'} and {middles[1]} of "
            f"{b.name or 'the second'}, where they are joined, are {apart:.0%} of the body's "
            f"height apart; {LEAD_OVER}",
            QualityWarning,
            stacklevel=4,
        )


def _finished(made: Spliced, clean: bool) -> Finished:
    """A join with its feet planted, and checked."""
    seams = [(made.start, made.end)]
    plant = partial(plant_near_seams, seams=seams)
    return finish(made.motion, (made.a, made.b), clean=clean, plant=plant, seams=seams)


def _alike(a: Motion, b: Motion) -> tuple[Motion, Motion, Array]:
    """Both clips rooted at the pelvis, on one floor, with one skeleton and frame rate, and the
    frames ``(2,)``, at that rate, that were left out before them: a T-pose is not part of a
    clip."""
    posed = [tpose_frames(clip) for clip in (a, b)]
    a, b = (clip[start:] for clip, start in zip(on_common_skeleton((a, b)), posed, strict=True))
    return a, b.resample(a.fps), np.array(posed) * [1.0, a.fps / b.fps]


def _best(a: Motion, b: Motion, clean: bool) -> tuple[Overlap, Finished]:
    """The best of the places where the clips are similar and little is cut off, and the join."""
    strain = Strain((a, b))

    def steps(junction: Junction) -> Steps[tuple[Overlap, Finished]]:
        place = _around(a, b, junction)
        place = replace(place, points=_found(a, b, place))
        seam = place.seam()
        # Poses that are far apart need longer than the stretch on which the clips are similar.
        least = strain.needed(a.sample(seam.first), b.sample(seam.second), seam.weight)
        place = replace(place, least=min(least, round(_LONGEST * a.fps)))

        def lasting(times: float) -> Overlap:
            return replace(place, least=round(times * place.length))

        join = cache(lambda times: splice(a, b, lasting(times).seam()))
        yield strain.likely_cost(join(1.0)), None
        times, joined = relaxed(join, strain)
        cost = strain.cost(joined)
        yield cost, None
        place = lasting(times)
        _, _, done = without_sliding(place.seam(), joined, partial(_finished, clean=clean))
        yield cost + done.cost, (place, done)

    return cheapest(((junction.cost, junction) for junction in _junctions(a, b)), steps)


def _half(a: Motion, b: Motion) -> float:
    """Seconds on either side of the middle of an automatically chosen overlap."""
    return 0.5 * min(_OVERLAP, _SHARE * min(a.duration, b.duration))


def _junctions(a: Motion, b: Motion) -> tuple[Junction, ...]:
    found: tuple[Junction, ...] = ()
    if min(len(a), len(b)) > 2:
        found = find_junctions(a, b, _half(a, b), most=MOST_TRIES)
    if not found:
        raise WarpError(
            f"clips of {a.duration:.2f} and {b.duration:.2f} s are too short to overlap; "
            "give the overlap in frames",
            kind=Kind.TOO_SHORT,
        )
    return found


def _around(a: Motion, b: Motion, junction: Junction) -> Overlap:
    """Whole frames, the same number to either side of a junction in both clips."""
    width = max(round(_half(a, b) * a.fps), 1)
    middles = [
        int(np.clip(round(frame), width, len(m) - 1 - width))
        for frame, m in zip(junction.frames, (a, b), strict=True)
    ]
    first, second = ((float(m - width), float(m + width)) for m in middles)
    return Overlap(first, second)


def _given(
    a: Motion, b: Motion, overlap: float | tuple[Interval, Interval], starts: Array
) -> Overlap:
    if isinstance(overlap, int | float | np.number):
        frames = round(overlap)
        if not 1 <= frames <= min(len(a), len(b)) - 1:
            raise WarpError(
                f"an overlap of {overlap:g} frames: expected 1 to {min(len(a), len(b)) - 1} "
                f"for clips of {len(a)} and {len(b)} frames"
            )
        return Overlap((float(len(a) - 1 - frames), len(a) - 1.0), (0.0, float(frames)))
    try:
        pairs = np.asarray(overlap, dtype=np.float64)
    except (TypeError, ValueError):
        pairs = np.zeros(0)
    if pairs.shape != (2, 2):
        raise WarpError(f"overlap {overlap!r}: expected two intervals (first, last) of frames")
    for (first, last), motion, start, which in zip(
        pairs, (a, b), starts, ("first", "second"), strict=True
    ):
        if not (start <= first < last <= start + len(motion) - 1):
            behind = ", behind a T-pose" if start else ""
            raise WarpError(
                f"overlap {first:g} to {last:g} of the {which} clip: it has frames {start:g} to "
                f"{start + len(motion) - 1:g}{behind}"
            )
    whole = np.round(pairs - starts[:, None])
    return Overlap((whole[0, 0], whole[0, 1]), (whole[1, 0], whole[1, 1]))


def _checked(
    points: Iterable[tuple[float, float]], place: Overlap, starts: Array
) -> tuple[tuple[float, float], ...]:
    pairs = sorted((float(x), float(y)) for x, y in points)
    own = place.later(starts)
    low, high = (own.first[0], own.second[0]), (own.first[1], own.second[1])
    rows = np.array([low, *pairs, high])
    if np.any(np.diff(rows, axis=0) <= 0.0):
        raise WarpError(
            f"correspondences {pairs}: both frames have to increase from pair to pair, strictly "
            f"inside {low[0]:g} to {high[0]:g} and {low[1]:g} to {high[1]:g}"
        )
    return tuple((x - float(starts[0]), y - float(starts[1])) for x, y in pairs)


def _found(a: Motion, b: Motion, place: Overlap) -> tuple[tuple[float, float], ...]:
    """Corresponding frames inside an overlap, by registration of its two intervals."""
    starts = [round(place.first[0]), round(place.second[0])]
    ends = [round(place.first[1]), round(place.second[1])]
    parts = [m[s : e + 1] for m, s, e in zip((a, b), starts, ends, strict=True)]
    count = int(min(part.duration for part in parts) / _BETWEEN)
    if count < 2:
        return ()
    timewarp = timing(*comparable(*parts))
    inside = np.linspace(timewarp.start, timewarp.end, count + 1)[1:-1]
    frames = timewarp.frames(inside) + starts
    low, high = np.array(starts, dtype=float), np.array(ends, dtype=float)
    kept: list[tuple[float, float]] = []
    for pair in frames:
        before = np.array(kept[-1]) if kept else low
        if np.all(pair > before + 1.0) and np.all(pair < high - 1.0):
            kept.append((float(pair[0]), float(pair[1])))
    return tuple(kept)
