"""Keys and curves of the warp screen as its widgets draw them."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionweave.core.arrays import Array
from motionweave.studio.screens.warp_model import (
    WAY,
    Warped,
    WarpSettings,
    joint_index,
    turn_curve,
)

# The row of keys for where the whole body goes.
WAY_ROW = "path"
# Points that a curve is drawn with.
_DRAWN = 400


def row_of(joint: str) -> str:
    """The row of the track that a joint's keys are in."""
    return WAY_ROW if joint in WAY else joint


def rows(settings: WarpSettings, made: Warped, joint: str) -> list[dict[str, Any]]:
    """The track: time, the joint that is chosen, others that have keys, the body's path."""
    joints = dict.fromkeys([joint, *(key.joint for key in settings.keys)])
    times = [
        {"id": f"t{i}", "at": output / made.motion.fps, "text": f"{source:g}"}
        for i, (output, source) in enumerate(settings.times)
    ]
    names = [name for name in joints if name not in WAY]
    return [
        {"id": "time", "name": "time", "marks": times},
        *(
            {
                "id": row,
                "name": spoken(row),
                "marks": [
                    {"id": f"k{i}", "at": made.seconds(key.frame)}
                    for i, key in enumerate(settings.keys)
                    if row_of(key.joint) == row
                ],
            }
            for row in (*names, WAY_ROW)
        ),
    ]


def curves_of(made: Warped, joint: str, *, turning: bool) -> tuple[Array, Array]:
    """The curves ``(T, 3)`` (of a heading ``(T, 1)``) of a joint, as they were and as they are."""
    if joint in WAY:
        return made.way(joint, original=True), made.way(joint, original=False)
    index = joint_index(joint, made.source.skeleton)
    if turning:
        return turn_curve(made.source, index), turn_curve(made.motion, index)
    return made.original_places[:, index], made.places[:, index]


def line(values: Array, fps: float) -> list[list[float]]:
    """A curve ``(T,)`` as points (seconds, value), no more than can be seen."""
    step = max(1, -(-len(values) // _DRAWN))
    frames = np.arange(0, len(values), step)
    points: list[list[float]] = np.stack([frames / fps, values[frames]], axis=1).round(4).tolist()
    return points


def contact_times(made: Warped) -> list[float]:
    """Seconds of the result, on whole frames of the clip, at which contacts start and end."""
    ends = {round(at) for one in made.source.constraints for at in (one.start, one.end)}
    return [made.seconds(frame) for frame in sorted(ends) if 0 <= frame < len(made.source)]


def padded(*curves: Array) -> tuple[float, float]:
    """The range of curves, with some room."""
    low, high = min(float(c.min()) for c in curves), max(float(c.max()) for c in curves)
    room = max(0.12 * (high - low), 1e-3)
    return low - room, high + room


def spoken(joint: str) -> str:
    """A joint's name as it is shown."""
    return joint.replace("_", " ")
