"""Runs inside Blender: imports a file, then exports it or writes its joints.

This file is executed by Blender's own Python, which knows nothing of motionweave, so it
imports nothing of it. It is started by `motionweave.io.fbx.blender`::

    blender --background --python blender_script.py -- JOB.json
    python blender_script.py JOB.json            (a Python that has the package bpy)

The job is an object with ``input``, ``output``, for inputs that do not say it ``fps``, and
``animation``, the name or number of one of several. An output ``.npz`` gets the joints: names,
parents, matrices at rest and in each frame in world space (Blender's: z up), frames per second,
the names of all animations and the number of the one that was read (-1 if there is none).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np


class UnreadableError(Exception):
    """The file holds nothing of what is wanted; Blender itself had no difficulty with it."""


def run(job: dict[str, Any]) -> None:
    import bpy

    # Linux distributions pair Blender 3 with a NumPy that dropped a name its importers use.
    if not hasattr(np, "bool"):
        vars(np)["bool"] = bool
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if job.get("fps"):
        _set_rate(bpy.context.scene, float(job["fps"]))
    _import(bpy, job["input"])
    takes = _takes(bpy)
    taken = _play(bpy, takes, job.get("animation"))
    if job["output"].endswith(".npz"):
        _dump(bpy, job["output"], [take.action.name for take in takes], taken)
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
        # Frame 0 of the file stays frame 0. Custom properties make some versions fail. The
        # importer since Blender 4.5 also reads files in text form and those from before 2011.
        newest = "fbx_import" in dir(bpy.ops.wm)
        read = bpy.ops.wm.fbx_import if newest else bpy.ops.import_scene.fbx
        read(filepath=path, anim_offset=0.0, use_custom_props=False)
    else:
        bpy.ops.wm.usd_import(filepath=path, set_frame_range=True)


class ImportedTake(NamedTuple):
    """Something that the skeleton does: an action, the slot for it (or None), its curves there."""

    action: Any
    slot: Any
    curves: Any

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last frame: other slots of the action may go on for longer."""
        ranges = [curve.range() for curve in self.curves]
        return round(min(one[0] for one in ranges)), round(max(one[1] for one in ranges))


def _takes(bpy: Any) -> list[ImportedTake]:
    """All that the skeleton does.

    Cameras, lights and meshes have actions of their own, which often go on when the body has come
    to its end. A skeleton whose bones stay may still be moved as a whole.
    """
    armature = _armature(bpy)
    bones = {f'pose.bones["{bpy.utils.escape_identifier(b.name)}"]' for b in armature.data.bones}
    takes = [
        ImportedTake(action, slot, curves)
        for action in bpy.data.actions
        for slot, curves in _curves(action)
        if any(curve.data_path.rpartition(".")[0] in bones for curve in curves)
    ]
    data = armature.animation_data
    if takes or data is None or data.action is None:
        return takes
    own = getattr(data, "action_slot", None)
    return [
        ImportedTake(data.action, slot, curves)
        for slot, curves in _curves(data.action)
        if slot == own
    ]


def _curves(action: Any) -> Iterator[tuple[Any, Any]]:
    """Slots of an action and their curves; before Blender 4.4 there are no slots."""
    if not hasattr(action, "slots"):
        yield None, action.fcurves
        return
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                yield bag.slot, bag.fcurves


def _play(bpy: Any, takes: list[ImportedTake], which: str | int | None) -> int:
    """Make the scene begin and end with one of the takes; its number, -1 if there is none.

    The first that importers have put on the skeleton, unless ``which`` names another.
    """
    scene, data = bpy.context.scene, _armature(bpy).animation_data
    names = [take.action.name for take in takes]
    if not takes:
        if which is not None:
            raise UnreadableError("there is no animation")
        # Not Blender's own 250 frames.
        scene.frame_end = scene.frame_start
        return -1
    if which is None:
        taken = next((i for i, take in enumerate(takes) if take.action == data.action), 0)
    elif which in names:
        taken = names.index(which)
    elif str(which).isdigit() and int(which) < len(names):
        taken = int(which)
    else:
        listed = ", ".join(names[:20])
        raise UnreadableError(f"there is no animation {which!r}; there are {listed}")
    take = takes[taken]
    data.action = take.action
    if take.slot is not None:
        data.action_slot = take.slot
    scene.frame_start, scene.frame_end = take.ends
    return taken


def _armature(bpy: Any) -> Any:
    found = [one for one in bpy.data.objects if one.type == "ARMATURE"]
    if not found:
        raise UnreadableError("there is no skeleton in the file")
    return max(found, key=lambda one: len(one.data.bones))


def _dump(bpy: Any, path: str, animations: list[str], taken: int) -> None:
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
        animations=np.array(animations, dtype=str),
        taken=taken,
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
