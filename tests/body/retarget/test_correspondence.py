"""Joints that belong together, whatever they are called and wherever they are listed."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import RigError, Skeleton
from motionweave.body.retarget.correspondence import (
    match,
    match_by_name,
    one_convention,
    same_body,
)
from motionweave.body.rig.names import normalised
from tests.body.bodies import CONVENTIONS, renamed, reordered, scrambled, with_helpers


@pytest.mark.parametrize(
    "names",
    [
        "mixamorig7:LeftUpLeg mixamorig:LeftUpLeg Character1_LeftUpLeg left_up_leg UpLeg.L "
        "LeftUpLeg ns:Armature|UpLeg_L L_UpLeg leftUpLeg",
        "Bip01_L_Thigh ValveBiped.Bip01_L_Thigh thigh_l L_Thigh Thigh.L",
        "Spine1 spine_01 spine1 Character1_Spine1 mixamorig12:Spine1",
        "joint_Hips Hips hips HIPS b_hips",
        "RightHandIndex1 right_hand_index_1 Hand_Index1_R",
    ],
)
def test_one_name_in_all_its_spellings(names: str) -> None:
    assert len({normalised(name) for name in names.split()}) == 1


def test_other_names_stay_apart() -> None:
    names = "Spine Spine1 Spine2 LeftLeg RightLeg LeftUpLeg Leg LeftHandIndex1 LeftHandIndex2 Root"
    assert len({normalised(name) for name in names.split()}) == len(names.split())


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_convention_is_one_with_the_built_in_body(convention: str) -> None:
    walk = mw.sample("walk").skeleton
    other = renamed(mw.sample("jog"), convention).skeleton
    assert one_convention(other, walk)
    pairs = match_by_name(other, walk).pairs
    assert all(pairs[j].joint == j for j in range(len(walk)))


def test_order_and_helpers_do_not_matter_but_the_zero_pose_does() -> None:
    walk = mw.sample("walk")
    for other in (reordered(walk, 5), with_helpers(walk)):
        assert one_convention(other.skeleton, walk.skeleton)
        assert one_convention(walk.skeleton, other.skeleton)
        assert same_body(other.skeleton, walk.skeleton)
        mapping = match_by_name(other.skeleton, walk.skeleton)
        assert not mapping.at_rest
        for joint, pair in mapping.pairs.items():
            assert other.skeleton.names[pair.joint] == walk.skeleton.names[joint]
    assert not one_convention(scrambled(walk, 1).skeleton, walk.skeleton)


def test_chains_of_other_counts_share_out_their_bends() -> None:
    walk = mw.sample("walk").skeleton
    helped = with_helpers(mw.sample("walk")).skeleton
    mapping = match(walk, helped)
    chest = mw.find_rig(helped).roles["chest"]
    assert (
        mapping.pairs[chest].joint == mapping.pairs[chest].next == mw.find_rig(walk).roles["chest"]
    )
    inside = [mapping.pairs[j] for j in mw.find_rig(helped).spine[:-1]]
    assert all(pair.how == "chain" and 0.0 <= pair.share < 1.0 for pair in inside)
    order = [(pair.joint, pair.share) for pair in inside]
    assert order == sorted(order)
    assert set(mapping.at_rest) == {"Eye", "Sword_Prop", "Tail1"}


def test_a_mapping_is_a_file_that_can_be_edited(tmp_path: Path) -> None:
    walk = mw.sample("walk")
    helped = with_helpers(walk)
    mapping = match(walk.skeleton, helped.skeleton)
    path = tmp_path / "map.json"
    mapping.save(path)
    again = match(walk.skeleton, helped.skeleton, path)
    assert again.to_json() == mapping.to_json()
    edited = {**json.loads(path.read_text()), "Eye": "Head", "Head": None}
    path.write_text(json.dumps(edited))
    changed = match(walk.skeleton, helped.skeleton, path)
    assert changed.to_json()["Eye"] == "Head"
    assert "Head" in changed.at_rest
    assert "given" in str(changed)
    assert "at rest: " in str(changed)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"Hed": None}, "did you mean Head"),
        ({"Head": "Hed"}, "did you mean Head"),
        ({"Head": 3}, "must have the name of a joint"),
        ({"Head": {"from": "Head", "to": "Neck", "share": 2}}, "from 0 to 1"),
    ],
)
def test_a_wrong_mapping_is_refused_with_the_reason(given: dict, message: str) -> None:  # type: ignore[type-arg]
    walk = mw.sample("walk").skeleton
    with pytest.raises(RigError, match=message):
        match(walk, walk, given)


@pytest.mark.parametrize("tree", ["star", "chain", "random", "binary"])
def test_thousands_of_joints_are_no_trouble(tree: str) -> None:
    # Deeper chains are not skeletons; see `motionweave.core.checks`.
    count = 1_000 if tree == "chain" else 10_000
    rng = np.random.default_rng(0)
    number = np.arange(count - 1)
    parents = {
        "star": 0 * number,
        "chain": number,
        "random": (rng.random(count - 1) * (number + 1)).astype(int),
        "binary": number // 2,
    }[tree]
    offsets = np.where(rng.random((count, 1)) < 0.5, 1.0, -1.0) * np.ones((count, 3))
    names = tuple(f"j{i}" for i in range(count))
    skeleton = Skeleton(names, np.concatenate([[-1], parents]), offsets)
    start = time.process_time()
    mw.find_rig(skeleton)
    assert time.process_time() - start < 5.0


def _animal(legs: int, names: str) -> Skeleton:
    """A trunk along z on pairs of legs of three bones, with a head; ``names`` for the legs."""
    joints, parents, offsets = ["Hips"], [-1], [[0.0, 1.0, 0.0]]

    def add(name: str, parent: int, offset: list[float]) -> int:
        joints.append(name)
        parents.append(parent)
        offsets.append(offset)
        return len(joints) - 1

    parts = names.split()
    at = 0
    for pair in range(legs // 2):
        if pair:
            at = add(f"Spine{pair}", at, [0.0, 0.0, 0.5])
        for side, sign in (("Left", 1.0), ("Right", -1.0)):
            upper, middle, end = parts[3 * pair : 3 * pair + 3]
            one = add(side + upper, at, [0.15 * sign, 0.0, 0.0])
            two = add(side + middle, one, [0.0, -0.5, 0.05])
            add(side + end, two, [0.0, -0.45, -0.05])
    add("Head", add("Neck", at, [0.0, 0.2, 0.3]), [0.0, 0.1, 0.1])
    return Skeleton(tuple(joints), np.array(parents), np.array(offsets))


@pytest.mark.parametrize(
    ("legs", "names"),
    [
        (4, "UpLeg Leg Foot Arm ForeArm Hand"),
        (4, "HindLeg HindShin HindPaw ForeLeg ForeShin ForePaw"),
        (4, "a b c d e f"),
        (8, "a b c d e f g h i k l m"),
    ],
)
def test_what_does_not_walk_on_two_legs_is_not_taken_for_a_human(legs: int, names: str) -> None:
    skeleton = _animal(legs, names)
    rig = mw.find_rig(skeleton)
    assert rig.legs == legs
    assert not any(role.startswith(("left", "right")) for role in rig.roles)
    with pytest.raises(RigError, match=rf"two legs.*stands on {legs} legs"):
        rig.joint("left_ankle", "foot clean-up")
    given = {
        f"{side}_{role}": f"{side.title()}{name}"
        for side in ("left", "right")
        for role, name in zip(("thigh", "shin", "ankle"), names.split()[:3], strict=True)
    }
    assert mw.find_rig(skeleton, given).has("left_thigh", "right_ankle")
