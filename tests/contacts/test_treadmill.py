"""Walking in place beside walking over the floor."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.rig.roles import leg_length
from motionweave.contacts.treadmill import belt


@pytest.fixture(scope="module")
def on_the_spot() -> mw.Motion:
    return mw.in_place(mw.loop(mw.sample("walk"), rounds=3))


def test_the_belt_is_as_fast_as_the_body_would_be(on_the_spot: mw.Motion) -> None:
    cycle = mw.loop(mw.sample("walk"))
    velocity = (cycle.root[-1] - cycle.root[0])[[0, 2]] / cycle.duration
    np.testing.assert_allclose(-belt(on_the_spot), velocity, atol=0.08 * leg_length(cycle.skeleton))
    assert np.linalg.norm(belt(mw.sample("walk"))) < 0.1 * np.linalg.norm(velocity)


@pytest.mark.parametrize("make", [mw.transition, mw.join, mw.spline_transition, mw.register])
@pytest.mark.parametrize("turned_round", [False, True])
def test_a_clip_in_place_does_not_go_with_one_that_travels(
    on_the_spot: mw.Motion, make: object, turned_round: bool
) -> None:
    clips = (on_the_spot, mw.sample("jog"))
    assert callable(make)
    with pytest.warns(mw.QualityWarning, match=r"walks in place.*mw\.travel"):
        make(*(clips[::-1] if turned_round else clips))


def test_clips_of_one_name_are_told_apart_by_their_place(on_the_spot: mw.Motion) -> None:
    both = (replace(mw.sample("jog"), name="walk"), replace(on_the_spot, name="walk"))
    with pytest.warns(mw.QualityWarning, match=r"^clip 2, 'walk', .* but clip 1, 'walk', travels"):
        mw.on_common_skeleton(both)


def test_nothing_is_said_where_all_do_the_same(on_the_spot: mw.Motion) -> None:
    jog = mw.in_place(mw.loop(mw.sample("jog"), rounds=3))
    stand = mw.sample("walk")[:1]
    still = mw.concatenate([stand] * 40)
    pairs = [(on_the_spot, jog), (still, mw.sample("walk")), (still, on_the_spot)]
    pairs += [(mw.travel(on_the_spot), mw.sample("jog")), (mw.sample("jab"), mw.sample("walk"))]
    for pair in pairs:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            mw.on_common_skeleton(pair)


def test_a_layer_may_come_from_a_clip_that_travels(on_the_spot: mw.Motion) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        mw.layer(on_the_spot, mw.sample("jog"), "arms")
    assert not [one for one in said if "in place" in str(one.message)]
