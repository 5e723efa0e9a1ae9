"""What the panel remembers, in the scene."""

from typing import Any

import bpy

# What a parametric blend can be steered by.
MEASURES = (
    ("turn", "Turn", "How far the body turns, in degrees, left positive"),
    ("speed", "Speed", "How fast it moves over the floor, in units per second"),
    ("duration", "Duration", "How long it lasts, in seconds"),
    *(
        (f"{side}_{limb}_{what}", f"{side.title()} {limb} {what}", text)
        for limb in ("hand", "foot")
        for side in ("left", "right")
        for what, text in (
            ("side", "How far to the left it reaches"),
            ("height", "How high it reaches"),
            ("forward", "How far forward it reaches"),
            ("speed", "Its highest speed"),
        )
    ),
)


def _weight_changed(clip: Any, context: Any) -> None:
    from .operators import live

    live.weights_changed(context)


def _is_armature(group: Any, owner: Any) -> bool:
    return owner.type == "ARMATURE"


class ClipName(bpy.types.PropertyGroup):
    """An action by name, as scripts give it: ``{"name": "walk", "weight": 0.5}``."""

    weight: bpy.props.FloatProperty(name="Weight", default=1.0)


class Clip(bpy.types.PropertyGroup):
    """An action in the panel's list."""

    action: bpy.props.PointerProperty(type=bpy.types.Action, name="Action")
    weight: bpy.props.FloatProperty(
        name="Weight",
        description="Share of this action in the blend; can be animated",
        default=0.5,
        soft_min=0.0,
        soft_max=1.0,
        update=_weight_changed,
    )


class Mark(bpy.types.PropertyGroup):
    """A pose that a warp passes through."""

    frame: bpy.props.FloatProperty(name="Frame")
    action: bpy.props.PointerProperty(type=bpy.types.Action, name="Action")
    pose: bpy.props.StringProperty(options={"HIDDEN"})
    bones: bpy.props.StringProperty(name="Bones")
    moved: bpy.props.BoolProperty(name="Moved")


class Found(bpy.types.PropertyGroup):
    """A stretch of a clip in the library."""

    first: bpy.props.FloatProperty(name="First frame")
    last: bpy.props.FloatProperty(name="Last frame")
    distance: bpy.props.FloatProperty(name="Distance")


class Settings(bpy.types.PropertyGroup):
    """The panel's state."""

    clips: bpy.props.CollectionProperty(type=Clip, name="Actions")
    clip: bpy.props.IntProperty(name="Active action")
    live: bpy.props.BoolProperty(
        name="Live",
        description="Update the blend while you drag weights",
        default=True,
    )
    live_action: bpy.props.PointerProperty(type=bpy.types.Action, name="Live blend")
    measure: bpy.props.EnumProperty(
        name="Measure", description="What Parametric controls", items=MEASURES
    )
    value: bpy.props.FloatProperty(name="Value", description="Target value of the measure")
    marks: bpy.props.CollectionProperty(type=Mark, name="Marked poses")
    source: bpy.props.PointerProperty(
        type=bpy.types.Object,
        name="From",
        description="Armature that the action comes from",
        poll=_is_armature,
    )
    found: bpy.props.CollectionProperty(type=Found, name="Found")


def settings(context: Any) -> Any:
    """The panel's state in the scene."""
    return context.scene.motionweave


CLASSES = (ClipName, Clip, Mark, Found, Settings)


def register() -> None:
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.types.Scene.motionweave = bpy.props.PointerProperty(type=Settings)


def unregister() -> None:
    del bpy.types.Scene.motionweave
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
