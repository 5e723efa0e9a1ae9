"""One smooth trunk from the hips to the neck: rings around the spine, as triangles.

Limbs are round, and tapered capsules draw them well. A trunk is wide and flat; one that is put
together of capsules shows a crease wherever two of them meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from motionweave.body.rig.roles import SIDES, find_rig
from motionweave.body.rig.tree import meeting
from motionweave.body.size import body_height
from motionweave.core.arrays import Array
from motionweave.core.numerics.curves import cardinal_tangents, hermite
from motionweave.core.numerics.vectors import unit
from motionweave.core.skeleton import Skeleton

_CORNERS = 28
# Rings from the seat to the shoulders, and from there to the neck.
_BELOW, _ABOVE = 15, 6
# From the seat (0) to the shoulders (1) and to the neck (2): half the width as a share of what
# is interpolated between hips and shoulders, and half the depth as a share of the body height.
_PROFILE = np.array(
    [
        (0.00, 0.15, 0.010),
        (0.02, 0.46, 0.034),
        (0.08, 0.82, 0.057),
        (0.20, 1.00, 0.068),
        (0.40, 0.92, 0.063),
        (0.57, 0.88, 0.061),
        (0.76, 0.94, 0.067),
        (0.92, 1.00, 0.060),
        (1.00, 0.99, 0.050),
        (1.35, 0.80, 0.042),
        (1.70, 0.42, 0.033),
        (2.00, 0.22, 0.024),
    ]
)
# Flesh around the joints, as shares of the body height: beside hips and shoulders, under the
# hips and over the shoulders.
_BESIDE_HIPS, _BESIDE_SHOULDERS, _UNDER, _OVER = 0.038, 0.012, 0.050, 0.040
# Of the way from hips to shoulders, and between joints of the spine: the least that is drawn
# as a trunk, and the least step along it, as shares of the body height.
_SHORTEST, _STEP = 0.1, 0.02
# A ring is between an ellipse (1) and a box (0).
_ROUND = 0.85


@dataclass(frozen=True)
class Torso:
    """Joints that carry a trunk.

    Parameters
    ----------
    hips, shoulders
        Left and right joints where legs and arms begin.
    spine
        Joints between them, from below; none if the skeleton has none.
    head
        The joint towards which the neck goes, or None.
    height
        Of the body.
    level
        Where between the seat (0) and the neck (1) the shoulders are.
    knots
        Where the seat, the joints of the spine, and the neck are.
    """

    hips: tuple[int, int]
    shoulders: tuple[int, int]
    spine: tuple[int, ...]
    head: int | None
    height: float
    level: float
    knots: tuple[float, ...]

    def rings(self, points: Array) -> Array:
        """The rings ``(T, R, 3, 3)`` for bodies whose joints begin ``points`` ``(T, P, 3)``.

        Each is given by its middle, and by where it is leftmost and foremost.
        """
        hips, shoulders = points[:, self.hips], points[:, self.shoulders]
        stage, width, depth = _profile()
        place = self._places()
        path = self._path(points, hips.mean(axis=1), shoulders.mean(axis=1), place)
        share = np.minimum(stage, 1.0)[:, None]
        (at_hips, low), (at_shoulders, high) = (_direction(pair) for pair in (hips, shoulders))
        # Rings lean with the hips and with the shoulders, so that a raised one is not left out.
        across = unit((1.0 - share) * at_hips[:, None] + share * at_shoulders[:, None])
        front = unit(np.cross(across, np.gradient(path, place, axis=1)))
        low, high = (
            0.5 * apart[:, None, None] + beside * self.height
            for apart, beside in ((low, _BESIDE_HIPS), (high, _BESIDE_SHOULDERS))
        )
        wide = width[:, None] * ((1.0 - share) * low + share * high)
        deep = self.height * depth[:, None]
        return np.stack([path, path + wide * across, path + deep * front], axis=2)

    def at(self, points: Array) -> tuple[Array, Array]:
        """Vertices and normals ``(V, 3)`` of one body; its joints begin ``points`` ``(P, 3)``."""
        middle, left, front = np.moveaxis(self.rings(points[None])[0], 1, 0)
        x, z = ring_corners(_CORNERS)[..., None].transpose(1, 0, 2)
        rings = middle[:, None] + x * (left - middle)[:, None] + z * (front - middle)[:, None]
        around = np.roll(rings, -1, axis=1) - np.roll(rings, 1, axis=1)
        normals = np.cross(np.gradient(rings, _profile()[0], axis=0), around)
        ends = unit(np.stack([middle[0] - middle[1], middle[-1] - middle[-2]]))
        return (
            np.concatenate([rings.reshape(-1, 3), middle[[0, -1]]]),
            np.concatenate([unit(normals).reshape(-1, 3), ends]),
        )

    def carriers(self, skeleton: Skeleton) -> tuple[NDArray[np.intp], Array]:
        """Which two joints carry each vertex of `at`, and with which weights, both ``(V, 2)``.

        A bone carries the ring at its middle alone; between two middles a ring goes with both,
        so that a bent spine bends the trunk without a crease.
        """
        bones = np.array([meeting(skeleton, self.hips), *self.spine], dtype=np.intp)
        knots = np.array(self.knots)
        middles = 0.5 * (knots[:-1] + knots[1:])
        along = np.interp(self._places(), middles, np.arange(len(bones)))
        first = np.minimum(along.astype(np.intp), max(len(bones) - 2, 0))
        second = np.minimum(first + 1, len(bones) - 1)
        joints = np.stack([bones[first], bones[second]], axis=1)
        weights = np.stack([1.0 - (along - first), along - first], axis=1)
        each = np.concatenate([np.repeat(np.arange(len(along)), _CORNERS), [0, len(along) - 1]])
        return joints[each], weights[each]

    def _places(self) -> Array:
        """Where between the seat (0) and the neck (1) each ring is ``(R,)``."""
        stage = _profile()[0]
        below, above = np.minimum(stage, 1.0), np.maximum(stage - 1.0, 0.0)
        return np.asarray(below * self.level + above * (1.0 - self.level))

    def _path(self, points: Array, seat: Array, chest: Array, place: Array) -> Array:
        """The middle of each ring ``(T, R, 3)``, on a smooth curve through the spine."""
        rise = self.height * unit(chest - seat)
        neck = rise if self.head is None else self.height * unit(points[:, self.head] - chest)
        spine = points[:, self.spine].swapaxes(0, 1)
        knots = np.concatenate([[seat - _UNDER * rise], spine, [chest + _OVER * neck]])
        times = np.array(self.knots)
        slopes = cardinal_tangents(times, knots)
        for end, (a, b) in ((0, (0, 1)), (-1, (-2, -1))):
            slopes[end] = (knots[b] - knots[a]) / (times[b] - times[a])
        return hermite(times, knots, slopes, place).swapaxes(0, 1)


def torso_of(skeleton: Skeleton) -> Torso | None:
    """The trunk of a skeleton; None where it is not known where limbs begin."""
    rig = find_rig(skeleton)
    hips, shoulders = (
        tuple(rig.roles.get(f"{side}_{role}", -1) for side in SIDES)
        for role in ("thigh", "upper_arm")
    )
    height = body_height(skeleton)
    if min(*hips, *shoulders) < 0 or height <= 0.0:
        return None
    rest = skeleton.rest_positions
    seat, chest = (rest[list(pair)].mean(axis=0) for pair in (hips, shoulders))
    apart = float(np.linalg.norm(chest - seat))
    if apart < _SHORTEST * height:
        return None
    # Joints of the spine that lie one above the other: others would fold the curve.
    spine: list[int] = []
    levels = [-_UNDER * height]
    for joint in rig.spine:
        rise = float((rest[joint] - seat) @ (chest - seat)) / apart
        if levels[-1] + _STEP * height < rise < apart + (_OVER - _STEP) * height:
            spine.append(joint)
            levels.append(rise)
    levels.append(apart + _OVER * height)
    whole = levels[-1] - levels[0]
    return Torso(
        (hips[0], hips[1]),
        (shoulders[0], shoulders[1]),
        tuple(spine),
        rig.roles.get("head"),
        height,
        (apart - levels[0]) / whole,
        tuple((level - levels[0]) / whole for level in levels),
    )


@cache
def torso_triangles() -> NDArray[np.intp]:
    """Triangles ``(F, 3)`` of every trunk: between neighbouring rings, and a lid at both ends."""
    ring = np.arange(_CORNERS)
    after = np.roll(ring, -1)
    count = _BELOW + _ABOVE
    starts = _CORNERS * np.arange(count - 1)[:, None]
    a, b = (starts + ring).ravel(), (starts + after).ravel()
    sides = np.concatenate(
        [np.stack([a, a + _CORNERS, b], 1), np.stack([b, a + _CORNERS, b + _CORNERS], 1)]
    )
    bottom, top = count * _CORNERS, count * _CORNERS + 1
    last = (count - 1) * _CORNERS
    lids = [
        np.stack([np.full(_CORNERS, bottom), ring, after], axis=1),
        np.stack([np.full(_CORNERS, top), last + after, last + ring], axis=1),
    ]
    return np.concatenate([sides, *lids])


@cache
def _profile() -> tuple[Array, Array, Array]:
    """Of each ring: where it is, its width and its depth ``(R,)``, see `_PROFILE`."""
    # Closer where the seat is round.
    below = 1.0 - np.cos(np.linspace(0.0, 0.5 * np.pi, _BELOW, endpoint=False))
    stage = np.concatenate([below, np.linspace(1.0, 2.0, _ABOVE)])
    knots, values = _PROFILE[:, 0], _PROFILE[:, 1:]
    smooth = hermite(knots, values, cardinal_tangents(knots, values), stage)
    return stage, smooth[:, 0], smooth[:, 1]


@cache
def ring_corners(count: int) -> Array:
    """Corners ``(count, 2)`` of a ring, as shares of the ways to its left and to its front."""
    angle = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    return np.asarray(np.sign(circle) * np.abs(circle) ** _ROUND)


def _direction(pair: Array) -> tuple[Array, Array]:
    """From right to left ``(T, 3)`` of pairs ``(T, 2, 3)``, and how far apart they are ``(T,)``."""
    across = pair[:, 0] - pair[:, 1]
    return unit(across), np.linalg.norm(across, axis=-1)
