"""The registry, output files that appear whole, and contacts beside a clip."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import motionweave as mw
from motionweave.io import registry
from motionweave.io.registry import Format
from motionweave.io.store import sidecar
from motionweave.io.store.atomic import atomic_path
from tests.strategies import random_motion


@pytest.fixture
def motion() -> mw.Motion:
    return random_motion(np.random.default_rng(5), frames=30, joints=4)


# Output files


def test_a_file_appears_whole(tmp_path: Path) -> None:
    target = tmp_path / "a.bvh"
    with atomic_path(target) as temporary:
        temporary.write_text("new")
        assert temporary.suffix == ".bvh"
        assert temporary.parent == target.parent
        assert not target.exists()
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["a.bvh"]


def test_a_failure_leaves_everything_as_it_was(tmp_path: Path) -> None:
    target = tmp_path / "a.bvh"
    target.write_text("old")

    def stopped() -> None:
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.bvh"]


def test_permissions_are_the_usual_ones(tmp_path: Path) -> None:
    plain, target = tmp_path / "plain", tmp_path / "target"
    plain.write_text("x")
    with atomic_path(target) as temporary:
        temporary.write_text("x")
    assert target.stat().st_mode == plain.stat().st_mode
    target.chmod(0o640)
    with atomic_path(target) as temporary:
        temporary.write_text("y")
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


# The registry


def test_bvh_is_found_by_being_there() -> None:
    assert registry.format_of("WALK.BVH").name == "BVH"
    assert ".bvh" in registry.suffixes()
    assert ".bvh" in registry.suffixes(writing=True)
    names = [one.name for one in registry.formats()]
    assert names == sorted(set(names))
    taken = [suffix for one in registry.formats() for suffix in one.suffixes]
    assert len(taken) == len(set(taken)), "two formats claim one suffix"
    assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in taken)


def test_a_missing_package_is_named_on_use(
    tmp_path: Path, motion: mw.Motion, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    odd = Format(
        "Odd", (".odd",), read=never, write=never, extra="odd", modules=("no_such_module",)
    )
    monkeypatch.setattr(registry, "formats", lambda: (odd,))
    (tmp_path / "a.odd").write_text("")
    for use in (lambda: mw.load(tmp_path / "a.odd"), lambda: mw.save(motion, tmp_path / "b.odd")):
        with pytest.raises(mw.MissingDependencyError, match=r"pip install 'motionweave\[odd\]'"):
            use()


def test_formats_that_only_read_or_only_write(
    tmp_path: Path, motion: mw.Motion, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Format("In", (".in",), read=lambda path: motion)
    monkeypatch.setattr(registry, "formats", lambda: (reader,))
    (tmp_path / "a.in").write_text("")
    assert len(mw.load(tmp_path / "a.in", fps=15)) == 30
    assert mw.load(tmp_path / "a.in", fps=15).fps == 15.0
    with pytest.raises(mw.FormatError, match=r"\.in cannot be written"):
        mw.save(motion, tmp_path / "b.in")
    with pytest.raises(mw.FormatError, match="In files have no option 'up'"):
        mw.load(tmp_path / "a.in", up="z")


def test_a_writer_that_fails_leaves_no_file(
    tmp_path: Path, motion: mw.Motion, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(motion: mw.Motion, path: Path) -> None:
        path.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(registry, "formats", lambda: (Format("Bad", (".bad",), write=fails),))
    with pytest.raises(mw.FormatError, match="No space left"):
        mw.save(motion, tmp_path / "a.bad")
    assert os.listdir(tmp_path) == []


def test_impossible_outputs(tmp_path: Path, motion: mw.Motion) -> None:
    (tmp_path / "folder.bvh").mkdir()
    with pytest.raises(mw.FormatError, match="folder"):
        mw.save(motion, tmp_path / "folder.bvh")
    with pytest.raises(mw.FormatError, match="does not exist"):
        mw.save(motion, tmp_path / "none" / "a.bvh")
    with pytest.raises(mw.FormatError, match="supported"):
        mw.save(motion, tmp_path / "a")


# Contacts beside a clip

_contacts = st.lists(
    st.tuples(
        st.floats(0, 29).map(lambda x: round(x, 3)),
        st.floats(0, 29).map(lambda x: round(x, 3)),
        st.sampled_from(["left_heel", "right_toe", "linke Hand", "尾"]),
    ).map(lambda t: mw.Constraint(min(t[:2]), max(t[:2]), t[2])),
    max_size=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_contacts)
def test_contacts_come_back(tmp_path: Path, contacts: list[mw.Constraint]) -> None:
    motion = random_motion(np.random.default_rng(5), 30, 2).with_constraints(contacts)
    path = tmp_path / "clip.contacts.json"
    sidecar.save_contacts(motion, path)
    assert sidecar.load_contacts(path, frames=30) == motion.constraints
    assert sidecar.load_contacts(path) == motion.constraints


def test_contacts_travel_beside_the_clip(tmp_path: Path, motion: mw.Motion) -> None:
    held = motion.with_constraints([mw.Constraint(3, 7.5, "left_toe")])
    mw.save(held, tmp_path / "clip.bvh")
    text = (tmp_path / "clip.contacts.json").read_text()
    assert '{"kind": "left_toe", "start": 3, "end": 7.5}' in text
    data = json.loads(text)
    assert (data["version"], data["clip"], data["frames"]) == (1, "clip.bvh", 30)
    assert mw.load(tmp_path / "clip.bvh").constraints == held.constraints
    assert mw.load(tmp_path / "clip.bvh", contacts=False).constraints == ()
    mw.save(held, tmp_path / "other.bvh", contacts=False)
    assert not (tmp_path / "other.contacts.json").exists()
    given_file = mw.load(tmp_path / "other.bvh", contacts=tmp_path / "clip.contacts.json")
    assert given_file.constraints == held.constraints


def test_contacts_of_another_clip_are_not_left_behind(tmp_path: Path, motion: mw.Motion) -> None:
    held = motion.with_constraints([mw.Constraint(3, 7.5, "left_toe")])
    beside = tmp_path / "clip.contacts.json"
    mw.save(held, tmp_path / "clip.bvh")
    mw.save(motion, tmp_path / "clip.bvh")
    assert beside.exists(), "the same frames: the contacts may still be meant"
    mw.save(motion[:20], tmp_path / "clip.bvh")
    assert not beside.exists()
    assert len(mw.load(tmp_path / "clip.bvh")) == 20


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not valid JSON"),
        ("{", "line 1: not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        (b"\xff\xfe\x00\xd8", "not a text file"),
        ("[]", 'a list "contacts"'),
        ('{"contacts": 3}', 'a list "contacts"'),
        ('{"version": 99, "contacts": []}', "newer"),
        ('{"version": "x", "contacts": []}', "newer"),
        ('{"frames": 31, "contacts": []}', "31 frames, but it has 30"),
        ('{"contacts": [3]}', "contact 1: expected an object"),
        ('{"contacts": [{"start": 1, "end": 2}]}', 'expected a "kind"'),
        ('{"contacts": [{"kind": "a", "start": "1", "end": 2}]}', "expected a number"),
        ('{"contacts": [{"kind": "a", "start": 1}]}', "expected a number"),
        ('{"contacts": [{"kind": "a", "start": NaN, "end": 2}]}', "not a number"),
        ('{"contacts": [{"kind": "a", "start": 3, "end": 2}]}', "not an interval"),
        ('{"contacts": [{"kind": "a", "start": 3, "end": 30}]}', "not an interval"),
        ('{"contacts": [{"kind": "a", "start": -1, "end": 3}]}', "not an interval"),
    ],
)
def test_broken_contacts(tmp_path: Path, text: str | bytes, reason: str) -> None:
    path = tmp_path / "clip.contacts.json"
    if isinstance(text, str):
        path.write_text(text)
    else:
        path.write_bytes(text)
    with pytest.raises(mw.FormatError) as refusal:
        sidecar.load_contacts(path, frames=30)
    assert reason in str(refusal.value)
