"""ASF/AMC: the same motions as in BVH, every kind of skeleton, and broken files."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import motionweave as mw
from motionweave.core import rotations
from tests.io.files import apart, assert_same_tree, damaged, only_format_errors, sliding
from tests.strategies import motions, random_motion

_settings = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

ASF = """# an actor with one leg
:version 1.10
:name test
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
   made by hand: [begin]
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 1 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name thigh
     direction 0 -1 0
     length 4
     axis 0 0 90 XYZ
     dof rx ry rz
     limits (-160.0 20.0)
            (-70.0 70.0)
            (-60.0 70.0)
  end
  begin
     id 2
     name shin   # below the knee
     direction 0 -2 0
     length 3
     axis 0 0 0 XYZ
     dof rx
     limits (-10 170)
  end
  begin
     id 3
     name stiff
     direction 0 0 1
     length 1
     axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root thigh
    thigh shin
    shin stiff
  end
"""

AMC = """#!OML:ASF
:FULLY-SPECIFIED
:DEGREES
1
root 1 2 3 0 90 0
thigh 90 0 0
shin 0
2
root 1 2 4 0 0 0
thigh 0 0 0
shin 90
"""


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mw.QualityWarning)
        yield


def _pair(folder: Path, asf: str = ASF, amc: str = AMC) -> Path:
    (folder / "one.asf").write_text(asf)
    (folder / "one.amc").write_text(amc)
    return folder / "one.amc"


def test_axes_channels_and_lengths(tmp_path: Path) -> None:
    motion = mw.load(_pair(tmp_path), contacts=False, up="y")
    assert motion.skeleton.names == ("root", "thigh", "shin", "stiff")
    assert motion.fps == 120.0
    np.testing.assert_allclose(
        motion.skeleton.offsets, [[0, 1, 0], [0, 0, 0], [0, -4, 0], [0, -3, 0]], atol=1e-12
    )
    np.testing.assert_allclose(motion.skeleton.end_offsets, [[0, 0, 1]])
    first, second = motion.positions()
    # The skeleton's position is added; the root is turned a quarter to the left. The thigh
    # turns about its own x, which is y at rest: its vector stays.
    np.testing.assert_allclose(first, [[1, 3, 3], [1, 3, 3], [1, -1, 3], [1, -4, 3]], atol=1e-12)
    np.testing.assert_allclose(second[3], [1, -1, 4 - 3], atol=1e-12)
    # A bone of its own length, whatever the length of its direction.
    np.testing.assert_allclose(motion.end_positions()[1, 0], [1, -2, 1], atol=1e-12)


def test_turns_are_applied_in_the_order_of_the_channels(tmp_path: Path) -> None:
    amc = AMC.replace("root 1 2 3 0 90 0", "root 30 40 50 1 2 3")
    asf = ASF.replace("order TX TY TZ RX RY RZ", "order RX RZ RY TZ TX TY")
    motion = mw.load(_pair(tmp_path, asf, amc), contacts=False, up="y")
    expected = rotations.from_euler(np.radians([50.0, 40.0, 30.0]), "YZX")
    assert rotations.angle_between(motion.rotations[0, 0], expected) < 1e-12
    np.testing.assert_allclose(motion.root[0], [2, 1 + 3, 1])


def test_radians(tmp_path: Path) -> None:
    usual = mw.load(_pair(tmp_path), contacts=False, up="y")
    asf = ASF.replace("angle deg", "angle rad").replace("0 0 90", f"0 0 {np.pi / 2!r}")
    amc = AMC.replace(":DEGREES\n", "").replace("90", repr(np.pi / 2))
    assert apart(usual, mw.load(_pair(tmp_path, asf, amc), contacts=False, up="y")) < 1e-12
    mw.save(mw.load(_pair(tmp_path, asf, amc), contacts=False, up="y"), tmp_path / "two.amc")
    again = mw.load(tmp_path / "two.amc", contacts=False, up="y")
    assert apart(usual, again) < 1e-8


def test_bones_that_are_not_said_stay(tmp_path: Path) -> None:
    amc = AMC.replace("thigh 90 0 0\n", "").replace("thigh 0 0 0\n", "thigh 0 30 0\n3\nshin 1\n")
    motion = mw.load(_pair(tmp_path, ASF, amc.replace("\nshin 90", "")), contacts=False, up="y")
    thigh = motion.rotations[:, 1]
    assert rotations.angle_between(thigh[0], rotations.IDENTITY) == 0.0
    assert np.degrees(rotations.angle_between(thigh[2], rotations.IDENTITY)) == pytest.approx(30)
    np.testing.assert_array_equal(thigh[1], thigh[2])


def test_what_the_files_say_comes_back(tmp_path: Path) -> None:
    path = _pair(tmp_path)
    motion = mw.load(path, contacts=False, up="y")
    mw.save(motion, tmp_path / "sub.amc")
    assert not (tmp_path / "sub.asf").exists(), "the skeleton is there already"
    (tmp_path / "else").mkdir()
    mw.save(motion, tmp_path / "else" / "sub.amc")
    assert (tmp_path / "else" / "sub.asf").read_text() == ASF
    again = mw.load(tmp_path / "else" / "sub.amc", contacts=False, up="y")
    assert again.skeleton == motion.skeleton
    np.testing.assert_array_equal(again.positions(), motion.positions())


def test_bones_get_the_channels_that_they_need(tmp_path: Path) -> None:
    motion = mw.load(_pair(tmp_path), contacts=False, up="y")
    turned = np.array(motion.rotations)
    turned[:, 2] = rotations.multiply(turned[:, 2], rotations.about_axis("Y", 0.3))
    edited = replace(motion, rotations=turned)
    (tmp_path / "out").mkdir()
    mw.save(edited, tmp_path / "out" / "b.amc")
    again = mw.load(tmp_path / "out" / "b.amc", contacts=False, up="y")
    assert apart(edited, again) < 1e-7
    bones = again.source["asf"].bones
    assert bones["shin"].dof == ("rx", "ry", "rz")
    assert bones["shin"].limits[0] == (-10.0, 170.0)
    assert bones["shin"].limits[1] == (-np.inf, np.inf)
    assert bones["thigh"].axis == (0.0, 0.0, 90.0)
    assert bones["stiff"].dof == ()


def test_another_size_keeps_axes_and_limits(tmp_path: Path) -> None:
    larger = mw.load(_pair(tmp_path), contacts=False, up="y").scaled(3.0)
    (tmp_path / "out").mkdir()
    mw.save(larger, tmp_path / "out" / "b.amc")
    again = mw.load(tmp_path / "out" / "b.amc", contacts=False, up="y")
    assert apart(larger, again) < 1e-7
    assert again.source["asf"].bones["thigh"].limits[2] == (-60.0, 70.0)
    assert again.source["asf"].length_unit == 0.45


# Which skeleton


def test_folders_of_many_takes(tmp_path: Path) -> None:
    for name in ("16.asf", "160.asf", "other.asf"):
        (tmp_path / name).write_text(ASF.replace("length 3", f"length {len(name)}"))
    for name in ("16_1.amc", "160_1.AMC", "16-fast.amc", "other.amc", "new.amc"):
        (tmp_path / name).write_text(AMC)

    def shin(name: str, **options: object) -> float:
        clip = mw.load(tmp_path / name, contacts=False, **options)
        return float(np.linalg.norm(clip.skeleton.offsets[3]))

    assert shin("16_1.amc") == 6
    assert shin("16-fast.amc") == 6
    assert shin("160_1.AMC") == 7
    assert shin("other.amc") == 9
    assert shin("new.amc", asf=tmp_path / "160.asf") == 7
    with pytest.raises(mw.FormatError, match=r"several ASF skeletons.*16\.asf"):
        mw.load(tmp_path / "new.amc")
    (tmp_path / "alone").mkdir()
    shutil.copy(tmp_path / "new.amc", tmp_path / "alone")
    with pytest.raises(mw.FormatError, match="no ASF skeleton beside it"):
        mw.load(tmp_path / "alone" / "new.amc")
    (tmp_path / "alone" / "actor.asf").write_text(ASF)
    assert len(mw.load(tmp_path / "alone" / "new.amc", contacts=False)) == 2


def test_the_skeleton_file_itself(tmp_path: Path) -> None:
    path = _pair(tmp_path)
    assert len(mw.load(path.with_suffix(".asf"), contacts=False)) == 2
    path.unlink()
    rest = mw.load(path.with_suffix(".asf"), contacts=False, up="y")
    np.testing.assert_allclose(rest.positions()[0], rest.skeleton.rest_positions)


def test_the_frame_rate(tmp_path: Path) -> None:
    motion = mw.load(_pair(tmp_path), contacts=False, up="y", fps=29.97)
    assert motion.fps == 29.97
    mw.save(motion, tmp_path / "b.amc")
    assert mw.load(tmp_path / "b.amc", contacts=False).fps == 29.97
    with pytest.warns(mw.QualityWarning, match="120 fps is assumed"):
        mw.load(tmp_path / "one.amc", contacts=False)


# Any skeleton


@_settings
@given(motions(), st.sampled_from(["y", "z"]), st.booleans())
def test_motions_from_elsewhere(tmp_path: Path, motion: mw.Motion, up: str, slides: bool) -> None:
    motion = sliding(motion) if slides else motion
    path = tmp_path / "clip.amc"
    mw.save(motion, path, up=up)
    read = mw.load(path, contacts=False, up=up)
    assert_same_tree(read.skeleton, motion.skeleton)
    assert apart(motion, read) < 1e-6
    assert read.fps == motion.fps
    mw.save(read, tmp_path / "again.amc")
    assert apart(motion, mw.load(tmp_path / "again.amc", contacts=False, up=up)) < 1e-6


def test_names_that_are_no_words(tmp_path: Path) -> None:
    motion = random_motion(np.random.default_rng(0), 3, 4)
    names = ("Hips", "root", "left leg #1", "begin")
    odd = replace(motion, skeleton=replace(motion.skeleton, names=names))
    mw.save(odd, tmp_path / "clip.amc")
    read = mw.load(tmp_path / "clip.amc", contacts=False, up="y")
    assert set(read.skeleton.names) == set(names)
    assert apart(odd, read) < 1e-6


# Real clips


@pytest.mark.mocap
@pytest.mark.parametrize("take", ["02_01", "16_11", "16_15", "16_35"])
def test_the_same_motion_as_in_bvh(mocap: Path, tmp_path: Path, take: str) -> None:
    amc = mw.load(mocap / "asf_amc" / f"{take}.amc", contacts=False)
    bvh = mw.load(next((mocap / "bvh").glob(f"cmu_{take}_*.bvh")), contacts=False)[1:]
    assert len(amc) == len(bvh)
    assert amc.fps == bvh.fps
    # The BVH files are rounded to four decimals.
    assert np.abs(amc.root - bvh.root).max() < 1e-4
    assert np.degrees(rotations.angle_between(amc.rotations, bvh.rotations)).max() < 2e-4
    # Their converter dropped the last vector before a fork (the chest and the wrists); up to
    # there, which is the legs and the back, positions agree too.
    lost = np.linalg.norm(amc.skeleton.offsets - bvh.skeleton.offsets, axis=1) > 1e-3
    for joint in range(1, len(lost)):
        lost[joint] |= lost[amc.skeleton.parents[joint]]
    assert lost.sum() == 17
    away = np.abs(amc.positions() - bvh.positions())[:, ~lost].max()
    assert away < 1e-5 * bvh.skeleton.height
    again = replace(bvh, skeleton=replace(amc.skeleton, names=bvh.skeleton.names))
    assert np.abs(again.positions() - amc.positions()).max() < 2e-5 * amc.skeleton.height
    mw.save(amc, tmp_path / "again.amc")
    theirs = (mocap / "asf_amc" / f"{take[:2]}.asf").read_bytes()
    assert (tmp_path / "again.asf").read_bytes() == theirs
    read = mw.load(tmp_path / "again.amc", contacts=False)
    assert apart(amc, read) < 1e-9


# Broken files


@pytest.mark.parametrize(
    ("old", "new", "lines_on", "reason"),
    [
        ("# an actor", "an actor", 0, "begins with a keyword"),
        (":hierarchy", ":order", None, "no section :hierarchy"),
        ("angle deg", "angle turns", 0, "expected deg or rad"),
        ("direction 0 0 1", "direction 0 0", 0, "direction: expected 3 numbers"),
        ("direction 0 0 1", "direction 0 0 nan", 0, "direction: expected 3 numbers"),
        ("direction 0 0 1", "direction 0 0 0", 3, "has a length, but no direction"),
        ("length 4", "length long", 0, "length: expected 1 numbers"),
        ("dof rx ry rz", "dof rx rx rz", 0, "given twice"),
        ("dof rx ry rz", "dof rx ry rw", 0, "channel 'rw'"),
        ("0 0 90 XYZ", "0 0 90 XYY", 0, "rotation order 'XYY'"),
        ("(-70.0 70.0)", "(a b)", 0, "pairs of numbers"),
        ("name stiff", "name shin", 4, "two bones are named 'shin'"),
        ("     name stiff\n", "", 3, "has no name"),
        ("shin stiff", "shin foot", 0, "no bone 'foot'"),
        ("shin stiff", "thigh stiff\n    stiff thigh", 1, "has two parents"),
        ("root thigh\n", "root\n", None, "'thigh' is not in the hierarchy"),
        ("root thigh\n", "stiff thigh\n", None, "cycle"),
        ("  end\n:hierarchy", ":hierarchy", None, "ends within a bone"),
    ],
)
def test_broken_skeletons(
    tmp_path: Path, old: str, new: str, lines_on: int | None, reason: str
) -> None:
    line = 1 + ASF[: ASF.index(old)].count("\n")
    path = _pair(tmp_path, ASF.replace(old, new, 1))
    with pytest.raises(mw.FormatError) as refusal:
        mw.load(path)
    assert reason in str(refusal.value)
    assert str(refusal.value.path).endswith(".asf")
    if lines_on is not None:
        assert refusal.value.line == line + lines_on


@pytest.mark.parametrize(
    ("amc", "line", "reason"),
    [
        ("", None, "no frames"),
        ("\0\0", None, "binary"),
        (AMC.replace("1\nroot", "root", 1), 4, "expected the first frame"),
        (AMC.replace("thigh 90", "arm 90"), 6, "no bone 'arm'"),
        (AMC.replace("thigh 90 0 0", "thigh 90 0"), 6, "has 2 numbers, but 3 channels"),
        (AMC.replace("thigh 90 0 0", "thigh 90 0 x"), 6, "'x' is not a number"),
        (AMC.replace("shin 90", "shin nan"), 11, "'nan' is not a number"),
        (AMC.replace("shin 90", "shin 1e200"), 11, "out of range"),
        (AMC.replace("\n2\n", "\n1\n"), 8, "frame 1 comes after frame 1"),
        (AMC + "shin 3\n", 12, "twice in a frame"),
        (AMC + "stiff 3\n", 12, "has 1 numbers, but 0 channels"),
    ],
)
def test_broken_takes(tmp_path: Path, amc: str, line: int | None, reason: str) -> None:
    path = _pair(tmp_path, ASF, amc)
    with pytest.raises(mw.FormatError) as refusal:
        mw.load(path)
    assert reason in str(refusal.value)
    assert refusal.value.path == str(path)
    assert refusal.value.line == line


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=400)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_damaged_files(tmp_path: Path, seed: int, skeleton: bool) -> None:
    rng = np.random.default_rng(seed)
    path = _pair(tmp_path)
    if skeleton:
        path.with_suffix(".asf").write_bytes(damaged(ASF.encode(), rng))
        only_format_errors(mw.load, path, AMC.encode())
    else:
        only_format_errors(mw.load, path, damaged(AMC.encode(), rng))
