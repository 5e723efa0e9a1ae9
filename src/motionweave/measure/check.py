"""The self-check at the end of every method: a result compared with the clips it was made from.

A result may do what its clips do, and slightly more. Anything clearly worse (a joint that snaps, a
foot in the floor, a body that lurches) is a `Finding` with the frame and the joint, and is reported
to the user as a `QualityWarning`. The check is cheap: a clip's own figures are measured once and
cached for the lifetime of the clip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np

from motionweave.body.rig.roles import find_rig, leg_length
from motionweave.body.size import body_height
from motionweave.body.soles import contact_points, has_feet
from motionweave.core.arrays import Array, BoolArray
from motionweave.core.constraints import FOOT_KINDS, active
from motionweave.core.intervals import runs
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton
from motionweave.measure.support import WINDOW, support_slides

FindingKind = Literal[
    "acceleration", "twist", "floor", "slide", "drift", "speed", "path", "contacts"
]

# How many times as hard as in the clips a joint may accelerate, and twist.
_ACCELERATION = 1.5
_TWIST = 2.0
# A joint that hardly moves in the clips is compared with this share of the liveliest joint.
_LIVELY = 0.3
# A joint that accelerates less than this (leg lengths, or radians, per second squared) is still.
_NOTHING = 0.5
# Where clips are joined, joints of the body that are calm in the clips are checked, too: how
# many times as hard they may accelerate, compared with at least this share of the liveliest joint.
_CALM, _STILL = 2.0, 0.03
# Seconds around a seam that count as part of it.
_NEAR = 0.1
# How much deeper than in the clips a foot may be, in leg lengths: 3 cm on a body of 1.7 m.
_DEPTH = 0.036
# A point of the sole is low below this height above its own lowest, and slides above this speed
# (leg lengths; per second). A foot may slide this much further than in the clips: factor, slack.
_LOW = 0.025
_SLIDING = 0.2
_SLIDE = 1.25
_SLIDE_SLACK = 0.4
# Where clips are joined, the supporting foot may slide this many leg lengths further than in the
# clips.
_CARRIED = 0.1
# A planted point may drift this far (leg lengths), or half as far again as the worst of the clips.
_DRIFT = 0.08
# How many times as fast as in the clips the pelvis may move, plus leg lengths per second.
_SPEED = 1.25
_SPEED_SLACK = 0.25
# The path may be this many times as long or as short as in the clips, plus leg lengths.
_WAY = 1.12
_WAY_SLACK = 0.12
# Seconds over which speeds of the pelvis are measured, because capture noise is not a lurch.
_SPEED_WINDOW = 0.1


@dataclass(frozen=True)
class Finding:
    """One fault that the self-check found.

    Parameters
    ----------
    kind
        ``"acceleration"`` of a joint in space, ``"twist"`` of a joint about itself,
        ``"floor"`` for feet below it, ``"slide"`` for feet that slide, ``"drift"`` for feet
        that slide although they are planted, ``"speed"`` of the pelvis, ``"path"`` for the length
        of its path, ``"contacts"`` if they are lost.
    message
        What is wrong and where, in one sentence. The remedy depends on the method: see
        `motionweave.methods.finish.finished`.
    frame, joint
        Where it is worst; None if it does not concern a single one.
    value, limit
        The measured value and the limit that follows from the clips, in the same unit.
    """

    kind: FindingKind
    message: str
    frame: int | None
    joint: str | None
    value: float
    limit: float

    @property
    def severity(self) -> float:
        """How bad it is: 1 at the limit, 2 for twice as much (for depth, twice as far below)."""
        if self.kind == "floor":
            return 1.0 + (self.value - self.limit) / _DEPTH
        return self.value / self.limit if self.limit > 0.0 else np.inf

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, eq=False)
class Figures:
    """The figures of a motion for the self-check; lengths are in leg lengths, times in seconds.

    Parameters
    ----------
    fps
        Frames per second.
    acceleration, twist
        ``(n, J)`` acceleration of every joint, and change of its angular velocity.
    stride
        Frames between two of the samples that the two are taken from.
    speed
        ``(T,)`` of the pelvis, over a tenth of a second.
    soles
        Heights ``(T,)`` of heels and toes and their speeds over the floor from each frame to
        the next ``(T,)``, by kind.
    lowest
        The lowest height of a heel or toe.
    planted
        For each kind whether it is planted, ``(T,)``.
    """

    fps: float
    acceleration: Array
    twist: Array
    stride: int
    speed: Array
    soles: dict[str, tuple[Array, Array]]
    lowest: float
    planted: dict[str, BoolArray]


def check(
    result: Motion,
    clips: Sequence[Motion],
    *,
    whole: bool = False,
    seams: Sequence[tuple[int, int]] = (),
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
        First and last frames between which one clip turns into another: supporting feet are checked
        more closely there.

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
    made = figures(result, rate)
    before = [figures(clip, rate) for clip in clips if len(clip) >= 3]
    if not before:
        return ()
    found = [
        _harder(result, made, before, "acceleration", seams),
        _harder(result, made, before, "twist"),
        _faster(result, made, before),
        _other_way(result, clips) if whole else None,
    ]
    walkers = [one for one in before if one.soles]
    if made.soles and walkers:
        found += [
            _deeper(made, walkers),
            _sliding(made, walkers) or _carried(made, walkers, seams),
            _drifting(made, walkers),
            _lost_contacts(result, clips),
        ]
    return tuple(finding for finding in found if finding is not None)


_remembered: WeakKeyDictionary[Motion, dict[float, Figures]] = WeakKeyDictionary()


def figures(motion: Motion, rate: float) -> Figures:
    """The figures of a motion for the check, cached for the lifetime of the motion.

    Parameters
    ----------
    motion
        At least three frames.
    rate
        Frames per second at which accelerations are compared: the lowest of all clips',
        because a clip sampled more finely than it was recorded has all its changes of speed in
        few frames.
    """
    known = _remembered.setdefault(motion, {})
    if rate not in known:
        known[rate] = _measured(motion, rate)
    return known[rate]


def _measured(motion: Motion, rate: float) -> Figures:
    feet = has_feet(motion.skeleton)
    size = _size(motion.skeleton, feet)
    stride = max(1, min(round(motion.fps / rate), (len(motion) - 1) // 2))
    step = stride / motion.fps
    positions, orientations = motion.forward()
    bends = positions[2 * stride :] - 2.0 * positions[stride:-stride] + positions[: -2 * stride]
    acceleration = np.linalg.norm(bends, axis=-1) / (size * step**2)
    soles: dict[str, tuple[Array, Array]] = {}
    planted = {}
    if feet:
        for kind, points in contact_points(motion).items():
            steps = np.linalg.norm(np.diff(points[:, [0, 2]], axis=0), axis=1)
            soles[kind] = points[:, 1] / size, np.append(steps, steps[-1]) * motion.fps / size
            planted[kind] = active(motion.constraints, kind, np.arange(len(motion)))
    lowest = min((float(height.min()) for height, _ in soles.values()), default=0.0)
    return Figures(
        motion.fps,
        acceleration,
        _twists(orientations, stride) / step**2,
        stride,
        _pelvis_speed(motion) / size,
        soles,
        lowest,
        planted,
    )


def _size(skeleton: Skeleton, feet: bool) -> float:
    return leg_length(skeleton) if feet else (body_height(skeleton) or 1.0)


def _twists(orientations: Array, stride: int) -> Array:
    """Change ``(n, J)`` of the turn per step, in radians: the angle between what a joint did in
    one step and what it does in the next, as chords of unit quaternions."""
    before, here, after = (
        orientations[: -2 * stride],
        orientations[stride:-stride],
        orientations[2 * stride :],
    )
    # q and -q are one rotation: bring both neighbours to the side of the one in the middle.
    before = np.where(np.sum(before * here, axis=-1, keepdims=True) < 0.0, -before, before)
    after = np.where(np.sum(after * here, axis=-1, keepdims=True) < 0.0, -after, after)
    return np.asarray(2.0 * np.linalg.norm(before + after - 2.0 * here, axis=-1))


def _pelvis_speed(motion: Motion) -> Array:
    half = max(1, min(round(0.5 * _SPEED_WINDOW * motion.fps), (len(motion) - 1) // 2))
    place = np.arange(len(motion))
    first, last = np.maximum(place - half, 0), np.minimum(place + half, len(motion) - 1)
    way = np.linalg.norm(motion.root[last] - motion.root[first], axis=1)
    return np.asarray(way * motion.fps / (last - first))


def _harder(
    result: Motion,
    made: Figures,
    before: Sequence[Figures],
    kind: Literal["acceleration", "twist"],
    seams: Sequence[tuple[int, int]] = (),
) -> Finding | None:
    """The joint whose acceleration or twist exceeds that of the clips most.

    At ``seams``, joints that hardly move in the clips are checked, too.
    """
    allowed = _ACCELERATION if kind == "acceleration" else _TWIST
    own = np.max([getattr(one, kind).max(axis=0, initial=_NOTHING) for one in before], axis=0)
    values = getattr(made, kind)
    limits = np.broadcast_to(allowed * np.maximum(own, _LIVELY * own.max()), values.shape)
    if seams:
        body = sorted(set(find_rig(result.skeleton).roles.values()))
        frames = np.arange(len(values)) + made.stride
        near = _NEAR * made.fps
        at = np.any(
            [(first - near <= frames) & (frames <= last + near) for first, last in seams], 0
        )
        closer = np.minimum(limits, _CALM * np.maximum(own, _STILL * own.max()))
        limits = limits.copy()
        limits[np.ix_(at, body)] = closer[np.ix_(at, body)]
    beyond = values / limits
    row, joint = np.unravel_index(int(beyond.argmax()), beyond.shape)
    if values[row, joint] <= limits[row, joint]:
        return None
    frame = int(row) + made.stride
    name = result.skeleton.names[joint]
    times = values[row, joint] / max(own[joint], _STILL * own.max())
    does = "accelerates" if kind == "acceleration" else "twists"
    return Finding(
        kind,
        f"{name} {does} {times:.1f} times as hard as in the clips at frame {frame}",
        frame,
        name,
        float(values[row, joint]),
        float(limits[row, joint]),
    )


def _faster(result: Motion, made: Figures, before: Sequence[Figures]) -> Finding | None:
    limit = _SPEED * max(float(one.speed.max()) for one in before) + _SPEED_SLACK
    frame = int(made.speed.argmax())
    value = float(made.speed[frame])
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


def _other_way(result: Motion, clips: Sequence[Motion]) -> Finding | None:
    """A path of the pelvis over the floor that is shorter or longer than in every clip."""
    size = _size(result.skeleton, has_feet(result.skeleton))
    ways = [_way(clip) / size for clip in clips]
    value = _way(result) / size
    low, high = min(ways) / _WAY - _WAY_SLACK, max(ways) * _WAY + _WAY_SLACK
    if low <= value <= high:
        return None
    much = "shorter" if value < low else "longer"
    return Finding(
        "path",
        f"the path is {value:.1f} leg lengths long, {much} than in any of the clips "
        f"({min(ways):.1f} to {max(ways):.1f}), which face or travel in different directions",
        None,
        None,
        value,
        low if value < low else high,
    )


def _way(motion: Motion) -> float:
    """Length of the pelvis's path over the floor; capture noise does not lengthen it."""
    step = max(1, round(_SPEED_WINDOW * motion.fps))
    return float(np.linalg.norm(np.diff(motion.root[::step][:, [0, 2]], axis=0), axis=1).sum())


