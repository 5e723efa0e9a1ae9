"""Body and legs that follow planned feet, solved as in clean-up (`contacts.clean.solve`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from motionweave.contacts.clean.solve import (
    FootWay,
    Legs,
    body_shift,
    eased_length,
    legs_of,
    solve_limbs,
)
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.numerics.curves import smootherstep
from motionweave.methods.warping.feet import ROUNDING, FootPlan
from motionweave.methods.warping.targets import WarpClip

# Radians of bend from which on a knee or an elbow is held back, and that it does not pass; and the
# share of its length by which a folded leg always may get shorter.
FOLDING, FOLDED = np.radians((120.0, 155.0))
_LEAST_ROOM = 0.02
# Radians by which a scaled knee or elbow always may be bent further than in the clip.
_ROOM = np.radians(2.0)
# Leg lengths by which a body that gives way may carry feet down unseen.
_UNSEEN = 2e-3
# Seconds around a key, and around a goal, in which the body gives way less and less.
_FIRM, _NEAR = 0.15, 0.3


class Followed(NamedTuple):
    """A motion whose body and legs follow planned feet.

    Parameters
    ----------
    motion
        The result.
    missed
        For each side, how far ``(T,)`` the foot misses its plan.
    shift
        ``(T, 3)`` how far the body gives way.
    strain
        ``(T, 3)`` how much further it would have to, around goals, for legs that cannot reach.
    """

    motion: Motion
    missed: dict[str, Array]
    shift: Array
    strain: Array


def follow(
    motion: Motion,
    plans: Sequence[FootPlan],
    clip: WarpClip,
    goals: Sequence[float],
    keyed: Sequence[float],
) -> Followed:
    """The motion with its legs solved for their feet, the body giving way where it must.

    Frames in which a foot is where it should be already stay as they are, bit for bit.

    Parameters
    ----------
    motion
        The clip after all other keys.
    plans
        Of the feet.
    clip
        The original clip, which defines the axes about which knees bend.
    goals
        Frames at which the body must not give way.
    keyed
        Frames at which it should give way as little as possible.
    """
    if not plans:
        return Followed(motion, {}, *np.zeros((2, len(motion), 3)))
    positions, orientations = motion.forward()
    ways = [_way(plan, positions, orientations, clip) for plan in plans]
    # Only frames that the warp has touched may give way: all others are to stay.
    free = np.any([np.any(way.goal != positions[:, way.limb.end], axis=-1) for way in ways], axis=0)
    legs = legs_of(positions, ways)
    frames = np.arange(len(motion), dtype=np.float64)
    firm = 1.0 - smootherstep(_away(keyed, frames) / (_FIRM * motion.fps))
    shift = body_shift(legs, free, motion.fps, clip.scale, meant=True, firm=firm)
    strain = np.zeros_like(shift)
    if goals:
        away = smootherstep(_away(goals, frames) / (_NEAR * motion.fps))[:, None]
        shift *= away
        left = legs._replace(span=legs.span + legs.grip[..., None] * shift, easy=None)
        strain = body_shift(left, free, motion.fps, clip.scale, meant=True, needed=True)
        # What legs need goes on around a goal, but not at it.
        at = np.unique(np.round(goals).astype(np.intp))
        there = np.stack([np.interp(frames, at, part) for part in strain[at].T], axis=1)
        shift += strain - (1.0 - away) * there
    ways, legs = _cleared(ways, plans, positions, shift, legs, clip.scale)
    local = np.array(motion.rotations)
    missed, _ = solve_limbs(motion, positions, orientations, ways, shift, local, legs)
    followed = replace(motion, root=motion.root + shift, rotations=local)
    missing = {plan.side: off for plan, off in zip(plans, missed, strict=True)}
    return Followed(followed, missing, shift, strain)


def within_range(clip: WarpClip, motion: Motion, joints: Sequence[int]) -> Motion:
    """Scaled hinges come to rest before they pass straight, or fold through the limb.

    A bend ``b`` that was ``o`` becomes ``o + r expm1((b - o) / r)`` where it is less, with
    ``r`` the room down to straight, or to a little beyond what the clip has itself: the same
    where nothing changes, and never past that. What is folded up further than `FOLDING`
    nears the other end as a tanh does.
    """
    positions, orientations = motion.forward()
    local = np.array(motion.rotations)
    for joint in joints:
        hinge = clip.hinges[joint]
        if not hinge.steady:
            continue
        own = hinge.flexion(*clip.forward)
        # Folded past half a turn, a limb would seem to be bent the other way.
        change = np.unwrap(hinge.flexion(positions, orientations) - own)
        change -= 2.0 * np.pi * np.round(np.median(change) / (2.0 * np.pi))
        # At least a little room everywhere: a knee that passes straight does so without a jerk.
        room = own - min(0.0, float(own.min()) - _ROOM)
        less = room * np.expm1(np.minimum(change, 0.0) / room)
        start = np.maximum(own, FOLDING)
        room = max(FOLDED, float(own.max()) + _ROOM) - start
        beyond = np.maximum(own + change - start, 0.0)
        more = change - beyond + room * np.tanh(beyond / room)
        back = np.where(change < 0.0, less, more) - change
        parent = int(motion.skeleton.parents[joint])
        axis = rotations.rotate(orientations[:, hinge.upper], hinge.axis)
        axis = rotations.rotate(rotations.inverse(orientations[:, parent]), axis)
        turned = rotations.multiply(rotations.exp(axis * back[:, None]), local[:, joint])
        local[:, joint] = np.where(back[:, None] == 0.0, local[:, joint], turned)
    return replace(motion, rotations=local)


def _away(moments: Sequence[float], frames: Array) -> Array:
    """Frames ``(T,)`` from the nearest of some moments, infinite if there are none."""
    apart = np.abs(frames[:, None] - np.asarray(moments, dtype=np.float64))
    return np.asarray(apart.min(axis=1, initial=np.inf))


def _cleared(
    ways: list[FootWay],
    plans: Sequence[FootPlan],
    positions: Array,
    shift: Array,
    legs: Legs,
    size: float,
) -> tuple[list[FootWay], Legs]:
    """Feet that a body with a ``shift`` ``(T, 3)`` does not carry into the ground."""
    down = [(1.0 - way.grip) * shift[:, 1] for way in ways]
    if np.min(down) > -_UNSEEN * size:
        return ways, legs
    lifts = [
        (1.0 - plan.own) * plan.clearance.lift(way.goal[:, 1] + lower, way.goal[:, 1])
        for plan, way, lower in zip(plans, ways, down, strict=True)
    ]
    if not np.any(lifts):
        return ways, legs
    ways = [
        replace(way, goal=way.goal + lift[:, None] * np.array([0.0, 1.0, 0.0]))
        for way, lift in zip(ways, lifts, strict=True)
    ]
    return ways, legs_of(positions, ways)


def _way(plan: FootPlan, positions: Array, orientations: Array, clip: WarpClip) -> FootWay:
    """A plan for the solver, exactly zero where there is nothing to do."""
    end, turned = positions[:, plan.limb.end], orientations[:, plan.limb.end]
    share = plan.own[:, None]
    goal = np.where(share > 0.0, plan.ankle + share * (end - plan.ankle), plan.ankle)
    turn = rotations.multiply(plan.orientation, rotations.inverse(turned))
    turn = np.where(turn[:, 3:] < 0.0, -turn, turn)
    if np.any(share > 0.0):
        turn = np.where(share > 0.0, rotations.exp((1.0 - share) * rotations.log(turn)), turn)
    goal = _within_reach(goal, plan, positions, clip)
    off = np.linalg.norm(goal - end, axis=-1) > ROUNDING * clip.scale
    off |= np.linalg.norm(turn[:, :3], axis=-1) > ROUNDING
    off &= plan.own < 1.0
    axis = clip.hinges[plan.limb.middle].axis
    return FootWay(
        plan.limb,
        rotations.rotate(orientations[:, plan.limb.upper], axis),
        np.where(off[:, None], goal, end),
        np.where(off[:, None], turn, rotations.IDENTITY),
        plan.standing * (1.0 - plan.own),
        brisk=plan.steps,
        settled=True,
        easy=_own_length(plan, clip),
    )


def _own_length(plan: FootPlan, clip: WarpClip) -> Array:
    """How long ``(T,)`` the leg is in the clip, from hip to ankle."""
    there = clip.forward[0]
    return np.asarray(np.linalg.norm(there[:, plan.limb.end] - there[:, plan.limb.upper], axis=-1))


def _within_reach(goal: Array, plan: FootPlan, positions: Array, clip: WarpClip) -> Array:
    """Places ``(T, 3)`` of an ankle in the air that its leg reaches without a snap of the knee.

    Beyond its length in the clip, a leg in the air follows less and less, and so it does where it
    is folded up: its foot moves with the body instead.
    """
    hip, knee, ankle = (positions[:, joint] for joint in plan.limb)
    thigh, shin = np.linalg.norm(knee - hip, axis=-1), np.linalg.norm(ankle - knee, axis=-1)
    own = _own_length(plan, clip)
    span = goal - hip
    wanted = np.linalg.norm(span, axis=-1)
    kept = own + eased_length(wanted - own, own, thigh + shin)
    folding, folded = (
        np.sqrt(thigh**2 + shin**2 + 2.0 * thigh * shin * np.cos(bend))
        for bend in (FOLDING, FOLDED)
    )
    start = np.minimum(own, folding)
    room = np.maximum(start - folded, _LEAST_ROOM * (thigh + shin))
    kept = np.where(wanted < start, start - room * np.tanh((start - wanted) / room), kept)
    off = np.abs(kept - wanted) > ROUNDING * (thigh + shin)
    share = (1.0 - plan.standing) * off
    return hip + span * (1.0 + share * (kept / np.maximum(wanted, 1e-12) - 1.0))[:, None]
