"""Which frames of the clips match, and when they are shown (Eq. 7 to 10, 13, 14)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from motionweave.contacts.states import LOWER, UPPER, State
from motionweave.core.arrays import Array
from motionweave.errors import QualityWarning
from motionweave.methods.framespace.basis import Basis
from motionweave.methods.framespace.correspondence import MatchedStates, match_states
from motionweave.methods.framespace.interpolant import Interpolant
from motionweave.methods.framespace.warp import Warp

# Samples of the interpolant per cycle, from which the timing is summed (n of Eq. 14).
_RESOLUTION = 200
# How many times as fast as the interpolation a clip may run before there is a warning.
_MOST_PACE = 8.0


@dataclass(frozen=True, eq=False)
class FramespaceTrack:
    """The state of the interpolation at each of n output frames.

    Parameters
    ----------
    x
        ``(n,)`` time in the framespace, in cycles.
    weights
        ``(n, k)`` of the clips.
    lower, upper
        ``(n, k)`` phases of the clips, in cycles, that the two halves of the body show.
    lead
        The clip with which it begins: at x = 0 it is at its first frame.
    """

    x: Array
    weights: Array
    lower: Array
    upper: Array
    lead: int


@dataclass(frozen=True, eq=False)
class Matched:
    """Clips, how their states correspond, and the warps that follow.

    Parameters
    ----------
    bases
        The clips.
    lower, upper
        Correspondences of the two halves of the body; one and the same unless they
        are decoupled.
    lower_warp, upper_warp
        Their warps.
    """

    bases: tuple[Basis, ...]
    lower: MatchedStates
    upper: MatchedStates
    lower_warp: Warp
    upper_warp: Warp

    @property
    def cyclic(self) -> bool:
        """Whether the cycles repeat."""
        return self.lower.cyclic

    def track(self, curve: Interpolant, cycles: int, fps: float) -> FramespaceTrack:
        """The state of the interpolation at each output frame."""
        length = cycles if self.cyclic else 1
        x, times = self._timing(curve, cycles, length)
        count = int(np.floor(times[-1] * fps + 1e-6)) + 1
        x = np.interp(np.arange(count) / fps, times, x)
        weights = curve.weights(x / length)
        lead = int(np.argmax(weights[0]))
        starts = self._starts(lead)
        lower = self.lower_warp.starting_at(starts).solve(x, weights)
        upper = lower
        if self.upper_warp is not self.lower_warp:
            # Counted from where the feet start: a clip's halves are together when it is alone.
            upper = self.upper_warp.starting_at(starts).solve(x, weights)
        _check_pace(x, weights, lower, upper)
        return FramespaceTrack(x, weights, lower, upper, lead)

    def _timing(self, curve: Interpolant, cycles: int, length: int) -> tuple[Array, Array]:
        """Times in the framespace, in cycles, and in seconds ``(samples + 1,)``; kept with the
        curve."""
        known = self._timings.setdefault(curve, {})
        if cycles not in known:
            samples = cycles * _RESOLUTION
            x = np.linspace(0.0, length, samples + 1)
            periods = np.array([basis.period for basis in self.bases])
            # Eq. 13: the gap between two samples is the blend of the clips' own gaps.
            gap = curve.weights(x / length) @ periods * (length / samples)
            known[cycles] = x, np.concatenate([[0.0], np.cumsum(0.5 * (gap[:-1] + gap[1:]))])
        return known[cycles]

    @cached_property
    def _timings(self) -> WeakKeyDictionary[Interpolant, dict[int, tuple[Array, Array]]]:
        return WeakKeyDictionary()

    def _starts(self, lead: int) -> Array:
        """Phases ``(k,)`` at x = 0: the leading clip's first frame, and where that is in the rest.

        On whole frames, so that a clip alone shows its own frames and not mixtures of two.
        """
        lengths = np.array([len(basis.motion) - 1 for basis in self.bases])
        return np.asarray(np.round(self.lower_warp.starts_with(lead) * lengths) / lengths)


def match_bases(
    bases: tuple[Basis, ...], names: Sequence[str], decoupled: bool, smoothing: float
) -> Matched:
    """Correspondences and warps of clips: of the whole body, or of each half separately."""
    cyclic = all(basis.cyclic for basis in bases)
    if not decoupled:
        whole = match_states([b.events.states for b in bases], names, cyclic)
        warp = Warp.of(whole, smoothing)
        return Matched(bases, whole, whole, warp, warp)
    lower, upper = (
        match_states(
            [_of_half(b, half) for b in bases], names, cyclic, what=f"state of the {half} body"
        )
        for half in (LOWER, UPPER)
    )
    return Matched(bases, lower, upper, Warp.of(lower, smoothing), Warp.of(upper, smoothing))


def _of_half(basis: Basis, half: str) -> tuple[State, ...]:
    return basis.events.lower if half == LOWER else basis.events.upper


def _check_pace(x: Array, weights: Array, lower: Array, upper: Array) -> None:
    """Warn if clips have to run backwards, or leap, to follow the interpolant."""
    seen = np.maximum(weights[:-1], weights[1:]) > 0.01
    for phases in (lower,) if upper is lower else (lower, upper):
        pace = np.diff(phases, axis=0) / np.diff(x)[:, None]
        wrong = np.any(seen & ((pace < 0.0) | (pace > _MOST_PACE)), axis=1)
        if wrong.any():
            warnings.warn(
                "the interpolant is so steep that a clip's time runs backwards or leaps at "
                f"output frame {int(np.argmax(wrong))}: draw it flatter, or over more cycles",
                QualityWarning,
                stacklevel=4,
            )
            return
