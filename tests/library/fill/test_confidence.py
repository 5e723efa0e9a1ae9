"""How far stretches fit a gap."""

from __future__ import annotations

import numpy as np

import motionweave as mw
from motionweave.body.floor import Floor
from motionweave.library.fill.confidence import fits, interpolated, towards
from motionweave.library.index.features import track


def test_what_is_far_for_how_little_the_body_moves_does_not_fit() -> None:
    walk = mw.sample("walk")
    straight = interpolated(walk[:20], walk[40:], 24)
    for at, end in ((1, walk[19]), (-2, walk[40])):
        np.testing.assert_allclose(straight.positions()[at], end.positions()[0], atol=1e-9)
    around = [track(walk[10:20], Floor(0.0))]
    assert fits(0.02, around) == 1.0
    still = [track(walk[10].sample(np.zeros(8)), Floor(0.0))]
    assert fits(0.02, still) < 1e-6
    # Of a single pose, nobody knows how fast it moves.
    assert fits(0.02, [track(walk[10], Floor(0.0))]) == 1.0
    halfway = towards(straight, walk[18:42], 0.5).root
    np.testing.assert_allclose(halfway, 0.5 * (straight.root + walk[18:42].root), atol=1e-12)
