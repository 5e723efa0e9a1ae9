"""Verbs that work on many clips: folders, patterns, output folders, several processes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.cli.main import main
from motionweave.errors import FormatError
from motionweave.io import registry


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two walks in folders of their own, one of them in place, and what is to be left out."""
    folder = tmp_path_factory.mktemp("takes")
    for name in ("a", "b", ".hidden"):
        (folder / name).mkdir()
    mw.save(mw.sample("walk")[:40], folder / "a" / "walk.bvh")
    mw.save(mw.sample("jog")[:40], folder / "b" / "jog.bvh")
    mw.save(mw.sample("jog")[:10], folder / ".hidden" / "copy.bvh")
    (folder / "notes.txt").write_text("not a motion")
    return folder


def test_a_folder_becomes_a_folder(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "glb"
    assert main(["convert", str(folder), "-o", str(out), "--format", "glb"]) == 0
    made = sorted(str(path.relative_to(out)) for path in out.rglob("*.glb"))
    assert made == [str(Path("a", "walk.glb")), str(Path("b", "jog.glb"))]


def test_format_without_a_suffix_means_a_folder(folder: Path, tmp_path: Path) -> None:
    clip, out = folder / "a" / "walk.bvh", tmp_path / "out"
    assert main(["convert", str(clip), "-o", str(out), "--format", "npz"]) == 0
    assert (out / "walk.npz").is_file()


def test_patterns_are_expanded(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(folder / "**" / "*o*.bvh"), "--json"]) == 0
    (facts,) = json.loads(capsys.readouterr().out)
    assert facts["file"].endswith("jog.bvh")


@pytest.mark.parametrize("verb", ["contacts", "clean", "convert"])
def test_processes_give_the_same_files(verb: str, folder: Path, tmp_path: Path) -> None:
    written = []
    for jobs in ("1", "2"):
        out = tmp_path / jobs
        assert main([verb, str(folder), "-o", str(out), "--jobs", jobs, "--quiet"]) == 0
        files = sorted(path for path in out.rglob("*") if path.is_file())
        written.append({str(path.relative_to(out)): path.read_bytes() for path in files})
    assert written[0] == written[1]
    assert len(written[0]) >= 2


def test_one_that_fails_does_not_stop_the_others(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.bvh"
    broken.write_text("HIERARCHY\n")
    good = folder / "a" / "walk.bvh"
    for jobs in ("1", "2"):
        words = ["quality", str(broken), str(good), "--json", "--jobs", jobs]
        assert main(words) == 2
        told = capsys.readouterr()
        (facts,) = json.loads(told.out)
        assert facts["file"] == str(good)
        assert told.err.count("broken.bvh") == 1


def test_input_fps_is_known_by_every_verb(folder: Path, tmp_path: Path) -> None:
    clip, out = str(folder / "a" / "walk.bvh"), tmp_path / "out.bvh"
    assert main(["clean", clip, "-o", str(out), "--input-fps", "60", "--quiet"]) == 0
    assert mw.load(out).fps == pytest.approx(60.0)


def test_in_place_and_back(folder: Path, tmp_path: Path) -> None:
    still, moving = tmp_path / "still.bvh", tmp_path / "moving.bvh"
    assert main(["convert", str(folder / "a" / "walk.bvh"), "-o", str(still), "--in-place"]) == 0
    assert main(["convert", str(still), "-o", str(moving), "--travel", "--speed", "2"]) == 0
    walk = mw.load(moving)
    assert np.linalg.norm((walk.root[-1] - walk.root[0])[[0, 2]]) == pytest.approx(
        2.0 * walk.duration, rel=0.05
    )


def test_a_writer_names_the_users_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(motion: mw.Motion, path: Path) -> None:
        raise FormatError(f"cannot convert {path}", path)

    one = registry.Format("bad", (".bad",), lambda path: None, fails)  # type: ignore[arg-type]
    monkeypatch.setattr(registry, "format_of", lambda *_, **__: one)
    target = tmp_path / "walk.bad"
    with pytest.raises(FormatError) as caught:
        registry.write(mw.sample("walk")[:5], target)
    assert str(caught.value) == f"{target}: cannot convert {target}"
