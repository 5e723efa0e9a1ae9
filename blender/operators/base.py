"""What all operators share: read actions, compute, write a new action; with progress and cancel.

The work of an operator is a generator that yields how far it is. A script runs it through; the
user's click runs it in slices, so that Blender stays alive and Esc gives it up. Leaving a
generator early puts everything back.
"""

import time
from collections.abc import Iterator
from typing import Any

import bpy

from ..bridge import actions, sampling, writing
from ..compute.engine import Problem, Task, finished
from ..compute.take import Take
from ..preferences import engine_place
from ..properties import ClipName, settings

# Seconds of work between two looks at the user's events.
_SLICE = 0.03

Steps = Iterator[tuple[float, str]]


class Work:
    """Mixed into every operator that computes something."""

    bl_options = {"REGISTER", "UNDO"}

    _steps: Any = None
    _timer: Any = None

    @classmethod
    def poll(cls, context: Any) -> bool:
        if context.object is None or context.object.type != "ARMATURE":
            cls.poll_message_set("Select an armature")
            return False
        return True

    def steps(self, context: Any) -> Steps:
        """The work itself."""
        raise NotImplementedError

    def execute(self, context: Any) -> set[str]:
        try:
            for _ in self.steps(context):
                pass
        except Problem as problem:
            self.report({"ERROR"}, _sentence(str(problem)))
            return {"CANCELLED"}
        return {"FINISHED"}

    def invoke(self, context: Any, event: Any) -> set[str]:
        if bpy.app.background:
            return self.execute(context)
        self._steps = self.steps(context)
        self._timer = context.window_manager.event_timer_add(0.02, window=context.window)
        context.window_manager.progress_begin(0, 100)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        if event.type == "ESC":
            return self._ended(context, {"CANCELLED"}, "cancelled; nothing was changed")
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        end = time.monotonic() + _SLICE
        try:
            while time.monotonic() < end:
                share, text = next(self._steps)
                context.window_manager.progress_update(100 * share)
                context.workspace.status_text_set(f"{text} ({share:.0%}), Esc cancels")
        except StopIteration:
            return self._ended(context, {"FINISHED"})
        except Problem as problem:
            self.report({"ERROR"}, _sentence(str(problem)))
            return self._ended(context, {"CANCELLED"})
        return {"RUNNING_MODAL"}

    def cancel(self, context: Any) -> None:
        """Called by Blender when it ends the operator itself."""
        self._ended(context, {"CANCELLED"})

    def _ended(self, context: Any, how: set[str], message: str = "") -> set[str]:
        self._steps.close()
        manager = context.window_manager
        manager.event_timer_remove(self._timer)
        manager.progress_end()
        context.workspace.status_text_set(None)
        if message:
            self.report({"INFO"}, _sentence(message))
        return how

    # Steps

    def computed(self, context: Any, job: str, takes: list[Take], **values: Any) -> Any:
        """Do a job; a generator that returns an `Answer`."""
        task = Task(engine_place(context), job, takes, values)
        begun = time.monotonic()
        for _ in finished(task):
            seconds = time.monotonic() - begun
            # How long it takes is not known: the bar comes nearer to the end, ever slower.
            yield 1.0 - 1.0 / (1.0 + 0.3 * seconds), f"Computing, {seconds:.0f} s"
            task.wait(0.005)
        answer = task.result()
        for message in answer.messages:
            self.report({"WARNING"}, _sentence(message))
        return answer

    def made(self, context: Any, take: Take, name: str, owner: Any = None) -> Any:
        """A new action from a take, played by the armature."""
        owner = owner or context.object
        action = actions.new(name, owner)
        muted = writing.write_take(owner, take, action)
        actions.assign(owner, action)
        context.view_layer.update()
        if muted:
            self.report(
                {"WARNING"},
                f"Constraints of {len(muted)} bones are baked into {action.name!r} and are "
                "switched off within it; set their influence to 1 for other actions",
            )
        self.report({"INFO"}, f"Made the action {action.name!r}, {len(take)} frames")
        return action


class OneAction(Work):
    """An operator on one action: the one named, or the one that the armature plays."""

    action: bpy.props.StringProperty(
        name="Action", description="The action to use; by default the active one"
    )

    def chosen(self, context: Any) -> Any:
        """The action to work on."""
        only_armature(context)
        if self.action:
            return action_named(self.action)
        animation = context.object.animation_data
        if animation is None or animation.action is None:
            raise Problem(f"{context.object.name!r} has no active action: choose one first")
        return animation.action

    def taken(self, context: Any) -> Any:
        """The action as a take; a generator."""
        return (yield from sampling.sampled(context, context.object, self.chosen(context)))


class SeveralActions(Work):
    """An operator on several actions: those named, or those in the panel's list."""

    clips: bpy.props.CollectionProperty(
        type=ClipName,
        name="Actions",
        description="Actions by name, with weights; by default those in the panel",
        options={"SKIP_SAVE"},
    )

    def chosen(self, context: Any, least: int = 2) -> list[Any]:
        """The actions to work on."""
        only_armature(context)
        if len(self.clips):
            found = [action_named(clip.name) for clip in self.clips]
        else:
            found = [clip.action for clip in settings(context).clips if clip.action is not None]
        if len(found) < least:
            raise Problem(
                f"at least {least} actions are needed, and the list has {len(found)}: add more in "
                "the sidebar's motionweave tab, or name them in the script"
            )
        return found

    def weights(self, context: Any) -> list[float]:
        """A weight for each chosen action."""
        if len(self.clips):
            return [clip.weight for clip in self.clips]
        return [clip.weight for clip in settings(context).clips if clip.action is not None]

    def taken(self, context: Any) -> Any:
        """The actions as takes; a generator."""
        return (yield from all_taken(context, context.object, self.chosen(context)))


def all_taken(context: Any, owner: Any, chosen: list[Any]) -> Any:
    """Takes of several actions; a generator."""
    for action in chosen:
        sampling.checked(owner, action)
    takes = []
    for number, action in enumerate(chosen):
        reading = sampling.sampled(context, owner, action)
        try:
            while True:
                share, text = next(reading)
                yield (number + share) / len(chosen), text
        except StopIteration as end:
            takes.append(end.value)
        finally:
            reading.close()
    return takes


def body_taken(context: Any, owner: Any) -> Any:
    """A take that shows how an armature's body stands on its floor; a generator.

    That is seen in what it plays, else in its rest pose.
    """
    played = None if owner.animation_data is None else owner.animation_data.action
    if played is None or sampling.misfit(owner, played):
        return sampling.at_rest(context, owner)
    takes = yield from all_taken(context, owner, [played])
    return takes[0]


def action_named(name: str) -> Any:
    """An action of the file."""
    found = bpy.data.actions.get(name)
    if found is None:
        raise Problem(f"there is no action {name!r} in this file")
    return found


def only_armature(context: Any) -> None:
    """Refuse a selection of several armatures, because it is ambiguous."""
    selected = [one.name for one in context.selected_objects if one.type == "ARMATURE"]
    if len(selected) > 1:
        raise Problem(
            f"{len(selected)} armatures are selected ({', '.join(selected[:3])}): select the one "
            "to work on; Retarget brings an action from one to another"
        )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
