"""``warp``: a clip reshaped by keys, and by time keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from motionweave.body.root import at_pelvis
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.constraints import FOOT_KINDS, HAND_KINDS
from motionweave.core.motion import Motion
from motionweave.errors import WarpError
from motionweave.methods.warping.feet import follow_ways, foot_ways
from motionweave.methods.warping.goals import (
    GoalFrame,
    Posed,
    goal_frames,
    pose,
    pose_turns,
    warn_of_misses,
)
from motionweave.methods.warping.joints import below, part_joints
from motionweave.methods.warping.keys import ROOT_CURVES, Key, ease_pair
from motionweave.methods.warping.paths import Path, path_of
from motionweave.methods.warping.targets import Clip, Placed
from motionweave.methods.warping.time import TimeKeys, retime, retime_parts, time_curve
from motionweave.methods.warping.turning import warp_rotations
from motionweave.methods.warping.turns import Shape, Turn, turns_of

Hold = bool | Literal["before", "after", "both"]


def warp(
    motion: Motion,
    keys: Iterable[Key] = (),
    time_keys: TimeKeys | None = None,
    *,
    hold: Hold = False,
    ease: float | tuple[float, float] = 0.8,
    tension: float = 0.0,
    euler: str | None = None,
    follow: bool = False,
    monotone: bool = False,
    part_times: Mapping[str, TimeKeys] | None = None,
    release: Sequence[str] = (),
    clean: bool | None = None,
) -> Motion:
    """A clip reshaped by a few keys, its fine detail kept (Witkin & Popović 1995).

    Parameters
    ----------
    motion
        The clip.
    keys
        What is to be different at which frame; see `Key`. Between keys the change
        follows a Cardinal spline; before the first and after the last key of a curve
        there is none, except for the ``ease``.
    time_keys
        Pairs (output frame, source frame), or a mapping; see `time_curve`. Keys are
        placed in the source's time.
    hold
        Let the first key's change hold from the beginning (``"before"``), the
        last key's to the end (``"after"``), or both (True).
    ease
        Seconds that a change takes to come before the first key and to go after the
        last, one number or (before, after).
    tension
        Of the Cardinal splines, 0 to 1.
    euler
        A rotation order such as ``"ZYX"`` warps the curves of these Euler angles,
        as in the paper; the default warps quaternions, which know no gimbal lock.
    follow
        Turn the body into its direction of travel where position keys bend the path.
    monotone
        Keep time from running against its keys where the spline would overshoot.
    part_times
        Time keys of their own for parts of the body: ``"upper"``, ``"lower"``,
        ``"spine"``, or a joint by name or role with all that hangs from it.
    release
        Kinds of contact that no longer hold, such as ``"left_heel"`` on tiptoe.
    clean
        By default feet keep standing wherever keys move the body above them (keys of
        the root and the hips, and goals), re-planted where a path takes them; keys
        that turn leg joints do just that. False never touches the legs, so that every
        curve is exactly as warped; True also re-plants feet that leg keys have moved
        and then runs `clean_feet`.

    Returns
    -------
    The warped motion, contacts carried along.
    """
    keys = list(keys)
    for key in keys:
        if not isinstance(key, Key):
            raise WarpError(f"keys: expected Key objects, got {key!r}")
    _check_release(release)
    shape = Shape(ease_pair(ease), _hold_pair(hold), _checked_tension(tension), euler)
    clip = Clip(at_pelvis(motion))
    result = warp_values(clip, keys, shape, follow=follow, release=release, clean=clean)
    if release:
        result = result.with_constraints(c for c in result.constraints if c.kind not in release)
    result = _warp_time(result, time_keys, part_times or {}, tension, monotone)
    if clean:
        from motionweave.contacts.clean.footskate import clean_feet

        result = clean_feet(result)
    return result


def warp_values(
    clip: Clip,
    keys: Sequence[Key],
    shape: Shape,
    *,
    follow: bool = False,
    release: Sequence[str] = (),
    clean: bool | None = None,
) -> Motion:
    """A clip reshaped by keys, in its own time; parameters as for `warp`."""
    motion = clip.motion
    placed = sorted((clip.place(key) for key in keys), key=lambda p: p.frame)
    on_path = [p for p in placed if p.key.joint in ROOT_CURVES]
    goals = [p for p in placed if p.key.posed_by_goal]
    turning = [p for p in placed if p not in on_path and p not in goals]
    path = path_of(clip, on_path, shape, follow) if on_path else None
    turns = turns_of(turning, clip)
    steady = _trunk(clip)
    warped = motion
    if turns:
        seen = [_before_path(turn, path) for turn in turns]
        warped = replace(motion, rotations=warp_rotations(clip, seen, shape, steady))
    if path is not None:
        warped = path.apply(warped)
    legs = _legs(clip)
    leg_turns = [turn for turn in turns if turn.joint in legs]
    lifted = bool(on_path or goals) or any(turn.joint in steady for turn in turns)
    keeping = clean is not False and (lifted or (clean is True and bool(leg_turns)))
    if not keeping:
        return _to_goals(warped, goals, turns, shape, steady) if goals else warped
    feet = _feet(clip)
    keyed = _turned(clip, leg_turns, shape)
    footed = _turned(clip, [turn for turn in leg_turns if turn.joint in feet], shape)

    def on_feet(motion: Motion, posed: Sequence[Posed] = ()) -> tuple[Motion, Array]:
        return follow_ways(motion, foot_ways(clip, keyed, footed, path, posed, shape, release))

    warped = on_feet(warped)[0]
    if goals:
        # Legs are solved for their feet afterwards: their keys do not bind the goals.
        others = [turn for turn in turns if turn.joint not in legs]
        warped = _to_goals(warped, goals, others, shape, steady, on_feet)
    return warped


def _to_goals(
    motion: Motion,
    goals: Sequence[Placed],
    turns: Sequence[Turn],
    shape: Shape,
    steady: Sequence[int],
    on_feet: Callable[[Motion, Sequence[Posed]], tuple[Motion, Array]] | None = None,
) -> Motion:
    """The motion with its goals met by joint keys, and its feet kept if a way to is given.

    Where the body has to give way for the feet, what is missed by that is made up for
    from the hips upwards.
    """
    frames = goal_frames(Clip(motion), goals)
    result, posed = _posed(motion, frames, turns, shape, steady)
    if on_feet is not None:
        result, given = on_feet(result, posed)
        whole = [round(goal.frame) for goal in frames]
        if np.any(given[whole]):
            result = _posed(result, frames, turns, shape, steady, hips=False)[0]
    warn_of_misses(Clip(result), frames)
    return result


def _posed(
    motion: Motion,
    frames: Sequence[GoalFrame],
    turns: Sequence[Turn],
    shape: Shape,
    steady: Sequence[int],
    hips: bool = True,
) -> tuple[Motion, list[Posed]]:
    """The motion displaced so that it goes through poses that meet the goals.

    Without ``hips`` these stay where they are, and the legs with them.
    """
    clip = Clip(motion)
    keyed = [turn for turn in turns if turn.factor is None]
    still = frozenset() if hips else _legs(clip) | set(steady)
    posed = [
        pose(clip, goal, still | {t.joint for t in keyed if abs(t.frame - goal.frame) < 1e-9}, hips)
        for goal in frames
    ]
    neutral: dict[int, set[float]] = {}
    for turn in keyed:
        neutral.setdefault(turn.joint, set()).add(turn.frame)
    quaternions = warp_rotations(clip, pose_turns(posed, neutral), shape, steady)
    # The root's shift goes with the body where it is held through a turn.
    level = rotations.about_vertical(clip.facing)
    values = np.array(
        [
            rotations.rotate(
                rotations.about_vertical(-clip.facing_at(p.frame)), p.after.root - p.before.root
            )
            for p in posed
        ]
    )
    weights = shape.weights([p.knot for p in posed], len(motion), motion.fps)
    root = motion.root + rotations.rotate(level, weights @ values)
    return replace(motion, root=root, rotations=quaternions), posed


def _before_path(turn: Turn, path: Path | None) -> Turn:
    """A new rotation of the root, as it has to be before a path turns it."""
    if path is None or turn.rotation is None or turn.joint != 0:
        return turn
    back = rotations.about_vertical(-path.angle_at(turn.frame))
    return replace(turn, rotation=rotations.multiply(back, turn.rotation))


def _trunk(clip: Clip) -> tuple[int, ...]:
    """Joints from the root to the hips: what carries the legs."""
    return clip.motion.skeleton.chain(0, clip.rig.roles.get("hips", 0))


def _legs(clip: Clip) -> set[int]:
    return _below_roles(clip, "thigh")


def _feet(clip: Clip) -> set[int]:
    return _below_roles(clip, "ankle")


def _below_roles(clip: Clip, part: str) -> set[int]:
    tops = [clip.rig.roles.get(f"{side}_{part}") for side in ("left", "right")]
    return {j for top in tops if top is not None for j in below(clip.motion.skeleton, top)}


def _turned(clip: Clip, turns: Sequence[Turn], shape: Shape) -> Motion:
    """The clip with some of its keys, and none of the root's."""
    if not turns:
        return clip.motion
    return replace(clip.motion, rotations=warp_rotations(clip, turns, shape))


