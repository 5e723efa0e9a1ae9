"""Actions as Blender has kept them over time: with curves of their own, or with slots.

Since 4.4 an action has slots, one for each kind of thing that it animates, and since 5.0 its
curves are found in the channel bag of a slot only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import bpy
import numpy as np

_LINEAR = 1


def layered(action: Any) -> bool:
    """Whether this Blender's actions have slots."""
    return hasattr(action, "slots")


def slot_for(action: Any, owner: Any) -> Any:
    """The slot of an action that animates an object; None where there are no slots."""
    if not layered(action):
        return None
    animation = owner.animation_data
    if animation is not None and animation.action == action and animation.action_slot is not None:
        return animation.action_slot
    fitting = [slot for slot in action.slots if slot.target_id_type in ("OBJECT", "UNSPECIFIED")]
    if not fitting:
        return None
    bones = {bone.name for bone in owner.data.bones}
    # A slot that was made for the object, else the one that knows most of its bones.
    named = [slot for slot in fitting if slot.identifier == f"OB{owner.name}"]
    return max(named or fitting, key=lambda slot: len(bones & bones_of(_curves_in(action, slot))))


def curves_for(action: Any, owner: Any) -> list[Any]:
    """The curves of an action that animate an object."""
    if not layered(action):
        return list(action.fcurves)
    slot = slot_for(action, owner)
    return [] if slot is None else _curves_in(action, slot)


def bones_of(curves: Iterable[Any]) -> set[str]:
    """Names of the bones that curves animate."""
    names = set()
    for curve in curves:
        if curve.data_path.startswith('pose.bones["'):
            quoted = curve.data_path[len('pose.bones["') :]
            end = quoted.find('"]')
            while end > 0 and quoted[end - 1] == "\\":
                end = quoted.find('"]', end + 1)
            names.add(bpy.utils.unescape_identifier(quoted[:end]))
    return names


def places_object(action: Any, owner: Any) -> bool:
    """Whether an action has curves for the place, turn or scale of the object itself."""
    own = ("location", "rotation", "scale", "delta_")
    return any(curve.data_path.startswith(own) for curve in curves_for(action, owner))


def assign(owner: Any, action: Any) -> None:
    """Let an object play an action."""
    animation = owner.animation_data or owner.animation_data_create()
    # Read before: an action that is played has the slot that it is played with.
    slot = slot_for(action, owner) if action is not None else None
    animation.action = action
    if slot is not None:
        animation.action_slot = slot


def new(name: str, owner: Any) -> Any:
    """A new action for an object. It is kept even if nothing plays it."""
    action = bpy.data.actions.new(name)
    action.use_fake_user = True
    if layered(action):
        action.slots.new("OBJECT", owner.name)
        action.layers.new("Layer").strips.new(type="KEYFRAME")
    return action


def clear(action: Any, owner: Any) -> None:
    """Remove the curves of an action."""
    curves = _writable(action, owner)
    for curve in list(curves):
        curves.remove(curve)


def write(
    action: Any, owner: Any, path: str, group: str, frames: np.ndarray, values: np.ndarray
) -> None:
    """Write a property ``(T, n)`` with one key per frame, straight from key to key."""
    curves = _writable(action, owner)
    for index, row in enumerate(values.T):
        curve = curves.new(path, index=index, **_grouped(curves, group))
        points = curve.keyframe_points
        points.add(len(frames))
        points.foreach_set("co", np.stack([frames, row], axis=1).astype(np.float32).ravel())
        points.foreach_set("interpolation", np.full(len(frames), _LINEAR, dtype=np.int32))
        curve.update()


def _writable(action: Any, owner: Any) -> Any:
    if not layered(action):
        return action.fcurves
    return action.layers[0].strips[0].channelbag(slot_for(action, owner), ensure=True).fcurves


def _grouped(curves: Any, group: str) -> dict[str, str]:
    """How the name of a group is given, which differs between the two kinds of curves."""
    known = curves.bl_rna.functions["new"].parameters.keys()
    return {name: group for name in ("action_group", "group_name") if name in known}


def _curves_in(action: Any, slot: Any) -> list[Any]:
    found: list[Any] = []
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(slot)
            if bag is not None:
                found.extend(bag.fcurves)
    return found


def frame_range(action: Any) -> tuple[float, float]:
    """First and last frame: those set by hand, else those of the keys."""
    first, last = action.frame_range
    return float(first), float(last)


# Contacts as pose markers: two for each contact, where it begins and where it ends.

_DOWN, _UP = " down", " up"


def contacts_of(action: Any, start: float) -> tuple[tuple[float, float, str], ...] | None:
    """Contacts in the pose markers of an action, in frames from its start; None if none are."""
    begun: dict[str, float] = {}
    found = []
    ours = sorted(
        (m for m in action.pose_markers if m.name.endswith((_DOWN, _UP))),
        key=lambda m: (m.frame, m.name.endswith(_DOWN)),
    )
    for marker in ours:
        kind, _, what = marker.name.rpartition(" ")
        if what == "down":
            begun[kind] = marker.frame - start
        elif kind in begun:
            found.append((begun.pop(kind), marker.frame - start, kind))
    return tuple(sorted(found)) if found else None


def mark_contacts(action: Any, start: float, contacts: Sequence[tuple[float, float, str]]) -> None:
    """Set the pose markers of an action to contacts; other markers stay."""
    for marker in [m for m in action.pose_markers if m.name.endswith((_DOWN, _UP))]:
        action.pose_markers.remove(marker)
    for first, last, kind in contacts:
        action.pose_markers.new(kind + _DOWN).frame = round(start + first)
        action.pose_markers.new(kind + _UP).frame = round(start + last)
