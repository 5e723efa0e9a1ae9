"""Operators that make one action out of several: blend, parametric, transition."""

from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ..bridge import actions
from ..compute.take import Take
from ..properties import MEASURES
from . import live
from .base import Problem, SeveralActions, Steps


class MOTIONWEAVE_OT_blend(SeveralActions, bpy.types.Operator):
    """Match actions in timing, position and contacts, and blend them into a new action"""

    bl_idname = "motionweave.blend"
    bl_label = "Register & Blend"

    along: bpy.props.EnumProperty(
        name="Weights",
        items=(
            ("NOW", "Constant", "Use the weights at the current frame for the whole blend"),
            ("KEYS", "Along their keyframes", "Use the animated weights in the panel's list"),
            (
                "PROPERTY",
                "Along a property",
                "Use an animated property of the armature object: 0 is the first action, 1 the "
                "second",
            ),
        ),
    )
    property: bpy.props.StringProperty(
        name="Property", description="Name of the armature's custom property", default="blend"
    )

    def steps(self, context: Any) -> Steps:
        self.chosen(context)
        weights = yield from self._weights(context)
        takes = yield from self.taken(context)
        answer = yield from self.computed(context, "blend", takes, weights=weights)
        action = self.made(context, answer.takes[0], "Blend")
        if self.along == "NOW" and not len(self.clips):
            live.follow(context, action, takes)

    def _weights(self, context: Any) -> Any:
        if self.along == "NOW":
            row = self.weights(context)
            if not np.any(np.abs(row) > 0.0):
                raise Problem("all weights are 0: give at least one action a weight")
            return row
        return (yield from self._rows(context))

    def _rows(self, context: Any) -> Any:
        """A row of weights per scene frame, from the start of the first action."""
        scene, chosen = context.scene, self.chosen(context)
        first = int(actions.frame_range(chosen[0])[0])
        owner = context.object
        if self.along == "PROPERTY" and self.property not in owner:
            raise Problem(f"{owner.name!r} has no custom property {self.property!r}")
        last = max(scene.frame_end, first + 1)
        now, rows = (scene.frame_current, scene.frame_subframe), []
        try:
            for frame in range(first, last + 1):
                scene.frame_set(frame)
                if self.along == "KEYS":
                    rows.append(self.weights(context))
                else:
                    rows.append(_through(float(owner[self.property]), len(chosen)))
                yield (frame - first) / (last - first), "Reading weights"
        finally:
            scene.frame_set(now[0], subframe=now[1])
        return rows


class MOTIONWEAVE_OT_parametric(SeveralActions, bpy.types.Operator):
    """Blend actions so that the result turns, moves or reaches as far as you ask"""

    bl_idname = "motionweave.parametric"
    bl_label = "Parametric"

    measure: bpy.props.EnumProperty(name="Measure", items=MEASURES)
    value: bpy.props.FloatProperty(name="Value", description="Target value of the measure")

    def steps(self, context: Any) -> Steps:
        takes = yield from self.taken(context)
        answer = yield from self.computed(
            context, "parametric", takes, measure=self.measure, value=self.value
        )
        self.made(context, answer.takes[0], f"Blend, {self.measure} {self.value:g}")
        shares = ", ".join(f"{weight:.2f}" for weight in answer.values["weights"])
        self.report({"INFO"}, f"{self.measure} is {answer.values['value']:.4g}; weights {shares}")


class MOTIONWEAVE_OT_transition(SeveralActions, bpy.types.Operator):
    """Join actions, each turning smoothly into the next"""

    bl_idname = "motionweave.transition"
    bl_label = "Transition"

    given: bpy.props.BoolProperty(
        name="At given frames", description="Join at the frames below instead of at the best place"
    )
    leave: bpy.props.FloatProperty(
        name="Leave", description="Scene frame of the first action at the middle of the transition"
    )
    enter: bpy.props.FloatProperty(
        name="Enter", description="Scene frame of the second action at the middle of the transition"
    )
    half_width: bpy.props.FloatProperty(
        name="Half width",
        description="Frames from the middle to either end; 0 chooses it automatically",
        min=0.0,
    )
    keep: bpy.props.EnumProperty(
        name="Keep",
        items=(
            ("DEFAULT", "Most", "Weigh what is cut against how well the poses fit"),
            ("all", "All", "Join the actions at their ends"),
        ),
    )
    result: bpy.props.EnumProperty(
        name="Result",
        items=(
            ("ACTION", "One action", "A new action with both and the blend in between"),
            (
                "NLA",
                "NLA strips",
                "A new NLA track with the first action, the blend and the second action",
            ),
        ),
    )

    def steps(self, context: Any) -> Steps:
        chosen = self.chosen(context)
        if len(chosen) > 2 and (self.given or self.result == "NLA"):
            raise Problem("given frames and NLA strips work with two actions only")
        takes = yield from self.taken(context)
        at = (self.leave - takes[0].start, self.enter - takes[1].start) if self.given else None
        answer = yield from self.computed(
            context,
            "transition",
            takes,
            at=at,
            half_width=self.half_width or None,
            keep=None if self.keep == "DEFAULT" else self.keep,
        )
        name = " to ".join(action.name for action in chosen)
        if self.result == "NLA":
            self._strips(context, chosen, answer.takes[0], answer.values["seam"], name)
        else:
            self.made(context, answer.takes[0], name)

    def _strips(self, context: Any, chosen: list[Any], take: Take, seam: Any, name: str) -> None:
        """A track of three strips; the second action is a new one, moved to where the first ends.

        The armature then plays no action of its own, so that the strips are seen.
        """
        if seam is None:
            raise Problem(
                "the blend reaches an end of an action: choose One action as the result instead"
            )
        first, last = seam
        owner = context.object
        animation = owner.animation_data or owner.animation_data_create()
        blend = self.made(context, _cut(take, first, last), f"{name}, blend")
        after = self.made(context, _cut(take, last, len(take) - 1), f"{chosen[1].name}, moved")
        animation.action = None
        track = animation.nla_tracks.new()
        track.name = name
        start = take.start
        for action, begin, end in (
            (chosen[0], 0, first),
            (blend, first, last),
            (after, last, len(take) - 1),
        ):
            if end <= begin:
                continue
            strip = track.strips.new(action.name, round(start + begin), action)
            slot = actions.slot_for(action, owner)
            if slot is not None:
                strip.action_slot = slot
            strip.action_frame_start, strip.action_frame_end = start + begin, start + end
            strip.frame_start, strip.frame_end = start + begin, start + end
            strip.extrapolation = "HOLD_FORWARD" if action == after else "NOTHING"


def _cut(take: Take, first: int, last: int) -> Take:
    return replace(
        take,
        start=take.start + first,
        poses=take.poses[first : last + 1],
        objects=take.objects[first : last + 1],
        contacts=None,
    )


def _through(value: float, count: int) -> list[float]:
    """Weights of ``count`` actions for a value that moves from one to the next: 0, 1, 2 …"""
    at = min(max(value, 0.0), count - 1.0)
    return [max(0.0, 1.0 - abs(at - number)) for number in range(count)]


CLASSES = (MOTIONWEAVE_OT_blend, MOTIONWEAVE_OT_parametric, MOTIONWEAVE_OT_transition)
