"""Blends: exact at the corners, sound in between (Kovar & Gleicher, Sections 5 and 6)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import motionweave as mw
from motionweave import BlendError, Motion, Planar
from motionweave.body.pose.heading import facing
from motionweave.body.rig.roles import leg_length
from motionweave.body.soles import contact_points
from motionweave.core.constraints import of_kind
from motionweave.core.intervals import not_negative
from motionweave.core.rotations import angle_between
from motionweave.methods.blending.trace import blended_constraints, trace_of
from tests.methods.blending.clips import (
    NINE,
    acceleration,
    assert_same_up_to_a_move,
    built_in,
    path_length,
    real,
)

REAL_SETS = {
    2: ("16_15", "16_35"),
    3: ("16_15", "16_11", "16_13"),
    9: ("16_15", "16_11", "16_13", "16_35", "16_37", "16_39", "16_58", "16_12", "16_14"),
}


@pytest.mark.parametrize("names", [NINE[::3][:2], NINE[::3], NINE])
def test_a_single_weight_returns_the_input(names: tuple[str, ...]) -> None:
    curve = built_in(*names)
    for i, motion in enumerate(curve.motions):
        assert_same_up_to_a_move(mw.blend(curve, np.eye(len(names))[i], clean=False), motion)


@pytest.mark.mocap
@pytest.mark.parametrize("count", [2, 3, 9])
def test_a_single_weight_returns_the_real_input(mocap: Path, count: int) -> None:
    # The longest of the nine lasts 3.2 times as long as the shortest; whole clips are asked for,
    # as found automatically their best stretch would be taken.
    clips = [real(mocap, name) for name in REAL_SETS[count]]
    curve = mw.register(*clips, ends="fixed", slope_limit=3)
    for i, motion in enumerate(curve.motions):
        assert_same_up_to_a_move(mw.blend(curve, np.eye(count)[i], clean=False), motion)


def test_constraints_of_a_single_weight_are_the_inputs_own() -> None:
    """Those that are matched; jogs lack the double support of walks, but every plant is there."""
    curve = built_in("walk", "walk_left")
    blended = mw.blend(curve, [0.0, 1.0], clean=False)
    own = curve.motions[1].constraints
    for c in blended.constraints:
        # Bounds are found between frames by straight lines in u: good to a fraction of a frame.
        assert any(
            o.kind == c.kind and abs(o.start - c.start) < 0.05 and abs(o.end - c.end) < 0.05
            for o in own
        )
    assert len(blended.constraints) >= 0.8 * len(own)


# Figure 1: walking and jogging, out of step unless time is warped.


def lowest_foot(motion: Motion) -> np.ndarray:
    """Height of the lowest sole point, ``(T,)``, as a share of the leg."""
    points = np.stack(list(contact_points(motion).values()))
    return points[..., 1].min(axis=0) / leg_length(motion.skeleton)


def fade(duration: float) -> object:
    return lambda t: (1.0 - np.clip(t / duration, 0, 1), np.clip(t / duration, 0, 1))


def test_walk_to_jog_keeps_the_feet_down_where_linear_blending_floats() -> None:
    curve = built_in("walk", "jog")
    registered = mw.blend(curve, fade(2.2), clean=False)
    linear = mw.blend(curve, fade(2.2), method="linear", clean=False)
    highest_input = max(lowest_foot(m).max() for m in curve.motions)
    assert lowest_foot(registered).max() <= highest_input + 0.03
    assert lowest_foot(registered).min() >= -0.03
    assert knee_bend(linear) < knee_bend(registered)


def knee_bend(motion: Motion) -> float:
    """Mean of how much both knees bend, in degrees: small where the legs stay straight."""
    from motionweave.body.rig.roles import find_rig

    rig = find_rig(motion.skeleton)
    angles = []
    positions = motion.positions()
    for side in ("left", "right"):
        hip, knee, ankle = (
            positions[:, rig.joint(f"{side}_{role}", "test")] for role in ("thigh", "shin", "ankle")
        )
        upper, lower = knee - hip, ankle - knee
        cosine = np.sum(upper * lower, axis=1) / (
            np.linalg.norm(upper, axis=1) * np.linalg.norm(lower, axis=1)
        )
        angles.append(np.degrees(np.arccos(np.clip(cosine, -1, 1))))
    return float(np.max(angles, axis=1).mean())


# Figure 2: ways that part.


def check_curved_pair(left: Motion, right: Motion) -> None:
    curve = mw.register(left, right)
    mean = 0.5 * (path_length(curve.used[0]) + path_length(curve.used[1]))
    registered = mw.blend(curve, [0.5, 0.5], clean=False)
    assert path_length(registered) == pytest.approx(mean, rel=0.05)
    turning = np.abs(np.diff(facing(registered))) * registered.fps
    own = max(np.abs(np.diff(facing(m))).max() * m.fps for m in curve.motions)
    assert turning.max() <= own * 1.05


def test_left_and_right_curving_walks_go_straight_on_without_collapse_or_flip() -> None:
    left, right = mw.sample("walk_left", curvature=0.9), mw.sample("walk_right", curvature=-0.9)
    check_curved_pair(left, right)
    curve = mw.register(left, right)
    linear = mw.blend(curve, [0.5, 0.5], method="linear", clean=False)
    assert path_length(linear) < 0.8 * path_length(left)


@pytest.mark.mocap
@pytest.mark.parametrize("pair", [("16_11", "16_13"), ("16_23", "16_25")])
def test_real_veering_walks_blend_without_collapse(mocap: Path, pair: tuple[str, str]) -> None:
    check_curved_pair(*(real(mocap, name) for name in pair))


# Properties


@settings(max_examples=25)
@given(st.floats(-3.0, 3.0), st.floats(-5, 5), st.floats(-5, 5), st.integers(0, 2))
def test_where_the_inputs_stand_changes_nothing(
    angle: float, x: float, z: float, chosen: int
) -> None:
    clips = [mw.sample(name) for name in ("walk", "jog_left", "sneak")]
    weights = [0.5, 0.2, 0.3]
    expected = mw.blend(built_in("walk", "jog_left", "sneak"), weights, clean=False)
    clips[chosen] = clips[chosen].moved(Planar(angle, x, z))
    assert_same_up_to_a_move(mw.blend(mw.register(*clips), weights, clean=False), expected)


weight_rows = st.lists(st.floats(0.0, 1.0), min_size=3, max_size=3).filter(lambda w: sum(w) > 0.1)


@settings(max_examples=40)
@given(weight_rows, st.integers(0, 2), st.floats(1e-4, 1e-3))
def test_constraints_change_continuously_with_the_weights(
    weights: list[float], chosen: int, change: float
) -> None:
    curve = built_in("walk", "jog", "sneak")
    nudged = list(weights)
    nudged[chosen] += change
    before, after = mw.blend(curve, weights, clean=False), mw.blend(curve, nudged, clean=False)
    for kind in ("left_heel", "left_toe", "right_heel", "right_toe"):
        was, now = of_kind(before.constraints, kind), of_kind(after.constraints, kind)
        assert len(was) == len(now)
        for a, b in zip(was, now, strict=True):
            assert abs(a.start - b.start) < 0.5
            # A contact that lasts to the end of the clip may gain or lose the last frame.
            lasting = a.end == len(before) - 1 or b.end == len(after) - 1
            assert abs(a.end - b.end) < (1.5 if lasting else 0.5)


@settings(max_examples=40)
@given(weight_rows)
def test_the_length_lies_between_those_of_the_inputs(weights: list[float]) -> None:
    curve = built_in("walk", "jog", "sneak")
    seconds = mw.blend(curve, weights, clean=False).duration
    own = [m.duration for m in curve.motions]
    assert min(own) - 0.04 <= seconds <= max(own) + 0.04


def test_weights_beyond_one_exaggerate_and_still_move_on() -> None:
    curve = built_in("walk", "sneak")
    more = mw.blend(curve, [-0.3, 1.3], clean=False)
    assert len(more) > 10
    assert more.root[:, 1].mean() < curve.motions[1].root[:, 1].mean()


def test_forwards_and_backwards_from_the_middle_meet() -> None:
    curve = built_in("walk", "jog")
    middle = 0.5 * (curve.timewarp.start + curve.timewarp.end)
    both = mw.blend(curve, [0.4, 0.6], start=middle, direction="both", clean=False)
    ahead = mw.blend(curve, [0.4, 0.6], start=middle, clean=False)
    behind = mw.blend(curve, [0.4, 0.6], start=middle, direction="backward", clean=False)
    assert len(both) == len(ahead) + len(behind) - 1
    whole = mw.blend(curve, [0.4, 0.6], clean=False)
    assert abs(len(both) - len(whole)) <= 1
    assert_same_up_to_a_move(both[len(behind) - 1 :], ahead, 1e-9)
    assert_same_up_to_a_move(both[: len(behind)], behind, 1e-9)


def test_rows_of_weights_and_a_function_agree() -> None:
    curve = built_in("walk", "jog")
    function = fade(1.5)
    from_function = mw.blend(curve, function, clean=False)
    rows = np.array([function(i / 30.0) for i in range(len(from_function))])  # type: ignore[operator]
    assert_same_up_to_a_move(mw.blend(curve, rows, clean=False), from_function, 1e-9)
    assert len(mw.blend(curve, rows[:10], clean=False)) == 10


def test_clips_of_different_frame_rates_blend() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog", fps=60.0)
    curve = mw.register(walk, jog)
    assert_same_up_to_a_move(mw.blend(curve, [1, 0], clean=False), walk)
    assert_same_up_to_a_move(mw.blend(curve, [0, 1], fps=60.0, clean=False), jog)


@pytest.mark.parametrize(
    ("weights", "options", "said"),
    [
        ([1.0], {}, "2 weights are needed"),
        ([1.0, 1.0], {"method": "magic"}, "registered"),
        ([1.0, 1.0], {"start": 99.0}, "not on the curve"),
        ([1.0, 1.0], {"direction": "up"}, "direction"),
        ([1.0, 1.0], {"duration": -1.0}, "duration"),
        ([1.0, 1.0], {"fps": 0.0}, "frame rate"),
        (lambda t: [1.0], {}, "return 2 numbers"),
        (np.ones((5, 2)), {"direction": "both"}, "forward"),
    ],
)
def test_requests_that_make_no_sense_say_why(weights: object, options: dict, said: str) -> None:
    with pytest.raises(BlendError, match=said):
        mw.blend(built_in("walk", "jog"), weights, **options)  # type: ignore[arg-type]


# Continuous control without end


def nine_cycles() -> mw.RegistrationCurve:
    return built_in(*NINE, ends="cyclic")


def wandering(t: float) -> np.ndarray:
    """Weights over nine motions that keep changing."""
    phases = np.arange(9) * 2.0 * np.pi / 9.0
    return np.exp(1.5 * np.sin(0.35 * t + phases))


def check_no_seam(motion: Motion, curve: mw.RegistrationCurve) -> None:
    """No frame accelerates more than the inputs themselves do."""
    own = max(acceleration(cycle).max() for cycle in curve.motions)
    assert acceleration(motion).max() <= 1.25 * own


def test_a_minute_of_continuous_control_over_nine_motions() -> None:
    curve = nine_cycles()
    minute = mw.blend(curve, wandering, duration=60.0, clean=False)
    assert len(minute) == 1801
    check_no_seam(minute, curve)
    for kind in ("left_toe", "right_toe", "left_heel", "right_heel"):
        plants = [c for c in minute.constraints if c.kind == kind]
        gaps = np.diff([c.start for c in plants])
        # Contacts neither get lost nor pile up: one a cycle, all the way.
        assert gaps.min() > 0.5 * min(len(m) - 1 for m in curve.motions)
        assert gaps.max() < 1.5 * max(len(m) - 1 for m in curve.motions)


def test_holding_one_weight_repeats_the_cycle_for_ever() -> None:
    curve = nine_cycles()
    cycle = curve.motions[3]
    once = len(cycle) - 1
    long = mw.blend(curve, np.eye(9)[3], duration=3 * once / cycle.fps, clean=False)
    for lap in range(3):
        part = long[lap * once : (lap + 1) * once + 1]
        assert_same_up_to_a_move(part, cycle, 1e-6)


@pytest.mark.mocap
def test_continuous_control_of_real_walks_and_jogs(mocap: Path) -> None:
    clips = [real(mocap, n) for n in ("16_15", "16_11", "16_13", "16_35", "16_37", "16_39")]
    curve = mw.register(*clips, ends="cyclic")
    minute = mw.blend(curve, lambda t: wandering(t)[:6], duration=30.0, clean=False)
    check_no_seam(minute, curve)


def test_an_arm_raised_past_half_a_turn_does_not_pop() -> None:
    """Between a jog and a high reach the upper arm's rotations pass opposite each other."""
    curve = mw.register(mw.sample("jog"), mw.sample("reach_high"), slope_limit=3)
    motion = mw.blend(curve, [0.5, 0.5], clean=False)
    arm = curve.motions[0].skeleton.names.index("RightArm")
    steps = angle_between(motion.rotations[1:, arm], motion.rotations[:-1, arm])
    assert np.degrees(steps).max() < 15.0
    stepper = curve.stepper()
    poses = [
        stepper.step([0.5, 0.5], 0.0 if i == 0 else 1 / motion.fps) for i in range(len(motion))
    ]
    live = np.array([pose.rotations for pose in poses])
    assert angle_between(live, motion.rotations).max() < 1e-6


