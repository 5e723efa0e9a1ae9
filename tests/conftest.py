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


def mocap_folder() -> Path | None:
    """The folder with the real clips, or None."""
    given = os.environ.get("MOTIONWEAVE_MOCAP")
    folder = Path(given) if given else _REPOSITORY.parent / "shared" / "mocap"
    return folder if (folder / "bvh").is_dir() else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if mocap_folder() is not None:
        return
    if os.environ.get("MOTIONWEAVE_REQUIRE_MOCAP"):
        raise pytest.UsageError("MOTIONWEAVE_REQUIRE_MOCAP is set, but the real clips are missing")
    skip = pytest.mark.skip(reason="no real clips: set MOTIONWEAVE_MOCAP to their folder")
    for item in items:
        if item.get_closest_marker("mocap"):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def mocap() -> Path:
    """The folder with the real clips; mark the test with ``@pytest.mark.mocap``."""
    folder = mocap_folder()
    assert folder is not None
    return folder
