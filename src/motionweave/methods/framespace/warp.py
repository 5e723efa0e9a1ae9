"""The regularising warp: where each clip is when the interpolant is at time x (Eq. 7 to 10).

All clips are described by one parameter u in which their states coincide: clip i is at
``S_i(u)``, and at matched state n every ``S_i(u_n)`` is that clip's own time of the
state. For weights w the warped time is the weighted mean ``x = sum w_i S_i(u)``. At the
states this is Eq. 7 and 8, and between them, where each ``S_i`` is linear, solving for
u and reading off ``S_i(u)`` is Eq. 9 and 10. This form makes it clear that a clip with weight 1 is
at x itself, whatever the others do.

With straight pieces, clips change speed abruptly at every state. By default the ``S_i`` are
therefore smoothed slightly, which keeps them increasing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core.arrays import Array
from motionweave.errors import BlendError
from motionweave.methods.framespace.correspondence import MatchedStates

# Half the width, in cycles, over which changes of speed are spread.
SMOOTHING = 0.08
# Points of a smoothed curve per cycle.
_TABLE = 512


@dataclass(frozen=True, eq=False)
class Warp:
    """The curves S_i of k clips over one cycle of the common parameter.

    Parameters
    ----------
    parameter
        ``(m,)`` increasing, first 0 and last 1.
    phases
        ``(m, k)`` where each clip is there, in its own cycles, increasing; the last
        row is the first plus 1. Linear in between, and beyond the ends repeated.
    starts
        ``(k,)`` phases at which the clips stand at time x = 0.
    cyclic
        Whether the cycle repeats after its end.
    """

    parameter: Array
    phases: Array
    starts: Array
    cyclic: bool = True

    @classmethod
    def of(cls, match: MatchedStates, smoothing: float = SMOOTHING) -> Warp:
        """The warp that follows from a correspondence.

        Parameters
        ----------
        match
            Corresponding states of the clips.
        smoothing
            Half the width over which changes of speed are spread, in cycles; 0 for
            the paper's straight pieces.
        """
        if not 0.0 <= smoothing <= 0.5:
            raise BlendError(f"smoothing of the warp {smoothing:g}: expected 0 to 0.5 cycles")
        parameter, phases = _through_states(match)
        if smoothing > 0.0:
            parameter, phases = _smoothed(parameter, phases, smoothing, match.cyclic)
        return cls(parameter, phases, np.zeros(match.clips), match.cyclic)

    def at(self, u: ArrayLike) -> Array:
        """Phases ``(n, k)``, or ``(k,)``, at parameters ``(n,)`` or one."""
        u = np.asarray(u, dtype=np.float64)
        turn = np.floor(u) if self.cyclic else np.zeros_like(u)
        inside = u - turn
        return np.stack(
            [np.interp(inside, self.parameter, column) + turn for column in self.phases.T], axis=-1
        )

    def starts_with(self, lead: int) -> Array:
        """Phases ``(k,)``, from 0 to 1, of all clips when one of them begins its cycle."""
        if not self.cyclic:
            return np.zeros(self.phases.shape[1])
        own = self.phases[:, lead]
        starts = self.at(np.interp(np.ceil(own[0]), own, self.parameter))
        starts = np.mod(starts, 1.0)
        starts[lead] = 0.0
        return starts

    def starting_at(self, starts: ArrayLike) -> Warp:
        """The same curves for clips that stand at these phases ``(k,)`` at x = 0.

        Whole cycles are added to the clips' phases so that, counted from there, they
        are as near to each other as they can be.
        """
        starts = np.asarray(starts, dtype=np.float64)
        if not self.cyclic:
            return replace(self, starts=starts)
        ahead = np.mean(self.phases - self.parameter[:, None], axis=0) - starts
        return replace(self, starts=starts, phases=self.phases - np.round(ahead))

    def solve(self, x: ArrayLike, weights: ArrayLike) -> Array:
        """Phases ``(n, k)`` of the clips at times x ``(n,)``, in cycles, for weights ``(n, k)``."""
        x = np.asarray(x, dtype=np.float64)
        weights = np.asarray(weights, dtype=np.float64)
        return self.at(self.parameters(x, weights))

    def parameters(self, x: Array, weights: Array) -> Array:
        """u ``(n,)`` at which the weighted phases, counted from the start, are x."""
        away = self.phases - self.starts
        spans = len(self.parameter) - 1
        if self.cyclic:
            # How many whole cycles lie before x is the same for u, up to where the
            # weighted curve begins.
            turn = np.floor(x - weights @ away[0])
            x = x - turn
        else:
            turn = np.zeros_like(x)
        low = np.zeros(len(x), dtype=np.intp)
        high = np.full(len(x), spans, dtype=np.intp)
        for _ in range(int(np.ceil(np.log2(spans))) + 1):
            middle = (low + high) // 2
            reached = np.einsum("nk,nk->n", weights, away.take(middle, axis=0)) <= x
            low = np.where(reached, middle, low)
            high = np.where(reached, high, middle)
        low = np.minimum(low, spans - 1)
        begin = np.einsum("nk,nk->n", weights, away.take(low, axis=0))
        rise = np.einsum("nk,nk->n", weights, away.take(low + 1, axis=0)) - begin
        share = np.clip((x - begin) / rise, 0.0, 1.0)
        step = self.parameter[low + 1] - self.parameter[low]
        return np.asarray(turn + self.parameter[low] + share * step)


def _through_states(match: MatchedStates) -> tuple[Array, Array]:
    """u ``(m,)`` and phases ``(m, k)`` of the states and of the cycle's end."""
    if match.cyclic:
        phases = np.vstack([match.times, match.times[:1] + 1.0])
    else:
        # Clips that run once begin and end together.
        inner = np.all((match.times > 1e-6) & (match.times < 1.0 - 1e-6), axis=1)
        phases = np.vstack([np.zeros(match.clips), match.times[inner], np.ones(match.clips)])
    # States are at their average times, so that every S_i is near the diagonal.
    parameter = np.mean(phases - phases[0], axis=1)
    return parameter, phases


def _smoothed(parameter: Array, phases: Array, width: float, cyclic: bool) -> tuple[Array, Array]:
    """Curves through the states averaged over a window that falls off to both sides."""
    grid = np.linspace(0.0, 1.0, _TABLE + 1)
    reach = int(np.ceil(width * _TABLE))
    offsets = np.arange(-reach, reach + 1)
    window = np.maximum(0.0, 1.0 - (offsets / (width * _TABLE)) ** 2) ** 2
    window /= window.sum()
    columns = []
    for column in phases.T:
        bend = np.interp(grid, parameter, column) - grid
        if cyclic:
            padded = np.concatenate([bend[-reach - 1 : -1], bend, bend[1 : reach + 1]])
        else:
            # Mirrored in its ends, which are fixed, the curve keeps them.
            padded = np.concatenate([-bend[reach:0:-1], bend, -bend[-2 : -reach - 2 : -1]])
        columns.append(np.convolve(padded, window, mode="valid") + grid)
    return grid, np.stack(columns, axis=1)
