"""Saving when everything goes wrong: kills, full disks, links, odd names, two writers at once."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.contacts.event_files import save_events
from motionweave.contacts.states import EventTable, State
from motionweave.io.store.sidecar import save_contacts
from motionweave.methods.warping.files import Recipe, save_warp
from motionweave.studio.document.document import Document, ShelfClip
from motionweave.studio.files.project import save_project
from tests.strategies import random_motion

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
_KILLS = 50
Save = Callable[[Path], None]


def _motion(frames: int) -> mw.Motion:
    motion = random_motion(np.random.default_rng(frames), frames, 4)
    return motion.with_constraints([mw.Constraint(0, frames - 1, "left_toe")])


def _table(count: int) -> EventTable:
    return EventTable(tuple(State(float(n), frozenset({"L_et"})) for n in range(count)), "clip")


def _recipe(count: int) -> Recipe:
    return Recipe(tuple(mw.Key(float(n), "head", turn=(1.0, 2.0, 3.0)) for n in range(count)))


def _writers(size: int) -> dict[str, Save]:
    motion = _motion(size)
    document = Document((ShelfClip("c1", "clip", motion),), {})
    clips = mw.sample("walk")[: 20 + size], mw.sample("jog")[: 20 + size]
    curve = mw.register(*clips)
    return {
        "clip.bvh": lambda path: mw.save(motion, path, contacts=False),
        "clip.glb": lambda path: mw.save(motion, path, contacts=False),
        "clip.npz": lambda path: mw.save(motion, path, contacts=False),
        "clip.amc": lambda path: mw.save(motion, path, contacts=False),
        "curve.mwreg": curve.save,
        "session.mwproj": lambda path: save_project(document, path),
        "clip.contacts.json": lambda path: save_contacts(motion, path),
        "events.csv": lambda path: save_events(_table(size), path),
        "keys.json": lambda path: save_warp(_recipe(size), path),
    }


@pytest.fixture(scope="module")
def writers() -> tuple[dict[str, Save], dict[str, Save]]:
    return _writers(3), _writers(12)


def _fork(work: Callable[[], None]) -> int:
    """Start work in a process of its own, which then ends without a word."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return child


def _whole(folder: Path, name: str, saves: tuple[Save, ...]) -> set[bytes]:
    found = set()
    for save in saves:
        save(folder / name)
        found.add((folder / name).read_bytes())
    return found


def _left_over(folder: Path) -> list[str]:
    return [one.name for one in folder.iterdir() if one.name.startswith(".")]


@pytest.mark.parametrize(
    "name",
    [
        *("clip.bvh", "clip.glb", "clip.npz", "clip.amc", "curve.mwreg", "session.mwproj"),
        *("clip.contacts.json", "events.csv", "keys.json"),
    ],
)
def test_a_kill_leaves_the_old_or_the_new_file(
    tmp_path: Path, name: str, writers: tuple[dict[str, Save], dict[str, Save]]
) -> None:
    one, other = (each[name] for each in writers)
    whole = _whole(tmp_path, name, (one, other))
    assert len(whole) == 2
    rng = np.random.default_rng(0)

    def work() -> None:
        while True:
            one(tmp_path / name)
            other(tmp_path / name)

    for _ in range(_KILLS):
        child = _fork(work)
        time.sleep(float(rng.uniform(0.0, 0.012)))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert (tmp_path / name).read_bytes() in whole
    one(tmp_path / name)
    assert _left_over(tmp_path) == []


def test_what_a_dead_process_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    from motionweave.io.store import atomic

    dead = _fork(lambda: None)
    os.waitpid(dead, 0)
    swept = tmp_path / f".mw-{atomic._MACHINE}-{dead}-abc.bvh"
    kept = (
        tmp_path / f".mw-{atomic._MACHINE}-{os.getppid()}-abc.bvh",
        tmp_path / f".mw-00000000-{dead}-abc.bvh",
        tmp_path / ".hidden",
    )
    for path in (swept, *kept):
        path.write_text("x")
    mw.save(_motion(3), tmp_path / "clip.bvh")
    assert not swept.exists()
    assert all(path.exists() for path in kept)


def _again_and_again(save: Save, path: Path) -> None:
    for _ in range(20):
        save(path)


def test_two_writers_at_once(
    tmp_path: Path, writers: tuple[dict[str, Save], dict[str, Save]]
) -> None:
    for name in ("clip.bvh", "curve.mwreg"):
        saves = tuple(each[name] for each in writers)
        whole = _whole(tmp_path, name, saves)
        target = tmp_path / name
        children = [_fork(partial(_again_and_again, save, target)) for save in saves]
        for child in children:
            assert os.waitpid(child, 0)[1] == 0
        assert (tmp_path / name).read_bytes() in whole
        assert _left_over(tmp_path) == []


@pytest.mark.parametrize("name", ["clip.bvh", "clip.glb", "curve.mwreg", "session.mwproj"])
def test_a_full_disk_is_said_and_harms_nothing(
    tmp_path: Path, name: str, writers: tuple[dict[str, Save], dict[str, Save]]
) -> None:
    import resource

    one, other = (each[name] for each in writers)
    one(tmp_path / name)
    before = (tmp_path / name).read_bytes()

    def work() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))
        try:
            other(tmp_path / name)
        except mw.FormatError as error:
            os._exit(7 if "cannot be written" in str(error) else 8)

    child = _fork(work)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert (tmp_path / name).read_bytes() == before
    assert _left_over(tmp_path) == []


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs a folder that nobody can write to")
def test_a_folder_that_cannot_be_written_to(
    writers: tuple[dict[str, Save], dict[str, Save]],
) -> None:
    for name, save in writers[0].items():
        with pytest.raises(mw.FormatError, match="cannot be written"):
            save(Path("/proc") / name)


def test_output_equal_to_input(tmp_path: Path) -> None:
    path = tmp_path / "clip.bvh"
    mw.save(_motion(5), path, contacts=False)
    before = path.read_bytes()
    mw.save(mw.load(path, contacts=False), path, contacts=False)
    assert path.read_bytes() == before


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    real, link = tmp_path / "elsewhere" / "real.bvh", tmp_path / "link.bvh"
    mw.save(_motion(3), real, contacts=False)
    link.symlink_to(real)
    mw.save(_motion(5), link, contacts=False)
    assert link.is_symlink()
    assert len(mw.load(real, contacts=False)) == 5


@pytest.mark.parametrize(
    "stem",
    [
        "-rf",
        "--help",
        " two  words ",
        "歩く",
        "прогулка",
        "مشي",
        "a" * 251,
        "é" * 125,
        "x.y.z",
        "#%&",
    ],
)
def test_odd_names(tmp_path: Path, stem: str) -> None:
    path = tmp_path / f"{stem}.bvh"
    motion = _motion(3)
    mw.save(motion, path, contacts=False)
    np.testing.assert_allclose(mw.load(path, contacts=False).root, motion.root, atol=1e-6)
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_a_name_that_is_too_long_is_said(tmp_path: Path) -> None:
    with pytest.raises(mw.FormatError, match="too long"):
        mw.save(_motion(3), tmp_path / f"{'a' * 300}.bvh")
