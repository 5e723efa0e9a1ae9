"""Blend weights as given by users, turned into one row per frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.checks import shown
from motionweave.errors import BlendError

# Constant weights (k,), a row per frame (T, k), or a function of the time in seconds.
Weights: TypeAlias = Sequence[float] | Array | Callable[[float], Sequence[float] | Array]

# A sum smaller than this part of the weights' size cannot be scaled to one sensibly.
_VANISHING = 1e-6


def normalized(weights: Sequence[float] | Array, inputs: int) -> Array:
    """Weights ``(k,)`` or ``(T, k)`` scaled so that each row sums to one.

    Raises
    ------
    BlendError
        If there are not ``inputs`` of them, one is not finite, or a row sums to zero.
    """
    try:
        rows = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BlendError(f"weights {shown(weights)}: expected numbers") from None
    if rows.ndim not in (1, 2) or rows.shape[-1] != inputs:
        got = f"{rows.shape[-1]}" if rows.ndim == 1 else f"shape {rows.shape}"
        raise BlendError(
            f"the curve has {inputs} motions, so {inputs} weights are needed; got {got}"
        )
    if rows.ndim == 2 and len(rows) == 0:
        raise BlendError("weights: there are no rows, so there are no frames to blend")
    if not np.isfinite(rows).all():
        where = f" in row {np.argwhere(~np.isfinite(rows))[0][0]}" if rows.ndim == 2 else ""
        raise BlendError(f"weights must be finite numbers; one is not{where}")
    total = rows.sum(axis=-1, keepdims=True)
    size = np.abs(rows).sum(axis=-1, keepdims=True)
    vanishing = np.abs(total) <= _VANISHING * size
    if vanishing.any():
        where = f" in row {np.argwhere(vanishing)[0][0]}" if rows.ndim == 2 else ""
        raise BlendError(
            f"weights that sum to zero cannot be blended{where}; give at least one clip a weight"
        )
    return np.asarray(rows / total)


def votes(weights: Array) -> Array:
    """Shares in the pace, ``(..., k)``: never negative (Section 5.1)."""
    size = np.abs(weights)
    return np.asarray(size / size.sum(axis=-1, keepdims=True))


def over_time(
    times: Sequence[float] | Array, rows: Sequence[Sequence[float]] | Array
) -> Callable[[float], Array]:
    """A smooth weight function through rows ``(n, k)`` of weights at ``(n,)`` seconds.

    Monotone cubic in between, so that it does not overshoot; constant before the first
    and after the last time.
    """
    at = np.array(times, dtype=np.float64)
    values = np.array(rows, dtype=np.float64)
    if at.ndim != 1 or values.ndim != 2 or len(at) != len(values) or len(at) == 0:
        raise BlendError(f"weights over time: {at.shape} times do not fit rows {values.shape}")
    if np.any(np.diff(at) <= 0.0):
        raise BlendError("weights over time: the times must increase")
    if len(at) == 1:
        return lambda _: values[0]
    from scipy.interpolate import PchipInterpolator

    curve = PchipInterpolator(at, values, axis=0)
    return lambda t: np.asarray(curve(np.clip(t, at[0], at[-1])))
