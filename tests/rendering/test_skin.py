"""Meshes of glTF files move with the joints and are drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.core import rotations
from motionweave.io.gltf.container import GltfWriter, open_gltf
from motionweave.io.gltf.mesh import read_mesh
from motionweave.rendering.skin import bind
from motionweave.rendering.textures import decoded
from tests.characters import picture, write_character

image = pytest.importorskip("PIL.Image")


@pytest.fixture
def character(tmp_path: Path) -> Path:
    """A file as another program would write it: a skin without our note."""
    path = tmp_path / "character.glb"
    mw.save(mw.sample("kick_high").scaled(100.0), path, contacts=False)
    gltf = open_gltf(path)
    del gltf.json["skins"][0]["extras"]
    assert gltf.binary is not None
    GltfWriter(gltf.json, bytearray(gltf.binary)).save(path)
    return path


def test_vertices_go_with_their_joints(character: Path) -> None:
    motion = mw.load(character)
    mesh, skin = read_mesh(character), bind(character, motion)
    assert mesh is not None
    assert skin is not None
    positions, orientations = motion.forward()
    vertices, normals = skin.at(positions[20], orientations[20])
    assert ((mesh.weights > 0.0).sum(axis=1) == 2).any()
    rest = mesh.vertices - mesh.rest_positions[mesh.joints]
    turned = rotations.rotate(orientations[20, skin.joints], rest)
    truth = np.einsum("vk,vki->vi", mesh.weights, positions[20, skin.joints] + turned)
    np.testing.assert_allclose(vertices, truth, atol=1e-4)
    # The mean of two normals is a little shorter than they are.
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=0.01)


def test_our_own_body_is_no_mesh(tmp_path: Path) -> None:
    mw.save(mw.sample("jab"), tmp_path / "a.glb")
    assert read_mesh(tmp_path / "a.glb") is None


def test_mesh_is_drawn_where_the_body_is(character: Path, tmp_path: Path) -> None:
    motion = mw.load(character)
    alphas = []
    for mesh in (True, False):
        options = {"size": (160, 90), "background": "transparent", "contacts": False}
        mw.render(motion, tmp_path / "a.png", mesh=mesh, **options)  # type: ignore[arg-type]
        with image.open(tmp_path / "a.png") as opened:
            alphas.append(np.asarray(opened)[..., 3] > 215)
    both = (alphas[0] & alphas[1]).sum()
    assert both > 0.6 * max(one.sum() for one in alphas)
    assert (alphas[0] != alphas[1]).any()


def test_a_mesh_for_other_joints(character: Path, tmp_path: Path) -> None:
    skeleton = mw.Skeleton(("a", "b"), np.array([-1, 0]), np.tile([0.0, 1.0, 0.0], (2, 1)))
    other = mw.Motion(skeleton, 30.0, np.zeros((2, 3)), np.tile([0.0, 0.0, 0.0, 1.0], (2, 2, 1)))
    with pytest.raises(mw.RigError, match="joints of the mesh"):
        mw.render(other, tmp_path / "a.png", mesh=character)


def test_archives_do_not_say_where_the_file_was(character: Path) -> None:
    from motionweave.io.store.archive import motion_header

    header = motion_header(mw.load(character), "a", lambda *_: None, source=True)
    assert str(character.parent) not in str(header)
    assert "metres_a_unit" in str(header)


def test_the_texture_of_a_mesh_is_seen(tmp_path: Path) -> None:
    path = write_character(tmp_path / "red.glb", mw.sample("jab"))
    skin = bind(path, mw.load(path))
    assert skin is not None
    # All of it is on the red square, which tints nothing else.
    assert (skin.sheet >= 0).any()
    mw.render(mw.load(path), tmp_path / "a.png", size=(160, 90), contacts=False)
    with image.open(tmp_path / "a.png") as opened:
        seen = np.asarray(opened.convert("RGB")).astype(int)
    red = (
        (seen[..., 0] > 90) & (seen[..., 0] > 3 * seen[..., 1]) & (seen[..., 0] > 3 * seen[..., 2])
    )
    assert red.sum() > 50


def test_a_texture_that_cannot_be_read_is_said() -> None:
    with pytest.warns(mw.QualityWarning, match="texture 1 of the mesh cannot be read"):
        textures = decoded([("image/png", picture()), ("image/png", b"no picture"), ("", b"")])
    assert textures.sheets[:, 1].tolist() == [8, 0, 0]
    # Red as the file has it, but linear.
    np.testing.assert_allclose(textures.texels[1], [0.631, 0.0144, 0.0144, 1.0], atol=1e-3)


@pytest.mark.parametrize("bound_elsewhere", [False, True])
def test_all_meshes_of_a_character_are_read_whatever_their_skins(
    character: Path, tmp_path: Path, bound_elsewhere: bool
) -> None:
    """Exporters give every mesh a skin of its own; the joints may be in another order there, and
    the mesh bound to another pose."""
    whole = read_mesh(character)
    assert whole is not None
    gltf = open_gltf(character)
    assert gltf.binary is not None
    out = GltfWriter(gltf.json, bytearray(gltf.binary))
    first, *others = out.json["meshes"][0]["primitives"]
    out.json["meshes"][0]["primitives"] = [first]
    skin = dict(out.json["skins"][0])
    matrices = gltf.accessor(skin["inverseBindMatrices"], "MAT4")
    if bound_elsewhere:
        # Moved in the file, and moved back where it is bound.
        matrices = matrices.copy()
        matrices[:, 12:15] -= 3.0 * matrices[:, 0:3]
        for primitive in others:
            at = gltf.accessor(primitive["attributes"]["POSITION"], "VEC3")
            moved = out.accessor(at + np.array([3.0, 0.0, 0.0]), "VEC3", bounds=True)
            primitive["attributes"]["POSITION"] = moved
    skin["inverseBindMatrices"] = out.accessor(matrices, "MAT4")
    number = out.add("skins", skin)
    mesh = out.add("meshes", {"primitives": others})
    node = out.add("nodes", {"name": "more", "mesh": mesh, "skin": number})
    out.json["scenes"][0]["nodes"].append(node)
    out.save(tmp_path / "parts.glb")
    parts = read_mesh(tmp_path / "parts.glb")
    assert parts is not None
    assert len(parts.names) == len(whole.names) * (2 if bound_elsewhere else 1)
    assert len(parts.triangles) == len(whole.triangles)
    np.testing.assert_allclose(parts.vertices, whole.vertices, atol=1e-4)
    motion = mw.load(character)
    positions, orientations = motion.forward()
    seen = [bind(path, motion) for path in (character, tmp_path / "parts.glb")]
    drawn = [skin.at(positions[20], orientations[20])[0] for skin in seen if skin is not None]
    np.testing.assert_allclose(drawn[1], drawn[0], atol=2e-3)


def test_a_mesh_that_reaches_beyond_its_joints_is_inside_the_picture(tmp_path: Path) -> None:
    path = tmp_path / "hat.glb"
    mw.save(mw.sample("stand"), path, contacts=False)
    gltf = open_gltf(path)
    del gltf.json["skins"][0]["extras"]
    assert gltf.binary is not None
    out = GltfWriter(gltf.json, bytearray(gltf.binary))
    for primitive in out.json["meshes"][0]["primitives"]:
        at = np.array(gltf.accessor(primitive["attributes"]["POSITION"], "VEC3"))
        # A head three times as high.
        at[:, 1] = np.where(at[:, 1] > 1.5, 1.5 + 3.0 * (at[:, 1] - 1.5), at[:, 1])
        primitive["attributes"]["POSITION"] = out.accessor(at, "VEC3", bounds=True)
    out.save(path)
    motion = mw.load(path)
    options = {"size": (160, 120), "background": "transparent", "contacts": False}
    mw.render(motion, tmp_path / "a.png", **options)  # type: ignore[arg-type]
    with image.open(tmp_path / "a.png") as opened:
        solid = np.asarray(opened)[..., 3] > 215
    assert solid.any()
    assert not solid[0].any()
