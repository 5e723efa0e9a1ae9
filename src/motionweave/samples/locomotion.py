"""The built-in clips that travel or turn: walk, jog and sneak on various courses."""

from __future__ import annotations

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.numerics.curves import smootherstep
from motionweave.errors import MotionError
from motionweave.samples.gait import arc, integrated, locomotion, styled
from motionweave.samples.take import Take

# How sharply the clips that curve do so, 1 / metre.
_CURVES = {"walk": 0.45, "jog": 0.22, "sneak": 0.7}
_CYCLES = 3


def travel(
    fps: float,
    style: str = "walk",
    speed: float | None = None,
    stride: float | None = None,
    curvature: float = 0.0,
    duration: float | None = None,
    lead: str = "left",
) -> Take:
    """A gait along an arc.

    Parameters
    ----------
    style
        ``"walk"``, ``"jog"`` or ``"sneak"``.
    speed, stride
        Metres per second, and metres in two steps; those of the style if not given.
    curvature
        Of the path, 1 / metre; positive to the left.
    duration
        Seconds; three cycles if not given.
    lead
        Which foot comes down at time 0, ``"left"`` or ``"right"``.
    """
    gait = styled(style, speed, stride)
    long = _CYCLES * gait.cycle if duration is None else duration
    if not (np.isfinite(curvature) and np.isfinite(long) and long > 0.0):
        raise MotionError(
            f"curvature {curvature}, duration {long}: expected numbers, and a positive duration"
        )
    if lead not in ("left", "right"):
        raise MotionError(f"lead {lead!r}: expected left or right")
    return locomotion(gait, arc(gait.speed, curvature), long, fps, lead)


def default_curvature(style: str, side: str) -> float:
    """Of the clips that curve: positive to the left, 0 for a straight one."""
    return {"": 0.0, "left": 1.0, "right": -1.0}[side] * _CURVES[style]


def sharp_turn(fps: float, angle: float = 180.0, style: str = "walk") -> Take:
    """A gait that slows down, turns around within a few steps, and continues.

    Parameters
    ----------
    angle
        How far it turns, degrees; positive to the left.
    style
        ``"walk"`` or ``"sneak"``.
    """
    if style not in ("walk", "sneak"):
        raise MotionError(f"style {style!r}: a sharp turn exists only for walk and sneak")
    if not (np.isfinite(angle) and abs(angle) <= 360.0):
        raise MotionError(f"angle {angle}: expected -360 to 360 degrees")
    gait = styled(style)
    cycle = gait.cycle
    # Two steps to slow down, up to three cycles to turn, and two to get going again.
    turning = cycle * max(0.5, abs(angle) / 110.0)
    first = 1.5 * cycle
    last = first + turning
    end = last + 1.5 * cycle
    slow = 1.0 - 0.72 * min(1.0, abs(angle) / 120.0)

    def speed(t: Array) -> Array:
        t = np.asarray(t)
        braked = smootherstep((t - first + 0.6 * cycle) / (0.8 * cycle))
        released = smootherstep((t - last + 0.2 * cycle) / (0.8 * cycle))
        return gait.speed * (1.0 - (1.0 - slow) * (braked - released))

    def heading(t: Array) -> Array:
        return np.radians(angle) * smootherstep((np.asarray(t) - first) / turning)

    course = integrated(speed, heading, -3.0 * cycle, end + 3.0 * cycle)
    # The foot on the inside of the turn leads into it.
    return locomotion(gait, course, end, fps, "left" if angle >= 0.0 else "right")
