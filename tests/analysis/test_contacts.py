"""Contacts: on a foot whose truth is known, on real clips, and what must not matter."""

from __future__ import annotations

from pathlib import Path

import pytest

import motionweave as mw
from motionweave import Motion
from motionweave.analysis.contacts import detect_contacts
from motionweave.analysis.tpose import starts_in_tpose
from tests.conftest import mocap_folder


def clip_paths() -> list[Path]:
    folder = mocap_folder()
    return [] if folder is None else sorted((folder / "bvh").glob("*.bvh"))


def read(path: Path) -> Motion:
    return mw.load(path)


@pytest.mark.mocap
@pytest.mark.parametrize("path", clip_paths(), ids=lambda path: path.stem)
def test_every_real_clip_has_both_feet_on_the_floor_at_some_time(path: Path) -> None:
    motion = read(path)
    found = detect_contacts(motion)
    assert {c.kind.split("_")[0] for c in found} == {"left", "right"}
    first = 1 if starts_in_tpose(motion) else 0
    assert all(first <= c.start < c.end <= len(motion) - 1 for c in found)
