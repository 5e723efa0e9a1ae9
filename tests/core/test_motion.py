"""Motions: kinematics against plain NumPy, time, place, and refusals."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import motionweave as mw
from motionweave import Constraint, Motion, MotionError, Planar, RigError, Skeleton, concatenate
from motionweave.core import rotations
from motionweave.core.motion import local_translations
from tests.strategies import motions, random_motion, random_quaternions


def plain_forward(motion: Motion) -> tuple[np.ndarray, np.ndarray]:
    """Forward kinematics one joint after the other, as a textbook has it."""
    parents = motion.skeleton.parents
    moves = local_translations(motion)
    positions = np.zeros((len(motion), len(motion.skeleton), 3))
    orientations = np.zeros((len(motion), len(motion.skeleton), 4))
    positions[:, 0], orientations[:, 0] = motion.root, motion.rotations[:, 0]
    for j in range(1, len(motion.skeleton)):
        parent = orientations[:, parents[j]]
        positions[:, j] = positions[:, parents[j]] + rotations.rotate(parent, moves[:, j])
        orientations[:, j] = rotations.multiply(parent, motion.rotations[:, j])
    return positions, orientations


def with_sliding_bones(motion: Motion, seed: int = 3) -> Motion:
    shape = (len(motion), len(motion.skeleton), 3)
    moves = np.random.default_rng(seed).normal(size=shape)
    return Motion(motion.skeleton, motion.fps, motion.root, motion.rotations, moves)


@given(motions())
def test_forward_kinematics(motion: Motion) -> None:
    for clip in (motion, with_sliding_bones(motion)):
        positions, orientations = plain_forward(clip)
        np.testing.assert_allclose(clip.positions(), positions, atol=1e-12)
        np.testing.assert_allclose(clip.orientations(), orientations, atol=1e-12)
        ends = clip.skeleton.end_parents
        tips = positions[:, ends] + rotations.rotate(
            orientations[:, ends], clip.skeleton.end_offsets
        )
        np.testing.assert_allclose(clip.end_positions(), tips, atol=1e-12)


@given(motions())
def test_the_rest_pose_is_the_pose_of_no_rotation(motion: Motion) -> None:
    skeleton = motion.skeleton
    still = np.tile(rotations.IDENTITY, (1, len(skeleton), 1))
    rest = Motion(skeleton, 30.0, skeleton.offsets[:1], still)
    np.testing.assert_allclose(rest.positions()[0], skeleton.rest_positions, atol=1e-12)
    np.testing.assert_allclose(rest.end_positions()[0], skeleton.rest_end_positions, atol=1e-12)


@given(motions(min_frames=2))
def test_sampling_whole_frames_is_exact_and_between_is_slerp(motion: Motion) -> None:
    every = motion.sample(np.arange(len(motion)))
    assert np.array_equal(every.rotations, motion.rotations)
    assert np.array_equal(every.root, motion.root)
    between = np.arange(len(motion) - 1) + 0.3
    part = motion.sample(between)
    share = np.full(part.rotations.shape[:2], 0.3)
    expected = rotations.slerp(motion.rotations[:-1], motion.rotations[1:], share)
    assert np.all(rotations.angle_between(part.rotations, expected) < 1e-6)
    np.testing.assert_allclose(part.root, 0.7 * motion.root[:-1] + 0.3 * motion.root[1:])


def test_sampling_takes_the_short_way_past_a_half_turn() -> None:
    skeleton = Skeleton(("root",), [-1], np.zeros((1, 3)))
    turns = rotations.about_axis("Z", np.radians([170.0, 190.0]))[:, None]
    for sign in (1.0, -1.0):
        clip = Motion(skeleton, 30, np.zeros((2, 3)), turns * np.array([1.0, sign])[:, None, None])
        middle = clip.sample([0.5]).rotations[0, 0]
        angle = rotations.angle_between(middle, rotations.about_axis("Z", np.pi))
        assert angle < 1e-9


def test_sampling_carries_sliding_bones_and_refuses_frames_outside() -> None:
    clip = with_sliding_bones(random_motion(np.random.default_rng(1), 5, 3))
    assert clip.translations is not None
    sampled = clip.sample([1.5]).translations
    assert sampled is not None
    np.testing.assert_allclose(sampled[0], clip.translations[1:3].mean(0))
    with pytest.raises(MotionError, match="frames 0 to 4"):
        clip.sample([4.2])
    with pytest.raises(MotionError, match="one or more"):
        clip.sample([])


@given(motions(min_frames=3), st.sampled_from([15.0, 24.0, 60.0, 120.0, 29.97]))
def test_resampling_keeps_the_time(motion: Motion, fps: float) -> None:
    contact = Constraint(0.5, len(motion) - 1.0, "left_toe")
    other = motion.with_constraints([contact]).resample(fps)
    assert other.fps == fps
    assert motion.duration - 1.0 / fps < other.duration + 1e-5 <= motion.duration + 2e-5
    assert np.array_equal(other.root[0], motion.root[0])
    for c in other.constraints:
        assert c.start / fps == pytest.approx(0.5 / motion.fps, abs=1.0 / fps)
    back = motion.resample(motion.fps * 4).resample(motion.fps)
    np.testing.assert_allclose(back.root, motion.root, atol=1e-9)


def test_slices_shift_and_clip_constraints() -> None:
    clip = random_motion(np.random.default_rng(2), 20, 2)
    clip = clip.with_constraints([Constraint(2, 8, "left_toe"), Constraint(15, 18, "right_toe")])
    part = clip[5:12]
    assert len(part) == 7
    assert part.constraints == (Constraint(0, 3, "left_toe"),)
    half = clip[::2]
    assert half.fps == 15.0
    assert half.constraints[0] == Constraint(1, 4, "left_toe")
    assert len(clip[-1]) == 1
    assert np.array_equal(clip[-1].root[0], clip.root[-1])
    for wrong in (20, -21):
        with pytest.raises(MotionError, match="20 frames"):
            clip[wrong]
    with pytest.raises(MotionError, match="contains none"):
        clip[7:7]
    with pytest.raises(MotionError, match="forwards"):
        clip[::-1]


@given(motions(), st.floats(-7, 7), st.floats(-9, 9), st.floats(-9, 9))
def test_moving_moves_every_joint_rigidly(motion: Motion, angle: float, x: float, z: float) -> None:
    move = Planar(angle, x, z)
    moved = motion.moved(move)
    np.testing.assert_allclose(moved.positions(), move.apply(motion.positions()), atol=1e-9)
    assert np.array_equal(moved.rotations[:, 1:], motion.rotations[:, 1:])
    np.testing.assert_allclose(moved.moved(move.inverse()).root, motion.root, atol=1e-9)


@given(motions())
def test_scaling_scales_every_position(motion: Motion) -> None:
    scaled = with_sliding_bones(motion).scaled(2.5)
    expected = 2.5 * with_sliding_bones(motion).positions()
    np.testing.assert_allclose(scaled.positions(), expected, atol=1e-9)


def symmetric_motion(frames: int = 6) -> Motion:
    skeleton = Skeleton(
        ("hips", "left", "right", "left_tip", "right_tip"),
        [-1, 0, 0, 1, 2],
        [[0, 1, 0], [0.2, -0.1, 0.1], [-0.2, -0.1, 0.1], [0.1, -1, 0], [-0.1, -1, 0]],
    )
    rng = np.random.default_rng(5)
    contacts = (Constraint(1, 2, "left_toe"), Constraint(3, 4, "right_toe"))
    turned = random_quaternions(rng, frames, 5)
    return Motion(skeleton, 30, rng.normal(size=(frames, 3)), turned, constraints=contacts)


def test_mirroring_reflects_every_position_and_is_its_own_inverse() -> None:
    motion = symmetric_motion()
    swap, kinds = [0, 2, 1, 4, 3], {"left_toe": "right_toe", "right_toe": "left_toe"}
    mirrored = motion.mirrored(swap, kinds)
    reflected = motion.positions()[:, swap] * [-1.0, 1.0, 1.0]
    np.testing.assert_allclose(mirrored.positions(), reflected, atol=1e-12)
    assert mirrored.constraints[0] == Constraint(1, 2, "right_toe")
    again = mirrored.mirrored(swap, kinds)
    np.testing.assert_allclose(again.positions(), motion.positions(), atol=1e-12)
    assert again.constraints == motion.constraints


def test_concatenation_keeps_frames_and_shifts_constraints() -> None:
    a = symmetric_motion(6)
    b = with_sliding_bones(a[2:])
    joined = concatenate([a, b])
    assert len(joined) == 10
    np.testing.assert_allclose(joined.positions()[:6], a.positions())
    np.testing.assert_allclose(joined.positions()[6:], b.positions())
    twice = concatenate([a, a])
    assert Constraint(7, 8, "left_toe") in twice.constraints
    with pytest.raises(MotionError, match="resample"):
        concatenate([a, a.resample(60)])
    longer = a.scaled(1.5)
    assert concatenate([a, longer]).skeleton == a.skeleton
    with pytest.raises(MotionError, match="got none"):
        concatenate([])


def test_arrays_that_make_no_motion_are_refused() -> None:
    good = symmetric_motion(3)
    with pytest.raises(MotionError, match="shape"):
        Motion(good.skeleton, 30, good.root[:2], good.rotations)
    with pytest.raises(MotionError, match="frame rate"):
        Motion(good.skeleton, 0, good.root, good.rotations)
    with pytest.raises(MotionError, match="finite"):
        Motion(good.skeleton, 30, good.root * np.nan, good.rotations)
    broken = np.array(good.rotations)
    broken[1, 2] = 0.0
    with pytest.raises(MotionError, match="'right' at frame 1"):
        Motion(good.skeleton, 30, good.root, broken)


def test_a_motion_cannot_be_changed_in_place_nor_through_its_inputs() -> None:
    root = np.zeros((2, 3))
    skeleton = Skeleton(("root",), [-1], np.zeros((1, 3)))
    clip = Motion(skeleton, 30, root, np.tile(rotations.IDENTITY, (2, 1, 1)))
    root[0] = 7.0
    assert clip.root[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        clip.root[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        clip.skeleton.offsets[0] = 1.0


# Skeletons


def test_a_skeleton_that_is_no_tree_is_refused() -> None:
    with pytest.raises(MotionError, match="unique"):
        Skeleton(("a", "a"), [-1, 0], np.zeros((2, 3)))
    with pytest.raises(MotionError, match="parents"):
        Skeleton(("a", "b"), [-1, 1], np.zeros((2, 3)))
    with pytest.raises(MotionError, match="parents"):
        Skeleton(("a", "b"), [-1, -1], np.zeros((2, 3)))
    with pytest.raises(MotionError, match=r"\(2, 3\)"):
        Skeleton(("a", "b"), [-1, 0], np.zeros((3, 3)))
    with pytest.raises(MotionError, match="at least one"):
        Skeleton((), [], np.zeros((0, 3)))


def test_names_chains_and_differences() -> None:
    skeleton = symmetric_motion().skeleton
    assert skeleton.index("left_tip") == 3
    with pytest.raises(RigError, match="did you mean left_tip"):
        skeleton.index("left_tp")
    assert skeleton.chain(0, 3) == (0, 1, 3)
    with pytest.raises(RigError, match="not above"):
        skeleton.chain(2, 3)
    assert skeleton.children[0] == (1, 2)
    other = Skeleton(
        ("hips", "left", "right", "left_tip", "tail"), [-1, 0, 0, 1, 0], np.ones((5, 3))
    )
    assert "right_tip" in skeleton.difference(other)
    assert "tail" in skeleton.difference(other)
    rewired = Skeleton(skeleton.names, [-1, 0, 0, 1, 1], skeleton.offsets)
    assert skeleton.difference(rewired) == "attached elsewhere: right_tip"
    longer = Skeleton(skeleton.names, skeleton.parents, skeleton.offsets * 2)
    assert skeleton.difference(longer) == ""
    assert skeleton.same_joints(longer)
    assert skeleton != longer
    assert skeleton.height == pytest.approx(1.1)


@given(motions())
def test_motions_can_be_sent_to_other_processes(motion: Motion) -> None:
    again = pickle.loads(pickle.dumps(motion))
    assert again.skeleton == motion.skeleton
    np.testing.assert_array_equal(again.rotations, motion.rotations)


def test_faster_keeps_the_poses_and_the_frame_rate() -> None:
    motion = random_motion(np.random.default_rng(3), 41, 6)
    motion = motion.with_constraints([Constraint(kind="left_heel", start=10, end=20)])
    quick = motion.faster(2.0)
    assert quick.fps == motion.fps
    assert len(quick) == 21
    np.testing.assert_allclose(quick.root, motion.root[::2], atol=1e-12)
    assert (quick.constraints[0].start, quick.constraints[0].end) == (5.0, 10.0)
    assert motion.faster(1.0) is motion
    assert len(motion.faster(0.5)) == 81
    with pytest.raises(MotionError):
        motion.faster(0.0)


def test_arrays_that_motions_share_are_checked_against_each_of_them() -> None:
    walk = mw.sample("walk")
    renamed = replace(walk, name="stroll")
    assert renamed.root is walk.root
    assert renamed.rotations is walk.rotations
    # Arrays of another motion, whose frames or joints are not as many.
    with pytest.raises(MotionError, match="expected shape"):
        replace(walk, root=walk[:5].root)
    with pytest.raises(MotionError, match="expected shape"):
        replace(walk, rotations=walk[:5].rotations)
    bones = Skeleton(("a", "b"), [-1, 0], np.zeros((2, 3)))
    with pytest.raises(MotionError, match="expected shape"):
        Motion(bones, 30.0, walk.root, walk.rotations)


def test_arrays_made_for_a_motion_are_read_only() -> None:
    walk = mw.sample("walk")
    turned = np.array(walk.rotations)
    made = replace(walk, rotations=turned)
    turned[:] = 0.0
    assert made == walk
    with pytest.raises(MotionError, match="unit quaternion"):
        replace(made, rotations=turned)
    for motion in (made[3:9], walk.moved(Planar(1.0)), walk.sample([0.0, 0.5, 2.0])):
        assert not motion.root.flags.writeable
        assert not motion.rotations.flags.writeable


def test_a_step_halves_the_rate_even_of_a_single_frame() -> None:
    still = mw.sample("walk")[0]
    assert len(still[::2]) == 1
    assert still[::2].fps == still.fps / 2
