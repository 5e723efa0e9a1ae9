"""The dynamic programme against exhaustive search over all legal paths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from motionweave import RegistrationError
from motionweave.registration import dtw

Cell = tuple[int, int]

grids = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 5), st.integers(1, 5)),
    # Few values make many ties, which is where a wrong choice of state hides.
    elements=st.one_of(st.sampled_from([0.0, 1.0, 2.0]), st.floats(0.0, 10.0)),
)
# Choices with the largest do not fit into a byte.
limits = st.sampled_from([1, 2, 3, 4, 5, 9])


def legal_paths(rows: int, columns: int, limit: int, start: Cell) -> list[list[Cell]]:
    """Every legal path from ``start`` to anywhere, written down from the definition."""
    found: list[list[Cell]] = []
    stack: list[tuple[list[Cell], Cell, int]] = [([start], (1, 1), 0)]
    while stack:
        path, last, run = stack.pop()
        found.append(path)
        for step in ((1, 1), (0, 1), (1, 0)):
            cell = path[-1][0] + step[0], path[-1][1] + step[1]
            if cell[0] >= rows or cell[1] >= columns:
                continue
            steps = 0 if step == (1, 1) else (run + 1 if step == last else 1)
            if steps <= limit:
                stack.append(([*path, cell], step, steps))
    return found


def total(grid: np.ndarray, path: list[Cell] | np.ndarray) -> float:
    return float(sum(grid[tuple(cell)] for cell in np.asarray(path)))


def is_legal(path: np.ndarray, limit: int) -> bool:
    run, last = 0, (1, 1)
    for step in map(tuple, np.diff(path, axis=0)):
        if step not in ((1, 1), (0, 1), (1, 0)):
            return False
        run = 0 if step == (1, 1) else (run + 1 if step == last else 1)
        last = step
        if run > limit:
            return False
    return True


@given(grids, limits)
def test_corner_path_is_the_cheapest_legal_one(grid: np.ndarray, limit: int) -> None:
    rows, columns = grid.shape
    end = rows - 1, columns - 1
    complete = [p for p in legal_paths(rows, columns, limit, (0, 0)) if p[-1] == end]
    assert (dtw.smallest_limit(rows, columns) <= limit) == bool(complete)
    if not complete:
        with pytest.raises(RegistrationError, match=f"at most {limit} frames.*slope_limit="):
            dtw.corner_path(grid, limit)
        return
    path = dtw.corner_path(grid, limit)
    assert tuple(path[0]) == (0, 0)
    assert tuple(path[-1]) == end
    assert is_legal(path, limit)
    assert total(grid, path) == pytest.approx(min(total(grid, p) for p in complete), abs=1e-12)
    # Only cells on legal paths are looked at, and those are known beforehand.
    low, high = dtw.reachable(rows, columns, limit)
    on_paths = {cell for p in complete for cell in p}
    assert on_paths == {(i, j) for i in range(rows) for j in range(low[i], high[i])}
    for i in range(rows):
        grid[i, : low[i]] = grid[i, high[i] :] = np.nan
    np.testing.assert_array_equal(dtw.corner_path(grid, limit), path)


@given(grids, limits, st.floats(0.0, 3.0))
def test_longest_good_earns_most(grid: np.ndarray, limit: int, good: float) -> None:
    def earned(path: list[Cell] | np.ndarray) -> float:
        cells = np.asarray(path)
        advance = np.concatenate([[2], np.diff(cells, axis=0).sum(axis=1)])
        return float(np.sum(advance * (good - grid[cells[:, 0], cells[:, 1]])))

    path = dtw.longest_good(grid, good, limit)
    rows, columns = grid.shape
    starts = [(i, j) for i in range(rows) for j in range(columns)]
    best = max(earned(p) for s in starts for p in legal_paths(rows, columns, limit, s))
    assert is_legal(path, limit)
    assert earned(path) == pytest.approx(best, abs=1e-12)


@given(grids, limits, st.floats(0.0, 3.0))
def test_earned_from_the_first_row(grid: np.ndarray, limit: int, good: float) -> None:
    rows, columns = grid.shape
    best = np.full(rows, -np.inf)
    for column in range(columns):
        for path in legal_paths(rows, columns, limit, (0, column)):
            cells = np.asarray(path)
            advance = np.concatenate([[2], np.diff(cells, axis=0).sum(axis=1)])
            total = np.sum(advance * (good - grid[cells[:, 0], cells[:, 1]]))
            best[cells[-1, 0]] = max(best[cells[-1, 0]], total)
    np.testing.assert_allclose(dtw.earned_from(grid, good, limit), best, atol=1e-12)


@given(grids, limits)
def test_boundary_path_has_the_least_mean_of_the_cheapest(grid: np.ndarray, limit: int) -> None:
    rows, columns = grid.shape
    path = dtw.boundary_path(grid, limit)
    assert tuple(path[0]) == (0, 0)
    assert path[-1, 0] == rows - 1 or path[-1, 1] == columns - 1
    assert is_legal(path, limit)
    to_boundary = [
        p
        for p in legal_paths(rows, columns, limit, (0, 0))
        if p[-1][0] == rows - 1 or p[-1][1] == columns - 1
    ]
    cheapest: dict[Cell, float] = {}
    for p in to_boundary:
        cheapest[p[-1]] = min(cheapest.get(p[-1], np.inf), total(grid, p))
    # Each end counts with its cheapest path; among equally cheap ones the mean may differ.
    means = {
        end: [total(grid, p) / len(p) for p in to_boundary
              if p[-1] == end and total(grid, p) <= cost + 1e-12]
        for end, cost in cheapest.items()
    }  # fmt: skip
    found = total(grid, path) / len(path)
    assert any(found == pytest.approx(m, abs=1e-12) for m in means[tuple(path[-1])])
    assert found <= min(max(m) for m in means.values()) + 1e-12


@given(grids, limits, st.data())
def test_path_through_a_cell_is_legal_and_reaches_both_boundaries(
    grid: np.ndarray, limit: int, data: st.DataObject
) -> None:
    rows, columns = grid.shape
    cell = data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, columns - 1))
    path = dtw.path_through(grid, cell, limit)
    assert is_legal(path, limit)
    assert cell in {tuple(int(v) for v in c) for c in path}
    assert 0 in path[0]
    assert path[-1, 0] == rows - 1 or path[-1, 1] == columns - 1


@given(st.integers(2, 30), st.integers(2, 30), st.integers(1, 4), st.integers(0, 2**16))
def test_a_band_that_holds_the_path_gives_the_path(
    rows: int, columns: int, limit: int, seed: int
) -> None:
    grid = np.random.default_rng(seed).uniform(size=(rows, columns))
    if dtw.smallest_limit(rows, columns) > limit:
        return
    path = dtw.corner_path(grid, limit)
    first = np.array([path[path[:, 0] == i, 1].min() for i in range(rows)])
    width = max(path[path[:, 0] == i, 1].max() - first[i] + 1 for i in range(rows)) + 2
    padded = np.pad(grid, ((0, 0), (0, width)), constant_values=np.inf)
    band = np.stack([padded[i, first[i] : first[i] + width] for i in range(rows)])
    again = dtw.corner_path(band, limit, first=first, columns=columns)
    np.testing.assert_array_equal(again, path)


@given(st.integers(2, 12), st.integers(2, 12), st.integers(1, 5), st.integers(0, 2**16))
def test_parts_of_a_grid_are_searched_together_as_each_on_its_own(
    rows: int, width: int, limit: int, seed: int
) -> None:
    grid = np.random.default_rng(seed).uniform(size=(rows, 2 * width))
    if dtw.smallest_limit(rows, width) > limit:
        with pytest.raises(RegistrationError):
            dtw.corner_means(grid, width, [0], limit)
        return
    starts = range(0, width + 1, 2)
    alone = []
    for start in starts:
        part = grid[:, start : start + width]
        path = dtw.corner_path(part, limit)
        alone.append(part[path[:, 0], path[:, 1]].mean())
    np.testing.assert_allclose(dtw.corner_means(grid, width, starts, limit), alone, rtol=1e-12)
