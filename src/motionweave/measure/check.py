"""The self-check at the end of every method: a result compared with the clips it was made from.

A result may do what its clips do, and slightly more. Anything clearly worse (a joint that snaps, a
foot in the floor, a body that lurches) is a `Finding` with the frame and the joint, and is reported
to the user as a `QualityWarning`. The check is cheap: a clip's own figures are measured once and
cached for the lifetime of the clip.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from motionweave.body.rig.roles import find_rig
from motionweave.body.soles import has_feet, soles
from motionweave.core.arrays import Array
from motionweave.core.constraints import FOOT_KINDS
from motionweave.core.intervals import merged
from motionweave.core.motion import Motion
from motionweave.measure.figures import (
    SPEED_WINDOW,
    Figures,
    figures,
    measured,
    recorded_from,
    slides_of,
    sole_tracks,
    unit_length,
)
from motionweave.measure.support import WINDOW, floor_along

FindingKind = Literal[
    "acceleration", "twist", "knee", "floor", "slide", "drift", "speed", "path", "contacts"
]

# How many times as hard as in the clips a joint may accelerate, and twist.
_ACCELERATION = 1.5
_TWIST = 2.0
# A joint that hardly moves in the clips is compared with this share of the liveliest joint.
_LIVELY = 0.3
# Seconds between two places at which joints accelerate or twist too hard: so far apart that
# planting or sparing a foot at one of them changes nothing at the other.
_ELSEWHERE = 2.0
# A joint that accelerates less than this (leg lengths, or radians, per second squared) is still.
_NOTHING = 0.5
# Where clips are joined or a part is laid over another, joints of the body that are calm in the
# clips are checked, too: how many times as hard those of joined clips may accelerate. One that is
# still counts as accelerating this much (leg lengths per second squared), because a foot that takes
# a small step in half a second does.
_CALM, STILL = 2.0, 2.0
# Seconds around a seam within which a method may change the frames of the clips.
_REACH = 1.5
# Where clips are joined, how much further backwards than in the clips a knee may bend, in radians.
_BACKWARDS = np.radians(7.0)
# How much deeper than in the clips a foot may be, in leg lengths: 3 cm on a body of 1.7 m.
_DEPTH = 0.036
# A foot may slide this much further than in the clips: factor, slack (leg lengths).
_SLIDE = 1.25
_SLIDE_SLACK = 0.4
# Where clips are joined, the supporting foot may slide this many leg lengths further than in the
# clips, and how exactly the height of the floor is known, in leg lengths.
_CARRIED, _JUST = 0.08, 0.002
# A planted point may drift this far (leg lengths), or half as far again as the worst of the clips.
_DRIFT = 0.08
# How many times as fast as in the clips the pelvis may move, plus leg lengths per second.
_SPEED = 1.25
_SPEED_SLACK = 0.25
# The same in joined clips, over some frames and from one to the next, where whoever is slower than
# this in the clips counts as this fast: from one stance to another a standing body has to move.
_JOINED_SPEED, _STANDING = {"speed": 1.2, "step_speed": 1.05}, 0.5
# The path may be this many times as long or as short as in the clips, plus leg lengths.
_PATH = 1.12
_PATH_SLACK = 0.12


@dataclass(frozen=True)
class Finding:
    """One fault that the self-check found.

    Parameters
    ----------
    kind
        ``"acceleration"`` of a joint in space, ``"twist"`` of a joint about itself, ``"knee"`` for
        one that bends backwards,
        ``"floor"`` for feet below it, ``"slide"`` for feet that slide, ``"drift"`` for feet
        that slide although they are planted, ``"speed"`` of the pelvis, ``"path"`` for the length
        of its path, ``"contacts"`` if they are lost.
    message
        What is wrong and where, in one sentence. The remedy depends on the method: see
        `motionweave.methods.finish.finish`.
    frame, joint
        Where it is worst; None if it does not concern a single one.
    value, limit
        The measured value and the limit that follows from the clips, in the same unit.
    elsewhere
        The same fault at other places, the worst first, some seconds apart: of joints that
        accelerate or twist too hard.
    """

    kind: FindingKind
    message: str
    frame: int | None
    joint: str | None
    value: float
    limit: float
    elsewhere: tuple[Finding, ...] = ()

    @property
    def severity(self) -> float:
        """How bad it is: 1 at the limit, 2 for twice as much (for depth, twice as far below)."""
        if self.kind == "floor":
            return 1.0 + (self.value - self.limit) / _DEPTH
        return self.value / self.limit if self.limit > 0.0 else np.inf

    def __str__(self) -> str:
        return self.message


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
    found = [_other_path_length(result, clips) if whole else None]
    walkers = [one for one in before if one.soles]
    floor = None
    if seams and len(walkers) == len(seams) + 1:
        floor = floor_along([one.floor for one in walkers], seams, len(result))
    feet = soles(result) if has_feet(result.skeleton) else {}
    # All other frames of joined clips are the clips' own.
    begin = recorded_from(result)
    for first, last in near_seams(seams, result.fps, len(result)) or [(0, len(result) - 1)]:
        first = max(first, begin)
        # Knees are looked at where clips are joined only.
        hinges = before[0].hinges if seams else {}
        made = measured(result[first : last + 1], rate, first, hinges, feet)
        found += [
            _harder(result, made, before, "acceleration", joints, bool(seams)),
            _harder(result, made, before, "twist", joints),
            _faster(result, made, before, bool(seams)),
            _backwards(result, made, before) if seams else None,
        ]
        if made.soles and walkers:
            found += [
                _deeper(made, walkers),
                _sliding(made, walkers, seams),
                _drifting(made, walkers),
            ]
            if seams and found[-2] is None:
                level = made.floor if floor is None else floor[first : last + 1]
                slides = _support_slides(result[first : last + 1], walkers, level)
                found.append(_carried(slides, made, walkers, seams))
    if walkers and feet:
        found.append(_lost_contacts(result, clips))
    worst: dict[FindingKind, Finding] = {}
    for finding in found:
        if finding is not None:
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


def _harder(
    result: Motion,
    made: Figures,
    before: Sequence[Figures],
    kind: Literal["acceleration", "twist"],
    joints: Sequence[int] | None,
    joined: bool = False,
) -> Finding | None:
    """The joint whose acceleration or twist exceeds that of the clips most, of all or of some.

    In ``joined`` clips, and if only some joints were changed, those of the body that hardly move in
    the clips are checked, too: each is compared with itself alone.
    """
    allowed = _ACCELERATION if kind == "acceleration" else _TWIST
    own = np.maximum(np.max([one.hardest[kind] for one in before], axis=0), _NOTHING)
    values = getattr(made, kind)
    changed = list(range(len(own)) if joints is None else joints)
    limits = np.full(len(own), np.inf)
    limits[changed] = allowed * np.maximum(own, _LIVELY * own[changed].max())[changed]
    if kind == "acceleration" and (joined or joints is not None):
        body = sorted(set(find_rig(result.skeleton).roles.values()) & set(changed))
        calm = np.maximum(own, STILL)
        most = _CALM if joined else allowed
        limits[body] = np.clip(limits, allowed * calm, most * calm)[body]
    beyond = values / limits
    does = "accelerates" if kind == "acceleration" else "twists"

    def at(row: int) -> Finding:
        joint = int(beyond[row].argmax())
        frame, name = made.first + row + made.stride, result.skeleton.names[joint]
        times = values[row, joint] / own[joint]
        return Finding(
            kind,
            f"{name} {does} {times:.1f} times as hard as in the clips at frame {frame}",
            frame,
            name,
            float(values[row, joint]),
            float(limits[joint]),
        )

    places = _places(beyond.max(axis=1), max(1, round(_ELSEWHERE * made.fps)))
    if not places:
        return None
    return replace(at(places[0]), elsewhere=tuple(at(row) for row in places[1:]))


def _places(values: Array, apart: int) -> list[int]:
    """Indices of values ``(n,)`` above 1, the largest first, each ``apart`` from all before it."""
    left, found = values.copy(), []
    while left[place := int(left.argmax())] > 1.0:
        found.append(place)
        left[max(place - apart + 1, 0) : place + apart] = 0.0
    return found


def _faster(
    result: Motion, made: Figures, before: Sequence[Figures], joined: bool
) -> Finding | None:
    """A pelvis that moves faster than in the clips; in joined clips, even for a single frame."""
    worst = (0.0, 0.0, 0)
    for which in _JOINED_SPEED if joined else ("speed",):
        top = max(one.fastest[which] for one in before)
        limit = _SPEED * top + _SPEED_SLACK
        if joined:
            limit = _JOINED_SPEED[which] * max(top, _STANDING)
        frame = int(getattr(made, which).argmax())
        value = float(getattr(made, which)[frame])
        if value > limit and value * worst[1] >= worst[0] * limit:
            worst = (value, limit, made.first + frame)
    value, limit, frame = worst
    if value <= limit:
        return None
    return Finding(
        "speed",
        f"the body moves at {value:.1f} leg lengths per second at frame {frame}, faster than in "
        "any of the clips",
        frame,
        result.skeleton.names[0],
        value,
        limit,
    )


def _backwards(result: Motion, made: Figures, before: Sequence[Figures]) -> Finding | None:
    """A knee that bends further backwards than in the clips."""
    worst: Finding | None = None
    for role, bends in made.knees.items():
        own = [float(one.knees[role].min()) for one in before if role in one.knees]
        frame, limit = int(bends.argmin()), _BACKWARDS - min(0.0, *own)
        value = -float(bends[frame])
        if value > limit and (worst is None or value / limit > worst.severity):
            worst = Finding(
                "knee",
                f"the {role.split('_')[0]} knee bends {np.degrees(value):.0f}° backwards at frame "
                f"{made.first + frame}",
                made.first + frame,
                result.skeleton.names[made.hinges[role].joint],
                value,
                limit,
            )
    return worst


def _other_path_length(result: Motion, clips: Sequence[Motion]) -> Finding | None:
    """A path of the pelvis over the floor that is shorter or longer than in every clip."""
    size = unit_length(result.skeleton)
    lengths = [_path_length(clip) / size for clip in clips]
    value = _path_length(result) / size
    low, high = min(lengths) / _PATH - _PATH_SLACK, max(lengths) * _PATH + _PATH_SLACK
    if low <= value <= high:
        return None
    much = "shorter" if value < low else "longer"
    return Finding(
        "path",
        f"the path is {value:.1f} leg lengths long, {much} than in any of the clips "
        f"({min(lengths):.1f} to {max(lengths):.1f}), which face or travel in different directions",
        None,
        None,
        value,
        low if value < low else high,
    )


def _path_length(motion: Motion) -> float:
    """Length of the pelvis's path over the floor; capture noise does not lengthen it."""
    step = max(1, round(SPEED_WINDOW * motion.fps))
    return float(np.linalg.norm(np.diff(motion.root[::step][:, [0, 2]], axis=0), axis=1).sum())


