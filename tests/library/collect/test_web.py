"""Match webs: what is of a kind, through others."""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.library.collect import links, web
from motionweave.library.collect.nodes import Node, activities, turned
from motionweave.library.engine import Here
from motionweave.library.index.features import TRACKED, ClipTrack
from motionweave.library.search.candidates import Candidate, at_tempos


def test_straight_walks_are_not_collected_for_a_turn(library: mw.Library) -> None:
    found = library.find("walks/walk_left.npz", frames=(0, 100), through_others=True, most=50)
    assert {match.clip for match in found} == {"walks/walk_left.npz"}


@pytest.fixture
def reaches(tmp_path: Path) -> mw.Library:
    """A hand that reaches up, slowly, and again and again."""
    clip = replace(mw.sample("reach_high"), constraints=())
    share = np.linspace(0.0, 1.0, len(clip))
    stirring = np.tile(np.concatenate([np.linspace(0.5, 0.35, 6), np.linspace(0.35, 0.5, 6)]), 3)
    again = np.concatenate([np.linspace(0.0, 0.5, 20), stirring, np.linspace(0.5, 1.0, 20)])
    slow = np.linspace(0.0, 1.0, round(1.3 * len(clip)))
    for name, at in (("once", share), ("slow", slow), ("again", again)):
        mw.save(clip.sample(at * (len(clip) - 1)), tmp_path / f"{name}.npz", contacts=False)
    library = mw.Library(tmp_path, executor=Here())
    library.add()
    return library


def test_what_goes_to_and_fro_more_often_is_not_collected(reaches: mw.Library) -> None:
    found = reaches.collect("once.npz")
    assert [match.clip for match in found.matches] == ["slow.npz"]


def test_what_is_similar_but_something_else_is_named(reaches: mw.Library) -> None:
    index = reaches.index
    once, slow, again = (index.number(f"{name}.npz") or 0 for name in ("once", "slow", "again"))

    def node(clip: int, cost: float) -> Node:
        # As many moments as the example has.
        path = np.linspace(0, index.counts[clip] - 1, int(index.counts[once])).astype(np.int64)
        return Node(Candidate(clip, path, cost), 0, path)

    first = activities(index, [node(once, 0.0)], TRACKED, int(index.counts[once]))
    kept = [node(slow, 0.2)]
    named = web._something_else(index, first, kept, [node(again, 0.1)], TRACKED)
    assert named == {again: "the right hand makes 8 strokes, not 2"}
    # What is farther than anything of the kind is no surprise.
    assert web._something_else(index, first, kept, [node(again, 0.3)], TRACKED) == {}


@pytest.fixture
def own(clips: Path, tmp_path: Path) -> mw.Library:
    folder = tmp_path / "clips"
    shutil.copytree(clips, folder)
    library = mw.Library(folder, executor=Here())
    library.add()
    return library


def test_the_match_web_is_kept_and_only_new_clips_are_searched(
    own: mw.Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask() -> list[tuple[str, float, float]]:
        found = own.find("jogs/jog.npz", frames=(0, 60), through_others=True, most=50)
        return [(match.clip, match.first, match.distance) for match in found]

    searched: list[int] = []

    def counted(index, example, most, *, roles, among):  # type: ignore[no-untyped-def]
        searched.append(len(index) if among is None else int(among.sum()))
        return at_tempos(index, example, most, roles=roles, among=among)

    monkeypatch.setattr(links, "at_tempos", counted)
    before = ask()
    assert searched == [8]
    assert ask() == before
    assert searched == [8]
    mw.save(mw.sample("jog", duration=6.0, speed=2.0), own.folder / "jogs/other.npz")
    (own.folder / "jogs/jog_left.npz").unlink()
    own.add()
    after = ask()
    assert searched == [8, 1]
    assert "jogs/other.npz" in {clip for clip, _, _ in after}
    fresh = mw.Library(own.folder, store=own.folder.parent / "fresh", executor=Here())
    fresh.add()
    found = fresh.find("jogs/jog.npz", frames=(0, 60), through_others=True, most=50)
    assert {match.clip for match in found} == {clip for clip, _, _ in after}


def test_a_store_of_an_older_version_is_brought_up_to_date(own: mw.Library) -> None:
    store = own.store.folder
    own.close()
    with sqlite3.connect(store / "library.db") as database:
        database.execute("DROP TABLE web")
        database.execute("PRAGMA user_version = 1")
    with mw.Library(own.folder, executor=Here()) as library:
        with pytest.raises(mw.LibraryError, match="made by an older motionweave"):
            library.find(mw.sample("punch"))
        assert str(library.add()) == "8 unchanged"
        assert library.find(mw.sample("punch"), most=1)[0].clip == "fights/punch.npz"


def test_a_number_is_not_used_again(own: mw.Library) -> None:
    newest = max(entry.id for entry in own.clips)
    path = next(entry.path for entry in own.clips if entry.id == newest)
    own.remove(path)
    own.add()
    assert own.entry(path).id == newest + 1


def test_turned_is_counted_over_whole_turns() -> None:
    heading = np.linspace(0.0, 7.0, 50)
    wrapped = (heading + np.pi) % (2 * np.pi) - np.pi
    seen = ClipTrack(np.zeros((50, 18, 3), dtype=np.float32), wrapped.astype(np.float32))
    assert abs(turned(seen) - 7.0) < 1e-5
