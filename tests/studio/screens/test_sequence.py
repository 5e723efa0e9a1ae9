"""Sequences: blocks, seams, what is made of them, and the code for it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from motionweave.body.mirror import mirror
from motionweave.body.pose.heading import facing
from motionweave.clips import save
from motionweave.errors import BlendError, FormatError, LibraryError
from motionweave.methods.blending.transition import transition
from motionweave.methods.layering import layer
from motionweave.methods.subspace.transition import spline_transition
from motionweave.samples.clips import sample
from motionweave.studio.document.document import (
    Document,
    ShelfClip,
    settings_from_json,
    settings_to_json,
)
from motionweave.studio.page.placement import in_sequence, on_shelf
from motionweave.studio.screens.library.model import LibrarySettings
from motionweave.studio.screens.sequence.drawing import drawn
from motionweave.studio.screens.sequence.model import (
    LEAST,
    MOST_BLOCKS,
    Block,
    ChosenSeam,
    Over,
    SequenceSettings,
    inside,
    parts_of,
)
from motionweave.studio.screens.sequence.screen import SequenceScreen
from motionweave.studio.view.result import NewClip
from motionweave.studio.work.jobs import attempt, tell
from motionweave.studio.work.problems import problem_of
from motionweave.studio.work.remarks import Remark
from tests.studio.documents import document_with
from tests.studio.recipes import by_commands, by_python

THREE = SequenceSettings((Block("b1", "c1"), Block("b2", "c2"), Block("b3", "c3")))
NAMES = ("walk", "jog", "sneak")


def made_of(settings: SequenceSettings, *, clean: bool = False) -> Document:
    return document_with(NAMES, "sequence", settings, clean=clean)


def test_a_sequence_is_what_the_library_joins() -> None:
    made = SequenceScreen.make(made_of(THREE), False)
    expected = transition(*(sample(name) for name in NAMES), clean=False)
    np.testing.assert_array_equal(made.motion.rotations, expected.rotations)
    picture = drawn(made.details.parts, made.details.made, THREE)
    # Blocks cover the whole, and overlap in the seams.
    starts, ends = zip(*((one["start"], one["end"]) for one in picture.blocks), strict=True)
    assert starts[0] == 0.0
    assert ends[-1] == pytest.approx(picture.length, abs=1e-3)
    for seam, left, right in zip(
        picture.seams, picture.blocks[:-1], picture.blocks[1:], strict=True
    ):
        assert (seam["start"], seam["end"]) == (right["start"], left["end"])


def test_blocks_are_trimmed_mirrored_and_faster() -> None:
    block = Block("b2", "c2", trim=(10, 60), speed=1.5, mirrored=True)
    settings = THREE.with_block(block)
    made = SequenceScreen.make(made_of(settings), False)
    jog = mirror(sample("jog")[10:61]).faster(1.5)
    expected = transition(sample("walk"), jog, sample("sneak"), clean=False)
    np.testing.assert_array_equal(made.motion.rotations, expected.rotations)
    part = parts_of(made_of(settings))[1]
    assert part.own_frame(0.0) == 10.0
    assert part.played_frame(part.own_frame(7.0)) == pytest.approx(7.0)


def test_a_clip_may_be_there_twice_and_one_block_is_the_clip_itself() -> None:
    twice = SequenceSettings((Block("b1", "c1"), Block("b2", "c1")))
    assert len(SequenceScreen.make(made_of(twice), False).motion) > len(sample("walk"))
    alone = SequenceScreen.make(made_of(SequenceSettings((Block("b1", "c1"),))), False)
    np.testing.assert_array_equal(alone.motion.root, sample("walk").root)


def test_another_body_is_brought_once_and_told_every_time() -> None:
    child = ShelfClip("c4", "child", sample("jog").scaled(0.7), "file", "child.bvh")
    document = made_of(SequenceSettings((Block("b1", "c1"), Block("b2", "c4")))).with_clip(child)
    heard = []
    for _ in range(2):
        outcome = attempt(lambda: SequenceScreen.make(document, False))
        assert outcome.value is not None
        expected = transition(sample("walk"), child.motion, clean=False)
        np.testing.assert_array_equal(outcome.value.motion.rotations, expected.rotations)
        heard.append(outcome.remarks)
    assert heard[0] == heard[1]
    # What was heard when a thing was new is told again when it is remembered.
    again = attempt(lambda: tell([Remark("of another body")]))
    assert again.remarks == (Remark("of another body"),)


def test_a_chosen_seam_holds_while_its_blocks_are_neighbours() -> None:
    seam = ChosenSeam(("b1", "b2"), (60.0, 20.0), 0.3)
    settings = THREE.with_seam(seam)
    made = SequenceScreen.make(made_of(settings), False).details.made
    assert made.junctions[0].frames == (60.0, 20.0)
    elsewhere = settings.moved("b2", 2)
    assert [block.id for block in elsewhere.blocks] == ["b1", "b3", "b2"]
    assert elsewhere.seam("b1", "b3") == ChosenSeam(("b1", "b3"))
    assert elsewhere.moved("b2", 1).seam("b1", "b2") == seam
    assert settings.without("b2").seams == ()
    assert settings.with_seam(ChosenSeam(("b1", "b2"))).seams == ()


@pytest.mark.parametrize("trim", [None, (0, 5), (50, 51), (400, 600), (30, 20)])
def test_a_trim_stays_inside_a_clip_that_was_cut_since(trim: tuple[int, int] | None) -> None:
    first, last = inside(trim, 40)
    assert 0 <= first <= last - LEAST + 1
    assert last <= 39


def test_a_clip_that_left_the_shelf_leaves_the_sequence() -> None:
    document = made_of(THREE).without_clip("c2")
    assert [part.clip.id for part in parts_of(document)] == ["c1", "c3"]
    SequenceScreen.make(document, False)
    assert SequenceScreen.missing(Document((), document.settings))


def test_seams_too_near_to_each_other_are_told_and_mended() -> None:
    settings = THREE.with_seam(ChosenSeam(("b1", "b2"), (60.0, 40.0)))
    document = made_of(settings.with_seam(ChosenSeam(("b2", "b3"), (20.0, 40.0))))
    with pytest.raises(BlendError) as raised:
        SequenceScreen.make(document, False)
    problem = problem_of(raised.value, "sequence", document)
    assert problem.sentence == "Two seams are too near to each other."
    mended = problem.remedies[0].apply(document)
    assert SequenceScreen.make(mended, False).motion.duration > 3.0


EDITED = (
    THREE.with_block(Block("b2", "c2", trim=(5, 60), speed=0.8, mirrored=True))
    .with_seam(ChosenSeam(("b1", "b2"), (70.0, 20.0)))
    .with_seam(ChosenSeam(("b2", "b3"), None, 0.3))
)


@pytest.mark.parametrize("settings", [EDITED, replace(THREE, keep="all")], ids=["edited", "whole"])
def test_copied_code_makes_the_same(
    settings: SequenceSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = made_of(settings)
    motion = SequenceScreen.make(document, False).motion
    recipe = SequenceScreen.recipe(document)
    again = by_python(recipe, tmp_path, monkeypatch)
    assert len(again) == len(motion)
    np.testing.assert_allclose(again.rotations, motion.rotations, atol=1e-4)
    # Contacts are found anew in files of parts of clips, which moves the feet a little.
    assert abs(len(by_commands(recipe, tmp_path, monkeypatch)) - len(motion)) <= 2


def test_settings_survive_a_project() -> None:
    settings = EDITED.with_seam(ChosenSeam(("b2", "b3"), kind="fill", gap=0.8, bias=-0.5))
    data = settings_to_json(settings)
    assert settings_from_json(SequenceSettings, data) == settings
    # Older projects know transitions alone.
    for name in ("kind", "gap", "degree", "length", "bias"):
        del data["seams"][1][name]
    again = settings_from_json(SequenceSettings, data)
    assert again.seam("b2", "b3") == ChosenSeam(("b2", "b3"))
    data["seams"][1]["kind"] = "magic"
    with pytest.raises(FormatError, match="magic"):
        settings_from_json(SequenceSettings, data)


SWUNG = THREE.with_seam(ChosenSeam(("b1", "b2"), kind="spline"))


def test_a_spline_between_two_blocks_is_that_of_the_library() -> None:
    settings = SequenceSettings(THREE.blocks[:2], SWUNG.seams)
    details = SequenceScreen.make(made_of(settings), False).details
    expected = spline_transition(sample("walk"), sample("jog"), clean=False)
    np.testing.assert_array_equal(details.made.motion.rotations, expected.rotations)
    (seam,) = drawn(details.parts, details.made, settings).seams
    assert seam["words"].startswith("spline from walk into jog")
    # A spline leads from the frame at which one block is left to the one at which the next is
    # entered, and these are what its ends choose.
    assert seam["ends"] == ["b1", "b2"]
    first, second = drawn(details.parts, details.made, settings).blocks
    assert (first["end"], second["start"]) == (seam["start"], seam["end"])
    (bridge,) = details.bridges
    fps = details.made.motion.fps
    assert first["end"] == pytest.approx(bridge.leave / fps, abs=1e-4)
    left = len(sample("jog")) - 1 - bridge.enter
    assert second["end"] - second["start"] == pytest.approx(left / fps, abs=1e-4)


def test_a_spline_is_as_long_and_swings_as_its_seam_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seam = ChosenSeam(("b1", "b2"), kind="spline", degree=6, length=2.0, bias=-0.5)
    document = made_of(SequenceSettings(THREE.blocks[:2], (seam,)))
    made = SequenceScreen.make(document, False)
    expected = spline_transition(
        sample("walk"), sample("jog"), degree=6, length=2.0, bias=-0.5, clean=False
    )
    np.testing.assert_array_equal(made.motion.rotations, expected.rotations)
    natural = SequenceScreen.make(made_of(SequenceSettings(THREE.blocks[:2], SWUNG.seams)), False)
    assert len(natural.motion) != len(made.motion)
    assert made.details.bridge(0).spline_length == pytest.approx(2.0)
    assert made.details.bridge(1) is None
    recipe = SequenceScreen.recipe(document)
    assert "degree=6, length=2, bias=-0.5" in recipe.python
    again = by_python(recipe, tmp_path, monkeypatch)
    np.testing.assert_allclose(again.positions(), made.motion.positions(), atol=1e-4)
    assert abs(len(by_commands(recipe, tmp_path, monkeypatch)) - len(again)) <= 3
    # Beside a transition it is the same spline of the two blocks that meet.
    beside = SequenceScreen.make(made_of(replace(THREE, seams=(seam,))), False).details
    assert beside.bridge(0).spline_length == pytest.approx(2.0, rel=0.02)
    assert "degree" not in SequenceScreen.recipe(made_of(SWUNG)).python


@pytest.mark.parametrize("which", [0, 1], ids=["first", "second"])
def test_a_spline_beside_a_transition_cuts_no_other_block(which: int) -> None:
    pair = ("b1", "b2") if which == 0 else ("b2", "b3")
    settings = THREE.with_seam(ChosenSeam(pair, kind="spline"))
    made = SequenceScreen.make(made_of(settings), False).details.made
    (first, second), last = made.seams, len(made.motion) - 1
    assert 0 < first[0] <= first[1] <= second[0] <= second[1] < last
    # Outside of seams every block plays its own frames, in order.
    jog = sample("jog")
    between = made.motion[first[1] + 6 : second[0] - 5].rotations[:, 1:]
    begin = int(np.argmin(np.abs(jog.rotations[:, 1:] - between[0]).max(axis=(1, 2))))
    np.testing.assert_allclose(between, jog.rotations[begin : begin + len(between), 1:], atol=1e-6)
    # Told in frames of the blocks: what is left of each is what comes before and after.
    leave = made.junctions[which].frames[0]
    enter = made.junctions[which].frames[1]
    assert 0.0 <= leave <= len(parts_of(made_of(settings))[which].motion) - 1
    assert 0.0 <= enter <= len(parts_of(made_of(settings))[which + 1].motion) - 1
    if which == 0:
        assert first[0] == leave
    else:
        assert last - second[1] == len(sample("sneak")) - 1 - enter


def test_a_spline_that_cuts_half_of_a_block_says_so() -> None:
    pair = ChosenSeam(("b1", "b2"), kind="spline", length=1.0)
    for blocks in (THREE.blocks[:2], THREE.blocks):
        settings = SequenceSettings(blocks, (pair,))
        document = document_with(("jab", "landing", "walk"), "sequence", settings)
        said = attempt(partial(SequenceScreen.make, document, False)).warnings
        assert sum("jab to landing: about half of a clip" in one for one in said) == 1


def test_a_spline_between_whole_clips_cuts_neither() -> None:
    settings = replace(SWUNG, keep="all")
    made = SequenceScreen.make(made_of(settings), False).details.made
    walk, seam = sample("walk"), made.seams[0]
    assert made.junctions[0].frames == (len(walk) - 1, 0.0)
    assert seam[0] == len(walk) - 1


def test_a_spline_may_not_reach_into_the_seams_beside_it() -> None:
    settings = SWUNG.with_seam(ChosenSeam(("b1", "b2"), (60.0, 500.0), kind="spline"))
    document = made_of(settings)
    with pytest.raises(BlendError, match="jog") as raised:
        SequenceScreen.make(document, False)
    problem = problem_of(raised.value, "sequence", document)
    assert problem.sentence == "Two seams are too near to each other."
    labels = [remedy.label for remedy in problem.remedies]
    assert labels[:2] == ["Use the best places", "Use transitions everywhere"]
    for remedy in problem.remedies[:2]:
        SequenceScreen.make(remedy.apply(document), False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("clips")
    for name in ("walk", "walk_left"):
        save(sample(name), place / f"{name}.npz")
    return str(place)


FILLED = THREE.with_seam(ChosenSeam(("b2", "b3"), kind="fill", gap=0.8))


def test_a_gap_is_filled_from_the_folder_and_the_body_goes_on(folder: str) -> None:
    document = made_of(
        SequenceSettings(
            (Block("b1", "c1"), Block("b2", "c1")),
            (ChosenSeam(("b1", "b2"), kind="fill", gap=0.8),),
        )
    ).with_settings("library", LibrarySettings(folder))
    made = SequenceScreen.make(document, False).details.made
    walk = sample("walk")
    steps = round(0.8 * walk.fps)
    assert made.seams == ((len(walk) - 1, len(walk) - 1 + steps),)
    assert len(made.motion) == 2 * len(walk) + steps - 1
    # A walk that goes on after a gap keeps its direction and its speed.
    ends = made.motion.root[list(made.seams[0])][:, [0, 2]]
    usual = (walk.root[-1, [0, 2]] - walk.root[0, [0, 2]]) / walk.duration
    speed = (ends[1] - ends[0]) / 0.8
    np.testing.assert_allclose(speed, usual, atol=0.15 * float(np.linalg.norm(usual)))
    turned = np.diff(facing(made.motion)[list(made.seams[0])])
    assert abs(float(turned[0])) < 0.01


def test_a_gap_without_a_folder_says_where_to_open_one() -> None:
    document = made_of(FILLED).with_settings("library", LibrarySettings())
    with pytest.raises(LibraryError, match="Library screen") as raised:
        SequenceScreen.make(document, False)
    (remedy, *_) = problem_of(raised.value, "sequence", document).remedies
    assert remedy.label == "Use transitions everywhere"
    SequenceScreen.make(remedy.apply(document), False)


def test_copied_code_swings_and_fills_the_same(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = made_of(FILLED.with_seam(ChosenSeam(("b1", "b2"), kind="spline")))
    document = document.with_settings("library", LibrarySettings(folder))
    motion = SequenceScreen.make(document, False).motion
    recipe = SequenceScreen.recipe(document)
    again = by_python(recipe, tmp_path, monkeypatch)
    np.testing.assert_allclose(again.positions(), motion.positions(), atol=1e-4)
    assert recipe.commands.splitlines()[-1].startswith("# filled gaps")
    swung = made_of(SWUNG)
    motion = SequenceScreen.make(swung, False).motion
    recipe = SequenceScreen.recipe(swung)
    again = by_python(recipe, tmp_path, monkeypatch)
    np.testing.assert_allclose(again.positions(), motion.positions(), atol=1e-4)
    assert abs(len(by_commands(recipe, tmp_path, monkeypatch)) - len(motion)) <= 3


WAVING = SequenceSettings(
    (
        Block("b1", "c1", trim=(5, 85), over=Over("c3", "left_arm", start=0.5, weight=0.8)),
        Block("b2", "c2"),
    )
)


def test_a_part_of_the_body_plays_another_clip_over_a_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = made_of(WAVING)
    made = SequenceScreen.make(document, False)
    walk = sample("walk")[5:86]
    start = round(0.5 * walk.fps)
    waving = layer(walk, sample("sneak"), "left_arm", start=start, weight=0.8)
    expected = transition(waving, sample("jog"), clean=False)
    np.testing.assert_array_equal(made.motion.rotations, expected.rotations)
    picture = drawn(made.details.parts, made.details.made, WAVING)
    assert picture.blocks[0]["facts"].endswith("with sneak")
    recipe = SequenceScreen.recipe(document)
    again = by_python(recipe, tmp_path, monkeypatch)
    np.testing.assert_allclose(again.positions(), made.motion.positions(), atol=1e-4)
    # Files are rounded, and of places that are nearly as good another one may be chosen.
    assert abs(len(by_commands(recipe, tmp_path, monkeypatch)) - len(again)) <= 4
    both = WAVING.with_block(replace(WAVING.blocks[0], over=Over("c3", "arms")))
    (arms, _) = parts_of(made_of(both))
    expected = layer(walk, sample("sneak"), "arms")
    np.testing.assert_array_equal(arms.motion.rotations, expected.rotations)
    # It is saved, and a clip that left the shelf is no longer played.
    assert settings_from_json(SequenceSettings, settings_to_json(WAVING)) == WAVING
    (part, _) = parts_of(document.without_clip("c3"))
    np.testing.assert_array_equal(part.motion.rotations, walk.rotations)


def test_results_and_finds_become_blocks_where_they_are_dropped() -> None:
    document = made_of(THREE)
    piece = NewClip("walk to jog", transition(sample("walk"), sample("jog"), clean=False), "a call")
    document, ids = on_shelf(document, (piece, piece))
    assert [document.clips[-2].name, document.clips[-1].name] == ["walk to jog", "walk to jog 2"]
    assert document.clips[-1].origin == "result"
    between = in_sequence(document, ids[:1], 1).settings["sequence"]
    assert between.clips == ("c1", ids[0], "c2", "c3")
    assert len({block.id for block in between.blocks}) == 4
    last = in_sequence(document, ids).settings["sequence"]
    assert last.clips == ("c1", "c2", "c3", *ids)
    # A full row stays as it is.
    full = in_sequence(document, ids * MOST_BLOCKS)
    assert len(full.settings["sequence"].blocks) == MOST_BLOCKS
    assert in_sequence(full, ids) == full
