"""Keys and curves of the warp screen as its widgets draw them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionweave.core.arrays import Array
from motionweave.methods.warping.keys import Side
from motionweave.studio.payload import scale_of
from motionweave.studio.screens.warp_model import (
    WAY,
    PoseKey,
    Warped,
    WarpSettings,
    joint_index,
    turn_curve,
)
from motionweave.studio.screens.warp_tangents import DRAWN, tangent_handles
from motionweave.studio.screens.warp_values import AXIS_COLORS

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


@dataclass(frozen=True)
class DrawnCurves:
    """Curves of a joint as the editor draws them.

    Parameters
    ----------
    axes
        Those that are shown.
    old, new
        ``(T, n)`` the curves as they were and as they are, in metres or degrees.
    turned
        Whether they are degrees.
    unit
        What one of the clip's units is on the axis.
    """

    axes: tuple[int, ...]
    old: Array
    new: Array
    turned: bool
    unit: float

    def lines(self, fps: float) -> list[dict[str, Any]]:
        """Each curve as it was, dashed, and as it is."""
        found: list[dict[str, Any]] = []
        for column, axis in enumerate(self.axes):
            color = AXIS_COLORS[axis]
            found.append({"color": color, "points": line(self.old[:, column], fps), "dashed": True})
            found.append({"color": color, "points": line(self.new[:, column], fps)})
        return found

    def handles(self, made: Warped, keys: Mapping[int, PoseKey]) -> list[dict[str, Any]]:
        """A handle for each of the keys, by index, on each curve."""
        found = []
        for column, axis in enumerate(self.axes):
            for index, key in keys.items():
                at = made.seconds(key.frame)
                row = min(round(at * made.motion.fps), len(self.new) - 1)
                place = {"id": f"k{index}:{axis}", "x": at, "y": float(self.new[row, column])}
                lock = {} if key.kind == "offset" else {"lock": "y"}
                found.append({**place, "color": AXIS_COLORS[axis], **lock})
        return found

    def tangents(self, made: Warped, keys: Mapping[int, PoseKey]) -> list[dict[str, Any]]:
        """Handles of the tangents of those keys that are dragged in the curves."""
        shown = [
            (index, axis, self.new[:, column], AXIS_COLORS[axis])
            for column, axis in enumerate(self.axes)
            for index, key in keys.items()
            if key.group in DRAWN
        ]
        return tangent_handles(made, keys, shown)


def drawn(made: Warped, joint: str, axis: int | None, *, turning: bool) -> DrawnCurves:
    """The curves of a joint: of one axis, or of all. ``turning`` shows its rotation."""
    old, new = curves_of(made, joint, turning=turning)
    count = old.shape[1]
    axes = tuple(range(count)) if axis is None else (min(axis, count - 1),)
    turned = turning or joint == "heading"
    unit = 1.0 if turned else scale_of(made.source)
    return DrawnCurves(axes, unit * old[:, axes], unit * new[:, axes], turned, unit)


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


def key_marked(mark: str) -> tuple[int, int]:
    """Which key or marker, and which of its axes, a mark such as ``k3`` or ``k3:1`` stands for."""
    index, _, axis = mark[1:].partition(":")
    return int(index), int(axis or 0)


def tangent_marked(mark: str) -> tuple[int, Side, int]:
    """Which key, side and axis a mark of a tangent such as ``out3:1`` stands for."""
    side: Side = "in" if mark.startswith("in") else "out"
    index, axis = key_marked(f"k{mark.removeprefix(side)}")
    return index, side, axis