# Time

_KINDS_OF_PART = {"hand": ("hand",), "ankle": ("heel", "toe")}


def _warp_time(
    motion: Motion,
    time_keys: TimeKeys | None,
    part_times: Mapping[str, TimeKeys],
    tension: float,
    monotone: bool,
) -> Motion:
    result = motion
    if time_keys is not None:
        result = retime(motion, time_curve(time_keys, len(motion), tension, monotone))
    if not part_times:
        return result
    clip = Clip(motion)
    parts = []
    for name, keys in part_times.items():
        joints = part_joints(name, clip.rig)
        kinds = [
            f"{side}_{kind}"
            for side in ("left", "right")
            for role, named in _KINDS_OF_PART.items()
            if clip.rig.roles.get(f"{side}_{role}") in joints
            for kind in named
        ]
        parts.append((joints, kinds, time_curve(keys, len(motion), tension, monotone)))
    return retime_parts(result, motion, parts)


def _hold_pair(hold: Hold) -> tuple[bool, bool]:
    pairs: dict[object, tuple[bool, bool]] = {
        False: (False, False),
        True: (True, True),
        "both": (True, True),
        "before": (True, False),
        "after": (False, True),
    }
    if hold not in pairs:
        raise WarpError(f"hold {hold!r}: expected True, False, 'before', 'after' or 'both'")
    return pairs[hold]


def _checked_tension(tension: float) -> float:
    if not 0.0 <= tension <= 1.0:
        raise WarpError(f"tension {tension!r}: expected a number from 0 to 1")
    return float(tension)


def _check_release(release: Sequence[str]) -> None:
    known = FOOT_KINDS + HAND_KINDS
    for kind in release:
        if kind not in known:
            raise WarpError(f"release {kind!r}: expected kinds of contact: {', '.join(known)}")
