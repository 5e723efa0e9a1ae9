"""Events against the built-in clips' truth, real gaits, noise, and invariances."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import motionweave as mw
from motionweave.contacts.events import (
    events,
    find_events,
    smoothed,
    stances,
    touches,
    turning_points,
)
from motionweave.core import rotations
from motionweave.core.constraints import Constraint
from motionweave.core.cycles import repeat
from motionweave.registration.cycles import extract_cycle
from motionweave.samples import clips

# A cycle of a gait, from the left foot's touch-down on (Guo & Roberge's states).
GAIT = ("L_et", "R_mt", "R_et", "L_mt")


def agreement(name: str) -> tuple[int, int, int]:
    """Events of a built-in clip, how many are found within a frame, and how many are not its."""
    sample = clips.make(name)
    found = [(frame / sample.motion.fps, label) for frame, label in events(sample.motion)]
    used: set[int] = set()
    hits = 0
    for time, label in sample.events:
        near = [
            (abs(t - time), i) for i, (t, own) in enumerate(found) if own == label and i not in used
        ]
        if near and min(near)[0] <= 1.0 / 30.0 + 1e-9:
            hits += 1
            used.add(min(near)[1])
    return len(sample.events), hits, len(found) - len(used)


def test_built_in_clips_agree_with_their_truth() -> None:
    total = hits = wrong = 0
    for name in clips.names():
        count, right, extra = agreement(name)
        total, hits, wrong = total + count, hits + right, wrong + extra
    assert total > 600
    assert hits >= 0.95 * total
    assert wrong <= 0.02 * total


def test_a_closed_cycle_has_no_ends() -> None:
    """Each event of the truth's middle cycle is found once, wherever the cycle is cut."""
    walk = mw.sample("walk")
    cycle = extract_cycle(walk)
    length = len(cycle) - 1
    table = find_events(cycle, cyclic=True)
    for label in (*GAIT, "L.HI_flex", "R.HI_flex", "L.S_flex", "L.S_ext", "R.S_ext"):
        assert len(table.times(label)) == 1, label
    assert len(table.times("L.S_msw")) == 2
    for shift in (5, 17):
        turned = find_events(repeat(cycle, 2)[shift : shift + length + 1], cyclic=True)
        for label in GAIT:
            moved = (turned.times(label) + shift - table.times(label)) % length
            assert np.minimum(moved, length - moved) == pytest.approx(0.0, abs=0.3), label


def test_noise_makes_no_events() -> None:
    walk = mw.sample("walk", fps=120.0)
    rng = np.random.default_rng(5)
    shaken = rotations.multiply(
        walk.rotations,
        rotations.exp(np.radians(0.4) * rng.normal(size=(*walk.rotations.shape[:2], 3))),
    )
    found, true = (
        # At the very ends of a clip a turn, and so the first mid-swing, drowns in noise.
        sorted(
            (label, frame)
            for frame, label in events(motion)
            if 12 < frame < len(walk) - 12 and not label.endswith("msw")
        )
        for motion in (replace(walk, rotations=shaken), walk)
    )
    assert [label for label, _ in found] == [label for label, _ in true]
    assert [f for _, f in found] == pytest.approx([f for _, f in true], abs=4.0)


def test_standing_still_has_no_events() -> None:
    assert len(find_events(mw.sample("stand"))) == 0


def test_blind_to_place_heading_unit_and_frame_rate() -> None:
    walk = mw.sample("walk", fps=60.0)
    elsewhere = walk.moved(mw.Planar(1.0, -5.0, 3.0)).scaled(39.37)
    moved, expected = (sorted((x, f) for f, x in events(m)) for m in (elsewhere, walk))
    assert [label for label, _ in moved] == [label for label, _ in expected]
    assert [frame for _, frame in moved] == pytest.approx([f for _, f in expected], abs=1e-6)
    slow = find_events(walk.resample(30.0))
    for label in ("L_mt", "R.HI_flex", "L.S_flex"):
        quick = find_events(walk).times(label)
        assert slow.times(label) * 2.0 == pytest.approx(quick, abs=1.0)


@given(st.integers(0, 2**32 - 1), st.floats(0.05, 2.0))
def test_turning_points_alternate_and_are_as_far_apart_as_asked(seed: int, least: float) -> None:
    curve = np.cumsum(np.random.default_rng(seed).normal(size=60))
    turns = turning_points(curve, least)
    frames = [round(frame) for frame, _ in turns]
    for (a, b), (one, other) in zip(
        pairwise(frames), pairwise(top for _, top in turns), strict=True
    ):
        assert one != other
        assert abs(curve[b] - curve[a]) >= least - 1e-9
        # Nothing in between is beyond either of them.
        inner = curve[a : b + 1]
        assert {int(np.argmin(inner)), int(np.argmax(inner))} == {0, b - a}


