"""Poses and speeds at every point of the subspace, estimated from the frames of the clips."""

from __future__ import annotations

import numpy as np

from motionweave.core.arrays import Array
from motionweave.methods.subspace.embedding import weighted
from motionweave.methods.subspace.kriging import Kriging
from motionweave.methods.subspace.poses import PoseCode

# How far a value may leave the range it has in the clips, as a share of that range.
MARGIN = 0.1


class Field:
    """What kriging makes of S samples, kept near the range that the samples have.

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
    """

    def __init__(self, code: PoseCode, points: Array, rows: Array, speeds: Array):
        self.code = code
        self.kriging = Kriging(points)
        self.usual_speeds: Array = np.sqrt(np.mean(speeds**2, axis=0))
        self._rows = self.kriging.interpolant(rows)
        self._row_range = rows.min(axis=0), rows.max(axis=0)
        self._speeds = self.kriging.interpolant(speeds)
        self._speed_range = speeds.min(axis=0), speeds.max(axis=0)

    def rows(self, at: Array) -> Array:
        """Rows ``(n, F)`` of the poses at points ``(n, d)``; at a sample, its own."""
        return within(self._rows(at), *self._row_range)

    def speeds(self, at: Array) -> Array:
        """Speeds ``(n, 2)`` along the curve and of the pose at points ``(n, d)``."""
        return within(self._speeds(at), *self._speed_range)

    def shapes(self, rows: Array) -> Array:
        """Poses of rows as points ``(n, m)`` whose distance is how unlike the poses are."""
        return weighted(self.code.places(rows), self.code.skeleton)


def within(values: Array, lower: Array, upper: Array) -> Array:
    """Values ``(n, F)`` kept within a range ``(F,)`` and a margin around it.

    Inside the range they are left alone; outside they go on with the same slope at
    first and come to rest at the margin: nothing explodes, nothing kinks.
    """
    margin = MARGIN * (upper - lower)
    room = np.where(margin > 0.0, margin, 1.0)
    over = np.maximum(values - upper, 0.0) / room
    under = np.maximum(lower - values, 0.0) / room
    bend = over / (1.0 + over) - under / (1.0 + under)
    return np.asarray(np.clip(values, lower, upper) + margin * bend)
