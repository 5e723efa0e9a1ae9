"""BVH as it is in the wild: one little text for each habit of some exporter."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.core import rotations
from motionweave.io.bvh import text as bvh_text
from motionweave.io.bvh.format import frame_rate

ROOT6 = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"

PLAIN = f"""HIERARCHY
ROOT Hips
{{
  OFFSET 0 9 0
  {ROOT6}
  JOINT Leg
  {{
    OFFSET 1 -4 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {{
      OFFSET 0 -5 1
    }}
  }}
}}
MOTION
Frames: 2
Frame Time: 0.04
1 10 3 10 20 30 40 50 60
2 10 4 11 21 31 41 51 61
"""


def _load(tmp_path: Path, text: str | bytes, **options: object) -> mw.Motion:
    path = tmp_path / "clip.bvh"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return mw.load(path, contacts=False, **options)


def _again(tmp_path: Path, motion: mw.Motion) -> mw.Motion:
    mw.save(motion, tmp_path / "again.bvh")
    return mw.load(tmp_path / "again.bvh", contacts=False, up=motion.source["up"])


def _same(a: mw.Motion, b: mw.Motion) -> None:
    """The same to the last bit, layout included."""
    assert a.skeleton == b.skeleton
    assert a.fps == b.fps
    np.testing.assert_array_equal(a.root, b.root)
    np.testing.assert_array_equal(a.rotations, b.rotations)
    if a.translations is None:
        assert b.translations is None
    else:
        np.testing.assert_array_equal(a.translations, b.translations)
    for key in ("channels", "names", "end_names", "frame_time", "up"):
        assert a.source[key] == b.source[key]
    np.testing.assert_array_equal(a.source["values"], b.source["values"])


def test_plain_file(tmp_path: Path) -> None:
    motion = _load(tmp_path, PLAIN)
    assert motion.skeleton.names == ("Hips", "Leg")
    assert motion.fps == 25.0
    assert motion.name == "clip"
    np.testing.assert_array_equal(motion.root, [[1, 10, 3], [2, 10, 4]])
    np.testing.assert_array_equal(motion.skeleton.end_offsets, [[0, -5, 1]])
    turn = rotations.from_euler(np.radians([40.0, 50.0, 60.0]), "ZXY")
    assert rotations.angle_between(motion.rotations[0, 1], turn) < 1e-12
    assert motion.translations is None
    assert motion.source["warnings"] == ()
    _same(motion, _again(tmp_path, motion))


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.replace("\n", "\r\n", 5),
        "\ufeff" + PLAIN,
        PLAIN.rstrip("\n"),
        PLAIN.replace("\n", "  \t\n"),
        PLAIN.replace("\n", "\n\n"),
        PLAIN.replace("  ", "\t"),
        PLAIN.replace("\n  {", " {").replace("\n{", "{").replace("\n    {", " {"),
        PLAIN.replace("\n", " ", PLAIN[: PLAIN.index("MOTION")].count("\n") - 1),
        PLAIN.replace("1 10 3 10 20", "1e0 1.0E+1 +3. 10.000 .2e2"),
        PLAIN.replace("Frame Time: 0.04", "Frame Time:\t.04"),
        PLAIN.replace("Frames: 2\nFrame Time: 0.04", "Frame Time: 0.04\nFrames:   2"),
        PLAIN.replace("1 10 3 10 20 30 ", "1 10 3 10 20 30\n"),
        PLAIN.replace("60\n2", "60 2"),
        PLAIN.replace("End Site", "End site"),
        PLAIN.replace("OFFSET 0 -5 1", "OFFSET 0 -5 1\nCHANNELS 0"),
        PLAIN.lower().replace("hips", "Hips").replace("leg", "Leg"),
        PLAIN.upper().replace("HIPS", "Hips").replace("LEG", "Leg"),
    ],
)
def test_layout_of_the_text_does_not_matter(tmp_path: Path, text: str) -> None:
    plain, motion = _load(tmp_path, PLAIN), _load(tmp_path, text)
    assert motion.skeleton == plain.skeleton
    assert motion.fps == plain.fps
    np.testing.assert_array_equal(motion.source["values"], plain.source["values"])
    np.testing.assert_array_equal(motion.positions(), plain.positions())


@pytest.mark.parametrize("order", ["".join(p) for p in itertools.permutations("XYZ")])
def test_any_order_mixed_in_one_file(tmp_path: Path, order: str) -> None:
    row = " ".join(f"{letter}rotation" for letter in order)
    text = PLAIN.replace("CHANNELS 3 Zrotation Xrotation Yrotation", f"CHANNELS 3 {row}")
    motion = _load(tmp_path, text)
    turn = rotations.from_euler(np.radians([[40.0, 50, 60], [41, 51, 61]]), order)
    assert rotations.angle_between(motion.rotations[:, 1], turn).max() < 1e-12
    hips = rotations.from_euler(np.radians([[10.0, 20, 30], [11, 21, 31]]), "ZXY")
    assert rotations.angle_between(motion.rotations[:, 0], hips).max() < 1e-12
    _same(motion, _again(tmp_path, motion))


def test_rotation_channels_before_position_channels(tmp_path: Path) -> None:
    text = PLAIN.replace(
        ROOT6, "CHANNELS 6 Yrotation Zposition Xrotation Xposition Zrotation Yposition"
    )
    motion = _load(tmp_path, text)
    np.testing.assert_array_equal(motion.root[0], [10, 30, 10])
    turn = rotations.from_euler(np.radians([1.0, 3.0, 20.0]), "YXZ")
    assert rotations.angle_between(motion.rotations[0, 0], turn) < 1e-12
    _same(motion, _again(tmp_path, motion))


def test_position_channels_replace_the_offset(tmp_path: Path) -> None:
    text = PLAIN.replace(
        "CHANNELS 3 Zrotation Xrotation Yrotation",
        "CHANNELS 4 Yposition Zrotation Xrotation Yrotation",
    )
    text = text.replace("40 50 60", "-7 0 0 0").replace("41 51 61", "-8 0 0 0")
    motion = _load(tmp_path, text)
    assert motion.translations is not None
    np.testing.assert_array_equal(motion.translations[:, 1], [[1, -7, 0], [1, -8, 0]])
    bone = np.linalg.norm(motion.positions()[:, 1] - motion.positions()[:, 0], axis=-1)
    np.testing.assert_allclose(bone, np.hypot(1, [7, 8]))
    _same(motion, _again(tmp_path, motion))


def test_positions_that_never_leave_the_offset_are_no_translations(tmp_path: Path) -> None:
    text = PLAIN.replace(
        "CHANNELS 3 Zrotation", "CHANNELS 6 Xposition Yposition Zposition Zrotation"
    )
    text = text.replace("40 50 60", "1 -4 0 40 50 60").replace("41 51 61", "1 -4 0 41 51 61")
    motion = _load(tmp_path, text)
    assert motion.translations is None
    _same(motion, _again(tmp_path, motion))


ADDED = f"""HIERARCHY
ROOT Hips
{{
  OFFSET 0 9 0
  {ROOT6}
  JOINT Thigh
  {{
    OFFSET 1 -1 0
    {ROOT6}
    JOINT Shin
    {{
      OFFSET 0 -4 0
      {ROOT6}
      JOINT Foot
      {{
        OFFSET 0 -4 0
        {ROOT6}
        End Site
        {{
          OFFSET 0 0 1
        }}
      }}
    }}
  }}
}}
MOTION
Frames: 2
Frame Time: 0.04
1 10 3 10 20 30   0 0 0 40 50 60   0 0 0 1 2 3      0 0 0 4 5 6
2 10 4 11 21 31   0 0 0 41 51 61   0 0.1 0 1 2 3    0 0 0 4 5 6
"""


def test_positions_of_bones_without_length_are_added_to_the_offset(tmp_path: Path) -> None:
    motion = _load(tmp_path, ADDED)
    joints = motion.positions()
    lengths = np.linalg.norm(np.diff(joints, axis=1), axis=-1)
    np.testing.assert_allclose(lengths, [[2**0.5, 4, 4], [2**0.5, 3.9, 4]])
    mw.save(motion, tmp_path / "again.bvh")
    assert (tmp_path / "again.bvh").read_text().splitlines()[-2].split()[6:9] == 3 * ["0.0"]
    moves = np.array(motion.translations)
    moves[:, 2, 1] -= 1.0
    for changed in (motion, motion[1:], replace(motion, translations=moves)):
        again = _again(tmp_path, changed)
        np.testing.assert_allclose(again.positions(), changed.positions(), atol=1e-6)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_joints_with_fewer_channels(tmp_path: Path, count: int) -> None:
    names = ["Yrotation", "Xrotation"][:count]
    text = PLAIN.replace(
        "CHANNELS 3 Zrotation Xrotation Yrotation", f"CHANNELS {count} {' '.join(names)}"
    )
    angles = ["40", "50"][:count]
    text = text.replace("40 50 60", " ".join(angles)).replace("41 51 61", " ".join(angles))
    motion = _load(tmp_path, text)
    turn = rotations.from_euler(np.radians([[40.0, 50.0]]), "YX")[0]
    expected = {0: rotations.IDENTITY, 1: rotations.about_axis("Y", np.radians(40)), 2: turn}[count]
    assert rotations.angle_between(motion.rotations[0, 1], expected) < 1e-12
    _same(motion, _again(tmp_path, motion))
    # A motion that no longer fits into the file's channels gets more of them.
    turned = mw.Motion(
        motion.skeleton, 25, motion.root, np.roll(motion.rotations, 1, 1), source=motion.source
    )
    again = _again(tmp_path, turned)
    np.testing.assert_allclose(again.positions(), turned.positions(), atol=1e-6)
    assert np.max(rotations.angle_between(again.rotations, turned.rotations)) < 1e-7


def test_no_channels_line_is_no_channels(tmp_path: Path) -> None:
    text = PLAIN.replace("    CHANNELS 3 Zrotation Xrotation Yrotation\n", "")
    motion = _load(tmp_path, text.replace("40 50 60", "").replace("41 51 61", ""))
    assert motion.source["channels"][1] == ()
    _same(motion, _again(tmp_path, motion))


def test_static_root_with_a_travelling_child(tmp_path: Path) -> None:
    text = PLAIN.replace(ROOT6, "CHANNELS 0").replace(
        "CHANNELS 3 Zrotation", "CHANNELS 6 Xposition Yposition Zposition Zrotation"
    )
    text = text.replace("10 20 30 40 50 60", "0 0 0").replace("11 21 31 41 51 61", "0 0 0")
    motion = _load(tmp_path, text)
    np.testing.assert_array_equal(motion.root, [[0, 9, 0], [0, 9, 0]])
    np.testing.assert_array_equal(motion.positions()[:, 1], [[1, 19, 3], [2, 19, 4]])
    _same(motion, _again(tmp_path, motion))


def test_root_offset_does_not_add_to_absolute_positions(tmp_path: Path) -> None:
    motion = _load(tmp_path, PLAIN)
    np.testing.assert_array_equal(motion.positions()[0, 0], [1, 10, 3])
    np.testing.assert_array_equal(motion.skeleton.offsets[0], [0, 9, 0])


@pytest.mark.parametrize(
    "name", ["mixamorig:Hips", "Left Upper Leg", "Hüfte", "腰", "a  b\tc", "joint.001", "End"]
)
def test_names(tmp_path: Path, name: str) -> None:
    motion = _load(tmp_path, PLAIN.replace("JOINT Leg", f"JOINT {name}"))
    assert motion.skeleton.names[1] == name
    _same(motion, _again(tmp_path, motion))


def test_names_in_an_old_encoding_keep_their_bytes(tmp_path: Path) -> None:
    data = PLAIN.replace("Leg", "Fuß").encode("latin-1")
    motion = _load(tmp_path, data)
    assert motion.skeleton.names[1] == "Fuß"
    mw.save(motion, tmp_path / "again.bvh")
    assert "JOINT Fuß".encode("latin-1") in (tmp_path / "again.bvh").read_bytes()


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("cp932", ("左ひざ", "右ひざ")),
        ("gb18030", ("左小腿", "右小腿")),
        ("big5", ("左大腿", "右大腿")),
        ("cp949", ("왼쪽무릎", "오른쪽무릎")),
    ],
)
def test_names_in_east_asian_encodings_are_read(
    tmp_path: Path, encoding: str, names: tuple[str, str]
) -> None:
    text = PLAIN.replace("ROOT Hips", f"ROOT {names[0]}").replace("JOINT Leg", f"JOINT {names[1]}")
    motion = _load(tmp_path, text.encode(encoding))
    assert motion.skeleton.names == names
    mw.save(motion, tmp_path / "again.bvh")
    assert f"JOINT {names[1]}".encode(encoding) in (tmp_path / "again.bvh").read_bytes()


def test_names_given_twice_are_told_apart_and_come_back(tmp_path: Path) -> None:
    with pytest.warns(mw.QualityWarning, match="same name"):
        motion = _load(tmp_path, PLAIN.replace("JOINT Leg", "JOINT Hips"))
    assert motion.skeleton.names == ("Hips", "Hips_2")
    mw.save(motion, tmp_path / "again.bvh")
    assert "JOINT Hips\n" in (tmp_path / "again.bvh").read_text()


def test_end_sites_named_missing_or_many(tmp_path: Path) -> None:
    motion = _load(tmp_path, PLAIN.replace("End Site", "End Left Toe"))
    assert motion.source["end_names"] == ("Left Toe",)
    _same(motion, _again(tmp_path, motion))
    end = PLAIN[PLAIN.index("    End Site") : PLAIN.index("  }\n}")]
    none = _load(tmp_path, PLAIN.replace(end, ""))
    assert len(none.skeleton.end_parents) == 0
    _same(none, _again(tmp_path, none))
    # One on the root after its child, and two on the leg.
    many = PLAIN.replace(end, end + end.replace("-5", "-6")).replace(
        "  }\n}", "  }\n  End Tail\n  {\n OFFSET 0 0 -3\n }\n}"
    )
    motion = _load(tmp_path, many)
    np.testing.assert_array_equal(motion.skeleton.end_parents, [1, 1, 0])
    _same(motion, _again(tmp_path, motion))


@pytest.mark.parametrize(("said", "found"), [("Frames: 7", 2), ("Frames: 1", 2), ("", 2)])
def test_other_number_of_rows_than_announced(tmp_path: Path, said: str, found: int) -> None:
    with pytest.warns(mw.QualityWarning, match="2 "):
        motion = _load(tmp_path, PLAIN.replace("Frames: 2", said))
    assert len(motion) == found
    assert motion.source["warnings"]


@pytest.mark.parametrize(
    ("written", "rate"),
    [
        (".0083333", 120.0),
        ("0.008333", 120.0),
        ("0.033333", 30.0),
        ("0.0333333333", 30.0),
        ("0.0333", 30.0),
        ("0.016667", 60.0),
        ("0.0416667", 24.0),
        ("0.0333667", 1 / 0.0333667),  # 29.97: not a rounded 1/30
        ("0.001", 1000.0),
        ("1", 1.0),
        ("1.0", 1.0),
        ("4e-2", 25.0),
        ("0.033", 1 / 0.033),  # too coarse to tell
    ],
)
def test_frame_rate_meant_by_a_frame_time(tmp_path: Path, written: str, rate: float) -> None:
    assert frame_rate(written) == rate
    motion = _load(tmp_path, PLAIN.replace("0.04", written))
    again = _again(tmp_path, motion)
    assert again.source["frame_time"] == written
    assert again.fps == motion.fps == rate


def test_fps_override_and_missing_frame_time(tmp_path: Path) -> None:
    assert _load(tmp_path, PLAIN, fps=50).fps == 50.0
    missing = PLAIN.replace("Frame Time: 0.04\n", "")
    with pytest.raises(mw.FormatError, match="fps="):
        _load(tmp_path, missing)
    motion = _load(tmp_path, missing, fps=48)
    mw.save(motion, tmp_path / "again.bvh")
    assert mw.load(tmp_path / "again.bvh", contacts=False).fps == pytest.approx(48, abs=1e-12)


def test_gimbal_lock_keeps_the_angles_of_the_file(tmp_path: Path) -> None:
    text = PLAIN.replace("40 50 60", "17 90 23").replace("41 51 61", "18 90 22")
    _same(_load(tmp_path, text), _again(tmp_path, _load(tmp_path, text)))


def test_full_turns_between_frames_are_taken_out(tmp_path: Path) -> None:
    text = PLAIN.replace("40 50 60", "179.5 50 300").replace("41 51 61", "-179.25 51 -59")
    motion = _load(tmp_path, text)
    again = _again(tmp_path, motion)
    np.testing.assert_allclose(again.source["values"][:, 6:], [[179.5, 50, 300], [180.75, 51, 301]])
    assert np.max(rotations.angle_between(motion.rotations, again.rotations)) < 1e-12


def test_a_trimmed_or_moved_clip_keeps_the_angles_of_the_file(tmp_path: Path) -> None:
    # 100 degrees in the middle: the same rotation has another, more usual, set of angles.
    motion = _load(tmp_path, PLAIN.replace("41 51 61", "41 100 61"))
    cut = _again(tmp_path, motion[1:])
    np.testing.assert_array_equal(cut.source["values"], motion.source["values"][1:])
    moved = _again(tmp_path, motion.moved(mw.Planar(0.5, 1.0, 2.0)))
    np.testing.assert_array_equal(moved.source["values"][:, 6:], motion.source["values"][:, 6:])
    np.testing.assert_allclose(
        moved.positions(), motion.moved(mw.Planar(0.5, 1.0, 2.0)).positions(), atol=1e-6
    )


def _z_up(text: str) -> str:
    """The plain file with y and z exchanged as a z-up exporter would write it."""
    text = text.replace("OFFSET 0 9 0", "OFFSET 0 0 9").replace("OFFSET 1 -4 0", "OFFSET 1 0 -4")
    text = text.replace("OFFSET 0 -5 1", "OFFSET 0 -1 -5")
    for upper, lower in (("Y", "Z"), ("Z", "Y")):
        text = text.replace(f"{upper}rotation", f"{lower}!rotation")
        text = text.replace(f"{upper}position", f"{lower}!position")
    return text.replace("!", "")


def test_z_up_is_turned_and_turned_back(tmp_path: Path) -> None:
    # Standing: turned about the vertical only, which is Y in one file and Z in the other.
    standing = PLAIN.replace("10 20 30 40 50 60", "0 0 30 0 0 60")
    standing = standing.replace("11 21 31 41 51 61", "0 0 31 0 0 61")
    expected = _load(tmp_path, standing)
    assert expected.source["up"] == "y"
    # z-up (x, y, z) is y-up (x, z, -y): the file travels towards -y where the other goes to +z.
    rows = _z_up(standing).replace("1 10 3 ", "1 10 -3 ").replace("2 10 4 ", "2 10 -4 ")
    motion = _load(tmp_path, rows)
    assert motion.source["up"] == "z"
    assert motion.skeleton == expected.skeleton
    np.testing.assert_allclose(motion.positions(), expected.positions(), atol=1e-12)
    _same(motion, _again(tmp_path, motion))
    as_told = _load(tmp_path, rows, up="y")
    assert as_told.source["up"] == "y"
    np.testing.assert_array_equal(as_told.root[0], [1, -3, 10])
    # Written with another vertical, it is still the same motion.
    mw.save(motion, tmp_path / "turned.bvh", up="y")
    np.testing.assert_allclose(
        mw.load(tmp_path / "turned.bvh", up="y", contacts=False).positions(),
        motion.positions(),
        atol=1e-6,
    )


@pytest.mark.parametrize("block", [1, 7, 30, 1000])
def test_large_files_are_read_in_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    rows = PLAIN[PLAIN.index("1 10 3") :]
    text = PLAIN.replace("Frames: 2", "Frames: 400") + 199 * rows
    whole = _load(tmp_path, text)
    monkeypatch.setattr(bvh_text, "_BLOCK", block)
    # So that most of the rows lie beyond what is read for the header.
    monkeypatch.setattr(bvh_text, "_LONGEST_HEADER", text.index("MOTION") + 30)
    for ends in ("\n", "\r\n"):
        parts = _load(tmp_path, text.replace("\n", ends))
        np.testing.assert_array_equal(parts.source["values"], whole.source["values"])
    bad = text[:-12] + "x" + text[-12:]
    with pytest.raises(mw.FormatError, match="frame 399") as refusal:
        _load(tmp_path, bad)
    assert refusal.value.line == text.count("\n")


@pytest.mark.parametrize(
    "trailer",
    [
        "3 1 29 59\n2 1 59\n",  # keys of each joint, as pose editors keep them
        "1 0\n" * 9,  # as many numbers as two frames have
        "eterm##$\x07:\n1 2 3\n",
        "Properties\n",
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_what_an_editor_adds_after_the_last_frame_is_left_out(
    tmp_path: Path, trailer: str, ends: str
) -> None:
    plain = _load(tmp_path, PLAIN)
    with pytest.warns(mw.QualityWarning, match=r"what follows the frames, from line 21 on"):
        motion = _load(tmp_path, (PLAIN + trailer).replace("\n", ends))
    np.testing.assert_array_equal(motion.source["values"], plain.source["values"])


def test_frames_beyond_the_stated_number_are_frames(tmp_path: Path) -> None:
    with pytest.warns(mw.QualityWarning, match="2 frames were found, not 1"):
        motion = _load(tmp_path, PLAIN.replace("Frames: 2", "Frames: 1"))
    assert len(motion) == 2
