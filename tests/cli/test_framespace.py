"""motionweave framespace: files in, files out, and one line on bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import motionweave as mw
from motionweave.cli.main import main


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = []
    for name in ("jog", "walk"):
        path = tmp_path / f"{name}.bvh"
        mw.save(mw.sample(name), path)
        paths.append(str(path))
    return paths


def run(*words: object) -> int:
    return main(["framespace", *(str(word) for word in words)])


def test_concatenate_with_a_plot(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, plot = tmp_path / "out.bvh", tmp_path / "fs.png"
    assert (
        run(
            *files, "--shape", "concatenate", "--cycles", 6, "-o", out, "--plot", plot, "--no-clean"
        )
        == 0
    )
    told = capsys.readouterr().out
    assert "correspondence" in told
    assert "{L_et}" in told
    assert plot.stat().st_size > 10_000
    result = mw.load(out)
    expected = mw.framespace(
        [mw.load(path) for path in files], "concatenate", cycles=6, clean=False
    )
    assert len(result) == len(expected)
    assert result.root == pytest.approx(expected.root, abs=1e-4)


def test_json_tells_clips_and_correspondence(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.bvh"
    assert (
        run(
            *files,
            "--shape",
            "blend",
            "--level",
            0.3,
            "--fps",
            60,
            "-o",
            out,
            "--json",
            "--decoupled",
        )
        == 0
    )
    data = json.loads(capsys.readouterr().out)
    assert data["fps"] == 60.0
    assert [clip["name"] for clip in data["clips"]] == ["jog", "walk"]
    assert data["correspondence"]["lower"] != data["correspondence"]["upper"]


def test_events_out_edited_and_in_again(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, tables = tmp_path / "a.bvh", tmp_path / "b.bvh", tmp_path / "events"
    assert run(*files, "-o", first, "--write-events", tables) == 0
    paths = [tables / f"{name}.events.csv" for name in ("jog", "walk")]
    assert run(*files, "-o", second, "--events", *paths) == 0
    assert mw.load(second).root == pytest.approx(mw.load(first).root, abs=1e-3)
    paths[0].write_text("frame,half,labels\n20,lower,nothing\n", encoding="utf-8")
    assert run(*files, "-o", second, "--events", *paths) == 2
    assert "jog has" in capsys.readouterr().err


def test_an_interpolant_from_a_file_and_cycles_by_hand(files: list[str], tmp_path: Path) -> None:
    curve, out = tmp_path / "curve.csv", tmp_path / "out.bvh"
    curve.write_text("x,y\n0,0\n1,0\n", encoding="utf-8")
    assert run(*files, "--interpolant", curve, "--cycle", "1=10:32", "--cycles", 2, "-o", out) == 0
    assert len(mw.load(out)) == 2 * 22 + 1
    assert run(*files, "--interpolant", curve, "--cycle", "2=once", "-o", out) == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--cycle", "3=1:2"], "clip N from 1 to 2"),
        (["--cycle", "1=frame"], "expected frames such as"),
        (["--level", "0.5"], "--level needs --shape blend"),
        (["--events", "a.csv"], "expected 2 files"),
        (["--cycles", "0"], "whole number"),
        (["--interpolant", "none.csv"], "none.csv"),
        (["--cycle", "1=10:9999"], "9999"),
        (["--plot", "none/fs.png"], "does not exist"),
    ],
)
def test_bad_input_is_one_line(
    files: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    says: str,
) -> None:
    assert run(*files, "-o", tmp_path / "out.bvh", *words) == 2
    error = capsys.readouterr().err
    assert says in error
    assert len(error.strip().splitlines()) == 1
    assert not (tmp_path / "out.bvh").exists()


def test_three_clips_are_too_many(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*files, files[0], "-o", tmp_path / "out.bvh") == 2
    assert "2 or 4 clips, got 3" in capsys.readouterr().err
