"""FBX without Blender: what is said, and what is not even tried."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import motionweave as mw
from motionweave.io.fbx import blender, blender_script
from motionweave.io.fbx.format import from_joints
from tests.strategies import random_motion


def test_without_blender(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blender, "blender_command", lambda: None)
    motion = random_motion(np.random.default_rng(0), 3, 4)
    with pytest.raises(mw.FormatError, match=r"blender\.org.*MOTIONWEAVE_BLENDER"):
        mw.save(motion, tmp_path / "a.fbx")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "a.fbx").write_bytes(b"Kaydara FBX Binary  \0")
    with pytest.raises(mw.FormatError, match=r"blender\.org"):
        mw.load(tmp_path / "a.fbx")


def test_what_is_no_fbx(tmp_path: Path) -> None:
    (tmp_path / "a.fbx").write_bytes(b"solid cube")
    with pytest.raises(mw.FormatError, match="not an FBX file"):
        mw.load(tmp_path / "a.fbx")


def test_which_blender(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(blender.VARIABLE, "/opt/blender/blender")
    command = blender.blender_command()
    assert command is not None
    assert command[:2] == ["/opt/blender/blender", "--background"]
    monkeypatch.setenv(blender.VARIABLE, "/venv/bin/python3")
    assert blender.blender_command() == ["/venv/bin/python3", "-I"]


def test_a_blender_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "blender"
    fake.write_text("#!/bin/sh\necho 'it is broken' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv(blender.VARIABLE, str(fake))
    with pytest.raises(mw.FormatError, match="could not convert it: it is broken"):
        mw.save(random_motion(np.random.default_rng(0), 3, 4), tmp_path / "a.fbx")


def test_the_reason_is_found_wherever_blender_prints_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "blender"
    fake.write_text(
        "#!/bin/sh\n"
        "echo 'Error: Python: Traceback (most recent call last):'\n"
        "echo '  File \"a.py\", line 3, in <module>'\n"
        "echo 'RuntimeError: Error: Version 6100 unsupported, must be 7100 or later'\n"
        "echo 'Location: ops.py:113'\n"
        "echo 'Error: script failed, exiting.'\n"
        "exit 1\n"
    )
    fake.chmod(0o755)
    monkeypatch.setenv(blender.VARIABLE, str(fake))
    (tmp_path / "a.fbx").write_bytes(b"Kaydara FBX Binary  \0")
    with pytest.raises(mw.FormatError, match=r"convert it: Version 6100 unsupported, must be"):
        mw.load(tmp_path / "a.fbx")


def test_a_clip_ends_with_its_skeleton_not_with_its_cameras() -> None:
    def thing(kind: str, *frames: float) -> SimpleNamespace:
        action = SimpleNamespace(frame_range=frames)
        return SimpleNamespace(type=kind, animation_data=SimpleNamespace(action=action))

    def ends(*things: SimpleNamespace) -> tuple[int, int]:
        scene = SimpleNamespace(frame_start=1, frame_end=250)
        actions = [one.animation_data.action for one in things]
        data = SimpleNamespace(objects=things, actions=actions)
        context = SimpleNamespace(scene=scene)
        blender_script._whole_range(SimpleNamespace(data=data, context=context))
        return scene.frame_start, scene.frame_end

    assert ends(thing("CAMERA", 0.0, 100.0), thing("ARMATURE", 2.0, 20.0)) == (2, 20)
    assert ends(thing("EMPTY", 0.0, 100.0)) == (0, 100)
    assert ends() == (1, 250)


def test_bones_without_a_common_root_hang_on_the_armature(tmp_path: Path) -> None:
    def bone(name: str, height: float, parent: SimpleNamespace | None = None) -> SimpleNamespace:
        matrix = np.eye(4)
        matrix[2, 3] = height
        return SimpleNamespace(name=name, parent=parent, matrix_local=matrix, matrix=matrix)

    hips = bone("Hips", 1.0)
    bones = [bone("Target", 0.0), hips, bone("Head", 1.5, hips)]
    armature = SimpleNamespace(
        type="ARMATURE",
        name="Bip001",
        matrix_world=np.eye(4),
        data=SimpleNamespace(bones=bones),
        pose=SimpleNamespace(bones={one.name: one for one in bones}),
    )

    def frame_set(frame: int) -> None:
        armature.matrix_world[0, 3] = 0.1 * frame

    render = SimpleNamespace(fps=30, fps_base=1.0)
    scene = SimpleNamespace(frame_start=0, frame_end=4, render=render, frame_set=frame_set)
    fake = SimpleNamespace(
        data=SimpleNamespace(objects=[armature]), context=SimpleNamespace(scene=scene)
    )
    blender_script._dump(fake, str(tmp_path / "joints.npz"))
    motion = from_joints(tmp_path / "joints.npz", tmp_path / "joints.npz")
    assert motion.skeleton.names == ("Bip001", "Target", "Hips", "Head")
    assert motion.skeleton.parents.tolist() == [-1, 0, 0, 2]
    walked = motion.positions()[-1] - motion.positions()[0]
    np.testing.assert_allclose(walked, np.tile([0.4, 0.0, 0.0], (4, 1)), atol=1e-12)
