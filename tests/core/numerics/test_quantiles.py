"""Quantiles against NumPy's."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from motionweave.core.numerics.quantiles import median, quantile, quantiles_of_groups


@given(st.integers(1, 12), st.floats(0.0, 1.0), st.integers(0, 2**32 - 1))
def test_quantiles_are_those_of_numpy(count: int, share: float, seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(count, 3))
    np.testing.assert_allclose(
        quantile(values, share), np.quantile(values, share, axis=0), atol=1e-13
    )
    assert np.array_equal(median(values), np.median(values, axis=0))


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=8),
    st.floats(0.0, 1.0),
    st.integers(0, 2**32 - 1),
)
def test_groups_have_the_quantiles_that_each_has_alone(
    counts: list[int], share: float, seed: int
) -> None:
    values = np.random.default_rng(seed).normal(size=(2, sum(counts)))
    shares = np.array([[share], [0.5]])
    groups = np.split(values, np.cumsum(counts)[:-1], axis=1)
    alone = [
        [quantile(row, s) for row, s in zip(group, (share, 0.5), strict=True)] for group in groups
    ]
    count = np.array(counts)
    assert np.array_equal(quantiles_of_groups(values, count, shares), alone)
    first = np.array(alone)[:, 0]
    assert np.array_equal(quantiles_of_groups(values[0], count, share), first)
