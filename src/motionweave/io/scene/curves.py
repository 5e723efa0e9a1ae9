"""Key-framed curves: what lies between keys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.numerics.curves import hermite_basis
from motionweave.io.scene.rates import MISSES, PRECISION

# What changes by less than this share of its size does not change.
_ROUNDED = 1e-5


@dataclass(frozen=True, eq=False)
class Curve:
    """Keys of one property of one node.

    Parameters
    ----------
    times
        ``(K,)`` seconds, ascending.
    values
        ``(K, n)``; for ``"CUBICSPLINE"`` ``(K, 3, n)``: tangent in, value, tangent out.
    interpolation
        ``"LINEAR"``, ``"STEP"`` or ``"CUBICSPLINE"``, as in glTF.
    turns
        Whether the values are quaternions.
    """

    times: Array
    values: Array
    interpolation: str = "LINEAR"
    turns: bool = False

    @property
    def points(self) -> Array:
        """The values at the keys ``(K, n)``, without tangents."""
        return self.values[:, 1] if self.interpolation == "CUBICSPLINE" else self.values

    @property
    def changes(self) -> bool:
        """Whether the keys have different values, by more than exporters round."""
        points = self.points
        if self.turns:
            return bool(np.any(np.abs(points @ points[0]) < 1.0 - _ROUNDED))
        return bool(np.any(np.abs(points - points[0]) > _ROUNDED * np.abs(points).max()))

    def at(self, times: Array) -> Array:
        """Values ``(T, n)``; the first and the last key hold beyond them."""
        keys = self.times
        cubic = self.interpolation == "CUBICSPLINE"
        points = self.points
        if len(keys) == 1:
            return np.repeat(points, len(times), axis=0)
        lower = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, len(keys) - 2)
        span = keys[lower + 1] - keys[lower]
        safe = np.where(span > 0.0, span, 1.0)
        share = np.clip((times - keys[lower]) / safe, 0.0, 1.0)
        # A key is hit exactly, although times are rounded.
        slack = MISSES + PRECISION * np.abs(times) / safe
        share = np.where(share < slack, 0.0, np.where(share > 1.0 - slack, 1.0, share))
        if self.interpolation == "STEP":
            return np.asarray(points[lower + (share == 1.0)])
        a, b, t = points[lower], points[lower + 1], share[:, None]
        if cubic:
            rise, out, into = hermite_basis(t)
            result = (1.0 - rise) * a + rise * b
            result += span[:, None] * (
                out * self.values[lower, 2] + into * self.values[lower + 1, 0]
            )
            return rotations.normalize(result) if self.turns else np.asarray(result)
        if self.turns:
            return rotations.slerp(a, b, share)
        return np.asarray(a + t * (b - a))
