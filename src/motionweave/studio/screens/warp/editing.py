"""Changes that hands make to keys and markers of the warp screen."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from motionweave.studio.screens.warp.drawing import key_marked, row_of, shown_scale
from motionweave.studio.screens.warp.model import NEUTRAL, WAY, PoseKey, Warped, joint_index
from motionweave.studio.screens.warp.values import MOST_SWING, MOST_TURN

Keys = tuple[PoseKey, ...]
# Output frame, and the frame of the clip that is shown there.
Times = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Pull:
    """A handle of a curve that was dragged.

    Parameters
    ----------
    index
        Its key.
    frame
        Where the key is to be, a frame of the clip.
    channel
        The axis of the curve.
    y
        What the curve is to be there, in the clip's unit or in degrees.
    """

    index: int
    frame: float
    channel: int
    y: float


def found(
    keys: Sequence[PoseKey], joint: str, frame: float | None = None, kind: str = ""
) -> int | None:
    """The last key of a joint, at a frame and of a kind if these are given."""
    for index, key in reversed(list(enumerate(keys))):
        if key.joint == joint and frame in (None, key.frame) and kind in ("", key.kind):
            return index
    return None


def gripped(
    made: Warped,
    keys: Sequence[PoseKey],
    joint: str,
    frame: int,
    place: tuple[float, float, float],
    axis: int | None,
) -> PoseKey:
    """The key that takes a joint to a global place; with an axis, along that axis only."""
    value = tuple(round(float(v), 4) for v in made.offset(joint, frame, place))
    if axis is not None:
        index = found(keys, joint, frame, "offset")
        others = NEUTRAL["offset"] if index is None else keys[index].value
        value = (*others[:axis], value[axis], *others[axis + 1 :])
    return PoseKey(float(frame), joint, "offset", value)


def last_in_row(keys: Sequence[PoseKey], row: str) -> int | None:
    """The last key in a row of the track."""
    inside = [index for index, key in enumerate(keys) if row_of(key.joint) == row]
    return inside[-1] if inside else None


def fresh(frame: float, joint: str) -> PoseKey:
    """A key that changes nothing yet."""
    return PoseKey(frame, joint, "offset", NEUTRAL[joint if joint in WAY else "offset"])


def put(keys: Keys, key: PoseKey) -> tuple[Keys, int]:
    """Keys with one more, or with one of its joint, frame and kind replaced; and where it is.

    What is replaced hands its tangents on to a key that has none of its own.
    """
    index = found(keys, key.joint, key.frame, key.kind)
    if index is None:
        return (*keys, key), len(keys)
    old = keys[index]
    if key.tangent_in is None and key.tangent_out is None:
        into, out = old.tangent_in, old.tangent_out
        key = replace(key, tangent_in=into, tangent_out=out, broken=old.broken)
    return (*keys[:index], key, *keys[index + 1 :]), index


def moved(keys: Keys, index: int, frame: float) -> Keys:
    """Keys with one at another frame, unless one like it is there already."""
    return moved_together(keys, {index: frame})


def moved_together(keys: Keys, frames: Mapping[int, float]) -> Keys:
    """Keys with some at other frames, unless one like them is there and stays there."""

    def place(key: PoseKey) -> tuple[str, float, str]:
        return key.joint, key.frame, key.kind

    changed = tuple(replace(key, frame=frames.get(i, key.frame)) for i, key in enumerate(keys))
    staying = {place(key) for i, key in enumerate(keys) if i not in frames}
    wanted = {place(changed[i]) for i in frames}
    return keys if wanted & staying or len(wanted) < len(frames) else changed


def pulls_of(made: Warped, keys: Keys, moves: Sequence[tuple[str, float, float]]) -> list[Pull]:
    """What handles of curves were dragged to: marks, seconds and what is drawn there."""
    pulls = []
    for mark, seconds, y in moves:
        index, channel = key_marked(mark)
        if index < len(keys):
            scale = shown_scale(made, keys[index].group)
            pulls.append(Pull(index, float(made.source_frame(seconds)), channel, y / scale))
    return pulls


def pulled(made: Warped, keys: Keys, pulls: Sequence[Pull]) -> Keys:
    """Keys with some at other frames, and such that curves of their joints go through ``y``."""
    keys = moved_together(keys, {pull.index: pull.frame for pull in pulls})
    for pull in pulls:
        keys = _through(made, keys, pull.index, pull.channel, pull.y)
    return keys


def without(keys: Keys, indices: Collection[int]) -> Keys:
    """Keys without some of them."""
    return tuple(key for i, key in enumerate(keys) if i not in indices)


def _through(made: Warped, keys: Keys, index: int, channel: int, y: float) -> Keys:
    """Keys with one of them such that a curve of its joint goes through ``y`` there."""
    key = keys[index]
    value, at = list(key.value), int(key.frame)
    channel = min(channel, len(value) - 1)
    if key.joint in WAY:
        value[channel] = round(y - float(made.way(key.joint, original=True)[at, channel]), 4)
    elif key.kind == "offset":
        joint = joint_index(key.joint, made.source.skeleton)
        value[channel] = round(y - float(made.before_places[at, joint, channel]), 4)
    elif key.kind == "turn":
        value[channel] = round(min(max(y, -MOST_TURN), MOST_TURN), 1)
    elif key.kind == "factor":
        value[channel] = round(min(max(y, 0.0), MOST_SWING), 2)
    return (*keys[:index], replace(key, value=tuple(value)), *keys[index + 1 :])


def of_kind(made: Warped, key: PoseKey, kind: str) -> PoseKey:
    """The key as one of another kind (of `NEUTRAL`) that changes nothing yet."""
    if kind in WAY:
        return fresh(key.frame, kind)
    value = made.ahead(key.joint, key.frame) if kind == "look_at" else NEUTRAL[kind]
    return PoseKey(key.frame, key.joint, kind, value)


def shown_value(made: Warped, key: PoseKey) -> tuple[float, ...]:
    """The numbers of a key as sliders show them: a point to look at as the body sees it."""
    return made.from_body(key.frame, key.value) if key.kind == "look_at" else key.value


def with_shown(made: Warped, key: PoseKey, axis: int, number: float) -> PoseKey:
    """The key with one of the numbers that sliders show changed."""
    values = list(shown_value(made, key))
    values[axis] = round(number, 4)
    looking = key.kind == "look_at"
    return replace(key, value=made.from_there(key.frame, values) if looking else tuple(values))


# Markers of time


def slid(times: Times, index: int, output: float) -> Times:
    """Markers with one earlier or later, between its neighbours."""
    low = times[index - 1][0] + 1.0 if index > 0 else 1.0
    high = times[index + 1][0] - 1.0 if index + 1 < len(times) else np.inf
    at = float(np.clip(round(output), low, max(low, high)))
    return (*times[:index], (at, times[index][1]), *times[index + 1 :])


def pinned(times: Times, output: int, source: int) -> Times:
    """Markers with one more, unless the output or the source frame has one."""
    known = dict(times)
    if output <= 0 or float(output) in known or float(source) in known.values():
        return times
    return tuple(sorted([*times, (float(output), float(source))]))
