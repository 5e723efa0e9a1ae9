"""The verbs clean and quality."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.cli.main import main


@pytest.fixture
def skating(tmp_path: Path) -> Path:
    """A walk on a moving walkway, with its contacts beside it."""
    walk = mw.sample("walk")
    way = np.arange(len(walk))[:, None] * np.array([0.004, 0.0, 0.0])
    path = tmp_path / "skating.bvh"
    mw.save(replace(walk, root=walk.root + way), path)
    return path


def test_clean_writes_a_better_clip_and_says_so(
    skating: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "clean.bvh"
    assert main(["clean", str(skating), "-o", str(output), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["before"]["skate_mean"] > 0.004
    assert told["after"]["skate_mean"] < 0.0005
    assert told["written"] == [str(output)]
    assert mw.quality(mw.load(output)).skate_mean < 0.0005


def test_clean_prints_before_and_after(
    skating: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, picture = tmp_path / "clean.bvh", tmp_path / "clean.png"
    words = ["clean", str(skating), "-o", str(output), "--plot", str(picture)]
    assert main([*words, "--hands", "--stretch", "0.01"]) == 0
    text = capsys.readouterr().out
    assert "before" in text
    assert "after" in text
    assert text.startswith(f"{output}: ")
    assert f"wrote {picture}" in text
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_clean_takes_contacts_from_a_file(skating: Path, tmp_path: Path) -> None:
    contacts = tmp_path / "other.json"
    assert main(["contacts", str(skating), "-o", str(contacts)]) == 0
    output = tmp_path / "clean.bvh"
    words = ["clean", str(skating), "-o", str(output), "--contacts", str(contacts)]
    assert main(words) == 0
    assert output.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["clean", "{clip}", "-o", "{clip}"], "this is an input"),
        (["clean", "{clip}", "-o", "out.bvh", "--stretch", "7"], "stretch 7"),
        (["clean", "{clip}", "-o", "out.xyz"], "cannot be written"),
        (["quality", "{clip}", "--plot", "out.xyz"], "cannot draw"),
        (["quality", "missing.bvh"], "no such file"),
    ],
)
def test_bad_input_is_one_line(
    words: list[str],
    message: str,
    skating: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([word.format(clip=skating) for word in words]) == 2
    error = capsys.readouterr().err.strip()
    assert message in error
    assert "\n" not in error


def test_quality_of_several_clips(
    skating: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    walk = tmp_path / "walk.bvh"
    mw.save(mw.sample("walk"), walk)
    assert main(["quality", str(skating), str(walk), "--against", str(walk), "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert first["file"] == str(skating)
    assert first["skate_mean"] > second["skate_mean"]
    peaks = {peak["joint"]: peak["speed_ratio"] for peak in second["peaks"]}
    assert peaks["LeftLeg"] == pytest.approx(1.0)
    picture = tmp_path / "quality.svg"
    assert main(["quality", str(walk), "--plot", str(picture)]) == 0
    assert "skate, mean" in capsys.readouterr().out
    assert picture.exists()
