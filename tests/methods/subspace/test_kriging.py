"""Kriging: exact at the samples, sane between and far away from them, duplicates or not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionweave.errors import BlendError
from motionweave.methods.subspace.kriging import Kriging, distinct

seeds = st.integers(0, 2**32 - 1)


def curve(rng: np.random.Generator, frames: int = 60, dimensions: int = 4) -> np.ndarray:
    """A smooth closed curve, such as a clip makes."""
    phase = np.linspace(0.0, 2.0 * np.pi, frames, endpoint=False)[:, None]
    shift = rng.uniform(0.0, 2.0 * np.pi, (3, dimensions))
    size = rng.normal(size=(3, dimensions))
    return sum(size[k] * np.sin((k + 1) * phase + shift[k]) for k in range(3))


def plain_weights(points: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Eq. 1 as it is printed."""
    count = len(points)
    matrix = np.ones((count + 1, count + 1))
    matrix[:-1, :-1] = np.linalg.norm(points[:, None] - points[None], axis=2)
    matrix[-1, -1] = 0.0
    return np.stack(
        [
            np.linalg.solve(matrix, np.append(np.linalg.norm(points - x, axis=1), 1.0))[:-1]
            for x in at
        ]
    )


@given(seeds)
def test_weights_are_those_of_equation_1(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points, at = curve(rng), rng.normal(size=(5, 4))
    np.testing.assert_allclose(Kriging(points).weights(at), plain_weights(points, at), atol=1e-8)


@given(seeds)
def test_every_sample_is_reproduced(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = curve(rng)
    np.testing.assert_allclose(Kriging(points).weights(points), np.eye(len(points)), atol=1e-9)


@given(seeds)
def test_weights_sum_to_one_and_values_follow_from_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kriging = Kriging(curve(rng))
    at = 3.0 * rng.normal(size=(7, 4))
    data = rng.normal(size=(len(kriging.points), 2, 3))
    weights = kriging.weights(at)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-9)
    expected = np.tensordot(weights, data, 1)
    np.testing.assert_allclose(kriging.interpolant(data)(at), expected, atol=1e-8)


@given(seeds)
def test_values_do_not_explode_far_away(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kriging = Kriging(curve(rng))
    direction = rng.normal(size=4)
    far = np.outer([1e2, 1e4, 1e6], direction / np.linalg.norm(direction))
    sizes = np.abs(kriging.weights(far)).sum(axis=1)
    # The weights come to rest: ten thousand times as far changes them by little.
    assert sizes[2] < 1.05 * sizes[0] + 0.05


def test_in_one_dimension_it_is_the_line_from_sample_to_sample() -> None:
    points = np.array([0.0, 1.0, 2.5, 4.0])[:, None]
    values = np.array([3.0, -1.0, 2.0, 0.0])
    at = np.linspace(-2.0, 6.0, 50)
    expected = np.interp(at, points[:, 0], values)
    np.testing.assert_allclose(
        Kriging(points).interpolant(values)(at[:, None]), expected, atol=1e-9
    )


@given(seeds, st.floats(0.0, 1e-9))
def test_duplicates_and_near_duplicates_change_nothing(seed: int, apart: float) -> None:
    rng = np.random.default_rng(seed)
    points = curve(rng)
    doubled = np.concatenate([points, points[::3] + apart, points[:5]])
    data = rng.normal(size=(len(points), 2))
    twice = np.concatenate([data, data[::3], data[:5]])
    at = rng.normal(size=(6, 4))
    once = Kriging(points).interpolant(data)(at)
    np.testing.assert_allclose(Kriging(doubled).interpolant(twice)(at), once, atol=1e-5)
    np.testing.assert_allclose(Kriging(doubled).interpolant(twice)(points), data, atol=1e-6)


def test_clusters_that_almost_touch_stay_finite_and_exact() -> None:
    rng = np.random.default_rng(0)
    points = np.repeat(curve(rng, 20), 8, axis=0) + 1e-5 * rng.normal(size=(160, 4))
    kriging = Kriging(points)
    np.testing.assert_allclose(kriging.weights(points), np.eye(160), atol=1e-6)


def test_a_clip_that_stands_still_has_one_place() -> None:
    kriging = Kriging(np.ones((9, 3)))
    assert list(kriging.kept) == [0]
    np.testing.assert_allclose(
        kriging.interpolant(np.arange(9.0))(np.array([[5.0, 0.0, 0.0]])), [0.0]
    )


def test_the_first_of_samples_in_one_place_stands_for_all() -> None:
    points = np.array([[0.0], [1.0], [0.0], [1.0], [2.0]])
    np.testing.assert_array_equal(distinct(points), [0, 1, 4])


def test_no_samples_are_refused() -> None:
    with pytest.raises(BlendError, match="expected samples"):
        Kriging(np.zeros((0, 2)))
