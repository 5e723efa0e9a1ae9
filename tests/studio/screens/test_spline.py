"""The spline screen without its widgets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionweave.samples.clips import sample
from motionweave.studio.document.document import Document, ShelfClip
from motionweave.studio.screens.spline.drawing import drawn
from motionweave.studio.screens.spline.model import SplineDetails, SplineSettings
from motionweave.studio.screens.spline.screen import SplineScreen
from motionweave.studio.screens.subspaces import own_frame
from tests.studio.documents import document_with
from tests.studio.recipes import by_commands, by_python


def document(**settings: Any) -> Document:
    return document_with(
        ["landing", "jump"], "spline", SplineSettings(clips=("c1", "c2"), **settings)
    )


def test_says_what_is_missing() -> None:
    full = document()
    for count, word in ((0, "two clips"), (1, "swing over into"), (2, "")):
        some = full.with_settings("spline", SplineSettings(clips=("c1", "c2")[:count]))
        assert (SplineScreen.missing(some) == "") == (word == "")
        assert word in SplineScreen.missing(some)


def test_degree_and_length_change_the_motion_without_a_new_subspace() -> None:
    results = [
        SplineScreen.make(document_of_one, live=False)
        for document_of_one in _same_clips(
            [{"degree": 2}, {"degree": 4}, {"degree": 4, "length": 2.2}]
        )
    ]
    quick, usual, grand = (result.details for result in results)
    assert quick.space is usual.space is grand.space
    assert quick.made.control.shape[0] == 3
    assert usual.made.control.shape[0] == 5
    assert grand.made.duration > usual.made.duration


def test_a_clip_trimmed_since_does_not_leave_its_frames() -> None:
    made: SplineDetails = SplineScreen.make(document(leave=500, enter=400), live=False).details
    assert made.made.leave == len(sample("landing")) - 1
    assert made.made.enter == len(sample("jump")) - 1


def test_the_path_drawn_has_a_point_for_every_frame() -> None:
    details: SplineDetails = SplineScreen.make(document(leave=40, enter=6), live=True).details
    curves, spline = drawn(details)
    path: Any = spline["path"]
    assert len(path) == len(details.made.motion)
    np.testing.assert_allclose(path[40], curves[0]["points"][40], atol=1e-3)  # type: ignore[index]
    np.testing.assert_allclose(path[-1], curves[1]["points"][-1], atol=1e-3)  # type: ignore[index]


@pytest.mark.parametrize("names", [("walk", "reach_high"), ("reach_high", "walk")])
def test_a_part_alone_changes_to_the_second_clip(names: tuple[str, str]) -> None:
    settings = SplineSettings(clips=("c1", "c2"), leave=12, enter=5, part="arms")
    shown = document_with(list(names), "spline", settings)
    result = SplineScreen.make(shown, live=False)
    base, motion = sample(names[0]), result.motion
    assert motion is not None
    assert len(motion) == len(base)
    assert np.array_equal(motion.root, base.root)
    changed = np.abs(motion.rotations - base.rotations).max(axis=(0, 2)) > 0.0
    lively = {name for name, one in zip(base.skeleton.names, changed, strict=True) if one}
    assert lively == {"LeftArm", "LeftForeArm", "LeftHand", "RightArm", "RightForeArm", "RightHand"}
    _, spline = drawn(result.details)
    path: Any = spline["path"]
    assert len(path) == len(motion)


@pytest.mark.parametrize("how", [by_python, by_commands])
def test_the_copied_code_of_a_part_makes_the_same_motion(
    how: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = SplineSettings(clips=("c1", "c2"), leave=12, enter=5, part="upper")
    shown = document_with(["walk", "reach_high"], "spline", settings)
    made = SplineScreen.make(shown, live=False).motion
    again = how(SplineScreen.recipe(shown), tmp_path, monkeypatch)
    assert made is not None
    np.testing.assert_allclose(again.positions(), made.positions(), atol=2e-5)


@pytest.mark.parametrize("how", [by_python, by_commands])
def test_the_copied_code_makes_the_same_motion(
    how: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = document(leave=45, enter=7, degree=5, length=1.45, bias=-0.3)
    made = SplineScreen.make(shown, live=False).motion
    again = how(SplineScreen.recipe(shown), tmp_path, monkeypatch)
    assert len(again) == len(made)
    np.testing.assert_allclose(again.positions(), made.positions(), atol=2e-5)


def _same_clips(settings: list[dict[str, Any]]) -> list[Document]:
    first = document()
    return [
        first.with_settings("spline", SplineSettings(clips=("c1", "c2"), **one)) for one in settings
    ]


def test_clips_of_other_frame_rates_keep_their_own_frame_numbers() -> None:
    slow = ShelfClip("c2", "jump", sample("jump").resample(15.0), "file", "jump.bvh")
    shown = document(leave=45, enter=6).with_clip(slow)
    details: SplineDetails = SplineScreen.make(shown, live=True).details
    assert details.made.enter == 12
    assert own_frame(details.space, details.made.enter) == 6
