"""Junctions: places where clips fit and little is lost."""

from __future__ import annotations

import numpy as np
import pytest

import motionweave as mw
from motionweave.errors import BlendError
from motionweave.methods.joining.junctions import (
    action_before,
    find_junctions,
    local_minima,
    what_is_cut,
)


def test_local_minima_are_those_of_brute_force() -> None:
    grid = np.random.default_rng(1).integers(0, 6, (20, 25)).astype(float)
    for r, c in local_minima(grid):
        around = grid[max(0, r - 1) : r + 2, max(0, c - 1) : c + 2]
        assert grid[r, c] == around.min()
    strict = {
        (r, c)
        for r in range(20)
        for c in range(25)
        if (grid[max(0, r - 1) : r + 2, max(0, c - 1) : c + 2] > grid[r, c]).sum()
        == grid[max(0, r - 1) : r + 2, max(0, c - 1) : c + 2].size - 1
    }
    assert strict <= set(local_minima(grid))


def test_action_is_where_something_happens() -> None:
    jab = mw.sample("jab")
    still = jab.sample(
        np.concatenate([np.zeros(60), np.arange(len(jab)), np.full(60, len(jab) - 1)])
    )
    before = action_before(still)
    assert np.all(np.diff(before) >= 0.0)
    assert 0.0 <= before[0] < before[-1] <= 1.0
    inside = before[60 + len(jab)] - before[60]
    assert inside > 1.5 * len(jab) / len(still)


def test_junctions_are_sorted_and_cost_what_they_cut() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    found = find_junctions(walk, jog, 0.2)
    costs = [junction.cost for junction in found]
    assert costs == sorted(costs)
    assert min(*found[0].kept) > 0.5


@pytest.mark.parametrize("keep", [0.7, "all", ((0, 80), None), (None, (12, 20))])
def test_what_must_be_kept_is_kept(keep: object) -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    for junction in find_junctions(walk, jog, 0.2, keep=keep):  # type: ignore[arg-type]
        if keep == "all":
            assert junction.frames[0] >= len(walk) - 1 - 0.25 * walk.fps
            assert junction.frames[1] <= 0.25 * jog.fps
        elif isinstance(keep, float):
            assert min(junction.kept) >= keep
        elif keep[0] is not None:  # type: ignore[index]
            assert junction.frames[0] >= 80
        else:
            assert junction.frames[1] <= 12


@pytest.mark.parametrize(
    ("keep", "said"),
    [
        ("everything", "expected 'most', 'all'"),
        (1.5, "share from 0 to 1"),
        (((0, 900), None), "it has frames 0 to"),
        ((1, 2, 3), "for each clip a range"),
    ],
)
def test_what_cannot_be_kept_is_named(keep: object, said: str) -> None:
    with pytest.raises(BlendError, match=said):
        find_junctions(mw.sample("walk"), mw.sample("jog"), 0.2, keep=keep)  # type: ignore[arg-type]


def test_what_is_cut_is_told() -> None:
    turn = mw.sample("walk_left")
    told = what_is_cut(turn, 0.0, len(turn) - 1.0, 0.9)
    assert "90% of its action" in told
    assert "contacts" in told
    assert "walk_left" in told
