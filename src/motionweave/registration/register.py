"""`register`: from clips to their registration curve."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, cast, get_args, overload

import numpy as np

from motionweave.body.pose.heading import facing
from motionweave.body.pose.tpose import tpose_frames
from motionweave.core.arguments import check_arguments
from motionweave.core.cycles import displacement, repeat, rolled
from motionweave.core.markers import Markers
from motionweave.core.motion import Motion
from motionweave.core.runtime.threads import one_thread
from motionweave.errors import (
    Kind,
    MotionError,
    QualityWarning,
    RegistrationError,
    Remedy,
)
from motionweave.registration import correspond
from motionweave.registration.choice import LOST_TURN, CurveDraft, best_ends
from motionweave.registration.clouds import POINTS, REACH, JointWeights, PointClip, as_points
from motionweave.registration.curve import RegistrationCurve
from motionweave.registration.cycles import Repetition, extract_cycle, one_round, repetition
from motionweave.registration.markers import MarkerCurve, register_markers
from motionweave.registration.pairing import Rules, worth_of
from motionweave.registration.points import (
    RATE,
    End,
    PairEnds,
    Range,
    check,
    register_points,
    register_rounds,
    sampled_rounds,
)
from motionweave.registration.signals import with_strikes
from motionweave.registration.timewarp import TimewarpCurve
from motionweave.registration.verdict import agreement, judged
from motionweave.retargeting import on_common_skeleton

# How much strikes count compared with poses: enough to decide where poses disagree.
STRIKES = 4.0

Ends = Literal["auto", "fixed", "free", "cyclic"]
Cycles = Literal["find", "whole"] | Sequence[tuple[int, int] | None]
Keep = Sequence[Sequence[Range] | None]


@overload
def register(
    *motions: Motion | Sequence[Motion],
    ends: Ends | PairEnds = "auto",
    anchors: Sequence[Sequence[float]] | Sequence[float] = (),
    keep: Keep = (),
    cycles: Cycles = "find",
    slope_limit: int = 2,
    weights: JointWeights | None = None,
    points: int = POINTS,
    window: int = 2 * REACH + 1,
    reference: int | None = None,
    reach: float | None = None,
    strikes: float | None = None,
    paper: bool = False,
) -> RegistrationCurve: ...


@overload
def register(
    *motions: Markers | Sequence[Markers],
    ends: Ends | PairEnds = "auto",
    anchors: Sequence[Sequence[float]] | Sequence[float] = (),
    keep: Keep = (),
    cycles: Cycles = "find",
    slope_limit: int = 2,
    weights: JointWeights | None = None,
    points: int = POINTS,
    window: int = 2 * REACH + 1,
    reference: int | None = None,
    reach: float | None = None,
    strikes: float | None = None,
    paper: bool = False,
) -> MarkerCurve: ...


def register(
    *motions: Motion | Markers | Sequence[Motion] | Sequence[Markers],
    ends: Ends | PairEnds = "auto",
    anchors: Sequence[Sequence[float]] | Sequence[float] = (),
    keep: Keep = (),
    cycles: Cycles = "find",
    slope_limit: int = 2,
    weights: JointWeights | None = None,
    points: int = POINTS,
    window: int = 2 * REACH + 1,
    reference: int | None = None,
    reach: float | None = None,
    strikes: float | None = None,
    paper: bool = False,
) -> RegistrationCurve | MarkerCurve:
    """Match clips: which of their frames correspond, how to align them on the floor, and which of
    their contacts match.

    Parameters
    ----------
    *motions
        Two or more clips, as separate arguments or in a list. They may differ in frame rate, length
        and skeleton. Clips of recorded markers give a `MarkerCurve`: timing and alignment need no
        skeleton.
    ends
        ``"auto"``: whole clips, one cycle of each, or the best stretch, whichever matches best,
        without parts of a step at the ends that only one clip has; ``curve.verdict`` says what was
        chosen and why. ``"fixed"``: the first frames match, and the last frames. ``"free"``: finds
        the stretch on which the clips match, with as much of the action as possible;
        ``curve.ranges`` says which frames those are. ``"cyclic"``: one cycle of each clip is cut
        out, all in the same phase, and the curve continues at its start when its end is reached. A
        pair such as ``("fixed", "free")`` sets start and end separately.
    anchors
        Rows of matching frames, one from each clip: ``[(12, 20), (48, 71)]``. Before the first and
        after the last row the curve continues until one of the clips ends, or to both ends if these
        are fixed.
    keep
        For each clip, the ranges of frames that must not be cut off when ends are free, such as
        ``[[(40, 60)], None]``.
    cycles
        For cyclic ends: ``"whole"`` means that each clip is one cycle; a list gives the first and
        last frame of each clip's cycle (None to find them).
    slope_limit
        How many frames of one clip in a row may match one frame of another.
    weights
        How much each joint counts, by name (1 for the others), or one number per joint.
    points
        How many points of the body are compared.
    window
        How many frames, 1/30 s apart, are compared at a time: an odd number.
    reference
        The clip that the others are compared with; by default the one most similar to all others.
    reach
        With ``anchors``: do not look further than this many seconds before and after them.
    strikes
        The cost of a foot that comes down in one clip and not in the other: this many times the
        difference between matching poses, beyond the effect of noise. Similar poses are matched by
        pose; a walk and a run are matched where their feet come down. 0 for poses alone; 4 by
        default.
    paper
        Exactly the published method: no strikes, no timing finer than a frame, Appendix B to the
        letter, whole clips unless you say otherwise.

    Returns
    -------
    RegistrationCurve or MarkerCurve
        Timing, alignment, matching contacts, and a verdict.

    Raises
    ------
    RegistrationError
        If the clips cannot be matched; the message says what would help.
    MotionError
        If cyclic ends are requested and a clip does not repeat itself.

    Warns
    -----
    QualityWarning
        If the verdict is doubtful.

    Examples
    --------
    >>> import motionweave as mw
    >>> curve = mw.register(mw.sample("walk"), mw.sample("jog"))
    >>> curve.verdict.ends
    'fixed'
    >>> curve.timewarp.frames([0.0, 0.5]).shape
    (2, 2)
    """
    check_arguments(register, locals(), RegistrationError)
    given = [m for one in motions for m in (one if isinstance(one, list | tuple) else (one,))]
    clips = [one for one in given if isinstance(one, Motion)]
    markers = [one for one in given if isinstance(one, Markers)]
    if len(clips) + len(markers) < len(given):
        other = next(one for one in given if not isinstance(one, Motion | Markers))
        raise RegistrationError(f"{type(other).__name__} is not a clip that can be registered")
    if markers and clips:
        raise RegistrationError("markers and skeletons cannot be registered with each other")
    rows = _rows(anchors)
    if paper and ends == "auto":
        ends = "fixed"
    chosen = _ends(ends, bool(rows))
    if window != int(window) or window < 1 or window % 2 == 0:
        raise RegistrationError(f"window {window}: expected an odd number of frames, 1 or more")
    amount = (0.0 if paper else STRIKES) if strikes is None else strikes
    rules = Rules(slope_limit, amount, refine=not paper)
    if markers:
        if chosen == "cyclic":
            raise RegistrationError("cycles need a skeleton, and markers have none")
        pair = ("fixed", "fixed") if chosen == "auto" else chosen
        return register_markers(
            *markers,
            ends=cast(PairEnds, pair),
            anchors=rows,
            keep=[ranges or () for ranges in keep],
            rules=replace(rules, strikes=0.0),
            weights=weights,
            reference=reference,
            reach=reach,
            window=window,
        )
    # Many small products: what limits their threads is set once.
    with one_thread():
        making = _Making(
            clips, rules, rows, [ranges or () for ranges in keep], cycles,
            weights, points, window // 2, reference, reach, paper,
        )  # fmt: skip
        found = best_ends(making) if chosen == "auto" else making.draft(chosen)
        curve = found.curve()
    # Around given anchors the caller knows what is compared.
    if curve.verdict is not None and curve.verdict.doubtful and reach is None:
        doubts = "; ".join(curve.verdict.doubts) or "the clips hardly match"
        warnings.warn(
            QualityWarning(
                f"doubtful registration: {doubts}",
                remedies=curve.verdict.remedies,
                kind=Kind.DOUBTFUL_MATCH,
            ),
            stacklevel=2,
        )
    return curve


def comparable(*motions: Motion, weights: JointWeights | None = None) -> list[PointClip]:
    """Clips of one skeleton, on one floor, as `timing` compares them: points, and strikes of feet.

    ``weights`` as in `register`.
    """
    return with_strikes([as_points(motion, weights) for motion in motions], motions)


def timing(
    *clips: PointClip, anchors: Sequence[Sequence[float]] = (), reach: float | None = None
) -> TimewarpCurve:
    """The timing of a registration alone, for methods that judge their own results.

    Parameters
    ----------
    *clips
        Two or more, as `comparable` makes them: once, if several timings are tried.
    anchors, reach
        See `register`. Without anchors the clips match from end to end.

    Returns
    -------
    TimewarpCurve
    """
    return register_points(
        *clips,
        ends=("free", "free") if anchors else ("fixed", "fixed"),
        anchors=anchors,
        rules=Rules(strikes=STRIKES),
        reach=reach,
    ).timewarp


def _rows(anchors: Sequence[Sequence[float]] | Sequence[float]) -> list[tuple[float, ...]]:
    """Anchors as rows; a single one may be given bare."""
    if len(anchors) and all(np.isscalar(frame) for frame in anchors):
        return [tuple(float(frame) for frame in cast(Sequence[float], anchors))]
    return [tuple(float(f) for f in row) for row in cast(Sequence[Sequence[float]], anchors)]


def _ends(ends: Ends | PairEnds, anchored: bool) -> PairEnds | Literal["auto", "cyclic"]:
    """Which ends are fixed, or whether cycles or the best ends are wanted."""
    if isinstance(ends, tuple | list):
        if len(ends) != 2 or any(end not in get_args(End) for end in ends):
            raise RegistrationError(f"ends {ends!r}: expected 'fixed' or 'free' for start and end")
        return ends[0], ends[1]
    if ends not in get_args(Ends):
        choices = ", ".join(repr(choice) for choice in get_args(Ends))
        raise RegistrationError(f"ends {ends!r}: expected one of {choices}")
    if ends == "cyclic":
        if anchored:
            raise RegistrationError("cyclic registration finds its own ends: leave out the anchors")
        return "cyclic"
    if ends == "auto":
        return ("free", "free") if anchored else "auto"
    return ends, ends


@dataclass
class _Making:
    """Clips to be registered, with all options, and with different ends."""

    clips: Sequence[Motion]
    rules: Rules
    anchors: Sequence[Sequence[float]]
    keep: Sequence[Sequence[Range]]
    cycles: Cycles
    weights: JointWeights | None
    points: int
    reach: int
    reference: int | None
    seconds: float | None
    paper: bool

    def __post_init__(self) -> None:
        self.fingerprints = tuple(motion.fingerprint for motion in self.clips)
        self.motions = on_common_skeleton(self.clips) if self.clips else ()
        self.clouds = [self._points(motion) for motion in self.motions]
        check(self.clouds, self.anchors, self.keep, self.rules, self.reference)
        # A T-pose in front is not part of the motion.
        self.lead = [0 if self.paper or self.anchors else tpose_frames(m) for m in self.motions]
        self.bodies = [m[lead:] for m, lead in zip(self.motions, self.lead, strict=True)]
        self._found: list[Repetition | None] | None = None

    @cached_property
    def struck(self) -> list[PointClip]:
        """The clips without a T-pose, with their strikes."""
        clouds = [cloud[lead:] for cloud, lead in zip(self.clouds, self.lead, strict=True)]
        return with_strikes(clouds, self.bodies)

    def _points(self, motion: Motion) -> PointClip:
        return as_points(motion, self.weights, self.points, self.reach)

    def draft(
        self, ends: PairEnds | Literal["cyclic"], why: str = "", *, auto: bool = False
    ) -> CurveDraft:
        """The registration with given ends."""
        return self._round(why, auto) if ends == "cyclic" else self._stretch(ends, why, auto)

    def _stretch(self, ends: PairEnds, why: str, auto: bool) -> CurveDraft:
        points = self.struck
        found = register_points(
            *points,
            ends=ends,
            anchors=self.anchors,
            keep=[
                [(first - lead, last - lead) for first, last in ranges]
                for ranges, lead in zip(self.keep, self.lead, strict=False)
            ],
            rules=self.rules,
            reference=self.reference,
            reach=self.seconds,
        )
        own = found.timewarp
        used = own.frames(np.array([own.start, own.end])).T
        spline = replace(own.spline, control=own.spline.control + np.array(self.lead))
        warp = replace(own, spline=spline)
        kept = [_kept(clip, first, last) for clip, (first, last) in zip(points, used, strict=True)]
        apart = ends[0] != ends[1]
        name = "anchored" if self.anchors or (apart and not auto) else "free" if apart else ends[0]
        return CurveDraft(
            motions=tuple(self.motions),
            timewarp=warp,
            ranges=np.round(used + np.array(self.lead)[:, None], 9),
            fingerprints=self.fingerprints,
            found=found,
            literal=self.paper,
            verdict=judged(
                name,
                why,
                agreement(self.bodies, points, own, found.reference, kept),
                self.motions,
                auto,
            ),
        )

    def ready_made(self) -> bool:
        """Whether each clip is a ready-made loop."""
        clouds = (cloud[lead:] for cloud, lead in zip(self.clouds, self.lead, strict=True))
        return all(one_round(cloud) is not None for cloud in clouds)

    def repetitions(self) -> list[Repetition | None]:
        """How each clip repeats itself, looked for once."""
        if self._found is None:
            self._found = [repetition(body) for body in self.bodies]
        return self._found

    def _cycle_ranges(self) -> list[tuple[int, int]]:
        if isinstance(self.cycles, str):
            if self.cycles not in ("find", "whole"):
                raise RegistrationError(
                    f"cycles {self.cycles!r}: expected 'find', 'whole' or a list of frames"
                )
            given: Sequence[tuple[int, int] | None] = [None] * len(self.motions)
            if self.cycles == "whole":
                return [(lead, len(m) - 1) for m, lead in zip(self.motions, self.lead, strict=True)]
        else:
            given = self.cycles
        if len(given) != len(self.motions):
            raise RegistrationError(
                f"cycles of {len(given)} clips: expected two frames or None for each of "
                f"{len(self.motions)}"
            )
        ranges = []
        for j, own in enumerate(given):
            if own is not None:
                ranges.append((int(own[0]), int(own[1])))
                continue
            found = self.repetitions()[j]
            if found is None:
                motion = self.motions[j]
                raise MotionError(
                    f"{motion.name or f'clip {j}'} does not repeat itself: no two stretches of its "
                    f"{motion.duration:.2g} seconds are similar; give a clip with more than one "
                    "cycle",
                    remedies=(Remedy("cycles", "whole"),),
                    kind=Kind.NO_CYCLE,
                )
            ranges.append((found.first + self.lead[j], found.last + self.lead[j]))
        return ranges

    def _round(self, why: str, auto: bool) -> CurveDraft:
        ranges = self._cycle_ranges()
        cycles = [
            extract_cycle(motion[lead:], (first - lead, last - lead))
            for motion, lead, (first, last) in zip(self.motions, self.lead, ranges, strict=True)
        ]
        counts = [max(2, round(cycle.duration * RATE)) for cycle in cycles]
        rounds = self._rounds(cycles)
        samples = [sampled_rounds(clip, n) for clip, n in zip(rounds, counts, strict=True)]
        reference, phases = correspond.phases(samples, self.rules, self.reference)
        cycles = [
            rolled(cycle, round(phase * (len(cycle) - 1) / count))
            for cycle, phase, count in zip(cycles, phases, counts, strict=True)
        ]
        rounds = self._rounds(cycles)
        found = register_rounds(*rounds, counts=counts, rules=self.rules, reference=reference)
        kept = [self._repeated(j, cycle) for j, cycle in enumerate(cycles)]
        points = [self._points(cycle) for cycle in cycles]
        return CurveDraft(
            motions=tuple(cycles),
            timewarp=found.timewarp,
            ranges=np.array(ranges, dtype=np.float64),
            fingerprints=self.fingerprints,
            found=found,
            cyclic=True,
            literal=self.paper,
            verdict=judged(
                "cyclic",
                why,
                agreement(cycles, points, found.timewarp, reference, kept),
                self.motions,
                auto,
            ),
        )

    def _repeated(self, clip: int, cycle: Motion) -> float:
        """The share of a clip that its cycle represents: the part that repeats, and does not turn
        by more than the cycle, repeated, would."""
        found = None if self._found is None else self._found[clip]
        angle = facing(self.motions[clip][self.lead[clip] :])
        rounds = self.motions[clip].duration / cycle.duration
        lost = abs(float(angle[-1] - angle[0]) - rounds * float(displacement(cycle).angle))
        return (1.0 if found is None else found.share) * max(0.0, 1.0 - lost / LOST_TURN)

    def _rounds(self, cycles: Sequence[Motion]) -> list[PointClip]:
        # The middle one of the three rounds is the one that the curve speaks of: it stands
        # where the cycle itself stands.
        rounds = [repeat(cycle, 3).moved(displacement(cycle).inverse()) for cycle in cycles]
        return with_strikes([self._points(r) for r in rounds], rounds)


def _kept(clip: PointClip, first: float, last: float) -> float:
    """The share of what happens in a clip that happens from one frame to another."""
    worth = worth_of(clip)
    passed = np.concatenate([[0.0], np.cumsum(0.5 * (worth[1:] + worth[:-1]))])
    return float(np.diff(np.interp([first, last], np.arange(len(passed)), passed))[0] / passed[-1])
