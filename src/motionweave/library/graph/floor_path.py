"""A path on the floor."""

from __future__ import annotations

import numpy as np

from motionweave.core.arrays import Array
from motionweave.errors import LibraryError

# Leg length in metres of a body that is 1.7 m tall. Paths, places and speeds are given in metres of
# such a body, whichever body then performs the walk.
LEG = 0.85
# Leg lengths by which a walker may have advanced since the last query, and its precision.
_LOOK, _GRAIN = 1.0, 0.02


class FloorPath:
    """A path on the floor by the distance travelled along it, in leg lengths.

    Parameters
    ----------
    points
        ``(n, 2)`` places (x, z), in leg lengths.
    """

    def __init__(self, points: Array):
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2:
            raise LibraryError(
                f"path: expected two or more places (x, z), got an array of shape {points.shape}"
            )
        steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
        self._points = points[np.concatenate([[True], steps > 0])]
        self._at = np.concatenate([[0.0], np.cumsum(steps[steps > 0])])
        self.length = float(self._at[-1])
        if self.length <= 0.0:
            raise LibraryError("path: all places are the same")

    def at(self, distance: Array | float) -> Array:
        """Points ``(..., 2)`` at a distance along the path; its ends beyond it."""
        return np.stack(
            [np.interp(distance, self._at, self._points[:, axis]) for axis in (0, 1)], axis=-1
        )

    def direction(self, distance: Array | float) -> Array:
        """Direction of the path, as a heading."""
        ahead = np.minimum(np.asarray(distance) + 0.5, self.length)
        way = self.at(ahead) - self.at(ahead - 0.5)
        return np.asarray(np.arctan2(way[..., 0], way[..., 1]))

    def nearest(self, place: Array, progress: float) -> float:
        """Distance along the path of its nearest point to a place, not far from ``progress``."""
        along = progress + np.arange(0.0, _LOOK, _GRAIN)
        apart = np.sum((self.at(along) - place) ** 2, axis=1)
        return float(min(along[int(np.argmin(apart))], self.length))

    def error(self, places: Array) -> float:
        """Mean distance of places ``(T, 2)`` from the path, each from its nearest point."""
        dense = self.at(np.linspace(0.0, self.length, max(2, int(self.length * 20))))
        apart = np.linalg.norm(places[:, None] - dense[None], axis=2)
        return float(apart.min(axis=1).mean())
