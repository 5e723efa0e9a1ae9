"""The trace of a blend: where on the curve each frame lies, and what it is made of.

A frame of the blend is made in four steps: find the place on the timewarp curve (`walk`),
put the aligned frames on the floor (`placements`), average them (`ClipStack.average`), and
say which constraints hold (`blended_constraints`): Section 5 of Kovar & Gleicher.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array, sealed
from motionweave.core.constraints import Constraint
from motionweave.core.intervals import not_negative
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.errors import BlendError
from motionweave.methods.blending.advance import Pace, advance
from motionweave.methods.blending.clips import ClipStack
from motionweave.methods.blending.weights import Weights, normalized, votes
from motionweave.registration.curve import RegistrationCurve
from motionweave.registration.markers import MarkerCurve

Direction = Literal["forward", "backward", "both"]

# Frames averaged at a time: bounds the memory of long blends of many motions.
_CHUNK = 1024
# A place this far beyond the end of the curve, in output frames, still counts as the end.
_END_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Trace:
    """Where on the curve each frame of a blend lies, and what it is made of.

    Parameters
    ----------
    u
        ``(T,)`` places on the curve; on a cyclic curve they keep growing past its end.
    weights
        ``(T, k)``, rows summing to one.
    moves
        ``(T, k)`` where each motion's frame is put on the floor: T(t) A_j(u).
    fps
        Frames per second of the blend.
    """

    u: Array
    weights: Array
    moves: Planar
    fps: float


def trace_of(
    curve: RegistrationCurve,
    weights: Weights,
    *,
    start: float | None = None,
    duration: float | None = None,
    direction: Direction = "forward",
    fps: float | None = None,
    pace: Pace = "durations",
) -> Trace:
    """The trace of a blend, whose parameters are those of `blend`."""
    rate = curve.motions[0].fps if fps is None else float(fps)
    if not (np.isfinite(rate) and rate > 0):
        raise BlendError(f"frame rate {fps}: expected a positive number")
    begin = curve.timewarp.start if start is None else float(start)
    if not curve.cyclic and not curve.timewarp.start <= begin <= curve.timewarp.end:
        raise BlendError(
            f"start {begin:g} is not on the curve, which runs from "
            f"{curve.timewarp.start:g} to {curve.timewarp.end:g}"
        )
    if direction == "forward":
        u, rows = walk(curve, weights, begin, duration, rate, 1, pace)
    elif direction == "backward":
        u, rows = walk(curve, weights, begin, duration, rate, -1, pace)
        u, rows = u[::-1], rows[::-1]
    else:
        if not callable(weights) and np.ndim(weights) == 2:
            raise BlendError("one row of weights per frame needs direction 'forward' or 'backward'")
        ahead, rows_ahead = walk(curve, weights, begin, duration, rate, 1, pace)
        behind, rows_behind = walk(curve, weights, begin, duration, rate, -1, pace)
        u = np.concatenate([behind[:0:-1], ahead])
        rows = np.concatenate([rows_behind[:0:-1], rows_ahead])
    return Trace(u, rows, placements(curve, u, rows), rate)


def walk(
    curve: RegistrationCurve | MarkerCurve,
    weights: Weights,
    begin: float,
    duration: float | None,
    rate: float,
    sign: int,
    pace: Pace,
) -> tuple[Array, Array]:
    """Places ``(T,)`` and weights ``(T, k)`` from ``begin`` on, in the order they are made."""
    spline = curve.timewarp.spline
    scale = (spline.end - spline.start) / spline.spans
    longest = max(m.duration for m in curve.motions)
    seconds = longest if duration is None else float(duration)
    if not (np.isfinite(seconds) and seconds >= 0.0):
        raise BlendError(f"duration {duration}: expected seconds, zero or more")
    # Time on an open curve never takes longer than its slowest motion does.
    count = int(np.floor((seconds if curve.cyclic else min(seconds, longest)) * rate + 1e-6)) + 2
    rows = _rows(weights, len(curve.motions), count, rate, sign)
    steps = np.array([sign * m.fps / rate for m in curve.motions])
    place = advance(
        spline.control, (begin - spline.start) / scale, steps, votes(rows), curve.cyclic, pace
    )
    u = spline.start + scale * place
    step = np.abs(np.diff(u)).max(initial=0.0)
    if curve.cyclic and duration is None:
        period = spline.end - spline.start
        inside = np.abs(u - begin) <= period + _END_TOLERANCE * step
    elif duration is not None:
        inside = np.arange(len(u)) / rate <= seconds + 1e-6 / rate
    else:
        inside = np.ones(len(u), dtype=bool)
    if not curve.cyclic:
        slack = _END_TOLERANCE * step
        inside &= (u >= spline.start - slack) & (u <= spline.end + slack)
        u = np.clip(u, spline.start, spline.end)
    return u[inside], rows[inside]


def _rows(weights: Weights, inputs: int, count: int, rate: float, sign: int) -> Array:
    """Normalised weights ``(T, k)``: ``count`` rows, or as many as were given."""
    if callable(weights):
        given = [np.asarray(weights(sign * i / rate), dtype=np.float64) for i in range(count)]
        wrong = next((row.shape for row in given if row.shape != (inputs,)), None)
        if wrong is not None:
            raise BlendError(
                f"the weight function must return {inputs} numbers, one per motion; got shape "
                f"{wrong}"
            )
        return normalized(np.array(given), inputs)
    rows = normalized(weights, inputs)
    return np.tile(rows, (count, 1)) if rows.ndim == 1 else rows


def placements(curve: RegistrationCurve, u: Array, weights: Array) -> Planar:
    """Where on the floor each motion's frame goes, ``(T, k)``: T(t_i) A_j(u_i) (Section 5.2).

    Each motion votes for the T that leaves its own coordinate system unchanged since the
    frame before (Eq. 8); the votes are averaged (Eq. 9) about the middle of the aligned
    frames. That origin lies in the space that T acts on, not in the world as in the paper:
    so the result does not depend on where in the world the blend takes place.
    """
    place = on_curve(curve, u)
    aligned = curve.alignment.at(place)
    roots = ClipStack.of(curve.motions).roots(curve.timewarp.frames(place))
    before, after = aligned[:-1], aligned[1:]
    if curve.displacement is not None:
        laps = np.round((u - place) / (curve.timewarp.end - curve.timewarp.start))
        before = _carried_over(before, curve.displacement, np.diff(laps).astype(int))
    step = before @ after.inverse()
    # Nothing turns far in one frame; a full turn in the alignment is only bookkeeping.
    turn = np.mod(step.angle + np.pi, 2.0 * np.pi) - np.pi
    origin = aligned.apply(roots)[..., [0, 2]].mean(axis=1)
    moved = Planar(turn, step.x, step.z).mean(weights[1:], origin[1:])
    return accumulated(aligned[0, 0].inverse(), moved)[:, None] @ aligned


def on_curve(curve: RegistrationCurve, u: Array) -> Array:
    """Places ``(T,)`` of an endless blend wrapped onto a cyclic curve; others unchanged."""
    if not curve.cyclic:
        return u
    start, period = curve.timewarp.start, curve.timewarp.end - curve.timewarp.start
    return np.asarray(start + np.mod(u - start, period))


def _carried_over(before: Planar, moves: Planar, laps: NDArray[np.int_]) -> Planar:
    """Alignments ``(T, k)`` that look across the seam of a cyclic curve where a lap ends there.

    A frame of the next lap is the same frame of this lap moved by one cycle, ``moves`` ``(k,)``.
    """
    if np.abs(laps).max(initial=0) > 1:
        raise BlendError("a frame lasts longer than a whole cycle; give a higher frame rate")
    ways = (before @ moves.inverse(), before, before @ moves)
    return Planar(
        *(
            np.choose(laps[:, None] + 1, [getattr(way, field) for way in ways])
            for field in ("angle", "x", "z")
        )
    )


def accumulated(first: Planar, steps: Planar) -> Planar:
    """``first``, ``first @ steps[0]``, ``first @ steps[0] @ steps[1]``, …: ``(T,)``."""
    angle = first.angle + np.concatenate([[0.0], np.cumsum(steps.angle)])
    cos, sin = np.cos(angle[:-1]), np.sin(angle[:-1])
    x = first.x + np.concatenate([[0.0], np.cumsum(cos * steps.x + sin * steps.z)])
    z = first.z + np.concatenate([[0.0], np.cumsum(-sin * steps.x + cos * steps.z)])
    return Planar(angle, x, z)


def assemble(curve: RegistrationCurve, trace: Trace) -> Motion:
    """The blended motion of a trace (Section 5.3), with its constraints; neither cleaned nor
    checked.
    """
    stack = ClipStack.of(curve.motions)
    frames = curve.timewarp.frames(on_curve(curve, trace.u))
    parts = [
        stack.average(
            frames[i : i + _CHUNK], trace.weights[i : i + _CHUNK], trace.moves[i : i + _CHUNK]
        )
        for i in range(0, len(trace.u), _CHUNK)
    ]
    root, turned, slides = (np.concatenate(group) for group in zip(*parts, strict=True))
    return Motion(
        skeleton=stack.skeleton,
        fps=trace.fps,
        root=sealed(root),
        rotations=sealed(turned),
        translations=None if stack.translations is None else slides,
        constraints=blended_constraints(curve, trace),
        name="blend of " + ", ".join(m.name or "a clip" for m in curve.motions),
        source=MappingProxyType(dict(curve.motions[0].source)),
        carrier=curve.motions[0].carrier,
    )


def blended_constraints(curve: RegistrationCurve, trace: Trace) -> tuple[Constraint, ...]:
    """Constraints of a blend, in its own frames (end of Section 5.3).

    A match holds while u lies between the weighted means of its constraints' bounds. As
    bounds and weights change smoothly, so do the frames at which it begins and ends.
    """
    u, matches = trace.u, curve.matches
    starts, ends = np.array([m.intervals for m in matches]).reshape(-1, len(curve), 2).T
    # How far means may lie outside of what they are of: further the more weights are negative.
    beyond = float(np.maximum(-trace.weights, 0.0).sum(axis=1).max())
    first = starts.min(axis=0) - beyond * np.ptp(starts, axis=0)
    last = ends.max(axis=0) + beyond * np.ptp(ends, axis=0)
    number, shift = np.arange(len(matches)), np.zeros(len(matches))
    if curve.period is not None:
        lows = np.floor((u.min() - ends.max(axis=0)) / curve.period).astype(np.intp)
        highs = np.ceil((u.max() - starts.min(axis=0)) / curve.period).astype(np.intp)
        number = np.repeat(number, highs - lows + 1)
        laps = [np.arange(a, b + 1) for a, b in zip(lows, highs, strict=True)]
        shift = np.concatenate([np.zeros(0), *laps]) * curve.period
    # Places rise: only frames around a contact are looked at, and one on either side.
    begin = np.maximum(np.searchsorted(u, first[number] + shift) - 1, 0)
    stop = np.searchsorted(u, last[number] + shift, side="right") + 1
    found: list[Constraint] = []
    for n, by, low, high in zip(*(x.tolist() for x in (number, shift, begin, stop)), strict=True):
        weights, here = trace.weights[low:high], u[low:high]
        inside = np.minimum(here - weights @ starts[:, n] - by, weights @ ends[:, n] + by - here)
        spans = not_negative(inside)
        found.extend(Constraint(low + a, low + b, matches[n].kind) for a, b in spans)
    return tuple(found)
