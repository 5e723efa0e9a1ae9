"""The built-in clips that travel or turn: walk, jog and sneak on various courses."""

from __future__ import annotations

import numpy as np

from motionweave.errors import MotionError
from motionweave.samples.gait import arc, locomotion, styled
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
        Metres a second, and metres in two steps; those of the style if not given.
    curvature
        Of the way, 1 / metre; positive to the left.
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
