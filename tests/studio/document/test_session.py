"""The document, undo and redo."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionweave.errors import FormatError, MotionError
from motionweave.samples.clips import sample
from motionweave.studio.document.document import (
    Document,
    ShelfClip,
    settings_from_json,
    settings_to_json,
    unique_name,
)
from motionweave.studio.document.session import Session


@dataclass(frozen=True)
class Knobs:
    clips: tuple[str, ...] = ()
    level: float = 0.0
    place: tuple[float, float] | None = None
    keys: tuple[tuple[float, tuple[float, ...]], ...] = ()


@pytest.fixture
def session() -> Session:
    return Session({"knobs": Knobs})


def walk_clip(**edits: object) -> ShelfClip:
    return replace(ShelfClip("c1", "walk", sample("walk"), "sample", "walk"), **edits)


def test_every_step_is_undone_and_redone(session: Session) -> None:
    for level in (1.0, 2.0, 3.0):
        session.set("knobs", Knobs(level=level), f"level {level}")
    assert session.undoable == "level 3.0"
    seen = []
    while session.undo():
        seen.append(session.settings("knobs").level)
    assert seen == [2.0, 1.0, 0.0]
    while session.redo():
        pass
    assert session.settings("knobs").level == 3.0
    assert not session.redoable


def test_a_drag_is_one_step(session: Session) -> None:
    session.set("knobs", Knobs(level=1.0), "before")
    for level in (1.1, 1.2, 1.3):
        session.set("knobs", Knobs(level=level), "drag", merge="level")
    assert session.live
    session.settle()
    assert not session.live
    session.set("knobs", Knobs(level=9.0), "drag", merge="level")
    assert session.undo()
    assert session.settings("knobs").level == 1.3
    assert session.undo()
    assert session.settings("knobs").level == 1.0


def test_a_new_step_ends_what_could_be_redone(session: Session) -> None:
    session.set("knobs", Knobs(level=1.0), "one")
    session.undo()
    session.set("knobs", Knobs(level=2.0), "two")
    assert not session.redo()


def test_setting_the_same_is_no_step(session: Session) -> None:
    told = []
    session.listen(lambda: told.append(1))
    session.set("knobs", Knobs(), "nothing")
    assert not session.undoable
    assert not told


def test_listeners_can_leave(session: Session) -> None:
    told: list[int] = []
    leave = session.listen(lambda: told.append(1))
    session.set("knobs", Knobs(level=1.0), "one")
    leave()
    leave()
    session.set("knobs", Knobs(level=2.0), "two")
    assert told == [1]


def test_undo_brings_back_removed_clips_with_their_motion(session: Session) -> None:
    clip = walk_clip()
    session.change(session.document.with_clip(clip), "add")
    session.change(session.document.without_clip("c1"), "remove")
    assert session.document.clip("c1") is None
    session.undo()
    assert session.document.clip("c1") is clip


def test_edits_of_a_clip_leave_its_original_alone() -> None:
    clip = walk_clip(trim=(10, 40), mirrored=True, name="mine")
    assert len(clip.motion) == 31
    assert clip.motion.name == "mine"
    assert clip.original is not None
    assert len(clip.original) == 93
    # Mirroring turns the way round that is walked to the side.
    whole = walk_clip(mirrored=True).motion
    assert whole.root[-1, 0] == pytest.approx(-clip.original.root[-1, 0])


def test_a_broken_clip_says_why() -> None:
    clip = ShelfClip("c1", "bad", None, error="line 3: not a number")
    with pytest.raises(MotionError, match="line 3: not a number"):
        _ = clip.motion
    assert Document((clip,)).usable(("c1", "gone")) == []


def test_names_and_ids_stay_different() -> None:
    document = Document()
    for _ in range(4):
        name = unique_name(document, "walk")
        document = document.with_clip(ShelfClip(document.new_id(), name, None))
    assert [clip.name for clip in document.clips] == ["walk", "walk 2", "walk 3", "walk 4"]
    document = document.without_clip("c2")
    assert document.new_id() == "c2"


rows = st.tuples(st.floats(0, 9), st.lists(st.floats(0, 1), max_size=3).map(tuple))


@given(
    st.builds(
        Knobs,
        st.lists(st.text(max_size=4), max_size=3).map(tuple),
        st.floats(allow_nan=False),
        st.none() | st.tuples(st.floats(0, 1), st.floats(0, 1)),
        st.lists(rows, max_size=3).map(tuple),
    )
)
def test_settings_survive_json(knobs: Knobs) -> None:
    import json

    assert settings_from_json(Knobs, json.loads(json.dumps(settings_to_json(knobs)))) == knobs


@pytest.mark.parametrize(
    "data",
    [
        {"level": "high"},
        {"clips": "c1"},
        {"clips": [1]},
        {"place": [1.0]},
        {"keys": [[0.0]]},
        [],
        {"level": True},
    ],
)
def test_wrong_settings_are_refused(data: object) -> None:
    with pytest.raises(FormatError):
        settings_from_json(Knobs, data)


def test_unknown_settings_are_passed_over() -> None:
    assert settings_from_json(Knobs, {"level": 1, "later": 5}) == Knobs(level=1.0)
