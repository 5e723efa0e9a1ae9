"""Single numbers measured on a motion: the parameters of a parametric space.

Every measure is a function of a motion, independent of its position and facing direction. `named`
finds one by the words used on the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from motionweave.body.pose.heading import facing
from motionweave.body.rig.roles import find_rig
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.errors import BlendError

Measure: TypeAlias = Callable[[Motion], float]
# How callers say what to measure: names that `named` knows, or measures of their own by name.
Measures: TypeAlias = str | Sequence[str] | Mapping[str, Measure | str]

# Share of a clip, at its beginning and at its end, over which its heading is averaged: a
# walker's hips swing to and fro with every step.
_END_SHARE = 0.12
_DIRECTIONS = ("side", "height", "forward")
_LIMBS = {"hand": "hand", "foot": "ankle"}


def turn_angle(motion: Motion) -> float:
    """How far the body turns from the beginning of a ``motion`` to its end, in degrees.

    Turns to the left are positive.
    """
    angle = facing(motion)
    ends = max(1, round(_END_SHARE * len(motion)))
    return float(np.degrees(angle[-ends:].mean() - angle[:ends].mean()))


def speed(motion: Motion) -> float:
    """Length of the path of a ``motion`` over the floor divided by time, in units per second."""
    if len(motion) < 2:
        return 0.0
    steps = np.linalg.norm(np.diff(motion.root[:, [0, 2]], axis=0), axis=-1)
    return float(steps.sum() / motion.duration)


def length(motion: Motion) -> float:
    """Seconds from the first frame of a ``motion`` to the last."""
    return motion.duration


def limb_path(motion: Motion, limb: str) -> Array:
    """Positions ``(T, 3)`` of a hand or foot relative to the body at the start.

    Parameters
    ----------
    motion
        T frames.
    limb
        ``left_hand``, ``right_hand``, ``left_foot`` or ``right_foot``.

    Returns
    -------
    numpy.ndarray
        Columns: to the left, up from the lowest joint of the first frame, and forward of where the
        root stood.

    Examples
    --------
    >>> import motionweave as mw
    >>> mw.measures.limb_path(mw.sample("kick_high"), "right_foot").shape[1]
    3
    """
    side, _, part = limb.partition("_")
    if side not in ("left", "right") or part not in _LIMBS:
        raise BlendError(f"limb {limb!r}: expected left or right, then _hand or _foot")
    joint = find_rig(motion.skeleton).joint(f"{side}_{_LIMBS[part]}", f"measuring the {limb}")
    positions = motion.positions()
    start = Planar(facing(motion)[0], motion.root[0, 0], motion.root[0, 2])
    path = start.inverse().apply(positions[:, joint])
    path[:, 1] -= positions[0, :, 1].min()
    return path


def apex(motion: Motion, limb: str) -> Array:
    """Position ``(3,)`` of a ``limb`` of a ``motion`` where it is furthest from where it began.

    Limbs and coordinates are those of `limb_path`.
    """
    path = limb_path(motion, limb)
    frame, _ = _peak(np.linalg.norm(path - path[0], axis=-1))
    first = int(np.clip(round(frame) - 1, 0, max(0, len(path) - 3)))
    return _parabola(path[first : first + 3], frame - first)


def top_speed(motion: Motion, limb: str) -> float:
    """The highest speed of a ``limb`` of a ``motion``, in units per second, as of a punch."""
    if len(motion) < 3:
        return 0.0
    path = limb_path(motion, limb)
    # Over two frames, so that a single noisy frame does not decide.
    speeds = np.linalg.norm(path[2:] - path[:-2], axis=-1) * motion.fps / 2.0
    return _peak(speeds)[1]


def _peak(values: Array) -> tuple[float, float]:
    """Fractional frame and height of the highest point of ``(T,)`` values.

    The top of the parabola through the largest value and its neighbours: the measure must not
    depend on where frames happen to fall around the peak.
    """
    top = int(np.argmax(values))
    if not 0 < top < len(values) - 1:
        return float(top), float(values[top])
    before, middle, after = values[top - 1 : top + 2]
    bend = before - 2.0 * middle + after
    shift = 0.0 if bend == 0.0 else float(np.clip(0.5 * (before - after) / bend, -0.5, 0.5))
    return top + shift, float(_parabola(values[top - 1 : top + 2], 1.0 + shift))


def _parabola(values: Array, at: float) -> Array:
    """The parabola through up to three values ``(3, ...)`` at 0, 1 and 2, evaluated."""
    if len(values) < 3:
        return np.asarray(values[min(round(at), len(values) - 1)])
    a, b, c = values
    t = at - 1.0
    return np.asarray(b + 0.5 * t * (c - a) + 0.5 * t * t * (a - 2.0 * b + c))


def _apex_part(motion: Motion, limb: str, direction: int) -> float:
    return float(apex(motion, limb)[direction])


def names() -> tuple[str, ...]:
    """All names of measures, see `named`."""
    limbs = [f"{side}_{part}" for part in _LIMBS for side in ("left", "right")]
    parts = (*_DIRECTIONS, "speed")
    return ("turn", "speed", "duration", *(f"{limb}_{part}" for limb in limbs for part in parts))


def named(name: str) -> Measure:
    """The measure called ``name``, one of `names`.

    Examples
    --------
    >>> import motionweave as mw
    >>> round(mw.measures.named("turn")(mw.sample("walk_left")), -1)  # degrees
    90.0
    """
    simple: dict[str, Measure] = {"turn": turn_angle, "speed": speed, "duration": length}
    if name in simple:
        return simple[name]
    if name not in names():
        raise BlendError(f"there is no measure {name!r}; there are: {', '.join(names())}")
    limb, _, part = name.rpartition("_")
    if part == "speed":
        return partial(top_speed, limb=limb)
    return partial(_apex_part, limb=limb, direction=_DIRECTIONS.index(part))


def by_name(measures: Measures) -> dict[str, Measure]:
    """Measures by the names they were given: ``"turn"``, ``["turn", "speed"]``, or a mapping
    whose values are measures or their names, such as ``{"height": "right_foot_height"}``."""
    if isinstance(measures, str):
        measures = [measures]
    given = measures if isinstance(measures, Mapping) else {name: name for name in measures}
    return {
        name: named(measure) if isinstance(measure, str) else measure
        for name, measure in given.items()
    }
