"""Warp files: read, written, read again; what is wrong in one is said with its place."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.errors import FormatError, MissingDependencyError

WARPS = sorted((Path(__file__).resolve().parents[3] / "examples" / "warps").glob("*.yaml"))


@pytest.mark.parametrize("suffix", ["yaml", "json"])
@pytest.mark.parametrize("path", WARPS, ids=lambda path: path.stem)
def test_every_shipped_file_comes_back_as_it_was(path, suffix, tmp_path):
    recipe = mw.load_warp(path)
    mw.save_warp(recipe, tmp_path / f"copy.{suffix}")
    again = mw.load_warp(tmp_path / f"copy.{suffix}")
    assert again == recipe


def test_a_recipe_is_the_same_as_the_call(tmp_path):
    walk = mw.sample("walk")
    keys = [mw.Key(40, "head", turn=(10, 0, 0)), mw.Key(40, "spine", factor=1.5)]
    recipe = mw.Recipe(tuple(keys), ((0, 0), ("150%", "end")), options={"hold": "both"})
    mw.save_warp(recipe, tmp_path / "a.yaml")
    mine = mw.load_warp(tmp_path / "a.yaml").apply(walk)
    other = mw.warp(walk, keys, {0: 0, 138: 92}, hold="both")
    np.testing.assert_array_equal(mine.rotations, other.rotations)


def without(clip, *dropped):
    """The clip on a body without some joints; what hung on them hangs on their parents."""
    skeleton = clip.skeleton
    gone = [skeleton.index(name) for name in dropped]
    kept = [joint for joint in range(len(skeleton)) if joint not in gone]
    parents, offsets = list(skeleton.parents), np.array(skeleton.offsets)
    for joint in kept:
        while parents[joint] in gone:
            offsets[joint] += offsets[parents[joint]]
            parents[joint] = parents[parents[joint]]
    body = mw.Skeleton(
        tuple(skeleton.names[joint] for joint in kept),
        [-1 if parents[joint] < 0 else kept.index(parents[joint]) for joint in kept],
        offsets[kept],
    )
    return mw.Motion(body, clip.fps, clip.root, clip.rotations[:, kept])


def test_a_body_without_a_neck_turns_its_head():
    bare = without(mw.sample("walk"), "Neck", "LeftToe", "RightToe")
    assert not mw.find_rig(bare.skeleton).has("neck")
    recipe = mw.Recipe((mw.Key(40, "neck", turn=(10, 0, 0)), mw.Key(40, "spine", factor=1.5)))
    with pytest.warns(mw.Notice, match="no neck: its head turns instead"):
        mine = recipe.apply(bare)
    other = mw.warp(bare, [mw.Key(40, "head", turn=(10, 0, 0)), mw.Key(40, "spine", factor=1.5)])
    np.testing.assert_array_equal(mine.rotations, other.rotations)


def test_keys_of_joints_that_a_body_can_do_without_are_left_out():
    bare = without(mw.sample("walk"), "Neck", "LeftToe", "RightToe")
    head = mw.Key(40, "head", turn=(10, 0, 0))
    recipe = mw.Recipe((head, mw.Key(40, "neck", factor=0.5), mw.Key(40, "left_toe", factor=0.5)))
    with pytest.warns(mw.Notice) as told:
        mine = recipe.apply(bare)
    assert [str(one.message)[:21] for one in told] == [
        "the body has no neck:",
        "the body has no left_",
    ]
    np.testing.assert_array_equal(mine.rotations, mw.warp(bare, [head]).rotations)


def test_joints_that_matter_are_still_missed():
    bare = without(mw.sample("walk"), "LeftHand")
    with pytest.raises(mw.RigError, match="left_hand"):
        mw.Recipe((mw.Key(40, "left_hand", turn=(10, 0, 0)),)).apply(bare)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- 1\n- 2", "expected names with values"),
        ("title: nothing", "needs keys, times"),
        ("keys: 3", "keys: expected a list"),
        ("keys:\n  - at: 3", "key 1: 'pose' is missing"),
        ("keys:\n  - pose: {head: {turn: [1,2,3]}}", "key 1: 'at' is missing"),
        ("keys:\n  - {at: 3, pose: {head: {bend: 3}}}", "'bend' is not known"),
        ("keys:\n  - {at: 3, pose: {head: {turn: [1, 2]}}}", "three numbers"),
        ("keys:\n  - {at: [3], pose: {head: {turn: [1, 2, 3]}}}", "not a moment"),
        ("keyz: []", "'keyz' is not known"),
        ("times:\n  - 3", "expected pairs"),
        ("keys: []\nrelease: left_heel", "expected a list of kinds"),
        ("keys: [", "line 2: not valid YAML"),
        ("a: b: c", "line 1: not valid YAML"),
    ],
)
def test_what_is_wrong_is_said_with_the_file(text, message, tmp_path):
    path = tmp_path / "keys.yaml"
    path.write_text(text)
    with pytest.raises(FormatError, match=message) as error:
        mw.load_warp(path)
    assert "keys.yaml" in str(error.value)


def test_broken_json_names_its_line(tmp_path):
    path = tmp_path / "keys.json"
    path.write_text('{"keys": [\n  {]\n}')
    with pytest.raises(FormatError, match="line 2: not valid JSON"):
        mw.load_warp(path)


def test_json_needs_no_extra_package_and_yaml_names_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    data = {"keys": [{"at": 3, "pose": {"head": {"turn": [1, 2, 3]}}}]}
    (tmp_path / "a.json").write_text(json.dumps(data))
    assert mw.load_warp(tmp_path / "a.json").keys[0].turn == (1.0, 2.0, 3.0)
    (tmp_path / "a.yaml").write_text("keys: []")
    with pytest.raises(MissingDependencyError, match=r"motionweave\[yaml\]"):
        mw.load_warp(tmp_path / "a.yaml")
