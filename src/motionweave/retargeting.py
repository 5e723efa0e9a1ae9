"""Motions put on another body, and clips of different bodies brought onto one.

`motionweave.body` gives the parts of one body the orientations of another's. Here the result is put
on its floor and its feet are planted, which needs contacts; and this is the one place where methods
bring clips together (`on_common_skeleton`). It is above `clips`, because a body can be given as a
file, and below everything that combines clips.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from motionweave.body import ik
from motionweave.body.floor import Floor
from motionweave.body.hinges import find_hinges
from motionweave.body.normalize.pelvis import at_pelvis
from motionweave.body.pose.posture import LEG_JOINTS
from motionweave.body.retarget.anatomical_frames import Body, BodyPair
from motionweave.body.retarget.correspondence import (
    Given,
    JointMapping,
    match,
    match_by_name,
    one_convention,
    same_body,
)
from motionweave.body.retarget.transfer import on_skeleton, size, transferred
from motionweave.body.rig.roles import SIDES, find_rig
from motionweave.body.soles import contact_points, has_feet
from motionweave.clips import load
from motionweave.contacts.clean.cleaner import ARM, Lead
from motionweave.contacts.clean.easing import eased
from motionweave.contacts.clean.footskate import lead_feet
from motionweave.contacts.clean.solve import FootWay, solve_limbs
from motionweave.contacts.detect import detect_contacts, estimate_floor
from motionweave.contacts.floors import on_one_floor
from motionweave.contacts.treadmill import warn_of_treadmills
from motionweave.core import concatenation, rotations
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.constraints import active
from motionweave.core.motion import Motion, all_checked
from motionweave.core.skeleton import Skeleton
from motionweave.errors import Kind, RetargetNotice, RigError

__all__ = ["common_skeleton", "concatenate", "joint_mapping", "on_common_skeleton", "retarget"]

# Seconds over which the hold on a foot passes from heel to toe.
_ROLL = 0.1


def retarget(
    motion: Motion,
    onto: Motion | Skeleton | str | Path,
    *,
    mapping: JointMapping | Given | str | Path | None = None,
    feet: bool = True,
    hands: bool = False,
) -> Motion:
    """The motion performed by another body.

    Every part of the body has the same orientation in the world as in the source, whatever the zero
    poses of the two rigs are. Travel and height are scaled by leg length, and planted feet
    stay planted, on the floor that the other body stands on.

    Parameters
    ----------
    motion
        What to perform.
    onto
        The target: a motion of that body, of which only the body is used; its file; or its skeleton
        alone, if its zero pose is upright.
    mapping
        Corrections of which joint follows which: target joint to source joint, or to None to keep
        it at rest, in a mapping or a JSON file; see `joint_mapping`. Other joints are mapped
        automatically.
    feet
        Whether feet follow the source's feet, scaled like travel, and planted ones stay planted. If
        False, the legs only point like the source's.
    hands
        Whether hands also follow the source's hands, scaled like travel: for clips that hold on to
        or lean on something.

    Returns
    -------
    Motion
        With the source's contacts, frame rate and name. Joints of the target without a counterpart
        stay at rest, those of the source without one are left out.

    Raises
    ------
    RigError
        If the bodies do not correspond, or the other body's joints cannot be understood from
        its skeleton alone.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk = mw.sample("walk")
    >>> child = mw.retarget(walk, walk.scaled(0.6).skeleton)
    >>> round(float(child.root[-1, 2] / walk.root[-1, 2]), 2)
    0.6
    """
    check_arguments(retarget, locals(), RigError)
    if isinstance(onto, str | Path):
        onto = load(onto, contacts=False)
    motion = at_pelvis(motion)
    onto = onto if isinstance(onto, Skeleton) else at_pelvis(onto)
    skeleton = onto if isinstance(onto, Skeleton) else onto.skeleton
    if skeleton == motion.skeleton and mapping is None:
        return motion
    if feet and has_feet(motion.skeleton) and not motion.constraints:
        motion = motion.with_constraints(detect_contacts(motion))
    if mapping is None and _same_rotations(motion.skeleton, skeleton):
        result, from_rest = on_skeleton(motion, skeleton), True
        if isinstance(onto, Motion):
            result = replace(result, source=onto.source, carrier=onto.carrier)
        scale = size(skeleton) / size(motion.skeleton)
    else:
        target = Body.at_rest(onto) if isinstance(onto, Skeleton) else Body(onto)
        bodies = BodyPair(Body(motion), target)
        _require_humans(motion, bodies)
        from_rest = bodies.from_rest
        if mapping is None:
            mapping = joint_mapping(motion.skeleton, skeleton)
        elif not isinstance(mapping, JointMapping):
            mapping = match(motion.skeleton, skeleton, mapping)
        result, scale = transferred(bodies, mapping)
    grounded = has_feet(motion.skeleton) and has_feet(skeleton)
    if not grounded:
        return result
    ours = estimate_floor(motion)
    level = scale * ours.height
    if isinstance(onto, Motion) and ours.slope == (0.0, 0.0):
        theirs = estimate_floor(onto)
        level = theirs.height if theirs.slope == (0.0, 0.0) else level
    lift = np.array([0.0, level - scale * ours.height, 0.0])
    result = replace(result, root=result.root + lift)
    if hands:
        result = _with_hands(result, motion, scale, lift)
    if feet:
        leads = _foot_leads(result, motion, scale, lift, from_rest)
        result = lead_feet(result, leads, Floor(level, ours.slope))
    return replace(result, rotations=rotations.unroll(result.rotations))


def joint_mapping(source: Motion | Skeleton, target: Motion | Skeleton) -> JointMapping:
    """Which joint of the source each joint of the target follows in retargeting.

    Parameters
    ----------
    source, target
        Bodies, or motions of them.

    Returns
    -------
    JointMapping
        Prints as a table that also lists what is left out; ``to_json()`` and ``save(path)``
        give what `retarget` takes as its ``mapping``.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk = mw.sample("walk")
    >>> mw.joint_mapping(walk, walk).to_json()["LeftFoot"]
    'LeftFoot'
    """
    check_arguments(joint_mapping, locals(), RigError)
    ours = source if isinstance(source, Skeleton) else source.skeleton
    theirs = target if isinstance(target, Skeleton) else target.skeleton
    return match_by_name(ours, theirs) if one_convention(ours, theirs) else match(ours, theirs)


def common_skeleton(motions: Sequence[Motion]) -> Skeleton:
    """The skeleton on which several motions can be combined: the first one's.

    Parameters
    ----------
    motions
        Clips of any bodies.

    Returns
    -------
    Skeleton
        The first clip's.

    Raises
    ------
    RigError
        If there is none because joints do not correspond; the message names the motion.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk, jog = mw.sample("walk"), mw.sample("jog")
    >>> mw.common_skeleton([walk, jog]) == walk.skeleton
    True
    """
    check_arguments(common_skeleton, locals(), RigError)
    if not motions:
        raise RigError("no motions were given, so they have no common skeleton")
    first, *others = (at_pelvis(motion) for motion in all_checked(motions))
    for motion in others:
        same = motion.skeleton == first.skeleton
        if not (same or _same_rotations(motion.skeleton, first.skeleton)):
            _require_humans(motion, BodyPair(Body(motion), Body(first)))
    return first.skeleton


def on_common_skeleton(
    motions: Sequence[Motion], skeleton: Skeleton | None = None
) -> tuple[Motion, ...]:
    """All motions on one skeleton, the given one or the first motion's, and on one floor.

    Clips of one convention are copied joint by joint, whatever the order, prefixes and additional
    joints of their rigs; clips of other rigs are retargeted.

    Parameters
    ----------
    motions
        Clips of any bodies.
    skeleton
        The body that performs them all.

    Returns
    -------
    tuple of Motion
        In the order given; a clip that is already on the skeleton is returned itself.

    Warns
    -----
    RetargetNotice
        If a clip of a different body was retargeted.
    QualityWarning
        If somebody walks in place in one clip and travels in another.

    Raises
    ------
    RigError
        If joints do not correspond; the message names the motion and lists them.

    Examples
    --------
    >>> import motionweave as mw
    >>> clips = mw.on_common_skeleton([mw.sample("walk"), mw.sample("jog").scaled(1.2)])
    >>> clips[0].skeleton == clips[1].skeleton
    True
    """
    check_arguments(on_common_skeleton, locals(), RigError)
    brought = brought_together(motions, skeleton)
    warn_of_treadmills(brought, stacklevel=3)
    return brought


def brought_together(
    motions: Sequence[Motion], skeleton: Skeleton | None = None
) -> tuple[Motion, ...]:
    """The same as `on_common_skeleton`, for clips of which only one leads the body."""
    return on_one_floor(_on_one_skeleton(_bodies(motions), skeleton))


def concatenate(motions: Sequence[Motion]) -> Motion:
    """Clips of one frame rate, one after another, otherwise unchanged.

    Parameters
    ----------
    motions
        The clips; those of other bodies are brought onto the first clip's skeleton.

    Returns
    -------
    Motion
        On the first clip's skeleton.

    Raises
    ------
    MotionError
        If there are no clips, or their frame rates differ.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk = mw.sample("walk")
    >>> len(mw.concatenate([walk, walk])) == 2 * len(walk)
    True
    """
    check_arguments(concatenate, locals())
    return concatenation.concatenate(_on_one_skeleton(_bodies(motions)))


def _bodies(motions: Sequence[Motion]) -> list[Motion]:
    return [at_pelvis(motion) for motion in all_checked(motions)]


def _on_one_skeleton(
    motions: Sequence[Motion], skeleton: Skeleton | None = None
) -> tuple[Motion, ...]:
    if skeleton is None:
        skeleton = common_skeleton(motions)
    onto = next((m for m in motions if m.skeleton == skeleton), skeleton)
    return tuple(_brought(motion, onto, skeleton) for motion in motions)


def _brought(motion: Motion, onto: Motion | Skeleton, skeleton: Skeleton) -> Motion:
    source = motion.skeleton
    if source == skeleton:
        return motion
    alike = one_convention(source, skeleton)
    if _same_rotations(source, skeleton) or (alike and source.same_joints(skeleton)):
        return on_skeleton(motion, skeleton)
    if not (alike or same_body(source, skeleton)):
        what = f"clip {motion.name!r}" if motion.name else "a clip"
        whose = ""
        if isinstance(onto, Motion) and onto.name:
            same = onto.name == motion.name
            whose = " to that of the other" if same else f" to that of {onto.name!r}"
        warnings.warn(
            f"{what} has a different skeleton and was retargeted{whose}",
            RetargetNotice,
            stacklevel=6,
        )
    return retarget(motion, onto)


def _same_rotations(source: Skeleton, target: Skeleton) -> bool:
    """Whether rotations can be copied: one convention and body, or nothing else to go by."""
    if all(find_rig(skeleton).has("hips", *LEG_JOINTS) for skeleton in (source, target)):
        return one_convention(source, target) and same_body(source, target)
    return source.same_joints(target) or one_convention(source, target)


def _require_humans(motion: Motion, bodies: BodyPair) -> None:
    """Refuse bodies that do not correspond by role."""
    for each, which in ((bodies.source, "its"), (bodies.target, "the target's")):
        if not each.rig.has("hips", *LEG_JOINTS):
            other = bodies.target.motion.skeleton
            how = motion.skeleton.difference(other, "the clip", "the target")
            called = f" (clip {motion.name!r})" if motion.name else ""
            why = f"{which} skeleton {each.rig.why_not_human()}"
            said = f"the bodies do not correspond{called}: {why}; {how}"
            raise RigError(said, kind=Kind.OTHER_BODY)


def _with_hands(result: Motion, motion: Motion, scale: float, lift: Array) -> Motion:
    """Hands moved to the source's, scaled, by bending the arms; they do not turn."""
    there = motion.positions()
    here, turned = result.forward()
    ours, theirs = find_rig(motion.skeleton), find_rig(result.skeleton)
    hinges = find_hinges(result)
    local = np.array(result.rotations)
    ways = []
    for side in SIDES:
        names = [f"{side}_{role}" for role in ARM]
        hinge = hinges.get(names[1])
        if hinge is None or not ours.has(*names):
            continue
        way = FootWay(
            ik.Limb(*(theirs.roles[name] for name in names)),
            rotations.rotate(turned[:, hinge.upper], hinge.axis),
            scale * there[:, ours.roles[names[-1]]] + lift,
            np.tile(rotations.IDENTITY, (len(result), 1)),
            np.ones(len(result)),
            exact=True,
        )
        ways.append(way)
    if ways:
        solve_limbs(result, here, turned, ways, np.zeros((len(result), 3)), local)
    return replace(result, rotations=local)


