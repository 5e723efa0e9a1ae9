"""Layers: a part of the body from one clip over the rest of another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from motionweave.body.heading import facing, seen_from_above
from motionweave.body.posture import bending_spine
from motionweave.body.rig.parts import part_joints
from motionweave.body.rig.roles import SIDES, Rig, find_rig
from motionweave.body.tpose import starts_in_tpose
from motionweave.core import checks, rotations
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.constraints import Constraint, clipped
from motionweave.core.curves import smootherstep
from motionweave.core.motion import Motion, all_checked
from motionweave.errors import BlendError
from motionweave.methods.finish import finished
from motionweave.registration.register import register
from motionweave.retargeting import brought_together

# Default fades of a part in seconds: as short as the body stays calm, which it does if no joint
# accelerates this many times as hard as in the clips. One that hardly moves counts as this share of
# the liveliest.
_EASES, _CALM, _LIVELY = (0.3, 0.45, 0.65, 0.9, 1.2, 1.6), 1.2, 0.15

# Seconds over which the swaying of hips evens out.
_SWAY = 0.3
# Cosine of the steepest angle at which a line across the hips shows where they face.
_LEVEL = 0.5

Weight = float | ArrayLike | Callable[[float], float]


def layer(
    base: Motion,
    over: Motion,
    part: str = "upper",
    *,
    start: float = 0.0,
    weight: Weight = 1.0,
    ease: float | None = None,
    in_step: bool = False,
) -> Motion:
    """Play part of one clip's body over another clip: waving while walking.

    Legs and path are those of ``base``, and so is a T-pose in its frame 0. The trunk of ``over`` is
    as upright, and as far turned from the hips, as in its own clip; hips that sway below do not
    shake it. Each joint of the spine takes a share of the difference.

    Parameters
    ----------
    base
        The clip whose legs and path are kept.
    over
        The clip that the part comes from. It is converted to the body and frame rate of ``base``.
    part
        ``"upper"``, ``"spine"``, ``"arms"``, ``"left_arm"``, ``"head"`` ..., or a joint by name
        or role with everything below it.
    start
        Frame of ``base`` at which ``over`` begins; it lasts until it or ``base`` ends.
    weight
        Weight of ``over``, from 0 to 1: a number, one per frame of ``base``, or a function of time
        in seconds.
    ease
        Seconds over which the part fades in and out where ``over`` begins and ends within ``base``.
        None for as long as the body needs to stay calm.
    in_step
        Register the clips first, and show the moment of ``over`` that matches each frame of
        ``base``: one walk's arms swing in step with another walk's legs. ``start`` is then not
        used.

    Returns
    -------
    Motion
        As long as ``base``, with its foot contacts, and the hand contacts of ``over``.

    Raises
    ------
    BlendError
        If the part contains legs, or an option is out of range.
    RigError
        If the skeleton has no such part, or joints do not correspond.

    Warns
    -----
    QualityWarning
        If the result is clearly worse than its clips in some respect, with frame and joint.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk, jab = mw.sample("walk"), mw.sample("jab")
    >>> jabbing = mw.layer(walk, jab, start=20)
    >>> len(jabbing) == len(walk)
    True
    >>> half = mw.layer(walk, mw.sample("jog"), "left_arm", weight=0.5, in_step=True)
    """
    check_arguments(layer, locals(), BlendError)
    base, over = all_checked((base, over))
    if ease is not None and not (np.isfinite(ease) and ease >= 0.0):
        raise BlendError(f"ease {ease:g}: expected seconds, 0 or more")
    at = checks.number(start, "start: frame")
    if not 0.0 <= at <= len(base) - 1.0:
        raise BlendError(f"start at frame {at:g}: the clip has frames 0 to {len(base) - 1}")
    base, over = brought_together((base, over))
    # A T-pose in front is not part of a clip: that of the base stays as it is.
    over = (over[1:] if starts_in_tpose(over) else over).resample(base.fps)
    posed = int(starts_in_tpose(base))
    rig = find_rig(base.skeleton)
    joints = layered_joints(part, rig)
    shown = _in_step(base, over) if in_step else _from(base, over, at)
    lent = over.sample(shown.frames)
    laid = partial(_layered, base, lent, rig, joints)
    width = ease if ease is not None else _needed(base, over, laid, shown, joints, posed)
    share = shown.share(width * base.fps) * _weights(weight, len(base), base.fps)
    share[:posed] = 0.0
    local = laid(share)
    held = _contacts(base, over, shown, rig, joints, share)
    result = replace(base, rotations=local).with_constraints(held)
    # Legs are those of the base: there is nothing to plant.
    return finished(result, [base, over], clean=True, plant=lambda kept: kept, joints=joints)


@dataclass(frozen=True)
class _Shown:
    """Which frames of one clip are shown at the frames of another.

    Parameters
    ----------
    frames
        ``(T,)`` of the clip, held where it is not shown.
    first, last
        The first and the last of the T frames in which it is.
    """

    frames: Array
    first: float
    last: float

    def fades(self, count: int) -> bool:
        """Whether it begins or ends within ``count`` frames."""
        return self.first > 0.0 or self.last < count - 1.0

    def share(self, ease: float) -> Array:
        """``(T,)`` from 0 to 1: how much of the clip is there, eased over ``ease`` frames."""
        at = np.arange(len(self.frames), dtype=np.float64)
        width = max(min(ease, 0.5 * (self.last - self.first)), 1e-9)
        # A layer that begins or ends with the base is not faded.
        come = np.inf if self.first <= 0.0 else (at - self.first) / width
        go = np.inf if self.last >= len(at) - 1.0 else (self.last - at) / width
        return np.asarray(smootherstep(np.minimum(come, go)) * np.ones(len(at)))


def _needed(
    base: Motion,
    over: Motion,
    laid: Callable[[Array], Array],
    shown: _Shown,
    joints: tuple[int, ...],
    posed: int,
) -> float:
    """Seconds in which a part gets from one clip to the other without strain.

    As few as it takes until no joint accelerates clearly harder than in the clips; if
    that cannot be reached, those in which it accelerates least.

    Parameters
    ----------
    base, over
        The clips.
    laid
        Local rotations ``(T, J, 4)`` with shares ``(T,)`` of the part.
    shown
        When it is there.
    joints
        Of the part.
    posed
        Frames of a T-pose in front of the base.
    """
    if not shown.fades(len(base)):
        return 0.0
    part = list(joints)
    own = np.max([_accelerations(m, part).max(axis=0) for m in (base[posed:], over)], axis=0)
    own = np.maximum(own, max(_LIVELY * own.max(), 1e-12))
    tried: dict[float, float] = {}
    for seconds in _EASES:
        share = shown.share(seconds * base.fps)
        share[:posed] = 0.0
        # What the layer does where it is there alone does not depend on the fade.
        fading = (share > 0.0) & (share < 1.0)
        hardest = _accelerations(replace(base, rotations=laid(share)), part)[fading] / own
        tried[seconds] = float(hardest.max(initial=0.0))
        if tried[seconds] <= _CALM or 2.0 * seconds * base.fps > shown.last - shown.first:
            break
    return min(tried, key=tried.__getitem__)


def _accelerations(motion: Motion, joints: list[int]) -> Array:
    """How much ``(T, J)`` some joints change their velocity at every frame; 0 at both ends."""
    second = np.diff(motion.positions()[:, joints], 2, axis=0)
    return np.pad(np.linalg.norm(second, axis=-1), ((1, 1), (0, 0)))


def _from(base: Motion, over: Motion, start: float) -> _Shown:
    frames = np.arange(len(base)) - start
    last = min(start + len(over) - 1.0, len(base) - 1.0)
    return _Shown(frames.clip(0.0, len(over) - 1.0), start, last)


def _in_step(base: Motion, over: Motion) -> _Shown:
    curve = register(base, over)
    if curve.cyclic:
        # A curve of one cycle says nothing of the clips' other frames.
        curve = register(base, over, ends="free")
    timewarp = curve.timewarp
    first, last = (float(timewarp.frames(u)[0]) for u in (timewarp.start, timewarp.end))
    # A frame or two missing at an end of the registration need no fade.
    inside = np.arange(len(base), dtype=np.float64).clip(first, last)
    shown = timewarp.frames(timewarp.parameter(0, inside))[:, 1]
    return _Shown(
        shown.clip(0.0, len(over) - 1.0),
        first if first >= 2.0 else 0.0,
        last if last <= len(base) - 3.0 else len(base) - 1.0,
    )


def layered_joints(part: str, rig: Rig) -> tuple[int, ...]:
    """The joints of a part that can be laid over another clip: without legs and root.

    Raises
    ------
    BlendError
        If the part contains legs.
    RigError
        If the skeleton has no such part.
    """
    if not isinstance(part, str):
        raise BlendError(f"part {part!r}: expected the name of a part, such as 'upper'")
    joints = part_joints(part, rig)
    legs = {rig.roles.get(f"{side}_thigh") for side in SIDES}
    if 0 in joints or legs & set(joints):
        raise BlendError(
            f"part {part!r} contains legs, which carry the body: put the clip whose legs you want "
            "first, and the other one second"
        )
    return joints


def _weights(weight: Weight, count: int, fps: float) -> Array:
    if callable(weight):
        given: object = [weight(frame / fps) for frame in range(count)]
    else:
        given = weight
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        values = np.full(1, np.nan)
    if values.shape not in ((), (count,)) or not np.all((values >= 0.0) & (values <= 1.0)):
        raise BlendError(
            f"weight {checks.shown(given)}: expected a number from 0 to 1, or one for each of the "
            f"{count} frames"
        )
    return np.asarray(np.broadcast_to(values, count))


def _layered(base: Motion, lent: Motion, rig: Rig, joints: tuple[int, ...], share: Array) -> Array:
    """Local rotations ``(T, J, 4)`` with a part of another clip's, ``share`` ``(T,)`` of it."""
    local = np.array(base.rotations)
    below, above = base.forward()[1], lent.forward()[1]
    turn = rotations.about_vertical(_turned(base, lent, rig))
    spine = [joint for joint in bending_spine(rig, base, lent) if joint in joints]
    new = np.array(below)
    for joint in joints:
        parent = int(base.skeleton.parents[joint])
        wanted = rotations.multiply(new[:, parent], lent.rotations[:, joint])
        if joint in spine:
            # From the trunk of one clip to that of the other, further with each joint: hips that
            # jerk under a calm trunk do not shake it.
            level = rotations.multiply(turn, above[:, joint])
            way = np.full(len(base), (spine.index(joint) + 1.0) / len(spine))
            wanted = _part_of_the_way(below[:, joint], level, way)
        inside = rotations.multiply(rotations.inverse(new[:, parent]), wanted)
        blended = _part_of_the_way(local[:, joint], inside, share)
        local[:, joint] = np.where(share[:, None] == 0.0, local[:, joint], blended)
        new[:, joint] = rotations.multiply(new[:, parent], local[:, joint])
    return local


