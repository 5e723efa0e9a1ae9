"""Feet in the air go around edges, and stances are placed where the foot can stand and get to."""

from __future__ import annotations

import numpy as np
import pytest

import motionweave as mw
from motionweave.core.planar import Planar
from motionweave.methods.warping.detours import detour
from motionweave.methods.warping.landings import Climb, Stance, land


def swing(fps, seconds=0.5):
    """A foot that stands, swings and stands."""
    standing = np.ones(round((seconds + 0.4) * fps), dtype=bool)
    standing[round(0.2 * fps) : -round(0.2 * fps)] = False
    return standing


def corner(standing, fps):
    """How low a foot is that passes x = 0 beside a post, a moment before it lands."""
    ahead = np.arange(len(standing))[::-1] / fps - 0.2

    def low(moments, aside):
        there = np.interp(moments, np.arange(len(ahead)), ahead)
        beside = (there > 0.1) & (there < 0.16) & (aside[..., 0] < 0.03)
        return np.where(beside, 0.15, -1.0)

    return low


def test_a_foot_that_clears_the_ground_makes_no_detour():
    standing = swing(60.0)
    free = detour(lambda moments, aside: np.full(aside.shape[:2], -0.1), standing, 1.0, 60.0)
    assert np.all(free == 0.0)


def test_a_foot_goes_around_what_it_would_have_to_jump_over_and_lands_where_it_did():
    standing, fps = swing(60.0), 60.0
    low = corner(standing, fps)
    aside = detour(low, standing, 1.0, fps)
    frames = np.flatnonzero(~standing)
    assert np.all(low(frames, aside[None, frames]) <= 0.0)
    assert np.all(aside[standing] == 0.0)
    assert np.all(aside[:, 1] == 0.0)
    assert np.abs(np.diff(aside, 2, axis=0)).max() * fps**2 < 15.0


@pytest.mark.parametrize("fps", [30.0, 120.0, 240.0])
def test_a_clip_sampled_more_finely_has_the_same_detour(fps):
    ways = [
        detour(corner(standing, rate), standing, 1.0, rate)[len(standing) // 2]
        for rate in (60.0, fps)
        for standing in [swing(rate)]
    ]
    np.testing.assert_allclose(*ways, atol=0.03)


STAIRS = mw.Ground.stairs(0.2, 0.4, axes="world")


def stance(heel, toe, through):
    return Stance(0.0, np.array([heel, toe]), np.array(through), 0.0, (Planar(), 0.0))


def test_a_foot_that_turns_while_it_stands_does_not_turn_into_a_riser():
    heel, toe = (0.0, 0.0, -0.3), (0.15, 0.0, -0.3)
    turned = (0.0, 0.0, -0.1)
    still = land(stance(heel, toe, [heel, toe]), np.zeros(2), [], STAIRS, 1.0)
    turning = land(stance(heel, toe, [heel, toe, turned]), np.zeros(2), [], STAIRS, 1.0)
    moved = turning.move(np.array([turned]))[0]
    assert np.hypot(*still.shift[[0, 2]]) < 0.05
    assert moved[1] >= STAIRS.at(moved[None])[0] - 0.016


def test_a_foot_climbs_no_further_than_its_swing_takes_it():
    heel, toe = (0.0, 0.0, 0.1), (0.0, 0.0, 0.25)
    asked = stance(heel, toe, [heel, toe])
    free = land(asked, np.zeros(2), [Climb(0.0, 0.3)], STAIRS, 1.0)
    short = land(asked, np.zeros(2), [Climb(0.0, 0.3), Climb(0.0, 0.1)], STAIRS, 1.0)
    assert free.height == pytest.approx(0.2)
    assert short.height == pytest.approx(0.0)
    assert np.hypot(*short.shift[[0, 2]]) < 0.5


@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
def test_a_walk_down_stairs_drops_its_feet_no_harder_than_it_puts_them_down_on_the_floor():
    walk = mw.sample("walk")
    down = mw.warp(walk, ground=mw.Ground.stairs(-0.19, 0.35, start=0.8, unit="leg"))
    ankles = [walk.skeleton.names.index(name) for name in ("LeftFoot", "RightFoot")]
    hard = [
        np.linalg.norm(np.diff(m.positions()[:, ankles], 2, axis=0), axis=-1).max()
        for m in (walk, down)
    ]
    assert hard[1] < 1.5 * hard[0]
