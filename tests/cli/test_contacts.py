"""The verb contacts: what it prints, writes and draws."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import Motion, Skeleton, samples
from motionweave.cli.main import main


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    path = tmp_path / "walk.bvh"
    mw.save(samples.sample("walk").with_constraints(()), path)
    return path


def test_contacts_are_written_and_used_from_then_on(
    walk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = walk.with_suffix(".contacts.json")
    assert main(["contacts", str(walk), "-o", str(output)]) == 0
    text = capsys.readouterr().out
    assert "left_heel" in text
    assert f"wrote {output}" in text
    data = json.loads(output.read_text())
    data["contacts"] = data["contacts"][:1]
    output.write_text(json.dumps(data))
    assert len(mw.load(walk).constraints) == 1
    # What a person edited is not used for finding contacts anew.
    assert main(["contacts", str(walk), "-o", str(output)]) == 0
    assert len(mw.load(walk).constraints) > 5


def test_json_has_contacts_steps_and_floor(walk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["contacts", str(walk), "--json", "--hands"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert set(facts["contacts"]) >= {"left_heel", "left_toe", "right_heel", "right_toe"}
    assert len(facts["steps"]["left"]) >= 2
    assert facts["floor"]["levels"] == [0.0]
    assert facts["leg_length"] > 0.0
    assert facts["written"] == []


def test_a_picture_is_drawn(walk: Path, tmp_path: Path) -> None:
    picture = tmp_path / "lanes.png"
    assert main(["contacts", str(walk), "--plot", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_rig_without_roles_is_one_line_and_an_override_helps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # A body whose arms alone are named, on legs that nothing tells apart.
    parents = np.array([-1, 0, 1, 2, 0, 4, 5])
    offsets = np.array(
        [[0, 1, 0], [0, 0, 0], [0, -0.5, 0], [0, -0.4, 0], [0, 0, 0], [0, -0.5, 0], [0, -0.4, 0]]
    )
    skeleton = Skeleton(tuple("abcdefg"), parents, offsets)
    quats = np.zeros((20, 7, 4))
    quats[..., 3] = 1.0
    path = tmp_path / "odd.bvh"
    sways = np.linspace([0.0, 1.0, 0.0], [0.001, 1.0, 0.0], 20)
    mw.save(Motion(skeleton, 30.0, sways, quats), path)
    assert main(["contacts", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "left_thigh" in error
    assert "--rig" in error
    roles = tmp_path / "rig.json"
    legs = ("thigh", "shin", "ankle")
    names = {f"left_{r}": n for r, n in zip(legs, "bcd", strict=True)}
    names |= {f"right_{r}": n for r, n in zip(legs, "efg", strict=True)}
    roles.write_text(json.dumps(names))
    assert main(["contacts", str(path), "--rig", str(roles)]) == 0
    assert "left and right foot: its toe is placed" in capsys.readouterr().out
    assert main(["contacts", str(path), "--rig", str(roles), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["contacts"]) == 4


def test_the_clip_itself_is_not_overwritten(walk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = walk.read_bytes()
    assert main(["contacts", str(walk), "-o", str(walk)]) == 2
    assert "input" in capsys.readouterr().err
    assert walk.read_bytes() == before
