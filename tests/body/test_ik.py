"""Limbs and feet: exact against forward kinematics, in the plane they bend in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from motionweave import Motion, Skeleton
from motionweave.body import ik
from motionweave.core import rotations as quat
from tests.strategies import random_quaternions

seeds = st.integers(0, 2**32 - 1)

LIMB = ik.Limb(upper=1, middle=2, end=4)


def leg_motion(rng: np.random.Generator, frames: int, scale: float = 1.0) -> Motion:
    """Hips, thigh, shin, a twist bone in the shin, ankle, toe: all offsets at random."""
    offsets = np.array(
        [[0, 90, 0], [9, -3, 1], [1, -40, 2], [0.5, -19, 0.3], [0.2, -21, -1], [1, -6, 14]],
        dtype=float,
    )
    offsets += rng.normal(scale=0.6, size=offsets.shape)
    skeleton = Skeleton(
        names=("hips", "thigh", "shin", "twist", "ankle", "toe"),
        parents=np.array([-1, 0, 1, 2, 3, 4]),
        offsets=offsets * scale,
    )
    turns = random_quaternions(rng, frames, 6)
    return Motion(skeleton, 30.0, rng.normal(size=(frames, 3)) * 50 * scale, turns)


def solved(motion: Motion, goal: np.ndarray) -> tuple[Motion, ik.TwoBone]:
    """The limb brought to a goal about the axis that it is bent about."""
    positions, orientations = motion.forward()
    upper, middle, end = (positions[:, joint] for joint in LIMB)
    axis = np.cross(middle - upper, end - middle)
    axis /= np.linalg.norm(axis, axis=-1, keepdims=True)
    result = ik.solve_hinged(upper, middle, end, goal, axis)
    turned = np.array(motion.rotations)
    above = orientations[:, motion.skeleton.parents[list(LIMB)]]
    turned[:, list(LIMB)] = ik.apply_to_limb(orientations[:, list(LIMB)], above, result)
    return Motion(motion.skeleton, motion.fps, motion.root, turned), result


def bones(motion: Motion) -> tuple[np.ndarray, np.ndarray]:
    positions = motion.positions()
    return (
        np.linalg.norm(positions[:, LIMB.middle] - positions[:, LIMB.upper], axis=-1),
        np.linalg.norm(positions[:, LIMB.end] - positions[:, LIMB.middle], axis=-1),
    )


@given(seeds, st.sampled_from([0.01, 1.0, 1000.0]))
def test_a_goal_within_reach_is_reached_exactly(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    motion = leg_motion(rng, 12, scale)
    a, b = bones(motion)
    distance = np.abs(a - b) + rng.uniform(0.05, 0.95, 12) * 2.0 * np.minimum(a, b)
    direction = rng.normal(size=(12, 3))
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    goal = motion.positions()[:, LIMB.upper] + distance[:, None] * direction
    moved, result = solved(motion, goal)
    # One that starts nearly straight follows with a bounded speed, and misses a little.
    span = np.linalg.norm(np.diff(motion.positions()[:, [LIMB.upper, LIMB.end]], axis=1), axis=-1)
    bent = span[:, 0] < 0.98 * (a + b)
    np.testing.assert_allclose(
        moved.positions()[bent, LIMB.end], goal[bent], rtol=0, atol=1e-9 * scale * 100
    )
    np.testing.assert_allclose(result.shortfall[bent], 0.0, atol=1e-9 * scale * 100)
    np.testing.assert_allclose(moved.positions()[:, LIMB.middle], result.middle, atol=1e-7 * scale)
    # The end joint keeps its global orientation: a foot stays as level as it was.
    np.testing.assert_allclose(
        quat.angle_between(moved.orientations()[:, LIMB.end], motion.orientations()[:, LIMB.end]),
        0.0,
        atol=1e-7,
    )


@pytest.mark.parametrize("place", ["upper", "middle"])
def test_degenerate_limbs_give_finite_answers(place: str) -> None:
    hip = np.tile([0.0, 1.0, 0.0], (4, 1))
    knee = hip - np.array([0.0, 0.45, 0.0])
    ankle = hip.copy() if place == "upper" else knee.copy()
    for goal in (hip, knee, ankle, hip + np.array([0.0, -1.0, 1.0])):
        for axis in (np.tile([1.0, 0.0, 0.0], (4, 1)), np.zeros((4, 3))):
            result = ik.solve_hinged(hip, knee, ankle, goal, axis)
            assert all(np.all(np.isfinite(part)) for part in result)


@given(seeds)
def test_a_foot_meets_one_goal_without_turning(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ankle, heel, toe, goal = rng.normal(size=(4, 6, 3))
    for point, goals in ((heel, {"heel_goal": goal}), (toe, {"toe_goal": goal})):
        foot = ik.place_foot(ankle, heel, toe, **goals)
        np.testing.assert_allclose(foot.ankle - ankle, goal - point, atol=1e-12)
        assert np.all(foot.turn == quat.IDENTITY)
    free = ik.place_foot(ankle, heel, toe)
    np.testing.assert_array_equal(free.ankle, ankle)


@given(seeds)
def test_a_foot_meets_two_goals_as_far_apart_as_its_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ankle, heel, toe = rng.normal(size=(3, 6, 3))
    move = random_quaternions(rng, 6)
    heel_goal = rng.normal(size=(6, 3))
    toe_goal = heel_goal + quat.rotate(move, toe - heel)
    foot = ik.place_foot(ankle, heel, toe, heel_goal, toe_goal, on_toe=rng.uniform(size=6))
    for point, goal in ((heel, heel_goal), (toe, toe_goal)):
        placed = foot.ankle + quat.rotate(foot.turn, point - ankle)
        np.testing.assert_allclose(placed, goal, atol=1e-9)


@given(seeds)
def test_goals_that_do_not_fit_the_foot_leave_an_error_along_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ankle, heel, toe, heel_goal, toe_goal = rng.normal(size=(5, 6, 3))
    apart = np.linalg.norm(toe_goal - heel_goal, axis=-1) - np.linalg.norm(toe - heel, axis=-1)
    for share in (0.0, 0.3, 1.0):
        foot = ik.place_foot(ankle, heel, toe, heel_goal, toe_goal, on_toe=share)
        at_heel = foot.ankle + quat.rotate(foot.turn, heel - ankle)
        at_toe = foot.ankle + quat.rotate(foot.turn, toe - ankle)
        np.testing.assert_allclose(
            np.linalg.norm(at_heel - heel_goal, axis=-1), share * np.abs(apart), atol=1e-8
        )
        np.testing.assert_allclose(
            np.linalg.norm(at_toe - toe_goal, axis=-1), (1.0 - share) * np.abs(apart), atol=1e-8
        )


def bent_leg(bend: np.ndarray, upper: float = 0.45, lower: float = 0.42) -> tuple[np.ndarray, ...]:
    """Hip, knee and ankle ``(T, 3)`` of a leg that hangs, its knee bent backwards about +x."""
    nothing = 0.0 * bend
    hip = np.stack([nothing, 1.0 + nothing, nothing], axis=-1)
    knee = hip + np.array([0.0, -upper, 0.0])
    ankle = knee + lower * np.stack([nothing, -np.cos(bend), -np.sin(bend)], axis=-1)
    return hip, knee, ankle


LEFT = np.array([1.0, 0.0, 0.0])


def bend_of(hip: np.ndarray, knee: np.ndarray, ankle: np.ndarray, axis: np.ndarray) -> np.ndarray:
    return ik.HingeReach.of(knee - hip, ankle - knee, axis).bend


@given(
    st.floats(0.3, 2.2),
    st.floats(-0.1, 0.1),
    st.floats(-0.3, 0.3),
    st.floats(-0.3, 0.3),
)
def test_a_bent_limb_reaches_exactly_about_its_hinge(
    bend: float, up: float, side: float, ahead: float
) -> None:
    hip, knee, ankle = bent_leg(np.array([bend]))
    goal = ankle + np.array([side, up, ahead])
    length = np.linalg.norm(goal - hip)
    assume(0.2 < length < 0.86)
    solved = ik.solve_hinged(hip, knee, ankle, goal, LEFT[None])
    np.testing.assert_allclose(solved.end, goal, atol=1e-9)
    assert solved.shortfall[0] < 1e-9
    # Bones keep their lengths and the knee its side.
    assert np.linalg.norm(solved.middle - hip) == pytest.approx(0.45)
    assert np.linalg.norm(solved.end - solved.middle) == pytest.approx(0.42)
    axis = quat.rotate(solved.upper_turn, LEFT)
    assert bend_of(hip, solved.middle, solved.end, axis)[0] > 0.0


@given(st.floats(-0.2, 0.5), st.floats(-0.3, 0.3))
def test_no_limb_turns_to_its_wrong_side(bend: float, longer: float) -> None:
    """Whatever is asked, a knee stays short of straight, or where it was recorded past it."""
    hip, knee, ankle = bent_leg(np.array([bend]))
    goal = ankle + np.array([0.0, -longer, 0.0])
    solved = ik.solve_hinged(hip, knee, ankle, goal, LEFT[None])
    axis = quat.rotate(solved.upper_turn, LEFT)
    after = bend_of(hip, solved.middle, solved.end, axis)[0]
    assert after > min(bend, 0.0) - np.radians(2.0)


def test_a_limb_at_its_limit_passes_straight_as_smoothly_as_the_recorded_one() -> None:
    """Pulled out of reach while the recorded knee goes from bent to past straight."""
    time = np.linspace(0.0, 1.0, 1001)
    recorded = 0.15 * np.cos(np.pi * time)
    hip, knee, ankle = bent_leg(recorded)
    goal = ankle - np.array([0.0, 0.02, 0.0])
    axis = np.broadcast_to(LEFT, hip.shape)
    solved = ik.solve_hinged(hip, knee, ankle, goal, axis)
    bend = bend_of(hip, solved.middle, solved.end, quat.rotate(solved.upper_turn, axis))
    assert bend.min() < -0.14
    # A limit with a corner at straight would turn from rest to 0.47 radians per second at once.
    assert np.abs(np.gradient(np.gradient(bend, time), time)).max() < 15.0


def test_a_goal_where_the_limb_is_changes_nothing() -> None:
    bend = np.linspace(-0.15, 2.5, 40)
    hip, knee, ankle = bent_leg(bend)
    solved = ik.solve_hinged(hip, knee, ankle, ankle, np.broadcast_to(LEFT, hip.shape))
    np.testing.assert_allclose(solved.middle, knee, atol=1e-12)
    np.testing.assert_allclose(solved.end, ankle, atol=1e-12)


def test_a_limb_pulled_through_straight_bends_smoothly() -> None:
    """A goal that moves steadily out of reach and back: no snap at full extension."""
    time = np.linspace(0.0, 1.0, 2001)
    hip, knee, ankle = bent_leg(np.full(len(time), 0.5))
    goal = ankle - np.array([0.0, 1.0, 0.0]) * (0.08 * np.sin(np.pi * time) ** 2)[:, None]
    axis = np.broadcast_to(LEFT, hip.shape)
    solved = ik.solve_hinged(hip, knee, ankle, goal, axis)
    bend = bend_of(hip, solved.middle, solved.end, quat.rotate(solved.upper_turn, axis))
    assert 0.0 < bend.min() < 0.05
    speed = np.gradient(bend, time)
    # The pull is 0.25 leg lengths per second at most; a law of cosines alone has no bound.
    assert np.abs(speed).max() < 10.0
