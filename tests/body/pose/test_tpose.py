"""A T-pose before the first frame is found, and nothing else is taken for one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import samples
from motionweave.body.pose.tpose import starts_in_tpose
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
    assert not starts_in_tpose(motion)
    assert starts_in_tpose(_with_rest_first(motion))


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
    assert not starts_in_tpose(slow)


def test_very_short_clips_have_none() -> None:
    motion = _with_rest_first(samples.sample("walk"))
    assert not starts_in_tpose(motion[:1])
    assert not starts_in_tpose(motion[:2])


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
