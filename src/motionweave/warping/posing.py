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

from motionweave.core import kinematics, rotations
from motionweave.core.skeleton import Skeleton

Array = NDArray[np.float64]

# Slack of the aims, in units of the body's scale; the last decides how exact they are met.
_SLACKS = (0.3, 0.03, 3e-3, 3e-4, 3e-5)
_STEPS = 25
# A step that lowers the cost by a smaller share than this ends a stage; a step that turns
# every joint by less than the last (radians) ends it too.
_COARSE, _FINE, _STILL = 0.02, 1e-7, 1e-9


@dataclass(frozen=True)
class Aim:
    """Where a joint has to be, what it has to point at, or how it has to be turned.

    Exactly one of the last three is given.

    Parameters
    ----------
    joint
        Its index.
    weight
        How much a miss counts against misses of other aims.
    position
        ``(3,)`` global position; NaN leaves an axis free.
    direction
        ``(2, 3)``: a direction in the joint's own axes, and the global point that
        it has to point at.
    orientation
        ``(4,)`` global orientation.
    """

    joint: int
    weight: float = 1.0
    position: Array | None = None
    direction: Array | None = None
    orientation: Array | None = None


@dataclass(frozen=True)
class Hinge:
    """A knee or an elbow: it bends about one axis, one way, up to a limit.

    Parameters
    ----------
    joint, upper, end
        The joint that bends, and those at the other ends of its two bones.
    axis
        ``(3,)`` unit axis in the axes of the joint's parent.
    least, most
        Bend allowed, radians.
    """

    joint: int
    upper: int
    end: int
    axis: Array
    least: float
    most: float


@dataclass(frozen=True)
class Body:
    """What can move and how willingly.

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
    hinges
        Knees and elbows.
    """

    skeleton: Skeleton
    offsets: Array
    stiffness: Array
    root_stiffness: float
    scale: float
    hinges: tuple[Hinge, ...] = field(default=())


@dataclass(frozen=True)
class Pose:
    """Root position ``(3,)`` and local rotations ``(J, 4)``."""

    root: Array
    rotations: Array


# How unwillingly a hinge turns about another axis than its own, against its own stiffness.
_SIDEWAYS = 60.0
# What a radian beyond a hinge's limit counts.
_LIMIT = 30.0


def solve(body: Body, start: Pose, aims: Sequence[Aim]) -> Pose:
    """The pose nearest to ``start`` that meets the aims, or comes nearest to meeting them."""
    problem = _Problem(body, start, aims)
    pose = start
    for slack in _SLACKS:
        pose = _descend(problem, pose, slack, _FINE if slack == _SLACKS[-1] else _COARSE)
    return pose


def miss(aim: Aim, places: tuple[Array, Array]) -> Array:
    """What an aim is short of, ``(3,)``: a length, or radians.

    ``places`` are positions ``(J, 3)`` and orientations ``(J, 4)`` of a pose.
    """
    positions, orientations = places
    if aim.position is not None:
        free = np.isnan(aim.position)
        return np.where(free, 0.0, positions[aim.joint] - np.where(free, 0.0, aim.position))
    if aim.orientation is not None:
        apart = rotations.multiply(orientations[aim.joint], rotations.inverse(aim.orientation))
        return rotations.log(apart)
    assert aim.direction is not None
    pointing = rotations.rotate(orientations[aim.joint], aim.direction[0])
    wanted = aim.direction[1] - positions[aim.joint]
    return np.asarray(pointing - wanted / max(float(np.linalg.norm(wanted)), 1e-12))


def joint_position(body: Body, pose: Pose, joint: int) -> Array:
    """Global position ``(3,)`` of a joint."""
    return np.asarray(_places(body, pose)[0][joint])


