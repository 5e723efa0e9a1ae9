"""Kriging: the weights of all samples at a point of the subspace (Mukai, Eq. 1).

The weights minimise the error of estimation for values whose variance grows linearly with distance.
They sum to one, single out a sample at its own place, and stay bounded however far away the point
lies: away from all samples the estimate tends to their mean. With a *drift* it continues the trend
of the samples instead (universal kriging): values that are linear in the place are then met
everywhere, beyond the samples too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.core.arrays import Array
from motionweave.core.runtime.threads import one_thread
from motionweave.errors import BlendError

# Samples closer than this share of the cloud's size count as one: a motion that stands still or
# repeats would make the matrix singular.
_SAME_PLACE = 1e-7


class Kriging:
    """Weights of S samples at points of a d-dimensional space.

    Samples at the same place (duplicate frames) are merged: the first of them stands
    for all. The matrix of Eq. 1 is factored once, when weights are first needed.

    Parameters
    ----------
    points
        ``(S, d)`` places of the samples.
    drift
        Whether values follow a linear trend away from the samples; otherwise, as in the
        paper, they return to the mean.
    """

    def __init__(self, points: ArrayLike, *, drift: bool = False):
        self.points: Array = np.asarray(points, dtype=np.float64)
        if self.points.ndim != 2 or len(self.points) == 0:
            raise BlendError(f"kriging: expected samples (S, d), got {self.points.shape}")
        self.kept: NDArray[np.intp] = distinct(self.points)
        # A trend needs samples that spread in every direction.
        spread = np.linalg.matrix_rank(self.points[self.kept] - self.points[self.kept[0]])
        self.drift = drift and int(spread) == self.points.shape[1]

    def weights(self, at: ArrayLike) -> Array:
        """Weights ``(n, S)`` of the samples at the points ``at`` ``(n, d)``; rows sum to one."""
        right = self._right_hand_side(np.asarray(at, dtype=np.float64))
        result = np.zeros((len(right), len(self.points)))
        result[:, self.kept] = self._solve(right.T)[: len(self.kept)].T
        return result

    def interpolant(self, samples: ArrayLike) -> Callable[[Array], Array]:
        """A function from points ``(n, d)`` to values ``(n, ...)`` of data ``(S, ...)``.

        The same as ``weights(at) @ samples``, but the system is solved once for the
        data instead of once for every point: faster if there are many points.
        """
        samples = np.asarray(samples, dtype=np.float64)[self.kept]
        known = np.zeros((len(samples) + self._trend(self.points[:1]).shape[1], samples[0].size))
        known[: len(samples)] = samples.reshape(len(samples), -1)
        # The matrix is symmetric, so the same factors give the coefficients of the data.
        coefficients = self._solve(known)

        @one_thread()
        def values(at: Array) -> Array:
            right = self._right_hand_side(np.asarray(at, dtype=np.float64))
            return np.asarray((right @ coefficients).reshape(len(right), *samples.shape[1:]))

        return values

    def _right_hand_side(self, at: Array) -> Array:
        return np.concatenate([_distances(at, self.points[self.kept]), self._trend(at)], 1)

    def _trend(self, at: Array) -> Array:
        """What the weights must reproduce exactly ``(n, 1)`` or ``(n, 1 + d)``: one, and places."""
        ones = np.ones((len(at), 1))
        return np.concatenate([ones, at], axis=1) if self.drift else ones

    @cached_property
    def _factors(self) -> tuple[Array, NDArray[np.int32]]:
        from scipy.linalg import lu_factor

        places = self.points[self.kept]
        count, trend = len(places), self._trend(places)
        matrix = np.zeros((count + trend.shape[1], count + trend.shape[1]))
        matrix[:count, :count] = _distances(places, places)
        matrix[:count, count:], matrix[count:, :count] = trend, trend.T
        return lu_factor(matrix, check_finite=False)

    @one_thread()
    def _solve(self, right: Array) -> Array:
        from scipy.linalg import lu_solve

        return lu_solve(self._factors, right, check_finite=False)


def distinct(points: Array) -> NDArray[np.intp]:
    """Indices of samples no two of which share a place, each the first at its place."""
    from scipy.spatial import cKDTree

    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    if size == 0.0:
        return np.array([0], dtype=np.intp)
    pairs = cKDTree(points).query_pairs(_SAME_PLACE * size, output_type="ndarray")
    gone = np.zeros(len(points), dtype=bool)
    for first, second in pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]:
        # A sample that was itself merged away does not draw others with it.
        if not gone[first]:
            gone[second] = True
    return np.flatnonzero(~gone)


def _distances(a: Array, b: Array) -> Array:
    """Euclidean distances ``(len(a), len(b))``."""
    from scipy.spatial.distance import cdist

    return cdist(a, b)
