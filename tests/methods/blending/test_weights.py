"""Weights as users give them: scaled, or refused with a reason."""

from __future__ import annotations

import numpy as np
import pytest

from motionweave import BlendError
from motionweave.methods.blending.weights import normalized, over_time, votes


def test_weights_are_scaled_to_sum_to_one() -> None:
    np.testing.assert_allclose(normalized([1, 1, 2], 3), [0.25, 0.25, 0.5])
    np.testing.assert_allclose(normalized([[2, 2], [1, 3]], 2), [[0.5, 0.5], [0.25, 0.75]])
    np.testing.assert_allclose(normalized([-0.5, 1.5], 2), [-0.5, 1.5])


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([0.5, 0.5], "3 weights are needed; got 2"),
        ([[0.5, 0.5]], "shape"),
        ([0.0, 0.0, 0.0], "sum to zero"),
        ([1.0, -1.0, 0.0], "sum to zero"),
        ([np.nan, 1.0, 0.0], "finite"),
        ([[1.0, 0.0, 0.0], [np.inf, 0.0, 0.0]], "row 1"),
        (np.zeros((0, 3)), "no row"),
    ],
)
def test_weights_that_do_not_fit_say_why(weights: object, said: str) -> None:
    with pytest.raises(BlendError, match=said):
        normalized(weights, 3)  # type: ignore[arg-type]


def test_votes_are_never_negative() -> None:
    np.testing.assert_allclose(votes(np.array([-0.5, 1.5])), [0.25, 0.75])


def test_weights_over_time_pass_through_their_rows_without_overshoot() -> None:
    weights = over_time([0.0, 1.0, 3.0], [[1, 0], [0.2, 0.8], [0, 1]])
    np.testing.assert_allclose(weights(1.0), [0.2, 0.8])
    np.testing.assert_allclose(weights(-5.0), [1, 0])
    np.testing.assert_allclose(weights(9.0), [0, 1])
    rows = np.array([weights(t) for t in np.linspace(0, 3, 200)])
    assert rows.min() >= 0.0
    assert rows.max() <= 1.0
    with pytest.raises(BlendError, match="increase"):
        over_time([0.0, 0.0], [[1, 0], [0, 1]])
