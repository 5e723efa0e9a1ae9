"""The same motion on rigs that are laid out differently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from motionweave import Motion, Skeleton, find_rig
from motionweave.core import rotations
from motionweave.core.arrays import Array

LIMBS = ("thigh", "shin", "ankle", "toe", "shoulder", "upper_arm", "forearm", "hand")


def _names(centre: str, limbs: str, left: str, right: str) -> dict[str, str]:
    """Role to name; ``{}`` in the limbs' names and in the sides' words stand for each other."""
    found = dict(zip(("hips", "chest", "neck", "head"), centre.split(","), strict=True))
    for side, word in (("left", left), ("right", right)):
        for role, name in zip(LIMBS, limbs.split(","), strict=True):
            found[f"{side}_{role}"] = name.replace("{}", word)
    return found


CONVENTIONS: Mapping[str, Mapping[str, str]] = {
    "mixamo": _names(
        "mixamorig7:Hips,mixamorig7:Spine2,mixamorig7:Neck,mixamorig7:Head",
        "mixamorig7:{}UpLeg,mixamorig7:{}Leg,mixamorig7:{}Foot,mixamorig7:{}ToeBase,"
        "mixamorig7:{}Shoulder,mixamorig7:{}Arm,mixamorig7:{}ForeArm,mixamorig7:{}Hand",
        "Left",
        "Right",
    ),
    "biped": _names(
        "Bip01 Pelvis,Bip01 Spine2,Bip01 Neck,Bip01 Head",
        "Bip01 {} Thigh,Bip01 {} Calf,Bip01 {} Foot,Bip01 {} Toe0,"
        "Bip01 {} Clavicle,Bip01 {} UpperArm,Bip01 {} Forearm,Bip01 {} Hand",
        "L",
        "R",
    ),
    "unreal": _names(
        "pelvis,spine_03,neck_01,head",
        "thigh_{},calf_{},foot_{},ball_{},clavicle_{},upperarm_{},lowerarm_{},hand_{}",
        "l",
        "r",
    ),
    "acclaim": _names(
        "root,thorax,lowerneck,head",
        "{}femur,{}tibia,{}foot,{}toes,{}clavicle,{}humerus,{}radius,{}hand",
        "l",
        "r",
    ),
    "bandai": _names(
        "Hips,Chest,Neck,Head",
        "UpperLeg_{},LowerLeg_{},Foot_{},Toes_{},Shoulder_{},UpperArm_{},LowerArm_{},Hand_{}",
        "L",
        "R",
    ),
    "smpl": _names(
        "Pelvis,Spine3,Neck,Head",
        "{}_Hip,{}_Knee,{}_Ankle,{}_Foot,{}_Collar,{}_Shoulder,{}_Elbow,{}_Wrist",
        "L",
        "R",
    ),
    "character": _names(
        "Character1_Hips,Character1_Spine2,Character1_Neck,Character1_Head",
        "Character1_{}UpLeg,Character1_{}Leg,Character1_{}Foot,Character1_{}ToeBase,"
        "Character1_{}Shoulder,Character1_{}Arm,Character1_{}ForeArm,Character1_{}Hand",
        "Left",
        "Right",
    ),
    "vrm": _names(
        "J_Bip_C_Hips,J_Bip_C_UpperChest,J_Bip_C_Neck,J_Bip_C_Head",
        "J_Bip_{}_UpperLeg,J_Bip_{}_LowerLeg,J_Bip_{}_Foot,J_Bip_{}_ToeBase,"
        "J_Bip_{}_Shoulder,J_Bip_{}_UpperArm,J_Bip_{}_LowerArm,J_Bip_{}_Hand",
        "L",
        "R",
    ),
}


def renamed(motion: Motion, convention: str) -> Motion:
    """The motion with the joints that have roles named as a convention names them."""
    given = CONVENTIONS[convention]
    roles = {joint: role for role, joint in find_rig(motion.skeleton).roles.items()}
    names = tuple(
        given[roles[j]] if j in roles else name for j, name in enumerate(motion.skeleton.names)
    )
    return replace(motion, skeleton=replace(motion.skeleton, names=names))


def reordered(motion: Motion, seed: int) -> Motion:
    """The motion with its joints in another order, parents before children."""
    rng = np.random.default_rng(seed)
    skeleton = motion.skeleton
    order, ready = [], [0]
    while ready:
        order.append(ready.pop(int(rng.integers(len(ready)))))
        ready.extend(skeleton.children[order[-1]])
    return _taken(motion, order, {})


def with_helpers(motion: Motion) -> Motion:
    """The motion with joints more: one inside the spine, others at the ends of limbs."""
    rig = find_rig(motion.skeleton)
    first = rig.spine[0]
    order: list[int | tuple[str, int]] = []
    for joint in range(len(motion.skeleton)):
        if joint == first:
            order.append(("ToSpine", int(motion.skeleton.parents[joint])))
        order.append(joint)
        for role, name in (("head", "Eye"), ("left_hand", "Sword_Prop"), ("hips", "Tail1")):
            if rig.roles[role] == joint:
                order.append((name, joint))
    return _taken(motion, order, {first: "ToSpine"})


def _taken(
    motion: Motion, order: list[int] | list[int | tuple[str, int]], moved: Mapping[int, str]
) -> Motion:
    """Joints in an order; a name and a parent stand for a new joint at the parent's place."""
    skeleton, count = motion.skeleton, len(order)
    place = {(each if isinstance(each, int) else each[0]): i for i, each in enumerate(order)}
    parents, names = np.full(count, -1), []
    offsets, quats = np.zeros((count, 3)), np.tile(rotations.IDENTITY, (len(motion), count, 1))
    for i, each in enumerate(order):
        if isinstance(each, int):
            names.append(skeleton.names[each])
            above = moved.get(each, int(skeleton.parents[each]))
            parents[i] = -1 if above == -1 else place[above]
            offsets[i], quats[:, i] = skeleton.offsets[each], motion.rotations[:, each]
        else:
            names.append(each[0])
            parents[i] = place[each[1]]
    ends = np.array([place[int(j)] for j in skeleton.end_parents], dtype=np.intp)
    return replace(
        motion,
        skeleton=Skeleton(tuple(names), parents, offsets, ends, skeleton.end_offsets),
        rotations=quats,
    )


