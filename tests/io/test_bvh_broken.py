"""Broken BVH files: one FormatError that says where and why, soon and with little memory."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import threading
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import motionweave as mw
from tests.io.test_bvh_dialects import PLAIN, ROOT6


def _refusal(tmp_path: Path, text: str | bytes) -> mw.FormatError:
    path = tmp_path / "clip.bvh"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(mw.FormatError) as refusal:
        mw.load(path)
    assert refusal.value.path == str(path)
    assert "\n" not in str(refusal.value)
    return refusal.value


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", None, "empty"),
        (" \n\t\n", None, "empty"),
        (b"\0\1\2" * 100, None, "binary"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", None, "binary"),
        (PLAIN.encode("utf-16"), 1, "UTF-16"),
        ("solid cube\n", 1, "begins with HIERARCHY"),
        ("HIERARCHY\n", 2, "ends where ROOT"),
        ("HIERARCHY\nJOINT a\n", 2, "expected ROOT, found 'JOINT'"),
        (PLAIN.replace("ROOT Hips", "ROOT"), 2, "no name"),
        (PLAIN.replace("ROOT Hips\n{", "ROOT Hips\n"), 4, "expected '{'"),
        (PLAIN.replace("OFFSET 0 9 0", "OFFSET 0 9"), 5, "expected three numbers"),
        (PLAIN.replace("OFFSET 0 9 0", "OFFSET 0 nan 0"), 4, "expected three numbers"),
        (PLAIN.replace("OFFSET 0 9 0", "OFFSET 0 1e300 0"), 4, "expected three numbers"),
        (PLAIN.replace("  OFFSET 0 9 0\n", ""), 14, "'Hips' has no OFFSET"),
        (PLAIN.replace("OFFSET 0 -5 1", ""), 13, "end site of joint 'Leg' has no OFFSET"),
        (PLAIN.replace("CHANNELS 3", "CHANNELS three"), 9, "expected their number"),
        (PLAIN.replace("CHANNELS 3", "CHANNELS 4"), 10, "expected 4 names"),
        (PLAIN.replace("Xrotation Yrotation\n    End", "Wrotation\n    End"), 9, "'Wrotation'"),
        (PLAIN.replace("Yposition", "Xposition"), 5, "Xposition is given twice"),
        (PLAIN.replace("JOINT Leg", "BONE Leg"), 6, "found 'BONE'"),
        (PLAIN.replace("  }\n}", "  }\n"), 16, "MOTION comes where the end of joint 'Hips'"),
        (PLAIN.replace("  }\n}", "  }\n}\n}"), 16, "expected MOTION, found '}'"),
        (PLAIN.replace("MOTION", "ROOT b\n{\n}\nMOTION"), 16, "second ROOT"),
        (PLAIN[: PLAIN.index("MOTION")], 16, "ends before MOTION"),
        (PLAIN[: PLAIN.index("Frames")], None, "no frames"),
        (PLAIN[: PLAIN.index("1 10 3")], 18, "no frames"),
        (PLAIN.replace("Frames: 2", "Frames: two"), 17, "expected a whole number"),
        (PLAIN.replace("Frames: 2", "Frames: -2"), 17, "expected a whole number"),
        (PLAIN.replace("0.04", "fast"), 18, "expected seconds"),
        (PLAIN.replace("0.04", "0"), None, "not a number of seconds"),
        (PLAIN.replace("0.04", "-0.04"), None, "not a number of seconds"),
        (PLAIN.replace("2 10 4 11", "2 10 4"), 20, "last frame has 8 values, but there are 9"),
        (PLAIN.replace("1 10 3 10", "1 10 3"), 19, "frame 0 has 8 values, but there are 9"),
        (PLAIN.replace("1 10 3 10", "1 10 3 10 10"), 19, "frame 0 has 10 values"),
        (PLAIN.replace("40 50 60", "40 50").replace("41 51", "41 51 51"), 19, "frame 0 has 8"),
        (PLAIN[:-4], 20, "the last frame has 8 values"),
        (PLAIN.replace("41 51 61", "41 nan 61"), 20, "frame 1, joint 'Leg', Xrotation: 'nan'"),
        (PLAIN.replace("2 10 4", "2 inf 4"), 20, "frame 1, joint 'Hips', Yposition: 'inf'"),
        (PLAIN.replace("2 10 4", "2 ten 4"), 20, "'ten' is not a number"),
        (PLAIN.replace("2 10 4", "2 1,5 4"), 20, "a point, not a comma"),
        (PLAIN.replace("2 10 4", "2 1e200 4"), None, "Yposition: 1e+200 is out of range"),
        (PLAIN.replace("2 10 4", "2 1e999 4"), 20, "not a finite number"),
    ],
)
def test_line_and_reason(tmp_path: Path, text: str | bytes, line: int | None, reason: str) -> None:
    refusal = _refusal(tmp_path, text)
    assert reason in refusal.reason
    if line is not None:
        assert refusal.line == line


def test_no_channels_at_all(tmp_path: Path) -> None:
    text = PLAIN.replace(ROOT6, "").replace("CHANNELS 3 Zrotation Xrotation Yrotation", "")
    assert "no joint has a channel" in _refusal(tmp_path, text).reason


def test_folder_missing_file_and_unknown_suffix(tmp_path: Path) -> None:
    folder = tmp_path / "folder.bvh"
    folder.mkdir()
    for path, reason in [
        (folder, "folder"),
        (tmp_path / "none.bvh", "no such file"),
    ]:
        with pytest.raises(mw.FormatError, match=reason):
            mw.load(path)
    other = tmp_path / "clip.doc"
    other.write_text("x")
    with pytest.raises(mw.FormatError, match=r"\.doc.*supported: .*\.bvh"):
        mw.load(other)
    with pytest.raises(mw.FormatError, match="option 'bones'"):
        mw.load(_plain(tmp_path), bones=3)
    with pytest.raises(mw.FormatError, match="expected 'y' or 'z'"):
        mw.load(_plain(tmp_path), up="x")


def _plain(tmp_path: Path) -> Path:
    path = tmp_path / "plain.bvh"
    path.write_text(PLAIN)
    return path


# A file of more frames than it has: what follows should be frames.
_UNFINISHED = PLAIN.replace("Frames: 2", "Frames: 9")
_NESTED = "JOINT a{OFFSET 0 0 0\n"


@pytest.mark.parametrize(
    ("start", "more", "reason"),
    [
        ("", "{", "begins with HIERARCHY"),
        ("HIERARCHY\nROOT a\n{OFFSET 0 0 0\n", "{", "found '{'"),
        ("HIERARCHY\nROOT a{OFFSET 0 0 0\n", _NESTED, "more than 20000 joints"),
        ("HIERARCHY\nROOT a{OFFSET 0 0 0\n", "OFFSET 0 0 0\n", "OFFSET twice"),
        ("HIERARCHY\nROOT ", "a", "at most 1000"),
        (PLAIN, "{", "longer than 64 MB"),
        (_UNFINISHED, "{\n", "'{' is not a number"),
        (PLAIN, "\0", "binary"),
        (PLAIN, "1 ", "longer than 64 MB"),
        (_UNFINISHED, "1 2 3\n4 5 6 7\n", "frame 2 has 3 values"),
    ],
)
def test_endless_files_are_refused_early(
    tmp_path: Path, start: str, more: str, reason: str
) -> None:
    """A pipe that never ends: only a reader that stops by itself gets out of this."""
    path = tmp_path / "endless.bvh"
    os.mkfifo(path)
    written = 0

    def feed() -> None:
        nonlocal written
        block = (more * (1 + (1 << 20) // len(more))).encode()
        with contextlib.suppress(BrokenPipeError), path.open("wb") as pipe:
            pipe.write(start.encode())
            while written < 1 << 31:
                written += pipe.write(block)

    feeder = threading.Thread(target=feed)
    feeder.start()
    tracemalloc.start()
    try:
        with pytest.raises(mw.FormatError) as refusal:
            mw.load(path)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        feeder.join()
    assert reason in refusal.value.reason
    assert written < 1 << 27
    assert most < 1 << 29


def _chain(depth: int) -> str:
    header = "HIERARCHY\nROOT j0{OFFSET 0 1 0 CHANNELS 1 Yposition\n"
    header += "".join(f"JOINT j{i}{{OFFSET 0 1 0\n" for i in range(1, depth)) + "}" * depth
    return f"{header}\nMOTION\nFrames: 1\nFrame Time: 0.1\n5\n"


def test_a_chain_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.bvh"
    path.write_text(_chain(19_000))
    with pytest.raises(mw.FormatError, match="at most 1000 joints from its root"):
        mw.load(path)


def test_deep_nesting_needs_no_recursion(tmp_path: Path) -> None:
    depth = 1000
    path = tmp_path / "deep.bvh"
    path.write_text(_chain(depth))
    motion = mw.load(path, contacts=False)
    assert len(motion.skeleton) == depth
    assert motion.positions()[0, -1, 1] == depth + 4
    mw.save(motion, tmp_path / "again.bvh")
    assert mw.load(tmp_path / "again.bvh", contacts=False).skeleton == motion.skeleton


def _load_or_refuse(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", mw.QualityWarning)
        try:
            motion = mw.load(path)
        except mw.FormatError:
            return
    assert np.all(np.isfinite(motion.positions()))
    mw.save(motion, path)
    again = mw.load(path, contacts=False, up=motion.source["up"])
    assert again.skeleton.names == motion.skeleton.names
    np.testing.assert_allclose(
        again.positions(), motion.positions(), rtol=0, atol=1e-6 * _size(motion)
    )


def _size(motion: mw.Motion) -> float:
    reach = np.abs(motion.positions()).max()
    return max(float(reach), motion.skeleton.height, 1.0)


_fuzz = settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])


@_fuzz
@given(st.binary(max_size=300))
def test_random_bytes(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "clip.bvh"
    path.write_bytes(data)
    _load_or_refuse(path)
    path.write_bytes(b"HIERARCHY\nROOT a\n{\n" + data)
    _load_or_refuse(path)
    path.write_bytes(PLAIN[: PLAIN.index("1 10 3")].encode() + data)
    _load_or_refuse(path)


_keywords = "{ } HIERARCHY ROOT JOINT End Site OFFSET CHANNELS MOTION Frames: Frame Time:"
_values = "Xposition Zrotation 0 1 -1 1e9 1e8 1e-300 nan 99999999999999999999 3 6"
_words = st.sampled_from(
    [*_keywords.split(), *_values.split(), "\n", "\r", "\t", "\0", "\ufeff", "é"]
)


@_fuzz
@given(st.data())
def test_mutations_of_a_good_file(tmp_path: Path, data: st.DataObject) -> None:
    text = PLAIN
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        end = min(len(text), at + data.draw(st.integers(0, 30)))
        what = data.draw(st.sampled_from(["cut", "insert", "replace", "repeat", "truncate"]))
        if what == "cut":
            text = text[:at] + text[end:]
        elif what == "insert":
            text = f"{text[:at]} {data.draw(_words)} {text[at:]}"
        elif what == "replace":
            text = text[:at] + data.draw(_words) + text[end:]
        elif what == "repeat":
            text = text[:end] + text[at:]
        else:
            text = text[:at]
    path = tmp_path / "clip.bvh"
    path.write_bytes(text.encode())
    _load_or_refuse(path)


def _person() -> str:
    """A humanoid that walks a few frames, as text: contacts are looked for on loading."""
    from motionweave import samples
    from motionweave.io.bvh.format import write

    motion = samples.sample("walk")[:8]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "walk.bvh"
        write(motion, path)
        return path.read_text()


_PERSON = _person()


@settings(_fuzz, max_examples=150)
@given(st.data())
def test_mutations_of_a_person(tmp_path: Path, data: st.DataObject) -> None:
    tokens = _PERSON.split(" ")
    for _ in range(data.draw(st.integers(1, 6))):
        # Numbers of the header and of the first frames, mostly.
        at = data.draw(st.integers(0, len(tokens) - 1))
        tokens[at] = data.draw(
            st.sampled_from(["0", "1e12", "-1e8", "1e8", "1e-300", "180", "\n", "{"])
        )
    path = tmp_path / "clip.bvh"
    path.write_text(" ".join(tokens))
    _load_or_refuse(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: re.sub(r"OFFSET \S+ \S+ \S+", "OFFSET 0 0 0", text),
        lambda text: re.sub(r"OFFSET \S+", "OFFSET 1e8", text),
        lambda text: re.sub(r"(?m)^-?\d.*$", lambda row: re.sub(r"\S+", "0", row.group()), text),
        lambda text: re.sub(r"Frame Time: \S+", "Frame Time: 1", text),
        lambda text: re.sub(r"Frame Time: \S+", "Frame Time: 0.001", text),
        lambda text: "\n".join(text.splitlines()[:-7]),
    ],
    ids=["no lengths", "huge", "no motion", "slow", "fast", "one frame"],
)
def test_strange_persons_are_loaded_or_refused(
    tmp_path: Path, change: Callable[[str], str]
) -> None:
    path = tmp_path / "clip.bvh"
    path.write_text(change(_PERSON))
    _load_or_refuse(path)


def test_every_truncation_of_a_good_file(tmp_path: Path) -> None:
    path = tmp_path / "clip.bvh"
    for end in range(len(PLAIN)):
        path.write_text(PLAIN[:end])
        _load_or_refuse(path)
