"""Faults of bodies: joints that snap, knees that bend backwards, what lurches or sinks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from motionweave.body.rig.roles import find_rig
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.measure.figures import SPEED_WINDOW, Figures, unit_length
from motionweave.measure.finding import Finding

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
# Where clips are joined, how much further backwards than in the clips a knee may bend, in radians.
_BACKWARDS = np.radians(7.0)
# How much deeper than in the clips a joint may be, in leg lengths: there are many ways in which
# hands and trunks lie on the floor.
_SUNK = 0.1
# How many times as fast as in the clips the pelvis may move, plus leg lengths per second, and how
# fast in any case: whoever stands in the clips may shift their weight.
_SPEED, _SPEED_SLACK, _STANDING = 1.25, 0.25, 0.5
# The same in joined clips, over some frames and from one to the next, where whoever is slower than
# that counts as that fast: from one stance to another a standing body has to move.
_JOINED_SPEED = {"speed": 1.2, "step_speed": 1.05}
# The path may be this many times as long or as short as in the clips, plus leg lengths.
_PATH = 1.12
_PATH_SLACK = 0.12


def body_faults(
    result: Motion,
    made: Figures,
    before: Sequence[Figures],
    joints: Sequence[int] | None,
    joined: bool,
) -> list[Finding]:
    """What the joints and the pelvis of a result do worse than in the clips.

    Parameters
    ----------
    result
        The whole result.
    made
        The figures of a part of it.
    before
        Those of the clips.
    joints
        The only joints that were changed; None for all.
    joined
        Whether the part is where clips are joined.
    """
    found = [
        _harder(result, made, before, "acceleration", joints, joined),
        _harder(result, made, before, "twist", joints),
        _faster(result, made, before, joined),
        _backwards(result, made, before) if joined else None,
        _sunk(result, made, before),
    ]
    return [finding for finding in found if finding is not None]


def other_path_length(result: Motion, clips: Sequence[Motion]) -> Finding | None:
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
        limit = max(_SPEED * top + _SPEED_SLACK, _STANDING)
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


def _sunk(result: Motion, made: Figures, before: Sequence[Figures]) -> Finding | None:
    """A joint of the body, foot or not, that is far below where any is in the clips."""
    lowest = min(one.deepest[0] for one in before)
    height, joint, frame = made.deepest
    value, limit = -height, _SUNK - lowest
    if value <= limit:
        return None
    name = result.skeleton.names[joint]
    return Finding(
        "floor",
        f"{name} is {lowest - height:.0%} of a leg length deeper than anything in the clips at "
        f"frame {frame}",
        frame,
        name,
        value,
        limit,
    )
