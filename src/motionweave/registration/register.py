"""`register`: from clips to their registration curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np

from motionweave.core.cycles import displacement, repeat, rolled
from motionweave.core.markers import Markers
from motionweave.core.motion import Motion
from motionweave.errors import RegistrationError
from motionweave.registration import correspond
from motionweave.registration.clouds import JointWeights, PointClip, as_points
from motionweave.registration.curve import RegistrationCurve, constraint_matches
from motionweave.registration.cycles import extract_cycle, find_cycle
from motionweave.registration.markers import MarkerCurve, register_markers
from motionweave.registration.pairing import Rules
from motionweave.registration.points import (
    RATE,
    check,
    register_points,
    register_rounds,
    sampled_rounds,
)
from motionweave.registration.signals import with_strikes
from motionweave.retargeting import on_common_skeleton

# How much strikes count beside poses: enough that they decide where poses disagree.
STRIKES = 4.0


@overload
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
) -> RegistrationCurve: ...


@overload
def register(
    *motions: Markers,
    ends: str = "fixed",
    cyclic: bool = False,
    anchor: Sequence[float] | None = None,
    slope_limit: int = 2,
    weights: JointWeights | None = None,
    reference: int | None = None,
    reach: float | None = None,
    strikes: float = STRIKES,
) -> MarkerCurve: ...


def register(
    *motions: Motion | Markers,
    ends: str = "fixed",
    cyclic: bool = False,
    anchor: Sequence[float] | None = None,
    slope_limit: int = 2,
    weights: JointWeights | None = None,
    reference: int | None = None,
    reach: float | None = None,
    strikes: float = STRIKES,
) -> RegistrationCurve | MarkerCurve:
    """Find which frames of clips belong together, how to lay them over each other, and which
    of their contacts mean the same.

    Parameters
    ----------
    *motions
        Two clips or more. They may differ in frame rate, length and skeleton. Clips of
        recorded markers give a `MarkerCurve`: timing and alignment need no skeleton.
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
    clips = [one for one in motions if isinstance(one, Motion)]
    markers = [one for one in motions if isinstance(one, Markers)]
    if markers and clips:
        raise RegistrationError("markers and skeletons cannot be registered with each other")
    if markers:
        if cyclic:
            raise RegistrationError("cyclic=True needs a skeleton, and markers have none")
        return register_markers(
            *markers,
            ends=ends,
            anchor=anchor,
            slope_limit=slope_limit,
            weights=weights,
            reference=reference,
            reach=reach,
        )
    return _register_motions(
        clips, ends, cyclic, anchor, Rules(slope_limit, strikes), weights, reference, reach
    )


def _register_motions(
    motions: Sequence[Motion],
    ends: str,
    cyclic: bool,
    anchor: Sequence[float] | None,
    rules: Rules,
    weights: JointWeights | None,
    reference: int | None,
    reach: float | None,
) -> RegistrationCurve:
    fingerprints = tuple(motion.fingerprint for motion in motions)
    motions = on_common_skeleton(motions)
    if cyclic:
        if anchor is not None or ends == "free":
            raise RegistrationError("cyclic=True finds the ends itself; leave out anchor and ends")
        return _register_cycles(motions, rules, weights, reference, fingerprints)
    points = with_strikes([as_points(motion, weights) for motion in motions], motions)
    found = register_points(
        *points, ends=ends, anchor=anchor, rules=rules, reference=reference, reach=reach
    )
    warp = found.timewarp
    return RegistrationCurve(
        motions=motions,
        timewarp=warp,
        alignment=found.alignment,
        matches=constraint_matches(motions, warp),
        ranges=np.round(warp.frames(np.array([warp.start, warp.end])).T, 9),
        reference=found.reference,
        distances=found.distances,
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

    check([as_points(motion) for motion in motions], "fixed", None, rules, reference)
    ranges = [find_cycle(motion) for motion in motions]
    cycles = [extract_cycle(motion, ends) for motion, ends in zip(motions, ranges, strict=True)]
    counts = [max(2, round(cycle.duration * RATE)) for cycle in cycles]
    samples = [sampled_rounds(clip, n) for clip, n in zip(rounds_of(cycles), counts, strict=True)]
    reference, phases = correspond.phases(samples, rules, reference)
    cycles = [
        rolled(cycle, round(phase * (len(cycle) - 1) / count))
        for cycle, phase, count in zip(cycles, phases, counts, strict=True)
    ]
    found = register_rounds(*rounds_of(cycles), counts=counts, rules=rules, reference=reference)
    return RegistrationCurve(
        motions=tuple(cycles),
        timewarp=found.timewarp,
        alignment=found.alignment,
        matches=constraint_matches(cycles, found.timewarp, cyclic=True),
        ranges=np.array(ranges, dtype=np.float64),
        reference=reference,
        distances=found.distances,
        fingerprints=fingerprints,
        cyclic=True,
    )
