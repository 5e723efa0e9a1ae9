"""Tables of states as files: there and back, edited by hand, and broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import motionweave as mw
from motionweave.errors import FormatError

LABELS = ("L_et", "R.HI_flex", "L.S_msw", "clap", "R_mt")


@st.composite
def tables(draw: st.DrawFn) -> mw.EventTable:
    states = draw(
        st.lists(
            st.tuples(
                st.floats(0.0, 1e4).map(lambda t: round(t, 4)),
                st.frozensets(st.sampled_from(LABELS), min_size=1),
                st.sampled_from(["lower", "upper"]),
            )
        )
    )
    return mw.EventTable(tuple(mw.State(*state) for state in states))


@given(tables(), st.sampled_from(["csv", "json"]))
def test_there_and_back(
    tmp_path_factory: pytest.TempPathFactory, table: mw.EventTable, suffix: str
) -> None:
    path = tmp_path_factory.mktemp("events") / f"walk.{suffix}"
    mw.save_events(table, path)
    assert mw.load_events(path).states == table.states


def test_a_table_written_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "walk.csv"
    path.write_text("# my walk\nlabels,frame\nL.H_gnd L.S_flex,12.5\n\nclap,14\n", encoding="utf-8")
    states = mw.load_events(path).states
    assert [(s.time, s.half, sorted(s.labels)) for s in states] == [
        (12.5, "lower", ["L_et"]),
        (12.5, "upper", ["L.S_flex"]),
        (14.0, "lower", ["clap"]),
    ]


def test_a_list_of_states_is_json_enough(tmp_path: Path) -> None:
    path = tmp_path / "walk.json"
    path.write_text('[{"frame": 3, "labels": ["wave"], "half": "upper"}]', encoding="utf-8")
    assert mw.load_events(path).states == (mw.State(3.0, frozenset(["wave"]), "upper"),)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.csv", "frame,half,labels\n1,lower,L_et\ntwo,lower,L_et\n", "line 3: expected a frame"),
        ("a.csv", "frame,half\n1,lower\n", "line 1: the header lacks labels"),
        ("a.csv", "1,lower\n", "line 1: expected 3 columns"),
        ("a.csv", "1,middle,L_et\n", "half of the body 'middle'"),
        ("a.csv", "1,lower,\n", "at least one label"),
        ("a.csv", "nan,lower,L_et\n", "out of range"),
        ("a.json", "{", "not valid JSON"),
        ("a.json", '{"states": 3}', 'list "states"'),
        ("a.json", '{"states": [{"frame": 1}]}', "state 1: expected"),
        ("a.json", '[{"labels": ["L_et"]}]', "expected a frame"),
        ("a.txt", "", ".csv or .json"),
    ],
)
def test_broken_tables_say_where(tmp_path: Path, name: str, text: str, says: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as error:
        mw.load_events(path)
    assert says in str(error.value)
    assert str(path) in str(error.value)


def test_a_missing_table(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        mw.load_events(tmp_path / "none.csv")
