"""Full-body inverse kinematics of one pose that stays close to the pose it starts from.

The unknowns are a small turn of every joint that may move and a shift of the root.
What is minimised is

    sum over aims |miss|^2 / slack^2  +  sum over joints  stiffness * |turn|^2

by Levenberg-Marquardt steps, for a slack that shrinks until the aims are met as
exactly as they can be: of all poses that reach, the one nearest to the start is found,
and where none reaches, one that comes as near as possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from motionweave.body.hinges import Hinge
from motionweave.core import kinematics, rotations
from motionweave.core.arrays import Array
from motionweave.core.skeleton import Skeleton

# Slack of the aims, in units of the body's scale; the last decides how exact they are met.
_SLACKS = (0.3, 0.03, 3e-3, 3e-4, 3e-5)
_STEPS = 25
# A step that lowers the cost by a smaller share than this ends a stage; a step that turns
# every joint by less than the last (radians) ends it too.
_COARSE, _FINE, _STILL = 0.02, 1e-7, 1e-9


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
        ``(3,)`` global position; NaN leaves an axis free.
    direction
        ``(2, 3)``: a direction in the joint's own axes, and the global point that
        it has to point at.
    orientation
        ``(4,)`` global orientation.
    tip
        ``(3,)`` the point that has to be at the position, in the joint's own axes; None for
        the joint itself.
    """

    joint: int
    weight: float = 1.0
    position: Array | None = None
    direction: Array | None = None
    orientation: Array | None = None
    tip: Array | None = None


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
        self.joint = np.array([limit.hinge.joint for limit in limits], dtype=np.intp)
        self.upper = np.array([limit.hinge.upper for limit in limits], dtype=np.intp)
        self.end = np.array([limit.hinge.end for limit in limits], dtype=np.intp)
        self.axis = np.reshape([limit.hinge.axis for limit in limits], (-1, 3))
        self.least = np.array([limit.least for limit in limits])
        self.most = np.array([limit.most for limit in limits])

    def bends(self, positions: Array, orientations: Array) -> Array:
        """Signed bends ``(n,)`` about the axes, radians; 0 is straight.

        Positions and orientations are those of one pose, ``(J, 3)`` and ``(J, 4)``.
        """
        first = positions[self.joint] - positions[self.upper]
        second = positions[self.end] - positions[self.joint]
        axes = rotations.rotate(orientations[self.upper], self.axis)
        sine = np.einsum("ij,ij->i", rotations.cross(first, second), axes)
        return np.asarray(np.arctan2(sine, np.einsum("ij,ij->i", first, second)))

    def beyond(self, positions: Array, orientations: Array) -> Array:
        """How far each is bent past its limits, radians: below the least is negative."""
        bends = self.bends(positions, orientations)
        return np.asarray(np.minimum(bends - self.least, 0.0) + np.maximum(bends - self.most, 0.0))


@dataclass(frozen=True)
class PosableBody:
    """What can move, and the stiffness of each joint.

    Parameters
    ----------
    skeleton
        The character.
    offsets
        ``(J, 3)`` bone vectors of this frame.
    stiffness
        ``(J,)``; infinite for a joint that stays as it is.
    root_stiffness
        The same for a shift of the root by ``scale``.
    scale
        A length of the body, such as the leg's.
    limits
        Of knees and elbows.
    """

    skeleton: Skeleton
    offsets: Array
    stiffness: Array
    root_stiffness: float
    scale: float
    limits: tuple[Limit, ...] = field(default=())


@dataclass(frozen=True)
class SolvedPose:
    """Root position ``(3,)`` and local rotations ``(J, 4)``."""

    root: Array
    rotations: Array


# The stiffness of a hinge about other axes, relative to its own.
_SIDEWAYS = 60.0
# The cost of a radian beyond a hinge's limit, relative to an aim missed by the body's scale.
_LIMIT = 8.0


def solve(body: PosableBody, start: SolvedPose, aims: Sequence[Aim]) -> SolvedPose:
    """The pose nearest to ``start`` that meets the aims, or comes nearest to meeting them."""
    problem = _Problem(body, start, aims)
    if problem.count == 0:
        return start
    pose = start
    for slack in _SLACKS:
        pose = _descend(problem, pose, slack, _FINE if slack == _SLACKS[-1] else _COARSE)
    return pose


