"""Time warps: speed up, slow down, pause, reverse, with contacts right afterwards."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionweave.core.constraints import Constraint, active
from motionweave.errors import QualityWarning, WarpError
from motionweave.methods.warping.time import retime, retime_parts, time_curve
from tests.strategies import random_motion


@pytest.fixture
def clip():
    motion = random_motion(np.random.default_rng(5), 101, 6)
    return motion.with_constraints(
        [Constraint(10, 30, "left_toe"), Constraint(50, 80, "right_heel")]
    )


def test_keys_are_met_and_the_rest_runs_on_at_its_own_speed(clip):
    curve = time_curve({60: 30}, len(clip))
    assert curve(np.array([0.0, 60.0])) == pytest.approx([0.0, 30.0], abs=0)
    assert curve.length == 131
    slow = retime(clip, curve)
    np.testing.assert_array_equal(slow.rotations[60], clip.rotations[30])
    np.testing.assert_array_equal(slow.rotations[-1], clip.rotations[-1])


def test_contacts_are_where_the_source_has_them(clip):
    for keys in ({60: 30}, {20: 60}, {30: 25, 60: 25}, {40: 60, 70: 20, 151: 100}):
        curve = time_curve(keys, len(clip))
        frames = np.clip(curve(np.arange(curve.length, dtype=float)), 0, 100)
        warped = retime(clip, curve)
        for kind in ("left_toe", "right_heel"):
            there = active(warped.constraints, kind, np.arange(len(warped)))
            inside = active(clip.constraints, kind, frames)
            assert np.array_equal(there, inside), (keys, kind)


def test_a_pause_stands_still(clip):
    curve = time_curve({30: 25, 60: 25}, len(clip))
    held = curve(np.linspace(30, 60, 50))
    np.testing.assert_array_equal(held, 25.0)


def test_an_intended_reversal_is_no_reason_to_warn(clip):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        curve = time_curve([(0, 0), (50, 50), (80, 20)], len(clip))
    assert curve(np.arange(0.0, 80.5, 0.5)).max() == 50.0
    back = retime(clip, curve)
    assert len(back) == 81
    np.testing.assert_array_equal(back.rotations[-1], clip.rotations[20])


def test_an_accidental_reversal_warns_and_the_monotone_option_heals_it(clip):
    keys = [(0, 0), (10, 40), (30, 42), (40, 90), (50, 100)]
    with pytest.warns(QualityWarning, match="between output frames 10 and 30"):
        assert time_curve(keys, len(clip)).reversals()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        curve = time_curve(keys, len(clip), monotone=True)
    assert np.all(np.diff(curve(np.linspace(0, 50, 2001))) >= 0.0)
    np.testing.assert_array_equal(curve(np.array([p[0] for p in keys])), [p[1] for p in keys])


@given(
    st.lists(st.integers(1, 90), min_size=1, max_size=5, unique=True),
    st.lists(st.integers(1, 99), min_size=5, max_size=5, unique=True),
)
def test_monotone_time_never_runs_against_its_keys(outputs, sources):
    keys = list(zip(sorted(outputs), sorted(sources)[: len(outputs)], strict=False))
    curve = time_curve(keys, 101, monotone=True)
    assert np.all(np.diff(curve(np.linspace(0, curve.outputs[-1], 3000))) >= -1e-9)


def test_a_part_can_have_a_time_of_its_own(clip):
    late = time_curve({20: 0, 70: 50, 120: 100}, len(clip))
    result = retime_parts(clip, clip, [((3, 4), ("right_heel",), late)])
    np.testing.assert_array_equal(result.rotations[70, [3, 4]], clip.rotations[50, [3, 4]])
    np.testing.assert_array_equal(result.rotations[:, :3], clip.rotations[:, :3])
    assert Constraint(10, 30, "left_toe") in result.constraints
    heel = next(c for c in result.constraints if c.kind == "right_heel")
    assert (heel.start, heel.end) == pytest.approx((70.0, 100.0))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([], "at least one pair"),
        ({10: 101}, "source frames 0 to 100"),
        ({-1: 5}, "output frames start at 0"),
        ([(10, 5), (10, 6)], "two source frames"),
        ([10], "expected a pair"),
    ],
)
def test_bad_time_keys_are_named(clip, keys, message):
    with pytest.raises(WarpError, match=message):
        time_curve(keys, len(clip))
