"""Joins: the inputs' own frames outside, nothing that jumps or slides inside."""

from __future__ import annotations

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.rig.roles import leg_length
from motionweave.core import rotations
from motionweave.methods.warping.join import make_join

PAIRS = {
    "walk to sit": ("cmu_16_33_walk_slow_stop", "cmu_113_15_sit_chair_and_get_up"),
    "run to jump": ("cmu_16_55_run_straight", "cmu_127_25_run_jump_over"),
    "walk to run": ("cmu_16_15_walk_straight", "cmu_16_55_run_straight"),
}


def steps(motion):
    return np.degrees(rotations.angle_between(motion.rotations[1:], motion.rotations[:-1]))


@pytest.mark.parametrize("correspondences", [None, (), [(80, 8)]])
def test_outside_the_overlap_clips_are_their_own(correspondences):
    walk, jog = mw.sample("walk"), mw.sample("jog")
    joined = mw.join(walk, jog, 20, correspondences, clean=False)
    start, end = len(walk) - 21, 20
    np.testing.assert_array_equal(joined.rotations[:start], walk.rotations[:start])
    np.testing.assert_array_equal(joined.root[:start], walk.root[:start])
    rest = len(jog) - end - 1
    np.testing.assert_allclose(joined.rotations[-rest:, 1:], jog.rotations[end + 1 :, 1:], atol=0)
    # Rigidly moved on the floor.
    mine, theirs = joined.root[-rest:], jog.root[end + 1 :]
    np.testing.assert_allclose(mine[:, 1], theirs[:, 1], atol=1e-12)
    lengths = [np.linalg.norm(np.diff(x, axis=0), axis=1) for x in (mine, theirs)]
    np.testing.assert_allclose(*lengths, atol=1e-9)


def test_a_clip_goes_over_into_its_own_continuation():
    walk = mw.sample("walk")
    joined = mw.join(walk[:60], walk[40:], 19, clean=False)
    assert len(joined) == len(walk)
    np.testing.assert_allclose(joined.root, walk.root, atol=1e-6)
    assert rotations.angle_between(joined.rotations, walk.rotations).max() < 1e-4


def test_given_correspondences_coincide():
    walk, jog = mw.sample("walk"), mw.sample("jog")
    place, _ = make_join(walk, jog, ((60, 84), (2, 20)), [(70, 12)])
    first, second = place.curves()
    assert place.length == 21
    shared = 0.5 * ((70 - 60) / 24 + (12 - 2) / 18) * 21
    assert first(np.array([shared]))[0] == pytest.approx(70.0)
    assert second(np.array([shared]))[0] == pytest.approx(12.0)
    for curve in (first, second):
        assert np.all(np.diff(curve(np.linspace(0, 21, 500))) >= 0.0)


@pytest.mark.parametrize(
    ("overlap", "points", "message"),
    [
        (0, None, "expected 1 to"),
        (500, None, "expected 1 to"),
        (((50, 40), (0, 10)), None, "of the first clip"),
        (((50, 60), (0, 1000)), None, "of the second clip"),
        ((1, 2, 3), None, r"overlap=\(1, 2, 3\): expected"),
        (20, [(1, 2)], "strictly inside"),
        (20, [(80, 10), (85, 5)], "increase"),
    ],
)
def test_overlaps_that_cannot_be_are_named(overlap, points, message):
    with pytest.raises(mw.WarpError, match=message):
        mw.join(mw.sample("walk"), mw.sample("jog"), overlap, points)


def test_another_rate_and_another_body():
    walk, jog = mw.sample("walk"), mw.sample("jog", fps=60.0).scaled(1.2)
    joined = mw.join(walk, jog)
    assert joined.fps == walk.fps
    assert joined.skeleton == walk.skeleton


@pytest.mark.mocap
@pytest.mark.parametrize("name", PAIRS)
def test_real_joins_neither_jump_nor_slide(mocap, name):
    a, b = (mw.load(mocap / "bvh" / f"{clip}.bvh")[5:] for clip in PAIRS[name])
    place, joined = make_join(a, b)
    start, end = round(place.first[0]), round(place.first[0]) + place.length
    around = slice(max(start - 12, 0), end + 12)
    body = [j for j, n in enumerate(a.skeleton.names) if "Finger" not in n and "Thumb" not in n]
    body = [j for j in body if "Index" not in a.skeleton.names[j]]
    fastest = max(np.percentile(steps(m)[:, body].max(axis=1), 99) for m in (a, b))
    assert steps(joined)[around][:, body].max() < 1.25 * fastest
    accelerations = [np.abs(np.diff(steps(m)[:, body], axis=0)).max(axis=1) for m in (a, b, joined)]
    usual = max(x.max() for x in accelerations[:2])
    assert accelerations[2][around].max() <= 1.25 * usual
    speed = np.linalg.norm(np.diff(joined.root, axis=0), axis=1)
    assert np.abs(np.diff(speed))[around].max() < 0.01 * leg_length(a.skeleton)
    # Feet held through the overlap stay put.
    cut = joined[around]
    measured = mw.quality(cut)
    assert measured.skate_mean < 0.002
