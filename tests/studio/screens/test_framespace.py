"""The framespace screen without its widgets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionweave.methods.framespace.blend import framespace
from motionweave.methods.framespace.interpolant import Interpolant
from motionweave.samples.clips import sample
from motionweave.studio.document.document import Document, settings_from_json, settings_to_json
from motionweave.studio.screens.framespace.drawing import event_lanes
from motionweave.studio.screens.framespace.model import FramespaceSettings, Made
from motionweave.studio.screens.framespace.screen import FramespaceScreen, model
from tests.studio.documents import document_with
from tests.studio.recipes import by_commands, by_python

VERTICES = ((0.0, 0.0), (0.3, 0.2), (0.6, 0.9), (1.0, 0.7))


def document(*, clean: bool = False, **settings: Any) -> Document:
    chosen = FramespaceSettings(clips=("c1", "c2"), **{"cycles": 3, **settings})
    return document_with(["walk", "jog"], "framespace", chosen, clean=clean)


def made(shown: Document) -> Made:
    details = FramespaceScreen.make(shown, live=True).details
    assert isinstance(details, Made)
    return details


def test_three_clips_are_one_too_few_or_too_many() -> None:
    shown = document_with(["walk", "jog", "sneak"], "framespace", FramespaceSettings())
    for count in range(4):
        ids = tuple(f"c{i + 1}" for i in range(count))
        some = shown.with_settings("framespace", FramespaceSettings(clips=ids))
        assert (FramespaceScreen.missing(some) == "") == (count == 2)


def test_it_is_what_the_library_makes() -> None:
    result = FramespaceScreen.make(document(vertices=VERTICES), live=False)
    expected = framespace([sample("walk"), sample("jog")], VERTICES, 3, clean=False)
    np.testing.assert_array_equal(result.motion.rotations, expected.rotations)
    assert len(result.looks) == 3
    # The playhead's clock runs through all cycles.
    assert result.details.x[0] == 0.0
    assert result.details.x[-1] == pytest.approx(3.0, abs=0.1)


def test_decoupling_gives_each_half_lanes_of_its_own() -> None:
    whole, split = made(document()), made(document(decoupled=True))
    lanes, links, phases = event_lanes(whole)
    assert [lane["name"] for lane in lanes] == ["walk", "jog"]
    assert {lane for link in links for lane, _ in link} == {0, 1}
    lanes, links, phases = event_lanes(split)
    assert [lane["name"].split()[1] for lane in lanes] == ["lower", "lower", "upper", "upper"]
    assert {lane for link in links for lane, _ in link} == {0, 1, 2, 3}
    assert len(phases[0]) == 4
    for lane in lanes:
        assert any(state["matched"] for state in lane["states"])


def test_a_state_that_is_moved_moves_the_correspondence() -> None:
    before = made(document())
    row = next(i for i, (_, _, labels) in enumerate(before.table(0)) if "L_et" in labels)
    state = model.state_ids(0, before.space.bases[0].events.states)[row]
    assert model.place_of(before, state) == (0, row)
    first, last = before.space.bases[0].ends
    frame = before.table(0)[row][0] + 0.05 * (last - first)
    after = made(document(events={"c1": model.moved_state(before.table(0), row, frame)}))
    assert _time_of(after, "L_et") == pytest.approx(_time_of(before, "L_et") + 0.05, abs=1e-3)
    # It is still the same state, wherever it now stands in the table.
    place = model.place_of(after, state)
    assert place is not None
    assert "L_et" in after.table(0)[place[1]][2]


def test_states_without_a_partner_can_be_matched_by_hand() -> None:
    before = made(document())
    lanes, _, _ = event_lanes(before)
    lonely = [
        model.place_of(before, state["id"])
        for lane in lanes
        for state in lane["states"]
        if not state["matched"]
    ]
    first = next(place for place in lonely if place is not None and place[0] == 0)
    second = next(place for place in lonely if place is not None and place[0] == 1)
    tables = model.joined_states(before.table(0), first[1], before.table(1), second[1])
    shared = [set(tables[i][place[1]][2]) for i, place in enumerate((first, second))]
    assert any(label.startswith("match_") for label in shared[0] & shared[1])
    # The library decides whether the order of all states allows it; it must not fail.
    made(document(events={"c1": tables[0], "c2": tables[1]}))


def test_a_state_added_by_hand_can_be_matched() -> None:
    before = made(document(decoupled=True))
    assert [model.lane_of(before, lane) for lane in range(4)] == [
        (0, "lower"),
        (1, "lower"),
        (0, "upper"),
        (1, "upper"),
    ]
    tables = []
    for clip in (0, 1):
        frame = model.frame_at(before, clip, 0.4)
        first, last = before.space.bases[clip].ends
        assert frame == pytest.approx(first + 0.4 * (last - first))
        tables.append(model.with_state(before.table(clip), frame, "lower"))
    assert model.with_state(tables[0], 3.0, "upper")[0] == (3.0, "upper", ("event_2",))
    after = made(document(decoupled=True, events={"c1": tables[0], "c2": tables[1]}))
    # Added in both clips under one name, it is the same instant of both.
    assert any("event_1" in labels for labels in after.matched.lower.labels)


def test_the_cycle_of_a_clip_can_be_chosen_or_left_out() -> None:
    first, last = made(document()).space.bases[0].ends
    shown = document(stretches={"c1": (first + 2, last + 2)})
    chosen = made(shown)
    assert chosen.space.bases[0].ends == (first + 2, last + 2)
    listed = model.stretches_of(chosen, shown.settings["framespace"])
    assert [one.way for one in listed] == ["frames", "found"]
    once = made(document(stretches={"c1": ()}))
    assert not once.space.bases[0].cyclic
    # A clip that is shorter now still has a cycle.
    beyond = made(document(stretches={"c1": (5000, 9000)}))
    assert beyond.space.bases[0].ends[1] == len(sample("walk")) - 1


@given(
    st.integers(0, 3),
    st.dictionaries(st.integers(0, 1), st.floats(-2.0, 3.0), min_size=1),
)
def test_a_vertex_stays_inside_its_bounds(index: int, changes: dict[int, float]) -> None:
    moved = model.moved_vertex(VERTICES, index, changes)
    curve = Interpolant(np.array(moved))
    assert moved[0][0] == 0.0
    assert moved[-1][0] == 1.0
    np.testing.assert_allclose(curve.vertices, moved)


def test_a_vertex_added_on_the_curve_is_where_it_was_put() -> None:
    curve = Interpolant(np.array(VERTICES))
    more = model.with_vertex(curve, 0.45, {1: 0.1})
    assert len(more) == 5
    assert (0.45, 0.1) in more


def test_settings_survive_a_project_file() -> None:
    settings = FramespaceSettings(
        ("c1", "c2"),
        vertices=VERTICES,
        events={"c1": ((3.0, "lower", ("L_et",)),)},
        stretches={"c1": (3, 40), "c2": ()},
    )
    assert settings_from_json(FramespaceSettings, settings_to_json(settings)) == settings


@pytest.mark.parametrize("how", [by_python, by_commands])
@pytest.mark.parametrize("edited", [False, True])
def test_the_copied_code_makes_the_same_motion(
    how: Any, edited: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = document()
    if edited:
        rows = made(shown).table(0)
        events = {"c1": model.moved_state(rows, 2, rows[2][0] + 0.8)}
        first, last = made(shown).space.bases[1].ends
        shown = document(
            vertices=VERTICES,
            events=events,
            stretches={"c2": (first + 1, last + 1)},
            decoupled=True,
            clean=True,
        )
    motion = FramespaceScreen.make(shown, live=False).motion
    again = how(FramespaceScreen.recipe(shown), tmp_path, monkeypatch)
    assert len(again) == len(motion)
    np.testing.assert_allclose(again.positions(), motion.positions(), atol=5e-5)


def test_four_clips_are_drawn_on_a_map() -> None:
    settings = FramespaceSettings(clips=("c1", "c2", "c3", "c4"), cycles=4)
    shown = document_with(["walk", "jog", "sneak", "walk_left"], "framespace", settings)
    result = FramespaceScreen.make(shown, live=True)
    assert result.details.curve.vertices.shape[1] == 3
    assert len(result.looks) == 5


@pytest.mark.parametrize("names", [["walk", "jog"], ["kick_high", "kick_low", "jab", "punch"]])
def test_settings_that_are_left_alone_make_what_python_makes(names: list[str]) -> None:
    ids = tuple(f"c{i + 1}" for i in range(len(names)))
    shown = document_with(names, "framespace", FramespaceSettings(clips=ids))
    made = FramespaceScreen.make(shown, live=False).motion
    expected = framespace([clip.motion for clip in shown.clips], clean=False)
    assert len(made) == len(expected)
    np.testing.assert_allclose(made.positions(), expected.positions(), atol=1e-9)
    # Clips that are played once leave no time to visit four of them: they are mixed.
    assert "concatenate" not in FramespaceScreen.recipe(shown).python


def _time_of(of: Made, label: str) -> float:
    row = next(i for i, labels in enumerate(of.matched.lower.labels) if label in labels)
    return float(of.matched.lower.times[row, 0] % 1.0)
