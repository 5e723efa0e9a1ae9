"""Characters that users bring: taken in with their clips, saved, drawn, worn and exported."""

from __future__ import annotations

import io
import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.core import rotations
from motionweave.io.gltf.mesh import read_mesh
from motionweave.rendering.skin import bind
from motionweave.studio.document.document import Document
from motionweave.studio.files import export
from motionweave.studio.files.project import load_project, project_bytes
from motionweave.studio.files.upload import Received, add_files
from motionweave.studio.screens.sequence.model import Block, SequenceSettings
from motionweave.studio.screens.sequence.screen import SequenceScreen
from motionweave.studio.screens.snippets import alone, performed_by
from motionweave.studio.view.payload import PayloadStore
from motionweave.studio.view.performer import with_performer
from motionweave.studio.workspace import Workspace
from tests.characters import write_character
from tests.studio.recipes import by_commands, by_python


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("character") / "hero.glb"
    motions = (mw.sample("dance_a"), mw.sample("jab"))
    return write_character(path, *(one.scaled(0.9) for one in motions), armature=True)


@pytest.fixture(scope="module")
def document(file: Path) -> Document:
    session = Workspace().session
    walk = Workspace.open().session.document.clips[0]
    settings = SequenceSettings((Block("b1", walk.id),))
    document = session.empty().with_clip(walk).with_settings("sequence", settings)
    return add_files(document, [Received("hero.glb", file)])[0]


def test_all_animations_of_a_file_share_its_character(document: Document) -> None:
    _, dance, jab = document.clips
    assert (dance.name, jab.name) == ("hero dance_a", "hero jab")
    assert dance.character is jab.character
    assert dance.character is not None
    assert dance.character.name == "hero"


def test_copied_code_names_the_animation(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jab = document.clips[2]
    assert jab.character is not None
    (tmp_path / "hero.glb").write_bytes(jab.character.data)
    recipe = alone(jab)
    expected = jab.motion.positions()
    made = by_python(recipe, tmp_path, monkeypatch).positions()
    np.testing.assert_allclose(made, expected, atol=1e-4)
    assert len(by_commands(recipe, tmp_path, monkeypatch)) == len(expected)


def test_it_is_saved_with_the_project_once(document: Document) -> None:
    kinds = Workspace().session.kinds
    again = load_project(io.BytesIO(project_bytes(document)), kinds)
    _, dance, jab = again.clips
    assert dance.character is jab.character
    assert dance.character is not None
    known = document.clips[1].character
    assert known is not None
    assert dance.character.data == known.data


def test_what_is_sent_moves_the_mesh_as_the_library_does(file: Path, document: Document) -> None:
    clip = document.clips[1]
    assert clip.character is not None
    store = PayloadStore()
    packed = store.skin(store.skin_of(clip.character, clip.motion))
    assert packed is not None
    assert store.skin_of(clip.character, clip.motion) == "1"
    (length,) = struct.unpack_from("<I", packed)
    header, at = json.loads(packed[4 : 4 + length]), 4 + length
    arrays = {}
    for name, kind, size in header["arrays"]:
        arrays[name] = np.frombuffer(packed, f"<{kind}", size, at)
        at += arrays[name].nbytes
    assert len(packed) == at + sum(size for _, size in header["images"])
    position, frame = arrays["position"].reshape(-1, 3), 25
    joints = np.array(header["joints"])
    binding = arrays["binding"].reshape(-1, 3, 4)
    places, turns = clip.motion.forward()
    from_joint = np.einsum("nij,vj->vni", binding[..., :3], position) + binding[..., 3]
    moved = rotations.rotate(turns[frame, joints], from_joint) + places[frame, joints]
    index = arrays["skinIndex"].reshape(-1, 4)
    weights = arrays["skinWeight"].reshape(-1, 4, 1)
    drawn = (moved[np.arange(len(position))[:, None], index] * weights).sum(axis=1)
    skin = bind(file, clip.motion)
    assert skin is not None
    np.testing.assert_allclose(drawn, skin.at(places[frame], turns[frame])[0], atol=1e-4)


def test_a_clip_is_shown_in_its_mesh_and_others_wear_it(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hero = document.clips[1]
    own = SequenceSettings((Block("b1", hero.id),))
    shown = document.with_settings("sequence", own)
    made = with_performer(SequenceScreen.make(shown, False), shown, False)
    assert made.looks[0].character is hero.character
    plain = with_performer(SequenceScreen.make(document, False), document, False)
    assert plain.looks[0].character is None
    common = replace(document.settings["common"], worn=hero.id)
    worn = document.with_settings("common", common)
    made = with_performer(SequenceScreen.make(worn, False), worn, False)
    assert made.looks[0].character is made.character is hero.character
    assert made.motion.skeleton == hero.motion.skeleton
    data, name = export.to_file(made.motion, ".glb", made.character)
    (tmp_path / name).write_bytes(data)
    again, mesh = mw.load(tmp_path / name), read_mesh(tmp_path / name)
    assert mesh is not None
    np.testing.assert_allclose(again.positions(), made.motion.positions(), atol=1e-5)
    # The copied code makes the same.
    assert hero.character is not None
    (tmp_path / "hero.glb").write_bytes(hero.character.data)
    recipe = performed_by(SequenceScreen.recipe(worn), hero)
    assert "motionweave retarget motion.bvh hero_edited.glb" in recipe.commands
    copied = by_python(recipe, tmp_path, monkeypatch)
    np.testing.assert_allclose(copied.positions(), made.motion.positions(), atol=1e-4)


def test_a_mesh_that_cannot_be_read_leaves_the_clip(file: Path, tmp_path: Path) -> None:
    from motionweave.io.gltf.container import GltfWriter, open_gltf

    gltf = open_gltf(file)
    gltf.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = 9999
    assert gltf.binary is not None
    GltfWriter(gltf.json, bytearray(gltf.binary)).save(tmp_path / "odd.glb")
    received = [Received("odd.glb", tmp_path / "odd.glb")]
    _, (clip, _) = add_files(Workspace().session.empty(), received)
    assert clip.usable
    assert clip.character is None
    assert any("mesh cannot be shown" in text for text in clip.warnings)
