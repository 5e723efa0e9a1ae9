"""Transitions: one clip turns into the next (Section 6.1 of Kovar & Gleicher)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.size import body_height
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.errors import BlendError, Kind, QualityWarning, Remedy
from motionweave.methods.blending.seam import At, half_frames, registered_seam
from motionweave.methods.finish import Finished, finish
from motionweave.methods.joining.junctions import (
    LEAD_OVER,
    UNLIKE,
    Junction,
    Keep,
    action_before,
    find_junctions,
    warn_of_cut,
    what_is_cut,
)
from motionweave.methods.joining.search import MOST_TRIES, Steps, cheapest, relaxed
from motionweave.methods.joining.splice import (
    Seam,
    Spliced,
    given_clips,
    plant_near_seams,
    splice,
    without_sliding,
)
from motionweave.methods.joining.strain import CALM, Strain
from motionweave.registration.clouds import JointWeights
from motionweave.registration.distance import distance_block
from motionweave.registration.register import comparable
from motionweave.retargeting import on_common_skeleton

# The longest transition in seconds, if the poses are so far apart that it has to last longer than
# its half-width.
_LONGEST = 2.5
# How much of their own pace clips keep if getting into step strains the body.
_OWN_PACE = 0.5


@dataclass(frozen=True, eq=False)
class Transition:
    """Joined clips, and how they were joined.

    Parameters
    ----------
    motion
        The result.
    junctions
        Where the middle of each transition is, in the clips' own frames.
    seams
        First and last frame of each transition, in the result.
    cut
        What is cut off from the clips, in words.
    shown
        ``(n, 2)`` for each transition, the frames of both clips that each of its frames shows, at
        the frame rate of the first clip; none where that is not known.
    """

    motion: Motion
    junctions: tuple[Junction, ...]
    seams: tuple[tuple[int, int], ...]
    cut: tuple[str, ...]
    shown: tuple[Array, ...] = ()


def transition(
    *motions: Motion | Iterable[Motion],
    at: At | Sequence[At | None] | None = None,
    half_width: float | Sequence[float | None] | None = None,
    keep: Keep = "most",
    weights: JointWeights | None = None,
    resample: bool = False,
    clean: bool = True,
) -> Motion:
    """Join clips, each turning smoothly into the next.

    Parameters
    ----------
    *motions
        Two or more clips, as separate arguments or in one sequence. They are converted to the
        skeleton and frame rate of the first.
    at
        ``(f1, f2)``: the frame of each clip at the middle of the transition, in the clips'
        own frames. For more than two clips, a list of such pairs. None finds the best of
        `junctions` at which the transition is no rougher than the clips.
    half_width
        Frames of the first clip from the middle of a transition to its ends; by default 12 % of the
        shorter clip, between 0.15 and 0.5 seconds, and more if poses or speeds are so far apart
        that the body would have to hurry. Near the ends of a clip it shrinks to the frames
        available. For more than two clips it may be a list, one per pair, with None for the
        default.
    keep
        What an automatically chosen place must not cut off. ``"most"``: cutting has a cost, which
        is weighed against how well the poses fit. ``"all"``: the clips meet at their ends. A number
        from 0 to 1: this share of each clip's action. ``((first, last), (first, last))``: these
        frames of the clips, or None for a clip without such a limit.
    weights
        How much each joint counts when poses are compared, as in `register`.
    resample
        By default a transition begins and ends on whole frames, so that the frames outside
        it are the clips' own. True allows it to begin and end between frames, and resamples the
        clips.
    clean
        Plant the feet that touch the ground during a transition.

    Returns
    -------
    Motion
        The first clip up to the first transition, the others turned and shifted on the floor.
        Planting feet changes frames within 1.5 seconds of a transition; all others are those of the
        clips, the first clip's bit for bit. A T-pose in front of a clip is left out.

    Raises
    ------
    BlendError
        If there is no room for a transition, at all or at the given frames.

    Warns
    -----
    QualityWarning
        If even the best poses are far apart, if half of a clip or more is cut off, or if the result
        is rougher than its clips.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk, jog = mw.sample("walk"), mw.sample("jog")
    >>> joined = mw.transition(walk, jog)
    >>> joined.name
    'walk to jog'
    >>> len(mw.transition([walk, jog, walk], keep="all")) > len(walk)
    True
    """
    check_arguments(transition, locals(), BlendError)
    clips = given_clips(motions, 2, "a transition")
    return make_transition(
        clips,
        at=at,
        half_width=half_width,
        keep=keep,
        weights=weights,
        resample=resample,
        clean=clean,
    ).motion


def make_transition(
    motions: Sequence[Motion],
    *,
    at: At | Sequence[At | None] | None = None,
    half_width: float | Sequence[float | None] | None = None,
    keep: Keep = "most",
    weights: JointWeights | None = None,
    resample: bool = False,
    clean: bool = True,
    warn: bool = True,
) -> Transition:
    """The same as `transition`, with where and how the clips were joined.

    ``warn`` is whether to warn of what is doubtful about the result.
    """
    rate = motions[0].fps
    # A T-pose in front of a clip is not part of it.
    starts = [tpose_frames(motion) for motion in motions]
    clips = [
        clip[start:].resample(rate)
        for clip, start in zip(on_common_skeleton(motions), starts, strict=True)
    ]
    places = _places(at, motions)
    halves = _halves(half_width, motions)
    whole, entered = clips[0], 0.0
    strain = Strain(clips)
    junctions: list[Junction] = []
    seams: list[tuple[int, int]] = []
    cut: list[str] = []
    shown: list[Array] = []
    done: Finished | None = None
    for number, (following, place) in enumerate(zip(clips[1:], places, strict=True)):
        current = clips[number]
        # The rest of the current clip, and where in the result it begins.
        rest = _from(current, entered)
        offset = len(whole) - len(rest)
        scales = np.array([rate / motion.fps for motion in motions[number : number + 2]])
        begins = np.array(starts[number : number + 2])
        wanted: At | None = None
        if place is not None:
            left = entered / scales[0] + begins[0]
            _check_place(place, motions[number : number + 2], begins, left)
            first, second = (np.array(place) - begins) * scales
            wanted = float(first) - entered, float(second)
        kept = _later(keep, begins)
        junction, seam, made, done = _seam(
            rest, following, wanted, halves[number], kept, weights, not resample, strain, clean
        )
        if offset > 0:
            made = splice(whole, following, replace(seam, first=seam.first + offset))
        middle = junction.frames[0] + entered, junction.frames[1]
        shares = _shares((current, following), middle)
        own = (np.array(middle) / scales + begins).tolist()
        junctions.append(replace(junction, frames=(own[0], own[1]), kept=shares))
        seams.append((made.start, made.end))
        shown.append(np.stack([seam.first + entered, seam.second], axis=1) + begins * scales)
        lost = _lost((current, following), seam, entered, shares)
        cut += lost
        if warn:
            _warn(junctions[-1], (current, following), lost, middle, place is None)
        whole, entered = made.motion, seam.second[-1]
    if done is None or len(clips) > 2:
        done = _finished(whole, clips, seams, clean)
    if warn:
        done.reported((Remedy("at"),), stacklevel=3)
    whole = replace(done.motion, name=" to ".join(m.name or "a clip" for m in motions))
    return Transition(whole, tuple(junctions), tuple(seams), tuple(cut), tuple(shown))


def _finished(
    whole: Motion, clips: Sequence[Motion], seams: Sequence[tuple[int, int]], clean: bool
) -> Finished:
    """Joined clips with their feet planted, and checked."""
    plant = partial(plant_near_seams, seams=seams)
    return finish(whole, clips, clean=clean, plant=plant, seams=seams)


def junctions(
    a: Motion,
    b: Motion,
    *,
    half_width: float | None = None,
    keep: Keep = "most",
    weights: JointWeights | None = None,
    most: int = 20,
) -> tuple[Junction, ...]:
    """Places where ``a`` can turn into ``b``, the best first.

    These are the local minima, over all pairs of frames that leave room for a transition on
    either side, of the distance between the poses plus the cost of what is cut off.

    Parameters
    ----------
    a, b
        Two clips of the same joints.
    half_width, keep, weights
        As in `transition`.
    most
        The largest number to return.

    Returns
    -------
    tuple[Junction, ...]
        Sorted by cost: how far apart the poses are, and what is cut off.

    Raises
    ------
    BlendError
        If the half-width or ``keep`` is out of range.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk, jog = mw.sample("walk"), mw.sample("jog")
    >>> best, second, *others = mw.junctions(walk, jog)
    >>> best.cost <= second.cost
    True
    >>> mw.transition(walk, jog, at=best.frames).name
    'walk to jog'
    """
    check_arguments(junctions, locals(), BlendError)
    a, b = on_common_skeleton((a, b))
    half = half_frames(a, b, half_width) / a.fps
    return find_junctions(a, b, half, keep=keep, weights=weights, most=most)


def best_junction(
    a: Motion, b: Motion, *, half_width: float | None = None, keep: Keep = "most"
) -> Junction:
    """The place that `transition` uses by default: the best of `junctions` that is calm."""
    return make_transition((a, b), half_width=half_width, keep=keep, warn=False).junctions[0]


def _seam(
    a: Motion,
    b: Motion,
    place: At | None,
    half_width: float | None,
    keep: Keep,
    weights: JointWeights | None,
    whole_frames: bool,
    strain: Strain,
    clean: bool,
) -> tuple[Junction, Seam, Spliced, Finished | None]:
    """The seam at a given place, or at the best, and the two clips joined there; clips of one
    skeleton and frame rate.

    If it is the best, with the result.
    """
    half = half_frames(a, b, half_width)
    points = comparable(a, b, weights=weights)

    def lasting(junction: Junction) -> Callable[[float], Seam]:
        seam = registered_seam(points, junction.frames, half, whole_frames)
        # Poses that are far apart need longer than the stretch on which the clips are similar.
        count = strain.needed(a.sample(seam.first), b.sample(seam.second), seam.weight)
        seam = seam.stretched_to(min(count + 1, round(_LONGEST * a.fps)))
        return lambda times: seam.stretched_to(1 + round(times * (len(seam) - 1)))

    def made(junction: Junction) -> Iterator[tuple[Seam, Spliced]]:
        """As short as the poses allow, and then as long as the body needs."""
        if half_width is not None:
            seam = registered_seam(points, junction.frames, half, whole_frames)
            yield _at_own_pace(a, b, seam, strain)
            return
        seam_of = lasting(junction)
        join = cache(lambda times: splice(a, b, seam_of(times)))
        yield seam_of(1.0), join(1.0)
        times, joined = relaxed(join, strain)
        yield seam_of(times), joined

    if place is not None:
        # The frames are compared with the window around them.
        row, column = round(place[0]), round(place[1])
        apart = float(distance_block(a, b, (row, row + 1), (column, column + 1))[0, 0])
        junction = Junction(float(np.sqrt(max(apart, 0.0))), place)
        *_, last = made(junction)
        return junction, *last, None
    found = find_junctions(a, b, half / a.fps, keep=keep, points=points, most=MOST_TRIES)
    if not found:
        raise BlendError(
            f"found no place for a transition from {a.name or 'the first clip'} to "
            f"{b.name or 'the second'} that keeps what you asked for; keep less, "
            "or give the place"
        )

    def finished(made: Spliced) -> Finished:
        return _finished(made.motion, (a, b), [(made.start, made.end)], clean)

    def steps(junction: Junction) -> Steps[tuple[Junction, Seam, Spliced, Finished]]:
        for attempt in made(junction):
            yield strain.likely_cost(attempt[1]), None
        seam, joined = attempt
        cost = strain.cost(joined)
        yield cost, None
        seam, joined, done = without_sliding(seam, joined, finished)
        yield cost + done.cost, (junction, seam, joined, done)

    return cheapest(((junction.cost, junction) for junction in found), steps)


def _at_own_pace(a: Motion, b: Motion, seam: Seam, strain: Strain) -> tuple[Seam, Spliced]:
    """A seam of given length, in which clips keep more of their own pace if that is calmer, and
    the clips joined by it.

    Clips that are out of step have to hurry and to wait for each other to get into step: if there
    is little time for that, the body is better off half out of step.
    """
    made = splice(a, b, seam)
    slower = seam.at_own_pace(_OWN_PACE)
    if strain(made) <= CALM or slower.first[-1] > len(a) - 1 or slower.second[0] < 0.0:
        return seam, made
    other = splice(a, b, slower)
    return (slower, other) if strain(other) < strain(made) else (seam, made)


def _from(motion: Motion, frame: float) -> Motion:
    """The frames of a clip from a (fractional) frame on."""
    if frame == round(frame):
        return motion[int(frame) :]
    return motion.sample(frame + np.arange(int(len(motion) - 1 - frame) + 1))


def _shares(clips: Sequence[Motion], at: At) -> tuple[float, float]:
    """The share of each clip's action that a junction keeps."""
    before = [
        float(np.interp(frame, np.arange(len(clip)), action_before(clip)))
        for clip, frame in zip(clips, at, strict=True)
    ]
    return before[0], 1.0 - before[1]


