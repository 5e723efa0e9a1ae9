"""Parametric spaces: what is asked for is what is measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import motionweave as mw
from motionweave import BlendError, Motion, QualityWarning
from motionweave.measure import measures
from motionweave.methods.blending.parametric import pair_around, simplex_around
from tests.methods.blending.clips import built_in, real


def check_sweep(clips: list[Motion], name: str, tolerance: float = 0.02) -> None:
    """Nine values over the inputs' range are reached within a share of the range."""
    curve = mw.register(*clips, slope_limit=3)
    measure = measures.named(name)
    space = mw.parametric(curve, name)
    low, high = space.ranges[name]
    own = [measure(m) for m in curve.motions]
    for value in np.linspace(min(own), max(own), 9):
        reached = space.at(**{name: value}, clean=False)
        assert reached.weights.min() >= -1e-12
        assert reached.weights.sum() == pytest.approx(1.0)
        assert abs(reached.values[name] - value) <= tolerance * (high - low)
        assert measure(reached.motion) == pytest.approx(reached.values[name])


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=9), st.floats(-0.3, 1.3))
def test_one_parameter_is_mixed_as_several_are(values: list[int], aim: float) -> None:
    """The two corners around a value, found directly, are those of the linear program."""
    away = np.array(values) / 20.0 - aim
    found, expected = pair_around(away), simplex_around(away[:, None])
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert found.sum() == pytest.approx(1.0)


def test_turns_from_none_to_a_half_turn() -> None:
    """The paper's Figure 8: a straight walk and one with a sharp turn of 180 degrees."""
    check_sweep([mw.sample("sharp_turn", angle=0.0), mw.sample("sharp_turn")], "turn")


def test_the_force_of_a_punch() -> None:
    check_sweep([mw.mirror(mw.sample("jab")), mw.sample("punch")], "right_hand_speed")


def test_the_height_of_a_kick() -> None:
    clips = [mw.sample(f"kick_{height}") for height in ("low", "middle", "high")]
    check_sweep(clips, "right_foot_height")


@pytest.mark.parametrize("name", ["turn", "speed"])
def test_what_is_asked_for_is_measured_with_planted_feet_too(name: str) -> None:
    curve = built_in("walk_left", "walk", "jog")
    space = mw.parametric(curve, name)
    low, high = space.ranges[name]
    for value in low + np.array([0.2, 0.5, 0.8]) * (high - low):
        reached = space.at(**{name: value})
        assert mw.quality(reached.motion).skate_max < 0.005
        assert measures.named(name)(reached.motion) == pytest.approx(reached.values[name])
        assert abs(reached.values[name] - value) <= 0.02 * (high - low)


def test_measures_are_given_by_name_or_as_functions() -> None:
    curve = built_in("walk", "jog")
    spaces = [
        mw.parametric(curve, given)
        for given in ("speed", ["speed"], {"speed": "speed"}, {"speed": measures.speed})
    ]
    assert all(space.ranges == spaces[0].ranges for space in spaces)
    assert repr(spaces[0]).startswith("<ParametricSpace of 2 clips: speed ")
    with pytest.raises(BlendError, match="there is no measure 'sped'"):
        mw.parametric(curve, "sped")


REAL = {
    "turn": ("16_15", "16_17", "139_30"),
    "right_foot_height": ("135_04_kick_front_right_1", "135_04_kick_front_right_2"),
    "right_hand_speed": ("13_18_punch_right_soft", "13_18_punch_right_hard"),
}


@pytest.mark.mocap
@pytest.mark.parametrize("name", REAL)
def test_real_turns_kicks_and_punches(mocap: Path, name: str) -> None:
    check_sweep([real(mocap, clip) for clip in REAL[name]], name)


def test_two_parameters_at_once() -> None:
    curve = built_in("walk", "walk_left", "jog", "jog_left")
    space = mw.parametric(curve, {"turn": measures.turn_angle, "speed": measures.speed})
    (slow, fast), (straight, left) = space.ranges["speed"], space.ranges["turn"]
    reached = space.at(turn=0.5 * (straight + left), speed=0.5 * (slow + fast))
    assert reached.values["speed"] == pytest.approx(0.5 * (slow + fast), abs=0.02 * (fast - slow))
    assert reached.values["turn"] == pytest.approx(
        0.5 * (straight + left), abs=0.02 * (left - straight)
    )


