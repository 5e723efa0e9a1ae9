"""The panel in the sidebar of the 3D Viewport."""

from typing import Any

import bpy

from .properties import settings


class MOTIONWEAVE_UL_clips(bpy.types.UIList):
    """Actions with their weights."""

    def draw_item(
        self,
        context: Any,
        layout: Any,
        data: Any,
        item: Any,
        icon: int,
        active_data: Any,
        active_property: str,
        index: int = 0,
        flt_flag: int = 0,
    ) -> None:
        row = layout.row(align=True)
        row.prop(item, "action", text="")
        row.prop(item, "weight", text="", slider=True)


class _Tab:
    """Where all panels are."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "motionweave"


class MOTIONWEAVE_PT_main(_Tab, bpy.types.Panel):
    bl_label = "motionweave"

    def draw(self, context: Any) -> None:
        owner = context.object
        if owner is None or owner.type != "ARMATURE":
            self.layout.label(text="Select an armature", icon="INFO")
            return
        playing = None if owner.animation_data is None else owner.animation_data.action
        name = "no action" if playing is None else playing.name
        self.layout.label(text=f"{owner.name}: {name}", icon="ARMATURE_DATA")


class _Part(_Tab):
    """A panel inside the first; it is shown while an armature is active."""

    bl_parent_id = "MOTIONWEAVE_PT_main"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.object is not None and context.object.type == "ARMATURE"


class MOTIONWEAVE_PT_combine(_Part, bpy.types.Panel):
    bl_label = "Several actions"

    def draw(self, context: Any) -> None:
        layout, chosen = self.layout, settings(context)
        row = layout.row()
        row.template_list("MOTIONWEAVE_UL_clips", "", chosen, "clips", chosen, "clip", rows=3)
        column = row.column(align=True)
        column.operator("motionweave.clip_add", text="", icon="ADD")
        column.operator("motionweave.clip_remove", text="", icon="REMOVE")
        row = layout.row(align=True)
        row.operator("motionweave.blend", icon="ACTION").along = "NOW"
        row.prop(chosen, "live", text="", icon="PLAY", toggle=True)
        row = layout.row(align=True)
        row.operator("motionweave.blend", text="Along Keyframes").along = "KEYS"
        row.operator("motionweave.blend", text="Along Property").along = "PROPERTY"
        row = layout.row(align=True)
        row.prop(chosen, "measure", text="")
        row.prop(chosen, "value", text="")
        wanted = layout.operator("motionweave.parametric", icon="DRIVER_DISTANCE")
        wanted.measure, wanted.value = chosen.measure, chosen.value
        row = layout.row(align=True)
        row.operator("motionweave.transition", icon="TRACKING").result = "ACTION"
        row.operator("motionweave.transition", text="As Strips", icon="NLA").result = "NLA"


class MOTIONWEAVE_PT_edit(_Part, bpy.types.Panel):
    bl_label = "This action"

    def draw(self, context: Any) -> None:
        layout, chosen = self.layout, settings(context)
        layout.operator("motionweave.loop", icon="FILE_REFRESH")
        row = layout.row(align=True)
        for way, text in (
            ("in_place", "In Place"),
            ("root_motion", "Root Motion"),
            ("travel", "Travel"),
        ):
            row.operator("motionweave.place", text=text).way = way
        layout.operator("motionweave.clean_feet", icon="CON_FLOOR")
        row = layout.row(align=True)
        row.operator("motionweave.mark_pose", icon="POSE_HLT")
        row.operator("motionweave.clear_marks", text="", icon="X")
        row.operator("motionweave.warp", text=f"Warp ({len(chosen.marks)})")
        row = layout.row(align=True)
        row.operator("motionweave.contacts", icon="PMARKER_ACT")
        row.operator("motionweave.quality", icon="VIEWZOOM")


class MOTIONWEAVE_PT_other(_Part, bpy.types.Panel):
    bl_label = "Other sources"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout, chosen = self.layout, settings(context)
        layout.prop(chosen, "source")
        layout.operator("motionweave.retarget", icon="ARMATURE_DATA")
        layout.operator("motionweave.find", icon="VIEWZOOM")
        for number, found in enumerate(chosen.found):
            row = layout.row(align=True)
            row.label(text=f"{found.name}  {found.first:.0f}–{found.last:.0f}")
            row.operator("motionweave.fetch", text="", icon="IMPORT").number = number


CLASSES = (
    MOTIONWEAVE_UL_clips,
    MOTIONWEAVE_PT_main,
    MOTIONWEAVE_PT_combine,
    MOTIONWEAVE_PT_edit,
    MOTIONWEAVE_PT_other,
)
