"""Numbers in text, against Python's own float()."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionweave.io.numbers import NotANumberError, parse_numbers

_finite = st.floats(allow_nan=False, allow_infinity=False)
_written = st.one_of(
    _finite.map(repr),
    _finite.map(lambda x: f"{x:.6e}"),
    st.floats(-1e6, 1e6).map(lambda x: f"{x:.6f}"),
    st.floats(-1e6, 1e6).map(lambda x: f"{x:.20f}"),
    st.integers(-(10**25), 10**25).map(str),
    st.from_regex(
        r"[+-]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})([eE][+-]?[0-9]{1,2})?", fullmatch=True
    ),
)


@given(st.lists(st.lists(_written, max_size=5), max_size=5), st.sampled_from(["\n", "\r\n", "\r"]))
def test_every_number_is_the_nearest_float(rows: list[list[str]], end: str) -> None:
    text = end.join(" \t".join(row) for row in rows)
    values, counts = parse_numbers(text.encode())
    assert values.tolist() == [float(token) for row in rows for token in row]
    # A last line without an end counts only if there is something on it.
    expected = [len(row) for row in rows]
    if expected and expected[-1] == 0:
        expected.pop()
    assert counts.tolist() == expected


@pytest.mark.parametrize(
    ("token", "not_finite"),
    [
        ("nan", True),
        ("-NaN", True),
        ("inf", True),
        ("-Infinity", True),
        ("1e999", True),
        ("-1.#IND00", True),
        ("nan(ind)", True),
        ("1_000", False),
        ("0x10", False),
        ("1,5", False),
        ("--1", False),
        ("1e", False),
        (".", False),
        ("-", False),
        ("{", False),
        ("1.2.3", False),
    ],
)
def test_anything_else_is_refused(token: str, not_finite: bool) -> None:
    with pytest.raises(NotANumberError) as refusal:
        parse_numbers(f"1 2\n{token} 3".encode())
    assert refusal.value.index == 2
    assert refusal.value.token == token
    assert refusal.value.not_finite == not_finite


def test_zero_keeps_its_sign() -> None:
    values, _ = parse_numbers(b"-0 0 -0.0")
    assert np.signbit(values).tolist() == [True, False, True]
