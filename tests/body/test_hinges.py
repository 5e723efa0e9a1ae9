"""Knees and elbows of posed and moving limbs, whatever the zero pose."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import motionweave as mw
from motionweave import samples
from motionweave.body.hinges import find_hinges, wrong_bends
from motionweave.body.pose.axes import joint_forward, part_axes, rest_axes
from motionweave.body.pose.flexion import flexions
from motionweave.body.pose.heading import facing
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.size import body_height
from motionweave.core import rotations
from tests.rests import with_other_rest


def _bent(joint: str, axis: str, degrees: float) -> mw.Motion:
    """The walk with one joint turned the same in all frames."""
    walk = mw.sample("walk")
    turned = np.array(walk.rotations)
    turned[:, walk.skeleton.index(joint)] = rotations.about_axis(axis, np.radians(degrees))
    return mw.Motion(walk.skeleton, walk.fps, walk.root, turned)


@pytest.mark.parametrize("name", samples.names())
def test_built_in_clips_bend_the_right_way(name: str) -> None:
    motion = mw.sample(name)
    assert wrong_bends(motion) == []
    hinges = find_hinges(motion)
    assert set(hinges) == {"left_shin", "right_shin", "left_forearm", "right_forearm"}
    for role in ("left_shin", "right_shin"):
        # The character's knees bend about its left, by the build of its rest pose.
        assert hinges[role].axis @ [1.0, 0.0, 0.0] > 0.95, role


@pytest.mark.parametrize("degrees", [10.0, 30.0, 80.0])
def test_a_knee_that_is_bent_forwards_all_the_time_is_found(degrees: float) -> None:
    broken = _bent("LeftLeg", "X", -degrees)
    found = {broken.skeleton.names[joint]: facts for joint, facts in wrong_bends(broken)}
    assert set(found) == {"LeftLeg"}
    frames, worst, _ = found["LeftLeg"]
    assert frames == len(broken)
    assert worst == pytest.approx(degrees, abs=3.0)


def test_a_knee_that_is_never_bent_has_the_axis_of_the_build() -> None:
    straight = _bent("LeftLeg", "X", 0.0)
    assert find_hinges(straight)["left_shin"].axis @ [1.0, 0.0, 0.0] > 0.9


@given(seed=st.integers(0, 2**32 - 1), name=st.sampled_from(["walk", "jog", "jab", "dance_a"]))
@settings(max_examples=12)
def test_the_zero_pose_has_no_say(seed: int, name: str) -> None:
    motion = mw.sample(name)
    other = with_other_rest(motion, seed)
    np.testing.assert_allclose(other.positions(), motion.positions(), atol=1e-9)
    positions, turned = motion.forward()
    positions_too, turned_too = other.forward()
    for role, hinge in find_hinges(motion).items():
        angle = hinge.flexion(positions, turned)
        same = find_hinges(other)[role].flexion(positions_too, turned_too)
        np.testing.assert_allclose(same, angle, atol=1e-9)
    assert wrong_bends(other) == []
    np.testing.assert_allclose(facing(other), facing(motion), atol=1e-9)
    assert body_height(other.skeleton) == pytest.approx(body_height(motion.skeleton), rel=1e-9)
    assert tpose_frames(other) == tpose_frames(motion)


@pytest.mark.parametrize("seed", range(4))
def test_flexion_without_a_usable_rest_pose(seed: int) -> None:
    """Up to where a part is neutral, which is then taken from the motion."""
    for name in ("walk", "jog"):
        motion = mw.sample(name)
        other = with_other_rest(motion, seed)
        assert rest_axes(other.skeleton) is None
        expected = flexions(motion)
        for joint, angle in flexions(other).items():
            apart = np.degrees(angle - expected[joint])
            assert np.ptp(apart) < 12.0, joint
            assert abs(np.median(apart)) < 15.0, joint


def test_axes_from_motion_are_those_of_the_rest_pose() -> None:
    motion = mw.sample("walk")
    other = with_other_rest(motion, 5)
    for part in ("hips", "chest"):
        joint = mw.find_rig(motion.skeleton).roles[part]
        rest = rotations.rotate(motion.orientations()[:, None, joint], part_axes(motion, part))
        found = rotations.rotate(other.orientations()[:, None, joint], part_axes(other, part))
        cosine = np.sum(rest * found, axis=-1)
        assert cosine.min() > np.cos(np.radians(15.0)), part


def test_where_a_head_looks() -> None:
    motion = mw.sample("walk")
    head = mw.find_rig(motion.skeleton).roles["head"]
    other = with_other_rest(motion, 6)
    one = rotations.rotate(motion.orientations()[:, head], joint_forward(motion, head))
    two = rotations.rotate(other.orientations()[:, head], joint_forward(other, head))
    assert np.sum(one * two, axis=-1).min() > np.cos(np.radians(15.0))
