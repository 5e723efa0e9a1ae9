"""A T-pose (or A-pose) in front of what was captured, and the way from it.

A converter puts it before the first captured frame, or a tracker holds it until it sees somebody.
It is known by its shape in that frame, whatever the zero pose of the file looks like.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from motionweave.body.rig.roles import SIDES, find_rig
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.runtime.cache import kept_with_motion

# A change from the first frame to the second that no joint makes in a captured motion, and the
# cosine of half of it.
_JUMP = np.radians(12.0)
_HALF_JUMP = float(np.cos(0.5 * _JUMP))
# A step of every joint with which a pose is held, as the cosine of half of it.
_HALF_HELD = float(np.cos(0.5 * np.radians(0.05)))
# ... and this many times the largest step of the frames that follow.
_OUT_OF_LINE = 3.0
# Frames that follow.
_FOLLOWING = 12
# A step that leads on from a T-pose is this many times the usual largest one, this share of the one
# before it, and at least this large.
_STILL_OUT = 2.0
_FADING = 0.35
_LEAST_STEP = np.radians(4.0)
# Of a body whose joints are known: arms are straight, this much sideways (cosine; in an
# A-pose they hang halfway), and legs are straight, this much in line with the trunk.
_SIDEWAYS = 0.6
_IN_LINE = 0.85
_STRAIGHT = 0.95
# Otherwise: a T-pose is about as wide as the body is high, and flat.
_WIDE = 0.75
_FLAT = 0.5


@kept_with_motion
def tpose_frames(motion: Motion) -> int:
    """How many frames at the start are a T-pose (or the rest pose) that the motion jumps away from.

    Many archives have such a frame, as a reference for the skeleton; where it was filtered together
    with the capture, a few frames lead from it into the motion. Trackers hold such a pose for as
    long as they see nobody. None of these frames is part of the motion: registration, blending and
    contacts are better off without them (``motion[tpose_frames(motion):]``). A clip whose performer
    really stands with arms spread, and moves on from there, does not count.
    """
    if len(motion) < 3:
        return 0
    # In most clips the first step already tells.
    first = _same(motion.rotations[:2])[0]
    if _HALF_JUMP < first <= _HALF_HELD:
        return 0
    if not (_is_rest(motion) or _is_t_shaped(motion)):
        return 0
    held = _held(motion) if first > _HALF_HELD else 0
    start = motion.rotations[held : held + _FOLLOWING + 2]
    if len(start) < 3:
        return 0
    steps = rotations.angle_between(start[:-1], start[1:])
    largest = steps.max(axis=1)
    usual = float(np.median(largest[1:]))
    if largest[0] < max(_JUMP, _OUT_OF_LINE * usual):
        return 0
    # The joint that jumps most is on its way for as long as any.
    return held + 1 + _leading_in(steps[:, steps[0].argmax()], _STILL_OUT * usual)


def _same(turns: Array) -> Array:
    """How little ``(T - 1,)`` any joint of ``turns`` ``(T, J, 4)`` turns from frame to frame: the
    cosine of half the largest angle."""
    return np.asarray(np.abs(np.einsum("tjc,tjc->tj", turns[:-1], turns[1:])).min(axis=1))


def _held(motion: Motion) -> int:
    """The frame up to which the pose of frame 0 is held."""
    moves = _same(motion.rotations) <= _HALF_HELD
    return int(moves.argmax()) if moves.any() else len(motion) - 1


def _leading_in(steps: Array, small: float) -> int:
    """How many steps ``(n,)`` of a joint after the first go on with it, until they are ``small``.

    A single frame in front is left by one step, and what follows is out of proportion to it.
    """
    count = 0
    while count + 1 < len(steps) and steps[count + 1] >= max(
        small, _FADING * steps[count], _LEAST_STEP
    ):
        count += 1
    return count if count + 1 < len(steps) else 0


def _is_rest(motion: Motion) -> bool:
    """Whether no joint but the root is turned in frame 0."""
    if len(motion.skeleton) < 2:
        return False
    turn = rotations.angle_between(motion.rotations[0, 1:], rotations.IDENTITY)
    return bool(turn.max() < 1e-3)


def _is_t_shaped(motion: Motion) -> bool:
    rig = find_rig(motion.skeleton)
    positions = motion[:1].positions()[0]
    limbs = ("thigh", "shin", "ankle", "upper_arm", "forearm", "hand")
    if rig.has("hips", "head", *(f"{side}_{role}" for side in SIDES for role in limbs)):
        return _stands_spread({role: positions[joint] for role, joint in rig.roles.items()})
    return _is_wide_and_flat(motion[:1])


def _stands_spread(places: Mapping[str, Array]) -> bool:
    """Whether a body with joints at ``places`` holds its arms out and its legs straight."""
    left = _unit(places["left_upper_arm"] - places["right_upper_arm"])
    down = _unit(places["hips"] - places["head"])
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        for bones, along, least in (
            (("upper_arm", "forearm", "hand"), sign * left, _SIDEWAYS),
            (("thigh", "shin", "ankle"), down, _IN_LINE),
        ):
            upper, middle, end = (places[f"{side}_{role}"] for role in bones)
            length = np.linalg.norm(middle - upper) + np.linalg.norm(end - middle)
            reach = np.linalg.norm(end - upper)
            if reach < _STRAIGHT * length or _unit(end - upper) @ along < least:
                return False
    return True


def _unit(vector: Array) -> Array:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12))


def _is_wide_and_flat(first: Motion) -> bool:
    points = np.concatenate([first.positions()[0], first.end_positions()[0]])
    height = float(np.ptp(points[:, 1]))
    floor = points[:, [0, 2]] - points[:, [0, 2]].mean(axis=0)
    # The principal axes of the body seen from above: from hand to hand, and the depth.
    axes = np.linalg.eigh(floor.T @ floor)[1]
    depth, width = np.ptp(floor @ axes, axis=0)
    return bool(width > _WIDE * height and depth < _FLAT * width)
