"""Files from outside: odd names, broken content, sidecars."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionweave.clips import save
from motionweave.core import rotations
from motionweave.samples.clips import sample
from motionweave.studio.document.document import Document, ShelfClip
from motionweave.studio.files.upload import Inbox, Received, add_files, display_name, safe_suffix
from motionweave.studio.page.clip_facts import edits
from tests.strategies import random_motion
from tests.studio.malformed import broken_files

NAMES = [
    "../../etc/passwd.bvh",
    "..\\..\\windows\\walk.bvh",
    "/abs/olute.bvh",
    "walk.bvh\x00.exe",
    "a\nb.bvh",
    "..",
    ".",
    "",
    ".bvh",
    "con.bvh",
    "näme mit leerzeichen.BVH",
    "x" * 500 + ".bvh",
    "'; rm -rf *.bvh",
    "<script>alert(1)</script>.bvh",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_never_leave_the_inbox(name: str) -> None:
    inbox = Inbox()
    try:
        path = inbox.path_for(name)
        folder = path.parent
        assert folder.parent == Path(tempfile.gettempdir())
        assert path.name.startswith("clip0")
        assert path.name.isascii()
        path.write_bytes(b"x")
        assert inbox.path_for(name) != path
    finally:
        inbox.close()
    assert not folder.exists()


def test_a_t_pose_in_front_is_left_out_and_the_card_says_so(tmp_path: Path) -> None:
    walk = sample("walk")
    rest = replace(
        walk[:1],
        rotations=np.broadcast_to(rotations.IDENTITY, walk[:1].rotations.shape),
        constraints=(),
    )
    posed = replace(
        walk,
        root=np.concatenate([rest.root, walk.root]),
        rotations=np.concatenate([rest.rotations, walk.rotations]),
        constraints=(),
    )
    save(posed, tmp_path / "posed.npz")
    save(walk, tmp_path / "plain.npz")
    files = [Received(f"{name}.npz", tmp_path / f"{name}.npz") for name in ("posed", "plain")]
    clips = add_files(Document(), files)[1]
    assert [len(clip.motion) for clip in clips] == [len(walk), len(walk)]
    np.testing.assert_array_equal(clips[0].motion.rotations, walk.rotations)
    assert [edits(clip) for clip in clips] == [["T-pose left out"], []]
    # All frames can be had again, and other cuts are told as such.
    last = len(walk)
    assert edits(replace(clips[0], trim=None)) == []
    assert edits(replace(clips[0], trim=(0, 9))) == ["frames 0–9"]
    assert edits(replace(clips[0], trim=(5, last))) == ["T-pose left out", f"frames 5–{last}"]
    assert edits(replace(clips[1], trim=(5, 9), mirrored=True)) == ["frames 5–9", "mirrored"]


@given(st.text(max_size=60))
def test_any_name_can_be_shown_and_stored(name: str) -> None:
    shown = display_name(name)
    assert shown
    assert shown.isprintable()
    assert "/" not in shown
    assert safe_suffix(name) in {"", ".json", ".contacts.json"} or safe_suffix(name)[1:].isalnum()


def test_a_broken_file_is_kept_with_its_message(tmp_path: Path) -> None:
    path = tmp_path / "clip0.bvh"
    path.write_text("HIERARCHY\nROOT Hips\n{\n  OFFSET zero 0 0\n")
    document, added = add_files(Document(), [Received("my walk.bvh", path)])
    (clip,) = added
    assert clip.name == "my walk"
    assert not clip.usable
    assert "line 4" in clip.error
    # The user knows the file by its own name, not by where it was put.
    assert "my walk.bvh" in clip.error
    assert str(tmp_path) not in clip.error
    assert document.clips == (clip,)


@pytest.mark.parametrize("name", broken_files())
def test_malformed_files_become_broken_cards(name: str) -> None:
    inbox = Inbox()
    try:
        path = inbox.path_for(name)
        path.write_bytes(broken_files()[name])
        _, (clip,) = add_files(Document(), [Received(name, path)])
    finally:
        inbox.close()
    assert not clip.usable
    assert clip.error
    assert len(clip.name) <= 80
    assert str(path.parent) not in clip.error


def test_a_file_with_a_very_long_name_is_read(tmp_path: Path) -> None:
    save(sample("walk"), tmp_path / "walk.bvh")
    name = "a walk of many words " * 20 + ".bvh"
    inbox = Inbox()
    try:
        path = inbox.path_for(name)
        path.write_bytes((tmp_path / "walk.bvh").read_bytes())
        _, (clip,) = add_files(Document(), [Received(name, path)])
    finally:
        inbox.close()
    assert len(clip.motion) == len(sample("walk"))
    assert clip.source.endswith("….bvh")
    assert len(clip.source) <= 80


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("movie.mp4", "a video"),
        ("shot.PNG", "a picture, not a motion file"),
        ("paper.pdf", "a document, not a motion file"),
        ("take.c3d", "fit a skeleton"),
        ("all.zip", "unpack it"),
        ("scene.blend", "export it from there"),
        ("walk.xyz", ".xyz files are not known here"),
        ("walk", "has no suffix"),
        ("take.amc", "together with its ASF file"),
    ],
)
def test_what_is_no_motion_file_is_told_plainly(tmp_path: Path, name: str, said: str) -> None:
    path = tmp_path / "clip0"
    path.write_bytes(b"\x00" * 100)
    _, (clip,) = add_files(Document(), [Received(name, path)])
    assert not clip.usable
    assert said in clip.error
    assert name in clip.error
    assert "=" not in clip.error


def test_all_animations_of_a_file_are_put_on_the_shelf(tmp_path: Path) -> None:
    """As a game's character comes: one skeleton, several animations."""
    save(sample("walk"), tmp_path / "one.gltf")
    content = json.loads((tmp_path / "one.gltf").read_text())
    (only,) = content["animations"]
    content["animations"] = [{**only, "name": name} for name in ("idle", "run", "run")]
    path = tmp_path / "hero.gltf"
    path.write_text(json.dumps(content))
    document, added = add_files(Document(), [Received("hero.gltf", path)])
    assert [clip.name for clip in added] == ["hero idle", "hero run", "hero run 2"]
    assert len({clip.id for clip in document.clips}) == 3
    assert all(len(clip.motion) == len(sample("walk")) for clip in added)


