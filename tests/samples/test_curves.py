"""The curves the clips are keyed with."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from motionweave.samples.curves import bump, keyed, quintic, soft_minimum, through


@given(st.lists(st.floats(-5.0, 5.0), min_size=2, max_size=6))
def test_keys_are_met_without_overshoot(values: list[float]) -> None:
    times = np.arange(len(values), dtype=float)
    np.testing.assert_allclose(through(times, times, values), values, atol=1e-9)
    t = np.linspace(0.0, times[-1], 400)
    curve = through(t, times, values)
    span = np.clip(t.astype(int), 0, len(values) - 2)
    low = np.minimum(np.array(values)[span], np.array(values)[span + 1])
    high = np.maximum(np.array(values)[span], np.array(values)[span + 1])
    room = 0.12 * (high - low) + 1e-9
    assert np.all(curve >= low - room)
    assert np.all(curve <= high + room)


def test_a_quintic_has_the_derivatives_it_was_given() -> None:
    knots = np.array([0.0, 0.7, 2.0])
    values, speeds, bends = (np.array(v) for v in ([1.0, 3.0, -2.0], [2.0, -1.0, 0.5], [4.0, 1, 0]))
    h = 1e-4
    for k, at in enumerate(knots):
        side = -1.0 if k == 2 else 1.0
        p = quintic(np.array([at, at + side * h, at + 2 * side * h]), knots, values, speeds, bends)
        assert abs(p[0] - values[k]) < 1e-12
        assert abs(side * (-1.5 * p[0] + 2.0 * p[1] - 0.5 * p[2]) / h - speeds[k]) < 1e-3
        assert abs((p[0] - 2.0 * p[1] + p[2]) / h**2 - bends[k]) < 0.1


def test_before_and_after_the_keys_the_ends_hold() -> None:
    np.testing.assert_array_equal(keyed([-1.0, 5.0], [(0.0, 2.0), (1.0, 3.0)]), [2.0, 3.0])
    np.testing.assert_array_equal(keyed([-1.0, 5.0], [(0.0, 2.0)]), [2.0, 2.0])


def test_a_bump_rises_to_one_and_back() -> None:
    t = np.linspace(-0.5, 1.5, 2001)
    assert bump(0.5) == 1.0
    np.testing.assert_allclose(bump(t), bump(1.0 - t), atol=1e-12)


def test_the_soft_minimum_is_below_all_and_near_the_least() -> None:
    a, b = np.linspace(-1, 1, 50), np.linspace(1, -1, 50)
    least = soft_minimum(a, b, 0.12)
    far = np.abs(a - b) > 0.12
    np.testing.assert_array_equal(least[far], np.minimum(a, b)[far])
    assert np.all(least[~far] < np.minimum(a, b)[~far])
    assert np.max(np.minimum(a, b) - least) <= 0.02 + 1e-12
