"""Goals: met, close to the original pose, feet where they were; out of reach is said."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.hinges import find_hinges
from motionweave.body.pose.axes import joint_forward
from motionweave.body.rig.parts import joints_called
from motionweave.core import kinematics, rotations
from motionweave.errors import QualityWarning
from motionweave.methods.warping import posing
from motionweave.methods.warping.aims import Aim
from motionweave.methods.warping.moments import frame_of, stances
from motionweave.methods.warping.posing import PosableBody, SolvedPose
from tests.strategies import random_quaternions, random_skeleton


@pytest.fixture(scope="module")
def walk():
    return mw.sample("walk")


@pytest.fixture(scope="module")
def leg(walk):
    from motionweave.body.rig.roles import leg_length

    return leg_length(walk.skeleton)


def place(motion, name, frame, beyond=(0.0, 0.0, 0.0)):
    """Where a joint is, or a point so far beyond it."""
    return motion.positions()[frame, motion.skeleton.index(name)] + np.array(beyond)


def test_a_hand_goal_is_met_by_one_key(walk, leg):
    goal = place(walk, "RightHand", 41, (0.1, 0.35, 0.2))
    warped = mw.warp(walk, [mw.Key(41, "right_hand", goal=goal)])
    assert np.linalg.norm(place(warped, "RightHand", 41) - goal) < 1e-6 * leg
    np.testing.assert_array_equal(warped.rotations[:16], walk.rotations[:16])
    np.testing.assert_array_equal(warped.rotations[66:], walk.rotations[66:])
    for name in ("LeftFoot", "RightFoot"):
        there, here = (m.positions()[:, walk.skeleton.index(name)] for m in (warped, walk))
        # Knees that are all but straight stay calm at the price of a little of the foot's way.
        away = np.linalg.norm(there - here, axis=1)
        assert away.max() < 0.04 * leg
        for first, last in stances(walk, name.removesuffix("Foot").lower()):
            assert away[int(np.ceil(first)) : int(last) + 1].max() < 0.012 * leg
        np.testing.assert_array_equal(there[:16], here[:16])


def test_several_goals_of_one_frame_are_met_together(walk, leg):
    goals = {"left_hand": (0.0, 0.3, 0.2), "right_hand": (0.0, 0.4, 0.1), "hips": (0, -0.1, 0)}
    warped = mw.warp(walk, [mw.Key(45, part, offset=o) for part, o in goals.items()])
    for name, part in (("LeftHand", "left_hand"), ("RightHand", "right_hand"), ("Hips", "hips")):
        moved = place(warped, name, 45) - place(walk, name, 45)
        facing = mw.Planar(-_facing(walk, 45)).apply(moved)
        np.testing.assert_allclose(facing, goals[part], atol=1e-5)


def _facing(motion, frame):
    from motionweave.body.pose.heading import facing

    return facing(motion)[frame]


def test_goals_of_two_frames_do_not_disturb_each_other(walk, leg):
    a, b = place(walk, "RightHand", 30, (0, 0.3, 0)), place(walk, "LeftHand", 42, (0, 0.3, 0))
    warped = mw.warp(walk, [mw.Key(30, "right_hand", goal=a), mw.Key(42, "left_hand", goal=b)])
    assert np.linalg.norm(place(warped, "RightHand", 30) - a) < 1e-6 * leg
    assert np.linalg.norm(place(warped, "LeftHand", 42) - b) < 1e-6 * leg


@pytest.mark.parametrize("other", [("left_hand", (0.0, 0.15, 0.1)), ("hips", (0.05, -0.1, 0.0))])
@pytest.mark.parametrize("later", [1, 2, 3])
def test_goals_of_different_joints_a_moment_apart_do_not_jerk_the_body(walk, leg, other, later):
    keys = [
        mw.Key(40, "right_hand", offset=(0.2 * leg, 0.1 * leg, 0.2 * leg)),
        mw.Key(40 + later, other[0], offset=np.multiply(other[1], leg)),
    ]

    def hardest(motion):
        return np.linalg.norm(np.diff(motion.positions(), 2, axis=0), axis=-1).max()

    own = [walk, *(mw.warp(walk, key) for key in keys)]
    assert hardest(mw.warp(walk, keys)) < 1.1 * max(hardest(motion) for motion in own)


@pytest.mark.parametrize(
    ("part", "offset"), [("hips", (0, -0.12, 0)), ("left_hand", (0, 0.3, 0.2))]
)
def test_a_hand_that_is_held_goes_along_with_what_the_rest_does_meanwhile(part, offset):
    stand = mw.sample("stand")
    hold = mw.Key(20, "right_hand", offset=(0, 0.2, 0.1), unit="leg", until=50)
    other = mw.Key(35, part, offset=offset, unit="leg")

    def hardest(motion):
        return np.linalg.norm(np.diff(motion.positions(), 2, axis=0), axis=-1).max()

    own = [hardest(mw.warp(stand, key)) for key in (hold, other)]
    assert hardest(mw.warp(stand, [hold, other])) < 1.6 * max(own)


def test_the_body_does_not_stop_again_and_again_while_a_hand_is_held():
    walk = mw.sample("walk", fps=120.0)
    ahead = place(walk, "RightHand", 120, (0, 0.1, 0.5))
    held = mw.warp(walk, mw.Key(80, "right_hand", goal=ahead, until=180))
    lean = held.root - walk.root
    speed = np.linalg.norm(np.diff(lean, axis=0), axis=1)[90:170]
    assert speed.min() > 0.05 * speed.max()


@pytest.mark.filterwarnings("ignore::motionweave.errors.QualityWarning")
@pytest.mark.parametrize(("first", "last"), [(20, 32), (30, 44), (50, 62)])
def test_a_foot_that_is_held_while_the_body_walks_on_stays_and_sets_off_without_a_jerk(
    walk, leg, first, last
):
    there = place(walk, "LeftFoot", (first + last) // 2, (0.0, 0.1 * leg, 0.0))
    held = mw.warp(walk, mw.Key(first, "left_foot", goal=there, until=last))
    foot = walk.skeleton.index("LeftFoot")
    away = np.linalg.norm(held.positions()[first : last + 1, foot] - there, axis=1)
    assert away.max() < 0.0125 * leg
    hardest = [
        np.linalg.norm(np.diff(motion.positions()[:, foot], 2, axis=0), axis=-1).max()
        for motion in (held, walk)
    ]
    assert hardest[0] < 2.0 * hardest[1]


def test_a_goal_of_one_hand_says_nothing_about_the_other(walk, leg):
    keys = [
        mw.Key(at, f"{side}_hand", offset=(0, 0.3, 0)) for at, side in ((25, "right"), (60, "left"))
    ]
    arm = walk.skeleton.index("RightForeArm")
    one, both = (mw.warp(walk, these) for these in (keys[:1], keys))
    np.testing.assert_allclose(both.rotations[:, arm], one.rotations[:, arm], atol=1e-3)


@pytest.mark.parametrize("base", ["right_hand", "chest", "head", "hips"])
def test_a_goal_relative_to_a_joint_is_met_where_that_joint_ends_up(walk, leg, base):
    goal = np.array([0.1, -0.1, 0.35]) * leg
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warped = mw.warp(walk, mw.Key(40, "left_hand", goal=goal, of=base))
    joints = [joints_called(name, mw.find_rig(walk.skeleton))[0] for name in ("left_hand", base)]
    hand, there = warped.positions()[40, joints]
    seen = mw.Planar(-_facing(walk, 40)).apply(hand - there)
    np.testing.assert_allclose(seen, goal, atol=1e-5)


def test_keys_of_joints_hold_beside_goals(walk, leg):
    arm = walk.skeleton.index("LeftArm")
    wanted = rotations.multiply(rotations.about_axis("X", 0.3), walk.rotations[36, arm])
    goal = place(walk, "LeftHand", 45, (0.0, 0.2, 0.1))
    keys = [mw.Key(36, "LeftArm", rotation=wanted), mw.Key(45, "left_hand", goal=goal)]
    warped = mw.warp(walk, keys)
    assert rotations.angle_between(warped.rotations[36, arm], wanted) < 1e-9
    assert np.linalg.norm(place(warped, "LeftHand", 45) - goal) < 1e-6 * leg


def test_an_axis_without_a_goal_is_free(walk, leg):
    warped = mw.warp(walk, [mw.Key(41, "head", goal=(None, 1.4, None))])
    assert place(warped, "Head", 41)[1] == pytest.approx(1.4, abs=1e-6)


def test_the_head_looks_at_a_point(walk):
    point = place(walk, "Head", 41, (1.5, 0.5, 2.0))
    warped = mw.warp(walk, [mw.Key(41, "head", look_at=point)])
    head = walk.skeleton.index("Head")
    forward = rotations.rotate(warped.orientations()[41, head], joint_forward(walk, head))
    wanted = point - place(warped, "Head", 41)
    assert np.linalg.norm(forward - wanted / np.linalg.norm(wanted)) < 1e-5


def test_out_of_reach_gives_the_nearest_pose_and_says_how_far_off(walk, leg):
    goal = place(walk, "RightHand", 41, (0.0, 3.0, 0.0))
    with pytest.warns(QualityWarning, match=r"out of reach.*% of leg length"):
        warped = mw.warp(walk, [mw.Key(41, "right_hand", goal=goal)])
    assert np.all(np.isfinite(warped.rotations))
    # Stretched towards the goal as far as the body goes.
    assert place(warped, "RightHand", 41)[1] > place(walk, "RightHand", 41)[1] + 0.9 * leg
    arm = [place(warped, name, 41) for name in ("RightArm", "RightForeArm", "RightHand")]
    bones = np.linalg.norm(arm[1] - arm[0]) + np.linalg.norm(arm[2] - arm[1])
    assert np.linalg.norm(arm[2] - arm[0]) > 0.97 * bones


def test_knees_bend_the_way_knees_do(walk):
    warped = mw.warp(walk, [mw.Key(45, "hips", offset=(0, -0.35, 0))])
    for side in ("Left", "Right"):
        hip, knee, ankle = (
            warped.positions()[30:60, walk.skeleton.index(f"{side}{part}")]
            for part in ("UpLeg", "Leg", "Foot")
        )
        # Travelling along +z: the knee is in front of the line from hip to ankle.
        middle = 0.5 * (hip + ankle)
        assert np.all(knee[:, 2] - middle[:, 2] > 0.0)


def test_a_knee_that_is_bent_backwards_slightly_bends_in_a_crouch(walk):
    hinge = find_hinges(walk)["left_shin"]
    positions, orientations = walk.forward()
    parent = int(walk.skeleton.parents[hinge.joint])
    axis = rotations.rotate(orientations[:, hinge.upper], hinge.axis)
    axis = rotations.rotate(rotations.inverse(orientations[:, parent]), axis)
    back = -0.07 - hinge.flexion(positions, orientations)
    local = np.array(walk.rotations)
    turn = rotations.exp(axis * back[:, None])
    local[:, hinge.joint] = rotations.multiply(turn, local[:, hinge.joint])
    straight = replace(walk, rotations=local)
    at = round(frame_of("middle of 2nd left stance", straight))
    low = mw.warp(straight, mw.Key(at, "hips", offset=(0, -0.2, 0), unit="leg"))
    assert np.degrees(hinge.flexion(*low.forward())[at]) > 40.0
    # The pelvis does not turn instead.
    turned = rotations.angle_between(low.rotations[at, 0], straight.rotations[at, 0])
    assert np.degrees(turned) < 10.0


def _random_body(rng):
    skeleton = random_skeleton(rng, 8)
    pose = SolvedPose(rng.normal(size=3), random_quaternions(rng, 8))
    return PosableBody(skeleton, np.array(skeleton.offsets), np.ones(8), 4.0, 1.0), pose


def test_derivatives_are_those_of_finite_differences():
    rng = np.random.default_rng(2)
    body, pose = _random_body(rng)
    aims = [
        Aim(7, position=rng.normal(size=3)),
        Aim(6, position=np.array([np.nan, 0.3, np.nan])),
        Aim(5, direction=np.stack([[0, 0, 1.0], [0.0, 50.0, 900.0]])),
        Aim(7, position=rng.normal(size=3), tip=rng.normal(size=3), base=4),
        Aim(3, position=rng.normal(size=3), base=7),
    ]
    problem = posing._Problem(body, pose, aims)
    slopes = problem.derivatives(pose)
    base = problem.errors(pose)
    for column in range(problem.count):
        step = np.zeros(problem.count)
        step[column] = 1e-6
        found = (problem.errors(problem.moved(pose, step)) - base) / 1e-6
        np.testing.assert_allclose(slopes[:, column], found, atol=1e-2)


def test_an_orientation_relative_to_a_joint_is_found_by_turning_both():
    rng = np.random.default_rng(4)
    body, start = _random_body(rng)
    wanted = random_quaternions(rng, 1)[0]
    found = posing.solve(body, start, [Aim(7, orientation=wanted, base=3)])
    _, turned = kinematics.forward(
        body.skeleton.parents, body.offsets, found.root[None], found.rotations[None]
    )
    relative = rotations.multiply(rotations.inverse(turned[0, 3]), turned[0, 7])
    assert rotations.angle_between(relative, wanted) < 1e-6


def test_compiled_derivatives_are_those_of_plain_numpy():
    rng = np.random.default_rng(3)
    body, pose = _random_body(rng)
    aims = [
        Aim(7, 2.0, position=np.array([0.1, np.nan, 0.3]), tip=rng.normal(size=3)),
        Aim(6, position=rng.normal(size=3)),
        Aim(5, direction=rng.normal(size=(2, 3))),
        Aim(4, 3.0, orientation=random_quaternions(rng, 1)[0]),
    ]
    problem = posing._Problem(body, pose, aims)
    (positions, turned), _ = problem.forward(pose)
    found = problem.derivatives(pose).reshape(4, 3, problem.count)
    for row, aim in zip(found, aims, strict=True):
        arm, asked = np.zeros(3), np.ones(3)
        if aim.position is not None:
            tip = np.zeros(3) if aim.tip is None else aim.tip
            arm = positions[aim.joint] + rotations.rotate(turned[aim.joint], tip)
            asked = np.isfinite(aim.position) * 1.0
        elif aim.direction is not None:
            arm = rotations.rotate(turned[aim.joint], aim.direction[0])
        expected = np.zeros((3, problem.count))
        for joint in body.skeleton.chain(0, aim.joint):
            if joint == aim.joint and aim.position is not None and aim.tip is None:
                continue
            parent = int(body.skeleton.parents[joint])
            axes = np.eye(3) if parent < 0 else rotations.to_matrix(turned[parent]).T
            if aim.orientation is None:
                middle = positions[joint] if aim.position is not None else 0.0
                axes = np.cross(axes, arm - middle)
            expected[:, 3 * joint : 3 * joint + 3] = axes.T
        if aim.position is not None:
            expected[:, -3:] = np.eye(3)
        np.testing.assert_allclose(row, aim.weight * asked[:, None] * expected, atol=1e-12)


def test_steps_turn_joints_as_quaternions_do():
    """The compiled step against plain NumPy: small turns and large ones, and joints that stay."""
    rng = np.random.default_rng(11)
    body, start = _random_body(rng)
    stiffness = np.where(np.arange(8) == 3, np.inf, 1.0)
    body = replace(body, stiffness=stiffness)
    problem = posing._Problem(body, start, [Aim(7, position=np.zeros(3))])
    for size in (0.0, 1e-13, 1e-3, 4.0):
        step = size * rng.normal(size=problem.count)
        pose = problem.moved(start, step)
        free = [0, 1, 2, 4, 5, 6, 7]
        turns = rotations.exp(step[:-3].reshape(-1, 3))
        expected = np.array(start.rotations)
        expected[free] = rotations.multiply(turns, start.rotations[free])
        np.testing.assert_allclose(pose.rotations, expected, atol=1e-14)
        apart = rotations.multiply(expected[free], rotations.inverse(start.rotations[free]))
        turned = problem.turn(pose)
        np.testing.assert_allclose(turned[:-3], rotations.log(apart).ravel(), atol=1e-13)
        np.testing.assert_allclose(turned[-3:], step[-3:], atol=1e-13)


def test_a_goal_is_reached_along_the_limit_of_an_elbow():
    """High above the head the arm gets straight on the way; the body then does the rest."""
    jab = mw.sample("jab")
    high = (-0.2, 0.7, 0.0)
    warped = mw.warp(jab, [mw.Key(15, "left_hand", offset=high)], clean=False)
    moved = place(warped, "LeftHand", 15) - place(jab, "LeftHand", 15)
    facing = mw.Planar(-_facing(jab, 15)).apply(moved)
    np.testing.assert_allclose(facing, high, atol=1e-5)


def test_the_pose_found_is_the_nearest_one():
    """No pose that also meets the goal is nearer: found by pushing along the free directions."""
    rng = np.random.default_rng(5)
    body, start = _random_body(rng)
    joint = 7
    places, _ = kinematics.forward(
        body.skeleton.parents, body.offsets, start.root[None], start.rotations[None]
    )
    goal = places[0, joint] + 0.3 * rng.normal(size=3)
    aims = [Aim(joint, position=goal)]
    found = posing.solve(body, start, aims)
    assert np.linalg.norm(posing.joint_position(body, found, joint) - goal) < 1e-6

    def cost(pose):
        turn = rotations.angle_between(pose.rotations, start.rotations)
        return np.sum(turn**2) + 4.0 * np.sum((pose.root - start.root) ** 2)

    problem = posing._Problem(body, start, aims)
    slopes = problem.derivatives(found)
    for _ in range(20):
        step = rng.normal(size=problem.count)
        step -= np.linalg.pinv(slopes) @ (slopes @ step)
        for sign in (-1e-3, 1e-3):
            other = problem.moved(found, sign * step / np.linalg.norm(step))
            assert cost(other) > cost(found) - 1e-6


def told_of(walk, key):
    """By how much a warp says that a key is missed, in leg lengths, for every time it says so."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mw.warp(walk, key)
    found = [re.search(r"out of reach.*\((\S+) % of leg", str(w.message)) for w in caught]
    return [0.01 * float(miss[1]) for miss in found if miss]


