"""Props: things with a way of their own."""

from __future__ import annotations

import numpy as np
import pytest

import motionweave as mw
from motionweave.core import rotations


def test_a_thing_that_stays():
    ball = mw.Prop((1.0, 2.0, 3.0))
    places, turns = ball.at([0.0, 5.0])
    np.testing.assert_array_equal(places, [[1, 2, 3]] * 2)
    np.testing.assert_array_equal(turns, [rotations.IDENTITY] * 2)


def test_places_are_met_and_held_at_the_ends():
    box = mw.Prop([(0, 1, 0), (1, 1, 0), (1, 1, 2)], times=[1.0, 2.0, 4.0])
    places, _ = box.at([0.0, 1.0, 2.0, 4.0, 9.0])
    np.testing.assert_allclose(places, [(0, 1, 0), (0, 1, 0), (1, 1, 0), (1, 1, 2), (1, 1, 2)])
    fine = box.at(np.linspace(1.0, 4.0, 301))[0]
    steps = np.linalg.norm(np.diff(fine, axis=0), axis=1)
    assert np.abs(np.diff(steps)).max() < 0.002


def test_the_way_of_a_joint():
    walk = mw.sample("walk")
    hand = mw.Prop.of(walk, "LeftHand")
    places, turns = hand.at(np.arange(len(walk)) / walk.fps)
    joint = walk.skeleton.index("LeftHand")
    np.testing.assert_allclose(places, walk.positions()[:, joint], atol=1e-9)
    assert rotations.angle_between(turns, walk.forward()[1][:, joint]).max() < 1e-6


def test_data_and_back():
    box = mw.Prop([(0, 1, 0), (1, 1, 0)], [(0, 0, 0, 1), (0, 1, 0, 0)], fps=2.0, name="box")
    again = mw.Prop.from_data(box.to_data(), "box")
    for mine, its in zip(box.at([0.1, 0.3]), again.at([0.1, 0.3]), strict=True):
        np.testing.assert_array_equal(mine, its)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"positions": [(0, 1)]}, "rows of 3"),
        ({"positions": "box"}, "rows of 3"),
        ({"positions": [(0, 0, 0), (1, 1, 1)]}, "times or fps"),
        ({"positions": [(0, 0, 0), (1, 1, 1)], "times": [1.0, 1.0]}, "increasing"),
        ({"positions": [(0, 0, 0), (1, 1, 1)], "times": [0.0, 1.0], "fps": 3}, "times or fps"),
        ({"positions": (0, 0, 0), "orientations": (0, 0, 0, 0)}, "length 0"),
        (
            {"positions": [(0, 0, 0)] * 3, "orientations": [(0, 0, 0, 1)] * 2, "fps": 1},
            "same number",
        ),
    ],
)
def test_what_is_no_prop_is_refused(arguments, message):
    with pytest.raises(mw.MotionError, match=message):
        mw.Prop(**arguments)
    with pytest.raises(mw.MotionError, match="expected positions"):
        mw.Prop.from_data({"places": 3})
