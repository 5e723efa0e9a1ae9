"""VRM animation: joints by what they are, a T-pose at rest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.rig.roles import find_rig
from motionweave.export.ground import ground_path, with_ground_bone
from motionweave.io.gltf.container import open_gltf
from motionweave.io.vrma import human_bones


def test_round_trip_keeps_every_named_joint(tmp_path: Path) -> None:
    walk = mw.sample("walk").scaled(100.0)
    mw.save(walk, tmp_path / "walk.vrma", contacts=False)
    again = mw.load(tmp_path / "walk.vrma", contacts=False)
    assert (len(again), again.fps) == (len(walk), walk.fps)
    there, back = walk.positions() / 100.0, again.positions()
    for bone, joint in human_bones(find_rig(walk.skeleton)).items():
        np.testing.assert_allclose(back[:, again.skeleton.index(bone)], there[:, joint], atol=1e-5)
    roles = find_rig(again.skeleton).roles
    for role in find_rig(walk.skeleton).roles:
        assert role in roles


def test_rest_is_a_t_pose_that_faces_ahead(tmp_path: Path) -> None:
    turned = mw.sample("jab").moved(mw.Planar(1.0, 2.0, 3.0))
    mw.save(turned, tmp_path / "a.vrma", contacts=False)
    rig = find_rig(mw.load(tmp_path / "a.vrma", contacts=False).skeleton)
    rest = rig.skeleton.rest_positions
    for side, sign in (("left", 1.0), ("right", -1.0)):
        arm = rest[rig.roles[f"{side}_hand"]] - rest[rig.roles[f"{side}_upper_arm"]]
        leg = rest[rig.roles[f"{side}_ankle"]] - rest[rig.roles[f"{side}_thigh"]]
        np.testing.assert_allclose(arm / np.linalg.norm(arm), [sign, 0.0, 0.0], atol=1e-5)
        np.testing.assert_allclose(leg / np.linalg.norm(leg), [0.0, -1.0, 0.0], atol=1e-5)


def test_only_the_hips_travel(tmp_path: Path) -> None:
    mw.save(mw.sample("walk"), tmp_path / "a.vrma", contacts=False)
    gltf = open_gltf(tmp_path / "a.vrma")
    bones = gltf.json["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"]
    moved = [
        one["target"]["node"]
        for one in gltf.json["animations"][0]["channels"]
        if one["target"]["path"] == "translation"
    ]
    assert moved == [bones["hips"]["node"]]
    assert {"hips", "spine", "head", "leftUpperArm", "rightFoot"} <= bones.keys()


def test_what_is_above_the_hips_is_folded_into_them(tmp_path: Path) -> None:
    walk = mw.sample("walk")
    mw.save(with_ground_bone(walk, cyclic=False), tmp_path / "a.vrma", contacts=False)
    again = mw.load(tmp_path / "a.vrma", contacts=False)
    start = ground_path(walk, cyclic=False)[0].inverse()
    np.testing.assert_allclose(again.root, walk.moved(start).root, atol=1e-5)


def test_what_cannot_be(tmp_path: Path) -> None:
    mw.save(mw.sample("jab"), tmp_path / "a.glb", contacts=False)
    (tmp_path / "a.glb").rename(tmp_path / "a.vrma")
    with pytest.raises(mw.FormatError, match="not a VRM animation"):
        mw.load(tmp_path / "a.vrma")
    skeleton = mw.Skeleton(("a", "b"), np.array([-1, 0]), np.tile([0.0, 1.0, 0.0], (2, 1)))
    few = mw.Motion(skeleton, 30.0, np.zeros((2, 3)), np.tile([0.0, 0.0, 0.0, 1.0], (2, 2, 1)))
    with pytest.raises(mw.RigError, match="needs the roles"):
        mw.save(few, tmp_path / "b.vrma")


@pytest.mark.parametrize(
    ("names", "bones"),
    [
        (
            ("RightHandThumb1", "RightHandThumb2", "RightHandThumb3"),
            ("rightThumbMetacarpal", "rightThumbProximal", "rightThumbDistal"),
        ),
        (
            ("RightInHandIndex", "RightHandIndex1", "RightHandIndex2", "RightHandIndex3"),
            (None, "rightIndexProximal", "rightIndexIntermediate", "rightIndexDistal"),
        ),
        (("rPinky1", "rPinky2"), ("rightLittleProximal", "rightLittleIntermediate")),
        (("Sword", "SwordTip"), (None, None)),
    ],
)
def test_fingers_are_named(
    names: tuple[str, ...], bones: tuple[str | None, ...], tmp_path: Path
) -> None:
    walk = mw.sample("walk")
    skeleton, count = walk.skeleton, len(walk.skeleton)
    above = [skeleton.index("RightHand"), *range(count, count + len(names) - 1)]
    more = replace(
        skeleton,
        names=(*skeleton.names, *names),
        parents=np.append(skeleton.parents, above),
        offsets=np.vstack([skeleton.offsets, np.tile([-0.03, 0.0, 0.0], (len(names), 1))]),
    )
    turns = np.tile([0.0, 0.0, 0.0, 1.0], (len(walk), len(names), 1))
    motion = mw.Motion(more, walk.fps, walk.root, np.concatenate([walk.rotations, turns], axis=1))
    found = {joint: bone for bone, joint in human_bones(find_rig(more)).items()}
    assert tuple(found.get(count + k) for k in range(len(names))) == bones
    mw.save(motion, tmp_path / "a.vrma")
    again = mw.load(tmp_path / "a.vrma", contacts=False).skeleton.names
    assert {bone for bone in bones if bone} <= set(again)
