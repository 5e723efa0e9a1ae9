"""``motionweave loop``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import motionweave as mw
from motionweave.cli.main import main


def test_loop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clip, out = tmp_path / "walk.bvh", tmp_path / "loop.bvh"
    mw.save(mw.sample("walk"), clip)
    assert main(["loop", str(clip), "-o", str(out), "--rounds", "3", "--in-place", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    first, last = told["cycle"]["frames"]
    assert len(mw.load(out)) == 3 * (last - first) + 1
    assert main(["loop", str(clip), "-o", str(out), "--frames", "4:30"]) == 0
    assert "frames 4 to 30" in capsys.readouterr().out
    mw.save(mw.loop(mw.sample("walk")), clip)
    assert main(["loop", str(clip), "-o", str(out), "--whole"]) == 0
    assert len(mw.load(out)) == len(mw.load(clip))


def test_what_does_not_repeat_itself_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clip = tmp_path / "jab.bvh"
    mw.save(mw.sample("jab"), clip)
    assert main(["loop", str(clip), "-o", str(tmp_path / "out.bvh")]) == 2
    error = capsys.readouterr().err
    assert "does not repeat itself" in error
    assert "--whole" in error
    with pytest.raises(SystemExit):
        main(["loop", str(clip), "-o", str(tmp_path / "out.bvh"), "--frames", "4"])
    assert "30:200" in capsys.readouterr().err


def test_remedies_are_options_of_the_shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    long, short = tmp_path / "long.bvh", tmp_path / "short.bvh"
    mw.save(mw.sample("walk"), long)
    mw.save(mw.sample("walk")[:16], short)
    assert main(["register", str(long), str(short), "--ends", "fixed", "--json"]) == 2
    said = capsys.readouterr().err
    assert "--slope-limit" in said
    assert "--ends free" in said
    assert "slope_limit" not in said
