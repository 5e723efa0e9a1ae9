"""Clouds and distances against their definition, point by point."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import motionweave as mw
from motionweave import Planar, RegistrationError
from motionweave.registration import distance
from motionweave.registration.clouds import PointClip, as_points, point_clouds
from motionweave.registration.distance import along
from motionweave.registration.windows import CentredClip
from tests.strategies import random_motion


def random_points(rng: np.random.Generator, frames: int, points: int, fps: float) -> PointClip:
    steps = 0.2 * rng.normal(size=(frames, points, 3))
    cloud = rng.normal(size=(points, 3)) + np.cumsum(steps, axis=0)
    return PointClip(cloud, fps, rng.uniform(0.1, 1.0, points))


def window(clip: PointClip, frame: int, offsets: list[int]) -> np.ndarray:
    at = frame + np.array(offsets) * clip.fps / 30.0
    return clip.sample(np.clip(at, 0, len(clip) - 1), clip.fps).points.reshape(-1, 3)


def common_offsets(a: PointClip, b: PointClip, i: int, j: int) -> list[int]:
    def inside(clip: PointClip, frame: int, o: int) -> bool:
        return -1e-6 <= frame + o * clip.fps / 30.0 <= len(clip) - 1 + 1e-6

    return [o for o in range(-2, 3) if inside(a, i, o) and inside(b, j, o)]


def definition(a: PointClip, b: PointClip, i: int, j: int) -> float:
    """Eq. 1 with Eqs. 2-4 as printed (corrected), one pair of frames."""
    offsets = common_offsets(a, b, i, j)
    p, q = window(a, i, offsets), window(b, j, offsets)
    w = np.tile(a.weights, len(offsets)) / len(offsets)
    (x, z), (x_, z_) = (p[:, 0], p[:, 2]), (q[:, 0], q[:, 2])
    mean = [w @ v for v in (x, z, x_, z_)]
    angle = np.arctan2(
        w @ (x * z_ - x_ * z) - (mean[0] * mean[3] - mean[2] * mean[1]),
        w @ (x * x_ + z * z_) - (mean[0] * mean[2] + mean[1] * mean[3]),
    )
    cos, sin = np.cos(angle), np.sin(angle)
    x0 = mean[0] - mean[2] * cos - mean[3] * sin
    z0 = mean[1] + mean[2] * sin - mean[3] * cos
    moved = Planar(angle, x0, z0).apply(q)
    return float(w @ np.sum((p - moved) ** 2, axis=1))


@settings(max_examples=15)
@given(st.integers(1, 12), st.integers(1, 12), st.sampled_from([24.0, 30.0, 60.0, 120.0]),
       st.integers(0, 2**16))  # fmt: skip
def test_grid_is_the_definition(frames_a: int, frames_b: int, fps: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = random_points(rng, frames_a, 7, 30.0), random_points(rng, frames_b, 7, fps)
    b = PointClip(b.points, fps, a.weights)
    grid = distance.distance_grid(a, b)
    for i in range(frames_a):
        for j in range(frames_b):
            expected = definition(a, b, i, j)
            assert grid[i, j] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_the_closed_form_is_the_optimum() -> None:
    rng = np.random.default_rng(1)
    p, q, w = rng.normal(size=(30, 3)), rng.normal(size=(30, 3)), rng.uniform(0.1, 1.0, 30)
    w /= w.sum()

    def cost(parameters: np.ndarray) -> float:
        return float(w @ np.sum((p - Planar(*parameters).apply(q)) ** 2, axis=1))

    found = distance.align(p, q, w)
    best = min(minimize(cost, [start, 0.0, 0.0]).fun for start in (-2.0, 0.0, 2.0))
    assert cost(np.array([found.angle, found.x, found.z])) <= best + 1e-10


@settings(max_examples=20)
@given(st.integers(0, 2**16))
def test_distances_do_not_see_place_and_heading(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = (random_motion(np.random.default_rng(seed), 14, 5), random_motion(rng, 11, 5))
    b = mw.Motion(a.skeleton, 30.0, b.root, b.rotations)
    move = Planar(rng.uniform(-7, 7), *rng.normal(scale=50.0, size=2))
    grid = distance.distance_grid(a, b)
    scale = grid.max()
    np.testing.assert_allclose(distance.distance_grid(a, b.moved(move)), grid, atol=1e-9 * scale)
    np.testing.assert_allclose(distance.distance_grid(a.moved(move), b), grid, atol=1e-9 * scale)
    assert distance.distance_grid(a, a.moved(move)).diagonal().max() < 1e-9 * scale
    np.testing.assert_allclose(distance.distance_grid(b, a), grid.T, atol=1e-9 * scale)


def test_band_and_block_are_parts_of_the_grid() -> None:
    rng = np.random.default_rng(2)
    a, b = random_points(rng, 300, 6, 30.0), random_points(rng, 260, 6, 30.0)
    b = PointClip(b.points, 30.0, a.weights)
    grid = distance.distance_grid(a, b)
    np.testing.assert_allclose(
        distance.distance_block(a, b, (40, 90), (0, 31)), grid[40:90, :31], rtol=1e-9
    )
    first = np.maximum.accumulate(rng.integers(-10, 240, 300))
    band = distance.distance_band(a, b, first, 25)
    for i in range(300):
        for place in range(25):
            column = first[i] + place
            expected = grid[i, column] if 0 <= column < 260 else np.inf
            assert band[i, place] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_clouds_of_a_long_take_are_those_of_its_parts() -> None:
    take = random_motion(np.random.default_rng(7), 1500, 6)
    halves = np.concatenate([point_clouds(part) for part in (take[:700], take[700:])])
    np.testing.assert_allclose(point_clouds(take), halves, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("fps", [24.0, 30.0, 50.0, 120.0])
def test_a_block_of_motions_needs_only_their_frames_near_it(fps: float) -> None:
    rng = np.random.default_rng(5)
    a = replace(random_motion(rng, 60, 5), fps=fps)
    b = replace(a, root=a.root[::-1], rotations=a.rotations[::-1])
    grid = distance.distance_grid(a, b)
    # Windows are cut at the ends of the clips, and nowhere else.
    for row in (0, 1, 7, 30, 58, 59):
        for columns in ((0, 1), (0, 60), (25, 31), (57, 60)):
            block = distance.distance_block(a, b, (row, row + 1), columns)
            expected = grid[row : row + 1, slice(*columns)]
            np.testing.assert_allclose(block, expected, rtol=1e-9, atol=1e-12)


def test_signals_along_a_band_are_compared_frame_by_frame() -> None:
    rng = np.random.default_rng(6)
    a, b = random_points(rng, 20, 3, 30.0), random_points(rng, 24, 3, 30.0)
    a, b = (replace(clip, signals=rng.normal(size=(len(clip), 3))) for clip in (a, b))
    first = np.sort(rng.integers(0, 20, 20))
    band = distance.signal_band(a, b, first, 4)
    for i, j in np.ndindex(band.shape):
        apart = a.signals[i] - b.signals[first[i] + j]
        assert band[i, j] == pytest.approx(np.sum(apart**2), rel=1e-12)


@settings(max_examples=10)
@given(st.integers(2, 40), st.sampled_from([24.0, 30.0, 120.0]), st.integers(0, 2**16))
def test_no_digits_are_lost_far_away(frames: int, fps: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = random_points(rng, frames, 5, fps), random_points(rng, 130, 5, 30.0)
    b = PointClip(b.points, 30.0, a.weights)
    far = PointClip(b.points + np.array([3000.0, 0.0, 4000.0]), 30.0, a.weights)
    here, there = distance.distance_grid(a, b), distance.distance_grid(a, far)
    np.testing.assert_allclose(here, there, rtol=1e-8, atol=1e-9)


def test_comparing_clips_of_one_timing_is_the_diagonal_of_their_grid() -> None:
    rng = np.random.default_rng(3)
    a, b = random_points(rng, 40, 9, 30.0), random_points(rng, 40, 9, 30.0)
    b = PointClip(b.points + np.array([500.0, 0.0, -300.0]), 30.0, a.weights)
    found = along(CentredClip.of(a), CentredClip.of(b))
    grid = distance.distance_grid(a, b)
    np.testing.assert_allclose(found.distance, grid.diagonal(), rtol=1e-9)
    for frame in (0, 1, 20, 39):
        move = distance.align_frames(a, b, frame, frame)
        assert found.moves[frame].angle == pytest.approx(move.angle, abs=1e-10)
        np.testing.assert_allclose(
            found.moves[frame].apply(b.points[frame]), move.apply(b.points[frame]), atol=1e-8
        )


def test_markers_are_spread_over_the_bones() -> None:
    walk = mw.sample("walk")
    clouds = point_clouds(walk)
    assert clouds.shape == (len(walk), 40, 3)
    # Every joint or end site is near a marker, and no two markers are in one place.
    ends = np.concatenate([walk.positions(), walk.end_positions()], axis=1)
    height = walk.skeleton.height
    gaps = np.linalg.norm(ends[:, :, None] - clouds[:, None], axis=-1).min(axis=2)
    assert gaps.max() < 0.1 * height
    between = np.linalg.norm(clouds[0][:, None] - clouds[0], axis=-1) + np.eye(40)
    assert between.min() > 0.005 * height


def test_what_is_held_in_a_hand_has_no_markers() -> None:
    walk = mw.sample("walk")
    skeleton = walk.skeleton
    ends = np.array(skeleton.end_offsets)
    ends[skeleton.end_parents == skeleton.index("RightHand")] *= 20.0
    armed = replace(walk, skeleton=replace(skeleton, end_offsets=ends))
    assert not np.array_equal(ends, skeleton.end_offsets)
    reach = np.linalg.norm(point_clouds(armed) - armed.root[:, None], axis=-1).max()
    assert reach < 0.7 * skeleton.height


def test_weights_choose_what_counts() -> None:
    walk = mw.sample("walk")
    other = mw.Motion(walk.skeleton, walk.fps, walk.root, np.array(walk.rotations))
    arm = next(n for n in walk.skeleton.names if "arm" in n.lower())
    turned = np.array(walk.rotations)
    turned[:, walk.skeleton.index(arm)] = [0.0, 0.0, 1.0, 0.0]
    other = mw.Motion(walk.skeleton, walk.fps, walk.root, turned)
    below = [n for n in walk.skeleton.names if _under(walk.skeleton, n, arm)]
    assert distance.distance_grid(walk, other).diagonal().max() > 0.0
    grid = distance.distance_grid(walk, other, weights=dict.fromkeys(below, 0.0))
    assert grid.diagonal().max() < 1e-12 * walk.skeleton.height**2


def _under(skeleton: mw.Skeleton, name: str, top: str) -> bool:
    joint = skeleton.index(name)
    while joint >= 0:
        if skeleton.names[joint] == top:
            return True
        joint = int(skeleton.parents[joint])
    return False


def test_clips_with_other_points_have_no_distance() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(RegistrationError, match="points"):
        distance.distance_grid(random_points(rng, 5, 4, 30.0), random_points(rng, 5, 6, 30.0))
    with pytest.raises(mw.MotionError, match="finite"):
        PointClip(np.full((3, 2, 3), np.nan), 30.0, np.ones(2))
    with pytest.raises(mw.MotionError, match="weights"):
        as_points(mw.sample("walk"), weights=[-1.0])
