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


def solved(motion: Motion, goal: np.ndarray, **options: object) -> tuple[Motion, ik.TwoBone]:
    positions, orientations = motion.forward()
    result = ik.solve_two_bones(
        *(positions[:, joint] for joint in LIMB),
        goal,
        **options,  # type: ignore[arg-type]
    )
    turned = np.array(motion.rotations)
    turned[:, list(LIMB)] = ik.apply_to_limb(turned, orientations, motion.skeleton, LIMB, result)
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
    distance = np.abs(a - b) + rng.uniform(0.0, 1.0, 12) * (a + b - np.abs(a - b))
    direction = rng.normal(size=(12, 3))
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    goal = motion.positions()[:, LIMB.upper] + distance[:, None] * direction
    moved, result = solved(motion, goal)
    np.testing.assert_allclose(
        moved.positions()[:, LIMB.end], goal, rtol=0, atol=1e-9 * scale * 100
    )
    np.testing.assert_allclose(result.shortfall, 0.0, atol=1e-9 * scale * 100)
    np.testing.assert_allclose(moved.positions()[:, LIMB.middle], result.middle, atol=1e-7 * scale)
    # The end joint keeps its global orientation: a foot stays as level as it was.
    np.testing.assert_allclose(
        quat.angle_between(moved.orientations()[:, LIMB.end], motion.orientations()[:, LIMB.end]),
        0.0,
        atol=1e-7,
    )


@given(seeds)
def test_a_goal_where_the_limb_already_is_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    motion = leg_motion(rng, 12)
    moved, result = solved(motion, motion.positions()[:, LIMB.end], soft=0.03)
    angles = quat.angle_between(moved.rotations, motion.rotations)
    np.testing.assert_allclose(angles, 0.0, atol=1e-7)
    np.testing.assert_allclose(result.shortfall, 0.0, atol=1e-10)


@given(seeds)
def test_the_middle_joint_stays_in_its_plane(seed: int) -> None:
    rng = np.random.default_rng(seed)
    motion = leg_motion(rng, 12)
    before = motion.positions()
    hip, knee, ankle = (before[:, joint] for joint in LIMB)
    a, b = bones(motion)
    distance = np.abs(a - b) + rng.uniform(0.1, 0.9, 12) * 2.0 * np.minimum(a, b)
    direction = quat.rotate(random_quaternions(rng, 12), np.array([0.0, -1.0, 0.0]))
    goal = hip + distance[:, None] * direction
    _, result = solved(motion, goal)
    first, second = knee - hip, ankle - knee
    normal = np.cross(first, second)
    new_normal = np.cross(result.middle - hip, result.end - result.middle)
    # Carried by the smallest turn from the old line hip-ankle onto the new one.
    swing = quat.between_vectors(ankle - hip, goal - hip)
    carried = quat.rotate(swing, normal)
    cosine = np.sum(carried * new_normal, axis=-1) / (
        np.linalg.norm(carried, axis=-1) * np.linalg.norm(new_normal, axis=-1)
    )
    np.testing.assert_allclose(cosine, 1.0, atol=1e-9)
    # A longer or shorter reach in the same direction turns both bones in the same plane.
    goal = hip + (ankle - hip) * rng.uniform(0.95, 1.02, (12, 1))
    _, result = solved(motion, goal)
    unit = normal / np.linalg.norm(normal, axis=-1, keepdims=True)
    off_plane = np.sum((result.middle - hip) * unit, axis=-1)
    np.testing.assert_allclose(off_plane, 0.0, atol=1e-8)


@given(seeds)
def test_goals_out_of_reach_are_approached_and_the_gap_is_told(seed: int) -> None:
    rng = np.random.default_rng(seed)
    motion = leg_motion(rng, 12)
    a, b = bones(motion)
    hip = motion.positions()[:, LIMB.upper]
    direction = rng.normal(size=(12, 3))
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    beyond = rng.uniform(0.1, 30.0, 12)
    goal = hip + direction * (a + b + beyond)[:, None]
    moved, result = solved(motion, goal)
    np.testing.assert_allclose(result.shortfall, beyond, rtol=1e-9)
    np.testing.assert_allclose(
        moved.positions()[:, LIMB.end], hip + direction * (a + b)[:, None], atol=1e-6
    )
    too_near = hip + direction * (0.5 * np.abs(a - b))[:, None]
    moved, result = solved(motion, too_near)
    np.testing.assert_allclose(result.shortfall, 0.5 * np.abs(a - b), atol=1e-9)