def misses(aims: Sequence[Aim], places: tuple[Array, Array]) -> Array:
    """What each aim is short of, ``(n, 3)``: a length, or radians.

    ``places`` are positions ``(J, 3)`` and orientations ``(J, 4)`` of a pose.
    """
    return _Aims(aims).misses(places)


def joint_position(body: PosableBody, pose: SolvedPose, joint: int) -> Array:
    """Global position ``(3,)`` of a joint."""
    return np.asarray(_places(body, pose)[0][joint])


class _Aims:
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
        self.directions = np.reshape(directions, (-1, 2, 3))
        self.back = rotations.inverse(np.reshape(orientations, (-1, 4)))

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

    def misses(self, places: tuple[Array, Array]) -> Array:
        """As the function `misses`."""
        positions, orientations = places
        result = np.empty((len(self.joints), 3))
        if len(self.placed):
            result[self.placed] = np.where(self.asked, self.points(places) - self.wanted, 0.0)
        if len(self.turned):
            apart = rotations.multiply(orientations[self.joints[self.turned]], self.back)
            result[self.turned] = rotations.log(apart)
        if len(self.pointed):
            wanted = self.directions[:, 1] - positions[self.joints[self.pointed]]
            wanted /= np.maximum(np.linalg.norm(wanted, axis=1, keepdims=True), 1e-12)
            result[self.pointed] = self.pointing(orientations) - wanted
        return result


class _Problem:
    """Errors and their derivatives with respect to turns of the joints, root shift last.

    The errors are misses of the aims, three each, and bends past the hinges' limits. A pose
    also costs ``turn @ stiff @ turn``, with its turn from the start.
    """

    def __init__(self, body: PosableBody, start: SolvedPose, aims: Sequence[Aim]):
        self.body, self.start, self.aims = body, start, _Aims(aims)
        self.free = np.flatnonzero(np.isfinite(body.stiffness))
        self.shifts = bool(np.isfinite(body.root_stiffness))
        self.count = 3 * len(self.free) + (3 if self.shifts else 0)
        self.back = rotations.inverse(start.rotations[self.free])
        self.parents = body.skeleton.parents[self.free]
        lengths = np.where([aim.position is not None for aim in aims], body.scale, 1.0)
        self.weights = self.aims.weights / lengths
        above = _ancestors(body.skeleton)
        # Which free joints carry which aim's joint; a joint does not move itself by turning.
        self.carries = above[self.aims.joints][:, self.free]
        still = self.aims.placed[~self.aims.tipped]
        self.carries[still] &= self.free != self.aims.joints[still, None]
        self.stiff = self._stiffness()
        self.limits = Limits(body.limits)
        self._known: tuple[SolvedPose, tuple[Array, Array], Array] | None = None

    def forward(self, pose: SolvedPose) -> tuple[tuple[Array, Array], Array]:
        """Positions and orientations, and how far hinges are bent past their limits."""
        # The derivatives are evaluated where the errors just were.
        if self._known is None or self._known[0] is not pose:
            places = _places(self.body, pose)
            self._known = pose, places, self.limits.beyond(*places)
        return self._known[1:]

    def errors(self, pose: SolvedPose, slack: float) -> Array:
        places, beyond = self.forward(pose)
        missed = self.aims.misses(places) * (self.weights / slack)[:, None]
        return np.concatenate([missed.ravel(), _LIMIT / slack * beyond])

    def turn(self, pose: SolvedPose) -> Array:
        """How far a pose is from the start, ``(count,)``."""
        turn = rotations.log(rotations.multiply(pose.rotations[self.free], self.back)).ravel()
        if not self.shifts:
            return turn
        return np.concatenate([turn, (pose.root - self.start.root) / self.body.scale])

    def derivatives(self, pose: SolvedPose, slack: float) -> Array:
        """Of the errors, ``(n, count)``."""
        places, beyond = self.forward(pose)
        aims = self._aim_derivatives(places) * (self.weights / slack)[:, None, None]
        limits = np.zeros((len(self.body.limits), self.count))
        for i in np.flatnonzero(beyond):
            limit = self.body.limits[i]
            at = 3 * np.flatnonzero(self.free == limit.hinge.joint)
            if len(at):
                limits[i, at[0] : at[0] + 3] = _LIMIT / slack * limit.axis
        return np.concatenate([aims.reshape(-1, self.count), limits])

    def moved(self, pose: SolvedPose, step: Array) -> SolvedPose:
        quaternions = np.array(pose.rotations)
        turns = step[: 3 * len(self.free)].reshape(-1, 3)
        quaternions[self.free] = rotations.normalize(
            rotations.multiply(rotations.exp(turns), quaternions[self.free])
        )
        root = pose.root + step[-3:] * self.body.scale if self.shifts else pose.root
        return SolvedPose(root, quaternions)

    def _aim_derivatives(self, places: tuple[Array, Array]) -> Array:
        """Of the misses, ``(n, 3, count)``."""
        positions, orientations = places
        aims, free = self.aims, len(self.free)
        # Rows are the axes about which free joints turn: those of their parents.
        axes = np.swapaxes(rotations.to_matrix(orientations[self.parents]), 1, 2)
        axes[self.parents < 0] = np.eye(3)
        # For each aim, free joint and axis what the aim's joint does: (n, free, 3, 3).
        parts = np.empty((len(aims.joints), free, 3, 3))
        parts[aims.turned] = axes
        # d(point) = axis x arm
        arm = aims.points(places)[:, None] - positions[self.free]
        parts[aims.placed] = rotations.cross(axes, arm[:, :, None])
        if len(aims.pointed):
            pointing = aims.pointing(orientations)
            parts[aims.pointed] = rotations.cross(axes, pointing[:, None, None])
        parts *= self.carries[:, :, None, None]
        result = np.zeros((len(aims.joints), 3, self.count))
        result[:, :, : 3 * free] = parts.reshape(-1, 3 * free, 3).swapaxes(1, 2)
        if self.shifts:
            result[aims.placed, :, -3:] = np.eye(3) * self.body.scale
        result[aims.placed] *= aims.asked[:, :, None]
        return result

    def _stiffness(self) -> Array:
        """Block by block, ``(count, count)``."""
        matrix = np.zeros((self.count, self.count))
        axes = {limit.hinge.joint: limit.axis for limit in self.body.limits}
        for i, joint in enumerate(self.free.tolist()):
            block = np.eye(3)
            if joint in axes:
                axis = axes[joint]
                along = np.outer(axis, axis)
                block = along + _SIDEWAYS * (np.eye(3) - along)
            at = slice(3 * i, 3 * i + 3)
            matrix[at, at] = self.body.stiffness[joint] * block
        if self.shifts:
            matrix[-3:, -3:] = self.body.root_stiffness * np.eye(3)
        return matrix


