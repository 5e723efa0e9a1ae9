"""The panel's list of actions, and the blend that follows its sliders."""

from typing import Any

import bpy

from ..bridge import writing
from ..compute.engine import Problem, Task
from ..preferences import engine_place
from ..properties import settings
from .base import all_taken

# Seconds between two looks at whether a blend is done.
_SOON = 0.02


class _Live:
    """The blend being dragged: takes that were read once, and the job under way."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.key: Any = None
        self.takes: list[Any] = []
        self.task: Task | None = None
        self.stale = False


_live = _Live()


def follow(context: Any, action: Any, takes: list[Any]) -> None:
    """Make an action follow the sliders from now on; takes are those of the panel's list."""
    _live.forget()
    _live.key, _live.takes = _key(context), takes
    settings(context).live_action = action


def weights_changed(context: Any) -> None:
    """Called by Blender whenever a weight of the panel's list is changed."""
    chosen = settings(context)
    if not chosen.live or chosen.live_action is None or context.object is None:
        return
    _live.stale = True
    if not bpy.app.timers.is_registered(_tick):
        bpy.app.timers.register(_tick, first_interval=_SOON)


def _tick() -> float | None:
    """One update of the live blend; returns the seconds after which Blender calls it again."""
    return _SOON if update(bpy.context) else None


def update(context: Any) -> bool:
    """Start or finish an update of the live blend; returns whether there is more to do."""
    chosen = settings(context)
    owner, action = context.object, chosen.live_action
    if owner is None or owner.type != "ARMATURE" or action is None:
        _live.forget()
        return False
    try:
        if _live.task is not None:
            if not _live.task.done:
                return True
            answer, _live.task = _live.task.result(), None
            writing.write_take(owner, answer.takes[0], action)
            context.view_layer.update()
        if _live.stale:
            _live.stale = False
            _begin(context, owner)
            return _live.task is not None
    except Problem as problem:
        print(f"motionweave: {problem}")
        _live.forget()
    return False


def _begin(context: Any, owner: Any) -> None:
    clips = [clip for clip in settings(context).clips if clip.action is not None]
    weights = [clip.weight for clip in clips]
    if len(clips) < 2 or not any(weights):
        return
    if _key(context) != _live.key:
        _live.takes = _exhausted(all_taken(context, owner, [clip.action for clip in clips]))
        _live.key = _key(context)
    _live.task = Task(engine_place(context), "blend", _live.takes, {"weights": weights})


def _key(context: Any) -> Any:
    """What the takes are of."""
    clips = settings(context).clips
    return context.object.name, tuple(clip.action.name for clip in clips if clip.action is not None)


def _exhausted(steps: Any) -> Any:
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return end.value


class MOTIONWEAVE_OT_clip_add(bpy.types.Operator):
    """Add the armature's active action to the list"""

    bl_idname = "motionweave.clip_add"
    bl_label = "Add Action"
    bl_options = {"REGISTER", "UNDO"}

    name: bpy.props.StringProperty(name="Action", description="By default the active one")

    def execute(self, context: Any) -> set[str]:
        action = bpy.data.actions.get(self.name) if self.name else None
        animation = None if context.object is None else context.object.animation_data
        if not self.name and animation is not None:
            action = animation.action
        clip = settings(context).clips.add()
        clip.action = action
        settings(context).clip = len(settings(context).clips) - 1
        _live.forget()
        return {"FINISHED"}


class MOTIONWEAVE_OT_clip_remove(bpy.types.Operator):
    """Remove the selected action from the list"""

    bl_idname = "motionweave.clip_remove"
    bl_label = "Remove Action"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return len(settings(context).clips) > 0

    def execute(self, context: Any) -> set[str]:
        chosen = settings(context)
        chosen.clips.remove(chosen.clip)
        chosen.clip = max(0, min(chosen.clip, len(chosen.clips) - 1))
        _live.forget()
        return {"FINISHED"}


CLASSES = (MOTIONWEAVE_OT_clip_add, MOTIONWEAVE_OT_clip_remove)


def unregister() -> None:
    """Leave no timer behind."""
    if bpy.app.timers.is_registered(_tick):
        bpy.app.timers.unregister(_tick)
    _live.forget()
