"""VRM animation (``.vrma``): a glTF file whose joints are named by what they are in a body.

Written are the joints of the humanoid whose roles are known, in a T-pose at rest as the format
demands, with their rotations and the travel of the hips. Read are the joints that the file says
are the humanoid's; they get the names that the format gives them, so that roles are known.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from motionweave.body.normalize.pelvis import at_pelvis
from motionweave.body.rig.fingers import FINGERS, fingers_of
from motionweave.body.rig.roles import SIDES, Rig, find_rig
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton
from motionweave.errors import RigError
from motionweave.io.gltf.container import GltfWriter, open_gltf
from motionweave.io.gltf.format import motion_in, write_animation
from motionweave.io.gltf.nodes import Tree, connected, read_animation
from motionweave.io.registry import Format
from motionweave.io.scene.units import metres_a_unit

_EXTENSION = "VRMC_vrm_animation"
_CENTRE = {"hips": "hips", "neck": "neck", "head": "head"}
_LIMBS = {
    "thigh": "UpperLeg",
    "shin": "LowerLeg",
    "ankle": "Foot",
    "toe": "Toes",
    "shoulder": "Shoulder",
    "upper_arm": "UpperArm",
    "forearm": "LowerArm",
    "hand": "Hand",
}
# The spine from the hips up; the format has three joints, of which the first must be there.
_SPINE = ("spine", "chest", "upperChest")
# Fingers, and what the format calls each and its three joints.
_FINGERS = {finger: finger.capitalize() for finger in FINGERS}
_THUMB, _FINGER = ("Metacarpal", "Proximal", "Distal"), ("Proximal", "Intermediate", "Distal")
_REQUIRED = (
    *("hips", "head"),
    *(f"{side}_{role}" for side in SIDES for role in ("thigh", "shin", "ankle")),
    *(f"{side}_{role}" for side in SIDES for role in ("upper_arm", "forearm", "hand")),
)
# Bones that a T-pose straightens, and the direction of the left one.
_STRAIGHT = (
    ("upper_arm", "forearm", (1.0, 0.0, 0.0)),
    ("forearm", "hand", (1.0, 0.0, 0.0)),
    ("thigh", "shin", (0.0, -1.0, 0.0)),
    ("shin", "ankle", (0.0, -1.0, 0.0)),
)


def read(
    path: str | Path, *, animation: str | int | None = None, rate: float | None = None
) -> Motion:
    """Read the humanoid of a VRM animation.

    Parameters
    ----------
    path
        The file.
    animation
        Name or number (from 0) of the animation; the first if None.
    rate
        Frames per second at which curves are sampled; if None what suits their keys.
    """
    path = Path(path)
    gltf = open_gltf(path)
    extensions = gltf.get(gltf.json, "extensions", dict, {})
    said = gltf.get(extensions, _EXTENSION, dict)
    if said is None:
        raise gltf.fail(f"this is not a VRM animation: the extension {_EXTENSION} is missing")
    bones = gltf.get(gltf.get(said, "humanoid", dict, {}), "humanBones", dict, {})
    nodes: dict[int, str] = {}
    for bone, entry in bones.items():
        node = gltf.get(entry, "node", int, -1) if isinstance(entry, dict) else -1
        gltf.item("nodes", node)
        nodes[node] = str(bone)
    if not nodes:
        raise gltf.fail("the humanoid of this VRM animation has no bones")
    tree = Tree.of(gltf)
    curves, name, warnings = read_animation(gltf, animation)
    joints = connected(tree, [node for node in tree.order if node in nodes])
    titles = [nodes.get(joint, tree.name(joint)) for joint in joints]
    return motion_in(
        gltf, tree, curves, joints, titles, None, rate,
        name=path.stem if animation is None or name is None else name,
        animation=name,
        source={"format": FORMAT.name, "warnings": tuple(warnings), "metres_a_unit": 1.0},
    )  # fmt: skip


def write(motion: Motion, path: str | Path, *, unit: str | float | None = None) -> None:
    """Write a VRM animation.

    Parameters
    ----------
    motion
        Its rig needs hips, head, legs and arms.
    path
        The file.
    unit
        The motion's unit of length, as for glTF; lengths are metres in the file.
    """
    # The hips carry the travel: what a file has above them has no place here.
    motion = at_pelvis(motion)
    rig = find_rig(motion.skeleton)
    missing = [role for role in _REQUIRED if not rig.has(role)]
    if missing:
        listed = ", ".join(missing)
        raise RigError(
            f"a VRM animation needs the roles {listed}; name their joints in a JSON file "
            "(--rig FILE, or mw.load(..., rig=FILE))"
        )
    metres = metres_a_unit(motion, unit)
    # Only the hips travel in this format: bones keep the lengths that they have at rest.
    scaled = replace(motion if metres == 1.0 else motion.scaled(metres), translations=None)
    pose = t_pose(rig)
    local = np.array(pose)
    above = motion.skeleton.parents[1:]
    local[1:] = rotations.multiply(rotations.inverse(pose[above]), pose[1:])
    out = GltfWriter()
    out.json["asset"] = {"version": "2.0", "generator": "motionweave"}
    _write_nodes(out, scaled.skeleton, local, pose)
    moves = np.array(np.broadcast_to(scaled.skeleton.offsets, (*scaled.rotations.shape[:2], 3)))
    moves[:, 0] = scaled.root
    write_animation(out, scaled, motion.name or "motion", scaled.rotations, moves, local)
    out.json["scenes"] = [{"nodes": [0]}]
    out.json["scene"] = 0
    out.json["extensionsUsed"] = [_EXTENSION]
    out.json["extensions"] = {
        _EXTENSION: {
            "specVersion": "1.0",
            "humanoid": {"humanBones": {b: {"node": j} for b, j in human_bones(rig).items()}},
        }
    }
    out.save(Path(path))


FORMAT = Format("VRM animation", (".vrma",), read=read, write=write)


def human_bones(rig: Rig) -> dict[str, int]:
    """Names of the format to joints, for the roles that are known."""
    found = {bone: rig.roles[role] for role, bone in _CENTRE.items() if rig.has(role)}
    spine = list(rig.spine)
    if len(spine) > len(_SPINE):
        # The first, the last, and the one in the middle between them.
        spine = [spine[0], spine[(len(spine) - 1) // 2], spine[-1]]
    found.update(zip(_SPINE, spine, strict=False))
    for side in SIDES:
        for role, bone in _LIMBS.items():
            if rig.has(f"{side}_{role}"):
                found[f"{side}{bone}"] = rig.roles[f"{side}_{role}"]
        if rig.has(f"{side}_hand"):
            fingers = _fingers(rig.skeleton, rig.roles[f"{side}_hand"])
            found.update((f"{side}{bone}", joint) for bone, joint in fingers.items())
    return found


def _fingers(skeleton: Skeleton, hand: int) -> dict[str, int]:
    """Names of the format, without the side, to the joints of a hand's fingers."""
    return {
        _FINGERS[finger] + part: joint
        for finger, chain in fingers_of(skeleton, hand).items()
        for part, joint in zip(_THUMB if finger == "thumb" else _FINGER, chain, strict=False)
    }