def _deeper(made: Figures, before: Sequence[Figures]) -> Finding | None:
    limit = min(one.lowest for one in before) - _DEPTH
    if made.lowest >= limit:
        return None
    kind = min(made.soles, key=lambda one: float(made.soles[one][0].min()))
    frame = made.first + int(made.soles[kind][0].argmin())
    depth = limit + _DEPTH - made.lowest
    return Finding(
        "floor",
        f"the {_in_words(kind)} is {depth:.1%} of a leg length deeper than in the clips at frame "
        f"{frame}",
        frame,
        kind,
        -made.lowest,
        -limit,
    )


def _sliding(
    made: Figures, before: Sequence[Figures], seams: Sequence[tuple[int, int]]
) -> Finding | None:
    """A foot that slides low over the floor although it is not marked as planted; where clips are
    joined, only within the seams: what it does before and behind them is its clip's own way."""
    limit = _SLIDE * max(one.longest_slide for one in before) + _SLIDE_SLACK
    slides = [
        slide
        for slide in made.clear_slides
        if not seams or any(slide.first <= last and slide.last >= first for first, last in seams)
    ]
    longest = max(slides, default=None)
    if longest is None or longest.distance <= limit:
        return None
    return Finding(
        "slide",
        f"the {longest.side} foot slides {longest.distance:.0%} of a leg length over the floor "
        f"from frame {longest.first} on, further than in the clips",
        longest.first,
        f"{longest.side}_toe",
        longest.distance,
        limit,
    )


