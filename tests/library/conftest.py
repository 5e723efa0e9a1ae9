"""A small library of built-in clips, shared by the tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

import motionweave as mw
from motionweave.library.engine import Here

CLIPS = {
    "walks/walk": ("walk", {"duration": 7.0}),
    "walks/walk_fast": ("walk", {"speed": 1.6, "duration": 7.0}),
    "walks/walk_left": ("walk_left", {"duration": 7.0}),
    "walks/walk_right": ("walk_right", {"duration": 7.0}),
    "jogs/jog": ("jog", {"duration": 6.0}),
    "jogs/jog_left": ("jog_left", {"duration": 6.0}),
    "fights/kick_high": ("kick_high", {}),
    "fights/punch": ("punch", {}),
}


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of clips; tests that change it copy it."""
    folder = tmp_path_factory.mktemp("clips")
    for path, (name, options) in CLIPS.items():
        file = folder / f"{path}.npz"
        file.parent.mkdir(exist_ok=True)
        mw.save(mw.sample(name, **options), file, contacts=False)
    return folder


@pytest.fixture(scope="session")
def library(clips: Path, tmp_path_factory: pytest.TempPathFactory) -> mw.Library:
    """A library of that folder."""
    made = mw.Library(clips, store=tmp_path_factory.mktemp("stores") / "store", executor=Here())
    made.add()
    return made
