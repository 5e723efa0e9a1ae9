"""A motion written as the animation of a character's file: its meshes and materials are kept."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.errors import RigError
from motionweave.io.bvh.format import unique_names
from motionweave.io.gltf.container import GltfWriter, open_gltf
from motionweave.io.gltf.nodes import PATHS, Tree, find_joints


def write_onto(motion: Motion, character: str | Path, path: str | Path) -> None:
    """Write a motion onto the joints of a character.

    Parameters
    ----------
    motion
        Of that character's body, in its unit: read from its file, or retargeted onto a motion
        that was. Joints are matched by name.
    character
        A ``.glb``, or a ``.gltf`` with its buffer inside. Its own animations are left out.
    path
        Where to write.

    Raises
    ------
    RigError
        If the character does not have the motion's joints.
    FormatError
        If its file cannot be read, or has its data in several files.
    """
    gltf = open_gltf(Path(character))
    tree = Tree.of(gltf)
    nodes, _ = find_joints(gltf, tree, {})
    number = {name: joint for joint, name in enumerate(motion.skeleton.names)}
    titles = unique_names(tree.name(node) for node in nodes)
    driven = {
        node: number[title] for node, title in zip(nodes, titles, strict=True) if title in number
    }
    if len(driven) < len(motion.skeleton):
        missing = [name for name in motion.skeleton.names if name not in titles]
        raise RigError(f"the character has no joints {', '.join(missing[:4])} for this motion")
    json: dict[str, Any] = copy.deepcopy(gltf.json)
    json.pop("animations", None)
    if tree.scene in driven:
        # The motion moves what has no common root in the file: from now on it has one.
        json["nodes"].append(copy.deepcopy(tree.nodes[tree.scene]))
        json.update(scenes=[{"nodes": [tree.scene]}], scene=0)
    out = GltfWriter(json, bytearray(gltf.only_buffer()))
    _write_animation(out, motion, tree, driven)
    out.save(Path(path))


def _write_animation(out: GltfWriter, motion: Motion, tree: Tree, driven: dict[int, int]) -> None:
    times = out.accessor(np.arange(len(motion)) / motion.fps, "SCALAR", bounds=True)
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    for node, what, values in _curves(motion, tree, driven):
        output = out.accessor(values, PATHS[what])
        samplers.append({"input": times, "output": output, "interpolation": "LINEAR"})
        channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": what}})
        if "matrix" in out.json["nodes"][node]:
            # Animated nodes need separate translation, rotation and scale.
            move, turn, scale = (part.tolist() for part in tree.local(node))
            del out.json["nodes"][node]["matrix"]
            out.json["nodes"][node].update(translation=move, rotation=turn, scale=scale)
    name = motion.name or "motion"
    out.add("animations", {"name": name, "samplers": samplers, "channels": channels})


def _curves(motion: Motion, tree: Tree, driven: dict[int, int]) -> list[tuple[int, str, Array]]:
    """Local rotations of all joints, and local places of those that move: node, what, values."""
    positions, orientations = motion.forward()
    frames = len(motion)
    _, rest = tree.globals({}, np.zeros(1))
    turned: dict[int, Array] = {-1: np.tile(rotations.IDENTITY, (frames, 1))}
    linear: dict[int, Array] = {-1: np.tile(np.eye(3), (frames, 1, 1))}
    places: dict[int, Array] = {-1: np.zeros((frames, 3))}
    found: list[tuple[int, str, Array]] = []
    for node in tree.order:
        above = tree.parents[node]
        own_place, own_turn, scale = tree.local(node)
        local = np.broadcast_to(own_turn, (frames, 4))
        move = np.broadcast_to(own_place, (frames, 3))
        joint = driven.get(node)
        if joint is not None:
            # At rest no joint of a motion is turned: its turns come before those of the file.
            wanted = rotations.multiply(orientations[:, joint], rest[0, node])
            local = rotations.multiply(rotations.inverse(turned[above]), wanted)
            found.append((node, "rotation", rotations.unroll(local)))
            if joint == 0 or motion.translations is not None:
                away = (positions[:, joint] - places[above])[..., None]
                move = np.asarray(np.linalg.solve(linear[above], away)[..., 0], dtype=np.float64)
                found.append((node, "translation", move))
        turned[node] = rotations.multiply(turned[above], local)
        places[node] = places[above] + np.einsum("tij,tj->ti", linear[above], move)
        linear[node] = linear[above] @ (rotations.to_matrix(local) * scale)
    return found
