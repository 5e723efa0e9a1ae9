"""A T-pose before the first frame is found, and nothing else is taken for one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import samples
from motionweave.body.pose.tpose import tpose_frames
from motionweave.core import rotations


def _with_rest_first(motion: mw.Motion) -> mw.Motion:
    """The motion after one frame in which no joint is turned."""
    rest = np.tile(rotations.IDENTITY, (1, len(motion.skeleton), 1))
    return mw.Motion(
        motion.skeleton,
        motion.fps,
        np.concatenate([motion.root[:1], motion.root]),
        np.concatenate([rest, motion.rotations]),
        constraints=tuple(one.shifted(1) for one in motion.constraints),
    )


@pytest.mark.parametrize("name", samples.names())
def test_built_in_clips(name: str) -> None:
    motion = samples.sample(name)
    assert not tpose_frames(motion)
    assert tpose_frames(_with_rest_first(motion)) == 1


def _led_in(motion: mw.Motion) -> mw.Motion:
    """The motion after a T-pose and four frames on the way from there, as a filter leaves them."""
    rest = _with_rest_first(motion)
    between = rest.sample([0.25, 0.52, 0.77, 0.94])
    return mw.Motion(
        motion.skeleton,
        motion.fps,
        np.concatenate([rest.root[:1], between.root, motion.root]),
        np.concatenate([rest.rotations[:1], between.rotations, motion.rotations]),
    )


@pytest.mark.parametrize("name", ["walk", "stand", "jab", "sneak"])
def test_frames_that_lead_from_it_into_the_motion_go_with_it(tmp_path: Path, name: str) -> None:
    motion = samples.sample(name).resample(120.0)
    led_in = _led_in(motion)
    # The last of them may be as slow as the motion itself.
    assert 4 <= tpose_frames(led_in) <= 5
    mw.save(led_in, tmp_path / "clip.bvh")
    assert len(mw.load(tmp_path / "clip.bvh", drop_tpose=True)) <= len(motion) + 1


@pytest.mark.parametrize("name", ["walk", "jab", "jump"])
def test_a_t_pose_that_is_held_is_left_out_whole(name: str) -> None:
    motion = samples.sample(name)
    first = _with_rest_first(motion)
    assert tpose_frames(first.sample(np.maximum(np.arange(-40.0, len(motion) + 1.0), 0.0))) == 41
    # Nothing else follows it, or too little to tell.
    held = first.sample(np.zeros(40))
    assert tpose_frames(held) == 0
    assert tpose_frames(mw.concatenate([held, first[:2]])) == 0


def test_a_body_that_stands_still_at_first_is_not_in_a_t_pose() -> None:
    walk = samples.sample("walk")
    jumps = walk.sample(np.r_[np.zeros(30), np.arange(20.0, len(walk))])
    assert tpose_frames(jumps) == 0


def test_a_warp_leaves_a_t_pose_and_the_way_from_it_alone() -> None:
    walk = _led_in(samples.sample("walk").resample(120.0))
    first = tpose_frames(walk)
    bent = mw.warp(walk, [mw.Key(first, "chest", turn=(30.0, 0.0, 0.0))])
    np.testing.assert_array_equal(bent.rotations[:first], walk.rotations[:first])
    assert np.abs(bent.rotations[first] - walk.rotations[first]).max() > 0.05


def test_a_pose_that_is_left_smoothly_is_motion() -> None:
    motion = samples.sample("walk")
    rest = rotations.IDENTITY
    share = np.linspace(0.0, 1.0, 60)
    quaternions = np.stack(
        [
            rotations.slerp(
                np.broadcast_to(rest, motion.rotations[0].shape), motion.rotations[0], t
            )
            for t in share[:, None]
        ]
    )
    slow = mw.Motion(motion.skeleton, 30.0, np.tile(motion.root[0], (60, 1)), quaternions)
    assert not tpose_frames(slow)


def test_very_short_clips_have_none() -> None:
    motion = _with_rest_first(samples.sample("walk"))
    assert not tpose_frames(motion[:1])
    assert not tpose_frames(motion[:2])


def test_dropping_keeps_everything_else(tmp_path: Path) -> None:
    motion = _with_rest_first(samples.sample("walk"))
    mw.save(motion, tmp_path / "clip.bvh")
    kept, dropped = mw.load(tmp_path / "clip.bvh"), mw.load(tmp_path / "clip.bvh", drop_tpose=True)
    assert len(kept) == len(dropped) + 1 == len(motion)
    np.testing.assert_array_equal(dropped.rotations, kept.rotations[1:])
    # The sidecar counts the frames of the file.
    assert [one.shifted(1) for one in dropped.constraints] == list(kept.constraints)
    # What is written of it is what the file had.
    mw.save(dropped, tmp_path / "dropped.bvh")
    again = mw.load(tmp_path / "dropped.bvh")
    np.testing.assert_array_equal(again.source["values"], kept.source["values"][1:])
