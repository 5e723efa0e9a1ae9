"""Quantiles against NumPy's."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from motionweave.core.numerics.quantiles import median, quantile


@given(st.integers(1, 12), st.floats(0.0, 1.0), st.integers(0, 2**32 - 1))
def test_quantiles_are_those_of_numpy(count: int, share: float, seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(count, 3))
    np.testing.assert_allclose(
        quantile(values, share), np.quantile(values, share, axis=0), atol=1e-13
    )
    assert np.array_equal(median(values), np.median(values, axis=0))