def _turned(base: Motion, lent: Motion, rig: Rig) -> Array:
    """How far ``(T,)`` a clip faces away from another, without the swaying of their hips."""
    from scipy.ndimage import gaussian_filter1d

    apart = _hip_heading(base, rig) - _hip_heading(lent, rig)
    if starts_in_tpose(base):
        apart[0] = apart[1]
    return np.asarray(gaussian_filter1d(apart, _SWAY * base.fps, mode="nearest"))


def _part_of_the_way(start: Array, end: Array, share: Array) -> Array:
    """Rotations ``(T, 4)`` at shares ``(T,)`` of the way from others to others.

    Where they pass each other half a turn apart, the shorter way changes sides, and a joint that
    took it would jump: it goes on the same way round instead. It starts with the shorter ways of
    most frames.
    """
    way = rotations.unroll(rotations.multiply(rotations.inverse(start), end))
    if np.sum(way[:, 3] < 0.0) > 0.5 * len(way):
        way = -way
    sine = np.linalg.norm(way[:, :3], axis=-1)
    half = np.arctan2(sine, way[:, 3])
    axis = way[:, :3] / np.where(sine > 0.0, sine, 1.0)[:, None]
    return rotations.multiply(start, rotations.exp(axis * (2.0 * half * share)[:, None]))


