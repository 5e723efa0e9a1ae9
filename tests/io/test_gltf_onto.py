"""Motions written onto a character's own file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.errors import FormatError, RigError
from motionweave.io.gltf.container import open_gltf
from motionweave.io.gltf.format import read
from motionweave.io.gltf.mesh import read_mesh
from motionweave.io.gltf.onto import write_onto
from tests.characters import write_character


@pytest.mark.parametrize("armature", [False, True])
def test_a_motion_goes_onto_a_character_and_back(armature: bool, tmp_path: Path) -> None:
    path = write_character(
        tmp_path / "c.glb", mw.sample("dance_a"), mw.sample("jab"), armature=armature
    )
    body = read(path)
    wanted = mw.retarget(mw.sample("walk"), body, feet=False)
    write_onto(wanted, path, tmp_path / "made.glb")
    again = read(tmp_path / "made.glb")
    assert again.source["animations"] == ("walk",)
    np.testing.assert_allclose(again.positions(), wanted.positions(), atol=1e-5)
    before, after = read_mesh(path), read_mesh(tmp_path / "made.glb")
    assert before is not None
    assert after is not None
    np.testing.assert_array_equal(after.bare, before.bare)
    assert after.surfaces == before.surfaces
    assert after.images == before.images
    assert after.images[0][0] == "image/png"
    assert after.surfaces[0].image == 0


def test_another_body_is_refused(tmp_path: Path) -> None:
    path = write_character(tmp_path / "c.glb", mw.sample("jab"))
    other = mw.sample("walk")
    names = tuple(f"x{name}" for name in other.skeleton.names)
    other = mw.Motion(
        mw.Skeleton(names, other.skeleton.parents, other.skeleton.offsets),
        other.fps,
        other.root,
        other.rotations,
    )
    with pytest.raises(RigError, match="has no joints xHips"):
        write_onto(other, path, tmp_path / "made.glb")


def test_data_in_several_places_is_refused(tmp_path: Path) -> None:
    path = write_character(tmp_path / "c.glb", mw.sample("jab"))
    gltf = open_gltf(path)
    gltf.json["buffers"].append({"byteLength": 4, "uri": "beside.bin"})
    with pytest.raises(FormatError, match="save it as GLB"):
        gltf.only_buffer()