def _deeper(made: Figures, before: Sequence[Figures]) -> Finding | None:
    limit = min(one.lowest for one in before) - _DEPTH
    if made.lowest >= limit:
        return None
    kind = min(made.soles, key=lambda one: float(made.soles[one][0].min()))
    frame = int(made.soles[kind][0].argmin())
    depth = limit + _DEPTH - made.lowest
    return Finding(
        "floor",
        f"the {_said(kind)} is {depth:.1%} of a leg length deeper than in the clips at frame "
        f"{frame}",
        frame,
        kind,
        -made.lowest,
        -limit,
    )


def _sliding(made: Figures, before: Sequence[Figures]) -> Finding | None:
    """A foot that slides low over the floor although it is not marked as planted."""
    limit = _SLIDE * max(_longest_slide(one)[0] for one in before) + _SLIDE_SLACK
    value, side, frame = _longest_slide(made)
    if value <= limit:
        return None
    return Finding(
        "slide",
        f"the {side} foot slides {value:.0%} of a leg length over the floor from frame {frame} on, "
        "further than in the clips",
        frame,
        f"{side}_toe",
        value,
        limit,
    )


def _longest_slide(one: Figures) -> tuple[float, str, int]:
    """The longest slide of a foot low over the floor, not planted: leg lengths, side, frame."""
    longest = (0.0, "left", 0)
    for side in ("left", "right"):
        heel, toe = (one.soles[f"{side}_{end}"] for end in ("heel", "toe"))
        lower = heel[0] < toe[0]
        height, speed = np.where(lower, heel[0], toe[0]), np.where(lower, heel[1], toe[1])
        planted = one.planted[f"{side}_heel"] | one.planted[f"{side}_toe"]
        # A foot's ground is where it is planted, otherwise about the lowest that it gets.
        standing = float(np.median(height[planted])) if planted.any() else np.quantile(height, 0.1)
        low = height < standing + _LOW
        for first, last in runs(low & (speed > _SLIDING) & ~planted):
            way = float(speed[first : last + 1].sum()) / one.fps
            longest = max(longest, (way, side, first))
    return longest


