"""When feet are planted, and how high planted points are to be."""

from __future__ import annotations

import numpy as np
import pytest

from motionweave import Constraint
from motionweave.body.floor import Floor
from motionweave.contacts.clean.plants import Plant, find_plants, planted_heights, stances

FLOOR = Floor(0.0)


def test_plants_are_whole_frames_in_order_of_time() -> None:
    held = [
        Constraint(3.2, 9.9, "left_toe"),
        Constraint(0.0, 4.0, "left_heel"),
        Constraint(9.95, 9.99, "left_heel"),
        Constraint(2.0, 5.0, "right_toe"),
    ]
    assert find_plants(held, ("left_heel", "left_toe"), 20) == [Plant(0, 4, 0), Plant(4, 9, 1)]


def test_a_stance_has_no_gap() -> None:
    plants = [Plant(0, 4, 0), Plant(3, 9, 1), Plant(10, 12, 0), Plant(15, 20, 1)]
    assert stances(plants) == [[0, 1, 2], [3]]


@pytest.mark.parametrize(
    ("heel_height", "toe_height", "expected"),
    [
        (-0.02, -0.03, (0.0, 0.0)),  # in the floor: onto it
        (0.015, 0.005, (0.0, 0.0)),  # just above: onto it
        (0.05, -0.01, (0.05, 0.0)),  # a heel that stays up, as in a run
        (0.06, 0.04, (0.0, 0.0)),  # a foot that hovers comes down as a whole
        (0.31, 0.305, (0.31, 0.305)),  # on a stair it stays where it is
    ],
)
def test_heights(heel_height: float, toe_height: float, expected: tuple[float, float]) -> None:
    above = np.repeat([[heel_height], [toe_height]], 40, axis=1)
    floor = Floor(0.0, levels=(0.0, 0.3))
    plants = [Plant(0, 39, 0), Plant(0, 39, 1)]
    (heights,) = planted_heights([plants], above[None], floor, 1.0, 6)
    np.testing.assert_allclose(heights, np.broadcast_to(np.array(expected)[:, None], (2, 40)))


def test_a_heel_may_leave_before_its_plant_ends() -> None:
    """It rises as in the clip; what bobs within the plant is held down."""
    count = 60
    lift = np.where(np.arange(count) < 50, 0.0, (np.arange(count) - 50) * 0.003)
    lift[20:24] = 0.02
    above = np.stack([lift, 0.0 * lift])
    plants = [Plant(0, 59, 0), Plant(0, 59, 1)]
    (heights,) = planted_heights([plants], above[None], FLOOR, 1.0, 12)
    assert np.all(heights[0, :45] == 0.0)
    assert 0.015 < heights[0, -1] < lift[-1]
    assert np.all(heights[1] == 0.0)