def _lost(
    clips: Sequence[Motion], seam: Seam, entered: float, shares: tuple[float, float]
) -> list[str]:
    """What a transition cuts, in words; the seam itself still shows both clips."""
    first = float(seam.first[-1]) + entered, len(clips[0]) - 1.0
    second = 0.0, float(seam.second[0])
    return [
        what_is_cut(clip, start, end, 1.0 - share)
        for clip, (start, end), share in zip(clips, (first, second), shares, strict=True)
        if end - start >= 1.0
    ]


def _warn(
    junction: Junction,
    clips: Sequence[Motion],
    lost: Sequence[str],
    middle: At,
    found: bool,
) -> None:
    """Warn the user about one transition."""
    height = body_height(clips[0].skeleton)
    names = " to ".join(clip.name or "a clip" for clip in clips)
    if junction.distance > UNLIKE * height:
        best = "even at the best place " if found else ""
        warnings.warn(
            f"{names}: {best}the poses are {junction.distance / height:.0%} of the body's height "
            f"apart; {LEAD_OVER}",
            QualityWarning,
            stacklevel=4,
        )
    if found:
        lasts = [len(clip) - 1 for clip in clips]
        shown = middle[0] / lasts[0], 1.0 - middle[1] / lasts[1]
        warn_of_cut(clips, junction.kept, shown, lost, stacklevel=4)


