"""Figures of framespaces hold what they are about."""

from __future__ import annotations

from pathlib import Path

import pytest

import motionweave as mw
from motionweave.plots.framespace import plot_framespace

NAMES = ("jog", "walk", "dance_a", "dance_b")


@pytest.mark.parametrize(("count", "decoupled"), [(2, False), (4, True)])
def test_a_framespace(tmp_path: Path, count: int, decoupled: bool) -> None:
    space = mw.Framespace([mw.sample(name) for name in NAMES[:count]], decoupled=decoupled)
    path = tmp_path / "fs.png"
    figure = plot_framespace(space, "concatenate", 4, path)
    assert path.stat().st_size > 10_000
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert len(figure.axes) == (4 if decoupled else 3)
    assert titles[0].startswith("events")
    assert titles[-1] == "interpolant"
    written = " ".join(text.get_text() for axes in figure.axes for text in axes.texts)
    for label in space.matched().lower.labels[0]:
        assert label in written


def test_clips_played_once() -> None:
    space = mw.Framespace([mw.sample("kick_high"), mw.sample("kick_low")])
    assert len(plot_framespace(space, "blend", 1).axes) == 3
