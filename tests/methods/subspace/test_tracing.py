"""Clips at the ends of a transition: how they go on, and how one is handed over to the other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.rig.roles import find_rig
from motionweave.methods.subspace.poses import PoseCode
from motionweave.methods.subspace.tracing import JoinedClip, hand_over


def test_a_clip_that_ends_too_soon_slows_down_to_rest() -> None:
    clip = JoinedClip(np.zeros((10, 1)), 4, 1)
    frames, speed = clip.played(31, 30.0)
    assert list(frames[:2]) == [4.0, 5.0]
    assert np.all(np.diff(frames, 2) <= 1e-12)
    assert 9.0 < frames[-1] <= 9.0 + 0.05 * 30.0
    np.testing.assert_allclose(speed[2:-2], np.gradient(frames)[2:-2], atol=0.02)
    assert speed[0] == speed[1] == 1.0
    assert speed[-1] == 0.0


def test_a_clip_that_is_long_enough_plays_at_its_own_speed_forwards_and_backwards() -> None:
    for ahead in (1, -1):
        frames, speed = JoinedClip(np.zeros((40, 1)), 20, ahead).played(16, 30.0)
        assert np.array_equal(frames, 20 + ahead * np.arange(16))
        assert np.all(speed == 1.0)


def test_a_clip_that_is_handed_over_to_itself_in_step_is_the_clip() -> None:
    walk = mw.sample("walk")
    code = PoseCode.of([walk])
    rows = code.encode(walk)
    same = hand_over(JoinedClip(rows, 10, 1), JoinedClip(rows, 30, -1), 20, 20, code, walk.fps)
    np.testing.assert_allclose(same, rows[10:31], atol=1e-12)


def peak(motion: mw.Motion) -> float:
    joints = sorted(set(find_rig(motion.skeleton).roles.values()))
    steps = np.diff(motion.positions()[:, joints], n=2, axis=0)
    return float(np.linalg.norm(steps, axis=-1).max())


@pytest.mark.parametrize("name", ["sneak", "dance_a", "jab"])
def test_a_clip_joined_to_itself_goes_unseen(name: str) -> None:
    clip = mw.sample(name)
    assert peak(mw.spline_transition(clip, clip)) <= 1.05 * peak(clip)


@pytest.mark.wild
@pytest.mark.parametrize(
    "name", ["accad/Male2_B24_WalkToCrouch", "bandai_namco_1/dataset-1_guide_normal_001"]
)
def test_a_recorded_clip_joined_to_itself_goes_unseen(wild: Path, name: str) -> None:
    clip = mw.load(wild / f"{name}.bvh", drop_tpose=True)
    assert peak(mw.spline_transition(clip, clip)) <= 1.05 * peak(clip)
