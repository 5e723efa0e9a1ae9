"""Warp: pose bones at some frames, mark the poses, and the action passes through them."""

import json
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ..bridge import sampling
from ..bridge.actions import frame_range
from ..properties import settings
from .base import OneAction, Problem, Steps

# How unlike the pose of the action a bone must be to count as posed: matrices' entries, and
# places as a share of the armature's size.
_TURNED, _MOVED = 1e-4, 1e-4


class MOTIONWEAVE_OT_mark_pose(OneAction, bpy.types.Operator):
    """Remember the pose at this frame for Warp: every bone that differs from the action"""

    bl_idname = "motionweave.mark_pose"
    bl_label = "Mark Pose"

    def steps(self, context: Any) -> Steps:
        owner, action = context.object, self.chosen(context)
        frame = context.scene.frame_current_final
        first, last = frame_range(action)
        if not first <= frame <= last:
            raise Problem(
                f"frame {frame:g} is not in the action {action.name!r}, which has frames "
                f"{first:g} to {last:g}"
            )
        posed = sampling.pose_of(owner)
        with sampling.played(context, owner, action):
            context.scene.frame_set(int(frame), subframe=frame % 1.0)
            before = sampling.pose_of(owner)
        yield 1.0, "Reading the pose"
        bones, moved = _differences(owner, before, posed)
        if not bones and not moved:
            raise Problem("the pose is the same as in the action: rotate some bones first")
        marks = settings(context).marks
        for number, mark in reversed(list(enumerate(marks))):
            if mark.action == action and abs(mark.frame - frame) < 1e-3:
                marks.remove(number)
        mark = marks.add()
        mark.action, mark.frame, mark.moved = action, frame, moved
        mark.bones, mark.pose = json.dumps(bones), json.dumps(posed.tolist())
        self.report({"INFO"}, f"Marked {len(bones)} bones at frame {frame:g}")


class MOTIONWEAVE_OT_clear_marks(bpy.types.Operator):
    """Forget all marked poses"""

    bl_idname = "motionweave.clear_marks"
    bl_label = "Clear Marks"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: Any) -> set[str]:
        settings(context).marks.clear()
        return {"FINISHED"}


class MOTIONWEAVE_OT_warp(OneAction, bpy.types.Operator):
    """Warp an action so that it passes through the marked poses"""

    bl_idname = "motionweave.warp"
    bl_label = "Warp"

    def steps(self, context: Any) -> Steps:
        action = self.chosen(context)
        marks = [mark for mark in settings(context).marks if mark.action == action]
        if not marks:
            raise Problem(
                f"no pose of {action.name!r} is marked: pose some bones, then press Mark Pose"
            )
        take = yield from self.taken(context)
        poses, said = [], []
        for mark in sorted(marks, key=lambda one: one.frame):
            pose = np.array(json.loads(mark.pose))
            if pose.shape != take.rest.shape:
                raise Problem("the armature's bones have changed since poses were marked")
            number = round(mark.frame - take.start)
            poses.append(
                replace(
                    take,
                    poses=pose[None],
                    objects=take.objects[number : number + 1],
                    contacts=(),
                )
            )
            bones = json.loads(mark.bones)
            said.append({"frame": mark.frame - take.start, "bones": bones, "moved": mark.moved})
        answer = yield from self.computed(context, "warp", [take, *poses], marks=said)
        self.made(context, answer.takes[0], f"{action.name}, warped")


def _differences(owner: Any, before: np.ndarray, posed: np.ndarray) -> tuple[list[str], bool]:
    """Bones that are rotated differently from the action, and whether the body is moved."""
    bones = list(owner.data.bones)
    order = {bone.name: number for number, bone in enumerate(bones)}
    size = float(np.ptp(before[:, :3, 3], axis=0).max(initial=1e-9))
    turned, moved = [], False
    for number, bone in enumerate(bones):
        now, was = posed[number], before[number]
        if bone.parent is not None:
            above = order[bone.parent.name]
            now = np.linalg.inv(posed[above]) @ now
            was = np.linalg.inv(before[above]) @ was
        if np.abs(now[:3, :3] - was[:3, :3]).max() > _TURNED:
            turned.append(bone.name)
        if np.abs(now[:3, 3] - was[:3, 3]).max() > _MOVED * size:
            moved = True
    return turned, moved


CLASSES = (MOTIONWEAVE_OT_mark_pose, MOTIONWEAVE_OT_clear_marks, MOTIONWEAVE_OT_warp)
