"""Roles from names of every convention, from shape alone, and from an override."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import RigError, Skeleton, samples
from motionweave.body.rig.names import (
    ARM_ROLES,
    LEG_ROLES,
    normalised,
    read_name,
    roles_by_name,
    side_key,
)
from motionweave.body.rig.roles import ROLES, SIDES, find_rig, leg_length, with_rig
from tests.body.conventions import CONVENTIONS, skeleton_of, unnamed_body

EXPECTED_ORDER = (
    *("hips", "chest", "neck", "head"),
    *("left_thigh", "left_shin", "left_ankle", "left_toe"),
    *("left_shoulder", "left_upper_arm", "left_forearm", "left_hand"),
)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_names_of_every_convention_give_the_roles_on_both_sides(convention: str) -> None:
    tree, expected = CONVENTIONS[convention]
    skeleton = skeleton_of(tree)
    found = find_rig(skeleton).names()
    wanted = dict(zip(EXPECTED_ORDER, expected.split(), strict=True))
    if convention == "3ds max biped":
        wanted = {role: "Bip01 " + name.replace("_", " ") for role, name in wanted.items()}
    if convention == "mixamo":
        wanted = {role: f"mixamorig:{name}" for role, name in wanted.items()}
    for role, name in wanted.items():
        if name == "-":
            continue
        assert found.get(role) == name, role
        if role.startswith("left_"):
            other = found["right" + role.removeprefix("left")]
            swapped = other.replace("Right", "Left").replace("right", "left")
            swapped = swapped.replace("R_", "L_").replace("_R", "_L").replace("_r", "_l")
            swapped = swapped.replace(" R ", " L ").replace(".R", ".L").replace(".r", ".l")
            if convention == "cmu asf":
                swapped = "l" + swapped[1:]
            if convention == "motive":
                swapped = "L" + swapped[1:]
            assert swapped == name
    if wanted["left_toe"] == "-":
        assert "left_toe" not in found


@pytest.mark.parametrize(("lateral", "forward"), [(1, 1), (-1, 1), (1, -1), (-1, -1)])
def test_shape_alone_gives_every_role_and_tells_left_from_right(
    lateral: float, forward: float
) -> None:
    rig = find_rig(unnamed_body(lateral, forward))
    true_names = unnamed_body(names=True).names
    found = {role: true_names[joint] for role, joint in rig.roles.items()}
    assert set(found) == set(ROLES)
    assert set(rig.origins.values()) == {"shape"}
    # Facing +z the left is +x, facing -z it is -x; reflecting either swaps the sides.
    left = "a" if lateral * forward > 0 else "b"
    assert [found[f"left_{role}"] for role in ("thigh", "shin", "ankle", "toe")] == [
        f"hip_{left}",
        f"knee_{left}",
        f"ankle_{left}",
        f"ball_{left}",
    ]
    assert [found[f"left_{role}"] for role in ("shoulder", "upper_arm", "forearm", "hand")] == [
        f"collar_{left}",
        f"arm_{left}",
        f"elbow_{left}",
        f"wrist_{left}",
    ]
    centre = [found[role] for role in ("hips", "chest", "neck", "head")]
    assert centre == ["pelvis", "ribs", "throat", "top"]
    assert [true_names[joint] for joint in rig.spine] == ["back", "ribs"]


def test_leg_length_is_thigh_plus_shin() -> None:
    assert leg_length(unnamed_body()) == pytest.approx(0.87)


def test_a_creature_without_limbs_has_no_roles_and_says_what_is_needed() -> None:
    snake = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), np.eye(3))
    rig = find_rig(snake)
    assert not rig.roles
    assert not rig.has("left_ankle")
    with pytest.raises(RigError, match=r"foot clean-up needs .* left_ankle, .*JSON.*--rig"):
        rig.joint("left_ankle", feature="foot clean-up")
    with pytest.raises(RigError, match="no role 'left_wing'"):
        rig.joint("left_wing", feature="flying")


def test_an_upper_body_has_arms_but_no_legs() -> None:
    tree = """
    Hips
      Spine
        Neck
          Head
        LeftArm
          LeftForeArm
            LeftHand
        RightArm
          RightForeArm
            RightHand
    """
    rig = find_rig(skeleton_of(tree))
    assert rig.has("hips", "chest", "left_upper_arm", "right_hand", "head")
    assert not rig.has("left_thigh")
    assert "left_shoulder" not in rig.roles
    assert rig.names()["chest"] == "Spine"


def branches(*chains: tuple[int, list[tuple[float, float, float]]]) -> Skeleton:
    """A skeleton of nameless chains, each at the joint of an index, with these bones."""
    parents, offsets = [-1], [(0.0, 1.0, 0.0)]
    for start, bones in chains:
        for place, bone in enumerate(bones):
            parents.append(start if place == 0 else len(offsets) - 1)
            offsets.append(bone)
    names = tuple(f"joint{index}" for index in range(len(offsets)))
    return Skeleton(names, np.array(parents), np.array(offsets))


def test_limbs_spread_from_one_joint_are_not_a_human() -> None:
    spread = [
        (0, [(side * 0.2, 0.0, z), (side * 0.3, 0.1, z), (side * 0.3, -0.2, z)])
        for z in (-0.2, 0.0, 0.2)
        for side in (-1.0, 1.0)
    ]
    rig = find_rig(branches(*spread))
    assert rig.legs == 6
    assert not rig.has("left_thigh")
    assert "stands on 6 legs" in rig.why_not_human()


def test_two_branches_that_stand_on_nothing_are_no_legs() -> None:
    up = [(0.0, 0.4, 0.0), (0.0, 0.4, 0.05)]
    rig = find_rig(branches((0, [(0.1, 0.0, 0.0), *up]), (0, [(-0.1, 0.0, 0.0), *up])))
    assert not rig.has("left_thigh")


def test_fingers_of_one_hand_are_no_arms() -> None:
    legs = [
        (0, [(side, 0.0, 0.0), (0.0, -0.45, 0.0), (0.0, -0.45, 0.0), (0.0, -0.05, 0.15)])
        for side in (-0.1, 0.1)
    ]
    # Arms of different counts of joints, one of which ends in long claws.
    other = [(0, [(0.0, 0.4, 0.0), (-0.4, 0.0, 0.0)]), (9, [(0.4, 0.0, 0.0), (0.2, 0.0, 0.0)])]
    claws = [(12, [(0.4, z, 0.0)]) for z in (-0.02, 0.02)]
    rig = find_rig(branches(*legs, *other, *claws))
    assert rig.has("left_thigh", "right_ankle")
    assert not rig.has("left_upper_arm")
    assert not rig.has("head")


def test_human_names_on_legs_with_hocks_are_those_of_an_animal() -> None:
    sides = [
        [
            f"Bip01_{side}_{part}"
            for part in ("Thigh", "Calf", "HorseLink", "Foot", "UpperArm", "Forearm", "Hand")
        ]
        for side in "LR"
    ]
    names = ["Bip01_Pelvis", "Bip01_Spine", *sides[0], *sides[1]]
    parents = [-1, 0]
    for first in (2, 9):
        parents += [0, first, first + 1, first + 2, 1, first + 4, first + 5]
    # The zero pose says nothing: every bone lies along one axis.
    offsets = np.tile([0.3, 0.0, 0.0], (len(names), 1))
    rig = find_rig(Skeleton(tuple(names), np.array(parents), offsets))
    assert rig.legs == 4
    assert not rig.has("left_thigh")


def test_an_override_goes_before_names_and_shape(tmp_path: Path) -> None:
    skeleton = skeleton_of(CONVENTIONS["lafan1"][0])
    path = tmp_path / "rig.json"
    path.write_text(json.dumps({"chest": "Spine1", "left_toe": None, "head": "Neck"}))
    rig = find_rig(skeleton, path)
    assert rig.names()["chest"] == "Spine1"
    assert rig.names()["head"] == "Neck"
    assert rig.origins["head"] == "override"
    assert not rig.has("left_toe")
    assert rig.has("right_toe")
    assert [skeleton.names[j] for j in rig.spine] == ["Spine", "Spine1"]
    assert find_rig(skeleton).names()["chest"] == "Spine2"
    listed = find_rig(skeleton, {"spine": ["Spine", "Spine2"]})
    assert [skeleton.names[j] for j in listed.spine] == ["Spine", "Spine2"]


def test_a_skeleton_carries_the_roles_it_was_given_and_no_other_does() -> None:
    skeleton = skeleton_of(CONVENTIONS["lafan1"][0])
    given = with_rig(skeleton, {"chest": "Spine1", "right_toe": None})
    assert find_rig(given).names()["chest"] == "Spine1"
    assert not find_rig(given).has("right_toe")
    assert find_rig(skeleton).names()["chest"] == "Spine2"
    assert given != skeleton
    again = pickle.loads(pickle.dumps(given))
    assert again == given
    assert find_rig(again).names() == find_rig(given).names()
    assert find_rig(replace(given, offsets=2.0 * given.offsets)).names()["chest"] == "Spine1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"left_wing": "Hips"}', "no role 'left_wing'"),
        ('{"left_ankle": 3}', "left_ankle must be the name"),
        ('{"left_ankle": "LeftFot"}', "did you mean LeftFoot"),
        ('{"spine": "Spine"}', "spine must be a list"),
        ("[1, 2]", "expected an object"),
        ("{", "not valid JSON"),
    ],
)
def test_a_wrong_override_is_refused_with_the_reason(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "rig.json"
    path.write_text(text)
    with pytest.raises(RigError, match=message):
        find_rig(skeleton_of(CONVENTIONS["lafan1"][0]), path)


def test_rigs_are_remembered() -> None:
    skeleton = unnamed_body()
    assert find_rig(skeleton) is find_rig(replace(skeleton))


def test_given_roles_stay_with_a_clip_that_begins_at_its_pelvis(tmp_path: Path) -> None:
    walk = mw.sample("walk")
    count = len(walk.skeleton)
    above = replace(
        walk,
        skeleton=Skeleton(
            ("Scene", *walk.skeleton.names),
            np.concatenate([[-1], walk.skeleton.parents + 1]),
            np.concatenate([np.zeros((1, 3)), walk.skeleton.offsets]),
        ),
        rotations=np.concatenate(
            [np.tile([0.0, 0.0, 0.0, 1.0], (len(walk), 1, 1)), walk.rotations], axis=1
        ),
        constraints=(),
    )
    path = tmp_path / "scene.bvh"
    mw.save(above, path)
    loaded = mw.load(path, rig={"head": None, "left_toe": "LeftFoot"})
    assert len(loaded.skeleton) == count
    rig = find_rig(loaded.skeleton)
    assert not rig.has("head")
    assert rig.names()["left_toe"] == "LeftFoot"
    assert mw.load(path, rig={"head": "Kopf"}).skeleton.roles == {}
    with pytest.raises(RigError, match="Kopf"):
        mw.load(path, rig={"head": "Kopf", "left_toe": "LeftFoot"})


@pytest.mark.parametrize(
    "words",
    [
        ("Thumb", "Index", "Middle", "Ring", "Pinky"),
        ("Finger0", "Finger1", "Finger2", "Finger3", "Finger4"),
        ("metacarpal1.l", "metacarpal2.l", "metacarpal3.l", "metacarpal4.l", "metacarpal5.l"),
    ],
)
def test_a_hand_alone_does_not_stand_on_its_fingers(words: tuple[str, ...]) -> None:
    names, parents, offsets = ["Hand"], [-1], [(0.0, 0.0, 0.0)]
    for k, word in enumerate(words):
        for part in range(3):
            parents.append(0 if part == 0 else len(names) - 1)
            names.append(f"{word}{part + 1}")
            offsets.append((0.3 * (k - 2), -1.0, 0.0) if part == 0 else (0.0, -0.5, 0.0))
    hand = mw.Skeleton(tuple(names), np.array(parents), np.array(offsets))
    rig = find_rig(hand)
    assert not rig.legs
    assert not rig.roles
    # The same tree without such names may be anything that stands.
    other = replace(hand, names=tuple(f"joint{k}" for k in range(len(names))))
    assert find_rig(other).legs or find_rig(other).roles


@pytest.mark.parametrize(
    ("name", "side"),
    [("PalmR.L", "left"), ("PalmL.R", "right"), ("Ring_L_R", "right"), ("Foot.L", "left")],
)
def test_a_side_at_the_end_of_a_name_counts_more_than_letters_before(name: str, side: str) -> None:
    assert read_name(name)[0] == side
    other = name[:-1] + {"L": "R", "R": "L"}[name[-1]]
    assert side_key(name)[1] == side_key(other)[1]
    assert normalised(name).startswith(side)


def test_legs_that_are_only_numbered_are_counted_from_above() -> None:
    names = ["hips", *(f"{part}.{side}" for side in "LR" for part in ("Leg1", "Leg2", "Foot"))]
    across = [[0.1, 0.0, 0.0], [-0.1, 0.0, 0.0]]
    down = [[0.0, -0.4, 0.0]] * 2
    skeleton = mw.Skeleton(
        tuple(names),
        [-1, 0, 1, 2, 0, 4, 5],
        np.array([[0.0, 0.8, 0.0], across[0], *down, across[1], *down]),
    )
    roles = mw.find_rig(skeleton).names()
    assert (roles["left_thigh"], roles["left_shin"]) == ("Leg1.L", "Leg2.L")
    assert roles["right_ankle"] == "Foot.R"


@pytest.mark.parametrize("names", [("UpLeg", "Leg", "Tibia"), ("Thigh", "Leg", "Calf")])
def test_a_bone_beside_the_foot_is_not_the_shin(names: tuple[str, str, str]) -> None:
    """Some rigs hang a bone that carries nothing on the joint that bends the knee."""
    thigh, shin, bone = names
    legs = "".join(
        f"""
      {side}{thigh}
        {side}{shin}
          {side}{bone}
          {side}Foot"""
        for side in ("Left", "Right")
    )
    found = find_rig(skeleton_of(f"    Hips{legs}\n      Spine\n        Head")).names()
    assert [found[f"left_{role}"] for role in ("thigh", "shin", "ankle")] == [
        f"Left{thigh}",
        f"Left{shin}",
        "LeftFoot",
    ]


def test_a_shin_that_carries_nothing_is_one_if_there_is_no_other() -> None:
    legs = "".join(f"\n      {side}Thigh\n        {side}Calf" for side in ("Left", "Right"))
    found = roles_by_name(skeleton_of(f"    Hips{legs}\n      Spine\n        Head"))
    assert {"left_thigh", "left_shin", "right_thigh", "right_shin"} <= set(found)


def _beast(front: str) -> Skeleton:
    """Four legs, the hind ones named as legs, and a tail; ``front`` names the front ones."""
    names, parents, offsets = ["Hub", "Spine", "Ribs"], [-1, 0, 1], [[0, 0.8, 0], [0, 0, 0.4]]
    offsets += [[0.0, 0.0, 0.4]]
    for part, at, shin in (("Leg", 0, 0.35), (front, 2, 0.37)):
        for side, across in (("L", 0.2), ("R", -0.2)):
            first = len(names)
            names += [f"Tri{side}{part}{bone}" for bone in ("1", "2", "Ankle", "Digit")]
            parents += [at, first, first + 1, first + 2]
            offsets += [[across, 0.0, 0.0], [0.0, -0.4, 0.05], [0.0, -shin, -0.05]]
            offsets += [[0.0, -0.05, 0.15]]
    names += ["Tail1", "Tail2"]
    parents += [0, len(names) - 2]
    offsets += [[0.0, 0.0, -0.3], [0.0, 0.0, -0.3]]
    return Skeleton(tuple(names), parents, np.array(offsets))


def test_a_body_with_named_legs_and_two_more_stands_on_four() -> None:
    assert find_rig(_beast("LegF")).legs == 4


def test_hands_that_hang_to_the_floor_with_the_trunk_are_no_feet() -> None:
    """Some exporters let all bones of the zero pose point down, the spine as well."""
    names, parents = ["Hips", "Spine", "Chest", "Neck", "Head"], [-1, 0, 1, 2, 3]
    offsets = [[0.0, 0.9, 0.0], *([[0.0, -0.12, 0.0]] * 3), [0.0, -0.1, 0.0]]
    for side, across in (("Left", -0.1), ("Right", 0.1)):
        leg, arm = len(names), len(names) + 4
        names += [f"{side}{bone}" for bone in ("Thigh", "Shin", "Foot", "Toe")]
        names += [f"{side}{bone}" for bone in ("Shoulder", "Arm", "ForeArm", "Hand")]
        parents += [0, leg, leg + 1, leg + 2, 2, arm, arm + 1, arm + 2]
        offsets += [[across, 0.0, 0.0], *([[0.0, -0.43, 0.0]] * 2), [0.0, -0.13, 0.06]]
        offsets += [[across, -0.12, 0.0], [0.0, -0.12, 0.0], *([[0.0, -0.26, 0.0]] * 2)]
    rig = find_rig(Skeleton(tuple(names), parents, np.array(offsets)))
    assert rig.legs == 0
    assert rig.has("left_thigh", "right_ankle", "left_hand")


@pytest.mark.parametrize("front", ["LegF", "Arm", "Wing"])
def test_no_joint_belongs_to_two_limbs(front: str) -> None:
    for given in ({}, {"legs": 2}):
        roles = find_rig(_beast(front), given).roles
        limbs = [joint for role, joint in roles.items() if "_" in role]
        assert len(set(limbs)) == len(limbs)


@pytest.mark.parametrize("seed", range(5))
def test_of_fingers_at_one_place_the_same_one_stands_for_the_hand_on_both_sides(seed: int) -> None:
    """Rigs without a hand hang all fingers on the forearm, at the wrist, within rounding."""
    noise = np.random.default_rng(seed)
    names, parents, offsets = ["hips", "chest"], [-1, 0], [[0.0, 1.0, 0.0], [0.0, 0.4, 0.0]]
    for side, way in (("L", 1.0), ("R", -1.0)):
        first = len(names)
        names += [f"UpperArm.{side}", f"LowerArm.{side}"]
        parents += [1, first]
        offsets += [[0.2 * way, 0.0, 0.0], [0.3 * way, 0.0, 0.0]]
        for finger, length in (("Thumb", 0.05), ("Index", 0.08), ("Middle", 0.09), ("Pinky", 0.06)):
            names += [f"{finger}1.{side}", f"{finger}2.{side}"]
            parents += [first + 1, len(names) - 2]
            offsets += [[0.25 * way + noise.normal(0.0, 1e-8), 0.0, 0.0], [length * way, 0.0, 0.0]]
    roles = find_rig(Skeleton(tuple(names), parents, np.array(offsets))).names()
    assert (roles["left_hand"], roles["right_hand"]) == ("Middle1.L", "Middle1.R")


@pytest.mark.parametrize("seed", range(4))
def test_of_five_toes_the_same_one_stands_for_both_feet(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree, _ = CONVENTIONS["fore foot"]
    lines = []
    for line in tree.splitlines():
        if line.strip() in ("LeftForeFoot", "RightForeFoot"):
            side, space = line.strip()[0], line[: len(line) - len(line.lstrip())]
            lines += [f"{space}toe{toe}-1.{side}" for toe in rng.permutation(5) + 1]
        elif "ToeBase" not in line:
            lines.append(line)
    found = find_rig(skeleton_of("\n".join(lines))).names()
    assert (found["left_toe"], found["right_toe"]) == ("toe1-1.L", "toe1-1.R")


def test_goals_in_pairs_are_not_legs() -> None:
    """A walking machine without arms, with a pole target before each knee."""
    names, parents, offsets = ["Body", "Head"], [-1, 0], [[0.0, 1.0, 0.0], [0.0, 0.5, 0.0]]
    for side, way in (("L", 0.2), ("R", -0.2)):
        first = len(names)
        names += [f"{bone}.{side}" for bone in ("UpperLeg", "LowerLeg", "Foot", "PoleTarget")]
        parents += [0, first, first + 1, 0]
        offsets += [[way, 0, 0], [0, -0.3, 0.4], [0, -0.6, -0.3], [way, -0.3, 1.4]]
    rig = find_rig(Skeleton(tuple(names), parents, np.array(offsets)))
    assert rig.legs == 0
    assert rig.has("left_ankle", "right_ankle")


@pytest.mark.parametrize("role", [f"{s}_{r}" for s in SIDES for r in (*LEG_ROLES, *ARM_ROLES)])
def test_one_misspelt_name_shifts_no_role(role: str) -> None:
    body = samples.sample("walk").skeleton
    roles = find_rig(body).roles
    names = list(body.names)
    for wrong in ("Xyzzy", names[roles[role]][:-2] + "ts"):
        names[roles[role]] = wrong
        assert find_rig(replace(body, names=tuple(names))).roles == roles


def test_a_limb_that_differs_from_the_other_side_keeps_its_own_roles() -> None:
    """An arm without a collar bone beside one that has one: nothing is misspelt."""
    body = samples.sample("walk").skeleton
    parents, offsets = np.array(body.parents), np.array(body.offsets)
    arm, collar = body.index("RightArm"), body.index("RightShoulder")
    parents[arm], offsets[arm] = parents[collar], offsets[collar] + offsets[arm]
    keep = [joint for joint in range(len(body)) if joint != collar]
    cut = Skeleton(
        tuple(body.names[joint] for joint in keep),
        [keep.index(int(parents[joint])) if joint else -1 for joint in keep],
        offsets[keep],
    )
    found = find_rig(cut).names()
    assert (found["left_shoulder"], found["left_upper_arm"]) == ("LeftShoulder", "LeftArm")
    assert found["right_upper_arm"] == "RightArm"
    assert "right_shoulder" not in found
