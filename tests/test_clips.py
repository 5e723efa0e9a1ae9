"""Many clips at once, and what a motion can do by itself."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.core import rotations
from tests.body.bodies import split


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "inner").mkdir()
    for name, place in (("walk", "walk.bvh"), ("jog", "inner/jog.bvh"), ("jab", "jab.npz")):
        mw.save(mw.sample(name), tmp_path / place)
    (tmp_path / "notes.txt").write_text("not a clip")
    return tmp_path


def test_a_folder_is_loaded_with_the_folders_inside(folder: Path) -> None:
    assert sorted(clip.name for clip in mw.load_all(folder)) == ["jab", "jog", "walk"]


def test_patterns_and_files_are_loaded_once_each(folder: Path) -> None:
    clips = mw.load_all([folder / "walk.bvh", str(folder / "**/*.bvh")])
    assert [clip.name for clip in clips] == ["walk", "jog"]


def test_a_broken_file_is_left_out_with_its_reason(folder: Path) -> None:
    (folder / "bad.bvh").write_text("HIERARCHY\nROOT")
    with pytest.warns(mw.QualityWarning, match=r"left out: .*bad\.bvh"):
        assert len(mw.load_all(folder)) == 3
    with pytest.raises(mw.FormatError, match=r"bad\.bvh"):
        mw.load_all(folder, broken="raise")
    with pytest.raises(mw.MotionError, match="warn or raise"):
        mw.load_all(folder, broken="ignore")


def test_nothing_to_load_is_an_error(folder: Path) -> None:
    with pytest.raises(mw.FormatError, match="no motion file"):
        mw.load_all(folder / "*.glb")
    (folder / "empty").mkdir()
    with pytest.raises(mw.FormatError, match="the folder holds no motion file"):
        mw.load_all(folder / "empty")


def test_motions_are_equal_by_content() -> None:
    walk = mw.sample("walk")
    again = pickle.loads(pickle.dumps(walk))
    assert again == walk
    assert hash(again) == hash(walk)
    assert len({walk, again}) == 1
    assert walk[1:] != walk
    assert walk.with_constraints(()) != walk
    assert walk.moved(mw.Planar(0.1)) != walk
    assert walk != "walk"


def test_a_joint_is_named_by_its_name_or_its_role() -> None:
    walk = mw.sample("walk")
    hand = walk["left_hand"]
    assert hand.name == "LeftHand"
    assert np.array_equal(hand.positions, walk.positions()[:, hand.joint])
    assert np.array_equal(walk["LeftHand"].rotations, walk.rotations[:, hand.joint])
    with pytest.raises(mw.RigError, match="left_hand"):
        walk["left_hnd"]


def test_the_text_of_a_motion_is_one_short_line() -> None:
    walk = mw.sample("walk")
    for text in (repr(walk), repr(walk.skeleton), repr(walk["Hips"])):
        assert len(text) < 100
        assert "\n" not in text
    assert "'walk'" in repr(walk)


def test_results_are_shown_as_one_short_line() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    curve = mw.register(walk, jog)
    space = mw.subspace(mw.sample("landing"), mw.sample("jump"))
    shown = (
        curve, curve.timewarp, curve.alignment, space, space.transition(54, 8),
        mw.Stepper(curve), mw.Framespace([walk, jog]), mw.find_events(walk), mw.quality(walk),
        mw.find_rig(walk.skeleton), mw.joint_mapping(walk.skeleton, jog.skeleton),
    )  # fmt: skip
    for one in shown:
        assert len(repr(one)) < 120
        assert repr(one).startswith(f"<{type(one).__name__}")
        assert "\n" not in repr(one)


def test_trimming_is_in_seconds() -> None:
    walk = mw.sample("walk")
    part = walk.trim(0.5, 1.5)
    assert np.array_equal(part.root, walk.root[15:46])
    assert walk.trim() == walk
    for wrong in ((2.0, 1.0), (-1.0, 1.0), (0.0, 99.0)):
        with pytest.raises(mw.MotionError, match="seconds"):
            walk.trim(*wrong)


def test_a_motion_saves_itself(tmp_path: Path) -> None:
    walk = mw.sample("walk")
    walk.save(tmp_path / "walk.npz")
    assert np.allclose(mw.load(tmp_path / "walk.npz").positions(), walk.positions())


def test_motions_from_angles_and_from_orientations() -> None:
    walk = mw.sample("walk")
    angles = np.degrees(rotations.to_euler(walk.rotations, "ZYX"))
    made = mw.Motion.from_euler(walk.skeleton, walk.fps, walk.root, angles, "ZYX")
    assert np.allclose(made.positions(), walk.positions(), atol=1e-9)
    again = mw.Motion.from_global(walk.skeleton, walk.fps, walk.root, walk.orientations())
    assert np.allclose(again.positions(), walk.positions(), atol=1e-9)


def test_a_rate_that_no_recording_has_is_told(tmp_path: Path) -> None:
    path = tmp_path / "slow.bvh"
    mw.save(replace(mw.sample("walk"), fps=1.0), path)
    with pytest.warns(mw.QualityWarning, match=r"slow\.bvh: .* of 1 fps.*--input-fps"):
        mw.load(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mw.load(path, fps=30.0).fps == 30.0
        # A few poses are not a recording.
        mw.save(replace(mw.sample("walk")[:2], fps=1.0), path)
        mw.load(path)
        # Nor is one pose after a T-pose, as virtual worlds have them.
        pose = mw.sample("walk").sample([0.0, 0.0, 0.0])
        rotations = np.array(pose.rotations)
        rotations[0] = [0.0, 0.0, 0.0, 1.0]
        mw.save(replace(pose, rotations=rotations, fps=1.0), path)
        mw.load(path)


def test_a_clip_in_which_nothing_moves_is_told(tmp_path: Path) -> None:
    pose = mw.sample("walk").sample(np.zeros(30))
    mw.save(pose, tmp_path / "still.glb")
    with pytest.warns(mw.QualityWarning, match=r"still\.glb: nothing moves in its 30 frames"):
        mw.load(tmp_path / "still.glb")
    # Somebody who breathes does move, and so does a body that glides.
    breath = rotations.about_axis("X", 0.01 * np.sin(np.arange(30) / 5.0))
    turned = np.array(pose.rotations)
    turned[:, 1] = rotations.multiply(turned[:, 1], breath)
    root = pose.root + np.arange(30)[:, None] * 0.001
    with warnings.catch_warnings():
        warnings.simplefilter("error", mw.QualityWarning)
        for moving in (replace(pose, rotations=turned), replace(pose, root=root)):
            mw.save(moving, tmp_path / "moves.glb")
            mw.load(tmp_path / "moves.glb")


def test_frames_that_throw_the_body_away_are_told(tmp_path: Path) -> None:
    walk = mw.sample("walk")
    root = np.array(walk.root)
    root[0] += 100.0
    mw.save(replace(walk, root=root), tmp_path / "reference_pose_elsewhere.bvh")
    with warnings.catch_warnings():
        warnings.simplefilter("error", mw.QualityWarning)
        mw.load(tmp_path / "reference_pose_elsewhere.bvh")
    root[40] += 100.0
    mw.save(replace(walk, root=root), tmp_path / "broken.bvh")
    with pytest.warns(mw.QualityWarning, match="from frame 39 to the next the body is thrown"):
        mw.load(tmp_path / "broken.bvh")


def test_a_body_whose_joints_are_split_in_two_is_planted_like_the_whole(tmp_path: Path) -> None:
    walk = mw.sample("walk")
    mw.save(split(walk), tmp_path / "split.glb")
    clip = mw.load(tmp_path / "split.glb", contacts=True)
    found = [c.kind for c in clip.constraints]
    assert found == [c.kind for c in mw.detect_contacts(walk)]


def _crouching(sinks: bool) -> mw.Motion:
    """A body that bends its knees, with or without the pelvis that sinks."""
    stand = mw.sample("stand").sample(np.zeros(40))
    rig = mw.find_rig(stand.skeleton)
    bend = 1.2 * np.sin(np.pi * np.arange(40) / 39.0)
    turns = np.array(stand.rotations)
    for side in ("left", "right"):
        for role, share in (("thigh", -1.0), ("shin", 2.0), ("ankle", -1.0)):
            joint = rig.roles[f"{side}_{role}"]
            turn = rotations.exp(np.outer(share * bend, [1.0, 0.0, 0.0]))
            turns[:, joint] = rotations.multiply(turns[:, joint], turn)
    root = np.array(np.broadcast_to(stand.root[0], stand.root.shape))
    made = replace(stand, rotations=turns, root=root, constraints=())
    ankle = made.positions()[:, rig.roles["left_ankle"], 1]
    if sinks:
        root[:, 1] -= ankle - ankle[0]
    return replace(made, root=root)


def test_a_file_without_the_movement_of_its_root_is_doubted(tmp_path: Path) -> None:
    mw.save(_crouching(sinks=False), tmp_path / "pinned.bvh")
    with pytest.warns(mw.QualityWarning, match="lacks the movement of its root"):
        mw.load(tmp_path / "pinned.bvh")
    mw.save(_crouching(sinks=True), tmp_path / "crouch.bvh")
    mw.save(mw.in_place(mw.loop(mw.sample("jog"))), tmp_path / "jog.bvh")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mw.load(tmp_path / "crouch.bvh")
        mw.load(tmp_path / "jog.bvh")


def test_a_file_of_rotations_alone_is_doubted(tmp_path: Path) -> None:
    walk = mw.sample("walk")
    bare = replace(walk.skeleton, offsets=np.zeros_like(walk.skeleton.offsets))
    mw.save(replace(walk, skeleton=bare, constraints=()), tmp_path / "bare.bvh")
    with pytest.warns(mw.QualityWarning, match="the bones have no length"):
        mw.load(tmp_path / "bare.bvh")
