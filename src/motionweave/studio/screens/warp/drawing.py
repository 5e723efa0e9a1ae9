"""Keys and curves of the warp screen as its widgets draw them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.kinematics import sample_vectors
from motionweave.methods.warping.keys import Side
from motionweave.methods.warping.targets import MOMENT, Knot
from motionweave.methods.warping.turns import WarpShape
from motionweave.studio.screens.warp.model import (
    NEUTRAL,
    WAY,
    PoseKey,
    Warped,
    WarpSettings,
    joint_index,
    turn_curve,
)
from motionweave.studio.screens.warp.tangents import has_tangents, tangent_handles
from motionweave.studio.screens.warp.values import AXIS_COLORS
from motionweave.studio.view.payload import scale_of

# The row of keys for where the whole body goes.
WAY_ROW = "path"
# Points that a curve is drawn with.
_DRAWN = 400
# Groups of keys of which the change itself is drawn.
CHANGES = ("turn", "factor")
# What curves of each group of keys are measured in, and how much of that is seen of a flat one.
_UNITS = {
    "offset": ("m", 0.02),
    "position": ("m", 0.02),
    "turn": ("degrees", 15.0),
    "look_at": ("degrees", 2.0),
    "heading": ("degrees", 2.0),
    "factor": ("×", 0.25),
}


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


def curves_of(made: Warped, settings: WarpSettings, joint: str, group: str) -> tuple[Array, Array]:
    """What keys of a group change ``(T, n)``, as it was and as it is: the places of a joint, the
    body's way, and of turns and scales the change itself."""
    if group in WAY:
        return made.way(group, original=True), made.way(group, original=False)
    if group in CHANGES:
        unchanged = np.tile(NEUTRAL[group], (len(made.source), 1))
        return unchanged, change_curve(made, settings, joint, group)
    index = joint_index(joint, made.source.skeleton)
    if group == "look_at":
        return turn_curve(made.source, index), turn_curve(made.motion, index)
    return made.original_places[:, index], made.places[:, index]


def change_curve(made: Warped, settings: WarpSettings, joint: str, group: str) -> Array:
    """The change ``(T, n)`` that turns or scales of a joint ask for, frame by frame.

    It is the curve b (of a turn, along the body's axes) or a (of a scale) that the clip is warped
    by, through the keys and with their tangents.
    """
    neutral = np.array(NEUTRAL[group])
    mine = {key.frame: key for key in settings.keys if (key.joint, key.group) == (joint, group)}
    if not mine:
        return np.tile(neutral, (len(made.sources), 1))
    keys = [mine[frame] for frame in sorted(mine)]
    sides = [[key.tangent_in for key in keys], [key.tangent_out for key in keys]]
    values = np.array([key.value for key in keys]) - neutral
    speeds = np.array([[neutral * 0.0 if one is None else one for one in side] for side in sides])
    given = [(into is not None, out is not None) for into, out in zip(*sides, strict=True)]
    knots = [Knot(key.frame, given=one) for key, one in zip(keys, given, strict=True)]
    shape = WarpShape((settings.ease, settings.ease), (settings.hold, settings.hold))
    source = made.source
    course = shape.course(knots, values, values + MOMENT * speeds, len(source), source.fps)
    return sample_vectors(course, made.sources) + neutral


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
        ``(T, n)`` the curves as they were and as they are.
    unit
        What they are measured in.
    scale
        What one unit of the keys is on the axis.
    least
        How much of the unit is seen above and below a flat curve.
    change
        Whether they are what keys ask for, without the clip's own motion.
    """

    axes: tuple[int, ...]
    old: Array
    new: Array
    unit: str
    scale: float
    least: float
    change: bool

    @property
    def range(self) -> tuple[float, float]:
        """What is seen of the unit: all curves, with some room."""
        low = float(min(self.old.min(), self.new.min()))
        high = float(max(self.old.max(), self.new.max()))
        room = max(0.12 * (high - low), self.least)
        return low - room, high + room

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
                # Where a joint is to look is said in the panel.
                lock = {"lock": "y"} if key.group == "look_at" else {}
                found.append({**place, "color": AXIS_COLORS[axis], **lock})
        return found

    def tangents(self, made: Warped, keys: Mapping[int, PoseKey]) -> list[dict[str, Any]]:
        """Handles of the tangents of those keys that are dragged in the curves."""
        shown = [
            (index, axis, self.new[:, column], AXIS_COLORS[axis])
            for column, axis in enumerate(self.axes)
            for index, key in keys.items()
            if has_tangents(key)
        ]
        return tangent_handles(made, keys, shown, change=self.change)


def drawn(
    made: Warped, settings: WarpSettings, joint: str, group: str, axis: int | None
) -> DrawnCurves:
    """The curves of a joint's keys of a group: of one axis, or of all."""
    old, new = curves_of(made, settings, joint, group)
    count = old.shape[1]
    axes = tuple(range(count)) if axis is None else (min(axis, count - 1),)
    unit, least = _UNITS[group]
    scale = shown_scale(made, group)
    change = group in CHANGES
    return DrawnCurves(axes, scale * old[:, axes], scale * new[:, axes], unit, scale, least, change)


def shown_scale(made: Warped, group: str) -> float:
    """What one unit of the keys of a group is in the unit that is shown: lengths are in metres."""
    return scale_of(made.source) if _UNITS[group][0] == "m" else 1.0


def contact_times(made: Warped) -> list[float]:
    """Seconds of the result, on whole frames of the clip, at which contacts start and end."""
    ends = {round(at) for one in made.source.constraints for at in (one.start, one.end)}
    return [made.seconds(frame) for frame in sorted(ends) if 0 <= frame < len(made.source)]


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
