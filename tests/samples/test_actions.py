"""Actions reach what they are told to reach."""

from __future__ import annotations

import numpy as np
import pytest

import motionweave as mw
from motionweave import samples
from motionweave.core import rotations
from motionweave.core.constraints import FOOT_KINDS, active
from motionweave.samples import character
from motionweave.samples.gestures import STONES


def joint(motion: mw.Motion, name: str) -> np.ndarray:
    return motion.positions()[:, motion.skeleton.index(name)]


@pytest.mark.parametrize(
    ("name", "hand", "target"),
    [
        ("reach_high", "RightHand", (-0.2, 1.95, 0.3)),
        ("reach_low", "RightHand", (-0.1, 0.3, 0.45)),
        ("jab", "LeftHand", (0.05, 1.4, 0.7)),
        ("punch", "RightHand", (-0.05, 1.35, 0.7)),
    ],
)
def test_hands_get_to_their_target(name: str, hand: str, target: tuple[float, ...]) -> None:
    motion = mw.sample(name, fps=120.0, target=target)
    away = np.linalg.norm(joint(motion, hand) - target, axis=1)
    assert away.min() < 0.012
    assert away[0] > 0.25
    assert away[-1] > 0.25


def test_kicks_are_low_middle_and_high() -> None:
    heights = [
        joint(mw.sample(f"kick_{target}", fps=120.0), "RightFoot")[:, 1].max()
        for target in ("low", "middle", "high")
    ]
    assert heights[0] < heights[1] - 0.25 < heights[2] - 0.6
    assert heights[2] > 1.35


@pytest.mark.parametrize("height", [0.15, 0.32, 0.5])
def test_a_jump_is_a_free_fall_of_the_asked_height(height: float) -> None:
    motion = mw.sample("jump", fps=240.0, height=height)
    frames = np.arange(len(motion))
    held = np.any([active(motion.constraints, kind, frames) for kind in FOOT_KINDS], axis=0)
    air = np.flatnonzero(~held)
    assert np.array_equal(air, np.arange(air[0], air[-1] + 1))
    flight = motion.root[air, 1]
    assert flight.max() - flight[0] == pytest.approx(height, abs=0.02)
    inner = slice(20, -20)
    fall = np.diff(flight, 2)[inner] * motion.fps**2
    np.testing.assert_allclose(fall, -9.81, atol=0.5)


def test_a_landing_starts_in_the_air_and_ends_on_both_feet() -> None:
    motion = mw.sample("landing", height=0.7)
    assert not any(c.holds_at(0.0) for c in motion.constraints)
    assert sum(c.holds_at(len(motion) - 1) for c in motion.constraints) == 4
    assert mw.sample("landing", height=1.0).root[0, 1] > motion.root[0, 1] + 0.2


@pytest.mark.parametrize("seat", [0.4, 0.5])
def test_sitting_ends_on_the_seat(seat: float) -> None:
    motion = mw.sample("sit", seat=seat)
    assert seat + 0.05 < motion.root[-1, 1] < seat + 0.13
    assert motion.root[0, 1] > 0.9
    # Thighs end about level.
    thigh = joint(motion, "LeftLeg")[-1] - joint(motion, "LeftUpLeg")[-1]
    assert abs(thigh[1]) < 0.35 * character.THIGH


@pytest.mark.parametrize("angle", [-180.0, -60.0, 45.0, 90.0])
def test_turning_in_place_turns_by_the_angle(angle: float) -> None:
    motion = mw.sample("turn_in_place", angle=angle)
    turned = np.degrees(np.unwrap(rotations.vertical_angle(motion.rotations[:, 0])))
    assert turned[-1] - turned[0] == pytest.approx(angle, abs=0.5)
    assert np.ptp(motion.root[:, [0, 2]], axis=0).max() < 0.12


@pytest.mark.parametrize("angle", [-90.0, 120.0, 180.0])
def test_a_sharp_turn_turns_by_the_angle(angle: float) -> None:
    motion = mw.sample("sharp_turn", angle=angle)
    way = np.diff(motion.root[:, [0, 2]], axis=0)
    before, after = way[:10].sum(axis=0), way[-30:].sum(axis=0)
    turned = np.degrees(np.arctan2(after[0], after[1]) - np.arctan2(before[0], before[1]))
    assert (turned - angle + 180.0) % 360.0 - 180.0 == pytest.approx(0.0, abs=12.0)
    # Sharp: the turn takes little more than a metre.
    assert np.ptp(motion.root[:, 0]) < 1.6 or abs(angle) < 150.0


def test_feet_land_on_the_stones() -> None:
    stones = [(x + 0.06 * k, z + 0.05) for k, (x, z) in enumerate(STONES)]
    motion = mw.sample("stepping", fps=60.0, stones=stones)
    ankles = {side: joint(motion, f"{side}Foot")[:, [0, 2]] for side in ("Left", "Right")}
    for k, stone in enumerate(stones):
        away = np.linalg.norm(ankles["Left" if k % 2 == 0 else "Right"] - stone, axis=1)
        assert np.sum(away < 1e-9) > 20


def test_dances_are_loops_with_different_rhythms() -> None:
    periods = {"dance_a": 2.4, "dance_b": 3.07}
    for name, period in periods.items():
        sample = samples.make(name, fps=100.0)
        one = round(period * 100)
        apart = rotations.angle_between(sample.motion.rotations[0], sample.motion.rotations[one])
        assert apart.max() < 1e-6
        ups = [t for t, label in sample.events if label == "L.HI_flex"]
        assert len(ups) == 2
        assert ups[1] - ups[0] == pytest.approx(period, abs=1e-3)


def test_bad_values_are_told() -> None:
    for name, params, told in (
        ("jump", {"height": 3.0}, "height"),
        ("sit", {"seat": 2.0}, "seat"),
        ("kick_low", {"target": "moon"}, "target"),
        ("sharp_turn", {"style": "jog"}, "style"),
        ("stepping", {"stones": [(0.0, 0.0)]}, "stones"),
        ("dance_a", {"cycles": 0}, "cycles"),
        ("stand", {"duration": 0.0}, "duration"),
    ):
        with pytest.raises(mw.MotionError, match=told):
            mw.sample(name, **params)
