"""Operators on the library of clips: find clips similar to an action, and bring them in."""

from typing import Any

import bpy

from ..preferences import library_folder
from ..properties import settings
from .base import OneAction, Problem, Steps, Work, body_taken, only_armature


class MOTIONWEAVE_OT_find(OneAction, bpy.types.Operator):
    """Find clips in the library that are similar to the action"""

    bl_idname = "motionweave.find"
    bl_label = "Find in Library"

    most: bpy.props.IntProperty(name="At most", default=10, min=1)

    def steps(self, context: Any) -> Steps:
        folder = library_folder(context)
        take = yield from self.taken(context)
        answer = yield from self.computed(context, "find", [take], folder=folder, most=self.most)
        rows = settings(context).found
        rows.clear()
        for one in answer.values["found"]:
            row = rows.add()
            row.name, row.distance = one["clip"], one["distance"]
            row.first, row.last = one["start"], one["end"]
        self.report({"INFO"}, f"Found {len(rows)} stretches similar to {take.name!r}")


class MOTIONWEAVE_OT_fetch(Work, bpy.types.Operator):
    """Put a stretch found in the library on the armature, as a new action"""

    bl_idname = "motionweave.fetch"
    bl_label = "Bring In"

    number: bpy.props.IntProperty(name="Number", description="Row in the list of results")

    def steps(self, context: Any) -> Steps:
        only_armature(context)
        folder, rows = library_folder(context), settings(context).found
        if not 0 <= self.number < len(rows):
            raise Problem("run Find in Library first")
        row = rows[self.number]
        take = yield from body_taken(context, context.object)
        answer = yield from self.computed(
            context,
            "fetch",
            [take],
            folder=folder,
            clip=row.name,
            start=row.first,
            end=row.last,
        )
        self.made(context, answer.takes[0], row.name)


CLASSES = (MOTIONWEAVE_OT_find, MOTIONWEAVE_OT_fetch)