def test_weights_are_local_and_move_continuously() -> None:
    """A left turn is made of the turns next to it, and no small step makes a jump."""
    angles = (-90.0, -45.0, 0.0, 40.0, 90.0)
    curve = mw.register(*(mw.sample("sharp_turn", angle=angle) for angle in angles))
    space = mw.parametric(curve, {"turn": measures.turn_angle})
    own = np.array([measures.turn_angle(motion) for motion in curve.motions])
    low, high = space.ranges["turn"]
    values = np.linspace(low, high, 61)
    weights = np.array([space._mixture(np.array([value])) for value in values])
    for value, row in zip(values, weights, strict=True):
        used = own[row > 1e-6]
        assert len(used) <= 2
        nearest = np.sort(np.abs(own - value))
        assert np.abs(used - value).max() <= np.abs(np.diff(np.sort(own))).max() + nearest[0]
    assert np.abs(np.diff(weights, axis=0)).max() < 0.15
    left = space.at(turn=float(np.sort(own)[-1] * 0.7))
    assert np.all(left.weights[own < -1.0] < 1e-9)


def test_values_beyond_the_motions_are_told() -> None:
    curve = built_in("walk", "jog")
    fastest = mw.parametric(curve, {"speed": measures.speed}).ranges["speed"][1]
    space = mw.parametric(curve, {"speed": measures.speed}, convex=False)
    with pytest.warns(QualityWarning, match="extrapolate"):
        space.at(speed=0.7 * fastest + 0.3 * space.ranges["speed"][1])


def test_values_out_of_reach() -> None:
    curve = built_in("walk", "jog")
    space = mw.parametric(curve, {"speed": measures.speed})
    low, high = space.ranges["speed"]
    with pytest.raises(BlendError, match="out of reach"):
        space.at(speed=high * 2)
    with pytest.warns(QualityWarning, match="nearest"):
        nearest = space.at(speed=high * 2, outside="nearest")
    assert nearest.values["speed"] == pytest.approx(high, abs=0.01 * (high - low))


def test_weights_beyond_one_reach_further_when_asked_to() -> None:
    curve = built_in("walk", "jog")
    inside = mw.parametric(curve, {"speed": measures.speed}).ranges["speed"]
    outside = mw.parametric(curve, {"speed": measures.speed}, convex=False).ranges["speed"]
    assert outside[1] > inside[1]


def test_requests_that_make_no_sense_say_why() -> None:
    curve = built_in("walk", "jog")
    with pytest.raises(BlendError, match="at least one"):
        mw.parametric(curve, {})
    with pytest.raises(BlendError, match="cannot be controlled"):
        mw.parametric(curve, {"nothing": lambda motion: 1.0})
    space = mw.parametric(curve, {"speed": measures.speed})
    with pytest.raises(BlendError, match="speed"):
        space.at(turn=3.0)
    with pytest.raises(BlendError, match="finite"):
        space.at(speed=float("nan"))
    with pytest.raises(BlendError, match="outside"):
        space.at(speed=1.5, outside="maybe")
    with pytest.raises(BlendError, match="no measure 'height'"):
        measures.named("height")


@pytest.mark.parametrize("name", measures.names())
def test_every_measure_ignores_place_and_heading(name: str) -> None:
    clip = mw.sample("kick_middle")
    moved = clip.moved(mw.Planar(1.1, 3.0, -2.0))
    measure = measures.named(name)
    assert measure(moved) == pytest.approx(measure(clip), abs=1e-9)


def test_measures_of_clips_made_to_measure() -> None:
    assert measures.turn_angle(mw.sample("sharp_turn", angle=90.0)) == pytest.approx(90, abs=3)
    assert measures.speed(mw.sample("walk", speed=1.3)) == pytest.approx(1.3, rel=0.05)
