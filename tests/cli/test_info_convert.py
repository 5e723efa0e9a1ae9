"""The verbs info and convert, and what all verbs have in common."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import samples
from motionweave.body.size import body_height
from motionweave.cli.main import main
from motionweave.cli.progress import progress
from tests.strategies import random_motion


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    path = tmp_path / "clip.bvh"
    mw.save(random_motion(np.random.default_rng(1), frames=40, joints=5, fps=40.0), path)
    return path


@pytest.mark.parametrize("words", [["--help"], ["info", "--help"], ["convert", "--help"]])
def test_help_loads_nothing_slow(words: list[str]) -> None:
    program = (
        "import sys\n"
        "from motionweave.cli.main import main\n"
        "try:\n"
        f"    main({words!r})\n"
        "except SystemExit as end:\n"
        "    assert end.code == 0\n"
        "slow = {'numpy', 'scipy', 'numba', 'matplotlib'} & set(sys.modules)\n"
        "assert not slow, slow\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


def test_info_as_json_and_as_text(clip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(clip), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["frames"] == 40
    assert facts["fps"] == pytest.approx(40.0)
    assert facts["duration"] == pytest.approx(39 / 40)
    assert facts["joints"] == 5
    assert facts["up"] == "y"
    assert main(["info", str(clip), str(clip)]) == 0
    text = capsys.readouterr().out
    assert text.count("40 frames at 40 fps: 0.97 s") == 2
    assert text.count("contacts not detected: the rig has no legs") == 2


def test_info_about_a_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    walk = samples.sample("walk")
    mw.save(walk, tmp_path / "walk.bvh")
    assert main(["info", str(tmp_path / "walk.bvh"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["roles"]["left_ankle"]
    assert facts["height"] == pytest.approx(body_height(walk.skeleton))
    assert facts["contacts_are"] == "given in walk.contacts.json"
    assert set(facts["contacts"]) == {one.kind for one in walk.constraints}
    (tmp_path / "walk.contacts.json").unlink()
    assert main(["info", str(tmp_path / "walk.bvh")]) == 0
    text = capsys.readouterr().out
    assert "contacts detected" in text
    assert "left_heel: " in text
    assert "(probably metres)" in text


def test_info_lists_several_files(clip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(clip), str(clip), "--json"]) == 0
    assert [one["file"] for one in json.loads(capsys.readouterr().out)] == [str(clip)] * 2


def test_convert_changes_rate_stretch_size_and_axis(clip: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.bvh"
    words = ["--fps", "20", "--trim", "10:30", "--units", "m:cm", "--output-up", "z"]
    assert main(["convert", str(clip), "-o", str(out), *words]) == 0
    before, after = mw.load(clip), mw.load(out, up="z")
    assert after.fps == 20.0
    assert len(after) == 11
    np.testing.assert_allclose(
        after.positions(), 100.0 * before[10:31:2].positions(), atol=1e-6 * after.skeleton.height
    )
    assert "Zposition" in out.read_text()


def test_convert_mirrors(tmp_path: Path) -> None:
    walk = samples.sample("walk_left")
    mw.save(walk, tmp_path / "walk.bvh")
    once, twice = tmp_path / "once.bvh", tmp_path / "twice.bvh"
    assert main(["convert", str(tmp_path / "walk.bvh"), "-o", str(once), "--mirror"]) == 0
    assert main(["convert", str(once), "-o", str(twice), "--mirror"]) == 0
    mirrored = mw.load(once)
    left, right = (walk.skeleton.index(name) for name in ("LeftToe", "RightToe"))
    np.testing.assert_allclose(
        mirrored.positions()[:, left], walk.positions()[:, right] * [-1, 1, 1], atol=1e-6
    )
    np.testing.assert_allclose(mw.load(twice).positions(), walk.positions(), atol=1e-6)
    kinds = [one.kind for one in walk.constraints]
    swapped = [kind.replace("left", "!").replace("right", "left") for kind in kinds]
    assert sorted(one.kind for one in mirrored.constraints) == sorted(
        kind.replace("!", "right") for kind in swapped
    )


def test_convert_corrects_the_input_rate(clip: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.bvh"
    assert main(["convert", str(clip), "-o", str(out), "--input-fps", "60"]) == 0
    assert mw.load(out).fps == 60.0
    assert len(mw.load(out)) == 40


def test_convert_carries_contacts(clip: Path, tmp_path: Path) -> None:
    motion = mw.load(clip).with_constraints([mw.Constraint(4, 20, "left_toe")])
    mw.save(motion, clip)
    out = tmp_path / "out.bvh"
    assert main(["convert", str(clip), "-o", str(out), "--fps", "20"]) == 0
    assert mw.load(out).constraints == (mw.Constraint(2, 10, "left_toe"),)


def test_convert_fills_a_folder(clip: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.bvh"
    other.write_bytes(clip.read_bytes())
    assert main(["convert", str(clip), str(other), "-o", str(tmp_path / "new")]) == 0
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["clip.bvh", "other.bvh"]


def _complaint(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line on stderr of a command that must fail with exit code 2."""
    try:
        code = main(words)
    except SystemExit as end:
        code = end.code
    assert code == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("motionweave: ")
    return lines[0]


