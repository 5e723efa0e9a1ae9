"""What a pose has to meet: aims of joints, and the limits of knees and elbows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.body.hinges import Hinge
from motionweave.core import rotations
from motionweave.core.arrays import Array, BoolArray, read_only
from motionweave.core.runtime.kernels import kernel

# Kinds of aims: a position, something to point at, an orientation.
_PLACED, _POINTED, _TURNED = 0, 1, 2


@dataclass(frozen=True)
class Aim:
    """Where a joint has to be, what it has to point at, or how it has to be turned.

    Exactly one of position, direction and orientation is given.

    Parameters
    ----------
    joint
        Its index.
    weight
        How much a miss counts compared with misses of other aims.
    position
        ``(3,)`` global position, or where it is seen from another joint, along global axes; NaN
        leaves an axis free.
    direction
        ``(2, 3)``: a direction in the joint's own axes, and the global point that
        it has to point at.
    orientation
        ``(4,)`` global orientation, or that relative to another joint.
    tip
        ``(3,)`` the point that has to be at the position, in the joint's own axes; None for
        the joint itself.
    base
        The joint that the position is seen from, or the orientation is relative to; None for the
        world.
    """

    joint: int
    weight: float = 1.0
    position: Array | None = None
    direction: Array | None = None
    orientation: Array | None = None
    tip: Array | None = None
    base: int | None = None


@dataclass(frozen=True)
class Limit:
    """How far a knee or an elbow may bend.

    Parameters
    ----------
    hinge
        About which axis it bends, one way.
    axis
        ``(3,)`` the same axis in the axes of the joint's parent.
    least, most
        Bend allowed, radians.
    """

    hinge: Hinge
    axis: Array
    least: float
    most: float


class Limits:
    """Several hinges of a skeleton, to be measured at once."""

    def __init__(self, limits: Sequence[Limit]):
        joints = [(limit.hinge.upper, limit.hinge.joint, limit.hinge.end) for limit in limits]
        # Of both bones of each, (2, n): where they begin and where they end.
        bones = np.array(joints, dtype=np.intp).reshape(-1, 3).T
        self.begin, self.end = bones[:-1], bones[1:]
        self.axis = np.reshape([limit.hinge.axis for limit in limits], (-1, 3))
        self.least = np.array([limit.least for limit in limits])
        self.most = np.array([limit.most for limit in limits])

    def bends(self, positions: Array, orientations: Array) -> Array:
        """Signed bends ``(n,)`` about the axes, radians; 0 is straight.

        Positions and orientations are those of one pose, ``(J, 3)`` and ``(J, 4)``.
        """
        first, second = positions[self.end] - positions[self.begin]
        axes = rotations.rotate(orientations[self.begin[0]], self.axis)
        sine = np.einsum("ij,ij->i", rotations.cross(first, second), axes)
        return np.asarray(np.arctan2(sine, np.einsum("ij,ij->i", first, second)))

    def beyond(self, positions: Array, orientations: Array) -> Array:
        """How far each is bent past its limits, radians: below the least is negative."""
        bends = self.bends(positions, orientations)
        return np.asarray(np.minimum(bends - self.least, 0.0) + np.maximum(bends - self.most, 0.0))

    def away(self, places: tuple[Array, Array], past: Array) -> Array:
        """How far bends ``(n,)`` are from the limits that another pose is ``past`` ``(n,)``: those
        are the least where that is negative, otherwise the most."""
        return self.bends(*places) - np.where(past < 0.0, self.least, self.most)


@kernel()
def _fill_slopes(  # type: ignore[no-untyped-def]
    positions, orientations, free, parents, kinds, arms, bases, carries, bears, scales, slopes
):
    """`Aims.fill_slopes`, with the ``kinds`` (n,) of the aims, their ``arms`` (n, 3) and where
    their ``bases`` are (n, 3)."""
    for i in range(free.shape[0]):
        x, y, z, w = 0.0, 0.0, 0.0, 1.0
        if parents[i] >= 0:
            x, y = orientations[parents[i], 0], orientations[parents[i], 1]
            z, w = orientations[parents[i], 2], orientations[parents[i], 3]
        for k in range(3):
            if k == 0:
                ax, ay, az = 1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)
            elif k == 1:
                ax, ay, az = 2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)
            else:
                ax, ay, az = 2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)
            for n in range(kinds.shape[0]):
                if not (carries[n, i] or bears[n, i]):
                    continue
                # A turn changes an orientation by its axis, and a point or a direction by
                # axis x arm; with those of a base it also changes what is measured from them.
                own, other = 1.0 * carries[n, i], 1.0 * bears[n, i]
                dx, dy, dz = (own - other) * ax, (own - other) * ay, (own - other) * az
                if kinds[n] != _TURNED:
                    bx = own * arms[n, 0] - other * bases[n, 0]
                    by = own * arms[n, 1] - other * bases[n, 1]
                    bz = own * arms[n, 2] - other * bases[n, 2]
                    if kinds[n] == _PLACED:
                        bx -= (own - other) * positions[free[i], 0]
                        by -= (own - other) * positions[free[i], 1]
                        bz -= (own - other) * positions[free[i], 2]
                    dx, dy, dz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
                slopes[3 * n, 3 * i + k] = scales[n, 0] * dx
                slopes[3 * n + 1, 3 * i + k] = scales[n, 1] * dy
                slopes[3 * n + 2, 3 * i + k] = scales[n, 2] * dz


class Aims:
    """Aims grouped by kind, so that all of a kind are evaluated at once."""

    def __init__(self, aims: Sequence[Aim]):
        self.joints = np.array([aim.joint for aim in aims], dtype=np.intp)
        self.weights = np.array([aim.weight for aim in aims])
        self.placed = np.flatnonzero([aim.position is not None for aim in aims])
        self.pointed = np.flatnonzero([aim.direction is not None for aim in aims])
        self.turned = np.flatnonzero([aim.orientation is not None for aim in aims])
        positions = [aim.position for aim in aims if aim.position is not None]
        directions = [aim.direction for aim in aims if aim.direction is not None]
        orientations = [aim.orientation for aim in aims if aim.orientation is not None]
        wanted = np.reshape(positions, (-1, 3))
        self.asked = ~np.isnan(wanted)
        self.wanted = np.where(self.asked, wanted, 0.0)
        tips = [aim.tip for aim in aims if aim.position is not None]
        self.tips = np.reshape([np.zeros(3) if tip is None else tip for tip in tips], (-1, 3))
        self.tipped = np.array([tip is not None for tip in tips], dtype=bool)
        # Joints that they are measured from; -1 for the world.
        self.bases = np.array([-1 if aim.base is None else aim.base for aim in aims], dtype=np.intp)
        self.directions = np.reshape(directions, (-1, 2, 3))
        self.orientations = np.reshape(orientations, (-1, 4))
        self.kinds = np.empty(len(aims), dtype=np.int64)
        self.kinds[self.placed], self.kinds[self.pointed] = _PLACED, _POINTED
        self.kinds[self.turned] = _TURNED

    def points(self, places: tuple[Array, Array]) -> Array:
        """Where the points are that have to be somewhere, ``(n, 3)``."""
        positions, orientations = places
        joints = self.joints[self.placed]
        if not self.tipped.any():
            return positions[joints]
        return np.asarray(positions[joints] + rotations.rotate(orientations[joints], self.tips))

    def pointing(self, orientations: Array) -> Array:
        """Where joints point that have to point at something, ``(n, 3)``."""
        return rotations.rotate(orientations[self.joints[self.pointed]], self.directions[:, 0])

    def _origins(self, positions: Array) -> Array:
        """Where the bases are ``(n, 3)`` of joints at ``(J, 3)``; zeros for the world."""
        return np.where((self.bases < 0)[:, None], 0.0, positions[self.bases])

    def _arms(self, places: tuple[Array, Array]) -> Array:
        """What is turned about the joints above, ``(n, 3)``: the points, or where joints point."""
        arms = np.zeros((len(self.joints), 3))
        if len(self.placed):
            arms[self.placed] = self.points(places)
        if len(self.pointed):
            arms[self.pointed] = self.pointing(places[1])
        return arms

    def misses(self, places: tuple[Array, Array]) -> Array:
        """What each aim is short of, ``(n, 3)``: a length, or radians.

        ``places`` are positions ``(J, 3)`` and orientations ``(J, 4)`` of a pose.
        """
        positions, orientations = places
        result = np.empty((len(self.joints), 3))
        if len(self.placed):
            seen = self.points(places) - self._origins(positions)[self.placed]
            result[self.placed] = np.where(self.asked, seen - self.wanted, 0.0)
        if len(self.turned):
            bases = self.bases[self.turned]
            base = np.where((bases < 0)[:, None], rotations.IDENTITY, orientations[bases])
            back = rotations.inverse(rotations.multiply(base, self.orientations))
            apart = rotations.multiply(orientations[self.joints[self.turned]], back)
            result[self.turned] = rotations.log(apart)
        if len(self.pointed):
            wanted = self.directions[:, 1] - positions[self.joints[self.pointed]]
            wanted /= np.maximum(np.linalg.norm(wanted, axis=1, keepdims=True), 1e-12)
            result[self.pointed] = self.pointing(orientations) - wanted
        return result

    def fill_slopes(
        self,
        places: tuple[Array, Array],
        free: NDArray[np.int64],
        parents: NDArray[np.int64],
        carries: BoolArray,
        bears: BoolArray,
        scales: Array,
        slopes: Array,
    ) -> None:
        """Fill in how misses change as joints turn.

        Parameters
        ----------
        places
            Positions ``(J, 3)`` and orientations ``(J, 4)`` of the pose.
        free, parents
            ``(f,)`` the joints that turn, and their parents, about whose axes they do.
        carries
            ``(n, f)`` whether an aim's point or orientation is turned with a joint.
        bears
            ``(n, f)`` whether its base is.
        scales
            ``(n, 3)`` factors of the misses.
        slopes
            ``(3 n, 3 f)`` or larger, filled: rows are misses, columns the axes of the joints.
        """
        _fill_slopes(
            *map(read_only, places),
            free,
            parents,
            self.kinds,
            read_only(self._arms(places)),
            read_only(self._origins(places[0])),
            carries,
            bears,
            scales,
            slopes,
        )
