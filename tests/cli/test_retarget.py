"""``motionweave retarget``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import motionweave as mw
from motionweave.cli.main import main
from tests.body.bodies import scrambled, with_helpers


@pytest.fixture
def clips(tmp_path: Path) -> tuple[Path, Path]:
    walk, other = tmp_path / "walk.bvh", tmp_path / "other.bvh"
    mw.save(mw.sample("walk"), walk)
    mw.save(scrambled(with_helpers(mw.sample("jog").scaled(1.2)), 3), other)
    return walk, other


def test_a_clip_on_another_body(
    clips: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    walk, other = clips
    out, table = tmp_path / "out.bvh", tmp_path / "map.json"
    words = ["retarget", str(walk), str(other), "-o", str(out), "--save-mapping", str(table)]
    assert main(words) == 0
    told = capsys.readouterr().out
    assert "at rest: " in told
    assert "Sword_Prop" in told
    result = mw.load(out)
    assert set(result.skeleton.names) == set(mw.load(other).skeleton.names)
    assert result.root[-1, 2] == pytest.approx(1.2 * mw.sample("walk").root[-1, 2], rel=0.01)
    given = json.loads(table.read_text())
    assert given["LeftFoot"] == "LeftFoot"
    given["Eye"] = "Head"
    table.write_text(json.dumps(given))
    assert main([*words[:5], "--mapping", str(table), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["mapping"]["Eye"] == "Head"
    assert "Eye" not in answer["at_rest"]


def test_what_cannot_be_done_is_one_line(
    clips: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    walk, other = clips
    wrong = tmp_path / "map.json"
    wrong.write_text('{"Nose": "Head"}')
    words = ["retarget", str(walk), str(other), "-o", str(tmp_path / "out.bvh")]
    assert main([*words, "--mapping", str(wrong)]) == 2
    error = capsys.readouterr().err
    assert "no joint 'Nose'" in error
    assert error.count("\n") == 1


def test_clips_of_different_bodies_are_joined_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    walk, other = tmp_path / "walk.bvh", tmp_path / "other.bvh"
    mw.save(mw.sample("walk"), walk)
    jog = mw.sample("jog")
    offsets = jog.skeleton.offsets.copy()
    for role in ("left_shin", "right_shin"):
        offsets[mw.find_rig(jog.skeleton).roles[role]] *= 1.2
    from dataclasses import replace

    longer = replace(jog, skeleton=replace(jog.skeleton, offsets=offsets))
    mw.save(scrambled(longer, 3), other)
    out = tmp_path / "out.bvh"
    assert main(["join", str(walk), str(other), "-o", str(out)]) == 0
    assert capsys.readouterr().err.count("retargeted to that of 'walk'") == 1
    assert mw.load(out).skeleton.names == mw.load(walk).skeleton.names
