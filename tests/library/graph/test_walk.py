"""Walks through a graph."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import motionweave as mw
from motionweave.errors import Remedy
from motionweave.library.graph import performing
from motionweave.library.graph.graph import Graph


def test_a_random_walk_is_as_long_as_asked_and_repeatable(
    library: mw.Library, graph: Graph
) -> None:
    walks = [library.walk(seconds=6.0, seed=3, graph=graph) for _ in range(2)]
    assert abs(walks[0].motion.duration - 6.0) < 2.5
    np.testing.assert_array_equal(walks[0].motion.root, walks[1].motion.root)


def test_a_doubtful_walk_names_a_remedy_of_walks(
    library: mw.Library, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def doubtful(*motions: mw.Motion, **_: object) -> mw.Motion:
        warnings.warn(mw.QualityWarning("a foot slides", None, [Remedy("at")]), stacklevel=2)
        return motions[0]

    monkeypatch.setattr(performing, "transition", doubtful)
    with pytest.warns(mw.QualityWarning, match=r"a foot slides; use seed=\.\.\.$"):
        library.walk(seconds=6.0, seed=3, graph=graph)


def test_a_walk_follows_a_straight_path(library: mw.Library, graph: Graph) -> None:
    walk = library.walk([(0.0, 0.0), (0.0, 5.0)], graph=graph)
    assert walk.error is not None
    assert walk.error < 0.5
    assert abs(walk.motion.root[-1, 2] - 5.0) < 1.0


def test_a_walk_needs_one_wish(library: mw.Library, graph: Graph) -> None:
    with pytest.raises(mw.LibraryError, match="a walk needs one of"):
        library.walk(graph=graph)
    with pytest.raises(mw.LibraryError, match="two or more places"):
        library.walk([(0.0, 0.0)], graph=graph)
