"""Keys say what is wrong with them; moments say frames in words."""

from __future__ import annotations

import numpy as np
import pytest

from motionweave.core.constraints import Constraint
from motionweave.errors import WarpError
from motionweave.methods.warping.keys import Key, ease_pair
from motionweave.methods.warping.moments import frame_of, stances, swings
from tests.strategies import random_motion


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "expected one of"),
        ({"turn": (1, 2, 3), "goal": (1, 2, 3)}, "got turn and goal"),
        ({"turn": (1, 2)}, "three numbers"),
        ({"turn": (1, 2, np.nan)}, "three numbers"),
        ({"turn": "much"}, "three numbers"),
        ({"rotation": (0, 0, 1)}, "four numbers"),
        ({"goal": (None, None, None)}, "every axis free"),
        ({"offset": (None, 1, 0)}, "all three numbers"),
        ({"goal": 3.0}, "three numbers x, y, z"),
        ({"factor": "big"}, "one number"),
        ({"turn": (1, 2, 3), "mode": "stretch"}, "'shift' or 'scale'"),
        ({"turn": (1, 2, 3), "axes": "moon"}, "'body', 'parent' or 'world'"),
        ({"turn": (1, 2, 3), "unit": "ell"}, "'leg' or 'height'"),
        ({"turn": (1, 2, 3), "ease": 0.0}, "above 0"),
        ({"goal": (1, 2, 3), "mode": "scale"}, "always a shift"),
        ({"factor": 2.0, "about": "moon"}, "'mean', 'rest' or a value"),
    ],
)
def test_a_key_that_makes_no_sense_says_why(given, message):
    with pytest.raises(WarpError, match=message) as error:
        Key(41, "head", **given)
    assert "41" in str(error.value) or "ease" in str(error.value)


def test_root_curves_take_values_of_their_own_shape():
    assert Key(3, "height", offset=2).offset == 2.0
    assert Key(3, "position", goal=(1, None, 2)).goal == (1.0, None, 2.0)
    with pytest.raises(WarpError, match="one number"):
        Key(3, "heading", offset=(1, 2, 3))
    with pytest.raises(WarpError, match="is for joints"):
        Key(3, "height", turn=(1, 2, 3))


def test_a_factor_is_a_scale_and_a_goal_needs_inverse_kinematics():
    assert Key(3, "head", factor=2).mode == "scale"
    assert Key(3, "head", goal=(1, 2, 3)).posed_by_goal
    assert not Key(3, "position", goal=(1, 2, 3)).posed_by_goal
    assert ease_pair(0.3) == (0.3, 0.3)
    assert ease_pair((0.1, 0.2)) == (0.1, 0.2)


@pytest.fixture
def stepping():
    motion = random_motion(np.random.default_rng(1), 201, 3, fps=50.0)
    return motion.with_constraints(
        [
            Constraint(0, 30, "left_heel"),
            Constraint(5, 40, "left_toe"),
            Constraint(70, 90, "left_heel"),
            # Too short a gap to be a step.
            Constraint(93, 110, "left_toe"),
            Constraint(150, 200, "left_toe"),
            Constraint(30, 80, "right_toe"),
        ]
    )


def test_stances_join_heel_and_toe_and_swings_lie_between(stepping):
    assert stances(stepping, "left") == [(0, 40), (70, 110), (150, 200)]
    assert swings(stepping, "left") == [(40, 70), (110, 150)]
    assert swings(stepping, "right") == []


@pytest.mark.parametrize(
    ("moment", "frame"),
    [
        (41, 41.0),
        ("41.4", 41.0),
        ("25%", 50.0),
        ("1.5 s", 75.0),
        ("start", 0.0),
        ("end", 200.0),
        ("middle of 1st left swing", 55.0),
        ("middle of the 2nd left swing", 130.0),
        ("left swing", 55.0),
        ("start of last left stance", 150.0),
        ("25% of 2nd left stance", 80.0),
        ("end of first right stance", 80.0),
        ("end of 1st right stance + 0.1 s", 85.0),
        ("middle of 1st left swing - 5", 50.0),
        ("25% + 3 frames", 53.0),
        ("right stance after 1st left stance", 55.0),
        ("start of left stance before 3rd left stance", 70.0),
        ("middle of left swing after 1st right stance + 1", 56.0),
    ],
)
def test_moments_in_words(stepping, moment, frame):
    assert frame_of(moment, stepping) == pytest.approx(frame)


@pytest.mark.parametrize(
    ("moment", "message"),
    [
        (201, "frames 0 to 200"),
        ("120%", "frames 0 to 200"),
        ("at noon", "not understood"),
        ("middle of 3rd left swing", "has 2 whole left swings"),
        ("right swing", "has 0 whole right swings"),
    ],
)
def test_moments_that_are_not_there(stepping, moment, message):
    with pytest.raises(WarpError, match=message):
        frame_of(moment, stepping)
