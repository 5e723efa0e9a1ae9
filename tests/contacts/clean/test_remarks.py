"""Clean-up says what it could not do, and what it cost."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import motionweave as mw
from motionweave import Motion
from motionweave.body.floor import Floor
from motionweave.body.rig.roles import leg_length
from motionweave.contacts.clean.cleaner import Cleaner
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


@pytest.mark.parametrize(("millimetres", "told"), [(-5.0, 0), (1.9, 0), (2.1, 1)])
def test_a_moment_deeper_in_the_floor_is_told(walk: Motion, millimetres: float, told: int) -> None:
    size = leg_length(walk.skeleton)
    before = np.full((2, 2, 100), 0.1 * size)
    before[0, 0, 3] = -0.02 * size
    after = np.array(before)
    after[1, 1, 7] = -(0.02 + millimetres / 830.0) * size
    remarks = list(Remarks(walk, size, 10).deeper(before, after))
    assert len(remarks) == told
    for remark in remarks:
        assert "feet of 'walk' are 0.25% of a leg length deeper in the floor" in remark
        assert "at the deepest, most of all the right toe at frame 17" in remark


def test_feet_deeper_in_the_floor_on_average_are_told(walk: Motion) -> None:
    size = leg_length(walk.skeleton)
    before = np.zeros((2, 2, 100))
    before[0, 0, 3] = -0.02 * size
    # At its deepest, no foot is deeper.
    lower = np.where(before < 0.0, 0.0, size)
    (remark,) = Remarks(walk, size, 0).deeper(before, before - 3e-3 * lower)
    assert "0.30% of a leg length deeper in the floor than they were, on average" in remark
    assert not list(Remarks(walk, size, 0).deeper(before, before - 2e-3 * lower))


def test_clean_up_says_that_it_leaves_feet_deeper_in_the_floor(
    walk: Motion, monkeypatch: pytest.MonkeyPatch
) -> None:
    down = 0.005 * leg_length(walk.skeleton) * np.array([0.0, 1.0, 0.0])
    solve = Cleaner._solve

    def sinking(self: Cleaner, tracks: Sequence[Any]) -> Any:
        motion, missing = solve(self, tracks)
        return replace(motion, root=motion.root - down), missing

    monkeypatch.setattr(Cleaner, "_solve", sinking)
    with pytest.warns(mw.QualityWarning, match="deeper in the floor than they were, at the"):
        mw.clean_feet(walk)
    monkeypatch.undo()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mw.clean_feet(walk)
