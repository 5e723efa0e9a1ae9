"""Clips played along a timewarp curve: from there on they all have the same timing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.core.splines import QuadraticSpline
from motionweave.registration.clouds import PointClip

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tracks:
    """Clips and the curve along which they correspond.

    Parameters
    ----------
    clips
        k clips; for a closed curve each holds its cycle three times over.
    curve
        Seconds ``(k,)`` of the clips over u. For a closed curve they count from the
        beginning of the middle round.
    """

    clips: Sequence[PointClip]
    curve: QuadraticSpline

    def count(self, rate: float) -> int:
        """How many steps of about 1 / rate the curve has, at least one."""
        return max(1, round((self.curve.end - self.curve.start) * rate))

    def sample(self, steps: int, beyond: int = 0) -> tuple[Array, list[Array]]:
        """Parameters ``(n,)`` and, for each clip, clouds ``(n, P, 3)`` at equal steps along u.

        ``beyond`` is by how many further steps a closed curve is followed at either end.
        """
        start, end = self.curve.start, self.curve.end
        u = start + np.arange(-beyond, steps + beyond + 1) * ((end - start) / steps)
        u[beyond], u[beyond + steps] = start, end
        return np.asarray(u), self.at(np.repeat(u[:, None], len(self.clips), axis=1))

    def at(self, u: Array) -> list[Array]:
        """Clouds ``(n, P, 3)`` of each clip at its own parameters ``(n, k)``."""
        clouds = []
        for j, clip in enumerate(self.clips):
            seconds = self.curve(u[:, j])[:, j]
            if self.curve.period is not None:
                seconds = seconds + self.curve.period[j]
            clouds.append(clip.at(np.clip(seconds * clip.fps, 0.0, len(clip) - 1.0)))
        return clouds
