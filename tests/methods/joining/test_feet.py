"""Feet across a seam: those that stay are held, those that move over take a step."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import motionweave as mw
from motionweave import Constraint
from motionweave.core.constraints import joined
from motionweave.core.numerics.curves import smootherstep
from motionweave.methods.joining.feet import (
    SolePoints,
    firmness,
    smoothed_inside,
    weight_shares,
    with_steps,
    without_dragging,
)


def way(*stretches: tuple[int, float]) -> np.ndarray:
    """Places that go evenly in x, for so many frames, to each value."""
    x = [0.0]
    for frames, value in stretches:
        x += list(np.linspace(x[-1], value, frames + 1)[1:])
    return np.stack([np.array(x), np.zeros(len(x))], axis=1)


def test_touching_contacts_of_a_kind_become_one() -> None:
    parts = [
        Constraint(5, 9, "left_toe"),
        Constraint(0, 4, "left_toe"),
        Constraint(3, 6, "right_toe"),
    ]
    assert joined(parts, gap=1.0) == (Constraint(0, 9, "left_toe"), Constraint(3, 6, "right_toe"))
    apart = [Constraint(0, 4, "left_toe"), Constraint(6, 9, "left_toe")]
    assert joined(apart, gap=1.0) == tuple(apart)


def test_a_foot_that_stays_is_held_throughout() -> None:
    contact = Constraint(0, 60, "left_heel")
    assert without_dragging(contact, way((60, 0.04)), near=0.06, gap=3) == [contact]


def test_a_foot_that_moves_over_is_let_go_in_between() -> None:
    contact = Constraint(0, 60, "left_heel")
    places = way((20, 0.0), (10, 1.0), (30, 1.0))
    first, second = without_dragging(contact, places, near=0.06, gap=3)
    assert first == Constraint(0, 20, "left_heel")
    assert second == Constraint(30, 60, "left_heel")


def test_moving_over_takes_a_while() -> None:
    contact = Constraint(0, 60, "left_heel")
    places = way((24, 0.0), (1, 1.0), (35, 1.0))
    first, second = without_dragging(contact, places, near=0.06, gap=8)
    assert second.start - first.end > 8


def test_a_contact_that_begins_on_the_way_waits_until_the_foot_is_there() -> None:
    places = way((20, 0.0), (10, 1.0), (30, 1.0))
    late = Constraint(5, 60, "left_heel")
    assert without_dragging(late, places, near=0.06, gap=3) == [Constraint(30, 60, "left_heel")]
    assert without_dragging(Constraint(5, 38, "left_heel"), places, near=0.06, gap=3) == []


@given(st.integers(0, 2**32 - 1))
def test_the_weight_is_whole_where_a_foot_stands_and_never_more(seed: int) -> None:
    stands = np.random.default_rng(seed).uniform(0.0, 1.0, (30, 4))
    stands[:3] = 0.0
    stands[10:20, 0] = 1.0
    share = weight_shares(stands)
    assert np.all(share >= 0.0)
    np.testing.assert_allclose(share[:3], 0.0, atol=1e-9)
    np.testing.assert_allclose(share[10:20].sum(axis=1), 1.0)
    assert share.sum(axis=1).max() <= 1.0 + 1e-12


def test_two_feet_that_stand_alike_do_not_share_the_weight() -> None:
    stands = np.ones((10, 4))
    stands[8:, 2:] = 0.0
    share = weight_shares(stands)
    assert np.all(share[:8, :2].sum(axis=1) > 0.85)


def test_eased_values_are_means_of_those_around_them_and_keep_their_ends() -> None:
    values = np.random.default_rng(8).normal(size=(20, 2, 3))
    found = smoothed_inside(values, 30.0)
    # Three frames to either side: a tenth of a second.
    window = np.hanning(9)[1:-1]
    for frame in range(20):
        around = [values[min(max(frame + by, 0), 19)] for by in range(-3, 4)]
        mean = sum(w * value for w, value in zip(window / window.sum(), around, strict=True))
        share = smootherstep((min(frame, 19 - frame) - 1.0) / 3.0)
        expected = values[frame] + share * (mean - values[frame])
        np.testing.assert_allclose(found[frame], expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found[[0, 1, -2, -1]], values[[0, 1, -2, -1]])
    np.testing.assert_allclose(smoothed_inside(values[:, 0, 0], 30.0), found[:, 0, 0], rtol=1e-12)


def test_loads_are_eased_at_both_ends() -> None:
    held = firmness([Constraint(20, 60, "left_toe")], "left_toe", np.arange(80.0), 60.0)
    assert held[40] == 1.0
    assert held[10] == held[70] == 0.0
    assert np.abs(np.diff(held)).max() < 0.4
    assert held[20] == 0.5


def test_the_load_of_many_contacts_is_the_largest_of_each() -> None:
    starts = np.random.default_rng(2).uniform(-5.0, 300.0, 40)
    contacts = [Constraint(s, s + 0.1 * s % 9.0, "left_toe") for s in starts]
    frames = np.arange(300.0)
    each = [firmness([c], "left_toe", frames, 30.0) for c in contacts]
    np.testing.assert_array_equal(
        firmness(contacts, "left_toe", frames, 30.0), np.max(each, axis=0)
    )
    ramp = 0.1 * 30.0
    for c, held in zip(contacts, each, strict=True):
        inside = np.minimum(frames - c.start, c.end - frames) / ramp
        np.testing.assert_array_equal(held, smootherstep(inside + 0.5))


def test_a_foot_that_takes_a_step_is_lifted_and_others_are_left_alone() -> None:
    walk = mw.sample("walk")[:40].with_constraints(
        [Constraint(0, 39, "left_heel"), Constraint(0, 39, "right_heel")]
    )
    feet = SolePoints.of(walk)
    drift = np.zeros((40, 4, 2))
    drift[:, feet.kinds.index("left_heel"), 0] = np.linspace(0.0, 0.4, 40)
    made = with_steps(walk, feet, drift)
    assert [c for c in made.constraints if c.kind == "right_heel"] == [
        Constraint(0, 39, "right_heel")
    ]
    assert len([c for c in made.constraints if c.kind == "left_heel"]) == 2
    raised = (feet.points(made) - feet.points(walk))[..., 1]
    assert raised[20, feet.kinds.index("left_heel")] > 0.02
    assert np.abs(raised[:, feet.kinds.index("right_heel")]).max() < 1e-9
    np.testing.assert_allclose(raised[[0, -1]], 0.0, atol=1e-9)
