"""Kinds, courses, and the match web that is kept."""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.library import kinds, web
from motionweave.library.candidates import Candidate, at_tempos
from motionweave.library.course import apart, courses, known
from motionweave.library.engine import Here
from motionweave.library.features import TRACKED, ClipTrack, track


def distances(points: np.ndarray) -> np.ndarray:
    return np.linalg.norm(points[:, None] - points, axis=2)


def test_a_kind_ends_where_little_lies_between() -> None:
    random = np.random.default_rng(0)
    # The other kind is nearer to the example than the far end of its own.
    wide = np.column_stack([np.linspace(0.0, 0.4, 60), 0.02 * random.standard_normal((60, 5))])
    aside = np.array([0.2, 0.25, 0.0, 0.0, 0.0, 0.0])
    other = aside + 0.03 * random.standard_normal((40, 6))
    chosen = kinds.members(distances(np.concatenate([wide, other])))
    assert chosen[:60].mean() > 0.8
    assert not chosen[60:].any()


def test_alone_is_a_kind_of_its_own() -> None:
    points = np.concatenate([np.zeros((1, 6)), np.full((9, 6), 3.0)])
    np.testing.assert_array_equal(kinds.members(distances(points)), np.arange(10) == 0)
    assert kinds.members(np.zeros((1, 1))).all()


def test_posture_size_and_speed_count_less_than_what_is_done() -> None:
    features = np.zeros((5, 10, 4))
    features[:, ::2, 0] = 0.2
    features[1] += 0.1
    features[2] *= 2.0
    # The last column is dynamics.
    features[3, ::3, 3] = 0.2
    features[4] = 0.0
    features[4, ::3, 1] = 0.2
    still = np.zeros((5, 10, 12)), np.zeros(5)
    posture, size, speed, other = kinds.registered_distances(features, *still, 3)[0, 1:]
    assert size == pytest.approx(0.0, abs=0.05)
    assert max(posture, speed) < 0.7 * other
    # Beyond bounds, size does count.
    features[2] *= 10.0
    assert kinds.registered_distances(features, *still, 3)[0, 2] > 5.0 * size


def raised(moments: int) -> np.ndarray:
    """Features ``(moments, 3)`` of a hand that is raised from rest, held, and lowered to rest."""
    share = np.linspace(0.0, 1.0, moments)
    up = np.clip(np.minimum(share, 1.0 - share) / 0.3 - 0.2, 0.0, 1.0)
    return 0.2 * np.column_stack([up * up * (3.0 - 2.0 * up), 0.0 * up, 0.0 * up])


def registered(features: np.ndarray) -> np.ndarray:
    count, moments = features.shape[:2]
    return kinds.registered_distances(features, np.zeros((count, moments, 12)), np.zeros(count))


def test_what_goes_on_where_the_example_rests_is_something_else() -> None:
    whole = raised(30)
    cut, slow = np.array(whole), np.array(whole)
    # One ends in the middle of what it does, the other differs as much while it moves.
    cut[-3:] = whole[15]
    slow[15:] += (np.linalg.norm(cut - whole) / np.linalg.norm(whole[:15])) * whole[:15][::-1]
    apart = registered(np.stack([whole, cut, slow]))[0]
    assert apart[1] > 1.5 * apart[2]
    # An example that moves at its end was cut there: then the end is like any other moment.
    moving = np.array(whole[:15])
    moving[-4:] += np.linspace(0.0, 0.2, 4)[:, None]
    other = np.array(moving)
    other[-3:, 1] += 0.1
    parts = np.stack([moving, other])
    plain = np.sqrt(np.mean(np.sum((other - other.mean(0) - moving + moving.mean(0)) ** 2, 1)))
    assert registered(parts)[0, 1] < 1.2 * plain


def test_candidates_are_found_at_any_tempo(library: mw.Library) -> None:
    kick = library.index.track(library.index.number("fights/kick_high.npz") or 0)
    for factor in (0.4, 3.0):
        example = kick.slowed(factor)
        first = at_tempos(library.index, example, 20)[0]
        assert library.clips[first.clip].path == "fights/kick_high.npz"
        assert first.tempo == (0.5 if factor > 1.0 else 2.0)
        # The ends belong together, and each moment to the one that comes that much sooner or later.
        rows = np.arange(len(first.path)) / factor
        assert np.abs(first.path - rows).max() <= 3


def test_a_course_sees_turns_and_not_where_it_is() -> None:
    left, straight = (track(mw.sample(name, duration=4.0)) for name in ("walk_left", "walk"))
    at = np.arange(40, 80)
    moved = track(mw.sample("walk_left", duration=4.0).moved(mw.Planar(1.3, 4.0, -2.0)))
    np.testing.assert_allclose(courses(left, at), courses(moved, at), atol=1e-4)
    assert np.abs(courses(left, at)[:, 11]).min() > 5 * np.abs(courses(straight, at)[:, 11]).max()


def test_headings_are_averaged_over_what_there_is() -> None:
    seen = ClipTrack(np.zeros((20, 18, 3), dtype=np.float32), np.full(20, 1.5, dtype=np.float32))
    np.testing.assert_allclose(courses(seen, np.arange(20)), 0.0, atol=1e-6)


def test_what_an_example_does_not_show_is_not_compared() -> None:
    random = np.random.default_rng(1)
    at = np.array([0, 20, 59])
    seen = known(60, at)
    np.testing.assert_array_equal(seen[0], np.repeat([0, 0, 1, 1], 3))
    np.testing.assert_array_equal(seen[2], np.repeat([1, 1, 0, 0], 3))
    wanted, others = random.standard_normal((3, 12)), random.standard_normal((5, 12))
    plain = np.array(
        [[np.sum(m * (w - o) ** 2) for o in others] for w, m in zip(wanted, seen, strict=True)]
    )
    np.testing.assert_allclose(apart(wanted, seen, others), plain, atol=1e-6)


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

    def node(clip: int, cost: float) -> web._Node:
        # As many moments as the example has.
        path = np.linspace(0, index.counts[clip] - 1, int(index.counts[once])).astype(np.int64)
        return web._Node(Candidate(clip, path, cost), 0, path)

    first = web._done(index, [node(once, 0.0)], TRACKED, int(index.counts[once]))
    kept = [node(slow, 0.2)]
    named = web._something_else(index, first, [], kept, [node(again, 0.1)], TRACKED)
    assert named == {again: "the right hand makes 8 strokes, not 2"}
    # What is farther than anything of the kind is no surprise.
    assert web._something_else(index, first, [], kept, [node(again, 0.3)], TRACKED) == {}


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

    monkeypatch.setattr(web, "at_tempos", counted)
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
    assert abs(web._turned(seen) - 7.0) < 1e-5
