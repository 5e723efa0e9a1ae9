"""The warp screen without its widgets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionweave.samples.clips import sample
from motionweave.studio.document import Document
from motionweave.studio.screens.warp import WarpScreen
from motionweave.studio.screens.warp_model import (
    PoseKey,
    Warped,
    WarpSettings,
    grips,
    joint_index,
    warped,
)
from tests.studio.documents import document_with
from tests.studio.recipes import by_commands, by_python

HAND = PoseKey(36.0, "left_hand", "offset", (0.15, 0.3, 0.2))


def document(*, clean: bool = False, **settings: Any) -> Document:
    return document_with(["walk"], "warp", WarpSettings(clips=("c1",), **settings), clean=clean)


def made(**settings: Any) -> Warped:
    details = WarpScreen.make(document(**settings), live=False).details
    assert isinstance(details, Warped)
    return details


def test_nothing_keyed_is_the_clip_itself() -> None:
    result = WarpScreen.make(document(), live=False)
    np.testing.assert_array_equal(result.motion.rotations, sample("walk").rotations)
    assert len(result.looks) == 1


def test_hands_feet_hips_and_head_are_the_main_grips() -> None:
    skeleton = sample("walk").skeleton
    offered = grips(skeleton)
    assert {name for name, _, main in offered if main} == {
        "left_hand", "right_hand", "left_foot", "right_foot", "hips", "head",
    }  # fmt: skip
    assert sorted(joint for _, joint, _ in offered) == list(range(len(skeleton)))
    assert all(joint_index(name, skeleton) == joint for name, joint, _ in offered)


def test_a_joint_dragged_to_a_place_gets_there() -> None:
    before = made(keys=(PoseKey(36.0, "LeftArm", "turn", (10.0, 0.0, 5.0)),))
    hand = joint_index("left_hand", before.source.skeleton)
    place = before.motion.positions()[36, hand] + (0.1, 0.15, 0.12)
    offset = before.offset("left_hand", 36, tuple(place))
    key = PoseKey(36.0, "left_hand", "offset", tuple(offset))
    after = made(keys=(PoseKey(36.0, "LeftArm", "turn", (10.0, 0.0, 5.0)), key))
    # The arm's own key stays as it is, so the rest of the body has to reach.
    height = before.source.skeleton.height
    assert np.linalg.norm(after.motion.positions()[36, hand] - place) < 0.01 * height


def test_the_picture_while_dragging_shows_the_pose_that_will_be_kept() -> None:
    walk = sample("walk")
    keys = (HAND, PoseKey(70.0, "head", "offset", (0.0, -0.1, 0.1)))
    settings = WarpSettings(keys=keys, active=0)
    quick = warped(walk, settings, clean=False, live=True).motion
    kept = warped(walk, replace(settings, active=None), clean=False, live=False).motion
    apart = np.linalg.norm(quick.positions()[36] - kept.positions()[36], axis=1)
    assert apart.max() < 0.02 * walk.skeleton.height
    moved = np.linalg.norm(kept.positions()[36] - walk.positions()[36], axis=1)
    assert moved.max() > 0.2 * walk.skeleton.height


def test_turn_shifts_and_scale_stretches_the_curve_of_a_joint() -> None:
    walk = sample("walk")
    elbow = walk.skeleton.index("LeftForeArm")
    turned = made(keys=(PoseKey(30.0, "LeftForeArm", "turn", (-40.0, 0.0, 0.0)),)).motion
    scaled = made(keys=(PoseKey(30.0, "LeftForeArm", "factor", (2.0,)),)).motion
    for result in (turned, scaled):
        others = [j for j in range(len(walk.skeleton)) if j != elbow]
        np.testing.assert_allclose(result.rotations[:, others], walk.rotations[:, others])
        assert not np.allclose(result.rotations[30, elbow], walk.rotations[30, elbow], atol=1e-3)


def test_a_marker_of_time_shows_its_frame_where_it_was_slid_to() -> None:
    walk = sample("walk")
    result = made(times=((60.0, 40.0),))
    assert result.sources[60] == pytest.approx(40.0)
    assert result.seconds(40.0) == pytest.approx(2.0)
    assert result.source_frame(2.0) == 40
    assert len(result.motion) == len(walk) + 20
    np.testing.assert_allclose(result.motion.positions()[60], walk.positions()[40], atol=1e-9)


def test_places_differ_by_the_offset_of_a_key() -> None:
    result = made(keys=(HAND,))
    hand = joint_index("left_hand", result.source.skeleton)
    gone = result.places[36, hand] - result.original_places[36, hand]
    np.testing.assert_allclose(gone, HAND.value, atol=0.01 * result.source.skeleton.height)


def test_keys_beyond_the_end_of_a_shorter_clip_are_at_its_end() -> None:
    far = replace(HAND, frame=400.0)
    result = made(keys=(far,), times=((500.0, 450.0),))
    assert len(result.motion) == len(sample("walk"))


@pytest.mark.parametrize("how", [by_python, by_commands])
@pytest.mark.parametrize("clean", [False, True])
def test_the_copied_code_makes_the_same_motion(
    how: Any, clean: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = document(
        keys=(
            HAND,
            PoseKey(60.0, "Spine", "turn", (12.0, 0.0, 3.5)),
            PoseKey(20.0, "head", "factor", (1.5,)),
        ),
        times=((50.0, 36.0),),
        ease=0.55,
        hold=True,
        clean=clean,
    )
    motion = WarpScreen.make(shown, live=False).motion
    again = how(WarpScreen.recipe(shown), tmp_path, monkeypatch)
    assert len(again) == len(motion)
    np.testing.assert_allclose(again.positions(), motion.positions(), atol=2e-5)
