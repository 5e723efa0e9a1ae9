"""What is kept between runs."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="the studio is not installed")

from motionweave.studio.files.autosave import Autosave, kept_token
from motionweave.studio.files.project import load_project, save_project
from motionweave.studio.files.recent import RecentProjects
from motionweave.studio.workspace import Workspace


def ended() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def left_behind(folder: Path, monkeypatch: pytest.MonkeyPatch, opened: list[Path]) -> Workspace:
    """Unsaved work of a studio that was killed."""
    workspace = Workspace.open()
    session = workspace.session
    with monkeypatch.context() as patched:
        patched.setattr(os, "getpid", lambda: number)
        number = ended()
        autosave = Autosave(session, folder, opened)
        session.change(session.document.without_clip("c1"), "removing")
        autosave.write()
    return workspace


def test_unsaved_work_is_there_again_and_can_be_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = left_behind(tmp_path, monkeypatch, [])
    fresh = Workspace.open()
    count = len(fresh.session.document.clips)
    assert Autosave(fresh.session, tmp_path, []).restore()
    assert len(fresh.session.document.clips) == count - 1
    assert fresh.session.document.settings == before.session.document.settings
    assert fresh.session.dirty
    fresh.session.undo()
    assert len(fresh.session.document.clips) == count
    # It is this studio's now: one that is started beside it begins with nothing.
    assert not Autosave(Workspace.open().session, tmp_path, []).restore()


def test_work_on_other_files_is_not_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_behind(tmp_path, monkeypatch, [tmp_path / "other.bvh"])
    assert not Autosave(Workspace.open().session, tmp_path, []).restore()
    assert Autosave(Workspace.open().session, tmp_path, [tmp_path / "other.bvh"]).restore()


def test_a_broken_file_is_no_reason_not_to_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_behind(tmp_path, monkeypatch, [])
    next(tmp_path.glob("unsaved*")).write_bytes(b"half a")
    assert not Autosave(Workspace.open().session, tmp_path, []).restore()


def test_a_change_is_written_soon_and_what_is_saved_is_kept_until_the_end(tmp_path: Path) -> None:
    session = Workspace.open().session
    autosave = Autosave(session, tmp_path, [])
    autosave.start()

    def kept(count: int) -> None:
        deadline = time.monotonic() + 20.0
        while len(list(tmp_path.glob("unsaved*.mwproj"))) != count:
            assert time.monotonic() < deadline
            time.sleep(0.02)

    session.change(session.document.without_clip("c1"), "removing")
    kept(1)
    # What the studio was started with is there anyway.
    session.undo()
    kept(0)
    session.redo()
    kept(1)
    # A studio that is killed does not ask what was saved; one that is closed keeps the rest.
    session.mark_saved()
    autosave.write()
    kept(1)
    autosave.end()
    kept(0)
    session.change(session.document.without_clip("c2"), "removing")
    autosave.end()
    kept(1)


def test_the_token_stays_the_same_and_belongs_to_the_user(tmp_path: Path) -> None:
    token = kept_token(tmp_path)
    assert len(token) >= 20
    assert kept_token(tmp_path) == token
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600


def test_recent_projects_are_listed_and_opened_again(tmp_path: Path) -> None:
    workspace = Workspace.open()
    workspace.recent = RecentProjects(tmp_path)
    session = workspace.session
    # A download has no path: a copy is kept, and not saved to.
    session.change(replace(session.document.without_clip("c1"), title="mine"), "removing")
    workspace.saved_elsewhere()
    (kept,) = workspace.recent.listed()
    assert (kept.title, kept.copied) == ("mine", True)
    workspace.reopen(kept, load_project(kept.path, session.kinds))
    assert (workspace.name, session.document.path, session.dirty) == ("mine", None, False)
    assert session.document.clip("c1") is None
    # A file of this machine is opened as that file, and undo leads back to the one before.
    own = tmp_path / "own.mwproj"
    save_project(session.document, own)
    workspace.recent.add("own", path=own)
    assert [one.title for one in workspace.recent.listed()] == ["own", "mine"]
    workspace.reopen(workspace.recent.listed()[0], load_project(own, session.kinds))
    assert (workspace.name, session.document.path) == ("own", own)
    session.undo()
    assert (workspace.name, session.document.path) == ("mine", None)
    # What is gone is not listed, and only a few are kept.
    own.unlink()
    assert [one.title for one in workspace.recent.listed()] == ["mine"]
    for number in range(12):
        workspace.recent.add(f"p{number}", data=b"a project")
    assert len(workspace.recent.listed()) == 8
    assert len(list((tmp_path / "recent").iterdir())) == 8
    (tmp_path / "recent.json").write_text("nonsense", encoding="utf-8")
    assert RecentProjects(tmp_path).listed() == ()
