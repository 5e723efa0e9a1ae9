"""Formats of other packages, brought in by entry points."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import motionweave as mw
from motionweave.io import registry

_MADE = mw.sample("stand")

PLUGIN = registry.Format("made up", (".madeup",), read=lambda path: _MADE)


def _with_entry_points(monkeypatch: pytest.MonkeyPatch, *values: str) -> None:
    points = [EntryPoint(f"format{i}", v, registry.ENTRY_POINTS) for i, v in enumerate(values)]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    registry.formats.cache_clear()


@pytest.fixture(autouse=True)
def _own_formats_afterwards() -> None:
    yield
    registry.formats.cache_clear()


def test_a_format_of_another_package_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _with_entry_points(monkeypatch, "tests.io.test_plugins:PLUGIN")
    (tmp_path / "clip.madeup").touch()
    assert len(mw.load(tmp_path / "clip.madeup", contacts=False)) == len(_MADE)


def test_a_broken_one_is_named_and_the_others_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _with_entry_points(monkeypatch, "no_such_package:FORMAT", "tests.io.test_plugins:Path")
    with pytest.warns(mw.QualityWarning, match="left out") as caught:
        mw.save(_MADE, tmp_path / "clip.bvh")
    assert len(caught) == 2
    assert (tmp_path / "clip.bvh").exists()
