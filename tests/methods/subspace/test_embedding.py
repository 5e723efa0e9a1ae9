"""The subspace: classical scaling, blind to place and heading, stable from run to run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionweave import Motion, Planar
from motionweave.errors import BlendError
from motionweave.methods.subspace.embedding import (
    embed,
    features,
    point_weights,
    rate_of_change,
)
from tests.methods.subspace.clips import two_clips
from tests.strategies import random_motion

seeds = st.integers(0, 2**32 - 1)


def distances(points: np.ndarray) -> np.ndarray:
    return np.linalg.norm(points[:, None] - points[None], axis=2)


def textbook_scaling(dissimilarity: np.ndarray, dimensions: int) -> np.ndarray:
    """Double centring of the squared dissimilarities, then the largest eigenvectors."""
    count = len(dissimilarity)
    centring = np.eye(count) - 1.0 / count
    values, vectors = np.linalg.eigh(-0.5 * centring @ dissimilarity**2 @ centring)
    return vectors[:, ::-1][:, :dimensions] * np.sqrt(values[::-1][:dimensions])


def some_features(seed: int) -> np.ndarray:
    return np.concatenate([features(clip) for clip in two_clips(seed, (30, 41), fps=30.0)])


@given(seeds)
def test_it_is_classical_scaling_of_the_dissimilarities(seed: int) -> None:
    rows = some_features(seed)
    points = embed(rows, 3).project(rows)
    expected = textbook_scaling(distances(rows), 3)
    np.testing.assert_allclose(np.abs(points), np.abs(expected), atol=1e-7 * np.abs(rows).max())


@given(seeds, st.floats(0.3, 0.999))
def test_distances_match_dissimilarities_to_the_explained_variance(
    seed: int, explained: float
) -> None:
    rows = some_features(seed)
    space = embed(rows, explained=explained)
    points = space.project(rows)
    kept = np.sum(distances(points) ** 2) / np.sum(distances(rows) ** 2)
    assert kept == pytest.approx(space.explained, abs=1e-9)
    assert space.explained >= explained
    # A projection only shortens.
    assert np.all(distances(points) <= distances(rows) + 1e-9)
    if space.dimensions > 2:
        assert embed(rows, space.dimensions - 1).explained < explained


@given(seeds, st.floats(-10.0, 10.0), st.floats(-50.0, 50.0), st.floats(-50.0, 50.0))
def test_place_and_heading_cannot_be_seen(seed: int, angle: float, x: float, z: float) -> None:
    motion = random_motion(np.random.default_rng(seed), 25, 7)
    moved = motion.moved(Planar(angle, x, z))
    np.testing.assert_allclose(features(moved), features(motion), atol=1e-6)


def test_height_can_be_seen() -> None:
    motion = random_motion(np.random.default_rng(1), 25, 7)
    higher = Motion(
        motion.skeleton, motion.fps, motion.root + np.array([0, 1, 0]), motion.rotations
    )
    assert np.all(np.linalg.norm(features(higher) - features(motion), axis=1) > 1e-3)


@given(seeds)
def test_axes_are_the_same_in_every_run(seed: int) -> None:
    rows = some_features(seed)
    space = embed(rows, 3)
    # Neither the order of the frames nor a little noise may flip an axis.
    noisy = rows + 1e-9 * np.random.default_rng(0).normal(size=rows.shape)
    again = embed(noisy[::-1], 3)
    np.testing.assert_allclose(again.axes, space.axes, atol=1e-4)
    assert np.all(np.diff(space.spectrum) <= 0.0)


def test_frames_that_do_not_differ_make_one_point() -> None:
    rows = np.ones((12, 9))
    space = embed(rows)
    assert space.explained == 1.0
    np.testing.assert_array_equal(space.project(rows), np.zeros((12, space.dimensions)))


@pytest.mark.parametrize("dimensions", [0, 500])
def test_impossible_dimensions_are_refused(dimensions: int) -> None:
    with pytest.raises(BlendError, match="dimensions: expected 1 to"):
        embed(some_features(0), dimensions)


def test_impossible_variances_are_refused() -> None:
    with pytest.raises(BlendError, match="at most 1"):
        embed(some_features(0), explained=1.2)


def test_points_weigh_by_the_bones_that_meet_there() -> None:
    skeleton = random_motion(np.random.default_rng(2), 3, 6).skeleton
    weights = point_weights(skeleton)
    assert len(weights) == len(skeleton) + len(skeleton.end_parents)
    assert weights.sum() == pytest.approx(1.0)
    bones = np.linalg.norm(skeleton.offsets[1:], axis=1)
    tips = np.linalg.norm(skeleton.end_offsets, axis=1)
    total = 2.0 * (bones.sum() + tips.sum())
    from_root = bones[skeleton.parents[1:] == 0].sum() + tips[skeleton.end_parents == 0].sum()
    assert weights[0] == pytest.approx(from_root / total)
    np.testing.assert_allclose(weights[len(skeleton) :], tips / total)


@pytest.mark.parametrize("fps", [24.0, 60.0, 120.0])
@pytest.mark.parametrize("frames", [3, 4, 7, 50])
def test_rates_of_parabolas_are_exact(fps: float, frames: int) -> None:
    time = np.arange(frames)[:, None] / fps
    values = 2.0 + time * [1.0, -3.0] + time**2 * [4.0, 0.5]
    expected = [1.0, -3.0] + 2.0 * time * [4.0, 0.5]
    np.testing.assert_allclose(rate_of_change(values, fps), expected, atol=1e-9)


def test_rates_of_tiny_clips() -> None:
    np.testing.assert_array_equal(rate_of_change(np.ones((1, 3)), 30.0), np.zeros((1, 3)))
    np.testing.assert_allclose(rate_of_change(np.array([[0.0], [2.0]]), 30.0), [[60.0], [60.0]])
