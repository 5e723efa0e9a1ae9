"""The search for paths, against trying all of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from motionweave.library.index.snapshot import GAP
from motionweave.library.search import subsequence


def _all_paths(cost: np.ndarray) -> np.ndarray:
    """The least mean cost ``(columns,)`` of any path to each column, by plain recursion."""
    rows, columns = cost.shape

    def least(row: int, column: int) -> float:
        if column < 0 or row < 0:
            return np.inf
        if row == 0:
            return float(cost[0, column])
        here = float(cost[row, column])
        ways = [least(row - 1, column - 1) + here, least(row - 1, column - 2) + here]
        if row >= 2:
            ways.append(least(row - 2, column - 1) + float(cost[row - 1, column]) + here)
        return min(ways)

    return np.array([least(rows - 1, column) / rows for column in range(columns)])


@given(st.integers(1, 6), st.integers(1, 9), st.integers(0, 10_000))
def test_paths_are_the_cheapest_of_all(rows: int, columns: int, seed: int) -> None:
    cost = np.random.default_rng(seed).random((rows, columns))
    found = subsequence.paths(cost)
    np.testing.assert_allclose(found.costs, _all_paths(cost), rtol=1e-5)


@given(st.integers(1, 12), st.integers(24, 40), st.integers(0, 10_000))
def test_a_traced_path_costs_what_it_says(rows: int, columns: int, seed: int) -> None:
    cost = np.random.default_rng(seed).random((rows, columns))
    found = subsequence.paths(cost)
    end = int(np.argmin(found.costs))
    path = found.trace(end)
    assert path[-1] == end
    assert path[0] == found.starts[end]
    assert np.all(np.isin(np.diff(path), (0, 1, 2)))
    np.testing.assert_allclose(cost[np.arange(rows), path].mean(), found.costs[end], rtol=1e-5)


def test_no_path_leaps_over_a_gap() -> None:
    cost = np.zeros((5, 20))
    cost[:, 9 : 9 + GAP] = np.inf
    found = subsequence.paths(cost)
    ends = np.flatnonzero(np.isfinite(found.costs))
    assert np.all((ends < 9) == (found.starts[ends] < 9))
