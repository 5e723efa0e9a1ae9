"""Rigid moves of the floor plane: a turn about the vertical and a shift in x and z.

Such moves do not change the nature of a motion, which is why motions can be aligned. The convention
is Kovar & Gleicher's (Eq. 1)::

    x = x' cos(angle) + z' sin(angle) + x0
    z = -x' sin(angle) + z' cos(angle) + z0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core import rotations
from motionweave.core.arrays import Array


@dataclass(frozen=True)
class Planar:
    """One planar move, or an array of them: the three fields broadcast together.

    Parameters
    ----------
    angle
        Turn about +y in radians, ``(...)``. Not wrapped: full turns are kept.
    x, z
        Shift after the turn, ``(...)``.

    Examples
    --------
    >>> import numpy as np
    >>> import motionweave as mw
    >>> move = mw.Planar(np.pi / 2, 1.0, 0.0)
    >>> move.apply([0.0, 1.0, 2.0]).round(3).tolist()
    [3.0, 1.0, 0.0]
    >>> (move.inverse() @ move).apply([0.0, 1.0, 2.0]).round(3).tolist()
    [0.0, 1.0, 2.0]
    """

    angle: Any = 0.0
    x: Any = 0.0
    z: Any = 0.0

    def __post_init__(self) -> None:
        for name in ("angle", "x", "z"):
            value = np.asarray(getattr(self, name), dtype=np.float64)
            object.__setattr__(self, name, value if value.ndim else float(value))

    @classmethod
    def about(cls, origin: ArrayLike, angle: ArrayLike, shift: ArrayLike = (0.0, 0.0)) -> Planar:
        """A turn by ``angle`` about ``origin`` ``(..., 2)``, then a ``shift`` ``(..., 2)``."""
        origin = np.asarray(origin, dtype=np.float64)
        shift = np.asarray(shift, dtype=np.float64)
        turned = cls(angle).apply_xz(origin)
        return cls(
            angle,
            origin[..., 0] + shift[..., 0] - turned[..., 0],
            origin[..., 1] + shift[..., 1] - turned[..., 1],
        )

    @classmethod
    def onto(cls, angle: ArrayLike, origin: ArrayLike, to: ArrayLike) -> Planar:
        """A turn by ``angle`` and the shift that takes ``origin`` to ``to``, both ``(..., 2)``."""
        turned = cls(angle).apply_xz(origin)
        to = np.asarray(to, dtype=np.float64)
        return cls(angle, to[..., 0] - turned[..., 0], to[..., 1] - turned[..., 1])

    def __getitem__(self, index: Any) -> Planar:
        angle, x, z = np.broadcast_arrays(self.angle, self.x, self.z)
        return Planar(angle[index], x[index], z[index])

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of moves; ``()`` for a single one."""
        return np.broadcast_shapes(np.shape(self.angle), np.shape(self.x), np.shape(self.z))

    def __matmul__(self, other: Planar) -> Planar:
        """The move that does ``other`` first and then ``self``."""
        cos, sin = np.cos(self.angle), np.sin(self.angle)
        return Planar(
            self.angle + other.angle,
            cos * other.x + sin * other.z + self.x,
            -sin * other.x + cos * other.z + self.z,
        )

    def inverse(self) -> Planar:
        """The move that undoes this one."""
        cos, sin = np.cos(self.angle), np.sin(self.angle)
        return Planar(-self.angle, -cos * self.x + sin * self.z, -sin * self.x - cos * self.z)

    def apply_xz(self, points: ArrayLike) -> Array:
        """Floor ``points`` ``(..., 2)`` moved; moves broadcast against ``points[..., 0]``."""
        points = np.asarray(points, dtype=np.float64)
        cos, sin = np.cos(self.angle), np.sin(self.angle)
        px, pz = points[..., 0], points[..., 1]
        return np.stack([cos * px + sin * pz + self.x, -sin * px + cos * pz + self.z], axis=-1)

    def apply(self, points: ArrayLike) -> Array:
        """Points in space, ``points`` ``(..., 3)``, moved in the same way; heights stay."""
        points = np.asarray(points, dtype=np.float64)
        moved = self.apply_xz(points[..., [0, 2]])
        height = np.broadcast_to(points[..., 1], moved.shape[:-1])
        return np.stack([moved[..., 0], height, moved[..., 1]], axis=-1)

    def turn(self, orientations: ArrayLike) -> Array:
        """Global ``orientations`` ``(..., 4)`` turned about the vertical."""
        return rotations.multiply(rotations.about_vertical(self.angle), orientations)

    def mean(self, weights: ArrayLike, origin: ArrayLike) -> Planar:
        """Mean of moves ``(..., k)`` by ``weights`` ``(..., k)`` about ``origin`` (Eq. 9).

        Each move is written as a turn about ``origin`` ``(..., 2)`` followed by a
        shift; turns and shifts are averaged. Angles must not be a full turn apart.
        """
        weights = np.asarray(weights, dtype=np.float64)
        origin = np.asarray(origin, dtype=np.float64)
        shift = self.apply_xz(origin[..., None, :]) - origin[..., None, :]
        angle = np.sum(weights * self.angle, axis=-1)
        return Planar.about(origin, angle, np.sum(weights[..., None] * shift, axis=-2))
