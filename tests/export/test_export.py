"""Sets for engines: in step, closed, and better to mix than the clips they come from."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.cli.main import main
from motionweave.core.cycles import is_closed
from motionweave.export.align import aligned_clips
from motionweave.export.ground import ground_path, with_ground_bone
from motionweave.io.gltf.format import read


@pytest.fixture(scope="module")
def curve() -> mw.RegistrationCurve:
    return mw.register(mw.sample("walk"), mw.sample("jog"), mw.sample("walk_left"), ends="cyclic")


@pytest.fixture(scope="module")
def folder(curve: mw.RegistrationCurve, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("set")
    mw.export_set(curve, place)
    return place


def test_all_have_one_length_and_phase(curve: mw.RegistrationCurve) -> None:
    clips = aligned_clips(curve)
    assert len({len(one.motion) for one in clips}) == 1
    assert all(is_closed(one.motion) for one in clips)
    # A left foot that comes down does so at about the same phase in all of them.
    last = len(clips[0].motion) - 1
    downs = [next(at for name, at in one.markers() if name == "left_down") / last for one in clips]
    assert np.ptp(downs) < 0.06


def test_parameters_are_those_of_the_clips(curve: mw.RegistrationCurve) -> None:
    walk, jog, left = aligned_clips(curve)
    for one, motion in zip((walk, jog, left), curve.motions, strict=True):
        assert one.duration == pytest.approx(motion.duration, rel=1e-6)
    assert walk.speed == pytest.approx(1.3, rel=0.02)
    assert jog.speed == pytest.approx(2.6, rel=0.02)
    assert abs(walk.turn) < 0.5
    assert left.turn > 10.0


def test_ground_bone_goes_evenly_and_changes_nothing(curve: mw.RegistrationCurve) -> None:
    for one in aligned_clips(curve):
        path = ground_path(one.motion, cyclic=True)
        steps = path[:-1].inverse() @ path[1:]
        for part in (steps.angle, steps.x, steps.z):
            assert np.ptp(part) < 1e-9
        moved = one.motion.moved(path[0].inverse())
        grounded = with_ground_bone(one.motion, cyclic=True)
        np.testing.assert_allclose(grounded.positions()[:, 1:], moved.positions(), atol=1e-9)
        still = with_ground_bone(one.motion, cyclic=True, in_place=True)
        assert np.abs(still.root).max() == 0.0
        np.testing.assert_allclose(still.rotations[-1], still.rotations[0], atol=1e-9)


def test_files(folder: Path, curve: mw.RegistrationCurve) -> None:
    names = ["walk", "jog", "walk_left"]
    files = {"set.glb", "set.json", "README.md", *(f"{name}.glb" for name in names)}
    assert {one.name for one in folder.iterdir()} == files
    told = json.loads((folder / "set.json").read_text(encoding="utf-8"))
    assert [one["name"] for one in told["clips"]] == names
    assert told["loop"] is True
    for i, name in enumerate(names):
        wanted = with_ground_bone(aligned_clips(curve)[i].motion, cyclic=True)
        for motion in (read(folder / "set.glb", animation=name), read(folder / f"{name}.glb")):
            assert len(motion) == told["frames"]
            np.testing.assert_allclose(motion.positions(), wanted.positions(), atol=1e-5)
            kinds = [c.kind for c in motion.constraints]
            assert kinds == [c["kind"] for c in told["clips"][i]["contacts"]]
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert all(word in text for word in ("Godot", "Unity", "Unreal", *names))


def test_load_chooses_an_animation_by_name(folder: Path) -> None:
    jog = mw.load(folder / "set.glb", animation="jog")
    assert jog.name == "jog"
    assert jog.source["animations"] == ("walk", "jog", "walk_left")
    with pytest.raises(mw.FormatError, match="there are walk, jog, walk_left"):
        mw.load(folder / "set.glb", animation="run")


def test_what_cannot_be(curve: mw.RegistrationCurve, tmp_path: Path) -> None:
    with pytest.raises(mw.MotionError, match="expected 'motion' or 'in place'"):
        mw.export_set(curve, tmp_path, root="none")  # type: ignore[arg-type]
    with pytest.raises(mw.MotionError, match="1 names for 3 clips"):
        mw.export_set(curve, tmp_path, names=["a"])
    (tmp_path / "file").write_text("")
    with pytest.raises(mw.FormatError, match="cannot be made"):
        mw.export_set(curve, tmp_path / "file")


def test_open_curves_and_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("walk", "jog"):
        mw.save(mw.sample(name), tmp_path / f"{name}.bvh")
    words = ["export", str(tmp_path / "walk.bvh"), str(tmp_path / "jog.bvh"), "--json"]
    assert main([*words, "-o", str(tmp_path / "set"), "--in-place"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["root"] == "in place"
    assert told["loop"] is False
    assert main([*words[:2], "-o", str(tmp_path / "set")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_readme_of_someone_else_stays(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    curve = mw.register(mw.sample("walk"), mw.sample("jog"))
    with pytest.raises(mw.FormatError, match="give a new folder"):
        mw.export_set(curve, tmp_path)
    assert (tmp_path / "README.md").read_text() == "mine"
    assert [one.name for one in tmp_path.iterdir()] == ["README.md"]
    mw.export_set(curve, tmp_path / "new")
    mw.export_set(curve, tmp_path / "new")