def t_pose(rig: Rig) -> Array:
    """Global turns ``(J, 4)`` that bring a skeleton from its rest pose into a T-pose.

    It faces +z, arms stretched to the sides and legs straight down; trunk and feet stay as
    they are at rest.
    """
    skeleton = rig.skeleton
    rest = skeleton.rest_positions
    left = rig.lateral_axis(rest[None])
    angle = 0.0 if left is None else float(np.arctan2(left[0, 2], left[0, 0]))
    body = rotations.about_vertical(angle)
    turns = np.tile(body, (len(skeleton), 1))
    for role, child, way in _STRAIGHT:
        for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
            joint, end = rig.roles[f"{side}_{role}"], rig.roles[f"{side}_{child}"]
            bone = rest[end] - rest[joint]
            if np.linalg.norm(bone) > 0.0:
                wanted = np.array(way) * [sign, 1.0, 1.0]
                turn = rotations.between_vectors(rotations.rotate(body, bone), wanted)
                turns[joint] = rotations.multiply(turn, body)
    # Everything below an arm turns with it; feet stay level.
    arms = {rig.roles[f"{side}_forearm"] for side in SIDES}
    for joint in range(1, len(skeleton)):
        parent = int(skeleton.parents[joint])
        if parent in arms:
            turns[joint] = turns[parent]
            arms.add(joint)
    return turns


def _write_nodes(out: GltfWriter, skeleton: Skeleton, local: Array, turns: Array) -> None:
    places = np.array(skeleton.offsets)
    points = np.zeros_like(places)
    for joint, parent in enumerate(skeleton.parents):
        if joint:
            points[joint] = points[parent] + rotations.rotate(turns[parent], places[joint])
    places[0] = [0.0, -points[:, 1].min(), 0.0]
    for joint, name in enumerate(skeleton.names):
        node: dict[str, Any] = {
            "name": name,
            "translation": places[joint].tolist(),
            "rotation": local[joint].tolist(),
        }
        if skeleton.children[joint]:
            node["children"] = list(skeleton.children[joint])
        out.add("nodes", node)
