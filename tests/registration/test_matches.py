"""Constraint matches: the cases of the paper's Figures 5 and 11, and what must always hold."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionweave.registration import matches
from motionweave.registration.matches import ConstraintMatch, connected, match, subsumes

Interval = tuple[float, float]


def test_connected_and_disconnected_constraints() -> None:
    # Figure 5, top: overlapping, linked through a third, touching, and with a hole.
    assert connected([(0, 4), (2, 6)])
    assert connected([(0, 4), (8, 12), (3, 9)])
    assert connected([(0, 4), (4, 6)])
    assert not connected([(0, 4), (5, 6)])
    assert not connected([(0, 10), (2, 3), (11, 12)])


def test_figure_5_a_constraint_is_dropped_and_one_is_split() -> None:
    # The first clip holds once for long where the second holds twice; the second has one
    # more before, which overlaps nothing.
    first = [(10.0, 30.0), (40.0, 50.0)]
    second = [(0.0, 5.0), (9.0, 18.0), (22.0, 31.0), (39.0, 52.0)]
    groups = match([first, second])
    assert len(groups) == 3
    np.testing.assert_allclose(groups[0][1], (9.0, 18.0))
    np.testing.assert_allclose(groups[1][1], (22.0, 31.0))
    np.testing.assert_allclose(groups[2], [(40.0, 50.0), (39.0, 52.0)])
    # The gap: [9, 31] carried onto [10, 30] takes 18 and 22 to these places (Eq. 10).
    scale = (30.0 - 10.0) / (31.0 - 9.0)
    np.testing.assert_allclose(groups[0][0], (10.0, 10.0 + scale * 9.0))
    np.testing.assert_allclose(groups[1][0], (10.0 + scale * 13.0, 30.0))


def test_figure_11_subsumption() -> None:
    two = [(0.0, 4.0), (6.0, 10.0)]
    # Reaches into the second one, and nothing follows, or only after it.
    assert subsumes([(1.0, 9.0)], two)
    assert subsumes([(1.0, 9.0), (11.0, 15.0)], two)
    # Its own next one comes while the second one lasts.
    assert not subsumes([(1.0, 7.0), (9.0, 15.0)], two)
    # Does not reach the second one.
    assert not subsumes([(1.0, 5.0)], two)
    # There is no second one.
    assert not subsumes([(1.0, 9.0)], [(0.0, 10.0)])
    assert not subsumes(two, [(1.0, 9.0)])


def test_figure_11_the_gap_stops_where_a_third_constraint_follows() -> None:
    # A third one begins within the long one: the second one's end stays where it is.
    long = [(0.0, 30.0)]
    three = [(0.0, 6.0), (10.0, 16.0), (20.0, 28.0)]
    groups = match([long, three])
    assert len(groups) == 3
    np.testing.assert_allclose(groups[0][0], (0.0, 6.0))
    np.testing.assert_allclose(groups[1][0][0], 10.0)
    np.testing.assert_allclose([g[1] for g in groups], three)
    # The pieces of the long one are disjoint, in order, and end where it ended.
    pieces = np.array([g[0] for g in groups]).ravel()
    assert np.all(np.diff(pieces) > 0)
    assert pieces[-1] == 30.0


def test_votes_for_the_gap_are_averaged() -> None:
    groups = match([[(0.0, 20.0)], [(0.0, 8.0), (12.0, 20.0)], [(0.0, 6.0), (10.0, 20.0)]])
    assert len(groups) == 2
    np.testing.assert_allclose(groups[0][0], (0.0, 7.0))
    np.testing.assert_allclose(groups[1][0], (11.0, 20.0))


def test_a_figure_on_one_leg_breaks_the_other_contact() -> None:
    assert match([[], [(0.0, 10.0)]]) == []


@st.composite
def lanes(draw: st.DrawFn) -> list[list[Interval]]:
    def lane() -> list[Interval]:
        edges = sorted(draw(st.lists(st.integers(0, 60), unique=True, max_size=10)))
        return [(float(a), float(b)) for a, b in zip(edges[::2], edges[1::2], strict=False)]

    return [lane() for _ in range(draw(st.integers(2, 4)))]


@given(lanes())
def test_every_match_is_whole_connected_and_in_order(given_lanes: list[list[Interval]]) -> None:
    groups = match(given_lanes)
    for group in groups:
        assert group.shape == (len(given_lanes), 2)
        assert np.all(group[:, 1] >= group[:, 0])
        # Each lies within a constraint of its clip.
        for (start, end), lane in zip(group, given_lanes, strict=True):
            assert any(a - 1e-9 <= start and end <= b + 1e-9 for a, b in lane)
    for before, after in itertools.pairwise(groups):
        assert np.all(after[:, 0] >= before[:, 1] - 1e-9)


@given(lanes())
def test_clips_with_the_same_constraints_match_one_to_one(
    given_lanes: list[list[Interval]],
) -> None:
    lane = given_lanes[0]
    groups = match([lane, lane, lane])
    assert [tuple(g[0]) for g in groups] == lane
    assert all(np.ptp(g, axis=0).max() == 0.0 for g in groups)


def test_the_interval_of_a_blend() -> None:
    found = ConstraintMatch("left_heel", np.array([[0.0, 2.0], [1.0, 5.0]]))
    assert found.interval([1.0, 0.0]) == (0.0, 2.0)
    assert found.interval([0.5, 0.5]) == pytest.approx((0.5, 3.5))


def test_partition_prefers_the_larger_overlap() -> None:
    # Both of the first two hold once, the third twice: both are split.
    split, whole = matches.partition([[(0, 20)], [(1, 21)], [(0, 8), (12, 20)]])
    assert split == [0, 1]
    assert whole == [2]