def scrambled(motion: Motion, seed: int) -> Motion:
    """The same motion in the world, of joints with random axes, and so with a random zero pose."""
    rng = np.random.default_rng(seed)
    skeleton = motion.skeleton
    turns: Array = rotations.normalize(rng.normal(size=(len(skeleton), 4)))
    above = turns[skeleton.parents[1:]]
    offsets, quats = np.array(skeleton.offsets), np.array(motion.rotations)
    offsets[1:] = rotations.rotate(rotations.inverse(above), offsets[1:])
    quats[:, 0] = rotations.multiply(quats[:, 0], turns[0])
    inner = rotations.multiply(rotations.inverse(above), motion.rotations[:, 1:])
    quats[:, 1:] = rotations.multiply(inner, turns[1:])
    ends = rotations.rotate(rotations.inverse(turns[skeleton.end_parents]), skeleton.end_offsets)
    turned = replace(skeleton, offsets=offsets, end_offsets=ends)
    return replace(motion, skeleton=turned, rotations=quats)


def split(motion: Motion) -> Motion:
    """The motion on a body in which a joint of its own holds the offset of every other, as
    converters of FBX files write it: the joints themselves have none."""
    skeleton = motion.skeleton
    count = len(skeleton)
    names = tuple(
        name for joint in skeleton.names for name in (f"{joint}_$Fbx$_Translation", joint)
    )
    parents = np.empty(2 * count, dtype=np.intp)
    parents[0::2] = np.where(skeleton.parents < 0, -1, 2 * skeleton.parents + 1)
    parents[1::2] = 2 * np.arange(count)
    offsets = np.zeros((2 * count, 3))
    offsets[0::2] = skeleton.offsets
    turns = np.tile(rotations.IDENTITY, (len(motion), 2 * count, 1))
    turns[:, 1::2] = motion.rotations
    tree = Skeleton(
        names, parents, offsets, 2 * skeleton.end_parents + 1, np.array(skeleton.end_offsets)
    )
    return replace(motion, skeleton=tree, rotations=turns)


FINGERS: Mapping[str, tuple[str, ...]] = {
    # Thumb first; {} is the side, then the bones from the palm outwards.
    "mixamo": tuple(f"{{}}Hand{f}" for f in ("Thumb", "Index", "Middle", "Ring", "Pinky")),
    "numbered": tuple(f"{{}}Finger{f}" for f in range(1, 6)),
    "biped": tuple(f"Bip01 {{}} Finger{f}" for f in range(5)),
    "unity": tuple(f"{{}}{f}" for f in ("Thumb", "Index", "Middle", "Ring", "Little")),
}


def with_fingers(motion: Motion, convention: str) -> Motion:
    """The motion of a body with hands: fingers, each of three joints, that close over time."""
    rig = find_rig(motion.skeleton)
    skeleton, count = motion.skeleton, len(motion)
    names, parents = list(skeleton.names), [int(parent) for parent in skeleton.parents]
    offsets = [*np.array(skeleton.offsets)]
    quats = [motion.rotations[:, j] for j in range(len(skeleton))]
    ends, end_offsets = [*skeleton.end_parents], [*skeleton.end_offsets]
    closing = np.linspace(0.1, 1.2, count)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        hand, forearm = (rig.roles[f"{side}_{role}"] for role in ("hand", "forearm"))
        rest = skeleton.rest_positions
        along = (rest[hand] - rest[forearm]) / np.linalg.norm(rest[hand] - rest[forearm])
        row = np.cross(along, [0.0, 1.0, 0.0] if abs(along[1]) < 0.9 else [sign, 0.0, 0.0])
        row /= np.linalg.norm(row)
        bend = rotations.exp(closing[:, None] * row)
        for number, name in enumerate(FINGERS[convention]):
            above = hand
            first = 0.09 * along + (0.02 * (2.5 - number)) * row
            for bone in range(3):
                names.append(f"{name.format(side.capitalize())}{bone + 1}")
                parents.append(above)
                offsets.append(first if bone == 0 else 0.03 * along)
                quats.append(bend)
                above = len(names) - 1
            ends.append(above)
            end_offsets.append(0.02 * along)
    fingered = Skeleton(
        tuple(names), np.array(parents), np.array(offsets), np.array(ends), np.array(end_offsets)
    )
    return replace(motion, skeleton=fingered, rotations=np.stack(quats, axis=1))