def _carried(
    made: Figures, before: Sequence[Figures], seams: Sequence[tuple[int, int]]
) -> Finding | None:
    """A supporting foot that slides where clips are joined: the slowest point on the floor."""
    if not seams:
        return None
    limit = max(float(_support_slides(one).max()) for one in before) + _CARRIED
    ways = _support_slides(made)
    near = np.zeros(len(ways), dtype=bool)
    width = round(WINDOW * made.fps)
    margin = round(0.5 * WINDOW * made.fps)
    for first, last in seams:
        near[max(first - margin, 0) : max(last + margin - width, 0) + 1] = True
    frame = int(np.argmax(np.where(near, ways, 0.0)))
    value = float(ways[frame])
    if not near[frame] or value <= limit:
        return None
    return Finding(
        "slide",
        f"the feet slide {value:.0%} of a leg length over the floor from frame {frame} on, "
        "where the clips are joined",
        frame,
        None,
        value,
        limit,
    )


def _support_slides(one: Figures) -> Array:
    """Leg lengths ``(n,)`` that the supporting foot slides in each half second."""
    heights, speeds = (np.stack([sole[i] for sole in one.soles.values()]) for i in (0, 1))
    return support_slides(heights, speeds[:, :-1] / one.fps, one.fps)


def _drifting(made: Figures, before: Sequence[Figures]) -> Finding | None:
    """Points that are planted and move nevertheless."""
    limit = max(_DRIFT, 1.5 * max(_drift(one)[0] for one in before))
    value, kind, frame = _drift(made)
    if value <= limit:
        return None
    return Finding(
        "drift",
        f"the planted {_said(kind)} drifts by {value:.0%} of a leg length, most of all at "
        f"frame {frame}: check its contacts there",
        frame,
        kind,
        value,
        limit,
    )


def _drift(one: Figures) -> tuple[float, str, int]:
    """How far the worst plant drifts, what is planted, and the frame where it drifts most."""
    worst = (0.0, "", 0)
    for kind, held in one.planted.items():
        for first, last in runs(held):
            # From one planted frame to the next one: not the step that lifts the foot.
            speed = one.soles[kind][1][first:last]
            if len(speed):
                worst = max(
                    worst, (float(speed.sum()) / one.fps, kind, first + int(speed.argmax()))
                )
    return worst


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


def _said(kind: str) -> str:
    return kind.replace("_", " ")
