"""Every public name explains itself, and its examples run."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path

import pytest

import motionweave as mw

FUNCTIONS = sorted(name for name in mw.__all__ if inspect.isfunction(getattr(mw, name)))
CLASSES = sorted(
    name
    for name in mw.__all__
    if inspect.isclass(getattr(mw, name)) and not issubclass(getattr(mw, name), Exception)
)


def sections(text: str) -> dict[str, str]:
    """A NumPy docstring by its underlined headings."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.cleandoc(text), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def described(section: str) -> set[str]:
    """The parameter names that a section has entries for."""
    heads = re.findall(r"^(\S[^\n]*)$", section, flags=re.MULTILINE)
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_explain_every_parameter_and_what_comes_back(name: str) -> None:
    function = getattr(mw, name)
    found = sections(function.__doc__ or "")
    missing = set(inspect.signature(function).parameters) - described(found.get("Parameters", ""))
    assert not missing, f"mw.{name} does not explain {sorted(missing)}"
    if inspect.signature(function).return_annotation not in (None, "None"):
        assert "Returns" in found, f"mw.{name} does not say what it returns"
    assert ">>>" in found.get("Examples", ""), f"mw.{name} has no example"


@pytest.mark.parametrize("name", CLASSES)
def test_classes_explain_what_they_hold(name: str) -> None:
    one = getattr(mw, name)
    found = sections(one.__doc__ or "")
    given = [p for p in inspect.signature(one).parameters if not p.startswith("_")]
    missing = set(given) - described(found.get("Parameters", ""))
    assert not missing, f"mw.{name} does not explain {sorted(missing)}"
    for method, member in inspect.getmembers(one, inspect.isfunction):
        if not method.startswith("_"):
            assert member.__doc__, f"mw.{name}.{method} has no docstring"
            # A short docstring may name a parameter in its one line.
            told = described(sections(member.__doc__).get("Parameters", ""))
            told |= set(re.findall(r"``(\w+)``", member.__doc__))
            missing = set(inspect.signature(member).parameters) - told - {"self"}
            assert not missing, f"mw.{name}.{method} does not explain {sorted(missing)}"


@pytest.mark.parametrize("name", [*FUNCTIONS, *CLASSES])
def test_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    one = getattr(mw, name)
    finder = doctest.DocTestFinder(recurse=inspect.isclass(one))
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    told: list[str] = []
    for test in finder.find(one, name, globs={}):
        runner.run(test, out=told.append, clear_globs=False)
    assert not told, "".join(told)
    assert "+SKIP" not in (one.__doc__ or ""), f"an example of mw.{name} is not run"