def _later(keep: Keep, begins: Array) -> Keep:
    """What to keep, with frames counted from where the clips begin behind a T-pose."""
    if not isinstance(keep, tuple):
        return keep
    first, second = (
        None if part is None else (max(part[0] - begin, 0.0), max(part[1] - begin, 0.0))
        for part, begin in zip(keep, begins.tolist(), strict=True)
    )
    return first, second


def _check_place(place: At, clips: Sequence[Motion], begins: Array, entered: float) -> None:
    """An error that names the frame if a place is not in the clips."""
    for frame, clip, begin in zip(place, clips, begins, strict=True):
        if not 0 <= frame <= len(clip) - 1:
            raise BlendError(
                f"transition at frame {frame:g} of {clip.name or 'a clip'}, "
                f"which has frames 0 to {len(clip) - 1}"
            )
        if frame < begin:
            raise BlendError(
                f"transition at frame {frame:g} of {clip.name or 'a clip'}: that is a T-pose; use "
                f"frame {begin:g} or later",
                kind=Kind.T_POSE,
            )
    if place[0] < entered:
        raise BlendError(
            f"transition at frame {place[0]:g} of {clips[0].name or 'a clip'}: the transition "
            f"before it ends only at frame {entered:g}",
            kind=Kind.SEAMS_MEET,
        )