def _support_slides(made: Motion, before: Sequence[Figures], floor: ArrayLike) -> Array:
    """Leg lengths ``(n,)`` that the supporting foot of a part of joined clips slides in each half
    second, on a floor ``(T,)`` or of one height: by the soles of whichever clip shows it more.

    Where the sole is decides whether it is on the floor, and a mixture of clips does not show it.
    """
    pose = made.forward()
    tracks = [sole_tracks(made, pose, one.feet) for one in before]
    # A point that just touches the floor, or just does not, must not decide.
    floors = np.asarray(floor), np.asarray(floor) + _JUST
    return np.max([slides_of(each, made.fps, on) for each in tracks for on in floors], axis=0)


def _carried(
    slides: Array, made: Figures, before: Sequence[Figures], seams: Sequence[tuple[int, int]]
) -> Finding | None:
    """A supporting foot that slides where clips are joined; see `_support_slides`."""
    limit = max(one.farthest_carried for one in before) + _CARRIED
    near = np.zeros(len(slides), dtype=bool)
    width = round(WINDOW * made.fps)
    margin = round(0.5 * WINDOW * made.fps)
    for first, last in seams:
        first, last = first - margin - made.first, last + margin - width - made.first
        near[max(first, 0) : max(last, 0) + 1] = True
    frame = int(np.argmax(np.where(near, slides, 0.0)))
    value = float(slides[frame])
    if not near[frame] or value <= limit:
        return None
    frame += made.first
    return Finding(
        "slide",
        f"the feet slide {value:.0%} of a leg length over the floor from frame {frame} on, "
        "where the clips are joined",
        frame,
        None,
        value,
        limit,
    )


def _drifting(made: Figures, before: Sequence[Figures]) -> Finding | None:
    """Points that are planted and move nevertheless."""
    limit = max(_DRIFT, 1.5 * max(one.drift[0] for one in before))
    value, kind, frame = made.drift
    if value <= limit:
        return None
    return Finding(
        "drift",
        f"the planted {_in_words(kind)} drifts by {value:.0%} of a leg length, most of all at "
        f"frame {frame}: check its contacts there",
        frame,
        kind,
        value,
        limit,
    )


def _lost_contacts(result: Motion, clips: Sequence[Motion]) -> Finding | None:
    def feet(motion: Motion) -> bool:
        return any(c.kind in FOOT_KINDS for c in motion.constraints)

    if feet(result) or not all(feet(clip) for clip in clips):
        return None
    return Finding(
        "contacts",
        "the feet of all clips have contacts, but those of the result have none: they cannot be "
        "planted; check which contacts of the clips match",
        None,
        None,
        0.0,
        1.0,
    )


def _in_words(kind: str) -> str:
    return kind.replace("_", " ")
