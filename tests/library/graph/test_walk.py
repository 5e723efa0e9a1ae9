"""Walks through a graph."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.rig.roles import leg_length
from motionweave.errors import Remedy
from motionweave.library.graph import performing
from motionweave.library.graph.floor_path import LEG
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


def test_who_can_walk_along_a_path_does_not_jump_along_it(tmp_path: Path) -> None:
    walk = mw.sample("walk", duration=6.0)
    leg = leg_length(walk.skeleton)
    middle = np.clip((np.arange(len(walk)) - 60.0) / 60.0, 0.0, 1.0)
    leaps = 0.5 * leg * np.sin(3.0 * np.pi * middle) ** 2
    leaping = replace(walk, root=walk.root + leaps[:, None] * [0.0, 1.0, 0.0], constraints=())
    # Whoever leaps is faster.
    leaping = replace(leaping, root=leaping.root * [1.0, 1.0, 1.2])
    for name, clip in (("walk", walk), ("more", walk[10:]), ("leaping", leaping)):
        mw.save(clip, tmp_path / f"{name}.npz")
    library = mw.Library(tmp_path, store=tmp_path / "store")
    library.add()
    graph = library.graph(tolerance=2.0)
    assert len(np.unique(graph.clips[:, 0])) == 3
    made = library.walk([(0.0, 0.0), (0.0, 12.0)], graph=graph, start="leaping.npz", bend=0.0)
    for clip, first, last in made.clips:
        heard = range(round(first), round(last) + 1)
        assert clip != "leaping.npz" or max(leaps[i] for i in heard) < 0.2 * leg


def test_paths_are_in_metres_of_a_body_of_usual_size_whichever_body_performs(
    tmp_path: Path,
) -> None:
    # The same clips, once in metres and once in centimetres, and in one folder.
    for name in ("walk", "walk_left", "walk_right"):
        motion = mw.sample(name, duration=6.0)
        for unit, folder in ((1.0, "metres"), (100.0, "centimetres")):
            for place in (folder, "both"):
                (tmp_path / place).mkdir(exist_ok=True)
                mw.save(motion.scaled(unit), tmp_path / place / f"{folder}_{name}.npz")
    ends = {}
    for place in ("metres", "centimetres", "both"):
        library = mw.Library(tmp_path / place)
        library.add()
        walk = library.walk([(1.0, 2.0), (1.0, 7.0)], graph=library.graph(tolerance=2.0))
        assert walk.error is not None
        assert walk.error < 0.5
        ends[place] = walk.motion.root[[0, -1]][:, [0, 2]] / leg_length(walk.motion.skeleton) * LEG
        np.testing.assert_allclose(ends[place][0], [1.0, 2.0], atol=0.1)
        np.testing.assert_allclose(ends[place][1], [1.0, 7.0], atol=1.0)
    np.testing.assert_allclose(ends["metres"], ends["centimetres"], atol=0.02)


def test_a_walk_needs_one_wish(library: mw.Library, graph: Graph) -> None:
    with pytest.raises(mw.LibraryError, match="a walk needs one of"):
        library.walk(graph=graph)
    with pytest.raises(mw.LibraryError, match="two or more places"):
        library.walk([(0.0, 0.0)], graph=graph)
