"""The verbs blend, transition and parametric, as a user meets them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.cli.main import main
from motionweave.core import rotations


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clips")
    for name in ("walk", "jog", "sharp_turn"):
        mw.save(mw.sample(name), folder / f"{name}.bvh")
    return folder


def files(folder: Path, *names: str) -> list[str]:
    return [str(folder / f"{name}.bvh") for name in names]


def test_blend(clips: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.bvh"
    assert main(["blend", *files(clips, "walk", "jog"), "-w", "1,1", "-o", str(out), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    written = mw.load(out)
    assert answer["frames"] == len(written)
    jog, walk = (len(mw.load(f)) for f in files(clips, "jog", "walk"))
    assert jog < len(written) < walk


def test_a_blend_of_parts_of_clips_says_which_frames_it_uses(
    clips: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["blend", *files(clips, "walk", "jog"), "-o", str(tmp_path / "out.bvh")]
    assert main([*words, "--ends", "cyclic"]) == 0
    said = capsys.readouterr().out
    assert main([*words, "--ends", "cyclic", "--json"]) == 0
    (first, last), (begin, end) = json.loads(capsys.readouterr().out)["used"]
    assert f"frames {first:.0f} to {last:.0f} of walk" in said
    assert f"frames {begin:.0f} to {end:.0f} of jog" in said
    assert main([*words, "--ends", "fixed"]) == 0
    assert "frames 0 to" not in capsys.readouterr().out


def test_blend_of_a_saved_registration(clips: Path, tmp_path: Path) -> None:
    saved = tmp_path / "gaits.mwreg"
    mw.register(*(mw.load(f) for f in files(clips, "walk", "jog"))).save(saved)
    assert main(["blend", str(saved), "-w", "1,0", "-o", str(tmp_path / "a.bvh")]) == 0
    assert len(mw.load(tmp_path / "a.bvh")) == len(mw.load(clips / "walk.bvh"))


def test_weights_over_time(clips: Path, tmp_path: Path) -> None:
    table = tmp_path / "weights.csv"
    table.write_text("time,walk,jog\n0,1,0\n3,0,1\n5,1,0\n")
    out = tmp_path / "out.bvh"
    words = [
        "blend",
        *files(clips, "walk", "jog"),
        "--ends",
        "cyclic",
        "--weights-over-time",
        str(table),
    ]
    assert main([*words, "-o", str(out)]) == 0
    assert mw.load(out).duration == pytest.approx(5.0, abs=0.05)


def test_transition(clips: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["transition", *files(clips, "walk", "jog")]
    assert main([*words, "--list", "--json"]) == 0
    places = json.loads(capsys.readouterr().out)[0]["places"]
    assert places
    f1, f2 = places[0]["at"]
    out = tmp_path / "out.bvh"
    assert main([*words, "--at", f"{f1},{f2}", "-o", str(out)]) == 0
    assert len(mw.load(out)) > 30


def test_parametric(clips: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["parametric", *files(clips, "walk", "sharp_turn")]
    assert main([*words, "--range", "turn", "--json"]) == 0
    low, high = json.loads(capsys.readouterr().out)["turn"]
    assert low < 5 < 170 < high
    out = tmp_path / "out.bvh"
    assert main([*words, "--set", "turn=60", "-o", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["reached"]["turn"] == pytest.approx(60, abs=2)
    assert out.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["blend", "walk", "jog", "-w", "1", "-o", "x.bvh"], "2 weights"),
        (["blend", "walk", "jog", "-w", "1,b", "-o", "x.bvh"], "0.3,0.7"),
        (["blend", "walk", "-w", "1", "-o", "x.bvh"], "two clips"),
        (["blend", "walk", "jog", "-w", "1,1", "-o", "x.nothing"], "supported"),
        (["transition", "walk", "jog"], "-o"),
        (["transition", "walk", "jog", "--at", "1", "-o", "x.bvh"], "55,12"),
        (["parametric", "walk", "jog", "--set", "turn", "-o", "x.bvh"], "turn=35"),
        (["parametric", "walk", "jog", "-o", "x.bvh"], "--range turn"),
        (["parametric", "walk", "jog", "--set", "size=3", "-o", "x.bvh"], "no measure"),
    ],
)
def test_mistakes_are_one_line_and_leave_nothing(
    words: list[str], said: str, clips: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [files(clips, w)[0] if w in ("walk", "jog") else w for w in words]
    words = [str(tmp_path / w) if w.startswith("x.") else w for w in words]
    assert main(words) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def sinking(tmp_path: Path) -> list[str]:
    """Two clips whose blend is not right: a walk, and a walk with its legs in the floor."""
    walk = mw.sample("walk")
    mw.save(walk, tmp_path / "walk.bvh")
    quats = np.array(walk.rotations)
    shin = walk["left_shin"].joint
    quats[30, shin] = rotations.multiply(quats[30, shin], rotations.about_axis("X", 1.2))
    mw.save(replace(walk, rotations=quats), tmp_path / "popped.bvh")
    weights = ["--weights=-1,2", "-o", str(tmp_path / "out.bvh"), "--json", "--no-clean"]
    return ["blend", str(tmp_path / "walk.bvh"), str(tmp_path / "popped.bvh"), *weights]


def test_warnings_are_lines_on_stderr_and_entries_of_the_answer(
    sinking: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(sinking) == 0
    told = capsys.readouterr()
    assert told.err.startswith("motionweave: warning: ")
    entries = json.loads(told.out)["warnings"]
    assert entries[0]["kind"] in ("acceleration", "twist")
    assert isinstance(entries[0]["frame"], int)


def test_weights_are_equal_unless_they_are_given(tmp_path: Path) -> None:
    clips = []
    for name in ("walk", "jog"):
        clips.append(str(tmp_path / f"{name}.bvh"))
        mw.save(mw.sample(name), clips[-1])
    assert main(["blend", *clips, "-o", str(tmp_path / "a.bvh")]) == 0
    assert main(["blend", *clips, "--weights", "1,1", "-o", str(tmp_path / "b.bvh")]) == 0
    assert (tmp_path / "a.bvh").read_bytes() == (tmp_path / "b.bvh").read_bytes()


def test_an_answer_without_warnings_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mw.save(mw.sample("walk"), tmp_path / "walk.bvh")
    clip = str(tmp_path / "walk.bvh")
    assert main(["loop", clip, "-o", str(tmp_path / "loop.bvh"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["warnings"] == []


def test_strict_turns_warnings_into_a_failing_exit(
    sinking: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*sinking, "--strict", "--quiet"]) == 2
    told = capsys.readouterr()
    assert "with --strict" in told.err
    assert "motionweave: warning:" not in told.err
