"""Constraints carried through time, against frame-by-frame truth."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionweave import Constraint, MotionError
from motionweave.core.constraints import active, carried, clipped, kinds, of_kind

steps = st.floats(-2.0, 2.0).map(lambda x: round(x, 3))
intervals = st.tuples(st.floats(0, 30), st.floats(0, 30)).map(lambda p: (min(p), max(p)))


@given(st.lists(steps, min_size=1, max_size=40), st.lists(intervals, max_size=4))
def test_carried_constraints_hold_exactly_where_the_shown_frame_is_held(
    increments: list[float], given_intervals: list[tuple[float, float]]
) -> None:
    """Forwards, backwards or paused: output frame i is held if and only if its source is."""
    frames = 15.0 + np.cumsum(increments)
    constraints = [Constraint(a, b, "left_toe") for a, b in given_intervals]
    result = carried(constraints, frames)
    held = active(constraints, "left_toe", frames)
    got = active(result, "left_toe", np.arange(len(frames)) + 0.0)
    # A source frame within rounding of an interval's bound may fall either way.
    sure = np.ones(len(frames), dtype=bool)
    for c in constraints:
        sure &= (np.abs(frames - c.start) > 1e-6) & (np.abs(frames - c.end) > 1e-6)
    assert np.array_equal(held[sure], got[sure])
    for before, after in itertools.pairwise(result):
        assert before.end < after.start


def test_bounds_are_carried_to_fractions_of_a_frame() -> None:
    held = [Constraint(3.0, 9.0, "left_heel")]
    (slow,) = carried(held, np.arange(0, 20, 0.5))
    assert (slow.start, slow.end) == (6.0, 18.0)
    (fast,) = carried(held, np.arange(0, 20, 1.6))
    assert fast.start == pytest.approx(3.0 / 1.6)
    assert fast.end == pytest.approx(9.0 / 1.6)
    (back,) = carried(held, np.arange(20, -1, -1.0))
    assert (back.start, back.end) == (11.0, 17.0)


def test_a_pause_lengthens_what_is_held_in_it() -> None:
    (held,) = carried([Constraint(2.0, 4.0, "left_toe")], [0, 1, 2, 3, 4, 4, 4, 5])
    assert (held.start, held.end) == (2.0, 6.0)


def test_selection_and_clipping() -> None:
    row = [Constraint(5, 9, "b"), Constraint(0, 2, "a"), Constraint(3, 4, "b")]
    assert kinds(row) == ("a", "b")
    assert of_kind(row, "b") == (Constraint(3, 4, "b"), Constraint(5, 9, "b"))
    assert clipped(row, 1, 6) == (
        Constraint(1, 2, "a"),
        Constraint(3, 4, "b"),
        Constraint(5, 6, "b"),
    )
    assert Constraint(1, 2, "a").holds_at(1.5)
    assert not Constraint(1, 2, "a").holds_at(2.5)


def test_an_interval_that_runs_backwards_is_refused() -> None:
    with pytest.raises(MotionError, match="left_toe"):
        Constraint(3, 2, "left_toe")
    with pytest.raises(MotionError, match="left_toe: frame nan"):
        Constraint(float("nan"), 2, "left_toe")
