"""What is kept between runs."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="the studio is not installed")

from motionweave.studio.keeping import Autosave, kept_token
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


def test_a_change_is_written_soon_and_what_is_saved_is_not_kept(tmp_path: Path) -> None:
    session = Workspace.open().session
    Autosave(session, tmp_path, []).start()

    def kept(count: int) -> None:
        deadline = time.monotonic() + 20.0
        while len(list(tmp_path.glob("unsaved*.mwproj"))) != count:
            assert time.monotonic() < deadline
            time.sleep(0.02)

    session.change(session.document.without_clip("c1"), "removing")
    kept(1)
    session.mark_saved()
    kept(0)


def test_the_token_stays_the_same_and_belongs_to_the_user(tmp_path: Path) -> None:
    token = kept_token(tmp_path)
    assert len(token) >= 20
    assert kept_token(tmp_path) == token
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600
