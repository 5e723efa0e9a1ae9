"""Rows over time solved in banded form are those solved as a full matrix."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from motionweave.contacts.clean.banded import BandedLeastSquares


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(3, 12), st.integers(1, 4))
def test_any_rows_are_solved_as_a_full_matrix(seed: int, frames: int, unknowns: int) -> None:
    rng = np.random.default_rng(seed)
    system = BandedLeastSquares(frames, unknowns)
    size = frames * unknowns
    rows, targets = [np.eye(size)], [np.zeros(size)]
    system.add_change((1.0,), 1.0)
    for span in (1, 2, 3):
        first = np.arange(frames - span + 1)
        coefficients = rng.normal(size=(len(first), span * unknowns))
        weights = rng.uniform(0.0, 4.0, len(first))
        wanted = rng.normal(size=len(first))
        system.add(first, coefficients, weights, wanted)
        for f, c, w, target in zip(first, coefficients, weights, wanted, strict=True):
            row = np.zeros(size)
            row[f * unknowns : f * unknowns + len(c)] = np.sqrt(w) * c
            rows.append(row[None])
            targets.append(np.array([np.sqrt(w) * target]))
    expected = np.linalg.lstsq(np.concatenate(rows), np.concatenate(targets), rcond=None)[0]
    found = system.solve(np.ones(frames, dtype=bool))
    np.testing.assert_allclose(found.ravel(), expected, atol=1e-9)


def test_frames_that_are_not_free_stay_at_zero() -> None:
    system = BandedLeastSquares(20, 2)
    system.add_smoothness(3.0)
    system.add_change((1.0,), np.where(np.arange(20) == 10, 1e3, 0.0), 1.0)
    free = np.abs(np.arange(20) - 10) < 6
    found = system.solve(free)
    assert np.all(found[~free] == 0.0)
    assert np.all(found[8:13] > 0.1)


def test_what_is_needed_fades_without_swinging_to_the_other_side() -> None:
    system = BandedLeastSquares(200, 1)
    system.add_smoothness(8.0)
    system.add_change((1.0,), np.where(np.arange(200) == 100, 1e6, 0.0), 1.0)
    found = system.solve(np.ones(200, dtype=bool))[:, 0]
    assert found.min() > -1e-6
    assert np.all(np.diff(found[:101]) > -1e-6)


def test_sides_are_solved_at_once() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(30, 3))
    together = BandedLeastSquares(30, 1, sides=3)
    together.add(np.arange(30), np.ones((1, 1)), 1.0, values)
    together.add_change((1.0, -2.0, 1.0), 50.0)
    free = np.ones(30, dtype=bool)
    for side in range(3):
        alone = BandedLeastSquares(30, 1)
        alone.add(np.arange(30), np.ones((1, 1)), 1.0, values[:, side])
        alone.add_change((1.0, -2.0, 1.0), 50.0)
        np.testing.assert_allclose(alone.solve(free)[:, 0], together.solve(free)[:, side])


def test_tracks_are_solved_at_once_and_leave_each_other_alone() -> None:
    rng = np.random.default_rng(4)
    weights, targets = rng.uniform(size=(3, 25)), rng.normal(size=(3, 25, 2))
    free = rng.uniform(size=(3, 25)) < 0.8
    tie = rng.normal(size=(3, 25, 2))
    together = BandedLeastSquares(25, 2, tracks=3)
    together.add_smoothness(2.0, (1.0, 3.0))
    together.add_change((1.0,), weights, targets)
    together.add_change((-1.0, 1.0), 5.0 * weights[:, 1:], 0.3, (1,))
    together.add(np.arange(75), tie.reshape(-1, 2), 7.0, weights.ravel())
    found = together.solve(free)
    for track in range(3):
        alone = BandedLeastSquares(25, 2)
        alone.add_smoothness(2.0, (1.0, 3.0))
        alone.add_change((1.0,), weights[track], targets[track])
        alone.add_change((-1.0, 1.0), 5.0 * weights[track, 1:], 0.3, (1,))
        alone.add(np.arange(25), tie[track], 7.0, weights[track])
        assert np.array_equal(found[track], alone.solve(free[track]))
