"""``motionweave library``: every action once, and what it says when something is wrong."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import motionweave as mw
from motionweave.cli.main import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("clips")
    for name in ("walk", "walk_left", "jog"):
        mw.save(mw.sample(name, duration=6.0), made / f"{name}.npz", contacts=False)
    assert main(["library", "add", str(made)]) == 0
    return made


def test_info_and_find(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["library", "info", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["clips"] == 3
    example = ["library", "find", str(folder), "walk.npz", "--frames", "5:40"]
    assert main([*example, "--most", "2", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 2
    assert main(["library", "find", str(folder), "--where", "turn=20:", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["clip"] == "walk_left.npz"


def test_graph_walk_and_fill(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wide = ["--tolerance", "3"]
    assert main(["library", "graph", str(folder), *wide, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["junctions"] > 0
    out = tmp_path / "out.bvh"
    assert main(["library", "walk", str(folder), *wide, "--seconds", "4", "-o", str(out)]) == 0
    assert len(mw.load(out)) > 60
    live = ["library", "walk", str(folder), *wide, "--live", "-o", str(out)]
    monkeypatch.setattr("sys.stdin", io.StringIO("0\n30 1.2\n30\n"))
    assert main(live) == 0
    assert len(mw.load(out)) > 40
    monkeypatch.setattr("sys.stdin", io.StringIO("0\nnorth\n"))
    assert main(live) == 2
    assert "line 2: 'north'" in capsys.readouterr().err
    walk = mw.sample("walk")
    for name, part in (("a", walk[:30]), ("b", walk[50:])):
        mw.save(part, tmp_path / f"{name}.npz")
    ends = [str(tmp_path / "a.npz"), str(tmp_path / "b.npz")]
    assert main(["library", "fill", str(folder), *ends, "--seconds", "0.7", "-o", str(out)]) == 0


def test_remove_and_errors_in_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["library", "remove", str(folder), str(folder / "jog.npz")]) == 0
    assert "1 clips forgotten" in capsys.readouterr().out
    assert main(["library", "remove", str(folder), "nothing.npz"]) == 2
    assert "no such clip" in capsys.readouterr().err
    assert main(["library", "info", str(folder / "nowhere")]) == 2
    assert "no such folder" in capsys.readouterr().err
    assert main(["library", "add", str(folder), "--cluster", "tcp://127.0.0.1:9"]) == 2
    assert "Dask" in capsys.readouterr().err
