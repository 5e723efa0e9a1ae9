"""Project files: what is saved comes back, and nothing else is taken for one."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from motionweave.clips import load, save
from motionweave.errors import FormatError
from motionweave.samples.clips import sample
from motionweave.studio.document.document import Common, Document, ShelfClip
from motionweave.studio.files.project import load_project, project_bytes, save_project
from motionweave.studio.screens.blend.model import BlendSettings
from motionweave.studio.screens.transition.model import TransitionSettings

KINDS = {"common": Common, "blend": BlendSettings, "transition": TransitionSettings}


@pytest.fixture
def document(tmp_path: Path) -> Document:
    save(sample("jog"), tmp_path / "jog.bvh")
    return Document(
        (
            ShelfClip("c1", "walk", sample("walk"), "sample", "walk", trim=(5, 60)),
            ShelfClip("c2", "my jog", load(tmp_path / "jog.bvh"), "file", "jog.bvh", mirrored=True),
            ShelfClip(
                "c3", "broken", None, "file", "bad.bvh", error="bad.bvh, line 2: expected ROOT"
            ),
            ShelfClip("c4", "mixed", sample("sneak"), "result", "motion = ...", warnings=("odd",)),
        ),
        {
            "common": Common(clean=True),
            "blend": BlendSettings(
                ("c1", "c2"), (0.3, 0.7), keys=((0.0, (1.0, 0.0)),), wanted=(("speed", None),)
            ),
            "transition": TransitionSettings(("c2", "c1"), at=(12.0, 30.5)),
        },
    )


def same_motion(a: ShelfClip, b: ShelfClip) -> bool:
    if a.original is None or b.original is None:
        return a.original is b.original
    return (
        np.array_equal(a.original.root, b.original.root)
        and np.array_equal(a.original.rotations, b.original.rotations)
        and a.original.constraints == b.original.constraints
        and a.original.skeleton == b.original.skeleton
    )


def test_a_project_comes_back_whole(document: Document, tmp_path: Path) -> None:
    path = tmp_path / "mine.mwproj"
    save_project(document, path)
    again = load_project(path, KINDS)
    assert dict(again.settings) == dict(document.settings)
    for old, new in zip(document.clips, again.clips, strict=True):
        assert same_motion(old, new)
        for field in ("id", "name", "origin", "source", "trim", "mirrored", "warnings", "error"):
            assert getattr(old, field) == getattr(new, field)


def test_the_layout_of_a_file_survives_in_a_project(document: Document, tmp_path: Path) -> None:
    again = load_project(io.BytesIO(project_bytes(document)), KINDS)
    before, after = document.clip("c2"), again.clip("c2")
    assert before is not None
    assert after is not None
    assert before.original is not None
    assert after.original is not None
    for motion, name in ((before.original, "a.bvh"), (after.original, "b.bvh")):
        save(motion, tmp_path / name, contacts=False)
    assert (tmp_path / "a.bvh").read_bytes() == (tmp_path / "b.bvh").read_bytes()


def test_built_in_clips_are_kept_by_name(document: Document) -> None:
    with zipfile.ZipFile(io.BytesIO(project_bytes(document))) as archive:
        assert not any(name.startswith("c1/") for name in archive.namelist())


def changed(document: Document, edit: object) -> io.BytesIO:
    """A project file with another header."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(project_bytes(document))) as old:
        header = json.loads(old.read("project.json"))
        edit(header)  # type: ignore[operator]
        with zipfile.ZipFile(buffer, "w") as new:
            new.writestr("project.json", json.dumps(header))
            for name in old.namelist():
                if name != "project.json":
                    new.writestr(name, old.read(name))
    buffer.seek(0)
    return buffer


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda h: h.update(version=99), "update motionweave"),
        (lambda h: h.update(version="one"), "unknown version"),
        (lambda h: h.update(format="something"), "not a project"),
        (lambda h: h["clips"].append(h["clips"][0]), "damaged"),
        (lambda h: h["clips"][0].update(trim=[5, 9999]), "damaged"),
        (lambda h: h["clips"][1]["motion"].update(root="gone.npy"), "damaged"),
        (lambda h: h["settings"]["blend"].update(weights="much"), "not what is expected"),
        (lambda h: h.pop("clips"), "damaged"),
    ],
)
def test_what_is_wrong_is_said(document: Document, edit: object, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        load_project(changed(document, edit), KINDS)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 but no zip"])
def test_other_files_are_no_projects(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.mwproj"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"a\.mwproj"):
        load_project(path, KINDS)


def test_a_built_in_clip_that_is_gone_is_a_broken_card(document: Document) -> None:
    file = changed(document, lambda h: h["clips"][0].update(source="moonwalk", trim=None))
    clip = load_project(file, KINDS).clip("c1")
    assert clip is not None
    assert not clip.usable
    assert "moonwalk" in clip.error


def test_a_failed_save_leaves_the_old_file(document: Document, tmp_path: Path) -> None:
    path = tmp_path / "mine.mwproj"
    save_project(document, path)
    before = path.read_bytes()
    bad = Document(document.clips, {"common": object()})
    with pytest.raises(TypeError):
        save_project(bad, path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".mwproj"] == ["mine.mwproj"]
