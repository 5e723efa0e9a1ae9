"""The timewarp curve: the matching frames of all clips, strictly increasing.

A uniform quadratic B-spline through the frame correspondences (Kovar & Gleicher 4.2.1),
whose control points are adjusted so that no clip ever stands still or races (Eq. 5).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import mul

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core.arrays import Array
from motionweave.core.numerics import splines
from motionweave.core.numerics.splines import QuadraticSpline
from motionweave.core.runtime.kernels import kernel
from motionweave.errors import RegistrationError

# Seconds of a span: short enough for a footstep's own timing, long enough that the
# stairs of the path are averaged out.
_SPAN = 0.2


@dataclass(frozen=True, eq=False)
class TimewarpCurve:
    """S(u): for each parameter u a frame of each of k clips.

    u counts the seconds that a clip of mean speed would have played.

    Parameters
    ----------
    spline
        k-dimensional, its values frames.
    fps
        ``(k,)`` frame rates of the clips.
    base
        The clip against which Eq. 5 bounds the speed of the others.
    epsilon
        The bound: between any two control points every clip plays at least ``epsilon``
        and at most ``1 / epsilon`` times as long as the base.
    """

    spline: QuadraticSpline
    fps: Array
    base: int
    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "fps", np.asarray(self.fps, dtype=np.float64))
        if not satisfies_slopes(self.spline.control / self.fps, self.base, self.epsilon):
            raise RegistrationError(
                f"control points of a timewarp must increase in every clip, by {self.epsilon:g} "
                f"to {1 / self.epsilon:g} times the step of clip {self.base}"
            )

    def __repr__(self) -> str:
        return f"<TimewarpCurve of {len(self.fps)} clips: u from {self.start:g} to {self.end:g}>"

    @property
    def start(self) -> float:
        """The first parameter."""
        return self.spline.start

    @property
    def end(self) -> float:
        """The last parameter."""
        return self.spline.end

    def frames(self, u: ArrayLike) -> Array:
        """Matching frames ``(..., k)`` at u ``(...)``."""
        return self.spline(u)

    def derivative(self, u: ArrayLike) -> Array:
        """dS/du ``(..., k)`` in frames a unit of u; always positive."""
        return self.spline.derivative(u)

    def parameter(self, clip: int, frame: ArrayLike) -> Array:
        """u(S): the parameters ``(...)`` at which a clip shows these frames."""
        return self.spline.inverse(clip, frame)


def fit_timewarp(
    u: ArrayLike,
    times: ArrayLike,
    *,
    cyclic: bool = False,
    epsilon: float = 0.1,
    weights: ArrayLike | None = None,
) -> tuple[QuadraticSpline, int]:
    """A spline through corresponding times, and the base that needed the least adjustment.

    Parameters
    ----------
    u
        ``(n,)`` not decreasing parameters, u[0] < u[-1].
    times
        ``(n, k)`` corresponding seconds. The first and the last row are met exactly.
    cyclic
        Make the curve repeat itself: what follows the last row is the first.
    epsilon
        The bound of Eq. 5.
    weights
        ``(n,)`` how much each row counts.
    """
    u = np.asarray(u, dtype=np.float64)
    times = np.asarray(times, dtype=np.float64)
    spans = max(1, round((u[-1] - u[0]) / _SPAN))
    spline = splines.fit(
        u,
        times,
        max(3, spans) if cyclic else spans,
        start=u[0],
        end=u[-1],
        ends=(times[0], times[-1]),
        period=times[-1] - times[0] if cyclic else None,
        weights=weights,
    )
    control, base = increasing(spline.control, epsilon, closed=cyclic)
    return replace(spline, control=control), base


def satisfies_slopes(control: Array, base: int, epsilon: float) -> bool:
    """Whether Eq. 5 holds for every pair of control points ``(n, k)``, up to rounding."""
    return bool(_worst_slope(control, base, epsilon) <= 1e-9 * _scale(control))


def increasing(control: ArrayLike, epsilon: float, *, closed: bool = False) -> tuple[Array, int]:
    """Control points ``(n, k)`` adjusted so that Eq. 5 holds, and the best base.

    Appendix A, run with every clip as the base; the smallest adjustment is kept. The
    curve's ends stay where they are, and a closed curve stays closed. The pass
    of the appendix goes through the control points once and may leave violations behind
    it, where it had to give way to the pair before, or to the fixed ends. Then the control
    points are projected onto those that satisfy Eq. 5, which always exist.
    """
    control = np.asarray(control, dtype=np.float64)
    # Of two clips either one bounds the other in the same way.
    bases = range(control.shape[1] if control.shape[1] > 2 else 1)
    best: tuple[float, Array, int] | None = None
    for base in bases:
        if satisfies_slopes(control, base, epsilon):
            return control, base
    for base in bases:
        adjusted = _with_ends_of(control, appendix_a(control, base, epsilon), closed)
        if not satisfies_slopes(adjusted, base, epsilon):
            if not _possible(control, base, epsilon):
                continue
            adjusted = project(control, base, epsilon, closed=closed)
        change = float(np.sum((adjusted - control) ** 2))
        if best is None or change < best[0]:
            best = change, adjusted, base
    if best is None:
        raise RegistrationError(
            "the clips' lengths differ too much for a timewarp in which every clip keeps moving"
        )
    return best[1], best[2]


def appendix_a(control: Array, base: int, epsilon: float) -> Array:
    """One pass over the control points that repairs each pair in turn (Appendix A)."""
    # Rows of a few numbers, one after the other: lists are ten times as fast as arrays.
    p: list[list[float]] = control.tolist()
    # Most pairs hold: looked at are those that do not, and those next to a pair repaired.
    broken: list[bool] = np.any(_slack(control, base, epsilon) < 0.0, axis=(0, 2)).tolist()
    for i in range(1, len(p)):
        if not broken[i - 1]:
            continue
        d = [y - x for x, y in zip(p[i - 1], p[i], strict=True)]
        # v1 spans the directions on which all violated conditions hold as equations.
        v, top = [0.0] * len(d), d[base]
        for j, own in enumerate(d):
            if epsilon * own > top:  # violates x · c <= 0
                v[j] = 1.0 / epsilon
            elif own < epsilon * top:  # violates x · c' <= 0
                v[j] = epsilon
        if not any(v):
            continue
        v[base] = 1.0
        along = sum(map(mul, v, d)) / sum(map(mul, v, v))
        change = [along * x - own if x else 0.0 for x, own in zip(v, d, strict=True)]
        share = 0.5
        if i > 1:
            before = [y - x for x, y in zip(p[i - 2], p[i - 1], strict=True)]
            share = _largest_share(before, change, base, epsilon)
        p[i] = [x + (1.0 - share) * c for x, c in zip(p[i], change, strict=True)]
        p[i - 1] = [x - share * c for x, c in zip(p[i - 1], change, strict=True)]
        if i < len(broken):
            broken[i] = True
    return np.array(p)


def _largest_share(before: list[float], change: list[float], base: int, epsilon: float) -> float:
    """The largest λ <= 1/2 with which ``before - λ change`` still satisfies Eq. 5."""
    share = 0.5
    for j in range(len(before)):
        if j == base:
            continue
        for have, taken in (
            (before[j] - epsilon * before[base], change[j] - epsilon * change[base]),
            (before[base] - epsilon * before[j], change[base] - epsilon * change[j]),
        ):
            # have - λ taken >= 0
            if taken > 0.0:
                share = min(share, max(0.0, have / taken))
    return share


def project(
    control: Array, base: int, epsilon: float, *, closed: bool = False, sweeps: int = 1000
) -> Array:
    """The nearest control points that satisfy Eq. 5 with the same ends.

    Hildreth's method: each condition is met in turn by the smallest move, and what it
    added is taken back before its next turn, which converges to the projection onto all
    of them. What is left of violations after the last sweep is removed by mixing in the
    curve of constant speed, on which Eq. 5 holds.
    """
    p = np.array(control)
    tolerance = 1e-12 * _scale(control)
    _hildreth(p, np.array(control), base, epsilon, closed, sweeps, tolerance)
    return _mixed_with_straight(_with_ends_of(control, p, closed), base, epsilon)


@kernel()
def _hildreth(p, control, base, epsilon, closed, sweeps, tolerance):  # type: ignore[no-untyped-def]
    """Move p in place onto Eq. 5, keeping the ends of the curve that ``control`` has."""
    count, clips = p.shape
    duals = np.zeros((2, count - 1, clips))
    # Both conditions, d_j - ε d_base >= 0 and d_base - ε d_j >= 0, move two points along
    # a normal of this squared length.
    norm = 2.0 * (1.0 + epsilon * epsilon)
    for _ in range(sweeps):
        farthest = 0.0
        for i in range(count - 1):
            for j in range(clips):
                if j == base:
                    continue
                for kind in range(2):
                    along_j, along_base = (1.0, -epsilon) if kind == 0 else (-epsilon, 1.0)
                    slack = along_j * (p[i + 1, j] - p[i, j]) + along_base * (
                        p[i + 1, base] - p[i, base]
                    )
                    step = max(-slack / norm, -duals[kind, i, j])
                    duals[kind, i, j] += step
                    p[i + 1, j] += step * along_j
                    p[i, j] -= step * along_j
                    p[i + 1, base] += step * along_base
                    p[i, base] -= step * along_base
                    farthest = max(farthest, abs(step))
        for j in range(clips):
            if closed:
                whole = 0.5 * (control[-1, j] + control[-2, j] - control[0, j] - control[1, j])
                for i in range(2):
                    gap = 0.5 * (p[i, j] + whole - p[count - 2 + i, j])
                    p[i, j] -= gap
                    p[count - 2 + i, j] += gap
            for i in (0, count - 2):
                off = 0.5 * (control[i, j] + control[i + 1, j] - p[i, j] - p[i + 1, j])
                p[i, j] += off
                p[i + 1, j] += off
                farthest = max(farthest, abs(off))
        if farthest < tolerance:
            return


def _with_ends_of(control: Array, p: Array, closed: bool) -> Array:
    """``p`` with the outermost control points set such that the curve's ends are exact."""
    p = np.array(p)
    p[0] = control[0] + control[1] - p[1]
    if closed:
        p[-2:] = p[:2] + _whole(control)
    else:
        p[-1] = control[-2] + control[-1] - p[-2]
    return p


