"""Clips played along a timewarp curve, so that they all have the same timing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionweave.core.arrays import Array
from motionweave.core.numerics.splines import QuadraticSpline
from motionweave.registration.clouds import PointClip
from motionweave.registration.windows import CentredClip


@dataclass(frozen=True, eq=False)
class Tracks:
    """Clips and the curve along which they match.

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

    def sample(self, steps: int, beyond: int = 0) -> tuple[Array, list[CentredClip]]:
        """Parameters ``(n,)`` at equal steps along u, and each clip as it is there.

        ``beyond`` is by how many further steps a closed curve is followed at either end.
        """
        start, end = self.curve.start, self.curve.end
        step = (end - start) / steps
        u = start + np.arange(-beyond, steps + beyond + 1) * step
        u[beyond], u[beyond + steps] = start, end
        seconds = self.curve(u)
        if self.curve.period is not None:
            seconds = seconds + self.curve.period
        played = [
            CentredClip.of(clip).sample(np.clip(seconds[:, j] * clip.fps, 0.0, len(clip) - 1.0))
            for j, clip in enumerate(self.clips)
        ]
        return np.asarray(u), played
