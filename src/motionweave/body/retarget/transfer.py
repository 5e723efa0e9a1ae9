"""Motions of one body put on another: rotations, travel, and nothing about floors or contacts.

Between skeletons of one convention rotations are copied, with limbs turned back to where they
pointed if their rest poses differ (`on_skeleton`). Between bodies of different rigs every body part
gets the world orientation that it has in the source (`transferred`), whatever the zero poses mean;
see `anatomical_frames`. In both cases travel is scaled by leg length, so that steps fit strides.
Planting feet is for `motionweave.retargeting`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from motionweave.body.pose.posture import LEG_JOINTS
from motionweave.body.retarget.anatomical_frames import BodyPair
from motionweave.body.retarget.correspondence import JointMapping, match_by_name
from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.body.size import body_height
from motionweave.body.soles import soles
from motionweave.core import rotations
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton
from motionweave.errors import RigError

# Limbs whose rest poses differ by less count as equal: bodies differ by that much.
_ALIKE = np.radians(3.0)
_LIMB_BONES = (("thigh", "shin"), ("shin", "ankle"), ("upper_arm", "forearm"), ("forearm", "hand"))
# Joints whose translations leave their offsets by less than this share of a leg do not slide.
_SLIDING = 0.01


def on_skeleton(motion: Motion, skeleton: Skeleton) -> Motion:
    """The motion performed by another character of the same convention.

    Joints are matched by role and name, in any order. Joints that only the motion has are left out,
    and their rotation passes to the joints below them; those that only the skeleton has stay at
    rest. See `one_convention` for when that is right.

    Parameters
    ----------
    motion
        What to perform.
    skeleton
        The target: joints of the same meaning, any bone lengths.

    Returns
    -------
    Motion
        The motion itself if the skeleton is its own.

    Raises
    ------
    RigError
        If one of the skeletons has zero size.

    Examples
    --------
    >>> import motionweave as mw
    >>> walk = mw.sample("walk")
    >>> child = walk.scaled(0.6).skeleton
    >>> mw.on_skeleton(walk, child).skeleton == child
    True
    """
    check_arguments(on_skeleton, locals(), RigError)
    source = motion.skeleton
    if skeleton == source:
        return motion
    scale = size(skeleton) / size(source)
    if not skeleton.same_joints(source):
        motion = _matched(motion, skeleton)
    moves = motion.translations
    return replace(
        motion,
        skeleton=skeleton,
        root=motion.root * scale,
        rotations=_turned_limbs(motion, skeleton),
        translations=None
        if moves is None
        else skeleton.offsets + (moves - motion.skeleton.offsets) * scale,
    )


def transferred(bodies: BodyPair, mapping: JointMapping) -> tuple[Motion, float]:
    """A body's motion performed by another body, part by part as it is turned in the world.

    Parameters
    ----------
    bodies
        The source body and the target body.
    mapping
        Which joints of the target follow which of the source.

    Returns
    -------
    The motion, and the factor by which lengths are scaled. The middle of the hips follows the
    source's, scaled by leg length and with room for the height of the feet.
    """
    body, onto = bodies.source, bodies.target
    source, target = body.motion, onto.motion.skeleton
    ours, theirs = bodies.frames()
    positions, orientations = source.forward()
    turned = np.empty((len(source), len(target), 4))
    back = rotations.inverse(theirs)
    for joint in range(len(target)):
        parent = int(target.parents[joint])
        pair = mapping.pairs.get(joint)
        if pair is not None:
            world = rotations.multiply(orientations[:, pair.joint], ours[pair.joint])
            if pair.next != pair.joint:
                end = rotations.multiply(orientations[:, pair.next], ours[pair.next])
                world = rotations.slerp(world, end, pair.share)
            turned[:, joint] = rotations.multiply(world, back[joint])
        elif parent < 0:
            turned[:, joint] = rotations.IDENTITY
        else:
            turned[:, joint] = turned[:, parent]
    local = _local(turned, target)
    scale = size(target) / size(source.skeleton)
    result = replace(
        source,
        skeleton=target,
        root=_placed_root(bodies, positions, turned, scale),
        rotations=local,
        translations=_stretched(source, mapping),
        # The layout of the source's file does not apply to this skeleton.
        source=onto.motion.source,
        carrier=onto.motion.carrier,
    )
    return result, scale


def _local(turned: Array, skeleton: Skeleton) -> Array:
    """Local rotations ``(T, J, 4)`` of global ones, with signs that do not jump."""
    local = np.array(turned)
    above = rotations.inverse(turned[:, skeleton.parents[1:]])
    local[:, 1:] = rotations.multiply(above, turned[:, 1:])
    return rotations.unroll(rotations.normalize(local))


def _placed_root(bodies: BodyPair, positions: Array, turned: Array, scale: float) -> Array:
    """Root positions ``(T, 3)`` that put the middle of the hips where the source's is, scaled."""
    body, onto = bodies.source, bodies.target
    target = onto.motion.skeleton
    if not (body.rig.has(*LEG_JOINTS) and onto.rig.has(*LEG_JOINTS)):
        hips, goal = body.rig.roles.get("hips", 0), onto.rig.roles.get("hips", 0)
        return np.asarray(scale * positions[:, hips] - _reached(target, turned, goal))
    thighs = [body.rig.roles[f"{side}_thigh"] for side in SIDES]
    middle = scale * positions[:, thighs].mean(axis=1)
    # Feet do not scale with the legs: the ankles keep their height.
    ours, theirs = (_ankle_height(each.motion, bodies.from_rest) for each in (body, onto))
    middle[:, 1] += theirs - scale * ours
    reach = np.mean([_reached(target, turned, onto.rig.roles[f"{s}_thigh"]) for s in SIDES], axis=0)
    return np.asarray(middle - reach)


