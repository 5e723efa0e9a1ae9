"""Moving along a timewarp curve at the pace the weighted motions agree on (Section 5.1).

There are two ways to agree. By *durations*, each motion votes for how long a piece of the curve
takes: dt/du = sum_j w_j dS_j/du. By *rates*, as in the paper's Eq. 6, each votes for a speed: du/dt
= sum_j w_j du/dS_j; here as the place at which it has played the time step exactly. Both play a
motion at its own pace when its weight is one, and both always advance. They differ where one motion
pauses while another acts: by rates, the pausing one, which would skip that piece in no time, makes
the other race through it; by durations no motion is ever played faster than one over its weight.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.checks import check_choice
from motionweave.core.numerics.splines import QuadraticSpline
from motionweave.core.runtime.kernels import kernel
from motionweave.errors import BlendError

Pace = Literal["durations", "rates"]


def by_rates(pace: Pace) -> bool:
    """Whether motions agree on rates, as in the paper; an error for an unknown word."""
    check_choice(pace, Pace, "pace", BlendError)
    return pace == "rates"


@kernel()
def next_places(control, u, steps, shares, by_rates, cyclic, places):  # type: ignore[no-untyped-def]
    """Where a blend with shares (T, k) is after each of T time steps from u, into ``places`` (T,).

    ``control`` (n, k) holds the uniform quadratic B-spline's control points; span s is u in
    [s, s + 1]. Past the ends the curve repeats if it is cyclic, and continues straight if it is
    not, so that there is always an answer. ``steps`` (k,) may be negative.
    """
    spans, clips = control.shape[0] - 2, control.shape[1]
    for i in range(places.shape[0]):
        place = u
        # By durations all take the time step together, by rates each on its own.
        for voter in range(clips if by_rates else 1):
            if by_rates and shares[i, voter] == 0.0:
                continue
            span = math.floor(u)
            laps = span // spans if cyclic else 0
            span -= laps * spans
            span = 0 if span < 0 else spans - 1 if span >= spans else span
            v = u - laps * spans - span
            # The target, in time steps from the start of the span, once that is known.
            left, moved, there = 1.0 if steps[0] > 0.0 else -1.0, 0, u
            while True:
                p, q, r = 0.0, 0.0, 0.0
                for j in range(clips):
                    if j == voter or not by_rates:
                        scale = (1.0 if by_rates else shares[i, j]) / abs(steps[j])
                        p += scale * control[span, j]
                        q += scale * control[span + 1, j]
                        r += scale * control[span + 2, j]
                # The scaled sum of the motions is a v² + b v and a constant on the span.
                a, b = 0.5 * (p - 2.0 * q + r), q - p
                length = a + b
                if moved < 0:
                    left += length
                elif moved == 0 and v < 0.0:
                    left += b * v
                elif moved == 0 and v > 1.0:
                    left += length + (b + 2.0 * a) * (v - 1.0)
                elif moved == 0:
                    left += (a * v + b) * v
                if left > length and (cyclic or span < spans - 1):
                    left -= length
                    moved, span = 1, span + 1
                    if span == spans:
                        laps, span = laps + 1, 0
                elif left < 0.0 and (cyclic or span > 0):
                    moved, span = -1, span - 1
                    if span < 0:
                        laps, span = laps - 1, spans - 1
                else:
                    there = laps * spans + span
                    if left > length:
                        there += 1.0 + (left - length) / (b + 2.0 * a)
                    elif left < 0.0:
                        there += left / b
                    elif left > 0.0:
                        # a v² + b v = left, in the form that stays accurate when a is small.
                        there += 2.0 * left / (b + math.sqrt(max(b * b + 4.0 * a * left, 0.0)))
                    break
            place = place + shares[i, voter] * (there - u) if by_rates else there
        u = place
        places[i] = place


def advance(
    control: Array,
    start: float,
    steps: Array,
    shares: Array,
    cyclic: bool,
    pace: Pace = "durations",
) -> Array:
    """Places on the curve, one per frame, the first being ``start``.

    Parameters
    ----------
    control
        ``(n, k)`` control points of the timewarp curve, in frames of each motion.
    start
        Where to start, in spans of the curve.
    steps
        ``(k,)`` how many of its own frames each motion plays in one output frame;
        negative to go backwards.
    shares
        ``(T, k)`` each motion's share in the pace at each frame, rows summing to one.
    cyclic
        Whether the curve closes on itself.
    pace
        ``"durations"`` or ``"rates"``; see the module.

    Returns
    -------
    ``(T,)`` places in spans; those past the end of an open curve lie outside it.
    """
    rates = by_rates(pace)
    if not rates and len(shares) > 0 and np.all(shares == shares[0]):
        return _steady_places(control, start, steps, shares, cyclic)
    places = np.empty(len(shares) + 1)
    places[0] = start
    next_places(
        np.array(control, dtype=np.float64),
        float(start),
        np.array(steps, dtype=np.float64),
        np.array(shares, dtype=np.float64),
        rates,
        cyclic,
        places[1:],
    )
    return places[:-1]


def _steady_places(
    control: Array, start: float, steps: Array, shares: Array, cyclic: bool
) -> Array:
    """As `advance` by durations with shares ``(T, k)`` that never change.

    The time steps that pass are then one function of the place, a quadratic B-spline as the
    motions' own frames are, and its inverse gives all places at once.
    """
    passed = np.asarray(control @ (shares[0] / np.abs(steps)))[:, None]
    spans = float(len(passed) - 2)
    whole = 0.5 * (passed[-1] + passed[-2] - passed[0] - passed[1])
    time = QuadraticSpline(passed, 0.0, spans, whole if cyclic else None)
    ends = np.array([0.0, spans])
    # Past its ends an open curve continues straight.
    slopes, outermost = time.derivative(ends)[:, 0], time(ends)[:, 0]
    begin = start if cyclic else min(max(start, 0.0), spans)
    now = float(time(begin)[0]) + (start - begin) * slopes[int(start > begin)]
    count = np.arange(len(shares))
    times = now + count if steps[0] > 0.0 else now - count
    places = time.inverse(0, times)
    if not cyclic:
        places += np.minimum(times - outermost[0], 0.0) / slopes[0]
        places += np.maximum(times - outermost[1], 0.0) / slopes[1]
    places[0] = start
    return places
