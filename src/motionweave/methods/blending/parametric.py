"""Parametric control: ask for a turn of 35°, get the weights that make it.

Weight space is sampled, the samples are measured, and weights for a wanted value are found
by interpolating the scattered samples; the result is measured in turn and becomes a new
sample, until what is reached is what was asked for.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.interrupt import checkpoint
from motionweave.core.motion import Motion
from motionweave.errors import BlendError, QualityWarning
from motionweave.methods.blending.trace import registered_blend
from motionweave.registration.curve import RegistrationCurve

# Share of a parameter's range within which a value counts as reached.
TOLERANCE = 0.002
# Beyond this share outside the range a value is out of reach.
_OUTSIDE = 0.01
_MOST_REFINEMENTS = 24
# Samples that take part in an interpolation, for each dimension of weight space.
_NEIGHBOURS = 3


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
    """Blends of a curve, addressed by what they measure.

    Parameters
    ----------
    curve
        What `register` found.
    parameters
        Name of each parameter and how to measure it on a motion.
    samples
        How many blends to measure beforehand; by default enough for the number of motions.
    convex
        Keep all weights between 0 and 1. False allows values beyond those of the motions.
    seed
        Of the random part of the samples.
    """

    def __init__(
        self,
        curve: RegistrationCurve,
        parameters: Mapping[str, Callable[[Motion], float]],
        *,
        samples: int | None = None,
        convex: bool = True,
        seed: int = 0,
    ):
        if not parameters:
            raise BlendError("a parametric space needs at least one parameter to measure")
        self.curve = curve
        self.parameters = dict(parameters)
        self.convex = convex
        self._weights = _sample_weights(len(curve.motions), samples, convex, seed)
        self._values = np.array([self._measure(w)[1] for w in self._weights])
        low, high = self._values.min(axis=0), self._values.max(axis=0)
        flat = high - low <= 1e-9 * np.maximum(1.0, np.abs(high))
        if flat.any():
            name = list(self.parameters)[int(np.argmax(flat))]
            raise BlendError(
                f"parameter {name!r} is {low[flat][0]:g} for every blend of these motions: "
                "they do not differ in it, so it cannot be steered"
            )
        self.ranges = {
            name: (float(a), float(b))
            for name, a, b in zip(self.parameters, low, high, strict=True)
        }
        self._scale = high - low

    def at(self, *, outside: str = "error", **wanted: float) -> Reached:
        """The blend whose parameters have the wanted values.

        Parameters
        ----------
        outside
            What to do with values out of reach: ``"error"``, or ``"nearest"`` with a warning.
        wanted
            A value for each parameter, by name.
        """
        if outside not in ("error", "nearest"):
            raise BlendError(f"outside={outside!r}: expected 'error' or 'nearest'")
        target = self._target(wanted, outside)
        weights, values = list(self._weights), list(self._values)
        best: tuple[float, Array, Motion, Array] | None = None
        for _ in range(_MOST_REFINEMENTS):
            guess = self._guess(np.array(weights), np.array(values), target)
            motion, measured = self._measure(guess)
            error = self._error(measured, target)
            if best is None or error < best[0]:
                best = error, guess, motion, measured
            if error <= TOLERANCE or any(np.allclose(guess, w, atol=1e-12) for w in weights):
                break
            weights.append(guess)
            values.append(measured)
        assert best is not None
        error, guess, motion, measured = best
        reached = Reached(
            motion,
            guess,
            dict(zip(self.parameters, map(float, measured), strict=True)),
            dict(zip(self.parameters, map(float, target), strict=True)),
        )
        if error > _OUTSIDE:
            self._report(reached, error, outside)
        return reached

    def _measure(self, weights: Array) -> tuple[Motion, Array]:
        checkpoint()
        motion = registered_blend(self.curve, weights)
        return motion, np.array([measure(motion) for measure in self.parameters.values()])

    def _error(self, measured: Array, target: Array) -> float:
        return float(np.max(np.abs(measured - target) / self._scale))

    def _target(self, wanted: Mapping[str, float], outside: str) -> Array:
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
            said = f"{name} = {target[i]:g} is out of reach: these motions give {low:g} to {high:g}"
            if outside == "error":
                raise BlendError(f"{said}; ask for outside='nearest' to take the nearest")
            warnings.warn(f"{said}; the nearest is taken", QualityWarning, stacklevel=3)
            target[i] = np.clip(target[i], low, high)
        return target

    def _report(self, reached: Reached, error: float, outside: str) -> None:
        """The parameters are in range one by one, but not together."""
        pairs = ", ".join(
            f"{name} {value:g} (asked {reached.asked[name]:g})"
            for name, value in reached.values.items()
        )
        said = f"these motions cannot give that combination; the nearest is {pairs}"
        if outside == "error":
            raise BlendError(f"{said}, off by {error:.0%} of the range; outside='nearest' takes it")
        warnings.warn(said, QualityWarning, stacklevel=3)

    def _guess(self, weights: Array, values: Array, target: Array) -> Array:
        """Weights ``(k,)`` to try next, given what the samples measure."""
        errors = np.max(np.abs(values - target) / self._scale, axis=1)
        nearest = int(np.argmin(errors))
        if errors[nearest] <= TOLERANCE:
            return np.asarray(weights[nearest])
        enclosed = self._between(weights, values, target) if len(target) == 1 else None
        return self._interpolated(weights, values, target) if enclosed is None else enclosed

    def _between(self, weights: Array, values: Array, target: Array) -> Array | None:
        """Weights ``(k,)`` between two samples of a single parameter that enclose the target.

        Of all such pairs the one nearest in weights: between them the parameter, which need
        not be monotonous everywhere, surely takes the value. None if no pair does.
        """
        below = np.flatnonzero(values[:, 0] <= target[0])
        above = np.flatnonzero(values[:, 0] >= target[0])
        if len(below) == 0 or len(above) == 0:
            return None
        apart = np.linalg.norm(weights[below][:, None] - weights[above][None], axis=-1)
        low, high = np.unravel_index(int(np.argmin(apart)), apart.shape)
        a, b = below[low], above[high]
        share = (target[0] - values[a, 0]) / (values[b, 0] - values[a, 0])
        # Kept off the ends, so that every step makes the pair's distance smaller.
        share = np.clip(share, 0.1, 0.9)
        return np.asarray((1.0 - share) * weights[a] + share * weights[b])

    def _interpolated(self, weights: Array, values: Array, target: Array) -> Array:
        """Weights ``(k,)`` from the samples around the target.

        The mixture of near samples whose mixed values are nearest to the target; of several
        such, the one that uses the nearest samples. Mixtures of convex weights are convex.
        """
        from scipy.optimize import nnls

        near = (values - target) / self._scale
        apart = np.linalg.norm(near, axis=1)
        # Near in what they measure and near the best of them in weights: two samples may
        # measure the same without anything between them doing so.
        apart = apart + np.linalg.norm(weights - weights[np.argmin(apart)], axis=1)
        count = min(len(apart), _NEIGHBOURS * weights.shape[1] + len(target) + 1)
        chosen = np.argsort(apart, kind="stable")[:count]
        # Rows: sum to one (heavily), meet the target (heavily), use near samples (slightly).
        heavy = 1e4
        rows = np.concatenate(
            [
                heavy * np.ones((1, count)),
                heavy * near[chosen].T,
                np.diag(apart[chosen] + 1e-3),
            ]
        )
        right = np.concatenate([[heavy], np.zeros(len(target) + count)])
        if self.convex:
            mixture, _ = nnls(rows, right)
        else:
            mixture = np.linalg.lstsq(rows, right, rcond=None)[0]
        found = mixture @ weights[chosen]
        return np.asarray(found / found.sum())


def parametric(
    curve: RegistrationCurve,
    parameters: Mapping[str, Callable[[Motion], float]],
    *,
    samples: int | None = None,
    convex: bool = True,
    seed: int = 0,
) -> ParametricSpace:
    """A space of blends steered by measured parameters; see `ParametricSpace`."""
    return ParametricSpace(curve, parameters, samples=samples, convex=convex, seed=seed)


def _sample_weights(inputs: int, samples: int | None, convex: bool, seed: int) -> Array:
    """Rows of weights ``(n, k)``: each motion alone, pairs of two, then spread at random."""
    rows = [np.eye(inputs)]
    shares = np.linspace(0.0, 1.0, 9 if inputs == 2 else 3)[1:-1]
    pairs = [(i, j) for i in range(inputs) for j in range(i)]
    rows += [
        (1.0 - s) * np.eye(inputs)[[i]] + s * np.eye(inputs)[[j]] for i, j in pairs for s in shares
    ]
    if not convex:
        rows += [
            (1.0 - s) * np.eye(inputs)[[i]] + s * np.eye(inputs)[[j]]
            for i, j in pairs
            for s in (-0.3, 1.3)
        ]
    if inputs > 2:
        count = 8 * inputs if samples is None else samples
        rows.append(np.random.default_rng(seed).dirichlet(np.ones(inputs), size=count))
    return np.concatenate(rows)
