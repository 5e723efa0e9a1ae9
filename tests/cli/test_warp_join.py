"""The verbs warp and join: files in, files and pictures out, one line for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.cli.main import main

WARPS = Path(__file__).resolve().parents[2] / "examples" / "warps"


@pytest.fixture
def walk(tmp_path):
    mw.save(mw.sample("walk"), tmp_path / "walk.bvh")
    return tmp_path / "walk.bvh"


def test_warp_writes_the_clip_and_its_picture(walk, tmp_path, capsys):
    out, picture = tmp_path / "limp.bvh", tmp_path / "limp.png"
    words = ["warp", str(walk), str(WARPS / "limp.yaml"), "-o", str(out), "--plot", str(picture)]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["title"] == "Limp"
    recipe = mw.load_warp(WARPS / "limp.yaml")
    assert told["key_frames"] == recipe.key_frames(mw.load(walk))
    expected = recipe.apply(mw.load(walk))
    found = mw.load(out, contacts=False)
    np.testing.assert_allclose(found.positions(), expected.positions(), atol=1e-4)
    assert picture.stat().st_size > 20_000


def test_plain_curves_on_request(walk, tmp_path, capsys):
    keys = tmp_path / "keys.json"
    data = {"keys": [{"at": 40, "pose": {"position": {"offset": [0.3, 0, 0]}}}]}
    keys.write_text(json.dumps(data))
    recipe, clip = mw.load_warp(keys), mw.load(walk)
    for option in ("clean", "paper"):
        out = tmp_path / f"{option}.bvh"
        word = "--no-clean" if option == "clean" else "--paper"
        assert main(["warp", str(walk), str(keys), "-o", str(out), word]) == 0
        expected = recipe.apply(clip, **{option: option == "paper"})
        found = mw.load(out, contacts=False)
        np.testing.assert_allclose(found.positions(), expected.positions(), atol=1e-4)
    assert "1 key at frame 40" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("keys:\n - {at: 500, pose: {head: {turn: [1, 0, 0]}}}", "frames 0 to 92"),
        ("keys:\n - {at: 5, pose: {hat: {turn: [1, 0, 0]}}}", "no joint or role 'hat'"),
        ("keys: {", "not valid YAML"),
    ],
)
def test_what_is_wrong_is_one_line(walk, tmp_path, capsys, text, message):
    keys = tmp_path / "keys.yaml"
    keys.write_text(text)
    assert main(["warp", str(walk), str(keys), "-o", str(tmp_path / "out.bvh")]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out.bvh").exists()


def test_join_says_where(walk, tmp_path, capsys):
    mw.save(mw.sample("jog"), tmp_path / "jog.bvh")
    out, picture = tmp_path / "both.bvh", tmp_path / "both.png"
    words = ["join", str(walk), str(tmp_path / "jog.bvh"), "-o", str(out)]
    assert main([*words, "--json", "--plot", str(picture)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["frames"] == len(mw.load(out, contacts=False))
    assert told["overlap"]["first"][1] - told["overlap"]["first"][0] == 16
    assert picture.exists()
    assert main([*words, "--overlap", "12", "--match", "86:5", "--no-clean"]) == 0
    assert "frames 80 to 92 of walk.bvh overlap 0 to 12 of jog.bvh" in capsys.readouterr().out
    assert main([*words, "--intervals", "60", "80", "3", "20"]) == 0
    assert main([*words, "--overlap", "1000"]) == 2
    assert "expected 1 to" in capsys.readouterr().err
