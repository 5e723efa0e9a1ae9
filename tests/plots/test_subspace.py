"""Pictures of subspaces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.errors import BlendError
from motionweave.methods.subspace.space import Subspace
from motionweave.plots.subspace import subspace_plot


@pytest.fixture(scope="module")
def space() -> Subspace:
    return mw.subspace(mw.sample("landing"), mw.sample("jump"))


@pytest.mark.parametrize("dimensions", [2, 3])
def test_curves_splines_and_strips_are_drawn(
    space: Subspace, dimensions: int, tmp_path: Path
) -> None:
    made = [space.transition(11, 24, degree=degree, clean=False) for degree in (2, 4)]
    path = tmp_path / "picture.png"
    figure = subspace_plot(
        space,
        made,
        path,
        dimensions=dimensions,
        labels=["quick", "grand"],
        others=[("plain", space.a, 20, 30)],
    )
    assert path.stat().st_size > 10_000
    curves, *strips = figure.get_axes()
    assert [axes.get_title(loc="left") for axes in strips] == ["quick", "grand", "plain"]
    drawn = [line for line in curves.get_lines() if line.get_label() == "grand"]
    assert len(drawn) == 1
    if dimensions == 2:
        ends = np.transpose(drawn[0].get_data())[[0, -1]]
        expected = [space.curves[0][11, :2], space.curves[1][24, :2]]
        np.testing.assert_allclose(ends, expected, atol=1e-9)


def test_what_cannot_be_drawn_is_refused(space: Subspace) -> None:
    made = space.transition(11, 24, clean=False)
    with pytest.raises(BlendError, match="no transition"):
        subspace_plot(space, [])
    with pytest.raises(BlendError, match="expected 2 or 3"):
        subspace_plot(space, made, dimensions=4)
    with pytest.raises(BlendError, match="2 labels for 1 transitions"):
        subspace_plot(space, made, labels=["a", "b"])
