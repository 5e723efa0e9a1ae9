"""Keys and curves of the warp screen as its widgets draw them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionweave.studio.screens.warp_model import Warped, WarpSettings

Array = NDArray[np.float64]

# Points that a curve is drawn with.
_DRAWN = 400


def rows(settings: WarpSettings, made: Warped, joint: str) -> list[dict[str, Any]]:
    """The track: time first, then the joint that is chosen, then all others that have keys."""
    joints = dict.fromkeys([joint, *(key.joint for key in settings.keys)])
    times = [
        {"id": f"t{i}", "at": output / made.motion.fps, "text": f"{source:g}"}
        for i, (output, source) in enumerate(settings.times)
    ]
    return [
        {"id": "time", "name": "time", "marks": times},
        *(
            {
                "id": name,
                "name": spoken(name),
                "marks": [
                    {"id": f"k{i}", "at": made.seconds(key.frame)}
                    for i, key in enumerate(settings.keys)
                    if key.joint == name
                ],
            }
            for name in joints
        ),
    ]


def line(values: Array, fps: float) -> list[list[float]]:
    """A curve ``(T,)`` as points (seconds, value), no more than can be seen."""
    step = max(1, -(-len(values) // _DRAWN))
    frames = np.arange(0, len(values), step)
    points: list[list[float]] = np.stack([frames / fps, values[frames]], axis=1).round(4).tolist()
    return points


def padded(*curves: Array) -> tuple[float, float]:
    """The range of curves, with some room."""
    low, high = min(float(c.min()) for c in curves), max(float(c.max()) for c in curves)
    room = max(0.12 * (high - low), 1e-3)
    return low - room, high + room


def spoken(joint: str) -> str:
    """A joint's name as it is shown."""
    return joint.replace("_", " ")
