"""Blender as the real client: it sees what we write, and we see what it writes.

Runs with ``make test-blender``, which installs Blender's Python package.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import samples
from motionweave.io.fbx.blender import VARIABLE, blender_command, convert
from motionweave.io.fbx.format import from_joints

pytestmark = [
    pytest.mark.blender,
    pytest.mark.skipif(
        blender_command() is None, reason=f"no Blender: make test-blender, or set {VARIABLE}"
    ),
]
# Share of the body height by which joints may be apart.
CLOSE = 1e-4


def _clips(mocap: Path | None) -> dict[str, mw.Motion]:
    clips = {"built in": samples.sample("walk").resample(30.0)}
    if mocap is not None:
        path = mocap / "bvh" / "cmu_16_15_walk_straight.bvh"
        clips["real"] = mw.load(path, contacts=False)[1::4]
    return clips


def _same(clip: mw.Motion, other: mw.Motion, unit: float = 1.0) -> None:
    """Names, tree, frame rate, frames, and places of all joints; ``unit`` is that of other."""
    assert len(other) == len(clip)
    assert other.fps == pytest.approx(clip.fps, rel=1e-6)
    assert set(other.skeleton.names) == set(clip.skeleton.names)
    by_name = [other.skeleton.index(name) for name in clip.skeleton.names]
    for joint, parent in enumerate(clip.skeleton.parents):
        above = int(other.skeleton.parents[by_name[joint]])
        assert parent < 0 or other.skeleton.names[above] == clip.skeleton.names[parent]
    apart = np.abs(unit * other.positions()[:, by_name] - clip.positions())
    assert apart.max() < CLOSE * clip.skeleton.height


@pytest.fixture(scope="module")
def clips() -> dict[str, mw.Motion]:
    from tests.conftest import clip_folder

    return _clips(clip_folder("mocap"))


@pytest.mark.parametrize("suffix", ["bvh", "glb", "usdc", "fbx"])
def test_both_ways(clips: dict[str, mw.Motion], tmp_path: Path, suffix: str) -> None:
    for clip in clips.values():
        ours, theirs = tmp_path / f"ours.{suffix}", tmp_path / f"theirs.{suffix}"
        mw.save(clip, ours)
        # Blender's scenes are in metres, except for BVH, which has no unit.
        unit = 1.0 if suffix == "bvh" else _units_a_metre(clip)
        convert(ours, tmp_path / "seen.npz", ours, fps=clip.fps)
        _same(clip, from_joints(tmp_path / "seen.npz", ours), unit)
        convert(ours, theirs, ours, fps=clip.fps)
        written = mw.load(theirs, contacts=False)
        metres = written.source.get("metres_a_unit", 1.0) if suffix == "usdc" else 1.0
        _same(clip, written, unit * metres)
        # And once more round: what was read of theirs can be written and seen again.
        again = tmp_path / f"again.{suffix}"
        mw.save(written, again)
        _same(clip, mw.load(again, contacts=False), unit * metres)


def _units_a_metre(clip: mw.Motion) -> float:
    from motionweave.io.scene.units import metres_a_unit

    return 1.0 / metres_a_unit(clip)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.fbx").write_bytes(b"Kaydara FBX Binary  \0" + bytes(200))
    with pytest.raises(mw.FormatError, match="Blender could not convert it"):
        mw.load(tmp_path / "a.fbx")


def test_a_character_without_animation_is_one_frame(
    clips: dict[str, mw.Motion], tmp_path: Path
) -> None:
    clip = clips["built in"]
    mw.save(clip, tmp_path / "a.gltf")
    content = json.loads((tmp_path / "a.gltf").read_text())
    del content["animations"]
    (tmp_path / "a.gltf").write_text(json.dumps(content))
    convert(tmp_path / "a.gltf", tmp_path / "a.fbx", tmp_path / "a.fbx")
    still = mw.load(tmp_path / "a.fbx", contacts=False)
    assert len(still) == 1
    assert set(still.skeleton.names) == set(clip.skeleton.names)


def test_the_body_comes_along(clips: dict[str, mw.Motion], tmp_path: Path) -> None:
    """What a viewer shows: an FBX file holds the mesh beside the bones."""
    mw.save(clips["built in"], tmp_path / "a.fbx")
    convert(tmp_path / "a.fbx", tmp_path / "a.glb", tmp_path / "a.fbx")
    import struct

    data = (tmp_path / "a.glb").read_bytes()
    content = json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])
    assert content["meshes"]
    assert content["skins"]
    shutil.rmtree(tmp_path)
