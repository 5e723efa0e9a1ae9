"""The self-check at the end of every method: a result compared with the clips it was made from.

A result may do what its clips do, and slightly more. Anything clearly worse (a joint that snaps, a
foot in the floor, a body that lurches) is a `Finding` with the frame and the joint, and is reported
to the user as a `QualityWarning`. The check is cheap: a clip's own figures are measured once and
cached for the lifetime of the clip.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from motionweave.body.soles import has_feet, soles
from motionweave.core.intervals import merged
from motionweave.core.motion import Motion
from motionweave.measure.body_faults import body_faults, other_path_length
from motionweave.measure.figures import figures, measured, recorded_from
from motionweave.measure.finding import Finding, FindingKind
from motionweave.measure.foot_faults import foot_faults, lost_contacts
from motionweave.measure.support import floor_along

# Seconds around a seam within which a method may change the frames of the clips.
_REACH = 1.5


def check(
    result: Motion,
    clips: Sequence[Motion],
    *,
    whole: bool = False,
    seams: Sequence[tuple[int, int]] = (),
    joints: Sequence[int] | None = None,
) -> tuple[Finding, ...]:
    """Compare a motion with the clips it was made from.

    Parameters
    ----------
    result
        What a method made.
    clips
        The clips it was made from, on the same skeleton.
    whole
        Whether the result does what each of the clips does from start to end, so that its path
        should be about as long as theirs.
    seams
        First and last frames between which one clip turns into another, if clips were joined: only
        what is near them is looked at, see `near_seams`; supporting feet and calm joints, too, and
        the speed more closely.
    joints
        The only joints that were changed, if not all: how hard each of them accelerates is then
        compared with itself, and how hard it twists with them alone, because legs are livelier than
        anything else.

    Returns
    -------
    tuple[Finding, ...]
        Empty if nothing is worse than in the clips.

    Examples
    --------
    >>> import motionweave as mw
    >>> from motionweave.measure.check import check
    >>> walk = mw.sample("walk")
    >>> check(walk, [walk])
    ()
    """
    if not clips or len(result) < 3:
        return ()
    rate = min(result.fps, *(clip.fps for clip in clips))
    before = [figures(clip, rate) for clip in clips if len(clip) >= 3]
    if not before:
        return ()
    found: list[Finding] = []
    if whole and (path := other_path_length(result, clips)):
        found.append(path)
    walkers = [one for one in before if one.tracks]
    floor = None
    if seams and len(walkers) == len(seams) + 1:
        floor = floor_along([one.floor for one in walkers], seams, len(result))
    own = soles(result) if has_feet(result.skeleton) else {}
    # Knees are looked at where clips are joined only.
    hinges = before[0].hinges if seams else {}
    begin = recorded_from(result)
    # All other frames of joined clips are the clips' own.
    for first, last in near_seams(seams, result.fps, len(result)) or [(0, len(result) - 1)]:
        first = max(first, begin)
        part = result[first : last + 1]
        made = measured(part, rate, first, hinges, own)
        found += body_faults(result, made, before, joints, bool(seams))
        if made.tracks and walkers:
            level = made.floor if floor is None else floor[first : last + 1]
            found += foot_faults(part, made, walkers, seams, level)
    if walkers and own and (lost := lost_contacts(result, clips)):
        found.append(lost)
    return _worst_of_each_kind(found)


def _worst_of_each_kind(found: Iterable[Finding]) -> tuple[Finding, ...]:
    worst: dict[FindingKind, Finding] = {}
    for finding in found:
        known = worst.setdefault(finding.kind, finding)
        worst[finding.kind] = max(known, finding, key=lambda one: one.severity)
    return tuple(worst.values())


def near_seams(seams: Iterable[tuple[int, int]], fps: float, count: int) -> list[tuple[int, int]]:
    """First and last frames of what is near seams, which joining clips may change.

    Frames further away are those of the clips, but for a move on the floor.

    Parameters
    ----------
    seams
        First and last frames between which one clip turns into another.
    fps, count
        Frames per second, and how many there are.
    """
    room = round(_REACH * fps)
    around = merged((max(s - room, 0), min(e + room, count - 1)) for s, e in seams)
    return [(int(first), int(last)) for first, last in around]
