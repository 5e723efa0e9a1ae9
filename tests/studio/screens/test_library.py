"""The library screen: what it finds and fills, and the code for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.errors import LibraryError
from motionweave.library.library import Library
from motionweave.studio.document.document import (
    Common,
    Document,
    ShelfClip,
    settings_from_json,
    settings_to_json,
)
from motionweave.studio.screens.library.model import (
    MARGIN,
    Found,
    LibrarySettings,
    gap_of,
    stretches,
)
from motionweave.studio.screens.library.screen import LibraryScreen
from motionweave.studio.work.problems import problem_of
from tests.studio.documents import document_with
from tests.studio.recipes import by_commands, by_python


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("clips")
    for name in ("walk", "jog", "punch", "walk_left"):
        # Larger than the example, which does not find itself.
        mw.save(mw.sample(name).scaled(1.1), place / f"{name}.npz")
    return str(place)


def asking(folder: str, **settings: object) -> Document:
    given = LibrarySettings(folder, **{"clips": ("c1",), **settings})  # type: ignore[arg-type]
    return document_with(["walk"], "library", given)


def found(document: Document) -> Found:
    details = LibraryScreen.make(document, False).details
    assert isinstance(details, Found)
    return details


def test_what_is_like_the_example_is_found_and_shown_in_step(folder: str) -> None:
    made = LibraryScreen.make(asking(folder), False)
    details = made.details
    assert details.about.startswith("4 clips")
    assert details.rows[0].name == "walk"
    assert details.rows[0].distance == pytest.approx(0.0, abs=0.02)
    assert [row.distance for row in details.rows] == sorted(row.distance for row in details.rows)
    main, example = made.looks
    assert len(example.clock) == len(main.motion)
    np.testing.assert_allclose(example.clock, np.arange(len(main.motion)), atol=1.5)
    second = found(asking(folder, chosen=1))
    row = second.rows[1]
    assert len(second.motion) == row.last - row.first + 1
    everything = stretches(asking(folder), details.rows)
    assert [len(motion) for _, motion in everything] == [
        row.last - row.first + 1 for row in details.rows
    ]


def test_words_alone_find_whole_clips(folder: str) -> None:
    made = LibraryScreen.make(asking(folder, clips=(), words="left"), False)
    assert [row.name for row in made.details.rows] == ["walk_left"]
    assert made.details.rows[0].distance is None
    assert len(made.looks) == 1
    assert LibraryScreen.missing(asking(folder, clips=()))
    assert LibraryScreen.missing(asking("", clips=("c1",)))


def on_other_rig(name: str) -> mw.Motion:
    """A built-in clip on a body whose thighs have other names."""
    motion = mw.sample(name)
    names = tuple(joint.replace("UpLeg", "Thigh") for joint in motion.skeleton.names)
    return replace(motion, skeleton=replace(motion.skeleton, names=names))


def test_only_clips_on_rigs_of_the_shelf_are_found_if_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "clips"
    folder.mkdir()
    mw.save(mw.sample("walk").scaled(1.3), folder / "larger.npz")
    mw.save(on_other_rig("walk"), folder / "other.npz")
    everything, compatible = asking(str(folder)), asking(str(folder), compatible=True)
    assert {row.name for row in found(everything).rows} == {"larger", "other"}
    # Bones of other lengths are no other rig.
    assert {row.name for row in found(compatible).rows} == {"larger"}
    recipe = LibraryScreen.recipe(compatible)
    again = by_python(recipe, tmp_path, monkeypatch)
    motion = LibraryScreen.make(compatible, False).motion
    np.testing.assert_allclose(again.rotations, motion.rotations, atol=1e-6)
    assert len(by_commands(recipe, tmp_path, monkeypatch)) == len(motion)
    # With a clip of that rig on the shelf, the other clip is compatible too.
    both = compatible.with_clip(ShelfClip("c2", "other", on_other_rig("jog")))
    assert {row.name for row in found(both).rows} == {"larger", "other"}
    none = replace(compatible, clips=(replace(compatible.clips[0], original=on_other_rig("jog")),))
    (folder / "other.npz").unlink()
    with Library(folder) as library:
        library.add()
    with pytest.raises(LibraryError, match="rig of the shelf") as raised:
        found(none)
    problem = problem_of(raised.value, "library", none)
    assert problem.remedies[0].label == "Search on all rigs"
    assert found(problem.remedies[0].apply(none)).rows


def test_nothing_found_and_no_folder_are_told(folder: str, tmp_path: Path) -> None:
    document = asking(folder, words="swim")
    with pytest.raises(LibraryError) as raised:
        LibraryScreen.make(document, False)
    problem = problem_of(raised.value, "library", document)
    assert problem.remedies[0].label == "Search without words"
    assert found(problem.remedies[0].apply(document)).rows
    # Whatever is typed as a folder is answered, not raised.
    for wrong in (str(tmp_path / "gone"), "~nobody-of-that-name/clips", "nul\0byte"):
        assert "There is no folder" in LibraryScreen.missing(asking(wrong))
    with pytest.raises(LibraryError, match="not a folder of this machine"):
        LibraryScreen.make(asking(str(tmp_path / "gone")), False)
    with pytest.raises(LibraryError, match="no clips in this folder"):
        LibraryScreen.make(asking(str(tmp_path)), False)


def test_how_much_matches_of_matches_are_alike_can_be_said(folder: str) -> None:
    # So few clips do not show what sets a walk apart, and that is told with a way out.
    document = asking(folder, through=True, alike=0.4)
    with pytest.raises(LibraryError, match="a few hundred stretches") as raised:
        found(document)
    problem = problem_of(raised.value, "library", document)
    labels = [remedy.label for remedy in problem.remedies]
    automatic = problem.remedies[labels.index("Decide what is alike automatically")]
    assert found(automatic.apply(document)).rows
    assert found(problem.remedies[labels.index("Without matches of matches")].apply(document)).rows
    # It means nothing for a part of the body, or without matches of matches.
    for without in ({"through": False}, {"part": "arms"}):
        settings = replace(document.settings["library"], **without)
        recipe = LibraryScreen.recipe(document.with_settings("library", settings))
        assert "alike" not in recipe.python + recipe.commands


def test_a_gap_is_filled_and_the_rest_stays(folder: str) -> None:
    document = asking(folder, mode="fill", gap=(30, 50))
    made = LibraryScreen.make(document, False).motion
    walk = mw.sample("walk")
    assert len(made) == len(walk)
    np.testing.assert_allclose(made.root[:30], walk.root[:30], atol=1e-9)
    np.testing.assert_allclose(made.root[51:], walk.root[51:], atol=1e-9)
    # The clip itself is in the folder: what was lost is found again.
    np.testing.assert_allclose(made.positions()[30:51], walk.positions()[30:51], atol=1e-3)


@pytest.mark.parametrize("gap", [None, (0, 5), (80, 200), (50, 40)])
def test_a_gap_leaves_room_on_both_sides(gap: tuple[int, int] | None) -> None:
    first, last = gap_of(LibrarySettings(gap=gap), 93)
    assert MARGIN <= first < last <= 92 - MARGIN


PATH = ((-0.1, 0.0), (0.0, 1.5), (0.3, 3.0), (1.0, 4.5))


def test_a_path_is_followed_in_metres_whatever_the_unit_of_the_clips(tmp_path: Path) -> None:
    for name in ("walk", "walk_left", "walk_right"):
        mw.save(mw.sample(name).scaled(100.0), tmp_path / f"{name}.npz")
    document = asking(str(tmp_path), mode="walk", clips=(), path=PATH)
    assert not LibraryScreen.missing(document)
    made = LibraryScreen.make(document, False)
    root = made.motion.root[:, [0, 2]] / 100.0
    # It begins and ends where the path does, and is never far from it.
    assert np.linalg.norm(root[0] - PATH[0]) < 0.4
    assert np.linalg.norm(root[-1] - PATH[-1]) < 0.8
    assert made.details.error < 0.25
    assert sum(row.seconds for row in made.details.rows) > 0.5 * made.motion.duration
    assert LibraryScreen.missing(asking(str(tmp_path), mode="walk", path=()))
    # Its feet are planted if they shall be, but not in the middle of a drag.
    cleaned = document.with_settings("common", Common(clean=True))
    planted = LibraryScreen.make(cleaned, False).motion
    assert len(planted) == len(made.motion)
    assert mw.quality(planted).skate_mean < 0.5 * mw.quality(made.motion).skate_mean
    assert LibraryScreen.make(cleaned, True).motion is made.motion
    assert "clean" not in LibraryScreen.recipe(cleaned).python


@pytest.mark.parametrize("mode", ["find", "fill", "walk"])
def test_copied_code_makes_the_same(
    mode: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = asking(folder, mode=mode, chosen=1, path=PATH)
    motion = LibraryScreen.make(document, False).motion
    recipe = LibraryScreen.recipe(document)
    again = by_python(recipe, tmp_path, monkeypatch)
    np.testing.assert_allclose(again.rotations, motion.rotations, atol=1e-6)
    assert len(by_commands(recipe, tmp_path, monkeypatch)) == len(motion)


def test_settings_survive_a_project(folder: str) -> None:
    settings = replace(asking(folder).settings["library"], gap=(3, 9), words="walk", path=PATH)
    assert settings_from_json(LibrarySettings, settings_to_json(settings)) == settings


def test_the_example_itself_is_not_listed(tmp_path: Path) -> None:
    for name in ("walk", "walk_left"):
        mw.save(mw.sample(name), tmp_path / f"{name}.npz")
    assert "walk" not in {row.name for row in found(asking(str(tmp_path))).rows}
