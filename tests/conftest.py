"""Shared by all tests: where the real clips are, and what to do without them."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile(
    "motionweave", deadline=None, derandomize=True, print_blob=True, max_examples=60
)
hypothesis.settings.load_profile("motionweave")

_REPOSITORY = Path(__file__).resolve().parents[1]


# Sets of real clips: marker, variable that names the folder, folder beside the project, and a
# folder or file that must be in it.
_SETS = {
    "mocap": ("MOTIONWEAVE_MOCAP", "mocap", "bvh"),
    "wild": ("MOTIONWEAVE_WILD", "wild", "catalog.csv"),
}


def clip_folder(marker: str) -> Path | None:
    """The folder with a set of real clips, or None."""
    variable, beside, inside = _SETS[marker]
    given = os.environ.get(variable)
    folder = Path(given) if given else _REPOSITORY.parent / "shared" / beside
    return folder if (folder / inside).exists() else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for marker, (variable, _, _) in _SETS.items():
        if clip_folder(marker) is not None:
            continue
        if os.environ.get("MOTIONWEAVE_REQUIRE_MOCAP"):
            raise pytest.UsageError(
                f"MOTIONWEAVE_REQUIRE_MOCAP is set, but {variable} names no folder of clips"
            )
        skip = pytest.mark.skip(reason=f"no real clips: set {variable} to their folder")
        for item in items:
            if item.get_closest_marker(marker):
                item.add_marker(skip)


@pytest.fixture(scope="session")
def mocap() -> Path:
    """The folder with the CMU clips; mark the test with ``@pytest.mark.mocap``."""
    folder = clip_folder("mocap")
    assert folder is not None
    return folder


@pytest.fixture(scope="session")
def wild() -> Path:
    """The folder with clips of many sources; mark the test with ``@pytest.mark.wild``."""
    folder = clip_folder("wild")
    assert folder is not None
    return folder
