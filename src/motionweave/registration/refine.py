"""Timing finer than a frame.

The path through the grid steps from frame to frame, and its windows run at each clip's own pace,
which pulls it aside where the paces differ. Once a first curve is known, both clips can be played
along it. Then windows run at the same pace, and how the distance changes when one clip is shifted a
little against the other says, by a parabola, which shift is best.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.numerics.quantiles import median
from motionweave.core.numerics.splines import QuadraticSpline
from motionweave.registration.clouds import PointClip
from motionweave.registration.distance import along
from motionweave.registration.timewarp import fit_timewarp
from motionweave.registration.tracks import Tracks
from motionweave.registration.windows import CentredClip

_RATE = 30.0
_ROUNDS = 2
# No shift of more steps than this: the path decides, this only refines.
_FARTHEST = 1.0
# A change of the distance that is nothing but rounding, in squared heights.
_NOTHING = 1e-12


def refined(
    curve: QuadraticSpline,
    clips: Sequence[PointClip],
    epsilon: float,
    *,
    signals: float = 0.0,
    cyclic: bool = False,
) -> QuadraticSpline:
    """The timewarp curve (in seconds) of two clips, moved to where they are most similar.

    ``signals`` is how much the clips' signals count, as in `along`.
    """
    for _ in range(_ROUNDS):
        tracks = Tracks(clips, curve)
        steps = tracks.count(_RATE)
        if steps < 2:
            return curve
        beyond = clips[0].reach + 1 if cyclic else 0
        u, (a, b) = tracks.sample(steps, beyond)
        shift, certainty = _best_shift(a, b, signals, clips[0].height)
        inside = slice(beyond, beyond + steps + 1)
        u, shift, certainty = u[inside], shift[inside], certainty[inside]
        # The ends are given.
        shift[0] = shift[-1] = 0.0
        step = (curve.end - curve.start) / steps
        times = np.stack([curve(u - shift * step)[:, 0], curve(u + shift * step)[:, 1]], axis=1)
        mean = (times - times[0]).mean(axis=1)
        curve, _ = fit_timewarp(mean, times, cyclic=cyclic, epsilon=epsilon, weights=certainty)
    return curve


def _best_shift(
    a: CentredClip, b: CentredClip, signals: float, height: float
) -> tuple[Array, Array]:
    """By how many steps ``(n,)`` to play b later and a earlier, and how sure that is."""
    here = along(a, b, signals).distance
    later, earlier = np.zeros_like(here), np.zeros_like(here)
    earlier[1:-1] = along(a[2:], b[:-2], signals).distance
    later[1:-1] = along(a[:-2], b[2:], signals).distance
    bend = earlier - 2.0 * here + later
    bend[[0, -1]] = 0.0
    clear = bend > _NOTHING * height**2
    bend = np.where(clear, bend, 1.0)
    shift = np.where(clear, 0.5 * (earlier - later) / bend, 0.0)
    usual = median(bend[clear]) if clear.any() else 1.0
    # Where the clips hardly move any shift will do, and this one should not count for much.
    certainty = np.where(clear, bend / (bend + usual), 0.0) + 1e-3
    return np.clip(shift, -_FARTHEST, _FARTHEST), certainty
