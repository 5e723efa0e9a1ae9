"""Moving along a timewarp curve at the pace the weighted motions agree on (Section 5.1).

Two ways to agree are known here. By *durations*, each motion votes for how long a piece of
the curve takes: dt/du = sum_j w_j dS_j/du. By *rates*, as in the paper's Eq. 6, each votes
for how fast to go: du/dt = sum_j w_j du/dS_j; here as the place at which it has played the
time step exactly. Both play a motion at its own pace when its weight is one, and both always
move on. They differ where one motion waits while another acts: by rates the waiting one,
which would skip that piece in no time, makes the other race through it; by durations no
motion is ever played faster than one over its weight.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from motionweave.errors import BlendError

Array = NDArray[np.float64]

PACES = ("durations", "rates")


def by_rates(pace: str) -> bool:
    """Whether motions agree on rates, as in the paper; an error for an unknown word."""
    if pace not in PACES:
        raise BlendError(f"pace {pace!r}: expected one of {', '.join(PACES)}")
    return pace == "rates"


@njit(cache=True)
def _coefficients(control, scale, span):  # type: ignore[no-untyped-def]
    """Of the sum of all motions, each times its scale: value = a v² + b v + c on a span."""
    p, q, r = 0.0, 0.0, 0.0
    for j in range(scale.shape[0]):
        if scale[j] != 0.0:
            p += scale[j] * control[span, j]
            q += scale[j] * control[span + 1, j]
            r += scale[j] * control[span + 2, j]
    return 0.5 * (p - 2.0 * q + r), q - p


@njit(cache=True)
def _place_after(control, scale, u, step, cyclic):  # type: ignore[no-untyped-def]
    """The u at which the scaled sum of the motions has grown by ``step`` since u.

    ``control`` (n, k) holds the uniform quadratic B-spline's control points; span s is
    u in [s, s + 1]. Past the ends the curve repeats if it is cyclic, and goes on straight
    if it is not, so that there is always an answer. ``step`` may be negative.
    """
    spans = control.shape[0] - 2
    laps = 0
    span = int(np.floor(u))
    if cyclic:
        laps = span // spans
        span -= laps * spans
    span = min(max(span, 0), spans - 1)
    v = u - laps * spans - span
    a, b = _coefficients(control, scale, span)
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
            a, b = _coefficients(control, scale, span)
        elif left < 0.0:
            if span == 0:
                if not cyclic:
                    return left / b
                laps -= 1
                span = spans
            span -= 1
            a, b = _coefficients(control, scale, span)
            left += a + b
        else:
            # a v² + b v = left, in the form that stays accurate when a is small.
            root = np.sqrt(max(b * b + 4.0 * a * left, 0.0))
            return laps * spans + span + (2.0 * left / (b + root) if left > 0.0 else 0.0)


@njit(cache=True)
def next_place(control, u, steps, shares, by_rates, cyclic):  # type: ignore[no-untyped-def]
    """Where a blend with these shares (k,) is one time step after u."""
    sign = 1.0 if steps[0] > 0.0 else -1.0
    scale = np.zeros(shares.shape[0])
    if not by_rates:
        for j in range(shares.shape[0]):
            scale[j] = shares[j] / abs(steps[j])
        return _place_after(control, scale, u, sign, cyclic)
    change = 0.0
    for j in range(shares.shape[0]):
        if shares[j] != 0.0:
            scale[:] = 0.0
            scale[j] = 1.0 / abs(steps[j])
            change += shares[j] * (_place_after(control, scale, u, sign, cyclic) - u)
    return u + change


@njit(cache=True)
def _advance(control, u, steps, shares, by_rates, cyclic, result):  # type: ignore[no-untyped-def]
    for i in range(result.shape[0]):
        result[i] = u
        u = next_place(control, u, steps, shares[i], by_rates, cyclic)


def advance(
    control: Array,
    start: float,
    steps: Array,
    shares: Array,
    cyclic: bool,
    pace: str = "durations",
) -> Array:
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
    pace
        ``"durations"`` or ``"rates"``; see the module.

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
        by_rates(pace),
        cyclic,
        result,
    )
    return result
