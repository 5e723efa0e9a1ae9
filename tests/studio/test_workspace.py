"""What a studio opens with: built-in clips, files, folders, or a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from motionweave.clips import save
from motionweave.errors import MotionweaveError
from motionweave.samples.clips import sample
from motionweave.studio import workspace
from motionweave.studio.workspace import Workspace


def names(opened: Workspace) -> list[str]:
    return [clip.name for clip in opened.session.document.clips]


def test_a_folder_is_opened_with_the_folders_inside(tmp_path: Path) -> None:
    (tmp_path / "gaits").mkdir()
    save(sample("walk"), tmp_path / "walk.bvh")
    save(sample("jog"), tmp_path / "gaits" / "jog.bvh")
    opened = Workspace.open([tmp_path])
    assert sorted(names(opened)) == ["jog", "walk"]
    # They are in use, so that something moves at once.
    assert len(opened.session.settings("blend").clips) == 2


def test_what_cannot_be_opened_is_refused_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(MotionweaveError, match=r"gone\.bvh: there is no such file or folder"):
        Workspace.open([tmp_path / "gone.bvh"])
    with pytest.raises(MotionweaveError, match="the folder holds no motion file"):
        Workspace.open([tmp_path])
    for name in ("a", "b", "c"):
        save(sample("walk")[:4], tmp_path / f"{name}.bvh")
    monkeypatch.setattr(workspace, "MOST_CLIPS", 2)
    with pytest.raises(MotionweaveError, match="3 motion files, and the shelf holds 2"):
        Workspace.open([tmp_path])