def test_turning_points_are_found_between_frames() -> None:
    time = np.arange(80.0)
    turns = turning_points(np.sin(2 * np.pi * (time - 3.3) / 25.0), 0.5)
    tops = [frame for frame, top in turns if top]
    assert tops == pytest.approx([3.3 + 6.25, 3.3 + 31.25, 3.3 + 56.25], abs=0.02)


@given(st.integers(2, 40), st.floats(0.0, 5.0))
def test_smoothing_keeps_straight_lines_and_ends(count: int, width: float) -> None:
    line = 3.0 - 0.7 * np.arange(float(count))
    assert smoothed(line, width) == pytest.approx(line)
    curve = np.cos(np.arange(float(count)))
    assert smoothed(curve, width)[[0, -1]] == pytest.approx(curve[[0, -1]])


def test_flickering_contacts_are_one_stance() -> None:
    contacts = [
        Constraint(0, 10, "left_heel"),
        Constraint(4, 14, "left_toe"),
        Constraint(15, 16, "left_toe"),
        Constraint(30, 40, "left_heel"),
        Constraint(5, 50, "right_heel"),
    ]
    assert stances(contacts, "left", 3.0) == [(0, 16), (30, 40)]


def test_a_touch_comes_after_being_in_the_air() -> None:
    height = np.array([0.0, 0.1, 0.15, 0.05, 0.5, 0.3, 0.1, 0.06, 0.1, 0.05, 0.4, 0.04])
    assert touches(height) == pytest.approx([6.5, 10.0 + 0.32 / 0.36])


def test_hands_on_the_ground() -> None:
    """A body with long arms that bows until they are down, twice."""
    stand = mw.sample("stand")
    longer = np.ones((len(stand.skeleton), 1))
    longer[
        [
            stand.skeleton.index(f"{s}{part}")
            for s in ("Left", "Right")
            for part in ("ForeArm", "Hand")
        ]
    ] = 2.0
    skeleton = replace(stand.skeleton, offsets=stand.skeleton.offsets * longer)
    turned = np.array(np.repeat(stand.rotations[:1], 61, axis=0))
    bow = np.radians(90.0) * (0.5 - 0.5 * np.cos(np.linspace(0.0, 4.0 * np.pi, 61)))
    forth, back = rotations.about_axis("X", bow), rotations.about_axis("X", -bow)
    # The pelvis bows; legs and arms hang down all the time.
    for name, by in (
        ("Hips", forth),
        ("LeftUpLeg", back),
        ("RightUpLeg", back),
        ("LeftArm", back),
        ("RightArm", back),
    ):
        joint = skeleton.index(name)
        turned[:, joint] = rotations.multiply(by, turned[:, joint])
    root = np.repeat(stand.root[:1], 61, axis=0)
    motion = mw.Motion(skeleton, 30.0, root, turned, constraints=stand.constraints)
    for label in ("L.W_gnd", "R.W_gnd"):
        down = find_events(motion).times(label)
        assert len(down) == 2
        assert np.diff(down) == pytest.approx(30.0)
    assert len(find_events(stand).times("L.W_gnd")) == 0


WALKS = (
    "16_15_walk_straight",
    "16_58_walk_straight_1p3mps",
    "16_21_walk_fast_straight",
    "37_01_walk_slow",
    "104_35_walk_slow",
    "16_11_walk_veer_left",
    "16_13_walk_veer_right",
    "16_23_walk_fast_veer_left",
    "16_25_walk_fast_veer_right",
    "16_17_walk_turn90_left",
    "16_19_walk_turn90_right",
    "02_01_walk_straight",
)
RUNS = (
    "16_35_jog_straight",
    "16_37_jog_veer_left",
    "16_39_jog_veer_right",
    "16_55_run_straight",
    "16_45_run_fast_straight",
    "16_48_run_veer_left",
    "16_49_run_veer_right",
)


@pytest.mark.mocap
@pytest.mark.parametrize("name", WALKS + RUNS)
def test_real_gaits_are_complete_and_in_order(mocap: Path, name: str) -> None:
    motion = mw.load(mocap / "bvh" / f"cmu_{name}.bvh", drop_tpose=True)
    cycle = extract_cycle(motion)
    length = len(cycle) - 1
    table = find_events(cycle, cyclic=True)
    start = table.times("L_et")
    assert len(start) == 1
    order = []
    for label in GAIT:
        times = (table.times(label) - start[0]) % length
        assert len(times) == 1, label
        order.append(float(times[0]))
    assert order == sorted(order)
    # Each hip flexes once, after the other foot has come down and before its own does.
    for side, before, after in (("R", "L_et", "R_et"), ("L", "R_et", "L_et")):
        flexed = (table.times(f"{side}.HI_flex") - table.times(before)) % length
        landed = (table.times(after) - table.times(before)) % length
        assert len(flexed) == 1
        assert flexed[0] < landed[0] + 0.1 * length
    for joint in ("HI", "K"):
        for side in "LR":
            assert len(table.times(f"{side}.{joint}_ext")) >= 1
