"""Bodies are drawn alike, whatever their rest poses look like."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import motionweave as mw
from motionweave.body.figure.capsules import capsule_points, capsules_of
from motionweave.body.figure.stance import stance, standing_at_rest, with_rest_pose
from motionweave.body.size import body_height
from motionweave.core import rotations
from motionweave.core.arrays import Array
from tests.rests import with_level_feet, with_other_rest
from tests.strategies import motions


@given(motions(), st.integers(0, 100))
def test_another_rest_pose_leaves_everything_in_place(motion: mw.Motion, seed: int) -> None:
    rng = np.random.default_rng(seed)
    turns = rotations.normalize(rng.normal(size=(len(motion.skeleton), 4)))
    other = with_rest_pose(motion, turns)
    near = 1e-9 * max(1.0, float(np.abs(motion.positions()).max()))
    np.testing.assert_allclose(other.positions(), motion.positions(), atol=near)
    np.testing.assert_allclose(other.end_positions(), motion.end_positions(), atol=near)


def test_a_rest_pose_that_stands_stays() -> None:
    walk = mw.sample("walk")
    assert standing_at_rest(walk) is walk
    np.testing.assert_array_equal(
        stance(walk), np.tile(rotations.IDENTITY, (len(walk.skeleton), 1))
    )


@pytest.mark.parametrize("name", ["walk", "jog", "kick_high", "reach_low"])
@pytest.mark.parametrize("seed", [1, 2])
def test_feet_are_drawn_the_same_around_a_useless_rest_pose(name: str, seed: int) -> None:
    motion = mw.sample(name)
    other = standing_at_rest(with_other_rest(motion, seed))
    height = body_height(motion.skeleton)
    drawn = [_feet(each) for each in (motion, other)]
    assert drawn[0].shape == drawn[1].shape
    assert np.linalg.norm(drawn[0] - drawn[1], axis=-1).max() < 0.01 * height


@pytest.mark.parametrize("name", ["walk", "stand"])
def test_feet_are_drawn_the_same_around_a_rest_pose_with_level_feet(name: str) -> None:
    motion = mw.sample(name)
    drawn = [_feet(standing_at_rest(each)) for each in (motion, with_level_feet(motion))]
    assert drawn[0].shape == drawn[1].shape
    apart = np.linalg.norm(drawn[0] - drawn[1], axis=-1).max()
    assert apart < 0.01 * body_height(motion.skeleton)


def _feet(motion: mw.Motion) -> Array:
    """Both ends ``(T, S, 2, 3)`` of the capsules that draw the feet."""
    plan = capsules_of(motion.skeleton)
    return capsule_points(motion)[:, plan.ends[plan.feet]]


def test_the_body_of_a_creature_without_legs_is_left_as_it_is() -> None:
    chain = mw.Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), np.eye(3))
    still = mw.Motion(chain, 30.0, np.zeros((2, 3)), np.tile(rotations.IDENTITY, (2, 3, 1)))
    np.testing.assert_array_equal(stance(still), still.rotations[0])
