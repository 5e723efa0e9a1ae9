"""Full-body inverse kinematics of one pose that stays close to the pose it starts from.

The unknowns are a small turn of every joint that may move and a shift of the root.
What is minimised is

    sum over aims |miss|^2 / slack^2  +  sum over joints  stiffness * |turn|^2

by Levenberg-Marquardt steps, for a slack that shrinks until the aims are met as
exactly as they can be: of all poses that reach, the one nearest to the start is found,
and where none reaches, one that comes as near as possible. A step that would bend a knee or an
elbow past its limit, which costs nothing before it is passed, is taken again to that limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from motionweave.body.ik import NEARLY_STRAIGHT
from motionweave.core import kinematics, rotations
from motionweave.core.arrays import Array, read_only
from motionweave.core.runtime.kernels import kernel
from motionweave.core.skeleton import Skeleton
from motionweave.methods.warping.aims import Aim, Aims, Limit, Limits

# Slack of the aims, in units of the body's scale; the last decides how exact they are met.
_SLACKS = (0.3, 0.03, 3e-3, 3e-4, 3e-5)
_STEPS, _TRIES = 25, 12
# A step that lowers the cost by a smaller share than this ends a stage; a step shorter than the
# last (radians) ends it too.
_COARSE, _FINE, _STILL = 0.02, 1e-5, 1e-9
# Radians of bend below which a knee or an elbow counts as straight.
_STRAIGHT = 0.05


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
    found = _descended(problem)
    straight = problem.straight(found)
    if not straight.any():
        return found.pose
    # A limb that has to get shorter would go on bending the wrong way from where it is straight or
    # past that, which its limit forbids, and the rest of the body turns instead.
    bent = [
        replace(limit, least=NEARLY_STRAIGHT) if is_straight else limit
        for limit, is_straight in zip(body.limits, straight, strict=True)
    ]
    other = _descended(_Problem(replace(body, limits=tuple(bent)), start, aims)).pose
    another = problem.tried(other, np.zeros(problem.count))
    return min(found, another, key=lambda one: problem.cost(one, _SLACKS[-1])).pose


def joint_position(body: PosableBody, pose: SolvedPose, joint: int) -> Array:
    """Global position ``(3,)`` of a joint."""
    return np.asarray(_places(body, pose)[0][joint])


@kernel()
def _rotation_vector(x, y, z, w):  # type: ignore[no-untyped-def]
    """`motionweave.core.rotations.log` of one unit quaternion."""
    if w < 0.0:
        x, y, z, w = -x, -y, -z, -w
    sine = np.sqrt(x * x + y * y + z * z)
    scale = 2.0 if sine < 1e-12 else 2.0 * np.arctan2(sine, w) / sine
    return x * scale, y * scale, z * scale


@kernel()
def _product(a, b):  # type: ignore[no-untyped-def]
    """The product of two quaternions, four numbers."""
    return (
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    )


@kernel()
def _turn_joints(rotations, free, turns, back, turned, apart):  # type: ignore[no-untyped-def]
    """Turn the free joints of a pose (J, 4) by rotation vectors (n, 3), into ``turned`` (J, 4), and
    fill in how far ``apart`` (n, 3) that is from another pose, of which ``back`` (n, 4) are the
    inverse rotations."""
    turned[:] = rotations
    for i in range(free.shape[0]):
        x, y, z = turns[i, 0], turns[i, 1], turns[i, 2]
        half = 0.5 * np.sqrt(x * x + y * y + z * z)
        scale = 0.5 * np.sin(half) / half if half > 1e-20 else 0.5
        new = _product((x * scale, y * scale, z * scale, np.cos(half)), rotations[free[i]])
        length = np.sqrt(new[0] ** 2 + new[1] ** 2 + new[2] ** 2 + new[3] ** 2)
        for c in range(4):
            turned[free[i], c] = new[c] / length
        x, y, z, w = _product(turned[free[i]], back[i])
        apart[i, 0], apart[i, 1], apart[i, 2] = _rotation_vector(x, y, z, w)


class _Tried(NamedTuple):
    """A pose, its errors ``(n,)``, and its turn from the start ``(count,)``."""

    pose: SolvedPose
    errors: Array
    turn: Array


class _Problem:
    """Errors and their derivatives with respect to turns of the joints, root shift last.

    The errors, for a slack of 1, are misses of the aims, three each, and bends past the hinges'
    limits. A pose also costs ``turn @ stiff @ turn``, with its turn from the start.
    """

    def __init__(self, body: PosableBody, start: SolvedPose, aims: Sequence[Aim]):
        self.body, self.start, self.aims = body, start, Aims(aims)
        self.free = np.flatnonzero(np.isfinite(body.stiffness)).astype(np.int64)
        self.shifts = bool(np.isfinite(body.root_stiffness))
        self.count = 3 * len(self.free) + (3 if self.shifts else 0)
        self.back = read_only(rotations.inverse(start.rotations[self.free]))
        self.parents = body.skeleton.parents[self.free].astype(np.int64)
        lengths = np.where([aim.position is not None for aim in aims], body.scale, 1.0)
        self.weights = self.aims.weights / lengths
        above = _ancestors(body.skeleton)
        # Which free joints carry which aim's joint; a joint does not move itself by turning.
        self.carries = above[self.aims.joints][:, self.free]
        still = self.aims.placed[~self.aims.tipped]
        self.carries[still] &= self.free != self.aims.joints[still, None]
        # And which carry what it is measured from.
        bases = self.aims.bases[:, None]
        self.bears = (bases >= 0) & above[self.aims.bases][:, self.free]
        self.bears[self.aims.placed] &= self.free != bases[self.aims.placed]
        self.stiff = self._stiffness()
        self.limits = Limits(body.limits)
        # How turns of the joints bend hinges, (n, count).
        self.bending = np.zeros((len(body.limits), self.count))
        for i, limit in enumerate(body.limits):
            at = 3 * np.flatnonzero(self.free == limit.hinge.joint)
            self.bending[i, at[:, None] + np.arange(3)] = limit.axis
        # Weights of the misses; axes that are free do not count.
        self.scales = np.repeat(self.weights[:, None], 3, axis=1)
        self.scales[self.aims.placed] *= self.aims.asked
        self.slopes = self._slopes()
        self._known: tuple[SolvedPose, tuple[Array, Array], Array] | None = None

    def forward(self, pose: SolvedPose) -> tuple[tuple[Array, Array], Array]:
        """Positions and orientations, and how far hinges are bent past their limits."""
        # The derivatives are evaluated where the errors just were.
        if self._known is None or self._known[0] is not pose:
            places = _places(self.body, pose)
            self._known = pose, places, self.limits.beyond(*places)
        return self._known[1:]

    def errors(self, pose: SolvedPose) -> Array:
        places, beyond = self.forward(pose)
        missed = self.aims.misses(places) * self.scales
        return np.concatenate([missed.ravel(), _LIMIT * beyond])

    def straight(self, tried: _Tried) -> NDArray[np.bool_]:
        """Hinges ``(n,)`` that may bend for the aims but have stayed straight."""
        places, _ = self.forward(tried.pose)
        if not tried.turn.any():
            return np.zeros(len(self.bending), dtype=bool)
        return np.asarray((self.limits.bends(*places) < _STRAIGHT) & self.bending.any(axis=1))

    def cost(self, tried: _Tried, slack: float) -> float:
        """What a pose costs."""
        missed = float(tried.errors @ tried.errors) / slack**2
        return missed + float(tried.turn @ self.stiff @ tried.turn)

    def turn(self, pose: SolvedPose) -> Array:
        """How far a pose is from the start, ``(count,)``."""
        return self._turned(pose, np.zeros(self.count))[1]

    def derivatives(self, pose: SolvedPose) -> Array:
        """Of the errors, ``(n, count)``."""
        places, beyond = self.forward(pose)
        slopes = self.slopes.copy()
        # Limits that are not passed cost nothing.
        slopes[len(slopes) - len(beyond) :][beyond == 0.0] = 0.0
        self.aims.fill_slopes(
            places, self.free, self.parents, self.carries, self.bears, self.scales, slopes
        )
        return slopes

    def moved(self, pose: SolvedPose, step: Array) -> SolvedPose:
        """The pose after a step ``(count,)``."""
        return self._turned(pose, step)[0]

    def tried(self, pose: SolvedPose, step: Array) -> _Tried:
        """The pose after a step, its errors and its turn."""
        new, turn = self._turned(pose, step)
        return _Tried(new, self.errors(new), turn)

    def _turned(self, pose: SolvedPose, step: Array) -> tuple[SolvedPose, Array]:
        """The pose after a step, and how far that is from the start."""
        turns = 3 * len(self.free)
        quaternions, turn = np.empty_like(pose.rotations), np.empty(self.count)
        _turn_joints(
            read_only(pose.rotations),
            self.free,
            read_only(step[:turns].reshape(-1, 3)),
            self.back,
            quaternions,
            turn[:turns].reshape(-1, 3),
        )
        root = pose.root
        if self.shifts:
            root = root + step[turns:] * self.body.scale
            turn[turns:] = (root - self.start.root) / self.body.scale
        return SolvedPose(root, quaternions), turn

    def _slopes(self) -> Array:
        """What derivatives have in common, ``(n, count)``: shifts of the root, and limits."""
        aims = np.zeros((len(self.aims.joints), 3, self.count))
        if self.shifts:
            in_space = self.aims.placed[self.aims.bases[self.aims.placed] < 0]
            aims[in_space, :, -3:] = np.eye(3) * self.body.scale
        aims *= self.scales[..., None]
        return np.concatenate([aims.reshape(-1, self.count), _LIMIT * self.bending])

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


def _descended(problem: _Problem) -> _Tried:
    """The pose nearest to the start, for a slack that shrinks."""
    now = problem.tried(problem.start, np.zeros(problem.count))
    for slack in _SLACKS:
        now = _descend(problem, now, slack, _FINE if slack == _SLACKS[-1] else _COARSE)
    return now


def _descend(problem: _Problem, now: _Tried, slack: float, settled: float) -> _Tried:
    """Levenberg-Marquardt from a pose, for one slack, until a step gains too little."""
    damping, cost = 1e-3, problem.cost(now, slack)
    for _ in range(_STEPS):
        slopes = problem.derivatives(now.pose) / slack
        normal = slopes.T @ slopes + problem.stiff
        gradient = now.errors / slack @ slopes + problem.stiff @ now.turn
        # A view of each joint's own block, and what these are without damping.
        blocks = _blocks(normal)
        plain = blocks.copy()
        places, beyond = problem.forward(now.pose)
        heeded = beyond != 0.0
        for _ in range(_TRIES):
            # Whole blocks, and not their diagonals: those depend on which way the axes point.
            blocks[:] = (1.0 + damping) * plain
            step = np.asarray(np.linalg.solve(normal, -gradient), dtype=np.float64)
            new = problem.tried(now.pose, step)
            new_cost = problem.cost(new, slack)
            if new_cost < cost:
                break
            _, past = problem.forward(new.pose)
            passed = np.flatnonzero((past != 0.0) & ~heeded)
            if len(passed) == 0:
                damping *= 6.0
                continue
            # Limits that the step has passed unseen: the next one is to end at them.
            heeded[passed] = True
            rows = _LIMIT / slack * problem.bending[passed]
            away = _LIMIT / slack * problem.limits.away(places, past)[passed]
            blocks[:] = plain
            normal += rows.T @ rows
            gradient += away @ rows
            plain = blocks.copy()
        else:
            break
        gained, cost, now = cost - new_cost, new_cost, new
        damping = max(damping / 6.0, 1e-12)
        if gained < settled * cost or np.linalg.norm(step) < _STILL:
            break
    return now


def _blocks(matrix: Array) -> Array:
    """A view ``(n, 3, 3)`` of the blocks along the diagonal of a matrix ``(3 n, 3 n)``."""
    count = len(matrix) // 3
    return np.asarray(np.einsum("iaib->iab", matrix.reshape(count, 3, count, 3)))


def _ancestors(skeleton: Skeleton) -> NDArray[np.bool_]:
    """``(J, J)``: for each joint itself and every joint above it."""
    above = np.eye(len(skeleton), dtype=bool)
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            above[joint] |= above[parent]
    return above