def _places(body: PosableBody, pose: SolvedPose) -> tuple[Array, Array]:
    """Positions ``(J, 3)`` and orientations ``(J, 4)`` of a pose."""
    positions, orientations = kinematics.forward(
        body.skeleton.parents, body.offsets, pose.root[None], pose.rotations[None]
    )
    return positions[0], orientations[0]


def _descend(problem: _Problem, pose: SolvedPose, slack: float, settled: float) -> SolvedPose:
    """Levenberg-Marquardt from a pose, for one slack, until a step gains too little."""
    damping = 1e-3
    errors, turn = problem.errors(pose, slack), problem.turn(pose)
    cost = float(errors @ errors + turn @ problem.stiff @ turn)
    for _ in range(_STEPS):
        slopes = problem.derivatives(pose, slack)
        normal = slopes.T @ slopes + problem.stiff
        gradient = errors @ slopes + problem.stiff @ turn
        diagonal = np.diag(normal).copy()
        for _ in range(8):
            np.fill_diagonal(normal, diagonal + damping * np.maximum(diagonal, 1e-9))
            step = np.asarray(np.linalg.solve(normal, -gradient), dtype=np.float64)
            candidate = problem.moved(pose, step)
            new_errors, new_turn = problem.errors(candidate, slack), problem.turn(candidate)
            new_cost = float(new_errors @ new_errors + new_turn @ problem.stiff @ new_turn)
            if new_cost < cost:
                break
            damping *= 6.0
        else:
            return pose
        gained = cost - new_cost
        pose, errors, turn, cost = candidate, new_errors, new_turn, new_cost
        damping = max(damping / 6.0, 1e-12)
        if gained < settled * cost or np.abs(step).max() < _STILL:
            break
    return pose


def _ancestors(skeleton: Skeleton) -> NDArray[np.bool_]:
    """``(J, J)``: for each joint itself and every joint above it."""
    above = np.eye(len(skeleton), dtype=bool)
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            above[joint] |= above[parent]
    return above
