"""Runs inside Blender: imports a file, then exports it or writes its joints.

This file is executed by Blender's own Python, which knows nothing of motionweave, so it
imports nothing of it. It is started by `motionweave.io.fbx.blender`::

    blender --background --python blender_script.py -- JOB.json
    python blender_script.py JOB.json            (a Python that has the package bpy)

The job is an object with ``input``, ``output`` and, for inputs that do not say it,
``fps``. An output ``.npz`` gets the joints: names, parents, matrices at rest and in
each frame in world space (Blender's: z up), frames per second.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np


def run(job: dict[str, Any]) -> None:
    import bpy

    # Linux distributions pair Blender 3 with a NumPy that dropped a name its importers use.
    if not hasattr(np, "bool"):
        vars(np)["bool"] = bool
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if job.get("fps"):
        _set_rate(bpy.context.scene, float(job["fps"]))
    _import(bpy, job["input"])
    _whole_range(bpy)
    if job["output"].endswith(".npz"):
        _dump(bpy, job["output"])
    else:
        _export(bpy, job["output"])


def _set_rate(scene: Any, fps: float) -> None:
    """Blender counts in whole frames divided by a base."""
    scene.render.fps = max(1, round(fps))
    scene.render.fps_base = scene.render.fps / fps


def _import(bpy: Any, path: str) -> None:
    kind = path.rsplit(".", 1)[-1].lower()
    if kind == "bvh":
        bpy.ops.import_anim.bvh(
            filepath=path, update_scene_fps=True, update_scene_duration=True, rotate_mode="NATIVE"
        )
    elif kind in ("glb", "gltf"):
        # "BLENDER" leaves the bones' axes as they are in the file.
        bpy.ops.import_scene.gltf(filepath=path, bone_heuristic="BLENDER")
    elif kind == "fbx":
        # Frame 0 of the file stays frame 0. Custom properties make some versions fail.
        bpy.ops.import_scene.fbx(filepath=path, anim_offset=0.0, use_custom_props=False)
    else:
        bpy.ops.wm.usd_import(filepath=path, set_frame_range=True)


def _whole_range(bpy: Any) -> None:
    """Make the scene begin and end with what the skeleton does, or else with all its actions.

    Cameras and targets of an FBX scene often go on when the body has come to its end.
    """
    found = [one.animation_data for one in bpy.data.objects if one.type == "ARMATURE"]
    own = [data.action for data in found if data is not None and data.action is not None]
    ranges = [action.frame_range for action in own or bpy.data.actions]
    if ranges:
        bpy.context.scene.frame_start = round(min(one[0] for one in ranges))
        bpy.context.scene.frame_end = round(max(one[1] for one in ranges))


def _armature(bpy: Any) -> Any:
    found = [one for one in bpy.data.objects if one.type == "ARMATURE"]
    if not found:
        raise RuntimeError("there is no skeleton in the file")
    return max(found, key=lambda one: len(one.data.bones))


def _dump(bpy: Any, path: str) -> None:
    scene, armature = bpy.context.scene, _armature(bpy)
    bones = list(armature.data.bones)
    names = [bone.name for bone in bones]
    parents = [-1 if bone.parent is None else names.index(bone.parent.name) for bone in bones]
    rest = [armature.matrix_world @ bone.matrix_local for bone in bones]
    # Targets and props often have no parent; what holds all of them is the armature.
    held = parents.count(-1) > 1
    if held:
        rest.insert(0, armature.matrix_world.copy())
    # Blender would bend every mesh anew in every frame.
    for one in [one for one in bpy.data.objects if one.type == "MESH"]:
        bpy.data.objects.remove(one)
    poses = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        world = armature.matrix_world
        pose = [world @ armature.pose.bones[name].matrix for name in names]
        poses.append([world.copy(), *pose] if held else pose)
    if held:
        names, parents = [armature.name, *names], [-1, *(parent + 1 for parent in parents)]
    np.savez(
        path,
        names=np.array(names),
        parents=np.array(parents),
        rest=np.array(rest),
        poses=np.array(poses),
        fps=scene.render.fps / scene.render.fps_base,
    )


def _export(bpy: Any, path: str) -> None:
    kind = path.rsplit(".", 1)[-1].lower()
    armature = _armature(bpy)
    scene = bpy.context.scene
    bpy.context.view_layer.objects.active = armature
    for one in bpy.data.objects:
        one.select_set(one == armature or one.parent == armature)
    if kind == "bvh":
        bpy.ops.export_anim.bvh(
            filepath=path,
            frame_start=scene.frame_start,
            frame_end=scene.frame_end,
            root_transform_only=True,
        )
    elif kind in ("glb", "gltf"):
        bpy.ops.export_scene.gltf(
            filepath=path,
            export_format="GLB" if kind == "glb" else "GLTF_SEPARATE",
            export_force_sampling=True,
            export_optimize_animation_size=False,
            export_animation_mode="ACTIVE_ACTIONS",
        )
    elif kind == "fbx":
        bpy.ops.export_scene.fbx(
            filepath=path,
            use_selection=True,
            object_types={"ARMATURE", "MESH"},
            add_leaf_bones=False,
            bake_anim=True,
            bake_anim_use_all_actions=False,
            bake_anim_use_nla_strips=False,
            bake_anim_simplify_factor=0.0,
        )
    else:
        bpy.ops.wm.usd_export(filepath=path, export_animation=True, selected_objects_only=True)


if __name__ == "__main__":
    with open(sys.argv[-1], encoding="utf-8") as file:
        run(json.load(file))
