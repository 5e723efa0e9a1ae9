"""The verb register: what it writes, draws, prints and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import motionweave as mw
from motionweave.cli.main import main


@pytest.fixture
def clips(tmp_path: Path) -> list[str]:
    paths = []
    for name in ("walk", "jog", "walk_left"):
        path = tmp_path / f"{name}.bvh"
        mw.save(mw.sample(name), path)
        paths.append(str(path))
    return paths


def test_a_registration_is_written_and_drawn(
    clips: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, picture = tmp_path / "gaits.mwreg", tmp_path / "gaits.png"
    words = ["register", *clips, "-o", str(output), "--plot", str(picture), "--ends", "free"]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "reference" in text
    assert "matching contacts" in text
    assert len(mw.load_registration(output)) == 3
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_json_tells_all(clips: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["register", *clips, "--ends", "cyclic", "--json", "--weight", "Head=0.5"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["cyclic"] is True
    assert [clip["name"] for clip in data["clips"]] == ["walk", "jog", "walk_left"]
    assert data["matches"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "would be lost"),
        (["--json", "--anchors", "1,2"], "one frame per clip"),
        (["--json", "--weight", "NoSuchJoint=1"], "no joint"),
        (["-o", "missing/gaits.mwreg"], "does not exist"),
    ],
)
def test_bad_input_is_one_line(
    clips: list[str], words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["register", *clips, *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
