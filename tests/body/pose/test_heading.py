"""The facing angle: its sense, its continuity, its independence of the path."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import Motion, Planar, Skeleton, samples
from motionweave.body.pose.heading import direction, facing, sides_exchanged
from motionweave.core import rotations
from tests.body.conventions import unnamed_body


def still(frames: int = 5) -> Motion:
    skeleton = unnamed_body()
    quats = np.zeros((frames, len(skeleton), 4))
    quats[..., 3] = 1.0
    return Motion(skeleton, 30.0, np.tile(skeleton.offsets[0], (frames, 1)), quats)


def test_a_rest_pose_that_looks_along_z_faces_zero() -> None:
    np.testing.assert_allclose(facing(still()), 0.0, atol=1e-12)
    np.testing.assert_allclose(direction(np.array([0.0, np.pi / 2])), [[0, 1], [1, 0]], atol=1e-12)


def test_the_angle_has_the_sense_of_planar_moves_and_keeps_full_turns() -> None:
    angles = np.linspace(0.0, 9.0, 40)
    turned = still(40).moved(Planar(angles, np.linspace(0, 5, 40), 1.0))
    np.testing.assert_allclose(facing(turned), angles, atol=1e-9)


def test_without_roles_the_turn_of_the_root_is_taken() -> None:
    snake = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [1, 0, 0]]))
    angles = np.linspace(0.0, -8.0, 50)
    quats = np.zeros((50, 2, 4))
    quats[..., 3] = 1.0
    quats[:, 0] = rotations.about_vertical(angles)
    motion = Motion(snake, 30.0, np.zeros((50, 3)), quats)
    np.testing.assert_allclose(facing(motion), angles, atol=1e-9)


def test_frames_on_the_side_are_filled_from_their_neighbours() -> None:
    motion = still(30)
    quats = np.array(motion.rotations)
    quats[:, 0] = rotations.about_vertical(np.full(30, 0.7))
    roll = rotations.multiply(quats[12, 0], rotations.about_axis("Z", np.pi / 2))
    quats[10:20, 0] = roll
    np.testing.assert_allclose(facing(replace(motion, rotations=quats)), 0.7, atol=1e-9)


@pytest.mark.parametrize("angle", [0.3, -2.0])
def test_hips_and_shoulders_count_alike(angle: float) -> None:
    motion = still(3)
    spine = motion.skeleton.names.index("joint11")
    quats = np.array(motion.rotations)
    quats[:, spine] = rotations.about_vertical(angle)
    assert facing(replace(motion, rotations=quats))[0] == pytest.approx(angle / 2)


def test_names_that_exchange_the_sides_are_noticed(tmp_path: Path) -> None:
    walk = mw.sample("walk")
    skeleton = walk.skeleton
    other = {"Left": "Right", "Right": "Left"}
    names = tuple(
        next((other[s] + name.removeprefix(s) for s in other if name.startswith(s)), name)
        for name in skeleton.names
    )
    swapped = mw.Skeleton(
        names, skeleton.parents, skeleton.offsets, skeleton.end_parents, skeleton.end_offsets
    )
    mw.save(replace(walk, skeleton=swapped), tmp_path / "swapped.bvh", contacts=False)
    with pytest.warns(mw.QualityWarning, match="left and right"):
        mw.load(tmp_path / "swapped.bvh")
    for name in samples.names():
        assert not sides_exchanged(mw.sample(name)), name


def test_feet_that_point_backwards_in_kneeling_exchange_no_sides() -> None:
    walk = mw.sample("walk")
    turns = np.array(walk.rotations)
    for side in ("Left", "Right"):
        joint = walk.skeleton.index(f"{side}Leg")
        turns[:, joint] = rotations.about_axis("X", np.radians(115.0))
    kneeling = replace(walk, rotations=turns)
    toe, ankle = (kneeling.positions()[:, walk.skeleton.index(f"Left{x}")] for x in ("Toe", "Foot"))
    away = direction(facing(kneeling))
    assert np.median(np.sum((toe - ankle)[:, [0, 2]] * away, axis=1)) < 0.0
    assert not sides_exchanged(kneeling)
