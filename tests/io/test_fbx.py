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


def test_what_is_not_in_a_file_is_not_called_a_fault_of_blender(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "blender"
    fake.write_text("#!/bin/sh\necho 'UnreadableError: there is no skeleton in the file'\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv(blender.VARIABLE, str(fake))
    (tmp_path / "a.fbx").write_bytes(b"Kaydara FBX Binary  \0")
    with pytest.raises(mw.FormatError, match=r"a\.fbx: there is no skeleton in the file$"):
        mw.load(tmp_path / "a.fbx")


def _scene(*actions: SimpleNamespace, active: int | None = None) -> SimpleNamespace:
    """What Blender has after reading a file with a skeleton of one bone and these actions."""
    data = SimpleNamespace(action=None if active is None else actions[active])
    bones = [SimpleNamespace(name="Hips")]
    armature = SimpleNamespace(
        type="ARMATURE", data=SimpleNamespace(bones=bones), animation_data=data
    )
    scene = SimpleNamespace(frame_start=1, frame_end=250)
    return SimpleNamespace(
        data=SimpleNamespace(objects=[armature], actions=list(actions)),
        context=SimpleNamespace(scene=scene),
        utils=SimpleNamespace(escape_identifier=str),
    )


def _action(name: str, last: float, moves: str = 'pose.bones["Hips"].location') -> SimpleNamespace:
    return SimpleNamespace(name=name, fcurves=[_curve(moves, last)])


def _curve(moves: str, last: float) -> SimpleNamespace:
    return SimpleNamespace(data_path=moves, range=lambda: (0.0, last))


def _played(scene: SimpleNamespace, which: str | int | None = None) -> tuple[int, int, int]:
    """The number of the take, and the scene's first and last frame."""
    taken = blender_script._play(scene, blender_script._takes(scene), which)
    return taken, scene.context.scene.frame_start, scene.context.scene.frame_end


def test_a_clip_ends_with_its_skeleton_not_with_its_cameras() -> None:
    camera = _action("Camera", 100.0, moves="location")
    assert _played(_scene(camera, _action("Walk", 20.0), active=1)) == (0, 0, 20)
    # Nothing but the whole skeleton is moved.
    assert _played(_scene(camera, _action("Glide", 30.0, moves="location"), active=1)) == (0, 0, 30)


def test_a_skeleton_without_animation_has_one_frame() -> None:
    assert _played(_scene(_action("Camera", 100.0, moves="location"))) == (-1, 1, 1)
    with pytest.raises(blender_script.UnreadableError, match="no animation"):
        _played(_scene(), "Walk")


def test_one_of_several_animations_is_chosen_by_name_or_number() -> None:
    actions = [_action(name, last) for name, last in (("Walk", 20.0), ("Run", 12.0), ("3", 9.0))]
    assert _played(_scene(*actions, active=1)) == (1, 0, 12)
    assert _played(_scene(*actions, active=1), "Walk") == (0, 0, 20)
    assert _played(_scene(*actions, active=1), "2") == (2, 0, 9)
    assert _played(_scene(*actions, active=1), 0) == (0, 0, 20)
    with pytest.raises(blender_script.UnreadableError, match="'Jump'; there are Walk, Run, 3"):
        _played(_scene(*actions, active=1), "Jump")


def test_slots_of_an_action_are_told_apart() -> None:
    """Since Blender 4.4 an action can move several things, each in a slot of its own."""

    moves = {"OBCamera": ("location", 100.0), "OBArmature": ('pose.bones["Hips"].location', 5.0)}
    bags = [SimpleNamespace(slot=slot, fcurves=[_curve(*one)]) for slot, one in moves.items()]
    strip = SimpleNamespace(channelbags=bags)
    action = SimpleNamespace(name="Take", slots=[], layers=[SimpleNamespace(strips=[strip])])
    scene = _scene(action, active=0)
    assert [take.slot for take in blender_script._takes(scene)] == ["OBArmature"]
    # The camera goes on for longer.
    assert _played(scene) == (0, 0, 5)
    assert scene.data.objects[0].animation_data.action_slot == "OBArmature"


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
    blender_script._dump(fake, str(tmp_path / "joints.npz"), ["Walk", "Run"], 1)
    motion = from_joints(tmp_path / "joints.npz", tmp_path / "joints.npz")
    assert motion.source["animations"] == ("Walk", "Run")
    assert "'Run' of 2 animations (Walk, Run)" in motion.source["warnings"][0]
    named = from_joints(tmp_path / "joints.npz", tmp_path / "joints.npz", "Run")
    assert named.name == "Run"
    assert not named.source["warnings"]
    assert motion.skeleton.names == ("Bip001", "Target", "Hips", "Head")
    assert motion.skeleton.parents.tolist() == [-1, 0, 0, 2]
    walked = motion.positions()[-1] - motion.positions()[0]
    np.testing.assert_allclose(walked, np.tile([0.4, 0.0, 0.0], (4, 1)), atol=1e-12)
