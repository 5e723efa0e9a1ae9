"""How many frames per second suit the keys of curves.

Kept apart from the curves, because a reader in a separate process needs this and little else.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionweave.core.arrays import Array

# Frame rates that files have; if times fit one of them, that is meant.
_RATES = (
    *(24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 72.0, 90.0, 100.0, 120.0, 144.0, 200.0, 240.0),
    *(24000 / 1001, 30000 / 1001, 60000 / 1001),
)
# Times are seldom kept with more than float32's precision.
PRECISION = 4.0 * float(np.finfo(np.float32).eps)
# Share of a frame by which a key may miss its frame.
MISSES = 1e-3
# Evenly spaced keys that are fewer than this a second are poses to go between, not frames.
_SLOWEST = 10.0
# For keys that fit no rate.
_FINE = 60.0


def frame_rate(times: Sequence[Array]) -> float:
    """Frames per second that suit keys at ``times``, one ascending row of seconds per curve.

    If keys are evenly spaced, so are the frames; if all of them fall on frames of a usual
    rate, it is that; else 60.
    """
    every = np.unique(np.concatenate(times))
    steps = np.diff(every)
    # The same time, rounded twice.
    steps = steps[steps > PRECISION * np.maximum(np.abs(every[1:]), 1e-3)]
    if len(steps) == 0:
        return 30.0
    step = float(np.median(steps))
    slack = MISSES * step + PRECISION * float(np.abs(every).max())
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
