"""What a function is given is what its annotations say, or one of our errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import ArrayLike

import motionweave as mw
from motionweave.core.arguments import check_arguments
from motionweave.errors import BlendError, MotionError

GOOD: dict[str, tuple[Any, ...]] = {
    "number": (1, 2.5, np.float32(0.5), np.int64(3)),
    "whole": (3, np.int64(-3)),
    "flag": (True, np.bool_(False)),
    "word": ("left", "right"),
    "path": ("a", Path("a")),
    "motions": ([], [mw.sample("walk")]),
    "pair": ((1, 2.0), [0.5, 1], np.array([1.0, 2.0])),
    "maybe": (None, 1.0),
    "numbers": ([1.0, 2.0], np.zeros((2, 3)), 1.0, [[1, 2], [3, 4]]),
    "either": ("word", [1.0], np.zeros(3)),
    "table": ({}, {"a": 1.0}),
    "function": (len, lambda: None),
    "many": ([1.0], (x for x in [1.0]), {2.0}),
}
BAD: dict[str, tuple[Any, ...]] = {
    "number": ("1", None, True, float("nan"), float("inf"), 10**400, 1j, [1.0], np.zeros(1)),
    "whole": (1.0, "1", None, True, 10**400),
    "flag": (1, "yes", None, np.zeros(2)),
    "word": (None, 3, ["left"], np.zeros(2)),
    "path": (3, None, b"a"),
    "motions": (None, mw.sample("walk"), "ab", [1], {"a": 1}, np.array(1.0)),
    "pair": ((1,), (1, 2, 3), "ab", (1, "b"), None, np.array(1.0)),
    "maybe": ("1", [None]),
    "numbers": ("1", ["a"], None, [[1.0], [2.0, 3.0]], 1j, {}),
    "either": (None, ["a"], {}, object()),
    "table": ([], {"a": "b"}, {1: 1.0}, None),
    "function": (None, 3, "len"),
    "many": (1.0, "ab", None, ["a"]),
}


def _call(
    number: float = 1.0,
    whole: int = 1,
    flag: bool = True,
    word: Literal["left", "right"] = "left",
    path: str | Path = "a",
    motions: Sequence[mw.Motion] = (),
    pair: tuple[float, float] = (0.0, 1.0),
    maybe: float | None = None,
    numbers: ArrayLike = 1.0,
    either: mw.Planar | str | ArrayLike = "a",
    table: Mapping[str, float] = {},
    function: Callable[..., Any] = len,
    many: Iterable[float] = (),
) -> None:
    check_arguments(_call, locals())


@pytest.mark.parametrize("name", GOOD)
def test_what_fits(name: str) -> None:
    for value in GOOD[name]:
        _call(**{name: value})


@pytest.mark.parametrize("name", BAD)
def test_what_does_not_fit(name: str) -> None:
    for value in BAD[name]:
        with pytest.raises(MotionError, match=f"{name}=.*: expected "):
            _call(**{name: value})


def test_messages_say_what_is_taken() -> None:
    said = {
        "number": "number='x': expected a number",
        "maybe": "maybe='x': expected a number or None",
        "motions": "motions='x': expected a list in which each item is a Motion",
        "pair": "pair='x': expected (a number, a number)",
        "function": "function='x': expected a function",
    }
    for name, message in said.items():
        with pytest.raises(MotionError) as caught:
            _call(**{name: "x"})
        assert str(caught.value) == message


def test_any_number_of_arguments() -> None:
    def mean(*values: float, least: int = 0) -> None:
        check_arguments(mean, locals(), BlendError)

    mean()
    mean(1.0, 2.0, least=2)
    with pytest.raises(BlendError, match="'a': expected a number"):
        mean(1.0, "a")  # type: ignore[arg-type]
