"""Corrections fade without a jump and leave everything else alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionweave.contacts.clean.easing import eased
from motionweave.core.intervals import runs


@given(st.lists(st.booleans(), max_size=30))
def test_runs_are_the_stretches_of_true(flags: list[bool]) -> None:
    mask = np.array(flags, dtype=bool)
    found = np.zeros_like(mask)
    for first, last in runs(mask):
        assert mask[first : last + 1].all()
        assert first == 0 or not mask[first - 1]
        assert last == len(mask) - 1 or not mask[last + 1]
        found[first : last + 1] = True
    assert np.array_equal(found, mask)


def correction(count: int, known: np.ndarray) -> np.ndarray:
    t = np.arange(count) / 30.0
    return np.stack([np.sin(3.0 * t), 0.5 + t], axis=-1) * known[:, None]


@pytest.mark.parametrize("reach", [1, 5, 20])
def test_known_values_stay_and_far_frames_are_exactly_zero(reach: int) -> None:
    known = np.zeros(200, dtype=bool)
    known[60:80] = known[150:151] = True
    values = correction(200, known)
    result = eased(values, known, reach)
    assert np.array_equal(result[known], values[known])
    frames = np.arange(200)
    distance = np.min(np.abs(frames[:, None] - frames[known]), axis=1)
    assert np.all(result[distance >= reach] == 0.0)


def test_value_and_speed_do_not_jump() -> None:
    """Sampled ever finer, the largest second difference falls with the square of the step."""
    largest = []
    for finer in (1, 4):
        count = 300 * finer
        known = np.zeros(count, dtype=bool)
        known[100 * finer : 140 * finer] = known[165 * finer : 200 * finer] = True
        t = np.arange(count) / (30.0 * finer)
        values = np.stack([np.sin(3.0 * t), 0.5 + t], axis=-1)
        result = eased(values, known, 20 * finer)
        largest.append(np.abs(np.diff(result, 2, axis=0)).max())
    assert largest[1] < largest[0] / 10.0


def test_close_stretches_are_joined_directly() -> None:
    known = np.zeros(60, dtype=bool)
    known[10:20] = known[30:40] = True
    values = np.where(known, 1.0, 0.0)[:, None]
    result = eased(values, known, 8)
    np.testing.assert_allclose(result[20:30], 1.0)


def test_an_end_of_the_clip_cuts_the_ease_short() -> None:
    known = np.zeros(12, dtype=bool)
    known[2:10] = True
    result = eased(np.ones((12, 1)), known, 6)
    assert 0.0 < result[0, 0] < result[1, 0] < 1.0
    assert 0.0 < result[-1, 0] < result[-2, 0] < 1.0