def _reached(skeleton: Skeleton, turned: Array, joint: int) -> Array:
    """Where a joint is from the root ``(T, 3)``, its ancestors turned by ``(T, J, 4)``."""
    away = np.zeros((len(turned), 3))
    for below in skeleton.chain(0, joint)[1:]:
        away += rotations.rotate(turned[:, skeleton.parents[below]], skeleton.offsets[below])
    return away


def _ankle_height(motion: Motion, from_rest: bool) -> float:
    """Height of the ankles over the soles of flat feet."""
    return float(np.mean([np.linalg.norm(sole.heel) for sole in soles(motion, from_rest).values()]))


def _stretched(source: Motion, mapping: JointMapping) -> Array | None:
    """Local translations of the target ``(T, J, 3)`` whose bones get longer as the source's do.

    None unless the source's joints really slide: many files repeat the offsets in each frame.
    """
    if source.translations is None:
        return None
    target, offsets = mapping.target, source.skeleton.offsets
    usual = np.median(source.translations, axis=0)
    slide = np.linalg.norm(source.translations - usual, axis=-1)[:, 1:]
    if slide.size == 0 or slide.max() < _SLIDING * size(source.skeleton):
        return None
    moves = np.array(
        np.broadcast_to(target.offsets, (len(source), len(target), 3)), dtype=np.float64
    )
    lengths = np.linalg.norm(source.translations, axis=-1)
    for joint, pair in mapping.pairs.items():
        own = float(np.linalg.norm(usual[pair.joint]))
        if joint and pair.joint == pair.next and own > 1e-6 * np.linalg.norm(offsets):
            moves[:, joint] *= (lengths[:, pair.joint] / own)[:, None]
    return moves


def _matched(motion: Motion, skeleton: Skeleton) -> Motion:
    """The motion with the joints of another skeleton of its convention, and its own bones."""
    source = motion.skeleton
    pairs = match_by_name(source, skeleton).pairs
    positions, orientations = motion.forward()
    turned = np.empty((len(motion), len(skeleton), 4))
    offsets = np.array(skeleton.offsets)
    slides = np.zeros((len(motion), len(skeleton), 3))
    scale = size(source) / size(skeleton)
    for joint in range(len(skeleton)):
        parent = int(skeleton.parents[joint])
        pair = pairs.get(joint)
        if pair is None:
            turned[:, joint] = rotations.IDENTITY if parent < 0 else turned[:, parent]
            offsets[joint] *= scale
            continue
        turned[:, joint] = orientations[:, pair.joint]
        above = pairs.get(parent)
        if above is None:
            offsets[joint] *= scale
            continue
        offsets[joint] = source.rest_positions[pair.joint] - source.rest_positions[above.joint]
        if motion.translations is not None:
            away = positions[:, pair.joint] - positions[:, above.joint]
            local = rotations.rotate(rotations.inverse(orientations[:, above.joint]), away)
            slides[:, joint] = local - offsets[joint]
    return replace(
        motion,
        skeleton=replace(skeleton, offsets=offsets),
        root=positions[:, pairs[0].joint] if 0 in pairs else motion.root,
        rotations=_local(turned, skeleton),
        translations=None if motion.translations is None else offsets + slides,
        source={},
        carrier=None,
    )


def size(skeleton: Skeleton) -> float:
    """Leg length, or the height of a rig without legs."""
    rig = find_rig(skeleton)
    if rig.has("left_thigh", "left_ankle", "right_thigh", "right_ankle"):
        return leg_length(skeleton, rig)
    height = body_height(skeleton)
    if height <= 0.0:
        raise RigError("a skeleton of zero size cannot perform a motion")
    return height


def _turned_limbs(motion: Motion, skeleton: Skeleton) -> Array:
    """Local rotations ``(T, J, 4)`` under which limbs point where they do in the motion."""
    source = motion.skeleton
    rig = find_rig(source)
    turns: dict[int, Array] = {}
    for side in SIDES:
        for upper, lower in _LIMB_BONES:
            if not rig.has(f"{side}_{upper}", f"{side}_{lower}"):
                continue
            joint, end = rig.roles[f"{side}_{upper}"], rig.roles[f"{side}_{lower}"]
            there = skeleton.rest_positions[end] - skeleton.rest_positions[joint]
            here = source.rest_positions[end] - source.rest_positions[joint]
            if not (np.any(there) and np.any(here)):
                continue
            turn = rotations.between_vectors(there, here)
            if rotations.angle_between(turn, rotations.IDENTITY) > _ALIKE:
                turns[joint] = turn
    if not turns:
        return motion.rotations
    local = np.array(motion.rotations)
    for joint, parent in enumerate(source.parents):
        # A joint turned by `turn` in its own frame turns its children, too: undo that.
        if int(parent) in turns:
            local[:, joint] = rotations.multiply(
                rotations.inverse(turns[int(parent)]), local[:, joint]
            )
        if joint in turns:
            local[:, joint] = rotations.multiply(local[:, joint], turns[joint])
    return local
