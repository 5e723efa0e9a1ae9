"""Parts of a grid, whatever was computed before them."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from motionweave.registration import dtw
from motionweave.registration.clouds import PointClip
from motionweave.registration.distance import distance_grid
from motionweave.registration.grids import GridBlock

ROWS, COLUMNS = 260, 300


def clip(frames: int, seed: int) -> PointClip:
    steps = np.random.default_rng(seed).normal(size=(frames, 6, 3))
    return PointClip(np.cumsum(steps, axis=0), 30.0, np.full(6, 1.0 / 6.0))


@st.composite
def blocks(draw: st.DrawFn) -> tuple[tuple[int, int], tuple[int, int], int | None]:
    rows = sorted(draw(st.lists(st.integers(0, ROWS), min_size=2, max_size=2, unique=True)))
    columns = sorted(draw(st.lists(st.integers(0, COLUMNS), min_size=2, max_size=2, unique=True)))
    limit = draw(st.none() | st.integers(2, 4))
    count, width = rows[1] - rows[0], columns[1] - columns[0]
    if limit is not None and dtw.smallest_limit(count, width) > limit:
        limit = None
    return (rows[0], rows[1]), (columns[0], columns[1]), limit


@settings(max_examples=40, deadline=None)
@given(st.lists(blocks(), min_size=1, max_size=6), st.integers(0, 5))
# Two stretches of the same rows with a gap between them, and then one across it.
@example([((0, 40), (270, 300), None), ((0, 40), (150, 300), None)], 0)
def test_every_cell_that_a_path_can_reach_is_the_distance_of_its_poses(
    asked: list[tuple[tuple[int, int], tuple[int, int], int | None]], seed: int
) -> None:
    a, b = clip(ROWS, seed), clip(COLUMNS, seed + 100)
    expected = distance_grid(a, b)
    # What is kept of the whole grid is used by the parts.
    GridBlock(a, b, (0, ROWS), (0, COLUMNS), corners=2)
    for rows, columns, limit in asked:
        block = GridBlock(a, b, rows, columns, limit)
        part = expected[slice(*rows), slice(*columns)]
        reached = np.ones(part.shape, dtype=bool)
        if limit is not None:
            low, high = dtw.reachable(*part.shape, limit)
            at = np.arange(part.shape[1])
            reached = (at >= low[:, None]) & (at < high[:, None])
        np.testing.assert_allclose(block.poses[reached], part[reached], rtol=1e-9, atol=1e-9)
