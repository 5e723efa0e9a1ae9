"""Which frames of a clip are meant: by number, slice, moment or second."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core import checks
from motionweave.core.arrays import Array
from motionweave.errors import MotionError

# How far outside the clip a sampled frame may lie before it is an error, not rounding.
_TOLERANCE = 1e-6


def chosen(key: Any, count: int) -> range:
    """The frames that ``motion[key]`` means, in a clip of ``count`` frames.

    Raises
    ------
    MotionError
        If it names no frame of the clip, or runs backwards.
    """
    if not isinstance(key, slice):
        index = checks.whole(key, "frame", -checks.MOST_FRAMES, checks.MOST_FRAMES)
        if not -count <= index < count:
            raise MotionError(f"frame {index}: the clip has {count} frames")
        return range(index % count, index % count + 1)
    try:
        frames = range(*key.indices(count))
    except (TypeError, ValueError) as error:
        raise MotionError(f"frames {checks.shown(key)}: {error}") from None
    if frames.step < 1:
        raise MotionError("a slice of a motion must run forwards; use sample() to reverse time")
    if len(frames) == 0:
        raise MotionError(f"the slice {key} contains none of the clip's {count} frames")
    return frames


def moments(frames: ArrayLike, count: int, called: str) -> Array:
    """Fractional frames ``(n,)`` of a clip, given as numbers or as one number.

    Raises
    ------
    MotionError
        If there is none, or one is not in the clip, which the message names as ``called``.
    """
    single = isinstance(frames, int | float | np.generic)
    at = checks.array([frames] if single else frames, "frames to sample", (None,))
    last = count - 1
    if at.size == 0:
        raise MotionError("frames to sample: expected one or more finite numbers")
    if at.min() < -_TOLERANCE or at.max() > last + _TOLERANCE:
        raise MotionError(
            f"frames {at.min():g} to {at.max():g} are not all in the clip"
            f"{called}, which has frames 0 to {last}"
        )
    return np.clip(at, 0.0, last)


def at_rate(count: int, fps: float, new: float) -> Array:
    """The moments ``(n,)`` of ``count`` frames that are the frames at another rate."""
    # The last whole step that still lies in the clip (with room for rounding).
    steps = int(np.floor((count - 1) / fps * new + _TOLERANCE)) + 1
    return np.minimum(np.arange(steps) * (fps / new), count - 1)


def between(start: float, end: float | None, count: int, fps: float, called: str) -> slice:
    """The nearest whole frames from ``start`` to ``end`` in seconds.

    Raises
    ------
    MotionError
        If they are not in the clip, which the message names as ``called``.
    """
    duration = (count - 1) / fps
    last = duration if end is None else end
    if not 0.0 <= start <= last <= duration + 0.5 / fps:
        raise MotionError(
            f"{start:g} to {last:g} seconds are not in the clip{called}, "
            f"which lasts {duration:.3g} seconds"
        )
    return slice(round(start * fps), round(last * fps) + 1)
