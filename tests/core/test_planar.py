"""Planar moves: the group they form, and the mean the blends use."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionweave import Planar
from motionweave.core import rotations

numbers = st.floats(-20.0, 20.0)
moves = st.builds(Planar, st.floats(-7.0, 7.0), numbers, numbers)


def points() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(6, 3))


@given(moves, moves)
def test_composition_and_inverse(a: Planar, b: Planar) -> None:
    p = points()
    np.testing.assert_allclose((a @ b).apply(p), a.apply(b.apply(p)), atol=1e-9)
    np.testing.assert_allclose(a.inverse().apply(a.apply(p)), p, atol=1e-9)
    assert (a @ a.inverse()).angle == pytest.approx(0.0)


@given(moves)
def test_the_turn_of_points_is_the_turn_of_orientations(a: Planar) -> None:
    """Eq. 1's convention is a right-handed rotation about +y."""
    p = points()
    turned = rotations.rotate(a.turn(rotations.IDENTITY), p) + np.array([a.x, 0.0, a.z])
    np.testing.assert_allclose(a.apply(p), turned, atol=1e-9)
    assert np.array_equal(a.apply(p)[:, 1], p[:, 1])


def test_the_papers_signs() -> None:
    moved = Planar(np.pi / 2).apply([0.0, 5.0, 1.0])
    np.testing.assert_allclose(moved, [1.0, 5.0, 0.0], atol=1e-12)


@given(moves, numbers, numbers)
def test_a_turn_about_a_point_leaves_it_there(a: Planar, x: float, z: float) -> None:
    np.testing.assert_allclose(Planar.about([x, z], a.angle).apply_xz([x, z]), [x, z], atol=1e-9)
    shifted = Planar.about([x, z], a.angle, [a.x, a.z])
    np.testing.assert_allclose(shifted.apply_xz([x, z]), [x + a.x, z + a.z], atol=1e-9)


@given(st.lists(moves, min_size=1, max_size=4), st.integers(0, 3), numbers, numbers)
def test_mean_with_one_weight_is_that_move(
    given_moves: list[Planar], chosen: int, x: float, z: float
) -> None:
    chosen %= len(given_moves)
    stacked = Planar(*(np.array([getattr(m, f) for m in given_moves]) for f in ("angle", "x", "z")))
    mean = stacked.mean(np.eye(len(given_moves))[chosen], [x, z])
    np.testing.assert_allclose(mean.apply(points()), given_moves[chosen].apply(points()), atol=1e-9)


def test_mean_moves_along_with_its_origin() -> None:
    """Averaged about the midpoint of two stances, that point goes to the mean of its images."""
    pair = Planar(np.array([0.5, -0.3]), np.array([1.0, 3.0]), np.array([2.0, -1.0]))
    origin = np.array([4.0, -2.0])
    mean = pair.mean([0.25, 0.75], origin)
    images = pair.apply_xz(origin[None])
    np.testing.assert_allclose(mean.apply_xz(origin), 0.25 * images[0] + 0.75 * images[1])
    assert mean.angle == pytest.approx(0.25 * 0.5 - 0.75 * 0.3)


def test_arrays_of_moves_index_and_broadcast() -> None:
    many = Planar(np.linspace(0, 1, 5), 2.0, np.zeros(5))
    assert many.shape == (5,)
    assert many[3].angle == pytest.approx(0.75)
    assert many[3].x == 2.0
    assert many.apply(points()[:5]).shape == (5, 3)
