"""Stretches of time against the plainest way to find them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionweave.core.intervals import covered, frames_in, merged, not_negative, runs

masks = st.lists(st.booleans(), max_size=40).map(lambda row: np.array(row, dtype=bool))
interval = st.tuples(st.integers(0, 40), st.integers(0, 8)).map(lambda p: (p[0], p[0] + p[1]))


@given(masks)
def test_runs_cover_exactly_the_true_entries(mask: np.ndarray) -> None:
    inside = np.zeros(len(mask), dtype=bool)
    found = runs(mask)
    for first, last in found:
        assert first <= last
        inside[first : last + 1] = True
    assert np.array_equal(inside, mask)
    assert all(b[0] - a[1] > 1 for a, b in itertools.pairwise(found))


@given(
    st.lists(st.tuples(st.floats(-5.0, 45.0), st.floats(0.0, 8.0)), max_size=12),
    st.integers(1, 40),
)
def test_frames_in_intervals_are_the_runs_of_what_they_cover(
    given_: list[tuple[float, float]], count: int
) -> None:
    intervals = [(start, start + length) for start, length in given_]
    assert frames_in(intervals, count) == runs(covered(intervals, np.arange(count)))


@given(st.lists(interval, max_size=12), st.integers(0, 4))
def test_merged_intervals_cover_the_same_and_are_apart(
    intervals: list[tuple[int, int]], gap: int
) -> None:
    found = merged(intervals, gap)
    for start, end in intervals:
        assert any(a <= start and end <= b for a, b in found)
    assert all(b[0] - a[1] > gap for a, b in itertools.pairwise(found))
    ends = {value for pair in intervals for value in pair}
    assert all(a in ends and b in ends for a, b in found)


def test_stretches_end_where_the_values_cross_zero() -> None:
    assert not_negative([-1.0, 1.0, 3.0, -1.0]) == [(0.5, 2.75)]
    assert not_negative([2.0, -2.0, -1.0, 0.0]) == [(0.0, 0.5), (3.0, 3.0)]
    assert not_negative([-1.0, -2.0]) == []
    assert not_negative([1.0, 2.0]) == [(0.0, 1.0)]


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=30))
def test_straight_between_frames(values: list[float]) -> None:
    found = not_negative(values)
    for at in np.linspace(0.0, len(values) - 1.0, 97):
        value = np.interp(at, np.arange(len(values)), values)
        if abs(value) > 1e-6:
            inside = any(a <= at <= b for a, b in found)
            assert inside == (value > 0.0), at


def test_an_empty_mask_has_no_runs() -> None:
    assert runs(np.zeros(0, dtype=bool)) == []
    assert merged([]) == pytest.approx([])


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6)), max_size=12),
    st.lists(st.floats(-2.0, 40.0), max_size=20),
)
def test_places_are_covered_where_any_interval_holds_them(
    spans: list[tuple[int, int]], places: list[float]
) -> None:
    intervals = [(float(first), float(first + length)) for first, length in spans]
    expected = [any(a <= place <= b for a, b in intervals) for place in places]
    assert covered(intervals, places).tolist() == expected