class _Problem:
    """Residuals and their derivatives with respect to turns of the joints, root shift last."""

    def __init__(self, body: Body, start: Pose, aims: Sequence[Aim]):
        self.body, self.start, self.aims = body, start, aims
        self.free = np.flatnonzero(np.isfinite(body.stiffness))
        self.column = {int(j): 3 * i for i, j in enumerate(self.free)}
        self.shifts = np.isfinite(body.root_stiffness)
        self.count = 3 * len(self.free) + (3 if self.shifts else 0)
        self.above = _ancestors(body.skeleton)
        self.stiff = self._stiffness()

    def forward(self, pose: Pose) -> tuple[Array, Array]:
        return _places(self.body, pose)

    def residuals(self, pose: Pose, slack: float) -> Array:
        places = self.forward(pose)
        rows = [miss(aim, places) * (self._weight(aim) / slack) for aim in self.aims]
        turn = rotations.log(
            rotations.multiply(
                pose.rotations[self.free], rotations.inverse(self.start.rotations[self.free])
            )
        ).ravel()
        if self.shifts:
            turn = np.concatenate([turn, (pose.root - self.start.root) / self.body.scale])
        return np.concatenate([*rows, self.stiff @ turn, _LIMIT * self._beyond(places)])

    def derivatives(self, pose: Pose, slack: float) -> Array:
        places = self.forward(pose)
        rows = [
            self._aim_derivative(aim, places) * (self._weight(aim) / slack) for aim in self.aims
        ]
        limits = np.zeros((len(self.body.hinges), self.count))
        for i in np.flatnonzero(self._beyond(places)):
            hinge = self.body.hinges[i]
            if hinge.joint in self.column:
                at = self.column[hinge.joint]
                limits[i, at : at + 3] = _LIMIT * hinge.axis
        return np.vstack([*rows, self.stiff, limits])

    def moved(self, pose: Pose, step: Array) -> Pose:
        quaternions = np.array(pose.rotations)
        turns = step[: 3 * len(self.free)].reshape(-1, 3)
        quaternions[self.free] = rotations.normalize(
            rotations.multiply(rotations.exp(turns), quaternions[self.free])
        )
        root = pose.root + step[-3:] * self.body.scale if self.shifts else pose.root
        return Pose(root, quaternions)

    def _weight(self, aim: Aim) -> float:
        return aim.weight / self.body.scale if aim.position is not None else aim.weight

    def _aim_derivative(self, aim: Aim, places: tuple[Array, Array]) -> Array:
        positions, orientations = places
        result = np.zeros((3, self.count))
        chain = [j for j in self.above[aim.joint] if j in self.column]
        if aim.position is not None:
            # A joint does not move itself by turning.
            chain = [j for j in chain if j != aim.joint]
        columns = np.array([self.column[j] for j in chain], dtype=np.intp)
        parents = self.body.skeleton.parents[chain]
        axes = np.where(
            (parents < 0)[:, None, None],
            np.eye(3),
            rotations.to_matrix(orientations[np.maximum(parents, 0)]),
        )
        if aim.orientation is not None:
            parts = axes
        else:
            if aim.position is not None:
                arm = positions[aim.joint] - positions[chain]
            else:
                assert aim.direction is not None
                pointing = rotations.rotate(orientations[aim.joint], aim.direction[0])
                arm = np.broadcast_to(pointing, (len(chain), 3))
            # d(point) = axis x arm, for each of the three axes.
            parts = np.swapaxes(np.cross(np.swapaxes(axes, 1, 2), arm[:, None]), 1, 2)
        for column, part in zip(columns, parts, strict=True):
            result[:, column : column + 3] = part
        if aim.position is not None:
            if self.shifts:
                result[:, -3:] = np.eye(3) * self.body.scale
            result[np.isnan(aim.position)] = 0.0
        return result

    def _stiffness(self) -> Array:
        """Square roots of the stiffness, block by block, ``(count, count)``."""
        matrix = np.zeros((self.count, self.count))
        hinges = {hinge.joint: hinge for hinge in self.body.hinges}
        for joint, at in self.column.items():
            root = np.sqrt(self.body.stiffness[joint])
            block = root * np.eye(3)
            if joint in hinges:
                axis = hinges[joint].axis
                along = np.outer(axis, axis)
                block = root * (along + np.sqrt(_SIDEWAYS) * (np.eye(3) - along))
            matrix[at : at + 3, at : at + 3] = block
        if self.shifts:
            matrix[-3:, -3:] = np.sqrt(self.body.root_stiffness) * np.eye(3)
        return matrix

    def _beyond(self, places: tuple[Array, Array]) -> Array:
        """How far each hinge is bent past its limits, radians: below the least is negative."""
        bends = bends_of(self.body.skeleton, *places, self.body.hinges)
        least = np.array([hinge.least for hinge in self.body.hinges])
        most = np.array([hinge.most for hinge in self.body.hinges])
        return np.asarray(np.minimum(bends - least, 0.0) + np.maximum(bends - most, 0.0))


def bends_of(
    skeleton: Skeleton, positions: Array, orientations: Array, hinges: Sequence[Hinge]
) -> Array:
    """Signed bends ``(n,)`` of hinges about their axes, radians; 0 is straight.

    Positions and orientations are those of one pose, ``(J, 3)`` and ``(J, 4)``.
    """
    if not hinges:
        return np.zeros(0)
    joint = np.array([hinge.joint for hinge in hinges])
    first = positions[joint] - positions[[hinge.upper for hinge in hinges]]
    second = positions[[hinge.end for hinge in hinges]] - positions[joint]
    parents = skeleton.parents[joint]
    axes = rotations.rotate(orientations[parents], np.array([hinge.axis for hinge in hinges]))
    sine = np.sum(np.cross(first, second) * axes, axis=-1)
    return np.asarray(np.arctan2(sine, np.sum(first * second, axis=-1)))


def _places(body: Body, pose: Pose) -> tuple[Array, Array]:
    """Positions ``(J, 3)`` and orientations ``(J, 4)`` of a pose."""
    positions, orientations = kinematics.forward(
        body.skeleton.parents, body.offsets, pose.root[None], pose.rotations[None]
    )
    return positions[0], orientations[0]


def _descend(problem: _Problem, pose: Pose, slack: float, settled: float) -> Pose:
    """Levenberg-Marquardt from a pose, for one slack, until a step gains too little."""
    damping = 1e-3
    errors = problem.residuals(pose, slack)
    cost = float(errors @ errors)
    for _ in range(_STEPS):
        slopes = problem.derivatives(pose, slack)
        normal = slopes.T @ slopes
        gradient = slopes.T @ errors
        scale = np.maximum(np.diag(normal), 1e-9)
        for _ in range(8):
            step = np.asarray(
                np.linalg.solve(normal + np.diag(damping * scale), -gradient), dtype=np.float64
            )
            candidate = problem.moved(pose, step)
            new_errors = problem.residuals(candidate, slack)
            new_cost = float(new_errors @ new_errors)
            if new_cost < cost:
                break
            damping *= 6.0
        else:
            return pose
        gained = cost - new_cost
        pose, errors, cost = candidate, new_errors, new_cost
        damping = max(damping / 6.0, 1e-12)
        if gained < settled * cost or np.abs(step).max() < _STILL:
            break
    return pose


def _ancestors(skeleton: Skeleton) -> list[list[int]]:
    """For each joint itself and every joint above it."""
    chains: list[list[int]] = []
    for joint, parent in enumerate(skeleton.parents):
        chains.append([joint] if parent < 0 else [*chains[int(parent)], joint])
    return chains
