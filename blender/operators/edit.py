"""Operators that make a new action out of one: loop, place, feet, another armature."""

from typing import Any

import bpy

from ..properties import settings
from .base import OneAction, Problem, Steps, Work, action_named, all_taken, body_taken


class MOTIONWEAVE_OT_loop(OneAction, bpy.types.Operator):
    """Cut one cycle out of an action and make it loop seamlessly"""

    bl_idname = "motionweave.loop"
    bl_label = "Loop"

    rounds: bpy.props.IntProperty(
        name="Rounds", description="How many times the cycle is played", default=1, min=1
    )
    in_place: bpy.props.BoolProperty(
        name="In place", description="Remove the root motion, as on a treadmill"
    )

    def steps(self, context: Any) -> Steps:
        take = yield from self.taken(context)
        answer = yield from self.computed(
            context, "loop", [take], rounds=self.rounds, in_place=self.in_place
        )
        self.made(context, answer.takes[0], f"{take.name}, loop")


class MOTIONWEAVE_OT_place(OneAction, bpy.types.Operator):
    """Remove the root motion of an action, move it to the object, or restore it"""

    bl_idname = "motionweave.place"
    bl_label = "In Place / Root Motion"

    way: bpy.props.EnumProperty(
        name="Root motion",
        items=(
            ("in_place", "Remove", "The body stays in place, as on a treadmill"),
            ("root_motion", "On the object", "The armature object moves, and the body stays on it"),
            ("travel", "Restore", "A body that walks in place travels over the floor"),
        ),
    )
    speed: bpy.props.FloatProperty(
        name="Speed",
        description="Units per second; 0 for as fast as planted feet slide",
        min=0.0,
    )

    def steps(self, context: Any) -> Steps:
        take = yield from self.taken(context)
        answer = yield from self.computed(
            context,
            self.way,
            [take],
            **({"speed": self.speed or None} if self.way == "travel" else {}),
        )
        ends = {"in_place": "in place", "root_motion": "root motion", "travel": "travelling"}
        self.made(context, answer.takes[0], f"{take.name}, {ends[self.way]}")


class MOTIONWEAVE_OT_clean_feet(OneAction, bpy.types.Operator):
    """Plant feet that slide, sink or float"""

    bl_idname = "motionweave.clean_feet"
    bl_label = "Clean Feet"

    def steps(self, context: Any) -> Steps:
        take = yield from self.taken(context)
        answer = yield from self.computed(context, "clean_feet", [take])
        self.made(context, answer.takes[0], f"{take.name}, clean feet")


class MOTIONWEAVE_OT_retarget(Work, bpy.types.Operator):
    """Bring an action from another armature to the active one"""

    bl_idname = "motionweave.retarget"
    bl_label = "Retarget"

    source: bpy.props.StringProperty(
        name="From",
        description="Armature object; by default the panel's, or the other selected one",
    )
    action: bpy.props.StringProperty(
        name="Action", description="By default the active action of the other armature"
    )

    def steps(self, context: Any) -> Steps:
        owner, source = context.object, self._source(context)
        if self.action:
            action = action_named(self.action)
        elif source.animation_data is not None and source.animation_data.action is not None:
            action = source.animation_data.action
        else:
            raise Problem(f"{source.name!r} has no active action: choose one first")
        takes = yield from all_taken(context, source, [action])
        takes.append((yield from body_taken(context, owner)))
        answer = yield from self.computed(context, "retarget", takes)
        self.made(context, answer.takes[0], action.name)

    def _source(self, context: Any) -> Any:
        if self.source:
            found = bpy.data.objects.get(self.source)
        else:
            others = [
                one
                for one in context.selected_objects
                if one.type == "ARMATURE" and one != context.object
            ]
            found = settings(context).source or (others[0] if len(others) == 1 else None)
        if found is None or found.type != "ARMATURE":
            raise Problem("choose the source armature in the panel, or select it too")
        if found == context.object:
            raise Problem("the action must come from an armature other than the active one")
        return found


CLASSES = (
    MOTIONWEAVE_OT_loop,
    MOTIONWEAVE_OT_place,
    MOTIONWEAVE_OT_clean_feet,
    MOTIONWEAVE_OT_retarget,
)
