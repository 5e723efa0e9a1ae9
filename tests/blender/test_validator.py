"""What the Khronos glTF validator says, where it could be installed (`make blender`)."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

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
        program = [str(_NODE), "-e", _PROGRAM, str(_PACKAGES / "gltf-validator"), str(path)]
        said = subprocess.run(program, capture_output=True, text=True, check=True).stdout
        issues = json.loads(said)
        assert issues["messages"] == [], issues
