"""``warp``: a clip reshaped by keys, and by time keys."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from motionweave.body.ground import Ground
from motionweave.body.normalize.pelvis import at_pelvis
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.parts import part_joints
from motionweave.body.rig.roles import leg_length
from motionweave.body.soles import contact_points, has_feet
from motionweave.contacts.detect import estimate_floor
from motionweave.contacts.floors import ground_under
from motionweave.core.arguments import check_arguments
from motionweave.core.checks import check_choice
from motionweave.core.concatenation import concatenate
from motionweave.core.constraints import FOOT_KINDS, HAND_KINDS
from motionweave.core.motion import Motion, checked
from motionweave.errors import QualityWarning, RigError, WarpError
from motionweave.methods.finish import finish
from motionweave.methods.warping.keys import Key, ease_pair
from motionweave.methods.warping.moments import NO_CONTACTS
from motionweave.methods.warping.targets import WarpClip
from motionweave.methods.warping.time import (
    TimeCurve,
    TimeKeys,
    output_frames,
    retime,
    retime_parts,
    time_curve,
    time_pairs,
)
from motionweave.methods.warping.turns import WarpShape
from motionweave.methods.warping.values import warp_values

Hold = Literal[False, True, "before", "after", "both"]
EulerOrder = Literal[
    "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ"
]
_HELD = {
    False: (False, False),
    True: (True, True),
    "both": (True, True),
    "before": (True, False),
    "after": (False, True),
}
# Keys change the clip on purpose: a joint may accelerate by this much more than the check allows,
# twice as hard as in the clip, before there is a warning.
_LIVELY = 4.0 / 3.0
# Leg lengths by which a foot may be deeper in given ground than in the clip's floor: 3 cm on a body
# of 1.7 m.
_BURIED = 0.036
# The default order of angles in the paper's form.
_PUBLISHED: EulerOrder = "ZYX"


def warp(
    motion: Motion,
    keys: Key | Iterable[Key] = (),
    time_keys: TimeKeys | None = None,
    *,
    hold: Hold = False,
    ease: float | tuple[float, float] = 0.8,
    tension: float = 0.0,
    euler: EulerOrder | None = None,
    follow: bool = False,
    monotone: bool = False,
    part_times: Mapping[str, TimeKeys] | None = None,
    release: Sequence[str] = (),
    ground: Ground | None = None,
    clean: bool = True,
    paper: bool = False,
) -> Motion:
    """Reshape a clip with a few keys while keeping its fine detail (Witkin & Popović 1995).

    Parameters
    ----------
    motion
        The clip.
    keys
        What should change at which frames: one `Key` or several. Between keys the change follows a
        Cardinal spline; before the first and after the last key of a curve nothing changes, except
        during the ``ease``.
    time_keys
        Pairs (output frame, source frame), or a mapping; see `time_curve`. Keys are
        placed in the source's time.
    hold
        Apply the first key's change from the start (``"before"``), the last key's to the end
        (``"after"``), or both (True).
    ease
        Seconds over which a change fades in before the first key and out after the last, one number
        or (before, after).
    tension
        Of the Cardinal splines, 0 to 1.
    euler
        A rotation order such as ``"ZYX"`` warps the curves of these Euler angles, as in the paper;
        the default warps quaternions, which have no gimbal lock.
    follow
        Turn the body to face along the path where position keys bend it.
    monotone
        Keep time from running backwards where the spline would overshoot its keys.
    part_times
        Separate time keys for parts of the body: ``"upper"``, ``"lower"``, ``"spine"``, or a joint
        by name or role with everything below it.
    release
        Kinds of contact that no longer apply, such as ``"left_heel"`` on tiptoe.
    ground
        What the feet should stand on from the first frame to the last, such as ``Ground.slope(8)``:
        every stance is put onto it, steps are moved away from edges and made as long as treads, and
        the body follows.
    clean
        Whether feet stay planted when keys move the body above them (keys of the root and the hips,
        and goals), are re-planted where a path or keys of the leg take them, and scaled knees keep
        bending the right way. If a path leads the body away from planted feet, they take extra
        steps. Other frames are unchanged, bit for bit: use `clean_feet` for faults of the clip
        itself. Keys on legs alone are applied literally. False never touches the legs: every curve
        is exactly as warped.
    paper
        The published form and settings: Euler angles in the order ``"ZYX"`` unless
        ``euler`` says otherwise, and ``clean=False``.

    Returns
    -------
    Motion
        The warped motion with its contacts; a T-pose in front stays as it is. Keys are met
        exactly; a `QualityWarning` says which one is not, what it gave way to and by how much, and
        in what respect the result is worse than the clip.

    Raises
    ------
    WarpError
        If a key or an option makes no sense, or the clip has no such moment.
    RigError
        If the skeleton has no such joint.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk = mw.sample("walk")
    >>> stooped = mw.warp(walk, mw.Key(0, "spine", turn=(25, 0, 0)), hold=True)
    >>> slower = mw.warp(walk, time_keys={0: 0, 184: 92})
    >>> len(slower)
    185
    """
    if isinstance(keys, str | Path):
        raise WarpError(f"keys={str(keys)!r}: apply a file with mw.load_warp(file).apply(motion)")
    check_arguments(warp, locals(), WarpError)
    motion = at_pelvis(checked(motion))
    given = _checked_keys(keys)
    # A T-pose in front is not part of the motion: it stays in front of it as it is.
    whole, posed = motion, tpose_frames(motion)
    tpose = motion[:posed] if posed else None
    if tpose is not None:
        motion = motion[posed:]
        time_keys = None if time_keys is None else _times_later(time_keys, posed)
        part_times = {name: _times_later(k, posed) for name, k in (part_times or {}).items()}
    check_choice(hold, Hold, "hold", WarpError)
    if euler is not None:
        check_choice(euler, EulerOrder, "euler", WarpError)
    kinds = _checked_release(release)
    if paper:
        euler, clean = euler or _PUBLISHED, False
    shape = WarpShape(ease_pair(ease), _HELD[hold], _checked_tension(tension), euler)
    clip = WarpClip(motion, first=len(whole) - len(motion))
    _check_ground(ground, clip.motion, clean)
    result = warp_values(
        clip, given, shape, follow_path=follow, release=kinds, clean=clean, ground=ground
    )
    times = None
    if time_keys is not None:
        times = time_curve(time_keys, len(motion), tension, monotone)
    if kinds:
        result = result.with_constraints(c for c in result.constraints if c.kind not in kinds)
    if result is not clip.motion:
        # Feet were kept above, and those on stairs are not on the clip's floor. Time comes after
        # the check: a clip that is sped up accelerates more. A clip that is slowed down may be
        # livelier before.
        slower = 1.0 if times is None else _slower(times, len(motion))
        stepped = result.constraints != clip.motion.constraints and not kinds
        climbs = ground is not None or any(k.joint in ("height", "position") for k in given)
        finish(
            result if tpose is None else concatenate([tpose, result]),
            [whole],
            clean=clean,
            plant=lambda kept: kept,
            meant=(
                *(("slide", "floor") if climbs else ()),
                *(("acceleration", "twist", "speed") if stepped else ()),
            ),
            lively=_LIVELY * slower,
        ).reported(advice="give the keys more time to ease in and out, or change less")
        if ground is not None:
            _tell_buried(result, clip, ground)
    result = _warp_time(result, times, part_times, tension, monotone)
    return result if tpose is None else concatenate([tpose, result])


def _checked_keys(keys: Key | Iterable[Key]) -> list[Key]:
    if isinstance(keys, Key):
        return [keys]
    if not isinstance(keys, Iterable):
        raise WarpError(f"keys: expected a Key or several, got {keys!r}")
    given = list(keys)
    for key in given:
        if not isinstance(key, Key):
            raise WarpError(f"keys: expected Key objects, got {key!r}")
    return given


# Time


def _times_later(keys: TimeKeys, first: int) -> list[tuple[float, float]]:
    """Time keys at frames of a clip, at those of the same clip from its frame ``first`` on."""
    pairs = [(max(to - first, 0.0), max(at - first, 0.0)) for to, at in time_pairs(keys)]
    return list(dict.fromkeys(pairs))


def _slower(times: TimeCurve, count: int) -> float:
    """The factor by which a clip is slowed down as a whole, at least one."""
    fastest = float(np.abs(np.diff(output_frames(times, count))).max(initial=0.0))
    return max(1.0, 1.0 / fastest) if fastest > 0.0 else 1.0


_KINDS_OF_PART = {"hand": ("hand",), "ankle": ("heel", "toe")}


def _warp_time(
    motion: Motion,
    times: TimeCurve | None,
    part_times: Mapping[str, TimeKeys] | None,
    tension: float,
    monotone: bool,
) -> Motion:
    if part_times is not None and not isinstance(part_times, Mapping):
        raise WarpError(f"part_times: expected time keys by part, got {part_times!r}")
    result = motion
    if times is not None:
        result = retime(motion, times)
    if not part_times:
        return result
    clip = WarpClip(motion)
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


def _check_ground(ground: Ground | None, motion: Motion, clean: bool) -> None:
    if ground is None:
        return
    if not isinstance(ground, Ground):
        raise WarpError(f"ground {ground!r}: expected a Ground, such as Ground.slope(8)")
    if not clean:
        raise WarpError("ground needs clean=True; without it, the legs are never moved")
    if not has_feet(motion.skeleton):
        raise RigError("the legs of the skeleton were not recognised: feet cannot be put on ground")
    if not any(c.kind in FOOT_KINDS for c in motion.constraints):
        raise WarpError(f"ground needs foot contacts, and the clip has none; {NO_CONTACTS}")


def _tell_buried(result: Motion, clip: WarpClip, ground: Ground) -> None:
    """Warn about a foot that is deeper in the ground than it ever is in the clip's floor."""
    before = clip.motion
    floor, own = ground_under(ground, before), estimate_floor(before)
    was = [own.above(points).min() for points in contact_points(before).values()]
    soles = contact_points(result, like=before)
    now = {kind: floor.above(points) for kind, points in soles.items()}
    kind = min(now, key=lambda one: float(now[one].min()))
    depth = (min(was) - float(now[kind].min())) / leg_length(before.skeleton)
    if depth > _BURIED:
        frame = clip.first + int(now[kind].argmin())
        warnings.warn(
            f"the {kind.replace('_', ' ')} is {depth:.1%} of a leg length deeper in the ground at "
            f"frame {frame} than in the clip's floor; give ground that suits its steps",
            QualityWarning,
            stacklevel=3,
        )


def _checked_tension(tension: float) -> float:
    if not isinstance(tension, int | float) or not 0.0 <= tension <= 1.0:
        raise WarpError(f"tension {tension!r}: expected a number from 0 to 1")
    return float(tension)


def _checked_release(release: Sequence[str]) -> tuple[str, ...]:
    known = FOOT_KINDS + HAND_KINDS
    kinds = (release,) if isinstance(release, str) else tuple(release)
    for kind in kinds:
        if kind not in known:
            raise WarpError(f"release {kind!r}: expected kinds of contact: {', '.join(known)}")
    return kinds
