"""Poses and speeds at every point of the subspace, estimated from the frames of the clips."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core.arrays import Array
from motionweave.methods.subspace.embedding import weighted
from motionweave.methods.subspace.kriging import Kriging
from motionweave.methods.subspace.poses import PoseCode

# How far a value may leave its range in the clips, as a share of that range: swinging further than
# the clips is the purpose of a longer spline.
MARGIN = 0.35
# The same for values that are not part of the pose: travel, turns and speeds stay in range.
_RATE_MARGIN = 0.05


class Field:
    """Kriging of S samples, with values kept near the range of the samples.

    Parameters
    ----------
    code
        How poses are written as rows of F numbers.
    points
        ``(S, d)`` places of the samples.
    rows
        ``(S, F)`` their poses.
    speeds
        ``(S, 2)``: along the curve in the subspace, and of the pose.
    plain
        As in the paper: nothing but the weighted sums of kriging. Otherwise poses follow a
        trend beyond the samples, see `Kriging`, and values stay near the samples' range.
    """

    def __init__(
        self, code: PoseCode, points: Array, rows: Array, speeds: Array, *, plain: bool = False
    ):
        self.code = code
        self.points = points
        self.kriging = Kriging(points, drift=not plain)
        self._plain = plain
        self.usual_speeds: Array = np.sqrt(np.mean(speeds**2, axis=0))
        self._rows = self.kriging.interpolant(rows)
        self._row_range = rows.min(axis=0), rows.max(axis=0)
        self._margins = np.full(rows.shape[1], _RATE_MARGIN)
        self._margins[code.poses] = MARGIN
        steady = Kriging(points) if self.kriging.drift else self.kriging
        self._speeds = steady.interpolant(speeds)
        self._speed_range = speeds.min(axis=0), speeds.max(axis=0)

    def rows(self, at: Array) -> Array:
        """Rows ``(n, F)`` of the poses at points ``(n, d)``; at a sample, its own."""
        rows = self._rows(at)
        return rows if self._plain else within(rows, *self._row_range, self._margins)

    def speeds(self, at: Array) -> Array:
        """Speeds ``(n, 2)`` along the curve and of the pose at points ``(n, d)``."""
        return within(self._speeds(at), *self._speed_range, _RATE_MARGIN)

    def shapes(self, rows: Array) -> Array:
        """Poses of rows as points ``(n, m)`` whose distance is the dissimilarity of the poses."""
        return weighted(self.code.places(rows), self.code.skeleton)


def within(values: Array, lower: Array, upper: Array, share: ArrayLike = MARGIN) -> Array:
    """Values ``(n, F)`` kept within a range ``(F,)`` and a margin, a share of it, around it.

    Inside the range they are unchanged; outside they continue with the same slope at first and
    level off at the margin: nothing explodes, nothing kinks.
    """
    margin = np.asarray(share) * (upper - lower)
    room = np.where(margin > 0.0, margin, 1.0)
    over = np.maximum(values - upper, 0.0) / room
    under = np.maximum(lower - values, 0.0) / room
    bend = over / (1.0 + over) - under / (1.0 + under)
    return np.asarray(np.clip(values, lower, upper) + margin * bend)
