"""What the self-check measures, against plain NumPy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import leg_length
from motionweave.core import rotations
from motionweave.measure.figures import measured, recorded_from


@pytest.mark.parametrize("rate", [30.0, 120.0])
def test_changes_of_joints_are_those_of_whole_arrays(rate: float) -> None:
    walk = mw.sample("walk", duration=3.0).resample(120.0)
    assert len(walk) > 256
    flipped = np.array(walk.rotations)
    # The sign of a quaternion means nothing.
    flipped[100:, 5] *= -1.0
    found = measured(walk, rate)
    step = found.stride / walk.fps
    places, turns = walk.forward()
    s = found.stride
    bends = places[2 * s :] - 2.0 * places[s:-s] + places[: -2 * s]
    expected = np.linalg.norm(bends, axis=-1) / (leg_length(walk.skeleton) * step**2)
    np.testing.assert_allclose(found.acceleration, expected, rtol=1e-9, atol=1e-9)
    signed = rotations.unroll(turns)
    chords = signed[2 * s :] - 2.0 * signed[s:-s] + signed[: -2 * s]
    expected = 2.0 * np.linalg.norm(chords, axis=-1) / step**2
    np.testing.assert_allclose(found.twist, expected, rtol=1e-6, atol=1e-6)
    again = measured(mw.Motion(walk.skeleton, walk.fps, walk.root, flipped), rate)
    np.testing.assert_allclose(again.twist, found.twist, rtol=1e-6, atol=1e-6)


def test_a_foot_that_swings_over_low_ground_does_not_slide_because_it_climbs_later() -> None:
    walk = mw.sample("walk")
    steps = replace(walk, root=walk.root + np.outer(np.linspace(0.0, 0.6, len(walk)), [0, 1, 0]))
    level, rising = (measured(one, walk.fps).longest_slide for one in (walk, steps))
    assert rising < level + 0.3


def test_a_foot_does_not_slide_over_a_ramp_that_leads_to_a_block() -> None:
    jog = mw.sample("jog")
    leg = leg_length(jog.skeleton)
    stance = [c for c in jog.constraints if c.kind == "right_toe"][1]
    at = round(0.5 * (stance.start + stance.end))
    up = mw.warp(jog, mw.Key(at, "right_foot", offset=(0, 0.25 * leg, 0)))
    assert measured(up, up.fps).longest_slide < measured(jog, jog.fps).longest_slide + 0.1


def test_a_clip_with_little_behind_its_tpose_is_measured_whole() -> None:
    walk = mw.sample("walk")
    rest = np.tile(rotations.IDENTITY, (1, len(walk.skeleton), 1))
    root = np.concatenate([walk.root[:1], walk.root])
    clip = mw.Motion(walk.skeleton, walk.fps, root, np.concatenate([rest, walk.rotations]))
    assert recorded_from(clip) == recorded_from(clip[:4]) == tpose_frames(clip[:3]) == 1
    assert recorded_from(clip[:3]) == 0
    assert measured(clip[:3], clip.fps).acceleration.size > 0
