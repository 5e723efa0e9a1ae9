"""Actions as takes: the pose that Blender shows, frame by frame.

Poses are evaluated, so constraints, drivers and every rotation mode count. While an action is
read the object plays it; afterwards everything is as it was, unkeyed poses too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..compute.engine import Problem
from ..compute.take import Take
from . import actions

_CHANNELS = (
    "location",
    "rotation_quaternion",
    "rotation_euler",
    "rotation_axis_angle",
    "scale",
)
# Rounding that the last frame of a range may have.
_FRAME_SLACK = 1e-3


def frame_rate(scene: Any) -> float:
    """Frames per second of a scene."""
    return float(scene.render.fps / scene.render.fps_base)


def sampled(context: Any, owner: Any, action: Any) -> Iterator[tuple[float, str]]:
    """Read an action; a generator that yields how far it is, and returns a `Take`."""
    checked(owner, action)
    first, last = actions.frame_range(action)
    count = int(np.floor(last - first + _FRAME_SLACK)) + 1
    with played(context, owner, action):
        space = _parent_space(context, owner, first)
        poses, objects = [], []
        for number in range(count):
            _go_to(context.scene, first + number)
            poses.append(pose_of(owner))
            objects.append(space @ np.array(owner.matrix_basis))
            yield (number + 1) / count, f"Reading {action.name}"
    return _take(context, owner, action.name, first, poses, objects, action)


def posed(context: Any, owner: Any, name: str) -> Take:
    """The pose that is shown now, as a take of one frame."""
    objects = [np.array(owner.matrix_world)]
    return _take(
        context, owner, name, context.scene.frame_current_final, [pose_of(owner)], objects, None
    )


def at_rest(context: Any, owner: Any) -> Take:
    """The rest pose as a take of one frame."""
    poses = [np.array([bone.matrix_local for bone in owner.data.bones], dtype=np.float64)]
    objects = [np.array(owner.matrix_world)]
    return _take(context, owner, owner.name, 1.0, poses, objects, None)


def checked(owner: Any, action: Any) -> None:
    """Refuse an action that has nothing for an armature."""
    problem = misfit(owner, action)
    if problem:
        raise Problem(problem)


def misfit(owner: Any, action: Any) -> str:
    """Why an action has nothing for an armature; empty if it has."""
    bones = actions.bones_of(actions.curves_for(action, owner))
    if not bones:
        return f"the action {action.name!r} has no keyframes on bones"
    if bones.isdisjoint(bone.name for bone in owner.data.bones):
        return (
            f"the action {action.name!r} moves bones that {owner.name!r} does not have "
            f"({', '.join(sorted(bones)[:3])}); use Retarget to bring it over"
        )
    return ""


def pose_of(owner: Any) -> np.ndarray:
    """``(J, 4, 4)`` posed bones as they are now, in the armature's space."""
    pose = owner.pose.bones
    return np.array([pose[bone.name].matrix for bone in owner.data.bones], dtype=np.float64)


@contextmanager
def played(context: Any, owner: Any, action: Any) -> Iterator[None]:
    """Let an object play an action alone for a while, then put everything back."""
    animation = owner.animation_data
    if animation is not None and animation.use_tweak_mode:
        raise Problem("leave tweak mode in the NLA editor first (Tab)")
    had = animation is not None
    animation = animation or owner.animation_data_create()
    scene = context.scene
    before = animation.action
    slot = animation.action_slot if before is not None and actions.layered(before) else None
    use_nla, frame = animation.use_nla, (scene.frame_current, scene.frame_subframe)
    if owner.mode == "EDIT":
        raise Problem("leave edit mode of the armature first (Tab)")
    curves = actions.curves_for(action, owner)
    values = _values(owner, [*curves, *(actions.curves_for(before, owner) if before else [])])
    try:
        animation.use_nla = False
        actions.assign(owner, action)
        yield
    finally:
        animation.action = before
        if slot is not None:
            animation.action_slot = slot
        animation.use_nla = use_nla
        if not had:
            owner.animation_data_clear()
        scene.frame_set(frame[0], subframe=frame[1])
        _put_back(owner, values)
        context.view_layer.update()


def _values(owner: Any, curves: list[Any]) -> dict[str, Any]:
    """All that actions may change on an object: its pose, its place, and what they animate."""
    paths = dict.fromkeys(_CHANNELS)
    for bone in owner.pose.bones:
        paths.update({bone.path_from_id(channel): None for channel in _CHANNELS})
    paths.update({curve.data_path: None for curve in curves})
    found = {}
    for path in paths:
        try:
            value = owner.path_resolve(path)
        except ValueError:  # a curve of something that is no longer there
            continue
        found[path] = tuple(value) if hasattr(value, "__len__") else value
    return found


def _put_back(owner: Any, values: dict[str, Any]) -> None:
    for path, value in values.items():
        holder, _, name = path.rpartition(".")
        if path.endswith('"]'):  # a property that the user made
            at = path.rindex('["')
            target, name = path[:at], path[at + 2 : -2]
            (owner.path_resolve(target) if target else owner)[name] = value
        else:
            setattr(owner.path_resolve(holder) if holder else owner, name, value)


def _go_to(scene: Any, frame: float) -> None:
    whole = int(np.floor(frame))
    scene.frame_set(whole, subframe=frame - whole)


def _parent_space(context: Any, owner: Any, frame: float) -> np.ndarray:
    """What the object's own channels are in, at the beginning.

    A motion is read as it goes in that space: a rider moves on the train, not with it.
    """
    _go_to(context.scene, frame)
    return np.array(owner.matrix_world) @ np.linalg.inv(np.array(owner.matrix_basis))


def _take(
    context: Any,
    owner: Any,
    name: str,
    start: float,
    poses: list[np.ndarray],
    objects: list[np.ndarray],
    action: Any,
) -> Take:
    bones = list(owner.data.bones)
    order = {bone.name: number for number, bone in enumerate(bones)}
    parents = [-1 if bone.parent is None else order[bone.parent.name] for bone in bones]
    return Take(
        name,
        frame_rate(context.scene),
        start,
        tuple(order),
        np.array(parents),
        np.array([bone.matrix_local for bone in bones], dtype=np.float64),
        np.array([bone.tail_local for bone in bones], dtype=np.float64),
        np.array(poses, dtype=np.float64),
        np.array(objects, dtype=np.float64),
        action is not None and actions.places_object(action, owner),
        None if action is None else actions.contacts_of(action, start),
    )
