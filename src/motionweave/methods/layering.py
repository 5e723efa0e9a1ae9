"""Layers: a part of the body from one clip over the rest of another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from motionweave.body.pose.posture import bending_spine
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.parts import part_joints
from motionweave.body.rig.roles import SIDES, Rig, find_rig
from motionweave.core import checks, rotations
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.constraints import Constraint, clipped
from motionweave.core.motion import Motion, all_checked
from motionweave.core.numerics.curves import smootherstep
from motionweave.errors import BlendError
from motionweave.measure.body_faults import STILL
from motionweave.measure.figures import unit_length
from motionweave.methods.carried import carried_trunk, part_of_the_way
from motionweave.methods.finish import finish
from motionweave.registration.register import register
from motionweave.retargeting import brought_together

# Default fades of a part in seconds: as short as the body stays calm, which it does if no joint
# accelerates this many times as hard as in the clips. Before a part begins earlier or ends later
# than its clip, joints may accelerate a little harder.
_EASES, _CALM, _NEARLY = (0.3, 0.45, 0.65, 0.9, 1.2, 1.6, 2.2), 1.2, 1.35

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
    as upright, and as far turned from the hips, as in its own clip; hips that sway or jerk below do
    not shake it. Each joint of the spine takes a share of the difference. With hips that lie down
    or go head over heels the trunk goes along.

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
        None for as long as the body needs to stay calm: if ``over`` is too short for that, from
        before it begins until after it ends.
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
    over = over[tpose_frames(over) :].resample(base.fps)
    posed = tpose_frames(base)
    rig = find_rig(base.skeleton)
    joints = layered_joints(part, rig)
    shown = _in_step(base, over) if in_step else _from(base, over, at)
    lay = partial(_laid, base, over, rig, joints)
    if ease is None:
        shown, ease, laid = _calmest(base, over, shown, lay, joints, posed)
    else:
        laid = lay(shown)
    share = shown.share(ease * base.fps) * _weights(weight, len(base), base.fps)
    share[:posed] = 0.0
    local = laid(share)
    held = _contacts(base, over, shown, rig, joints, share)
    result = replace(base, rotations=local).with_constraints(held)
    # Legs are those of the base: there is nothing to plant.
    done = finish(result, [base, over], clean=True, plant=lambda kept: kept, joints=joints)
    return done.reported()


@dataclass(frozen=True)
class _Shown:
    """Which frames of one clip are shown at the frames of another.

    Parameters
    ----------
    frames
        ``(T,)`` of the clip, held where it is not shown.
    first, last
        Where in the T frames it begins and ends.
    comes, goes
        Whether it begins and ends within them: otherwise it is not faded in, or out.
    """

    frames: Array
    first: float
    last: float
    comes: bool
    goes: bool

    @property
    def room(self) -> float:
        """Frames that a fade can take: all if there is one fade, half of them if there are two."""
        return (self.last - self.first) / max(self.comes + self.goes, 1)

    def share(self, ease: float) -> Array:
        """``(T,)`` from 0 to 1: how much of the clip is there, eased over ``ease`` frames."""
        at = np.arange(len(self.frames), dtype=np.float64)
        width = max(min(ease, self.room), 1e-9)
        come = (at - self.first) / width if self.comes else np.inf
        go = (self.last - at) / width if self.goes else np.inf
        return np.asarray(smootherstep(np.minimum(come, go)) * np.ones(len(at)))

    def widened(self, ease: float) -> _Shown:
        """The same with room for fades of ``ease`` frames: what does not fit comes before it begins
        or after it ends, where the clip gets going, or comes to rest."""
        beyond = ease - self.room
        if beyond <= 0.0:
            return self
        at = np.arange(len(self.frames), dtype=np.float64)
        width = min(beyond, self.room)
        first, last, moments = self.first, self.last, at
        if self.comes:
            moments = first + _at_rest(moments - first, width)
            first -= beyond
        if self.goes:
            moments = last - _at_rest(last - moments, width)
            last += beyond
        return replace(self, frames=np.interp(moments, at, self.frames), first=first, last=last)


def _at_rest(left: Array, width: float) -> Array:
    """Frames ``(T,)`` from the end of a clip that ends at rest instead of at full speed.

    It slows down within ``width`` frames before its end, and is there as much later.

    Parameters
    ----------
    left
        ``(T,)`` from its end at full speed; below 0 beyond it.
    width
        Frames.
    """
    slow = 0.25 * (left + width).clip(0.0, 2.0 * width) ** 2 / width
    return np.where(left < width, slow, left)


def _laid(
    base: Motion, over: Motion, rig: Rig, joints: tuple[int, ...], shown: _Shown
) -> Callable[[Array], Array]:
    """What gives local rotations ``(T, J, 4)`` for shares ``(T,)`` of the part."""
    lent = over.sample(shown.frames)
    spine = [joint for joint in bending_spine(rig, base, lent) if joint in joints]
    return partial(_layered, base, lent, carried_trunk(base, lent, spine), joints)


def _calmest(
    base: Motion,
    over: Motion,
    shown: _Shown,
    lay: Callable[[_Shown], Callable[[Array], Array]],
    joints: tuple[int, ...],
    posed: int,
) -> tuple[_Shown, float, Callable[[Array], Array]]:
    """When a part is shown, seconds of its fades, and what lays it over the base.

    Fades are as short as they can be while no joint accelerates clearly harder than in the clips.
    Those that do not fit into the part begin before it or end behind it. If all are too hard, it
    is the one in which joints accelerate least.

    Parameters
    ----------
    base, over
        The clips.
    shown
        When the part is there.
    lay
        For such a timing what gives local rotations ``(T, J, 4)`` for shares ``(T,)`` of the part.
    joints
        Of the part.
    posed
        Frames of a T-pose in front of the base.
    """
    laid = lay(shown)
    best = shown, 0.0, laid
    if not (shown.comes or shown.goes):
        return best
    part = list(joints)
    own = np.max([_accelerations(m, part).max(axis=0) for m in (base[posed:], over)], axis=0)
    own = np.maximum(own, STILL * unit_length(base.skeleton) / base.fps**2)
    least, room = np.inf, shown.room / base.fps
    for seconds in sorted({*_EASES, min(room, _EASES[-1])}):
        wide = shown.widened(seconds * base.fps)
        if wide is not shown:
            if least <= _NEARLY:
                break
            laid = lay(wide)
        share = wide.share(seconds * base.fps)
        share[:posed] = 0.0
        # What the layer does where it is there alone does not depend on the fade.
        fading = (share > 0.0) & (share < 1.0)
        hardest = _accelerations(replace(base, rotations=laid(share)), part)[fading] / own
        if hardest.max(initial=0.0) < least:
            least, best = float(hardest.max(initial=0.0)), (wide, seconds, laid)
        if least <= _CALM:
            break
    return best


def _accelerations(motion: Motion, joints: list[int]) -> Array:
    """How much ``(T, J)`` some joints change their velocity at every frame; 0 at both ends."""
    second = np.diff(motion.positions()[:, joints], 2, axis=0)
    return np.pad(np.linalg.norm(second, axis=-1), ((1, 1), (0, 0)))


def _from(base: Motion, over: Motion, start: float) -> _Shown:
    frames = np.arange(len(base)) - start
    last = min(start + len(over) - 1.0, len(base) - 1.0)
    return _Shown(
        frames.clip(0.0, len(over) - 1.0), start, last, start > 0.0, last < len(base) - 1.0
    )


def _in_step(base: Motion, over: Motion) -> _Shown:
    curve = register(base, over)
    if curve.cyclic:
        # A curve of one cycle says nothing of the clips' other frames.
        curve = register(base, over, ends="free")
    timewarp = curve.timewarp
    first, last = (float(timewarp.frames(u)[0]) for u in (timewarp.start, timewarp.end))
    inside = np.arange(len(base), dtype=np.float64).clip(first, last)
    shown = timewarp.frames(timewarp.parameter(0, inside))[:, 1]
    # A frame or two missing at an end of the registration need no fade.
    comes, goes = first >= 2.0, last <= len(base) - 3.0
    return _Shown(shown.clip(0.0, len(over) - 1.0), first, last, comes, goes)


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


def _layered(
    base: Motion, lent: Motion, trunk: dict[int, Array], joints: tuple[int, ...], share: Array
) -> Array:
    """Local rotations ``(T, J, 4)`` with a part of another clip's, ``share`` ``(T,)`` of it.

    The orientations ``(T, 4)`` of its ``trunk`` are given.
    """
    local = np.array(base.rotations)
    new = np.array(base.orientations())
    for joint in joints:
        parent = int(base.skeleton.parents[joint])
        inside = lent.rotations[:, joint]
        if joint in trunk:
            inside = rotations.multiply(rotations.inverse(new[:, parent]), trunk[joint])
        blended = part_of_the_way(local[:, joint], inside, share)
        local[:, joint] = np.where(share[:, None] == 0.0, local[:, joint], blended)
        new[:, joint] = rotations.multiply(new[:, parent], local[:, joint])
    return local


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