def _whole(control: Array) -> Array:
    """From the curve's beginning to its end, ``(k,)``."""
    return np.asarray(0.5 * (control[-1] + control[-2] - control[0] - control[1]))


def _straight(control: Array) -> Array:
    """Evenly spaced control points ``(n, k)`` of the curve of constant speed."""
    places = (np.arange(len(control)) - 0.5) / (len(control) - 2)
    first = 0.5 * (control[0] + control[1])
    return np.asarray(first + places[:, None] * _whole(control))


def _mixed_with_straight(p: Array, base: int, epsilon: float) -> Array:
    """The least mixture with the curve of constant speed on which Eq. 5 holds."""
    straight = _straight(p)
    have, give = _slack(p, base, epsilon), _slack(straight, base, epsilon)
    short = have < 0.0
    if not short.any():
        return p
    share = float(np.max(have[short] / (have[short] - give[short])))
    share = min(1.0, share * (1.0 + 1e-9) + 1e-15)
    return np.asarray((1.0 - share) * p + share * straight)


def _slack(control: Array, base: int, epsilon: float) -> Array:
    """How far each condition of Eq. 5 is from being violated, ``(2, n - 1, k - 1)``."""
    d = np.diff(control, axis=0)
    others = np.arange(d.shape[1]) != base
    own, reference = d[:, others], d[:, base, None]
    return np.stack([own - epsilon * reference, reference - epsilon * own])


def _worst_slope(control: Array, base: int, epsilon: float) -> float:
    steps = np.diff(control, axis=0)
    if np.any(steps <= 0.0):
        return np.inf
    slack = _slack(control, base, epsilon)
    return float(-slack.min()) if slack.size else 0.0


def _possible(control: Array, base: int, epsilon: float) -> bool:
    straight = _straight(control)
    return (
        bool(np.all(np.diff(straight, axis=0) > 0)) and _worst_slope(straight, base, epsilon) <= 0.0
    )


def _scale(control: Array) -> float:
    return float(np.ptp(control, axis=0).max())
