"""Cycles: found where motions repeat themselves, closed without a seam, repeated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import Motion, Planar
from motionweave.core import cycles as core_cycles
from motionweave.core import rotations
from motionweave.registration import cycles
from motionweave.registration.clouds import as_points
from tests.repeats import surely_repeats


def known_cycle(period: int, times: float, fps: float = 30.0, curve: float = 0.0) -> Motion:
    """A figure that swings its limbs with a known period while it moves along."""
    walk = mw.sample("walk")
    joints = len(walk.skeleton)
    rng = np.random.default_rng(1)
    frames = np.arange(int(period * times) + 1)
    phase = 2.0 * np.pi * frames / period
    swing = 0.3 * rng.normal(size=(joints, 3))
    offset = rng.uniform(0.0, 2.0 * np.pi, (joints, 3))
    turns = rotations.exp(swing * np.sin(phase[:, None, None] + offset))
    heading = curve * frames
    turns[:, 0] = rotations.multiply(rotations.about_vertical(heading), turns[:, 0])
    height = walk.skeleton.height
    speed = 0.02 * height * np.stack([np.sin(heading), 0 * heading, np.cos(heading)], axis=1)
    root = np.cumsum(speed, axis=0) + np.array([0.0, 0.5 * height, 0.0])
    return Motion(walk.skeleton, fps, root, turns, name="known")


@pytest.mark.parametrize("period", [20, 33, 60])
@pytest.mark.parametrize("times", [1.6, 2.5, 4.0])
def test_the_period_is_found(period: int, times: float) -> None:
    first, last = cycles.find_cycle(known_cycle(period, times))
    assert abs(last - first - period) <= 1


def test_curved_paths_and_other_frame_rates() -> None:
    first, last = cycles.find_cycle(known_cycle(120, 2.2, fps=120.0, curve=0.01))
    assert abs(last - first - 120) <= 2


@pytest.mark.mocap
@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("cmu_16_15_walk_straight", 1.17),
        ("cmu_16_11_walk_veer_left", 1.17),
        ("cmu_16_35_jog_straight", 0.81),
        ("cmu_16_45_run_fast_straight", 0.69),
        ("cmu_139_31_sneak_straight", 1.2),
        ("cmu_144_20_punch_right_repeated", 0.55),
    ],
)
def test_real_cycles(mocap: Path, name: str, seconds: float) -> None:
    motion = mw.load(mocap / "bvh" / f"{name}.bvh", drop_tpose=True, contacts=False)
    first, last = cycles.find_cycle(motion)
    assert (last - first) / motion.fps == pytest.approx(seconds, rel=0.1)


@pytest.mark.mocap
@pytest.mark.parametrize(
    "name",
    [
        "cmu_16_01_jump_up",
        "cmu_16_03_jump_high",
        "cmu_135_04_kick_front_left",
        "cmu_13_18_punch_right_medium",
        "cmu_111_18_pick_up",
        "cmu_113_21_stand_still",
        "cmu_64_01_golf_swing",
        "cmu_05_10_dance_modern_glissade",
    ],
)
def test_what_does_not_repeat_itself_is_said(mocap: Path, name: str) -> None:
    motion = mw.load(mocap / "bvh" / f"{name}.bvh", drop_tpose=True, contacts=False)
    assert not surely_repeats(motion)
    with pytest.raises(mw.MotionError, match="does not repeat itself"):
        cycles.find_cycle(motion)


def test_standing_still_is_no_cycle() -> None:
    still = known_cycle(30, 3.0).sample(np.zeros(90))
    assert not surely_repeats(still)


@pytest.mark.parametrize("name", ["walk", "jog_left", "sneak_right"])
def test_a_cycle_is_closed_and_near_the_clip(name: str) -> None:
    motion = mw.sample(name)
    ends = cycles.find_cycle(motion)
    cycle = cycles.extract_cycle(motion, ends)
    step = core_cycles.displacement(cycle)
    np.testing.assert_allclose(cycle.root[-1], step.apply(cycle.root[0]), atol=1e-9)
    moved = cycle[0].moved(step)
    assert rotations.angle_between(cycle.rotations[-1], moved.rotations[0]).max() < 1e-6
    # Closing changes little.
    original = motion[ends[0] : ends[1] + 1]
    away = np.linalg.norm(cycle.positions() - original.positions(), axis=-1)
    assert away.max() < 0.05 * motion.skeleton.height


@pytest.mark.mocap
@pytest.mark.parametrize(
    "name", ["cmu_16_15_walk_straight", "cmu_16_37_jog_veer_left", "cmu_139_31_sneak_straight"]
)
def test_no_seam_shows_in_a_repeated_cycle(mocap: Path, name: str) -> None:
    motion = mw.load(mocap / "bvh" / f"{name}.bvh", drop_tpose=True)
    cycle = cycles.extract_cycle(motion)
    three = core_cycles.repeat(cycle, 3)
    length = len(cycle) - 1
    assert len(three) == 3 * length + 1
    # At the seam neither steps nor changes of speed are larger than elsewhere.
    places = three.positions()
    steps = np.linalg.norm(np.diff(places, axis=0), axis=-1)
    bends = np.linalg.norm(np.diff(places, 2, axis=0), axis=-1)
    seam = slice(length - 2, length + 2)
    assert steps[seam].max() <= 1.2 * np.quantile(steps, 0.99)
    assert bends[seam].max() <= 1.5 * np.quantile(bends, 0.99)
    # Each round is the first one moved on.
    step = core_cycles.displacement(cycle)
    np.testing.assert_allclose(
        three.positions()[length : 2 * length + 1],
        step.apply(cycle.positions()),
        atol=1e-6,
    )


def test_contacts_go_on_across_the_seam() -> None:
    motion = mw.sample("walk")
    cycle = cycles.extract_cycle(motion)
    three = core_cycles.repeat(cycle, 3)
    length = len(cycle) - 1
    for kind in ("left_heel", "right_heel", "left_toe", "right_toe"):
        middle = [c for c in three.constraints if c.kind == kind and length <= c.start < 2 * length]
        assert len(middle) == 1
        assert middle[0].end - middle[0].start < length


def test_rolling_begins_elsewhere_in_the_same_cycle() -> None:
    cycle = cycles.extract_cycle(mw.sample("jog_left"))
    rolled = core_cycles.rolled(cycle, 7)
    assert len(rolled) == len(cycle)
    np.testing.assert_allclose(rolled.root[0], cycle.root[7])
    two = core_cycles.repeat(cycle, 2)
    np.testing.assert_allclose(rolled.positions(), two.positions()[7 : 7 + len(cycle)])
    turn = core_cycles.displacement(rolled).angle
    assert turn == pytest.approx(core_cycles.displacement(cycle).angle, abs=1e-9)


def test_cycles_do_not_depend_on_place_and_heading() -> None:
    motion = known_cycle(40, 2.5)
    assert cycles.find_cycle(motion.moved(Planar(1.0, 3.0, 4.0))) == cycles.find_cycle(motion)


def test_what_cannot_be_cut_is_said() -> None:
    motion = known_cycle(20, 2.0)
    with pytest.raises(mw.MotionError, match="not in a clip"):
        cycles.extract_cycle(motion, (5, 500))
    with pytest.raises(mw.MotionError, match="rounds 0: expected a whole number"):
        core_cycles.repeat(motion, 0)


def test_likeness_of_a_lag_is_what_the_distances_say() -> None:
    clip = as_points(mw.sample("walk"))[::2]
    lags = next(cycles._levels(clip))
    far = lags.distances
    for lag in (lags.lags[0], lags.shortest, lags.most // 2, lags.most):
        found = lags.likeness[lags.lags.index(lag)]
        many = min(lag, len(clip) - lag)
        half, reach = max(1, many // 2), min(many, lags.most)
        expected = []
        for i in range(len(clip) - lag - many + 1):
            usual = (far[i : i + many, :lag], far[i : i + half, :reach])
            usual += (far[i + lag : i + lag + half, :reach],)
            expected.append(far[i : i + many, lag - 1].mean() / min(u.mean() for u in usual))
        np.testing.assert_allclose(found[: len(expected)], expected, rtol=1e-9)
        assert np.all(np.isinf(found[len(expected) :]))


def test_what_stands_still_is_like_nothing() -> None:
    walk = as_points(mw.sample("walk"))
    still = replace(walk, points=np.repeat(walk.points[:1], len(walk), axis=0))
    lags = next(cycles._levels(still))
    assert np.all(np.isinf(lags.likeness))


def test_every_lag_about_a_period_is_compared() -> None:
    for lags in cycles._levels(as_points(mw.sample("walk", duration=40.0))):
        for period in range(lags.shortest, lags.most):
            assert period - cycles._play(period) in lags.lags
