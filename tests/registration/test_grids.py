"""Grids that are filled where paths can go, against whole grids cell by cell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from motionweave.registration import dtw
from motionweave.registration.clouds import PointClip
from motionweave.registration.distance import distance_grid
from motionweave.registration.grids import GridBand, GridBlock
from motionweave.registration.windows import CentredClip


def clip(frames: int, seed: int, signals: int = 2) -> PointClip:
    rng = np.random.default_rng(seed)
    points = rng.normal(scale=0.05, size=(frames, 6, 3)).cumsum(axis=0)
    return PointClip(points, 30.0, rng.uniform(0.5, 2.0, 6), rng.uniform(size=(frames, signals)))


def signal_differences(a: PointClip, b: PointClip) -> np.ndarray:
    return np.sum((a.signals[:, None] - b.signals[None]) ** 2, axis=2)


@pytest.mark.parametrize("frames", [(40, 55), (150, 200), (200, 90)])
def test_reachable_cells_are_filled_first_and_the_others_when_they_are_needed(
    frames: tuple[int, int],
) -> None:
    a, b = clip(frames[0], 1), clip(frames[1], 2)
    grid = distance_grid(a, b)
    whole = (0, len(a)), (0, len(b))
    low, high = dtw.reachable(len(a), len(b), 2)
    some = GridBlock(a, b, *whole, corners=2).poses
    for i in range(len(a)):
        np.testing.assert_allclose(some[i, low[i] : high[i]], grid[i, low[i] : high[i]], rtol=1e-9)
    np.testing.assert_allclose(GridBlock(a, b, *whole).poses, grid, rtol=1e-9)
    part = GridBlock(a, b, (10, 35), (5, 40)).poses
    np.testing.assert_allclose(part, grid[10:35, 5:40], rtol=1e-9)


def test_a_part_is_the_same_whether_or_not_the_whole_grid_is_known() -> None:
    a, b = clip(90, 3), clip(80, 4)
    alone = GridBlock(a, b, (20, 90), (10, 75), corners=2)
    low, high = dtw.reachable(70, 65, 2)
    grid = distance_grid(a, b)[20:90, 10:75]
    for i in range(70):
        inside = slice(low[i], high[i])
        np.testing.assert_allclose(alone.poses[i, inside], grid[i, inside], rtol=1e-9)


def test_costs_are_distances_and_a_tie_breaker_and_signals() -> None:
    a, b = clip(100, 5), clip(130, 6)
    block = GridBlock(a, b, (10, 100), (0, 120))
    rows, columns = np.linspace(0.0, 1.0, 90), np.linspace(0.0, 1.0, 120)
    apart = (rows[:, None] - columns) ** 2
    signals = signal_differences(a, b)[10:100, :120]
    np.testing.assert_array_equal(block.costs(), block.poses)
    np.testing.assert_allclose(block.costs(0.3), block.poses + 0.3 * apart, rtol=1e-12)
    np.testing.assert_allclose(
        block.costs(0.3, 2.0), block.poses + 0.3 * apart + 2.0 * signals, rtol=1e-12
    )
    path = np.array([[0, 0], [3, 4], [89, 119]])
    assert block.mean(path) == pytest.approx(block.poses[path[:, 0], path[:, 1]].mean())


def test_costs_along_a_band_are_those_of_the_grid() -> None:
    a, b = clip(60, 7), clip(70, 8)
    first = np.minimum(np.arange(60) // 2, 70 - 30)
    band = GridBand(a, b, first, 30)
    places = np.arange(60)[:, None], first[:, None] + np.arange(30)
    grid = distance_grid(a, b) + 1.5 * signal_differences(a, b)
    np.testing.assert_allclose(band.costs(signals=1.5), grid[places], rtol=1e-9)


def test_a_centred_clip_is_sampled_as_the_clip_is() -> None:
    one = clip(40, 9)
    frames = np.array([0.0, 3.25, 17.5, 39.0])
    sampled, expected = (
        CentredClip.of(one).sample(frames),
        CentredClip.of(one.sample(frames, one.fps)),
    )
    np.testing.assert_allclose(sampled.coordinates, expected.coordinates, atol=1e-12)
    np.testing.assert_allclose(sampled.energy, expected.energy, rtol=1e-9)
    centre = np.einsum("tpc,p->tc", one.points[..., ::2], one.weights)
    np.testing.assert_allclose(CentredClip.of(one).centre, centre, atol=1e-12)
    np.testing.assert_allclose(
        CentredClip.of(one).x,
        np.sqrt(one.weights) * (one.points[..., 0] - centre[:, :1]),
        atol=1e-12,
    )


WIDE = 260, 300


@st.composite
def blocks(draw: st.DrawFn) -> tuple[tuple[int, int], tuple[int, int], int | None]:
    rows = sorted(draw(st.lists(st.integers(0, WIDE[0]), min_size=2, max_size=2, unique=True)))
    columns = sorted(draw(st.lists(st.integers(0, WIDE[1]), min_size=2, max_size=2, unique=True)))
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
    a, b = clip(WIDE[0], seed), clip(WIDE[1], seed + 100)
    expected = distance_grid(a, b)
    # What is kept of the whole grid is used by the parts.
    GridBlock(a, b, (0, WIDE[0]), (0, WIDE[1]), corners=2)
    for rows, columns, limit in asked:
        block = GridBlock(a, b, rows, columns, limit)
        part = expected[slice(*rows), slice(*columns)]
        reached = np.ones(part.shape, dtype=bool)
        if limit is not None:
            low, high = dtw.reachable(*part.shape, limit)
            at = np.arange(part.shape[1])
            reached = (at >= low[:, None]) & (at < high[:, None])
        np.testing.assert_allclose(block.poses[reached], part[reached], rtol=1e-9, atol=1e-9)
