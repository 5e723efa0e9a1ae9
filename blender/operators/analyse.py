"""Operators that look at an action: contacts and quality."""

from typing import Any

import bpy

from ..bridge import actions
from .base import OneAction, Steps


class MOTIONWEAVE_OT_contacts(OneAction, bpy.types.Operator):
    """Add pose markers to the action where feet touch and leave the floor.

    You can move the markers by hand; all other operators use them"""

    bl_idname = "motionweave.contacts"
    bl_label = "Contacts"

    def steps(self, context: Any) -> Steps:
        action = self.chosen(context)
        take = yield from self.taken(context)
        answer = yield from self.computed(context, "contacts", [take])
        found = answer.values["contacts"]
        actions.mark_contacts(action, take.start, found)
        self.report({"INFO"}, f"Marked {len(found)} contacts in {action.name!r}")


class MOTIONWEAVE_OT_quality(OneAction, bpy.types.Operator):
    """Measure how far feet slide, sink and float, and where the motion jumps"""

    bl_idname = "motionweave.quality"
    bl_label = "Quality"
    bl_options = {"REGISTER"}

    def steps(self, context: Any) -> Steps:
        take = yield from self.taken(context)
        answer = yield from self.computed(context, "quality", [take])
        for line in answer.values["text"].splitlines():
            self.report({"INFO"}, line)


CLASSES = (MOTIONWEAVE_OT_contacts, MOTIONWEAVE_OT_quality)