def _foot_leads(
    result: Motion, motion: Motion, scale: float, lift: Array, from_rest: bool
) -> dict[str, Lead]:
    """How feet must move to follow the source's, scaled; per side.

    A foot does not grow with the legs, so heel and toe cannot both do so. The middle of the
    foot does, and while only the heel or only the toe is planted that one does, at the
    place where it is when the foot is flat: so feet roll over their own length.
    """
    there, here = (contact_points(each, from_rest=from_rest) for each in (motion, result))
    spread = max(1, round(_ROLL * motion.fps))
    frames = np.arange(len(motion))
    leads = {}
    for side in SIDES:
        kinds = (f"{side}_heel", f"{side}_toe")
        on_heel, on_toe = (active(motion.constraints, kind, frames) for kind in kinds)
        lean = np.where(on_heel == on_toe, 0.0, np.where(on_toe, 0.5, -0.5))[:, None]
        lean = eased(lean, on_heel | on_toe, spread)
        touching = scale * np.stack([there[kind] for kind in kinds]) + lift
        new_heel, new_toe = (here[kind] for kind in kinds)
        foot, new_foot = touching[1] - touching[0], new_toe - new_heel
        longer = _length(new_foot) - _length(foot)
        level = new_foot * np.array([1.0, 0.0, 1.0])
        along = level / np.maximum(_length(level), 1e-9 * _length(new_foot))
        goal = touching.mean(axis=0) + lean * foot + lean * longer * along
        leads[side] = Lead(goal - (0.5 * (new_heel + new_toe) + lean * new_foot), touching)
    return leads


def _length(vectors: Array) -> Array:
    return np.asarray(np.linalg.norm(vectors, axis=-1, keepdims=True))
