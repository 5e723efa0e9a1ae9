"""Rows over time solved in banded form are those solved as a full matrix."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from motionweave.contacts.clean.banded import BandedLeastSquares, product


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 4), st.integers(1, 3))
def test_any_rows_are_solved_as_a_full_matrix(
    seed: int, frames: int, unknowns: int, several: int
) -> None:
    rng = np.random.default_rng(seed)
    system = BandedLeastSquares(frames, unknowns, across=True)
    size = frames * unknowns
    rows, targets = [np.eye(size)], [np.zeros(size)]
    system.add_change((1.0,), 1.0)
    vectors = rng.normal(size=(several, frames, unknowns))
    ties, right = np.zeros((several, frames, 3)), np.zeros((several, frames))
    for stencil in ((1.0,), (-1.0, 1.0), (1.0, -2.0, 1.0)):
        first = np.arange(max(frames - len(stencil) + 1, 0))
        weights = rng.uniform(0.0, 4.0, (len(first), unknowns))
        wanted = rng.normal(size=(len(first), unknowns))
        system.add_change(stencil, weights, wanted)
        # The same of what the unknowns amount to along the vectors.
        along = rng.uniform(0.0, 4.0, (several, len(first)))
        amounts = rng.normal(size=(several, len(first)))
        for f in first:
            for i in range(unknowns):
                row = np.zeros((frames, unknowns))
                row[f : f + len(stencil), i] = stencil
                rows.append(np.sqrt(weights[f, i]) * row.reshape(1, -1))
                targets.append(np.sqrt(weights[f, i]) * wanted[f, i, None])
            for m in range(several):
                row = np.zeros((frames, unknowns))
                change = np.zeros(frames)
                change[f : f + len(stencil)] = stencil
                row = np.sqrt(along[m, f]) * change[:, None] * vectors[m]
                rows.append(row.reshape(1, -1))
                targets.append(np.sqrt(along[m, f]) * amounts[m, f, None])
                square = along[m, f] * np.outer(change, change)
                for d in range(min(3, frames)):
                    ties[m, : frames - d, d] += np.diagonal(square, d)
                right[m] += along[m, f] * amounts[m, f] * change
    system.add_along(vectors, ties, right)
    expected = np.linalg.lstsq(np.concatenate(rows), np.concatenate(targets), rcond=None)[0]
    found = system.solve(np.ones(frames, dtype=bool))
    np.testing.assert_allclose(found.ravel(), expected, atol=1e-8)


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_symmetric_ties_are_multiplied_as_a_full_matrix(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    ties, values = rng.normal(size=(count, 3)), rng.normal(size=(2, count))
    matrix = sum(
        np.diag(ties[: count - d, d], d) + (np.diag(ties[: count - d, d], -d) if d else 0.0)
        for d in range(min(3, count))
    )
    np.testing.assert_allclose(product(ties, values), values @ matrix, atol=1e-12)


def test_frames_that_are_not_free_stay_at_zero() -> None:
    system = BandedLeastSquares(20, 2)
    system.add_smoothness(3.0)
    system.add_change((1.0,), np.where(np.arange(20) == 10, 1e3, 0.0)[:, None], 1.0)
    free = np.abs(np.arange(20) - 10) < 6
    found = system.solve(free)
    assert np.all(found[~free] == 0.0)
    assert np.all(found[8:13] > 0.1)


def test_what_is_needed_fades_without_swinging_to_the_other_side() -> None:
    system = BandedLeastSquares(200, 1)
    system.add_smoothness(8.0)
    system.add_change((1.0,), np.where(np.arange(200) == 100, 1e6, 0.0)[:, None], 1.0)
    found = system.solve(np.ones(200, dtype=bool))[:, 0]
    assert found.min() > -1e-6
    assert np.all(np.diff(found[:101]) > -1e-6)


def test_sides_are_solved_at_once() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(30, 3))
    together = BandedLeastSquares(30, 1, sides=3)
    together.add_change((1.0,), 1.0, values)
    together.add_change((1.0, -2.0, 1.0), 50.0)
    free = np.ones(30, dtype=bool)
    for side in range(3):
        alone = BandedLeastSquares(30, 1)
        alone.add_change((1.0,), 1.0, values[:, side, None])
        alone.add_change((1.0, -2.0, 1.0), 50.0)
        np.testing.assert_allclose(alone.solve(free)[:, 0], together.solve(free)[:, side])


def test_tracks_are_solved_at_once_and_leave_each_other_alone() -> None:
    rng = np.random.default_rng(4)
    weights, targets = rng.uniform(size=(3, 25, 1)), rng.normal(size=(3, 25, 2))
    second = np.array([0.0, 1.0])
    free = rng.uniform(size=(3, 25)) < 0.8
    tie = rng.normal(size=(3, 25, 2))
    together = BandedLeastSquares(25, 2, tracks=3)
    together.add_smoothness(2.0, (1.0, 3.0))
    together.add_change((1.0,), weights, targets)
    together.add_change((-1.0, 1.0), 5.0 * weights[:, 1:] * second, 0.3)
    together.add_along(tie[None], np.full((1, 3, 25, 1), 7.0), weights[None, ..., 0])
    found = together.solve(free)
    for track in range(3):
        alone = BandedLeastSquares(25, 2)
        alone.add_smoothness(2.0, (1.0, 3.0))
        alone.add_change((1.0,), weights[track], targets[track])
        alone.add_change((-1.0, 1.0), 5.0 * weights[track, 1:] * second, 0.3)
        alone.add_along(tie[track, None], np.full((1, 25, 1), 7.0), weights[track, None, :, 0])
        assert np.array_equal(found[track], alone.solve(free[track]))
