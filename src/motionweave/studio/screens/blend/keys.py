"""Weights over time: keys, and what lies between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from motionweave.core.arrays import Array
from motionweave.methods.blending.weights import over_time

# A key of the weights over time: seconds, and a weight per clip.
WeightKey = tuple[float, tuple[float, ...]]

# How near to each other keys may be, in seconds.
_KEY_GAP = 0.05


def first_keys(weights: Sequence[float], duration: float) -> tuple[WeightKey, ...]:
    """Keys to begin with: from the present weights over to the least of them."""
    least = int(np.argmin(weights))
    target = tuple(1.0 if j == least else 0.0 for j in range(len(weights)))
    return (0.0, tuple(weights)), (0.35 * duration, tuple(weights)), (0.75 * duration, target)


def weights_at(keys: Sequence[WeightKey], count: int) -> Callable[[float], Array]:
    """The weights ``(count,)`` at a time in seconds."""
    rows = [row if len(row) == count else (1.0,) * count for _, row in keys]
    return over_time([t for t, _ in keys], rows)


def dragged(
    keys: Sequence[WeightKey], index: int, clip: int, at: tuple[float, float], duration: float
) -> tuple[WeightKey, ...]:
    """Keys with a clip's weight at one of them pulled to ``at``, between its neighbours."""
    low = keys[index - 1][0] + _KEY_GAP if index > 0 else 0.0
    high = keys[index + 1][0] - _KEY_GAP if index + 1 < len(keys) else duration
    moved = (float(np.clip(at[0], low, high)), shifted(keys[index][1], clip, at[1]))
    return (*keys[:index], moved, *keys[index + 1 :])


def added(
    keys: Sequence[WeightKey], weights: Sequence[float], at: tuple[float, float]
) -> tuple[WeightKey, ...]:
    """Keys with one more through ``at``; as they are if one is there already.

    ``weights`` are those that hold where there is no key yet.
    """
    x, y = at
    if any(abs(t - x) < _KEY_GAP for t, _ in keys):
        return tuple(keys)
    row = weights_at(keys or ((0.0, tuple(weights)),), len(weights))(x)
    # The curve nearest to the place is the one that is pulled there.
    nearest = int(np.argmin(np.abs(row - y)))
    return tuple(sorted([*keys, (x, shifted(tuple(float(w) for w in row), nearest, y))]))


def shifted(row: tuple[float, ...], index: int, value: float) -> tuple[float, ...]:
    """Weights with one of them set; the others share the rest in their old proportions."""
    value = float(np.clip(value, 0.0, 1.0))
    rest = sum(row) - row[index]
    if rest <= 1e-9:
        others = [(1.0 - value) / (len(row) - 1)] * len(row)
    else:
        others = [w / rest * (1.0 - value) for w in row]
    return tuple(value if j == index else w for j, w in enumerate(others))
