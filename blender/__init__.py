"""motionweave in Blender: actions of an armature blended, joined, looped, warped and cleaned.

The panel is in the sidebar of the 3-D view; every operator can be searched for and called from
scripts as ``bpy.ops.motionweave.NAME()``. `bridge` reads and writes actions, `compute` runs
motionweave inside Blender or beside it.
"""

import bpy

from . import operators, panel, preferences, properties
from .operators import live

_CLASSES = (*operators.CLASSES, *panel.CLASSES)


def register() -> None:
    properties.register()
    preferences.register()
    for one in _CLASSES:
        bpy.utils.register_class(one)


def unregister() -> None:
    live.unregister()
    for one in reversed(_CLASSES):
        bpy.utils.unregister_class(one)
    preferences.unregister()
    properties.unregister()
