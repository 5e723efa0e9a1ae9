"""Clips of two actors on one skeleton."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import Motion, RigError, Skeleton, samples
from motionweave.body.retarget.transfer import on_skeleton
from motionweave.body.rig.roles import find_rig, leg_length
from motionweave.core import rotations
from motionweave.retargeting import common_skeleton, on_common_skeleton
from tests.strategies import random_motion


def test_the_same_skeleton_changes_nothing() -> None:
    motion = samples.sample("walk")
    assert on_skeleton(motion, motion.skeleton) is motion


@pytest.mark.parametrize("factor", [0.5, 1.7])
def test_a_larger_copy_performs_the_scaled_motion(factor: float) -> None:
    motion = samples.sample("walk_left")
    scaled = motion.scaled(factor)
    result = on_skeleton(motion, scaled.skeleton)
    np.testing.assert_allclose(result.positions(), scaled.positions(), atol=1e-12)
    assert result.constraints == motion.constraints


def test_the_root_goes_as_far_as_the_legs_are_long() -> None:
    motion = samples.sample("walk")
    rig = find_rig(motion.skeleton)
    offsets = np.array(motion.skeleton.offsets)
    for role in ("left_shin", "left_ankle", "right_shin", "right_ankle"):
        offsets[rig.roles[role]] *= 1.2
    longer = replace(motion.skeleton, offsets=offsets)
    result = on_skeleton(motion, longer)
    np.testing.assert_allclose(result.root, 1.2 * motion.root)
    np.testing.assert_array_equal(result.rotations, motion.rotations)


def test_limbs_point_where_they_pointed_whatever_the_rest_pose() -> None:
    motion = samples.sample("walk")
    rig = find_rig(motion.skeleton)
    # The arms of the other rest pose hang down by 60 degrees.
    offsets = np.array(motion.skeleton.offsets)
    for side, sign in (("left", -1.0), ("right", 1.0)):
        hang = rotations.about_axis("Z", sign * np.radians(60.0))
        for role in ("forearm", "hand"):
            joint = rig.roles[f"{side}_{role}"]
            offsets[joint] = rotations.rotate(hang, offsets[joint])
    result = on_skeleton(motion, replace(motion.skeleton, offsets=offsets))
    arms = [rig.roles[f"{s}_{r}"] for s in ("left", "right") for r in ("forearm", "hand")]
    np.testing.assert_allclose(result.positions()[:, arms], motion.positions()[:, arms], atol=1e-9)
    others = [j for j in range(len(rig.skeleton)) if "Hand" in rig.skeleton.names[j]]
    turned = rotations.angle_between(
        result.orientations()[:, others], motion.orientations()[:, others]
    )
    assert turned.max() < 1e-6


def test_sliding_bones_slide_in_proportion() -> None:
    motion = random_motion(np.random.default_rng(3), frames=6, joints=5)
    slide = np.random.default_rng(2).normal(size=(6, 5, 3))
    moving = replace(motion, translations=motion.skeleton.offsets + slide)
    twice = moving.scaled(2.0)
    result = on_skeleton(moving, twice.skeleton)
    np.testing.assert_allclose(result.positions(), twice.positions(), atol=1e-9)


def test_bodies_that_do_not_correspond_are_refused_with_the_reason() -> None:
    walk = samples.sample("walk")
    snake = Skeleton(("head", "neck", "tail"), np.array([-1, 0, 1]), np.ones((3, 3)))
    crawl = Motion(
        snake, 30.0, np.zeros((4, 3)), np.tile(rotations.IDENTITY, (4, 3, 1)), name="snake"
    )
    with pytest.raises(
        RigError, match=r"'snake'.*has no hips.*only in the clip: head.*only in the t"
    ):
        common_skeleton([walk, crawl])
    with pytest.raises(RigError, match=r"'walk'.*the target's skeleton has no hips"):
        common_skeleton([crawl, walk])
    with pytest.raises(RigError, match="no motions"):
        common_skeleton([])


def test_rigs_without_legs_go_by_their_height() -> None:
    pole = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 1, 0]]))
    quats = np.zeros((4, 2, 4))
    quats[..., 3] = 1.0
    motion = Motion(pole, 30.0, np.ones((4, 3)), quats)
    taller = replace(pole, offsets=pole.offsets * 3.0)
    np.testing.assert_allclose(on_skeleton(motion, taller).root, 3.0)


@pytest.mark.mocap
def test_actors_walk_on_each_others_skeletons(mocap: Path) -> None:
    names = ("16_15_walk_straight", "02_01_walk_straight", "37_01_walk_slow")
    clips = [mw.load(mocap / "bvh" / f"cmu_{name}.bvh", drop_tpose=True) for name in names]
    target = common_skeleton(clips)
    moved = on_common_skeleton(clips)
    size = leg_length(target)
    for before, after in zip(clips, moved, strict=True):
        assert after.skeleton == target
        ratio = size / leg_length(before.skeleton)
        path = np.linalg.norm(np.diff(before.root[:, [0, 2]], axis=0), axis=1).sum()
        travelled = np.linalg.norm(np.diff(after.root[:, [0, 2]], axis=0), axis=1).sum()
        assert travelled == pytest.approx(ratio * path)
        # Every step is still there, and feet stay near the floor where they stood.
        found = mw.detect_contacts(after)
        assert len(found) == pytest.approx(len(before.constraints), abs=1)
