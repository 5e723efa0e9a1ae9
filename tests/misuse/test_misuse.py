"""Whatever a caller gives, what comes back is a result or one of our errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import motionweave as mw
from tests.misuse.table import BAD, STRANGE, arguments, calls, chain, strange_arguments

_CALLS = calls()


def _escape(function: Callable[..., Any], arguments: dict[str, Any]) -> str | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(**arguments)
        except mw.MotionweaveError as error:
            return None if str(error).strip() else "an error without a message"
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:80]}"
    return None


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts are names of files and folders, too, and what is written there must not stay."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", _CALLS)
def test_bad_values(name: str) -> None:
    function, good = _CALLS[name]
    escaped = {}
    for argument in arguments(function, good):
        if name.startswith("Motion") and argument == "a":
            continue
        for label, bad in BAD.items():
            what = _escape(function, {**good, argument: bad})
            if what is not None:
                escaped[f"{argument}={label}"] = what
    assert not escaped, "\n".join(f"{key}: {what}" for key, what in escaped.items())


@pytest.mark.parametrize("name", [one for one, (_, good) in _CALLS.items() if "a" in good])
def test_strange_motions(name: str) -> None:
    function, good = _CALLS[name]
    escaped = [what for given in strange_arguments(good) if (what := _escape(function, given))]
    assert not escaped, "\n".join(escaped)


def test_strange_motions_are_made() -> None:
    assert {len(make()) for make in STRANGE.values()} >= {1, 2, 30, 40}
    with pytest.raises(mw.MotionError, match="no larger"):
        chain(3).scaled(1e12)


def test_every_public_function_is_in_the_table() -> None:
    named = {name.split(".")[0].split("[")[0].split(" ")[0] for name in _CALLS}
    # It takes nothing.
    apart = {"warm_up"}
    functions = {
        name
        for name in mw.__all__
        if callable(getattr(mw, name)) and not isinstance(getattr(mw, name), type)
    }
    assert functions <= named | apart