def _places(at: At | Sequence[At | None] | None, motions: Sequence[Motion]) -> list[At | None]:
    """One place, or None, for each pair of neighbouring clips."""
    pairs = len(motions) - 1
    if at is None:
        return [None] * pairs
    rows = [at] if len(at) == 2 and all(np.isscalar(x) for x in at) else list(at)
    if len(rows) != pairs:
        raise BlendError(
            f"{len(motions)} clips have {pairs} transitions; got places for {len(rows)}"
        )
    places: list[At | None] = []
    for row in rows:
        try:
            pair = None if row is None else np.array(row, dtype=np.float64).ravel()
        except (TypeError, ValueError):
            pair = np.zeros(0)
        if pair is not None and (pair.shape != (2,) or not np.all(np.isfinite(pair))):
            raise BlendError(f"at={row!r}: expected two frames (f1, f2), one of each clip")
        places.append(None if pair is None else (float(pair[0]), float(pair[1])))
    return places


def _halves(
    half_width: float | Sequence[float | None] | None, motions: Sequence[Motion]
) -> list[float | None]:
    """One half-width, or None, for each pair of neighbouring clips."""
    pairs = len(motions) - 1
    if half_width is None or np.isscalar(half_width):
        return [half_width] * pairs  # type: ignore[list-item]
    widths = list(half_width)  # type: ignore[arg-type]
    if len(widths) != pairs:
        raise BlendError(
            f"{len(motions)} clips have {pairs} transitions; got half widths for {len(widths)}"
        )
    return widths
