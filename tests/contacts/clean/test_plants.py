"""Where plants are put: at least cost, with heel and toe as far apart as they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from motionweave import Constraint
from motionweave.body.floor import Floor
from motionweave.contacts.clean.plants import Plant, find_plants, goal_tracks, place_plants, stances

FLOOR = Floor(0.0)


def foot(rng: np.random.Generator, frames: int) -> tuple[np.ndarray, np.ndarray]:
    """Heel and toe 0.14 apart that wander and turn on the floor."""
    heel = np.cumsum(rng.normal(scale=0.004, size=(frames, 3)), axis=0) * [1.0, 0.0, 1.0]
    angle = np.cumsum(rng.normal(scale=0.02, size=frames))
    toe = heel + 0.14 * np.stack([np.sin(angle), 0.0 * angle, np.cos(angle)], axis=-1)
    return heel, toe


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


def test_a_lone_plant_is_put_at_its_mean() -> None:
    heel, toe = foot(np.random.default_rng(0), 60)
    goals = place_plants([Plant(10, 40, 0)], (heel, toe), FLOOR, 1.0, 6.0)
    np.testing.assert_allclose(goals[0], heel[10:41].mean(axis=0) * [1, 0, 1], atol=1e-12)


@given(st.integers(0, 2**32 - 1))
def test_heel_and_toe_keep_their_distance_at_least_cost(seed: int) -> None:
    heel, toe = foot(np.random.default_rng(seed), 80)
    plants = [Plant(5, 40, 0), Plant(15, 60, 1)]
    goals = place_plants(plants, (heel, toe), FLOOR, 1.0, 6.0)
    assert np.linalg.norm(goals[0] - goals[1]) == pytest.approx(0.14, abs=1e-9)

    def cost(places: np.ndarray) -> float:
        at_heel, at_toe = places.reshape(2, 2)
        return float(
            np.sum((heel[5:41, [0, 2]] - at_heel) ** 2) + np.sum((toe[15:61, [0, 2]] - at_toe) ** 2)
        )

    start = np.concatenate([heel[5:41, [0, 2]].mean(axis=0), toe[15:61, [0, 2]].mean(axis=0)])
    apart = {"type": "eq", "fun": lambda p: np.linalg.norm(p[:2] - p[2:]) - 0.14}
    best = minimize(cost, start, constraints=[apart], options={"ftol": 1e-14})
    assert cost(goals[:, [0, 2]].ravel()) <= best.fun * (1.0 + 1e-6) + 1e-12


def test_plants_a_moment_apart_share_a_place() -> None:
    """A contact that flickers must not make the foot hop."""
    drift = np.linspace(0.0, 0.1, 81)[:, None] * np.array([1.0, 0.0, 0.0])
    toe = drift + np.array([0.0, 0.0, 0.14])
    flicker = [Plant(0, 39, 0), Plant(41, 80, 0)]
    far = [Plant(0, 30, 0), Plant(60, 80, 0)]
    near_goals = place_plants(flicker, (drift, toe), FLOOR, 1.0, 12.0)
    far_goals = place_plants(far, (drift, toe), FLOOR, 1.0, 12.0)
    way = drift[41] - drift[39]
    assert np.linalg.norm(near_goals[1] - near_goals[0] - way) < 0.02
    assert np.linalg.norm(far_goals[1] - far_goals[0]) > 0.05


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
    heel = np.tile([0.0, heel_height, 0.0], (40, 1))
    reach = np.sqrt(0.14**2 - (heel_height - toe_height) ** 2)
    toe = np.tile([0.0, toe_height, reach], (40, 1))
    floor = Floor(0.0, levels=(0.0, 0.3))
    goals = place_plants([Plant(0, 39, 0), Plant(0, 39, 1)], (heel, toe), floor, 1.0, 6.0)
    np.testing.assert_allclose(goals[:, 1], expected, atol=1e-12)
    assert np.linalg.norm(goals[0] - goals[1]) == pytest.approx(0.14)


def test_a_heel_may_leave_before_its_plant_ends() -> None:
    """It rises as in the clip, about the toe; what bobs within the plant is held down."""
    count = 60
    lift = np.where(np.arange(count) < 50, 0.0, (np.arange(count) - 50) * 0.003)
    lift[20:24] = 0.02
    toe = np.tile([0.0, 0.0, 0.14], (count, 1))
    heel = np.stack([0.0 * lift, lift, 0.14 - np.sqrt(0.14**2 - lift**2)], axis=-1)
    plants = [Plant(0, 59, 0), Plant(0, 59, 1)]
    goals = place_plants(plants, (heel, toe), FLOOR, 1.0, 12.0)
    tracks = goal_tracks(plants, goals, (heel, toe), FLOOR, 1.0, 12)
    assert np.all(tracks[0, :45, 1] == 0.0)
    assert 0.015 < tracks[0, -1, 1] < lift[-1]
    np.testing.assert_allclose(np.linalg.norm(tracks[0] - tracks[1], axis=-1), 0.14, atol=1e-9)
    np.testing.assert_allclose(tracks[1], np.broadcast_to(tracks[1, 0], (count, 3)), atol=1e-12)
