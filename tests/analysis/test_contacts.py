"""Contacts: on a foot whose truth is known, on real clips, and what must not matter."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import Constraint, Motion, Planar
from motionweave.analysis.contacts import detect_contacts, estimate_floor, steps
from motionweave.analysis.rest_frame import starts_with_rest_frame
from motionweave.analysis.rig import leg_length
from motionweave.analysis.soles import contact_points, soles
from motionweave.core.constraints import FOOT_KINDS
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
    first = 1 if starts_with_rest_frame(motion) else 0
    assert all(first <= c.start < c.end <= len(motion) - 1 for c in found)
