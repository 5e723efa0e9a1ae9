"""Feet that a file hangs on the root hang on the legs inside, and on the root again when saved."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.normalize.detached_feet import attach_limb_ends, detach_limb_ends
from motionweave.body.normalize.pelvis import as_filed, at_pelvis
from motionweave.cli.main import main
from motionweave.core import rotations
from motionweave.io import registry
from motionweave.io.store.archive import motion_from, motion_header
from tests.carriers import KINDS
from tests.loose import FEET, loosened, nameless, with_foot_off


def _foot_apart(motion: mw.Motion, foot: str, above: str) -> float:
    """How much the place of a joint varies as another sees it."""
    skeleton = motion.skeleton
    positions, orientations = motion.forward()
    end, shin = skeleton.index(foot), skeleton.index(above)
    seen = rotations.rotate(
        rotations.inverse(orientations[:, shin]), positions[:, end] - positions[:, shin]
    )
    return float(np.ptp(seen, axis=0).max())


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_with_loose_feet_is_the_body_with_feet_on_its_legs(kind: str) -> None:
    walk = mw.sample("walk")
    body = at_pelvis(loosened(walk, kind))
    assert mw.find_rig(body.skeleton).names() == mw.find_rig(walk.skeleton).names()
    np.testing.assert_allclose(body.root, walk.root, atol=1e-9)
    for name in walk.skeleton.names:
        np.testing.assert_allclose(body[name].positions, walk[name].positions, atol=1e-9)
    found = mw.detect_contacts(body)
    expected = mw.detect_contacts(walk)
    assert [c.kind for c in found] == [c.kind for c in expected]
    np.testing.assert_allclose([c.start for c in found], [c.start for c in expected], atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_joining_and_parting_return_the_same_joints_in_the_same_places(kind: str) -> None:
    filed = loosened(mw.sample("jog"), kind)
    body = attach_limb_ends(filed)
    assert body.skeleton.layout is not None
    assert {name for name, _, _ in body.skeleton.layout.moved} == set(FEET)
    again = detach_limb_ends(body)
    assert again.skeleton == filed.skeleton
    np.testing.assert_allclose(again.positions(), filed.positions(), atol=1e-12)
    assert rotations.angle_between(again.rotations, filed.rotations).max() < 1e-7
    whole = as_filed(at_pelvis(filed))
    assert whole.skeleton == filed.skeleton
    np.testing.assert_allclose(whole.positions(), filed.positions(), atol=1e-9)


def test_without_names_the_motion_shows_whose_feet_they_are() -> None:
    filed = nameless(loosened(mw.sample("jog")))
    legs = attach_limb_ends(filed).skeleton
    named = attach_limb_ends(loosened(mw.sample("jog"))).skeleton
    assert legs.layout is not None
    assert np.array_equal(legs.parents, named.parents)
    assert mw.find_rig(legs).has("left_ankle", "right_ankle")


def test_a_still_body_without_names_shows_nothing() -> None:
    filed = nameless(loosened(mw.sample("jog")))
    still = filed.sample(np.zeros(30))
    assert attach_limb_ends(still) is still


def test_feet_that_leave_the_legs_for_a_while_stay_where_they_are() -> None:
    filed = with_foot_off(loosened(mw.sample("walk")), FEET[0], slice(20, 40), 0.3)
    body = attach_limb_ends(filed)
    assert body.skeleton == attach_limb_ends(loosened(mw.sample("walk"))).skeleton
    np.testing.assert_allclose(
        body[FEET[0]].positions, filed[FEET[0]].positions, rtol=0.0, atol=1e-12
    )
    np.testing.assert_allclose(detach_limb_ends(body).positions(), filed.positions(), atol=1e-12)


def test_feet_that_go_their_own_way_are_not_joined() -> None:
    filed = loosened(mw.sample("walk"))
    moves = np.array(filed.translations)
    feet = [filed.skeleton.index(name) for name in FEET]
    moves[:, feet] += np.linspace(0.0, 4.0, len(filed))[:, None, None]
    lost = replace(filed, translations=moves)
    assert attach_limb_ends(lost) is lost


def test_a_goal_beside_a_foot_of_its_own_is_left_alone() -> None:
    walk = mw.sample("walk")
    skeleton = walk.skeleton
    feet = [skeleton.index(name) for name in FEET]
    goals = mw.Skeleton(
        (*skeleton.names, "foot.L", "foot.R"),
        [*skeleton.parents, 0, 0],
        np.concatenate([skeleton.offsets, skeleton.rest_positions[feet]]),
        skeleton.end_parents,
        skeleton.end_offsets,
    )
    turns = np.concatenate([walk.rotations, walk.rotations[:, feet]], axis=1)
    motion = mw.Motion(goals, walk.fps, walk.root, turns)
    assert attach_limb_ends(motion) is motion


@pytest.mark.parametrize("suffix", [".glb", ".bvh"])
def test_a_file_with_loose_feet_is_read_and_written(tmp_path: Path, suffix: str) -> None:
    path, again = tmp_path / f"loose{suffix}", tmp_path / f"again{suffix}"
    registry.write(loosened(mw.sample("walk")), path)
    clip = mw.load(path)
    assert mw.find_rig(clip.skeleton).has("left_ankle", "right_ankle")
    assert {c.kind for c in clip.constraints} >= {"left_heel", "right_toe"}
    mw.save(clip, again)
    first, second = registry.read(path), registry.read(again)
    assert second.skeleton.names == first.skeleton.names
    assert np.array_equal(second.skeleton.parents, first.skeleton.parents)
    np.testing.assert_allclose(second.positions(), first.positions(), atol=2e-5)


def test_what_is_retargeted_to_loose_feet_is_saved_with_them_where_the_legs_end(
    tmp_path: Path,
) -> None:
    registry.write(loosened(mw.sample("walk")), tmp_path / "rig.glb")
    rig = mw.load(tmp_path / "rig.glb")
    made = mw.retarget(mw.sample("jog"), rig)
    mw.save(made, tmp_path / "made.glb")
    filed = registry.read(tmp_path / "made.glb")
    assert filed.skeleton.names == registry.read(tmp_path / "rig.glb").skeleton.names
    for foot, shin in zip(FEET, ("LeftLeg", "RightLeg"), strict=True):
        assert filed.skeleton.names[filed.skeleton.parents[filed.skeleton.index(foot)]] == "above0"
        assert _foot_apart(filed, foot, shin) < 1e-5
        np.testing.assert_allclose(filed[foot].positions, made[foot].positions, atol=1e-5)


def test_an_archive_keeps_how_the_file_hangs_its_feet() -> None:
    body = at_pelvis(loosened(mw.sample("walk")))
    arrays: dict[str, np.ndarray] = {}

    def keep(name: str, values: np.ndarray) -> str:
        arrays[name] = values
        return name

    header = json.loads(json.dumps(motion_header(body, "clip", keep)))
    assert motion_from(header, arrays.__getitem__).skeleton.layout == body.skeleton.layout


def test_info_says_what_the_file_hangs_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "loose.glb"
    registry.write(loosened(mw.sample("walk")), path)
    main(["info", str(path), "--json"])
    assert json.loads(capsys.readouterr().out)["joined"] == dict.fromkeys(FEET, "above0")
    main(["info", str(path)])
    assert "LeftFoot on above0" in capsys.readouterr().out
