"""The picture of a warp shows its keys and what stands around."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.plots.warp import warp_plot

WARPS = Path(__file__).resolve().parents[2] / "examples" / "warps"


def test_curves_keys_strips_and_scene():
    walk = mw.sample("walk")
    recipe = mw.load_warp(WARPS / "low_doorway.yaml")
    warped = recipe.apply(walk)
    figure = warp_plot(walk, warped, recipe, curves=2)
    curves = figure.axes[:2]
    key = recipe.key_frames(walk)[0] / walk.fps
    for axes in curves:
        labels = [line.get_label() for line in axes.lines]
        assert {"original", "warped", "keys"} <= set(labels)
        marked = next(line for line in axes.lines if line.get_label() == "keys")
        np.testing.assert_allclose(marked.get_xdata(), [key])
        after = next(line for line in axes.lines if line.get_label() == "warped")
        there = np.interp(key, after.get_xdata(), after.get_ydata())
        np.testing.assert_allclose(marked.get_ydata(), [there])
    assert len(figure.axes) == 5


def test_warped_time_is_drawn_in_its_own_time():
    walk = mw.sample("walk")
    recipe = mw.load_warp(WARPS / "sneaky.yaml")
    warped = recipe.apply(walk)
    figure = warp_plot(walk, warped, recipe, curves=1)
    after = next(line for line in figure.axes[0].lines if line.get_label() == "warped")
    assert after.get_xdata()[-1] == pytest.approx(warped.duration)


def test_a_scene_with_unknown_words_is_refused():
    walk = mw.sample("walk")
    recipe = mw.Recipe((mw.Key(40, "head", turn=(5, 0, 0)),), scene=({"colour": "red"},))
    with pytest.raises(mw.WarpError, match="'colour' is not known"):
        warp_plot(walk, recipe.apply(walk), recipe)
