"""The verbs samples and plot."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import samples
from motionweave.cli.main import main


def test_the_list_names_every_clip(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["samples"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(samples.names())
    assert main(["samples", "--json", "--names", "walk"]) == 0
    (fact,) = json.loads(capsys.readouterr().out)
    assert fact["name"] == "walk"
    assert "curvature" in fact["parameters"]


def test_written_clips_come_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "clips"
    assert main(["samples", "write", str(folder), "--names", "walk", "sit", "--fps", "24"]) == 0
    assert "walk.bvh" in capsys.readouterr().out
    for name in ("walk", "sit"):
        loaded, made = mw.load(folder / f"{name}.bvh"), mw.sample(name, 24.0)
        assert loaded.skeleton.same_joints(made.skeleton)
        np.testing.assert_allclose(loaded.positions(), made.positions(), atol=1e-4)
        assert len(loaded.constraints) == len(made.constraints)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["samples", "write"], "say where to write"),
        (["samples", "write", "x", "--names", "wolk"], "no built-in clip 'wolk'"),
        (["samples", "write", "x", "--format", "docx"], "docx"),
        (["samples", "list", "x"], "samples write"),
    ],
)
def test_bad_requests_are_one_line(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err.strip()
    assert told in error
    assert "\n" not in error
    assert not Path("x").exists()


@pytest.mark.parametrize("kind", ["strip", "contacts", "path"])
def test_every_kind_of_picture(kind: str, tmp_path: Path) -> None:
    mw.save(mw.sample("walk_left"), tmp_path / "walk.bvh")
    target = tmp_path / "out.png"
    assert (
        main(
            ["plot", str(tmp_path / "walk.bvh"), "-o", str(target), "--kind", kind, "--frames", "3"]
        )
        == 0
    )
    assert target.read_bytes().startswith(b"\x89PNG")


def test_pictures_of_nonsense_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clip = tmp_path / "walk.bvh"
    mw.save(mw.sample("walk"), clip)
    assert main(["plot", str(clip), "-o", str(tmp_path / "a.docx")]) == 2
    assert "png" in capsys.readouterr().err
    assert (
        main(["plot", str(clip), str(clip), "-o", str(tmp_path / "a.png"), "--kind", "contacts"])
        == 2
    )
    assert "one clip" in capsys.readouterr().err
    assert main(["plot", str(clip), "-o", str(tmp_path / "a.png"), "--frames", "0"]) == 2
    assert "at least one" in capsys.readouterr().err
