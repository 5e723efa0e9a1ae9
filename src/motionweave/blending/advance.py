"""Moving along a timewarp curve at the pace the weighted motions vote for (Section 5.1).

Each motion votes for the place on the curve at which it has played exactly the time
step more; the votes are averaged by weight. In the limit this is the paper's Eq. 6,
it is exact when one weight is one, and it always moves on.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]


@njit(cache=True)
def vote(control, j, u, step, cyclic):  # type: ignore[no-untyped-def]
    """The u at which motion j has played ``step`` frames more (less, if negative) than at u.

    ``control`` (n, k) holds the uniform quadratic B-spline's control points; span s is
    u in [s, s + 1]. Past the ends the curve repeats if it is cyclic, and goes on straight
    if it is not, so that there is always an answer.
    """
    spans = control.shape[0] - 2
    laps = 0
    span = int(np.floor(u))
    if cyclic:
        laps = span // spans
        span -= laps * spans
    span = min(max(span, 0), spans - 1)
    v = u - laps * spans - span
    a = 0.5 * (control[span, j] - 2.0 * control[span + 1, j] + control[span + 2, j])
    b = control[span + 1, j] - control[span, j]
    # How far the target lies from the start of the span.
    if v < 0.0:
        left = b * v + step
    elif v > 1.0:
        left = a + b + (b + 2.0 * a) * (v - 1.0) + step
    else:
        left = (a * v + b) * v + step
    while True:
        length = a + b
        if left > length:
            if span == spans - 1:
                if not cyclic:
                    return spans + (left - length) / (b + 2.0 * a)
                laps += 1
                span = -1
            left -= length
            span += 1
        elif left < 0.0:
            if span == 0:
                if not cyclic:
                    return left / b
                laps -= 1
                span = spans
            span -= 1
            before = 0.5 * (control[span + 2, j] - control[span, j])
            left += before
        else:
            # a v^2 + b v = left, in the form that stays accurate when a is small.
            root = np.sqrt(max(b * b + 4.0 * a * left, 0.0))
            return laps * spans + span + (2.0 * left / (b + root) if left > 0.0 else 0.0)
        a = 0.5 * (control[span, j] - 2.0 * control[span + 1, j] + control[span + 2, j])
        b = control[span + 1, j] - control[span, j]


@njit(cache=True)
def _advance(control, u, steps, shares, cyclic, result):  # type: ignore[no-untyped-def]
    for i in range(result.shape[0]):
        result[i] = u
        voted = 0.0
        for j in range(shares.shape[1]):
            if shares[i, j] != 0.0:
                voted += shares[i, j] * (vote(control, j, u, steps[j], cyclic) - u)
        u += voted


def advance(control: Array, start: float, steps: Array, shares: Array, cyclic: bool) -> Array:
    """Places on the curve, one a frame, the first being ``start``.

    Parameters
    ----------
    control
        ``(n, k)`` control points of the timewarp curve, in frames of each motion.
    start
        Where to begin, in spans of the curve.
    steps
        ``(k,)`` how many of its own frames each motion plays in one output frame;
        negative to go backwards.
    shares
        ``(T, k)`` each motion's say in each frame, rows summing to one.
    cyclic
        Whether the curve closes on itself.

    Returns
    -------
    ``(T,)`` places in spans; those past the end of an open curve lie outside it.
    """
    result = np.empty(len(shares))
    _advance(
        np.ascontiguousarray(control),
        float(start),
        np.ascontiguousarray(steps),
        np.ascontiguousarray(shares),
        cyclic,
        result,
    )
    return result
