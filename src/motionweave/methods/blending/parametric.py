"""Parametric control: ask for a turn of 35°, get the weights that make it.

The motions are points in the space of measures, and a requested value is a mixture of the motions
around it: of the corners of the Delaunay simplex that contains it, and of no others. So a left turn
is made of left turns, and weights change continuously with the request. A mixture does not measure
exactly what it was mixed for; the aim is shifted by the error until the result is what was
requested.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.checks import check_choice
from motionweave.core.motion import Motion
from motionweave.core.runtime.interrupt import checkpoint
from motionweave.errors import BlendError, QualityWarning, Remedy
from motionweave.measure.measures import Measures, by_name
from motionweave.methods.blending.blend import finished_blend
from motionweave.methods.blending.trace import assemble, trace_of
from motionweave.registration.curve import RegistrationCurve

# Share of a parameter's range within which a value counts as reached.
TOLERANCE = 0.002
# Beyond this share outside the range a value is out of reach.
_OUTSIDE = 0.01
_MOST_REFINEMENTS = 24
# How often the aim is corrected for what planting the feet changes.
_CORRECTIONS = 2
# How far weights may go beyond those of two motions where that is allowed.
_BEYOND = 0.3
# The cost of missing the aim, relative to distances of about 1; and of separating equal motions.
_MISS = 1e4
_APART = 1e-7
# What helps if a value is out of reach.
_NEAREST = (Remedy("outside", "nearest"),)

Outside = Literal["error", "nearest"]


@dataclass(frozen=True, eq=False)
class Reached:
    """What came of a request.

    Parameters
    ----------
    motion
        The blend.
    weights
        ``(k,)`` its weights.
    values
        What its parameters measure.
    asked
        What was asked for.
    """

    motion: Motion
    weights: Array
    values: dict[str, float]
    asked: dict[str, float]

    def _repr_html_(self) -> str:
        """In a notebook it plays."""
        return self.motion._repr_html_()


class ParametricSpace:
    """Blends of a curve, addressed by measures of the result.

    Parameters
    ----------
    curve
        The curve from `register`.
    parameters
        What to control: one or more of `motionweave.measures.names`, such as ``"turn"`` or
        ``["turn", "speed"]``, or a mapping from names of your own to measuring functions or to
        those names: ``{"height": "right_foot_height"}``.
    convex
        Keep all weights between 0 and 1. False allows values slightly beyond those of the motions;
        a warning tells you when they are used.

    Attributes
    ----------
    ranges
        The lowest and the highest value of each parameter, by name.
    """

    def __init__(
        self,
        curve: RegistrationCurve,
        parameters: Measures,
        *,
        convex: bool = True,
    ):
        self.parameters = by_name(parameters)
        if not self.parameters:
            raise BlendError("a parametric space needs at least one parameter to measure")
        self.curve = curve
        self._corners = _corners(len(curve.motions), convex)
        self._values = np.array([self._measure(w)[1] for w in self._corners])
        low, high = self._values.min(axis=0), self._values.max(axis=0)
        flat = high - low <= 1e-9 * np.maximum(1.0, np.abs(high))
        if flat.any():
            name = list(self.parameters)[int(np.argmax(flat))]
            raise BlendError(
                f"parameter {name!r} is {low[flat][0]:g} for all of these motions: "
                "they do not differ in it, so it cannot be controlled"
            )
        self.ranges = {
            name: (float(a), float(b))
            for name, a, b in zip(self.parameters, low, high, strict=True)
        }
        self._scale = high - low

    def __repr__(self) -> str:
        ranges = ", ".join(f"{name} {a:.4g} to {b:.4g}" for name, (a, b) in self.ranges.items())
        return f"<ParametricSpace of {len(self.curve)} clips: {ranges}>"

    def at(self, *, outside: Outside = "error", clean: bool = True, **wanted: float) -> Reached:
        """The blend whose parameters have the requested values.

        Parameters
        ----------
        outside
            What to do with values out of reach: ``"error"``, or ``"nearest"`` with a warning.
        clean
            Plant the feet, as in `blend`.
        **wanted
            A value for each parameter, by name.

        Returns
        -------
        Reached
            The blend, its weights, and what it measures.

        Raises
        ------
        BlendError
            If a value is out of reach, or if the parameters are not those of the space.

        Warns
        -----
        QualityWarning
            If the nearest value was used, or one beyond those of the motions, and for anything the
            blend does that clearly exceeds its clips, with frame and joint.
        """
        check_arguments(ParametricSpace.at, locals(), BlendError)
        solved = self.solve(outside=outside, **wanted)
        target = np.array(list(solved.asked.values()))
        reached, told = self._finished(solved, clean)
        aim = target
        # Planting the feet changes the measured values slightly: correct the aim by as much.
        for _ in range(_CORRECTIONS):
            if self._off(reached, target) <= TOLERANCE:
                break
            aim = aim + target - np.array(list(reached.values.values()))
            again, warned = self._finished(self._reached(aim)[0], clean)
            if self._off(again, target) < self._off(reached, target):
                reached, told = replace(again, asked=solved.asked), warned
        for warning in told:
            warnings.warn(warning, stacklevel=2)
        return reached

    def solve(self, *, outside: Outside = "error", **wanted: float) -> Reached:
        """The blend of `at` before its feet are planted and the result is checked.

        For callers that only need the weights; ``outside`` and ``wanted`` are those of `at`.
        """
        check_arguments(ParametricSpace.solve, locals(), BlendError)
        check_choice(outside, Outside, "outside", BlendError)
        target = self._target(wanted, outside)
        reached, error = self._reached(target)
        if error > _OUTSIDE:
            self._report(reached, error, outside)
        if reached.weights.min() < -1e-9:
            warnings.warn(
                f"weights {np.round(reached.weights, 2).tolist()} extrapolate: the requested value "
                "lies outside the range of the motions",
                QualityWarning,
                stacklevel=3,
            )
        return reached

    def _finished(self, solved: Reached, clean: bool) -> tuple[Reached, list[Warning]]:
        """A blend as it comes off the curve, finished and measured again, and what to warn of."""
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            motion = finished_blend(solved.motion, self.curve, clean=clean, whole=True)
        values = {name: float(measure(motion)) for name, measure in self.parameters.items()}
        told = [one.message for one in heard if isinstance(one.message, Warning)]
        return replace(solved, motion=motion, values=values), told

    def _off(self, reached: Reached, target: Array) -> float:
        """By what share of the range a blend misses its target ``(d,)`` at most."""
        measured = np.array(list(reached.values.values()))
        return float(np.max(np.abs(measured - target) / self._scale))

    def _reached(self, target: Array) -> tuple[Reached, float]:
        """The blend that measures ``target`` ``(d,)``, and its error as a share of the range."""
        best: tuple[float, Array, Motion, Array] | None = None
        aim = target.copy()
        between = _Bracket.around(target[0], self._values[:, 0]) if len(target) == 1 else None
        for _ in range(_MOST_REFINEMENTS):
            weights = self._mixture(aim)
            motion, measured = self._measure(weights)
            error = float(np.max(np.abs(measured - target) / self._scale))
            if best is None or error < best[0]:
                best = error, weights, motion, measured
            if error <= TOLERANCE:
                break
            if between is None:
                aim = aim + (target - measured)
            else:
                aim = np.array([between.next(float(aim[0]), float(measured[0] - target[0]))])
        assert best is not None
        error, weights, motion, measured = best
        values = dict(zip(self.parameters, map(float, measured), strict=True))
        asked = dict(zip(self.parameters, map(float, target), strict=True))
        return Reached(motion, weights, values, asked), error

    def _mixture(self, aim: Array) -> Array:
        """Weights ``(k,)`` whose mixed values are nearest to ``aim`` ``(d,)``."""
        away = (self._values - aim) / self._scale
        shares = pair_around(away[:, 0]) if away.shape[1] == 1 else simplex_around(away)
        weights = shares @ self._corners
        return np.asarray(weights / weights.sum())

    def _measure(self, weights: Array) -> tuple[Motion, Array]:
        checkpoint()
        motion = assemble(self.curve, trace_of(self.curve, weights))
        return motion, np.array([measure(motion) for measure in self.parameters.values()])

    def _target(self, wanted: Mapping[str, float], outside: Outside) -> Array:
        if set(wanted) != set(self.parameters):
            raise BlendError(
                f"give a value for each parameter ({', '.join(self.parameters)}); "
                f"got {', '.join(wanted) or 'none'}"
            )
        target = np.array([float(wanted[name]) for name in self.parameters])
        if not np.all(np.isfinite(target)):
            raise BlendError("values of parameters must be finite numbers")
        for i, (name, (low, high)) in enumerate(self.ranges.items()):
            slack = _OUTSIDE * (high - low)
            if low - slack <= target[i] <= high + slack:
                continue
            said = (
                f"{name} = {target[i]:g} is out of reach: these motions reach {low:g} to {high:g}"
            )
            if outside == "error":
                raise BlendError(said, remedies=_NEAREST)
            warnings.warn(f"{said}; the nearest is used", QualityWarning, stacklevel=4)
            target[i] = np.clip(target[i], low, high)
        return target

    def _report(self, reached: Reached, error: float, outside: Outside) -> None:
        """Each parameter is in range, but the combination is not."""
        pairs = ", ".join(
            f"{name} {value:g} (asked {reached.asked[name]:g})"
            for name, value in reached.values.items()
        )
        said = f"these motions cannot reach that combination; the nearest is {pairs}"
        if outside == "error":
            raise BlendError(f"{said}, off by {error:.0%} of the range", remedies=_NEAREST)
        warnings.warn(said, QualityWarning, stacklevel=4)


def parametric(
    curve: RegistrationCurve,
    parameters: Measures,
    *,
    convex: bool = True,
) -> ParametricSpace:
    """A space of blends that is controlled by measures of the result.

    Parameters
    ----------
    curve
        The curve from `register`.
    parameters
        What to control: one or more of `motionweave.measures.names`, such as ``"turn"`` or
        ``["turn", "speed"]``, or a mapping from names of your own to measuring functions or to
        those names: ``{"height": "right_foot_height"}``.
    convex
        Keep all weights between 0 and 1, see `ParametricSpace`.

    Returns
    -------
    ParametricSpace
        Its method ``at`` gives the blend with the requested values.

    Raises
    ------
    BlendError
        If there is no parameter, or the motions do not differ in one of them.

    Examples
    --------
    >>> import motionweave as mw
    >>> curve = mw.register(mw.sample("walk"), mw.sample("jog"))
    >>> space = mw.parametric(curve, "speed")
    >>> low, high = space.ranges["speed"]
    >>> reached = space.at(speed=0.5 * (low + high))
    >>> abs(reached.values["speed"] - 0.5 * (low + high)) < 0.01 * (high - low)
    True
    """
    check_arguments(parametric, locals(), BlendError)
    return ParametricSpace(curve, parameters, convex=convex)


class _Bracket:
    """Where to aim so that one value is met, enclosed from both sides (Illinois' rule).

    Parameters
    ----------
    low, high
        Aims, and how far their measures are above the target.
    """

    def __init__(self, low: tuple[float, float], high: tuple[float, float]) -> None:
        self.low, self.high, self._side = low, high, 0

    @classmethod
    def around(cls, target: float, values: Array) -> _Bracket:
        """Between the corners, whose values are known, next to a target within their range."""
        low, high = values[values <= target], values[values >= target]
        ends = (
            float(low.max()) if len(low) else float(values.min()),
            float(high.min()) if len(high) else float(values.max()),
        )
        return cls((ends[0], ends[0] - target), (ends[1], ends[1] - target))

    def next(self, aim: float, above: float) -> float:
        """The next aim, given how far the last one was above the target."""
        side = 1 if above > 0.0 else -1
        if side > 0:
            self.high = aim, above
        else:
            self.low = aim, above
        # An end that is kept twice counts half; otherwise the secants creep up from one side.
        if side == self._side:
            if side > 0:
                self.low = self.low[0], 0.5 * self.low[1]
            else:
                self.high = self.high[0], 0.5 * self.high[1]
        self._side = side
        (a, below), (b, over) = self.low, self.high
        return 0.5 * (a + b) if over <= below else a - below * (b - a) / (over - below)


def simplex_around(away: Array) -> Array:
    """Shares ``(k,)`` of corners that are ``away`` ``(k, d)`` from an aim, nearest to it together.

    Of all mixtures that meet it, the one with the least squared distances: its corners are those of
    a Delaunay simplex (the lower hull of the lifted points).
    """
    from scipy.optimize import linprog

    count, size = away.shape
    # If the aim is outside, missing it has a cost, and the nearest mixture is used.
    cost = np.concatenate([_distances(away), np.full(2 * size, _MISS)])
    rows = np.block(
        [
            [np.ones((1, count)), np.zeros((1, 2 * size))],
            [away.T, np.eye(size), -np.eye(size)],
        ]
    )
    found = linprog(cost, A_eq=rows, b_eq=np.eye(1 + size)[0], method="highs-ds")
    return np.clip(found.x[:count], 0.0, None)


def pair_around(away: Array) -> Array:
    """The same as `simplex_around` for one parameter ``(k,)``: two corners, or the nearest one."""
    near, shares = _distances(away[:, None]), np.zeros(len(away))
    below, above = np.flatnonzero(away <= 0.0), np.flatnonzero(away >= 0.0)
    if len(below) == 0 or len(above) == 0:
        shares[np.argmin(near + _MISS * np.abs(away))] = 1.0
        return shares
    # All pairs: their mixtures meet the aim.
    apart = away[above] - away[below, None]
    share = -away[below, None] / np.where(apart > 0.0, apart, 1.0)
    cost = near[below, None] + share * (near[above] - near[below, None])
    i, j = np.unravel_index(np.argmin(cost), cost.shape)
    shares[above[j]] = share[i, j]
    shares[below[i]] += 1.0 - share[i, j]
    return shares


def _distances(away: Array) -> Array:
    """Squared distances ``(k,)``; of two corners in one place the first is nearer."""
    return np.asarray(np.sum(away**2, axis=1) + _APART * np.arange(len(away)))


def _corners(inputs: int, convex: bool) -> Array:
    """Rows of weights ``(n, k)`` from which all others are mixed: each motion alone and, if
    allowed, slightly beyond each, away from another."""
    alone = np.eye(inputs)
    if convex:
        return alone
    beyond = [
        (1.0 + _BEYOND) * alone[i] - _BEYOND * alone[j]
        for i in range(inputs)
        for j in range(inputs)
        if i != j
    ]
    return np.concatenate([alone, beyond])