def test_contacts_beside_a_clip_go_with_it(tmp_path: Path) -> None:
    walk = sample("walk").with_constraints(sample("walk").constraints[:2])
    save(walk, tmp_path / "walk.bvh")
    inbox = Inbox()
    try:
        received = []
        for name in ("walk.bvh", "walk.contacts.json"):
            path = inbox.path_for(name)
            path.write_bytes((tmp_path / name).read_bytes())
            received.append(Received(name, path))
        _, (clip,) = add_files(Document(), received)
    finally:
        inbox.close()
    assert [c.kind for c in clip.motion.constraints] == [c.kind for c in walk.constraints]
    for got, expected in zip(clip.motion.constraints, walk.constraints, strict=True):
        assert (got.start, got.end) == pytest.approx((expected.start, expected.end), abs=1e-3)


def received(inbox: Inbox, folder: Path, *names: str) -> list[Received]:
    """Files of a folder as an upload brings them."""
    files = []
    for name in names:
        path = inbox.path_for(name)
        path.write_bytes((folder / name).read_bytes())
        files.append(Received(name, path))
    return files


def test_takes_find_their_skeletons_among_what_came_with_them(tmp_path: Path) -> None:
    for actor, joints in (("16", 4), ("35", 6)):
        motion = random_motion(np.random.default_rng(joints), 4, joints)
        save(motion, tmp_path / f"{actor}_01.amc", asf=tmp_path / f"{actor}.asf")
    (tmp_path / "somebody.asf").write_bytes((tmp_path / "16.asf").read_bytes())
    (tmp_path / "new.amc").write_bytes((tmp_path / "16_01.amc").read_bytes())

    def added(*names: str) -> list[ShelfClip]:
        inbox = Inbox()
        try:
            return add_files(Document(), received(inbox, tmp_path, *names))[1]
        finally:
            inbox.close()

    clips = added("35.asf", "16_01.amc", "16.asf", "35_01.amc")
    assert [(clip.name, len(clip.motion.skeleton)) for clip in clips] == [
        ("16_01", 4),
        ("35_01", 6),
    ]
    (clip,) = added("16_01.amc", "somebody.asf")
    assert len(clip.motion.skeleton) == 4
    (unclear,) = added("new.amc", "16.asf", "35.asf")
    assert "which skeleton is it for, 16.asf, 35.asf?" in unclear.error
    (alone,) = added("16.asf")
    assert len(alone.motion) == 1
