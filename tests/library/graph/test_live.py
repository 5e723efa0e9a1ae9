"""Walks that are steered step by step."""

from __future__ import annotations

import numpy as np

import motionweave as mw
from motionweave.library.graph.graph import Graph


def test_a_live_walk_goes_on_where_it_was_and_follows_wishes(
    library: mw.Library, graph: Graph
) -> None:
    ends = []
    for wish in (60.0, -60.0):
        live = library.live(graph=graph)
        frames = 1
        for _ in range(7):
            before = live.motion
            step = live.step(heading=wish)
            frames += len(step)
            np.testing.assert_array_equal(live.motion.root[: len(before)], before.root)
        assert len(live.motion) == frames
        # Nothing pops where steps meet: no frame moves on further than the clips do.
        fastest = max(np.abs(np.diff(library.load(n).positions(), axis=0)).max() for n in range(6))
        assert np.abs(np.diff(live.motion.positions(), axis=0)).max() < 1.3 * fastest
        ends.append(live.heading)
    assert ends[0] > ends[1] + 20.0
