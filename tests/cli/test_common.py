"""What all verbs share: how they tell about the motion that they wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import motionweave as mw
from motionweave.cli.main import main

KEYS = """
keys:
  - {at: 20, pose: {right_hand: {offset: [0, 0.2, 0]}}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clips")
    for name in ("walk", "jog"):
        mw.save(mw.sample(name), folder / f"{name}.bvh")
    (folder / "keys.yaml").write_text(KEYS)
    return folder


@pytest.mark.parametrize(
    "words",
    [
        "blend walk.bvh jog.bvh",
        "transition walk.bvh jog.bvh",
        "join walk.bvh jog.bvh",
        "spline walk.bvh jog.bvh",
        "framespace walk.bvh jog.bvh",
        "layer walk.bvh jog.bvh",
        "parametric walk.bvh jog.bvh --set speed=1.5 --nearest",
        "warp walk.bvh keys.yaml",
        "loop walk.bvh",
        "clean walk.bvh",
        "retarget walk.bvh jog.bvh",
        "convert walk.bvh",
    ],
)
def test_every_verb_tells_the_same_of_the_motion_that_it_wrote(
    words: str,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    output = tmp_path / "out.bvh"
    assert main([*words.split(), "-o", str(output)]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert main([*words.split(), "-o", str(output), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    motion = mw.load(output)
    assert facts["output"] == str(output)
    assert facts["written"] == [str(output)]
    assert facts["frames"] == len(motion)
    assert facts["fps"] == pytest.approx(motion.fps, rel=1e-4)
    assert facts["contacts"] == len(motion.constraints)
    assert first == (
        f"{output}: {len(motion)} frames at {motion.fps:.4g} fps, {motion.duration:.2f} s, "
        f"{len(motion.constraints)} contacts"
    )
