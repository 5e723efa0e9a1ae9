"""Mirroring: an exact reflection, its own inverse, on symmetric and other skeletons."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import Constraint, Motion, QualityWarning, Skeleton, samples
from motionweave.body.mirror import mirror, other_side, partners
from motionweave.body.pose.heading import facing
from motionweave.body.rig.roles import find_rig, leg_length
from motionweave.core import rotations
from motionweave.core.arrays import Array
from tests.body.conventions import CONVENTIONS, skeleton_of, unnamed_body
from tests.strategies import random_quaternions

ACROSS = np.array([-1.0, 1.0, 1.0])


def waving(skeleton: Skeleton, frames: int = 12) -> Motion:
    rng = np.random.default_rng(4)
    return Motion(
        skeleton,
        30.0,
        rng.normal(size=(frames, 3)),
        random_quaternions(rng, frames, len(skeleton)),
        constraints=(Constraint(1, 4, "left_toe"), Constraint(2, 6, "right_hand")),
    )


def symmetric(skeleton: Skeleton) -> Skeleton:
    swap = partners(skeleton)
    return replace(skeleton, offsets=0.5 * (skeleton.offsets + skeleton.offsets[swap] * ACROSS))


def test_positions_are_the_mirror_image() -> None:
    motion = waving(symmetric(unnamed_body()))
    image = mirror(motion)
    swap = partners(motion.skeleton)
    np.testing.assert_allclose(image.positions(), motion.positions()[:, swap] * ACROSS, atol=1e-12)
    assert image.constraints == (Constraint(1, 4, "right_toe"), Constraint(2, 6, "left_hand"))


def test_twice_is_nothing_bit_for_bit() -> None:
    motion = waving(unnamed_body())
    again = mirror(mirror(motion))
    np.testing.assert_array_equal(again.rotations, motion.rotations)
    np.testing.assert_array_equal(again.root, motion.root)
    assert again.constraints == motion.constraints
    assert again.skeleton == motion.skeleton


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_partners_follow_the_names(convention: str) -> None:
    skeleton = skeleton_of(CONVENTIONS[convention][0])
    swap = partners(skeleton)
    np.testing.assert_array_equal(swap[swap], np.arange(len(skeleton)))
    # The tree is the same in the mirror, and every joint with a side has a partner.
    for joint, parent in enumerate(skeleton.parents[1:], start=1):
        assert skeleton.parents[swap[joint]] == swap[parent]
    rig = find_rig(skeleton)
    for left, right in rig.pairs():
        assert swap[left] == right
    alone = [skeleton.names[j] for j in range(len(skeleton)) if swap[j] == j]
    sided = [n for n in alone if any(w in n for w in ("Left", "Right", "left_", "_l", ".L", "L_"))]
    assert not sided


def test_partners_of_nameless_joints_follow_the_shape() -> None:
    named = unnamed_body(names=True)
    swap = partners(unnamed_body())
    for joint, name in enumerate(named.names):
        mirrored = name.replace("_a", "_?").replace("_b", "_a").replace("_?", "_b")
        assert named.names[swap[joint]] == mirrored


def test_a_rest_pose_that_faces_another_way_is_mirrored_in_its_own_plane() -> None:
    # The same body with its frames turned: bones that lay along x lie along z.
    upright = symmetric(unnamed_body(names=False))
    turn = rotations.about_vertical(np.pi / 2)
    turned = replace(upright, offsets=rotations.rotate(turn, upright.offsets))
    names = tuple(
        name.replace("_a", "_L").replace("_b", "_R") for name in unnamed_body(names=True).names
    )
    motion = waving(replace(turned, names=names))
    image = mirror(motion)
    swap = partners(motion.skeleton)
    np.testing.assert_allclose(image.positions(), motion.positions()[:, swap] * ACROSS, atol=1e-9)
    again = mirror(image)
    np.testing.assert_allclose(again.positions(), motion.positions(), atol=1e-9)
    assert np.max(rotations.angle_between(again.rotations, motion.rotations)) < 1e-6


def test_axes_that_follow_the_bones_change_nothing() -> None:
    walk = mw.sample("walk_left")
    axes = rotations.exp(np.random.default_rng(3).normal(size=(len(walk.skeleton), 3)))
    own = with_axes(walk, axes)
    np.testing.assert_allclose(own.positions(), walk.positions(), atol=1e-9)
    image = mw.mirror(own)
    np.testing.assert_allclose(image.positions(), mw.mirror(walk).positions(), atol=1e-6)
    np.testing.assert_allclose(mw.mirror(image).positions(), own.positions(), atol=1e-9)


def with_axes(motion: Motion, axes: Array) -> Motion:
    """The same motion of a rig whose joints have their axes turned by ``(J, 4)``."""
    above = axes[motion.skeleton.parents[1:]]
    local = rotations.multiply(motion.rotations, axes[None])
    local[:, 1:] = rotations.multiply(rotations.inverse(above)[None], local[:, 1:])
    offsets = np.array(motion.skeleton.offsets)
    offsets[1:] = rotations.rotate(rotations.inverse(above), offsets[1:])
    skeleton = motion.skeleton
    ends = rotations.rotate(rotations.inverse(axes[skeleton.end_parents]), skeleton.end_offsets)
    return replace(
        motion,
        skeleton=replace(skeleton, offsets=offsets, end_offsets=ends),
        rotations=local,
    )


def test_sliding_bones_are_mirrored_too() -> None:
    motion = waving(symmetric(unnamed_body()))
    rng = np.random.default_rng(1)
    sliding = replace(motion, translations=rng.normal(size=(len(motion), len(motion.skeleton), 3)))
    image = mirror(sliding)
    swap = partners(motion.skeleton)
    np.testing.assert_allclose(image.positions(), sliding.positions()[:, swap] * ACROSS, atol=1e-12)


def test_a_lopsided_skeleton_is_told_about() -> None:
    skeleton = unnamed_body()
    offsets = np.array(skeleton.offsets)
    offsets[3] *= 1.5
    with pytest.warns(QualityWarning, match="not symmetric"):
        mirror(waving(replace(skeleton, offsets=offsets)))


def test_other_side() -> None:
    assert other_side("left_toe") == "right_toe"
    assert other_side("right_hand") == "left_hand"
    assert other_side("leftover") == "leftover"
    assert other_side("chest") == "chest"


def test_a_walk_to_the_left_becomes_a_walk_to_the_right() -> None:
    left = samples.sample("walk_left")
    image = mirror(left)
    np.testing.assert_allclose(facing(image), -facing(left), atol=1e-6)
    found = mw.detect_contacts(image)
    wanted = mw.detect_contacts(left)
    assert sorted((other_side(c.kind), c.start, c.end) for c in wanted) == [
        (c.kind, pytest.approx(c.start, abs=0.2), pytest.approx(c.end, abs=0.2))
        for c in sorted(found, key=lambda c: (c.kind, c.start))
    ]


@pytest.mark.mocap
def test_real_skeletons_mirror_without_sinking_feet(mocap: Path) -> None:
    for stem in ("cmu_16_11_walk_veer_left", "cmu_83_34_stairs_up", "cmu_93_03_dance_charleston"):
        motion = mw.load(mocap / "bvh" / f"{stem}.bvh", drop_tpose=True)
        with warnings.catch_warnings():
            warnings.simplefilter("error", QualityWarning)
            image = mirror(motion)
        swap = partners(motion.skeleton)
        apart = np.linalg.norm(image.positions() - motion.positions()[:, swap] * ACROSS, axis=2)
        # Actors are not symmetric; their limbs keep the length of their own side.
        assert apart.max() < 0.15 * leg_length(motion.skeleton)
        again = mirror(image)
        np.testing.assert_array_equal(again.rotations, motion.rotations)
