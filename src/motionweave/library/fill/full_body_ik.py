"""A motion bent until its roles are where they should be.

Where eighteen roles are does not say how every joint is turned. Of all ways to bring them there,
the one is taken that changes the motion least: turns of joints and shifts of the root are weighed
against what is missed (ridge regression, in Gauss-Newton steps).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from motionweave.body.rig.roles import leg_length
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.library.index.features import places_of, role_weights

# Leg lengths by which a role is missed that weigh as much as a joint turned by a radian, or the
# root shifted by a leg length.
_SLACK = 0.5
_STEPS = 2


def reached(motion: Motion, wanted: Array) -> Motion:
    """The motion with its roles near to where they are wanted.

    Parameters
    ----------
    motion
        Of T frames.
    wanted
        ``(T, R, 3)`` places of `motionweave.library.index.features.TRACKED`.
    """
    for _ in range(_STEPS):
        motion = _nearer(motion, wanted)
    return motion


def _nearer(motion: Motion, wanted: Array) -> Motion:
    """One step towards it."""
    skeleton = motion.skeleton
    size = leg_length(skeleton)
    positions, orientations = motion.forward()
    made_of = places_of(skeleton, np.eye(len(skeleton))).T
    carried = _carried(skeleton.parents)
    moving = np.flatnonzero((made_of @ carried.T).any(axis=0))
    shares = made_of[:, None] * carried[moving]
    arms = np.einsum("rjk,tkc->trjc", shares, positions)
    arms -= shares.sum(axis=2)[..., None] * positions[:, None, moving]
    slopes = _slopes(arms / size)
    missed = (wanted - places_of(skeleton, positions)) / size
    weights = np.repeat(role_weights() * len(made_of), 3)
    both = slopes @ slopes.transpose(0, 2, 1) + np.diag(_SLACK**2 / weights)
    solved = np.linalg.solve(both, missed.reshape(len(missed), -1, 1))
    change = (slopes.transpose(0, 2, 1) @ solved).reshape(len(missed), -1, 3)
    # Joints turn about global axes; their rotations are in the axes of their parents.
    parents = skeleton.parents[moving]
    above = np.where((parents >= 0)[:, None], orientations[:, parents], rotations.IDENTITY)
    turns = np.array(motion.rotations)
    local = rotations.exp(rotations.rotate(rotations.inverse(above), change[:, :-1]))
    turns[:, moving] = rotations.multiply(local, turns[:, moving])
    return replace(motion, root=motion.root + size * change[:, -1], rotations=turns)


def _carried(parents: NDArray[np.int_]) -> Array:
    """Which joints, in columns, each joint carries along when it turns: ``(J, J)``, 1 or 0."""
    carried = np.zeros((len(parents), len(parents)))
    for joint, parent in enumerate(parents):
        if parent >= 0:
            carried[:, joint] = carried[:, parent]
            carried[parent, joint] = 1.0
    return carried


def _slopes(arms: Array) -> Array:
    """How places change ``(T, 3 R, 3 (J + 1))`` with turns of joints and a shift, from the arms
    ``(T, R, J, 3)`` on which joints turn them."""
    count, roles, joints, _ = arms.shape
    slopes = np.zeros((count, roles, 3, joints + 1, 3))
    x, y, z = np.moveaxis(arms, -1, 0)
    # turn x arm, written as a matrix.
    for row, column, value in ((0, 1, z), (0, 2, -y), (1, 0, -z), (1, 2, x), (2, 0, y), (2, 1, -x)):
        slopes[:, :, row, :-1, column] = value
    slopes[:, :, :, -1] = np.eye(3)
    return slopes.reshape(count, 3 * roles, 3 * (joints + 1))
