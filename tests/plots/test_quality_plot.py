"""The quality report as a figure."""

from __future__ import annotations

from pathlib import Path

import pytest

import motionweave as mw
from motionweave.plots.quality import quality_plot


def test_it_has_a_bar_for_every_plant(tmp_path: Path) -> None:
    walk = mw.sample("walk")
    target = tmp_path / "quality.png"
    figure = quality_plot([walk, mw.clean_feet(walk)], target, labels=["before", "after"])
    assert target.read_bytes().startswith(b"\x89PNG")
    skate, *_ = figure.axes
    assert len(skate.patches) == 4 * len(walk.constraints)
    assert [text.get_text() for text in skate.get_legend().get_texts()] == ["before", "after"]


def test_labels_have_to_fit() -> None:
    walk = mw.sample("walk")
    with pytest.raises(mw.MotionError, match="1 motions need as many labels"):
        quality_plot(walk, labels=["a", "b"])
    with pytest.raises(mw.MotionError, match="at least one"):
        quality_plot([])
