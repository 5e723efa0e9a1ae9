"""Displacement splines: through the keys, smooth, and nothing outside."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionweave.core import rotations
from motionweave.core.numerics.curves import cardinal_tangents, hermite
from motionweave.methods.warping.curves import (
    Ends,
    displacement_basis,
    nearest_branches,
    scale_factor,
    scale_rotations,
    shift_rotations,
)
from tests.strategies import random_quaternions

times = st.lists(st.integers(0, 200), min_size=1, max_size=6, unique=True).map(sorted)


@given(times, st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([None, 7.5, 30.0]))
def test_the_displacement_is_the_key_at_every_key(knots, tension, ease):
    basis = displacement_basis(knots, Ends(ease, ease), knots, tension)
    np.testing.assert_array_equal(basis, np.eye(len(knots)))


def test_outside_the_ease_there_is_nothing_and_held_ends_hold():
    frames = np.arange(100.0)
    eased = displacement_basis([40, 60], Ends(10, 20), frames)
    assert np.all(eased[:31] == 0.0)
    assert np.all(eased[80:] == 0.0)
    assert np.all(eased[31:40].sum(axis=1) > 0.0)
    held = displacement_basis([40, 60], Ends(None, None), frames)
    np.testing.assert_array_equal(held[:41], np.tile([1.0, 0.0], (41, 1)))
    np.testing.assert_array_equal(held[60:], np.tile([0.0, 1.0], (40, 1)))


@given(times)
def test_the_displacement_has_no_jump_in_value_or_speed(knots):
    fine = np.arange(-40.0, 240.0, 0.01)
    basis = displacement_basis(knots, Ends(20.0, 20.0), fine)
    speed = np.diff(basis, axis=0) / 0.01
    assert np.abs(np.diff(basis, axis=0)).max() < 0.04
    # Speeds change by at most the spline's own curvature times the step.
    narrow = min([20.0, *np.diff(knots)])
    assert np.abs(np.diff(speed, axis=0)).max() < 0.01 * 20.0 / narrow**2 + 1e-9


def test_where_a_goal_lasts_the_displacement_comes_and_goes_on_with_the_speed_it_has_there():
    knots, along = [40.0, 50.0, 60.0], [1, 0, -1]
    fine = np.arange(0.0, 100.0, 0.01)
    moving = displacement_basis(knots, Ends(20, 20), fine, along=along) @ [1.0, 2.0, 3.0]
    speed = np.diff(moving) / 0.01
    for knot in knots:
        assert speed[round(knot / 0.01)] == pytest.approx(0.1, abs=1e-3)
    same = displacement_basis(knots, Ends(20, 20), fine, along=along).sum(axis=1)
    np.testing.assert_allclose(same[4000:6001], 1.0, atol=1e-12)
    held = displacement_basis(knots, Ends(None, None), fine, along=along) @ [1.0, 2.0, 3.0]
    assert np.abs(np.diff(held, 2)).max() < 1e-5


def test_a_line_of_keys_is_interpolated_as_a_line():
    at = np.linspace(1.0, 3.0, 21)
    knots = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    line = 2.0 * knots - 1.0
    np.testing.assert_allclose(
        hermite(knots, line, cardinal_tangents(knots, line), at), 2.0 * at - 1.0, atol=1e-12
    )


def test_tension_one_stops_at_every_key():
    assert not cardinal_tangents([0, 1, 5], [0.0, 3.0, 1.0], tension=1.0).any()


def test_rotation_vectors_take_the_near_branch():
    vectors = np.radians([[0.0, 170.0, 0.0], [0.0, -170.0, 0.0], [0.0, 0.0, 0.0]])
    near = np.degrees(nearest_branches(vectors))
    np.testing.assert_allclose(near[1], [0.0, 190.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(near[2], 0.0)


def test_shifted_rotations_are_those_of_plain_numpy_and_zero_changes_no_bit():
    rng = np.random.default_rng(3)
    quaternions = random_quaternions(rng, 40, 5)
    vectors = rng.normal(size=(40, 2, 3))
    vectors[10:20] = 0.0
    shifted = shift_rotations(quaternions, [3, 1], vectors)
    expected = rotations.multiply(rotations.exp(vectors), quaternions[:, [3, 1]])
    np.testing.assert_allclose(shifted[:, [3, 1]], expected, atol=1e-14)
    np.testing.assert_array_equal(shifted[10:20], quaternions[10:20])
    np.testing.assert_array_equal(shifted[:, [0, 2, 4]], quaternions[:, [0, 2, 4]])


def test_scaling_doubles_the_angle_from_the_zero_point():
    rng = np.random.default_rng(4)
    zero = random_quaternions(rng, 1)[0]
    vectors = rng.normal(scale=0.3, size=(20, 3))
    quaternions = rotations.multiply(zero, rotations.exp(vectors))
    doubled = scale_rotations(quaternions, zero, np.full(20, 2.0))
    back = rotations.log(rotations.multiply(rotations.inverse(zero), doubled))
    np.testing.assert_allclose(back, 2.0 * vectors, atol=1e-12)
    np.testing.assert_array_equal(scale_rotations(quaternions, zero, np.ones(20)), quaternions)


def test_a_vector_without_length_has_no_factor():
    assert scale_factor([1.0, 0.0, 0.0], [0.0, 0.0, 0.0]) is None
    assert scale_factor([3.0, 1.0, 0.0], [1.0, 0.0, 0.0]) == pytest.approx(3.0)
