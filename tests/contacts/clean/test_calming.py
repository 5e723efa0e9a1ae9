"""Ankles turn less suddenly where they would jerk, and stay as they are elsewhere."""

from __future__ import annotations

import numpy as np

from motionweave.contacts.clean.calming import accelerations, calmed, hardest
from motionweave.core import rotations as quat
from motionweave.core.arrays import Array

FPS = 60.0
AXIS = np.array([1.0, 0.0, 0.0])


def turning(angles: Array) -> Array:
    """Rotations ``(1, T, 4)`` by angles ``(T,)`` about one axis."""
    return quat.exp(angles[None, :, None] * AXIS)


def test_accelerations_are_second_differences_of_angles() -> None:
    time = np.arange(50) / FPS
    found = accelerations(turning(3.0 * time**2), FPS)
    assert np.allclose(found, 6.0)


def test_a_jerk_is_calmed_where_it_is() -> None:
    time = np.arange(120) / FPS
    before = turning(0.2 * np.sin(2.0 * np.pi * time))
    # A correction that stops at once.
    stopped = 0.3 * np.minimum(time, 1.0)
    after = quat.multiply(before, turning(stopped))
    limit = 1.45 * accelerations(before, FPS).max(axis=1)
    assert accelerations(after, FPS).max() > 1.2 * limit
    found = calmed(before, after, limit, FPS)
    assert accelerations(found, FPS).max() <= limit
    moved = quat.angle_between(found, after)[0]
    assert 0.0 < moved.max() < 0.01
    assert np.array_equal(found[0, :40], after[0, :40])
    assert np.array_equal(found[0, 80:], after[0, 80:])


def test_what_does_not_jerk_is_left_alone() -> None:
    before = turning(0.2 * np.sin(np.arange(60) / 5.0))
    assert calmed(before, before, np.array([1e3]), FPS) is before


def test_a_joint_that_was_not_captured_may_move_as_another_does() -> None:
    moves = np.zeros((2, 2, 10))
    moves[0, :, 4] = 30.0, 50.0
    moves[1, 0, 4] = 80.0
    knees, ankles = hardest(moves) / 1.45
    assert np.allclose(knees, [30.0, 50.0])
    # The right ankle as the left one.
    assert np.allclose(ankles, 80.0)
    # Both ankles as the knees.
    moves[1] = 0.0
    assert np.allclose(hardest(moves)[1] / 1.45, 50.0)
