"""Key-framed curves: what lies between keys, and how many frames a second suit them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.curves import hermite_basis

# Frame rates that files have; if times fit one of them, that is meant.
_RATES = (
    *(24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 90.0, 100.0, 120.0, 144.0, 200.0, 240.0),
    *(24000 / 1001, 30000 / 1001, 60000 / 1001),
)
# Times are seldom kept with more than float32's precision.
_PRECISION = 4.0 * float(np.finfo(np.float32).eps)
# Share of a frame by which a key may miss its frame.
_MISSES = 1e-3
# Evenly spaced keys that are fewer than this a second are poses to go between, not frames.
_SLOWEST = 10.0
# For keys that fit no rate.
_FINE = 60.0


@dataclass(frozen=True, eq=False)
class Curve:
    """Keys of one property of one node.

    Parameters
    ----------
    times
        ``(K,)`` seconds, ascending.
    values
        ``(K, n)``; for ``"CUBICSPLINE"`` ``(K, 3, n)``: tangent in, value, tangent out.
    interpolation
        ``"LINEAR"``, ``"STEP"`` or ``"CUBICSPLINE"``, as in glTF.
    turns
        Whether the values are quaternions.
    """

    times: Array
    values: Array
    interpolation: str = "LINEAR"
    turns: bool = False

    def at(self, times: Array) -> Array:
        """Values ``(T, n)``; the first and the last key hold beyond them."""
        keys = self.times
        cubic = self.interpolation == "CUBICSPLINE"
        points = self.values[:, 1] if cubic else self.values
        if len(keys) == 1:
            return np.repeat(points, len(times), axis=0)
        lower = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, len(keys) - 2)
        span = keys[lower + 1] - keys[lower]
        safe = np.where(span > 0.0, span, 1.0)
        share = np.clip((times - keys[lower]) / safe, 0.0, 1.0)
        # A key is hit exactly, although times are rounded.
        slack = _MISSES + _PRECISION * np.abs(times) / safe
        share = np.where(share < slack, 0.0, np.where(share > 1.0 - slack, 1.0, share))
        if self.interpolation == "STEP":
            return np.asarray(points[lower + (share == 1.0)])
        a, b, t = points[lower], points[lower + 1], share[:, None]
        if cubic:
            rise, out, into = hermite_basis(t)
            result = (1.0 - rise) * a + rise * b
            result += span[:, None] * (
                out * self.values[lower, 2] + into * self.values[lower + 1, 0]
            )
            return rotations.normalize(result) if self.turns else np.asarray(result)
        if self.turns:
            return rotations.slerp(a, b, share)
        return np.asarray(a + t * (b - a))


def frame_rate(times: Sequence[Array]) -> float:
    """Frames a second that suit keys at ``times``, one ascending row of seconds a curve.

    If keys are evenly spaced, so are the frames; if all of them fall on frames of a usual
    rate, it is that; else 60.
    """
    every = np.unique(np.concatenate(times))
    steps = np.diff(every)
    # The same time, rounded twice.
    steps = steps[steps > _PRECISION * np.maximum(np.abs(every[1:]), 1e-3)]
    if len(steps) == 0:
        return 30.0
    step = float(np.median(steps))
    slack = _MISSES * step + _PRECISION * float(np.abs(every).max())
    if step * _SLOWEST <= 1.0 and np.all(np.abs(steps - step) <= 2.0 * slack):
        duration = float(every[-1] - every[0])
        rate = max(1.0, round(duration / step)) / duration
        usual = min(_RATES, key=lambda one: abs(one / rate - 1.0))
        if abs(usual / rate - 1.0) < 1e-4:
            return usual
        whole = round(rate)
        return float(whole) if whole and abs(whole / rate - 1.0) < 1e-4 else rate
    for rate in _RATES:
        frames = (every - every[0]) * rate
        if np.all(np.abs(frames - np.round(frames)) < 1e-2):
            return rate
    return _FINE
