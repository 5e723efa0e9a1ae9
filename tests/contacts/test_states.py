"""Labels, states, tables of them."""

from __future__ import annotations

import pytest

from motionweave.contacts.states import (
    EventTable,
    State,
    body_half,
    canonical_label,
    grouped,
    label_in_words,
)
from motionweave.errors import MotionError


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("L_ext", "L_et"),
        ("R_gnd", "R_et"),
        ("R.H_gnd", "R_et"),
        ("R.HI_gnd", "R_et"),
        ("L_et", "L_et"),
        ("L.HI_ext", "L.HI_ext"),
        ("L.S_ext", "L.S_ext"),
        ("L.W_gnd", "L.W_gnd"),
        ("clap", "clap"),
    ],
)
def test_one_name_for_each_event(given: str, meant: str) -> None:
    assert canonical_label(given) == meant


@pytest.mark.parametrize(
    ("label", "half"),
    [
        ("L_et", "lower"),
        ("R_mt", "lower"),
        ("L.K_flex", "lower"),
        ("R.S_msw", "upper"),
        ("R.E_ext", "upper"),
        ("clap", None),
        ("L_wave", None),
    ],
)
def test_labels_tell_their_half_of_the_body(label: str, half: str | None) -> None:
    assert body_half(label) == half


@pytest.mark.parametrize("label", ["", "two words", "a,b", "{x}"])
def test_a_label_is_one_word(label: str) -> None:
    with pytest.raises(MotionError, match=r"one word|expected a name"):
        State(0.0, frozenset([label]))


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("L.K_flex", "left knee most bent"),
        ("R_mt", "right foot passing the body"),
        ("L_et", "left foot coming down"),
        ("R.X_flex", "R.X flex"),
        ("event_1", "event 1"),
        ("handshake", "handshake"),
    ],
)
def test_labels_can_be_read_out(label: str, words: str) -> None:
    assert label_in_words(label) == words


def test_a_state_needs_labels_and_a_time() -> None:
    with pytest.raises(MotionError, match="at least one label"):
        State(3.0, frozenset())
    with pytest.raises(MotionError, match="expected a number"):
        State(float("nan"), frozenset(["L_et"]))
    with pytest.raises(MotionError, match="lower or upper"):
        State(3.0, frozenset(["L_et"]), "middle")


def test_tables_are_sorted_and_know_their_halves() -> None:
    table = EventTable(
        (State(9, frozenset(["R_et"])), State(4, frozenset(["L.S_flex"]), "upper")), "walk"
    )
    assert [s.time for s in table.states] == [4.0, 9.0]
    assert [s.time for s in table.lower] == [9.0]
    assert [s.time for s in table.upper] == [4.0]
    assert table.times("R.H_gnd").tolist() == [9.0]


def test_shares_of_a_cycle_and_back() -> None:
    table = EventTable(tuple(State(t, frozenset(["L_et"])) for t in (5, 10, 15, 20, 25)))
    cycle = table.rescaled(10, 20)
    # The end belongs to the next cycle.
    assert [s.time for s in cycle.states] == [0.0, 0.5]
    assert [s.time for s in cycle.placed(10, 20).states] == [10.0, 15.0]


def test_events_at_nearly_one_time_are_one_state() -> None:
    events = [(1.0, "L_et"), (1.6, "R.HI_ext"), (3.0, "R_mt"), (3.2, "R_mt")]
    states = grouped(events, "lower", within=1.0)
    assert [(s.time, sorted(s.labels)) for s in states] == [
        (1.3, ["L_et", "R.HI_ext"]),
        (3.0, ["R_mt"]),  # the same event twice is two states
        (3.2, ["R_mt"]),
    ]


def test_a_state_may_lie_across_the_seam_of_a_cycle() -> None:
    states = grouped([(0.2, "L_et"), (5.0, "R_et"), (9.9, "R.HI_ext")], "lower", 1.0, period=10.0)
    assert [sorted(s.labels) for s in states] == [["L_et", "R.HI_ext"], ["R_et"]]
    assert states[0].time == pytest.approx(0.05)