def _hip_heading(motion: Motion, rig: Rig) -> Array:
    """Angle ``(T,)`` in which the hips face, in radians; the shoulders may face elsewhere.

    Of hips that lie on one side it comes from the frames around.
    """
    thighs = [rig.roles.get(f"{side}_thigh") for side in SIDES]
    if None in thighs:
        return facing(motion)
    positions = motion.positions()
    left = positions[:, thighs[0]] - positions[:, thighs[1]]
    left /= np.maximum(np.linalg.norm(left, axis=1, keepdims=True), 1e-12)
    ahead = np.stack([-left[:, 2], left[:, 1], left[:, 0]], axis=1)
    angle = seen_from_above(ahead, _LEVEL)
    return facing(motion) if angle is None else angle


def _contacts(
    base: Motion,
    over: Motion,
    shown: _Shown,
    rig: Rig,
    joints: tuple[int, ...],
    share: Array,
) -> list[Constraint]:
    """Contacts of the base; hands of the part have those of the other clip, where it shows."""
    lent = [f"{side}_hand" for side in SIDES if rig.roles.get(f"{side}_hand") in joints]
    held = [c for c in base.constraints if c.kind not in lent]
    frames = np.arange(len(base), dtype=np.float64)
    whole = frames[share > 0.99]
    rising = np.concatenate([[True], np.diff(shown.frames) > 0.0])
    for c in over.constraints:
        if c.kind in lent and len(whole):
            ends = np.interp([c.start, c.end], shown.frames[rising], frames[rising])
            moved = Constraint(float(ends[0]), float(ends[1]), c.kind)
            held += clipped([moved], whole[0], whole[-1])
    return held