@pytest.mark.parametrize("ends", ["fixed", "cyclic"])
@pytest.mark.parametrize("weights", [[0.3, 0.7], [1.4, -0.4]])
def test_contacts_of_a_blend_are_found_as_if_all_frames_were_looked_at(
    ends: Literal["fixed", "cyclic"], weights: list[float]
) -> None:
    curve = mw.register(mw.sample("walk"), mw.sample("jog"), ends=ends)
    directions: tuple[Literal["forward", "backward"], ...] = ("forward", "backward")
    for direction in directions:
        duration = 3.0 if ends == "cyclic" else None
        start = curve.timewarp.end if direction == "backward" else None
        trace = trace_of(curve, weights, duration=duration, direction=direction, start=start)
        expected = []
        for match in curve.matches:
            begin, end = (trace.weights @ match.intervals).T
            for lap in range(-6, 7) if curve.period is not None else [0]:
                by = lap * (curve.period or 0.0)
                inside = np.minimum(trace.u - begin - by, end + by - trace.u)
                expected += [(match.kind, *span) for span in not_negative(inside)]
        found = [(c.kind, c.start, c.end) for c in blended_constraints(curve, trace)]
        assert found
        assert [one[0] for one in sorted(found)] == [one[0] for one in sorted(expected)]
        np.testing.assert_allclose(
            [one[1:] for one in sorted(found)], [one[1:] for one in sorted(expected)], atol=1e-9
        )
