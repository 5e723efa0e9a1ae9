"""The store: what is new, changed, moved, gone, broken; kills, locks and foreign folders."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.library.engine import Here
from motionweave.library.index import adding
from motionweave.library.index.reading import digest_of
from motionweave.library.index.store import Store
from tests.library.kills import kill_adding, make_clips


@pytest.fixture
def folder(clips: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(clips, tmp_path / "clips"))


def test_adding_is_incremental_and_notices_every_change(folder: Path) -> None:
    library = mw.Library(folder, executor=Here())
    first = library.add()
    assert len(first.added) == 8
    assert library.add().unchanged == 8

    (folder / "walks/walk.npz").rename(folder / "walks/stroll.npz")
    (folder / "fights/punch.npz").unlink()
    os.utime(folder / "jogs/jog.npz")
    mw.save(mw.sample("walk", speed=1.2), folder / "walks/walk_left.npz", contacts=False)
    (folder / "walks/noise.bvh").write_text("HIERARCHY nonsense")
    report = library.add()
    assert report.moved == ("walks/stroll.npz",)
    assert report.removed == ("fights/punch.npz",)
    assert report.changed == ("walks/walk_left.npz",)
    assert report.added == ()
    # Of the eight one is gone, one changed, one moved: every clip is counted once.
    assert report.unchanged == 5
    assert list(report.broken) == ["walks/noise.bvh"]
    # The report names the file; the reason does not once more.
    assert str(folder) not in report.broken["walks/noise.bvh"]
    assert len(library) == 7
    assert library.find(words="stroll")[0].clip == "walks/stroll.npz"
    again = library.add()
    assert again.unchanged == 7
    assert list(again.broken) == ["walks/noise.bvh"]


def test_a_grown_and_shrunk_library_is_the_same_as_a_fresh_one(
    folder: Path, tmp_path: Path
) -> None:
    grown = mw.Library(folder, store=tmp_path / "a", executor=Here())
    grown.add(folder / "walks")
    grown.add()
    grown.remove(folder / "walks/walk.npz", folder / "jogs")
    assert grown.remove("fights") == ("fights/kick_high.npz", "fights/punch.npz")
    grown.add()
    fresh = mw.Library(folder, store=tmp_path / "b", executor=Here())
    fresh.add()
    assert {e.path for e in grown.clips} == {e.path for e in fresh.clips}
    for entry in fresh.clips:
        numbers = [one.index.number(entry.path) for one in (grown, fresh)]
        tracks = [
            one.index.track(number or 0)
            for one, number in zip((grown, fresh), numbers, strict=True)
        ]
        np.testing.assert_array_equal(tracks[0].points, tracks[1].points)


def test_words_come_from_folders_names_and_catalogues(folder: Path) -> None:
    (folder / "catalog.csv").write_text("file,description\nfights/punch.npz,a mighty blow\n")
    library = mw.Library(folder, executor=Here())
    library.add()
    assert [m.clip for m in library.find(words="mighty fights")] == ["fights/punch.npz"]
    assert {m.clip for m in library.find(words="left")} == {
        "walks/walk_left.npz",
        "jogs/jog_left.npz",
    }


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
def test_killed_at_any_moment_the_store_opens_and_goes_on(tmp_path: Path) -> None:
    make_clips(tmp_path / "source", 8)
    assert kill_adding(tmp_path / "source", tmp_path, kills=8).kills == 8


def test_a_tail_that_was_never_committed_is_written_over(folder: Path) -> None:
    library = mw.Library(folder, executor=Here())
    library.add(folder / "walks")
    before = library.index.track(0).points.copy()
    for array in (folder / ".motionweave").glob("*.f32"):
        with open(array, "ab") as file:
            file.write(b"\x7f" * 1001)
    library.add()
    np.testing.assert_array_equal(library.index.track(0).points, before)
    assert all(np.isfinite(library.index.track(n).points).all() for n in range(8))


def test_one_writes_while_others_read(folder: Path) -> None:
    library = mw.Library(folder, executor=Here())
    library.add(folder / "walks")
    reader = mw.Library(folder)
    assert len(reader) == 4
    with (
        library.store.writing(),
        pytest.raises(mw.LibraryError, match="another process is writing"),
    ):
        mw.Library(folder, executor=Here()).add()
    with library.store.writing():
        # What costs time is not thrown away because it cannot be kept.
        assert len(reader.graph(tolerance=2.0)) > 0
    library.add()
    assert len(reader) == 8


def test_what_is_not_a_library_is_refused_in_one_line(folder: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "letters.txt").write_text("dear")
    with pytest.raises(mw.LibraryError, match="contains other files"):
        mw.Library(folder, store=foreign)

    other = tmp_path / "other"
    other.mkdir()
    database = sqlite3.connect(other / "library.db")
    database.execute("CREATE TABLE recipes (name TEXT)")
    database.commit()
    with pytest.raises(mw.LibraryError, match="another program"):
        mw.Library(folder, store=other)

    noise = tmp_path / "noise"
    noise.mkdir()
    (noise / "library.db").write_bytes(b"not a database, but long enough to look at" * 40)
    with pytest.raises(mw.LibraryError, match="not a motion library"):
        mw.Library(folder, store=noise)

    newer = Store(tmp_path / "newer")
    newer.database.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(mw.LibraryError, match="version 99, made by a newer motionweave"):
        mw.Library(folder, store=tmp_path / "newer")


def test_the_folder_of_a_library_is_forgotten_from_inside_it_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = mw.Library(folder, executor=Here())
    library.add()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(mw.LibraryError, match="no such clip"):
        library.remove(".")
    monkeypatch.chdir(folder)
    assert len(library.remove(".")) == 8
    assert len(library) == 0


def test_a_clip_that_disappeared_is_named(folder: Path) -> None:
    library = mw.Library(folder, executor=Here())
    library.add()
    (folder / "jogs/jog.npz").unlink()
    with pytest.raises(mw.LibraryError, match=r"jogs/jog\.npz: the clip is no longer where"):
        library.load("jogs/jog.npz")


def test_a_clip_that_changed_is_loaded_anew(folder: Path) -> None:
    library = mw.Library(folder, executor=Here())
    library.add()
    before = len(library.load("jogs/jog.npz"))
    mw.save(mw.sample("jog", duration=3.0), folder / "jogs/jog.npz", contacts=False)
    library.add()
    assert len(library.load("jogs/jog.npz")) < before


def test_only_whoever_loads_a_whole_clip_is_told_what_is_doubtful_about_its_file(
    folder: Path, recwarn: pytest.WarningsRecorder
) -> None:
    jog = mw.sample("jog", duration=6.0)
    thrown = np.array(jog.root)
    thrown[:2, 0] += 5.0 * thrown[0, 1]
    mw.save(replace(jog, root=thrown), folder / "jogs/jog.npz", contacts=False)
    library = mw.Library(folder, executor=Here())
    library.add()
    found = library.find("jogs/jog_left.npz", frames=(40, 90), most=20)
    assert next(one for one in found if one.clip == "jogs/jog.npz").load()
    assert library.collect("jogs/jog.npz", frames=(40, 90)).examples
    assert not recwarn.list
    for _ in range(2):
        with pytest.warns(mw.QualityWarning, match=r"jog\.npz: from frame 1 to the next"):
            library.load("jogs/jog.npz")


def test_clips_that_disappear_while_they_are_added_do_not_stop_the_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = mw.Library(folder, executor=Here())
    library.add(folder / "walks")
    listed = adding._files

    def vanishing(sources: Iterable[Path]) -> Iterator[Path]:
        for path in list(listed(sources)):
            if path.name == "punch.npz":
                path.unlink()
            yield path

    def too_late(path: Path) -> str:
        path.unlink()
        return digest_of(path)

    os.utime(folder / "walks/walk.npz")
    with monkeypatch.context() as patched:
        patched.setattr(adding, "_files", vanishing)
        patched.setattr(adding, "digest_of", too_late)
        report = library.add()
    assert report.added == ("fights/kick_high.npz", "jogs/jog.npz", "jogs/jog_left.npz")
    assert list(report.broken) == ["walks/walk.npz"]
    assert "No such file" in report.broken["walks/walk.npz"]
    assert library.add().broken == {}
    assert len(library) == 6


def test_a_disk_without_room_for_a_lock_is_reported_in_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        def execute(self, statement: str) -> None:
            raise sqlite3.OperationalError("database or disk is full")

        def close(self) -> None:
            pass

    library = mw.Library(folder, executor=Here())
    library.add()
    with monkeypatch.context() as patched:
        patched.setattr(sqlite3, "connect", lambda *_, **__: Full())
        with pytest.raises(mw.LibraryError, match="the disk is full"):
            library.remove("walks")
    assert len(library.remove("walks")) == 4


def test_a_library_that_may_only_be_read_is_searched(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with mw.Library(folder, executor=Here()) as library:
        library.add()
    before = {path.name: path.read_bytes() for path in library.store.folder.iterdir()}
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with mw.Library(folder, executor=Here()) as library:
        assert library.find(mw.sample("punch"), most=1)[0].clip == "fights/punch.npz"
        assert len(library.collect("walks/walk.npz", frames=(0, 40))) > 0
        assert len(library.graph(tolerance=2.0)) > 0
        with pytest.raises(mw.LibraryError, match="can only be read"):
            library.add()
    assert before == {path.name: path.read_bytes() for path in library.store.folder.iterdir()}


def test_a_full_disk_costs_nothing_that_was_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from motionweave.library.index import store

    library = mw.Library(folder, executor=Here())
    library.add(folder / "walks")

    def full(self: object, rows: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(store._Tail, "write", full)
        with pytest.raises(mw.LibraryError, match="the disk is full"):
            library.add()
    assert len(library) == 4
    library.add()
    assert len(library) == 8


def test_processes_give_what_this_process_gives(folder: Path, tmp_path: Path) -> None:
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(2) as pool:
        many = mw.Library(folder, store=tmp_path / "many", executor=pool)
        many.add()
    one = mw.Library(folder, store=tmp_path / "one", executor=Here())
    one.add()
    for name in ("points-0.f32", "features-1.f32"):
        files = [tmp_path / which / name for which in ("many", "one")]
        assert files[0].read_bytes() == files[1].read_bytes()
