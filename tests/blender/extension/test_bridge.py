"""Action to motion to action: every bone's world matrix is what it was."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.blender.extension.conftest import imported, part, take_of

CLOSE = 1e-5


def _round(bpy: Any, owner: Any, action: Any) -> float:
    """How far world matrices are apart after action, motion, action."""
    convert, actions = part("compute.convert"), part("bridge.actions")
    take = take_of(bpy, owner, action)
    again = convert.to_take(convert.to_motion(take), take)
    made = actions.new("again", owner)
    part("bridge.writing").write_take(owner, again, made)
    back = take_of(bpy, owner, made)
    assert len(back) == len(take)
    return float(np.abs(back.world() - take.world()).max())


@pytest.mark.parametrize("suffix", ["bvh", "glb", "fbx"])
@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_round_trip(blender: Any, clips: Path, suffix: str, scale: float) -> None:
    owner = imported(blender, clips / f"walk.{suffix}")
    curves = part("bridge.actions")._writable(owner.animation_data.action, owner)
    for curve in [one for one in curves if not one.data_path.startswith("pose")]:
        curves.remove(curve)
    owner.rotation_mode = "XYZ"
    owner.scale = (scale,) * 3
    owner.location, owner.rotation_euler = (0.3, -2.0, 0.1), (math.pi / 2, 0.0, 1.0)
    assert _round(blender, owner, owner.animation_data.action) < CLOSE


def test_an_action_that_places_its_object(blender: Any, clips: Path) -> None:
    """As FBX files have it: the place of the object is in the action, wherever it is now."""
    owner = imported(blender, clips / "walk.fbx")
    owner.location, owner.scale = (5.0, 0.0, 0.0), (2.0, 2.0, 2.0)
    assert _round(blender, owner, owner.animation_data.action) < CLOSE


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "ZYX", "AXIS_ANGLE"])
def test_rotation_modes(blender: Any, clips: Path, mode: str) -> None:
    owner = imported(blender, clips / "walk.glb")
    actions, writing = part("bridge.actions"), part("bridge.writing")
    take = take_of(blender, owner, owner.animation_data.action)
    for bone in owner.pose.bones:
        bone.rotation_mode = mode
    made = actions.new(mode, owner)
    writing.write_take(owner, take, made)
    assert np.abs(take_of(blender, owner, made).world() - take.world()).max() < CLOSE
    turns = [c for c in actions.curves_for(made, owner) if "rotation" in c.data_path]
    # Half a turn from one frame to the next would be a jump of the channels, not of the body.
    for curve in turns:
        values = np.array([key.co[1] for key in curve.keyframe_points])
        assert mode == "AXIS_ANGLE" or np.abs(np.diff(values)).max() < 1.5


def test_turned_rest_pose_roll_and_free_bones(blender: Any, clips: Path) -> None:
    owner = imported(blender, clips / "walk.bvh")
    blender.ops.object.mode_set(mode="EDIT")
    for number, bone in enumerate(owner.data.edit_bones):
        bone.roll = 0.4 * number
        if number % 3 == 0:
            bone.use_connect = False
        if number % 5 == 4:
            bone.use_inherit_rotation = False
        if number % 7 == 5:
            bone.inherit_scale = "NONE"
        bone.use_local_location = number % 4 != 2
    blender.ops.object.mode_set(mode="OBJECT")
    assert _round(blender, owner, owner.animation_data.action) < CLOSE


def test_constraints_are_evaluated(blender: Any, clips: Path) -> None:
    owner = imported(blender, clips / "walk.bvh")
    target = blender.data.objects.new("target", None)
    blender.context.scene.collection.objects.link(target)
    target.location = (0.0, 0.0, 5.0)
    free = take_of(blender, owner, owner.animation_data.action)
    head = owner.pose.bones[-1]
    head.constraints.new("DAMPED_TRACK").target = target
    held = take_of(blender, owner, owner.animation_data.action)
    assert np.abs(held.world() - free.world()).max() > 0.1
    assert _round(blender, owner, owner.animation_data.action) < CLOSE


def test_a_moving_object_and_several_roots(blender: Any, clips: Path) -> None:
    owner = imported(blender, clips / "walk.bvh")
    blender.ops.object.mode_set(mode="EDIT")
    free = owner.data.edit_bones.new("prop")
    free.head, free.tail = (1.0, 0.0, 0.0), (1.0, 0.0, 1.0)
    blender.ops.object.mode_set(mode="OBJECT")
    action = owner.animation_data.action
    frames = np.arange(1.0, 94.0)
    part("bridge.actions").write(
        action, owner, "location", "", frames, np.stack([frames, 0 * frames, 0 * frames], 1) / 30
    )
    take = take_of(blender, owner, action)
    assert np.ptp(take.objects[:, 0, 3]) > 3.0
    assert _round(blender, owner, action) < CLOSE


@pytest.mark.parametrize("fps", [24, 60, 120])
def test_any_frame_rate(blender: Any, clips: Path, fps: int) -> None:
    scene = blender.context.scene
    scene.render.fps, scene.render.fps_base = fps, 1.001
    owner = imported(blender, clips / "walk.glb")
    take = take_of(blender, owner, owner.animation_data.action)
    assert take.fps == pytest.approx(fps / 1.001)
    assert (len(take) - 1) / take.fps == pytest.approx(92 / 30, abs=1.5 / fps)


def test_reading_changes_nothing(blender: Any, clips: Path) -> None:
    """Not the frame, not the action, not a pose that is not keyed."""
    owner = imported(blender, clips / "walk.bvh")
    action, scene = owner.animation_data.action, blender.context.scene
    other = blender.data.actions.new("other")
    owner.animation_data.action = other
    scene.frame_set(17)
    bone = owner.pose.bones[3]
    bone.rotation_mode = "QUATERNION"
    bone.rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    owner["mine"] = 2.5
    blender.context.view_layer.update()
    before = [np.array(one.matrix_basis) for one in owner.pose.bones]
    take_of(blender, owner, action)
    assert owner.animation_data.action == other
    assert scene.frame_current == 17
    assert owner["mine"] == 2.5
    assert all(
        np.array_equal(a, np.array(b.matrix_basis))
        for a, b in zip(before, owner.pose.bones, strict=True)
    )


def test_contacts_as_pose_markers(blender: Any, clips: Path) -> None:
    owner = imported(blender, clips / "walk.bvh")
    actions, action = part("bridge.actions"), owner.animation_data.action
    action.pose_markers.new("mine").frame = 3
    wanted = ((2.0, 9.0, "left_heel"), (9.0, 20.0, "left_heel"), (4.0, 8.0, "right_toe"))
    assert actions.contacts_of(action, 1.0) is None
    for _ in range(2):
        actions.mark_contacts(action, 1.0, wanted)
    assert actions.contacts_of(action, 1.0) == tuple(sorted(wanted))
    assert "mine" in action.pose_markers
    assert len(action.pose_markers) == 7
