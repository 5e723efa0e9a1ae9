"""Units of length: what a motion's numbers mean, for formats that fix their unit."""

from __future__ import annotations

from motionweave.body.size import body_height
from motionweave.core.checks import number
from motionweave.core.motion import Motion
from motionweave.core.units import UNITS
from motionweave.errors import FormatError

# How tall characters are in files of each unit; the ranges do not overlap.
_HEIGHTS = {"cmu": (18.0, 45.0), "in": (45.0, 85.0), "cm": (85.0, 400.0), "mm": (400.0, 4000.0)}
# What a unit of length may be.
_METRES = (1e-6, 1e6)


def metres_a_unit(motion: Motion, unit: str | float | None = None) -> float:
    """Metres in one unit of a motion.

    Parameters
    ----------
    motion
        The motion. If its file stated its unit, that is used; otherwise the unit is guessed from
        the body height, and taken for a metre if no unit makes a person of it.
    unit
        A name in `UNITS` or metres a unit, to say it instead.
    """
    if isinstance(unit, str):
        if unit not in UNITS:
            raise FormatError(f"unit {unit!r}: expected one of {', '.join(UNITS)}, or metres")
        return UNITS[unit]
    if unit is not None:
        return number(unit, "unit", *_METRES)
    said = motion.source.get("metres_a_unit")
    if isinstance(said, float) and _METRES[0] <= said <= _METRES[1]:
        return said
    for name, (low, high) in _HEIGHTS.items():
        if low <= body_height(motion.skeleton) < high:
            return UNITS[name]
    return 1.0
