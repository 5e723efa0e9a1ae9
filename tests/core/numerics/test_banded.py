"""Banded systems are solved as full ones are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionweave.core.numerics.banded import solve_bands


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 7), st.integers(1, 4))
def test_the_solution_is_that_of_the_full_matrix(
    seed: int, count: int, width: int, sides: int
) -> None:
    rng = np.random.default_rng(seed)
    near = np.abs(np.subtract.outer(np.arange(count), np.arange(count))) < width
    matrix = np.where(near, rng.normal(size=(count, count)), 0.0)
    matrix = matrix + matrix.T
    np.fill_diagonal(matrix, 1.0 + np.abs(matrix).sum(axis=1))
    band = np.zeros((count, width))
    for d in range(min(width, count)):
        band[: count - d, d] = np.diagonal(matrix, d)
    right = rng.normal(size=(count, sides))
    np.testing.assert_allclose(
        solve_bands(band, right), np.linalg.solve(matrix, right), rtol=1e-10, atol=1e-12
    )


def test_what_is_given_is_left_alone_and_what_cannot_be_solved_is_refused() -> None:
    band, right = np.array([[1.0, 2.0], [1.0, 0.0]]), np.ones((2, 1))
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        solve_bands(band, right)
    assert np.array_equal(band, [[1.0, 2.0], [1.0, 0.0]])
    assert np.array_equal(right, np.ones((2, 1)))