def test_errors_are_one_line(
    clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.bvh"
    broken.write_text("HIERARCHY\nROOT a\n{\n  OFFSET 0 zero 0\n")
    assert f"{broken}, line 4" in _complaint(capsys, "info", str(broken))
    assert "no such file" in _complaint(capsys, "info", str(tmp_path / "none.bvh"))
    (tmp_path / "empty").mkdir()
    assert "folder" in _complaint(capsys, "info", str(tmp_path / "empty"))
    assert "supported: " in _complaint(capsys, "convert", str(clip), "-o", str(tmp_path / "a.xyz"))
    assert "is an input" in _complaint(capsys, "convert", str(clip), "-o", str(clip))
    out = str(tmp_path / "out.bvh")
    assert "frames 0 to 39" in _complaint(
        capsys, "convert", str(clip), "-o", out, "--trim", "10:99"
    )
    assert "such as cm:m" in _complaint(
        capsys, "convert", str(clip), "-o", out, "--units", "furlong"
    )
    assert "expected a number from" in _complaint(
        capsys, "convert", str(clip), "-o", out, "--fps", "-3"
    )
    nowhere = str(tmp_path / "no" / "out.bvh")
    assert "does not exist" in _complaint(capsys, "convert", str(clip), "-o", nowhere)
    assert "must be a folder" in _complaint(capsys, "convert", str(clip), str(clip), "-o", out)
    assert not Path(out).exists()


def test_of_several_files_the_broken_ones_are_told_and_the_others_done(
    clip: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, none = tmp_path / "broken.bvh", tmp_path / "none.bvh"
    broken.write_text("HIERARCHY\nROOT a\n{\n  OFFSET 0 zero 0\n")
    other = tmp_path / "other.bvh"
    other.write_bytes(clip.read_bytes())
    files = [str(path) for path in (broken, clip, none, other)]
    assert main(["info", *files, "--json"]) == 2
    said = capsys.readouterr()
    assert [one["file"] for one in json.loads(said.out)] == [str(clip), str(other)]
    assert [line.split(":")[1].strip() for line in said.err.splitlines()] == [
        f"{broken}, line 4",
        str(none),
    ]
    assert main(["convert", *files, "-o", str(tmp_path / "new"), "--format", "npz"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["clip.npz", "other.npz"]


def test_skeletons_named_together_with_takes_are_theirs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    take, bodies = tmp_path / "takes", tmp_path / "bodies"
    take.mkdir()
    bodies.mkdir()
    for actor, joints in (("16", 4), ("35", 6)):
        motion = random_motion(np.random.default_rng(joints), 4, joints)
        mw.save(motion, take / f"{actor}_01.amc", asf=bodies / f"{actor}.asf")
    takes = [str(path) for path in sorted(take.iterdir())]
    skeletons = [str(path) for path in sorted(bodies.iterdir())]
    assert main(["info", *skeletons, *takes, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [(Path(one["file"]).name, one["joints"]) for one in facts] == [
        ("16_01.amc", 4),
        ("35_01.amc", 6),
    ]
    # One skeleton is that of any take, whatever it is called.
    odd = bodies / "somebody.asf"
    odd.write_bytes((bodies / "16.asf").read_bytes())
    assert main(["convert", takes[0], str(odd), "-o", str(tmp_path / "out.bvh")]) == 0
    assert len(mw.load(tmp_path / "out.bvh").skeleton) == 4
    # A skeleton by itself is a clip of its rest pose.
    assert main(["info", str(odd)]) == 0


def test_warnings_are_lines_too(clip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clip.write_text(clip.read_text().replace("Frames: 40", "Frames: 44"))
    assert main(["info", str(clip)]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"motionweave: warning: {clip}: 40 frames were found, not 44 as the file says"]


def test_a_reader_who_has_seen_enough_is_no_error(clip: Path) -> None:
    program = "import sys; from motionweave.cli.main import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "info", str(clip), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 0


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_shows_only_on_a_terminal_and_only_when_slow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter(np.arange(0.0, 100.0, 0.4))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    terminal, pipe = _Terminal(), io.StringIO()
    assert list(progress(range(8), "work", stream=terminal)) == list(range(8))
    assert "work [" in terminal.getvalue()
    assert "0/8" not in terminal.getvalue()
    assert "7/8" in terminal.getvalue()
    assert terminal.getvalue().endswith(" \r")
    assert list(progress(range(8), "work", stream=pipe)) == list(range(8))
    assert pipe.getvalue() == ""
    quick = _Terminal()
    monkeypatch.setattr(time, "monotonic", lambda: 0.0)
    assert list(progress(range(8), "work", stream=quick)) == list(range(8))
    assert quick.getvalue() == ""


def test_options_of_a_reader(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clip = mw.sample("walk")
    mw.save(clip, tmp_path / "walk.glb", contacts=False)
    out = str(tmp_path / "fine.bvh")
    rate = ["--option", f"rate={2 * clip.fps}", "--option", "animation=0"]
    assert main(["convert", str(tmp_path / "walk.glb"), *rate, "-o", out]) == 0
    assert mw.load(out, contacts=False).fps == 2 * clip.fps
    assert main(["convert", out, "--option", "colour=red", "-o", str(tmp_path / "a.bvh")]) == 2
    assert "BVH files have no option 'colour'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["convert", out, "--option", "up=z", "-o", str(tmp_path / "a.bvh")])


def test_converting_does_not_say_that_a_clip_has_no_contacts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    walk = mw.sample("walk")
    mw.save(walk.with_constraints(()), tmp_path / "walk.bvh")
    assert main(["convert", str(tmp_path / "walk.bvh"), "-o", str(tmp_path / "a.bvh")]) == 0
    assert "contacts" not in capsys.readouterr().out
    words = ["convert", str(tmp_path / "walk.bvh"), "--trim", "3:3", "-o", str(tmp_path / "b.bvh")]
    assert main(words) == 0
    assert "1 frame at 30 fps" in capsys.readouterr().out
