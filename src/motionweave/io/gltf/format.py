"""glTF 2.0 (``.glb``, ``.gltf``), the format of the web and of game engines.

Written are joints with a skin, one animation or several, and a simple body so that a viewer has
something to show. Lengths are metres there; the motion's unit is noted in the file and restored on
reading.

From files made elsewhere the joints of the largest skin are read, or if there is none all
nodes that an animation moves, with everything between them. Transforms above the joints are
applied; meshes are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion, local_translations
from motionweave.core.skeleton import Skeleton
from motionweave.errors import RigError
from motionweave.io.bvh.format import unique_names
from motionweave.io.gltf.container import FLOAT, UINT, USHORT, Gltf, GltfWriter, open_gltf
from motionweave.io.gltf.nodes import (
    PATHS,
    Curves,
    Tree,
    animation_names,
    animation_note,
    find_joints,
    frame_times,
    noted_contacts,
    read_animation,
)
from motionweave.io.registry import Format
from motionweave.io.scene import note as notes
from motionweave.io.scene.body_mesh import COLOURS, SIDE_NAMES, body_parts
from motionweave.io.scene.rest import Rest, normalised, orientations_of, with_rest
from motionweave.io.scene.units import metres_a_unit


def read(
    path: str | Path, *, animation: str | int | None = None, rate: float | None = None
) -> Motion:
    """Read the joints and one animation of a glTF file.

    Parameters
    ----------
    path
        The file.
    animation
        Name or number (from 0) of the animation; the first that moves the body if None.
    rate
        Frames per second at which curves are sampled; if None what suits their keys.
    """
    path = Path(path)
    gltf = open_gltf(path)
    tree = Tree.of(gltf)
    curves, name, warnings = read_animation(gltf, animation)
    joints, note = find_joints(gltf, tree, curves)
    unit = 1.0 if note is None else note.metres_a_unit
    source = {
        "format": FORMAT.name,
        "path": str(path.absolute()),
        "metres_a_unit": unit,
        "animations": tuple(animation_names(gltf)),
        "warnings": tuple(warnings),
    }
    titles = [tree.name(joint) for joint in joints]
    motion = motion_in(
        gltf, tree, curves, joints, titles, note, rate,
        name=path.stem if animation is None or name is None else name,
        animation=name,
        source=source,
    )  # fmt: skip
    # Back to the unit of the motion that was written.
    return motion if unit == 1.0 else motion.scaled(1.0 / unit)


def motion_in(
    gltf: Gltf,
    tree: Tree,
    curves: Curves,
    joints: Sequence[int],
    titles: Sequence[str],
    note: notes.Note | None,
    rate: float | None,
    *,
    name: str,
    animation: str | None,
    source: dict[str, Any],
) -> Motion:
    """The motion of some nodes of a file, in metres.

    Parameters
    ----------
    gltf, tree, curves
        The file, its nodes, and what moves them.
    joints, titles
        The nodes, parents first, and what to call them.
    note
        What a file written by motionweave says about the motion.
    rate
        Frames per second, or None.
    name, animation, source
        Of the motion, of the animation that it comes from, and of the file.
    """
    times, fps = frame_times(gltf, curves, rate, note)
    rest_at, rest_turned = tree.globals({}, np.zeros(1))
    at, turned = tree.globals(curves, times)
    names = unique_names(titles)
    rest = Rest(rest_at[0, joints], rest_turned[0, joints])
    parents = tree.parents_among(joints)
    skeleton, pose = normalised(names, parents, rest, at[:, joints], turned[:, joints])
    return Motion(
        skeleton if note is None else note.on(skeleton),
        fps,
        pose.root,
        pose.rotations,
        pose.translations,
        constraints=noted_contacts(gltf, animation, fps, len(times)),
        name=name,
        source={**source, "joints": names, "rest_orientations": rest.orientations},
    )


def write(motion: Motion, path: str | Path, *, unit: str | float | None = None) -> None:
    """Write a glTF file: joints, skin, one animation, and a body.

    Parameters
    ----------
    motion
        What to write.
    path
        A ``.glb``, or a ``.gltf`` with its buffer inside.
    unit
        The motion's unit of length: ``"m"``, ``"cm"``, ``"mm"``, ``"in"``, ``"ft"``,
        ``"cmu"`` or metres; None to derive it from the source or the body height.
    """
    write_several([motion], path, unit=unit)


def write_several(
    motions: Sequence[Motion],
    path: str | Path,
    *,
    unit: str | float | None = None,
    extras: Sequence[Mapping[str, Any]] | None = None,
) -> None:
    """Write motions of one skeleton as the animations of one file.

    Parameters
    ----------
    motions
        Their names become the animations' names.
    path, unit
        As for `write`; the unit is the first motion's.
    extras
        Plain values to keep with each animation, beside its contacts.
    """
    first = motions[0]
    for other in motions[1:]:
        if other.skeleton != first.skeleton:
            how = first.skeleton.difference(other.skeleton) or "different bone lengths"
            raise RigError(f"a file can contain animations of one skeleton only: {how}")
    metres = metres_a_unit(first, unit)
    scaled = [one if metres == 1.0 else one.scaled(metres) for one in motions]
    skeleton = scaled[0].skeleton
    orientations = orientations_of(first, FORMAT.name)
    curves = [with_rest(one, orientations) for one in scaled]
    rest_local = curves[0][2]
    out = GltfWriter()
    out.json["asset"] = {"version": "2.0", "generator": "motionweave"}
    standing = _standing(skeleton)
    _write_nodes(out, skeleton, orientations, rest_local, standing)
    skin = _write_skin(out, skeleton, orientations, standing)
    out.json["skins"][skin]["extras"] = {notes.KEY: notes.values_of(scaled[0], metres)}
    mesh = _write_body(out, scaled[0], standing)
    name = unique_names([*skeleton.names, "body"])[-1]
    body = out.add("nodes", {"name": name, "mesh": mesh, "skin": skin})
    out.json["scenes"] = [{"nodes": [0, body]}]
    out.json["scene"] = 0
    names = unique_names(one.name or "motion" for one in motions)
    for i, (one, (local, moves, _)) in enumerate(zip(scaled, curves, strict=True)):
        write_animation(out, one, names[i], local, moves, rest_local)
        kept = {**({} if extras is None else extras[i]), **animation_note(one)}
        if len(motions) > 1 or extras is not None:
            out.json["animations"][-1]["extras"] = {notes.KEY: kept}
    out.save(Path(path))


FORMAT = Format("glTF", (".glb", ".gltf"), read=read, write=write, write_several=write_several)


# Writing


def _standing(skeleton: Skeleton) -> Array:
    """Where the root is in the rest pose ``(3,)``, if its lowest point is on the floor."""
    points = np.concatenate([skeleton.rest_positions, skeleton.rest_end_positions])
    return np.array([0.0, skeleton.offsets[0, 1] - points[:, 1].min(), 0.0])


def _write_nodes(
    out: GltfWriter, skeleton: Skeleton, orientations: Array, rest_local: Array, standing: Array
) -> None:
    above = np.maximum(skeleton.parents, 0)
    places = rotations.rotate(rotations.inverse(orientations[above]), skeleton.offsets)
    places[0] = standing
    for joint, name in enumerate(skeleton.names):
        node: dict[str, Any] = {"name": name, "translation": places[joint].tolist()}
        if np.any(rest_local[joint, :3] != 0.0):
            node["rotation"] = rest_local[joint].tolist()
        if skeleton.children[joint]:
            node["children"] = list(skeleton.children[joint])
        out.add("nodes", node)


def _write_skin(out: GltfWriter, skeleton: Skeleton, orientations: Array, standing: Array) -> int:
    """Joints, and the inverses of their transforms at rest."""
    places = skeleton.rest_positions - skeleton.offsets[0] + standing
    inverse = np.tile(np.eye(4), (len(skeleton), 1, 1))
    back = rotations.inverse(orientations)
    inverse[:, :3, :3] = rotations.to_matrix(back)
    inverse[:, :3, 3] = -rotations.rotate(back, places)
    # glTF keeps matrices column by column.
    columns = np.swapaxes(inverse, 1, 2).reshape(-1, 16)
    return out.add(
        "skins",
        {
            "inverseBindMatrices": out.accessor(columns, "MAT4"),
            "joints": list(range(len(skeleton))),
            "skeleton": 0,
        },
    )


def _write_body(out: GltfWriter, motion: Motion, standing: Array) -> int:
    lift = standing - motion.skeleton.offsets[0]
    primitives = []
    for part in body_parts(motion):
        count = len(part.vertices)
        joints = np.zeros((count, 4), dtype=np.intp)
        weights = np.zeros((count, 4))
        # Validators want joint 0 where a weight is 0.
        joints[:, :2] = np.where(part.weights > 0.0, part.joints, 0)
        weights[:, :2] = part.weights
        material = out.add(
            "materials",
            {
                "name": SIDE_NAMES[part.side],
                "pbrMetallicRoughness": {
                    "baseColorFactor": [*COLOURS[part.side], 1.0],
                    "metallicFactor": 0.0,
                    "roughnessFactor": 0.7,
                },
            },
        )
        wide = UINT if count > 65535 else USHORT
        primitives.append(
            {
                "attributes": {
                    "POSITION": out.accessor(
                        part.vertices + lift, "VEC3", FLOAT, target=34962, bounds=True
                    ),
                    "NORMAL": out.accessor(part.normals, "VEC3", FLOAT, target=34962),
                    "JOINTS_0": out.accessor(joints, "VEC4", USHORT, target=34962),
                    "WEIGHTS_0": out.accessor(weights, "VEC4", FLOAT, target=34962),
                },
                "indices": out.accessor(
                    part.triangles.reshape(-1, 1), "SCALAR", wide, target=34963
                ),
                "material": material,
            }
        )
    return out.add("meshes", {"name": "body", "primitives": primitives})


def write_animation(
    out: GltfWriter, motion: Motion, name: str, local: Array, moves: Array, rest_local: Array
) -> None:
    """Curves of all joints that move; viewers interpolate, so no quaternion changes its sign.

    ``local`` (T, J, 4) and ``moves`` (T, J, 3) are local rotations and translations,
    ``rest_local`` (J, 4) the rotations at rest.
    """
    times = out.accessor(np.arange(len(motion)) / motion.fps, "SCALAR", bounds=True)
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []

    def add(joint: int, what: str, values: Array) -> None:
        output = out.accessor(values, PATHS[what])
        samplers.append({"input": times, "output": output, "interpolation": "LINEAR"})
        target = {"node": joint, "path": what}
        channels.append({"sampler": len(samplers) - 1, "target": target})

    slides = np.abs(local_translations(motion) - motion.skeleton.offsets).max(axis=(0, 2))
    for joint in range(len(motion.skeleton)):
        if joint == 0 or slides[joint] > 0.0:
            add(joint, "translation", moves[:, joint])
        turning = rotations.angle_between(local[:, joint], rest_local[joint]).max() > 1e-9
        if joint == 0 or turning:
            add(joint, "rotation", rotations.unroll(local[:, joint]))
    out.add(
        "animations",
        {"name": name, "samplers": samplers, "channels": channels},
    )
