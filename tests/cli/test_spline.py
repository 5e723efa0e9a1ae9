"""The verb spline."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.cli.main import main


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("clips")
    assert main(["samples", "write", str(folder), "--names", "landing", "jump"]) == 0
    return str(folder / "landing.bvh"), str(folder / "jump.bvh")


def test_two_clips_are_joined_and_drawn(
    clips: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, picture = tmp_path / "out.bvh", tmp_path / "out.png"
    words = ["spline", *clips, "--leave", "11", "--enter", "24", "--degree", "4"]
    assert main([*words, "--length", "1.6", "-o", str(output), "--plot", str(picture)]) == 0
    assert "frame 11 of landing.bvh to frame 24 of jump.bvh" in capsys.readouterr().out
    assert picture.read_bytes().startswith(b"\x89PNG")
    joined = mw.load(output)
    landing = mw.load(clips[0])
    # Frames before the plant that the transition cleans are the clip's own.
    np.testing.assert_allclose(joined.positions()[:4], landing.positions()[:4], atol=1e-3)
    assert len(joined) > 11 + 1 + len(mw.load(clips[1])) - 24


def test_the_answer_as_json(
    clips: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out.bvh"
    assert main(["spline", *clips, "--no-clean", "--json", "-o", str(output)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["frames"] == len(mw.load(output))
    assert answer["spline"]["degree"] == 4
    assert np.shape(answer["spline"]["control"]) == (5, answer["dimensions"])
    assert 0.95 <= answer["explained"] <= 1.0
    assert answer["transition"]["start"] == answer["leave"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--leave", "600"], "leave at frame 600: the clip 'landing' has frames 0 to 62"),
        (["--degree", "9"], "degree 9: expected 2, 3, 4, 5 or 6"),
        (["--length", "-1"], "expected a positive number"),
        (["--explained", "2"], "at most 1"),
        (["--dimensions", "9999"], "dimensions"),
        (["--plot", "picture.xyz"], "picture.xyz"),
    ],
)
def test_bad_requests_are_one_line(
    clips: tuple[str, str],
    words: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["spline", *clips, "-o", "out.bvh", *words]) == 2
    error = capsys.readouterr().err.strip()
    assert told in error
    assert len(error.splitlines()) == 1


def test_one_clip_is_not_enough(clips: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["spline", clips[0], "-o", "out.bvh"]) == 2
    assert "joins two clips, 1 given" in capsys.readouterr().err
