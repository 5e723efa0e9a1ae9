"""Clean-up says what it could not do, and what it cost."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import motionweave as mw
from motionweave import Motion
from motionweave.body.floor import Floor
from motionweave.body.rig.roles import leg_length
from motionweave.contacts.clean.remarks import Remarks
from motionweave.contacts.detect import estimate_floor


@pytest.fixture
def walk() -> Motion:
    return mw.sample("walk")


@pytest.mark.parametrize(("centimetres", "told"), [(0.9, 0), (1.1, 1)])
def test_hips_that_are_lowered_are_told(walk: Motion, centimetres: float, told: int) -> None:
    size = leg_length(walk.skeleton)
    down = centimetres / 83.0 * size * np.array([0.0, 1.0, 0.0])
    remarks = list(Remarks(walk, size, 0).lowered(replace(walk, root=walk.root - down)))
    assert len(remarks) == told
    assert all("the hips of 'walk' are lowered by 1.3%" in remark for remark in remarks)


def test_hips_that_follow_a_floor_that_is_given_are_meant(walk: Motion) -> None:
    floor = Floor(estimate_floor(walk).height - 0.03 * leg_length(walk.skeleton))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cleaned = mw.clean_feet(walk, floor=floor)
    lowered = (walk.root - cleaned.root)[:, 1].mean() / leg_length(walk.skeleton)
    assert lowered > 0.012