def test_a_key_of_every_step_that_is_out_of_reach_is_told_of_once(walk, leg):
    assert len(told_of(walk, mw.Key("every right stance", "hips", offset=(0, 0.12 * leg, 0)))) == 1


def test_a_miss_that_nobody_sees_is_not_told_of(walk, leg):
    heights = np.arange(0.02, 0.13, 0.01)
    told = [told_of(walk, mw.Key("50%", "hips", offset=(0, h * leg, 0))) for h in heights]
    missed = [miss for each in told for miss in each]
    assert 0 < len(missed) < len(heights)
    assert min(missed) >= 0.01


@pytest.mark.parametrize("frame", [30, 55])
def test_hips_pulled_up_stop_before_a_leg_is_straight_and_say_so(walk, leg, frame):
    key = mw.Key(frame, "hips", offset=(0.0, 0.1, 0.1), unit="leg")
    with pytest.warns(mw.QualityWarning) as caught:
        warped = mw.warp(walk, key)
    assert [str(one.message).split(";")[0] for one in caught] == [f"{key}: out of reach"]
    # They come as near as the legs allow.
    assert warped.root[frame, 1] > walk.root[frame, 1] + 0.01 * leg
    for side in ("left", "right"):
        moved = (warped.positions() - walk.positions())[
            :, walk.skeleton.index(f"{side.title()}Foot")
        ]
        for first, last in stances(walk, side):
            assert np.linalg.norm(moved[int(np.ceil(first)) : int(last) + 1], axis=1).max() < (
                0.012 * leg
            )
    own, now = (np.abs(np.diff(m.root, 2, axis=0)).max() for m in (walk, warped))
    assert now < 1.5 * own