def straight_leg(frames: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    ones = np.ones((frames, 1))
    return ones * [0.0, 2.0, 0.0], ones * [0.0, 1.0, 0.0], ones * [0.0, 0.0, 0.0]


def test_a_straight_limb_bends_about_its_hinge() -> None:
    hip, knee, ankle = straight_leg(5)
    goal = ankle + np.array([0.0, 0.3, 0.0])
    forward = np.broadcast_to([1.0, 0.0, 0.0], (5, 3))
    # Turning the shin about +x moves the ankle towards -z, and the knee to +z.
    result = ik.solve_two_bones(hip, knee, ankle, goal, hinge=forward)
    assert np.all(result.middle[:, 2] > 0.1)
    np.testing.assert_allclose(result.middle[:, 0], 0.0, atol=1e-12)
    np.testing.assert_allclose(result.end, goal, atol=1e-12)
    # Without a hinge some plane is taken, and the goal still reached.
    result = ik.solve_two_bones(hip, knee, ankle, goal)
    np.testing.assert_allclose(result.end, goal, atol=1e-12)


def test_the_hinge_of_a_clip_is_found() -> None:
    rng = np.random.default_rng(3)
    bend = np.abs(rng.normal(size=(20, 1)))
    axis = np.array([0.8, 0.0, 0.6])
    skeleton = Skeleton(
        names=("hip", "knee", "ankle"),
        parents=np.array([-1, 0, 1]),
        offsets=np.array([[0.0, 2, 0], [0, -1, 0], [0, -1, 0]]),
    )
    turns = random_quaternions(rng, 20, 3)
    turns[:, 1] = quat.exp(bend * axis)
    motion = Motion(skeleton, 30.0, np.zeros((20, 3)), turns)
    positions, orientations = motion.forward()
    found = ik.hinge_axis(positions, orientations, ik.Limb(0, 1, 2))
    np.testing.assert_allclose(found, quat.rotate(turns[:, 0], axis), atol=1e-9)
    still = Motion(skeleton, 30.0, np.zeros((1, 3)), np.tile(quat.IDENTITY, (1, 3, 1)))
    assert np.all(ik.hinge_axis(*still.forward(), ik.Limb(0, 1, 2)) == 0.0)


def test_the_soft_limit_keeps_the_knee_from_snapping() -> None:
    """Pulled at constant speed through full extension, the knee's speed stays bounded."""
    count = 400
    hip, knee, ankle = straight_leg(count)
    knee = knee + np.array([0.0, 0.0, 0.5])
    pull = np.linspace(1.2, 2.3, count)
    goal = hip - pull[:, None] * [0.0, 1.0, 0.0]

    def knee_angles(soft: float) -> np.ndarray:
        result = ik.solve_two_bones(hip, knee, ankle, goal, soft=soft)
        relative = quat.multiply(quat.inverse(result.upper_turn), result.middle_turn)
        return quat.log(relative)[:, 0]

    snapping, eased = (np.abs(np.diff(knee_angles(soft), 2)).max() for soft in (0.0, 0.05))
    assert eased < 0.35 * snapping
    hard = ik.solve_two_bones(hip, knee, ankle, goal)
    soft = ik.solve_two_bones(hip, knee, ankle, goal, soft=0.05)
    full = np.linalg.norm(knee - hip, axis=-1) + np.linalg.norm(ankle - knee, axis=-1)
    near = pull < 0.95 * full
    np.testing.assert_array_equal(soft.end[near], hard.end[near])
    assert np.all(np.linalg.norm(soft.end - hip, axis=-1) < full)


@pytest.mark.parametrize("place", ["upper", "middle"])
def test_degenerate_limbs_give_finite_answers(place: str) -> None:
    hip, knee, ankle = straight_leg(4)
    ankle = hip.copy() if place == "upper" else knee.copy()
    for goal in (hip, knee, ankle, hip + np.array([0.0, -1.0, 1.0])):
        result = ik.solve_two_bones(hip, knee, ankle, goal, soft=0.02)
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


def test_a_hinged_limb_does_not_swing_where_it_passes_straight() -> None:
    # A leg that swings slowly through straight, its knee a little off the hinge's plane; the
    # goal asks for a bend of its own in every frame.
    angle = np.linspace(-0.06, 0.06, 61)
    aside = 0.02
    upper = np.zeros((61, 3))
    middle = np.stack([np.full(61, aside), -np.cos(angle), np.sin(angle)], axis=1)
    end = np.tile([0.0, -2.0 * np.cos(angle.max()), 0.0], (61, 1))
    goal = np.tile([0.0, -1.9, 0.0], (61, 1))
    hinge = np.tile([1.0, 0.0, 0.0], (61, 1))
    solved = ik.solve_two_bones(upper, middle, end, goal, hinge=hinge, hinged=True)
    np.testing.assert_allclose(solved.end, goal, atol=1e-9)
    np.testing.assert_allclose(solved.middle[:, 0], aside, atol=1e-3)
    assert np.abs(np.diff(solved.middle, axis=0)).max() < 2e-3
    # It bends one way throughout: the way that the hinge turns.
    assert np.ptp(np.sign(solved.middle[:, 2])) == 0.0


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
    assert after > min(bend, 0.0) - np.radians(1.0)


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
