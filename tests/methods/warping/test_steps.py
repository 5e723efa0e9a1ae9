"""Steps that are inserted where a path leads the body away from feet that stand."""

from __future__ import annotations

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.rig.roles import leg_length
from motionweave.body.soles import contact_points

ASIDE = [
    mw.Key("0.7 s", "position", offset=(0, 0, 0)),
    mw.Key("2.4 s", "position", offset=(1.0, 0, 0.3), unit="leg"),
]
TURN = [mw.Key("0.7 s", "heading", offset=0), mw.Key("2.4 s", "heading", offset=120)]


@pytest.fixture(scope="module", params=[30.0, 100.0])
def stand(request):
    return mw.sample("stand", fps=request.param)


def steps_of(motion, side):
    return [c for c in motion.constraints if c.kind == f"{side}_toe"]


@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
@pytest.mark.parametrize("keys", [ASIDE, TURN], ids=["aside", "turn"])
def test_feet_step_one_after_the_other_and_stand_in_between(stand, keys):
    with pytest.warns(mw.Notice, match="takes steps: "):
        gone = mw.warp(stand, keys, hold="after")
    leg = leg_length(stand.skeleton)
    points = contact_points(gone)
    air = np.ones(len(gone), dtype=bool)
    for side in ("left", "right"):
        stances = steps_of(gone, side)
        assert len(stances) >= 2
        mine = np.ones(len(gone), dtype=bool)
        for c in stances:
            inside = slice(int(np.ceil(c.start)), int(c.end) + 1)
            mine[inside] = False
            track = points[c.kind][inside]
            assert np.abs(track - track[0])[:, [0, 2]].max() < 0.02 * leg
        air &= mine
        # On the way the foot is lifted.
        between = slice(int(stances[0].end) + 1, int(np.ceil(stances[1].start)))
        low = points[f"{side}_toe"][:, 1]
        assert low[between].max() > low[0] + 0.03 * leg
    # One foot always carries the body.
    assert not air.any()
    # At the end both feet stand beside the body as they did in the beginning.
    last = mw.Planar(*np.zeros(3)) if keys is ASIDE else mw.Planar(np.radians(-120.0))
    for kind in ("left_toe", "right_toe"):
        before = points[kind][0] - gone.root[0]
        after = last.apply(points[kind][-1] - gone.root[-1])
        assert np.abs(before - after).max() < 0.12 * leg


def test_the_body_gets_there():
    stand = mw.sample("stand")
    with pytest.warns(mw.Notice):
        gone = mw.warp(stand, ASIDE, hold="after")
    moved = (gone.root - stand.root)[-1] / leg_length(stand.skeleton)
    np.testing.assert_allclose(moved[[0, 2]], [1.0, 0.3], atol=0.03)


def test_a_path_within_reach_needs_no_step():
    stand = mw.sample("stand")
    near = mw.warp(stand, mw.Key("1.5 s", "position", offset=(0.1, 0, 0), unit="leg"))
    assert near.constraints == stand.constraints


def test_walks_take_their_own_steps():
    walk = mw.sample("walk")
    aside = mw.warp(walk, mw.Key("50%", "position", offset=(0.7, 0, 0), unit="leg"), ease=1.2)
    assert aside.constraints == walk.constraints
