"""Motion graphs."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.library.engine import Here
from motionweave.library.graph.building import build
from motionweave.library.graph.graph import STAY, Graph, packed, unpacked


def test_from_every_junction_one_can_go_on(graph: Graph) -> None:
    assert len(graph) > 10
    for junction in range(len(graph)):
        clip, sample = int(graph.clips[junction, 1]), int(graph.samples[junction, 1])
        assert len(graph.leaving(clip, sample + STAY)) > 0 or sample + STAY <= 0


def test_junctions_are_near_and_few(graph: Graph) -> None:
    assert graph.distances.max() <= 2.0 * 0.30
    assert np.all(graph.samples >= 0)
    same = graph.clips[:, 0] == graph.clips[:, 1]
    assert np.all(np.abs(np.diff(graph.samples[same], axis=1)) > STAY)


def test_a_graph_is_kept_until_clips_change(library: mw.Library, graph: Graph) -> None:
    again = unpacked(packed(graph), library.index)
    np.testing.assert_array_equal(again.clips, graph.clips)
    np.testing.assert_array_equal(again.arrivals.x, graph.arrivals.x)


def test_words_that_no_clip_has_are_told_apart_from_clips_that_do_not_fit(
    library: mw.Library,
) -> None:
    with pytest.raises(mw.LibraryError, match="no clip of the library has these words"):
        library.graph(words="nonsense")


def test_progress_is_told_up_to_the_end(library: mw.Library) -> None:
    told: list[tuple[int, int]] = []
    build(
        library.index,
        library.store.folder,
        tolerance=2.0,
        executor=Here(),
        progress=lambda done, total: told.append((done, total)),
    )
    assert told
    assert [done for done, _ in told] == list(range(1, told[-1][1] + 1))


def test_workers_give_the_same_graph(library: mw.Library, graph: Graph) -> None:
    with ProcessPoolExecutor(1) as pool:
        other = build(library.index, library.store.folder, tolerance=2.0, executor=pool)
    np.testing.assert_array_equal(other.samples, graph.samples)
    np.testing.assert_array_equal(other.distances, graph.distances)


def test_clips_too_short_for_a_transition_make_no_graph(tmp_path: Path) -> None:
    mw.save(mw.sample("walk")[:20], tmp_path / "short.npz")
    with mw.Library(tmp_path, executor=Here()) as short:
        short.add()
        with pytest.raises(mw.LibraryError, match="no clip of the library can turn into another"):
            short.graph()
