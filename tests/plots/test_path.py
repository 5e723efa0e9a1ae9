"""Ways seen from above."""

from __future__ import annotations

from pathlib import Path

import pytest

import motionweave as mw
from motionweave.core.constraints import of_kind
from motionweave.plots.path import path_plot


def test_every_plant_has_its_footprint(tmp_path: Path) -> None:
    motion = mw.sample("walk_left")
    figure = path_plot(motion, tmp_path / "way.svg")
    plants = len(of_kind(motion.constraints, "left_toe"))
    plants += len(of_kind(motion.constraints, "right_toe"))
    assert len(figure.axes[0].patches) >= plants
    assert (tmp_path / "way.svg").read_text().startswith("<?xml")


def test_left_is_left_on_paper() -> None:
    line = path_plot(mw.sample("walk_left")).axes[0].lines[0]
    x, z = line.get_data()
    assert x[-1] < x[0]
    assert z[-1] > z[0]


def test_several_ways_share_a_picture() -> None:
    clips = [mw.sample(name) for name in ("walk", "walk_left", "walk_right")]
    figure = path_plot(clips)
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == [
        "walk",
        "walk_left",
        "walk_right",
    ]
    with pytest.raises(mw.MotionError, match="no motion"):
        path_plot([])
