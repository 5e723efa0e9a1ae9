"""What the Khronos glTF validator says, where it could be installed (`make blender`)."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import motionweave as mw
from motionweave import samples
from tests.io.files import sliding
from tests.strategies import random_motion

_PACKAGES = Path(__file__).resolve().parents[2] / ".venv-blender" / "node_modules"
_NODE = shutil.which("node")
_PROGRAM = """
const validator = require(process.argv[1]);
const data = new Uint8Array(require("fs").readFileSync(process.argv[2]));
validator.validateBytes(data).then(report => console.log(JSON.stringify(report.issues)));
"""

pytestmark = [
    pytest.mark.blender,
    pytest.mark.skipif(
        _NODE is None or not (_PACKAGES / "gltf-validator").is_dir(),
        reason="no glTF validator: it needs Node.js; make blender installs it",
    ),
]


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_no_complaints(tmp_path: Path, suffix: str) -> None:
    rng = np.random.default_rng(0)
    clips = [samples.sample("walk"), samples.sample("jog").scaled(100.0), random_motion(rng, 1, 1)]
    clips += [random_motion(rng, 9, 12), sliding(random_motion(rng, 9, 12))]
    for clip in clips:
        path = tmp_path / f"clip{suffix}"
        mw.save(clip, path)
        issues = _issues(path)
        assert issues["messages"] == [], issues


def test_no_complaints_about_sets(tmp_path: Path) -> None:
    """Several animations with extras, a bone on the floor, and VRM animations."""
    curve = mw.register(samples.sample("walk"), samples.sample("jog"), ends="cyclic")
    mw.export_set(curve, tmp_path)
    for path in sorted(tmp_path.glob("*.glb")):
        assert _issues(path)["messages"] == []
    mw.save(samples.sample("walk"), tmp_path / "walk.vrma", contacts=False)
    # The validator does not know the extension, and finds joints without a mesh empty.
    codes = {one["code"] for one in _issues(tmp_path / "walk.vrma")["messages"]}
    assert codes <= {"UNSUPPORTED_EXTENSION", "NODE_EMPTY"}


def _issues(path: Path) -> Any:
    program = [str(_NODE), "-e", _PROGRAM, str(_PACKAGES / "gltf-validator"), str(path)]
    return json.loads(subprocess.run(program, capture_output=True, text=True, check=True).stdout)
