"""Hands that hold what moves and turns, hands that are turned, and tips of tools."""

from __future__ import annotations

import numpy as np
import pytest

import motionweave as mw
from motionweave.core import rotations

pytestmark = pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")


@pytest.fixture(scope="module")
def walk():
    return mw.sample("walk")


@pytest.fixture(scope="module")
def box(walk):
    """A box that goes ahead of the chest, sways and turns."""
    chest = walk.positions()[:, mw.find_rig(walk.skeleton).spine[-1]]
    at = np.arange(len(walk)) / walk.fps
    sway = np.stack([0.04 * np.sin(2 * at), 0.03 * np.cos(3 * at), 0 * at], axis=1)
    turn = rotations.about_vertical(0.3 * np.sin(2 * at))
    return mw.Prop(chest + np.array([0, -0.15, 0.4]) + sway, turn, fps=walk.fps, name="box")


def hand_of(motion, side):
    joint = mw.find_rig(motion.skeleton).roles[f"{side}_hand"]
    positions, orientations = motion.forward()
    return positions[:, joint], orientations[:, joint]


def test_both_hands_stay_on_a_box_that_moves_and_turns(walk, box):
    sides = {"left": 0.15, "right": -0.15}
    keys = [
        mw.Key(25, f"{side}_hand", goal=(x, 0, 0), of=box, until=70) for side, x in sides.items()
    ]
    held = mw.warp(walk, keys)
    places, turns = box.at(np.arange(len(walk)) / walk.fps)
    for side, x in sides.items():
        wanted = places + rotations.rotate(turns, np.array([x, 0.0, 0.0]))
        assert np.linalg.norm(hand_of(held, side)[0] - wanted, axis=1)[25:71].max() < 2e-3
    legs = [walk.skeleton.index(name) for name in ("LeftFoot", "RightFoot")]
    assert np.abs((held.positions() - walk.positions())[:, legs]).max() < 0.01


@pytest.mark.filterwarnings("error::motionweave.QualityWarning")
def test_goals_of_a_joint_are_held_against_where_it_has_come(walk):
    box = [
        mw.Key(30, f"{side}_hand", goal=(x, -0.2, 0.4), of="chest", unit="leg", until=60)
        for side, x in (("left", 0.15), ("right", -0.15))
    ]
    mw.warp(walk, box)


def test_a_hand_keeps_its_turn_beside_a_prop_and_in_the_world(walk, box):
    wanted = rotations.from_euler(np.array([[20.0, 30.0, 10.0]]), "XYZ")[0]
    place = mw.Key(25, "left_hand", goal=(0.15, 0, 0), of=box, until=60)
    beside = mw.warp(walk, [place, mw.Key(25, "left_hand", orientation=wanted, of=box, until=60)])
    turns = box.at(np.arange(len(walk)) / walk.fps)[1]
    off = rotations.angle_between(hand_of(beside, "left")[1], rotations.multiply(turns, wanted))
    assert np.degrees(off)[25:61].max() < 0.5
    fixed = mw.warp(walk, mw.Key(40, "left_hand", orientation=wanted))
    assert np.degrees(rotations.angle_between(hand_of(fixed, "left")[1][40], wanted)) < 0.5


def test_the_tip_of_a_racket_hits_the_ball():
    jab = mw.sample("jab")
    tip = np.array([0.25, 0.0, 0.0])
    ball = hand_of(jab, "left")[0][20] + [0.0, 0.1, 0.3]
    hit = mw.warp(jab, mw.Key(20, "left_hand", goal=ball, tip=tip))
    place, turn = (part[20] for part in hand_of(hit, "left"))
    np.testing.assert_allclose(place + rotations.rotate(turn, tip), ball, atol=1e-4)
    lasting = mw.warp(jab, mw.Key(15, "left_hand", goal=ball, tip=tip, until=22))
    places, turns = hand_of(lasting, "left")
    tips = (places + rotations.rotate(turns, tip))[15:23]
    assert np.linalg.norm(tips - ball, axis=1).max() < 0.01


def test_recipes_have_props(walk, tmp_path):
    path = tmp_path / "carry.yaml"
    path.write_text(
        "props:\n"
        "  box: {times: [0, 3], positions: [[0, 1, 0.5], [0, 1.1, 3.2]]}\n"
        "keys:\n"
        "  - at: 30\n"
        "    until: 50\n"
        "    pose:\n"
        "      left_hand: {goal: [0.15, 0, 0], of: box}\n"
    )
    recipe = mw.load_warp(path)
    assert recipe.keys[0].of.name == "box"
    mw.save_warp(recipe, tmp_path / "again.yaml")
    again = mw.load_warp(tmp_path / "again.yaml")
    np.testing.assert_array_equal(again.apply(walk).rotations, recipe.apply(walk).rotations)
    mw.save(walk, tmp_path / "thing.bvh")
    path.write_text(
        path.read_text().replace(
            "{times: [0, 3], positions: [[0, 1, 0.5], [0, 1.1, 3.2]]}", "thing.bvh"
        )
    )
    assert len(mw.load_warp(path).keys[0].of.times) == len(walk)
    nameless = mw.Recipe(keys=(mw.Key(3, "left_hand", goal=(0, 0, 0), of=mw.Prop((0, 1, 0))),))
    with pytest.raises(mw.WarpError, match="needs its own name"):
        mw.save_warp(nameless, path)
    path.write_text("props: {box: {places: 3}}\nkeys: []\n")
    with pytest.raises(mw.FormatError, match="props, box"):
        mw.load_warp(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"turn": (0, 0, 0), "of": "chest"}, "only goals and orientations"),
        ({"goal": (0, 0, 0), "of": 3}, "name or a Prop"),
        ({"offset": (0, 0, 0), "tip": (0, 0, 1)}, "can have a tip"),
        ({"goal": (0, None, 0), "tip": (0, 0, 1)}, "all three numbers"),
        ({"goal": (0, None, 0), "of": mw.Prop((0, 0, 0))}, "all three numbers"),
        ({"orientation": (0, 0, 1)}, "four numbers"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(mw.WarpError, match=message):
        mw.Key(3, "left_hand", **options)
