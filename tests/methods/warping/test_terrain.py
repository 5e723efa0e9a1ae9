"""Feet on given ground: they stand on it, swing above it, and climb no more than they can."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.hinges import find_hinges
from motionweave.body.rig.roles import leg_length
from motionweave.body.soles import contact_points
from motionweave.contacts.floors import ground_under
from motionweave.core.constraints import active
from motionweave.measure.check import check
from tests.methods.warping.test_feet import slides

GROUNDS = {
    "uphill": mw.Ground.slope(9),
    "downhill": mw.Ground.slope(-12),
    "across": mw.Ground.slope(10, direction=90),
    "stairs": mw.Ground.stairs(0.19, 0.35, start=0.8, unit="leg"),
    "down the stairs": mw.Ground.stairs(-0.19, 0.35, start=0.8, unit="leg"),
    "kerb": mw.Ground.profile([(1.2, 0.0), (1.2, 0.15)], unit="leg"),
    "waves": mw.Ground(lambda x, z: 0.06 * np.sin(2 * z) * np.cos(x), axes="body", unit="leg"),
}


@pytest.fixture(
    scope="module",
    params=[
        "built-in",
        pytest.param("cmu_104_35_walk_slow", marks=pytest.mark.mocap),
    ],
)
def walk(request):
    if request.param == "built-in":
        return mw.sample("walk")
    folder = request.getfixturevalue("mocap")
    return mw.load(folder / "bvh" / f"{request.param}.bvh")[5:]


def above(motion, ground, original):
    """How high heels and toes are above ground, in leg lengths, by kind."""
    under = ground_under(ground, original)
    leg = leg_length(motion.skeleton)
    return {kind: under.above(p) / leg for kind, p in contact_points(motion).items()}


@pytest.mark.parametrize("name", GROUNDS)
@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
def test_feet_stand_on_the_ground_and_swing_above_it(walk, name):
    ground = GROUNDS[name]
    warped = mw.warp(walk, ground=ground)
    level = mw.Ground(lambda x, z: 0 * x, axes="body")
    new, old = above(warped, ground, walk), above(walk, level, walk)
    frames = np.arange(len(walk))
    for kind, heights in new.items():
        held = active(walk.constraints, kind, frames)
        assert np.abs(heights - old[kind])[held].max() < 0.03
        assert heights.min() > min(old[kind].min(), 0.0) - 0.04
    if name != "stairs":
        assert slides(warped, walk) < 0.35
    for role, hinge in find_hinges(walk).items():
        if role.endswith("shin"):
            bends = [np.degrees(hinge.flexion(*m.forward()).min()) for m in (walk, warped)]
            assert bends[1] > min(bends[0], 0.0) - 3.0
    worst = [f.severity for f in check(warped, [walk]) if f.kind == "acceleration"]
    assert max(worst, default=0.0) < 1.6


@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
def test_steps_get_as_long_as_treads_and_climb_one_each(walk):
    ground = GROUNDS["stairs"]
    warped = mw.warp(walk, ground=ground)
    leg = leg_length(walk.skeleton)
    tops = []
    points = contact_points(warped)
    under = ground_under(ground, walk)
    for c in sorted(walk.constraints):
        if c.kind.endswith("toe"):
            middle = round(min(0.5 * (c.start + c.end), len(walk) - 1))
            tops.append(float(under.at(points[c.kind][middle])) / leg)
    rises = np.diff(tops)
    assert tops[-1] - tops[0] > 0.3
    assert rises.min() > -0.01
    assert rises.max() < 0.3


def test_level_ground_changes_next_to_nothing():
    walk = mw.sample("walk")
    same = mw.warp(walk, ground=mw.Ground.slope(0))
    leg = leg_length(walk.skeleton)
    assert np.abs(same.positions() - walk.positions()).max() < 0.01 * leg


def test_feet_that_stand_throughout_the_clip_are_put_onto_ground():
    jab = mw.sample("jab")
    result = mw.warp(jab, ground=mw.Ground.slope(8))
    assert slides(result, jab) < 0.05
    assert not np.array_equal(result.root, jab.root)


def test_the_frame_rate_does_not_matter():
    walk = mw.sample("walk")
    ground = GROUNDS["uphill"]
    fine = mw.warp(walk.resample(4 * walk.fps), ground=ground)
    coarse = mw.warp(walk, ground=ground)
    apart = np.abs(fine.positions()[::4][: len(coarse)] - coarse.positions()).max()
    assert apart < 0.04 * leg_length(walk.skeleton)


def test_keys_work_on_ground():
    walk = mw.sample("walk")
    stooped = [mw.Key("50%", "spine", turn=(30, 0, 0)), mw.Key("50%", "hips", offset=(0, -0.1, 0))]
    ground = GROUNDS["uphill"]
    plain, keyed = mw.warp(walk, ground=ground), mw.warp(walk, stooped, ground=ground, hold=True)
    low = (plain.root - keyed.root)[:, 1]
    assert np.median(low) == pytest.approx(0.1, abs=0.02)
    feet = [contact_points(m)["left_toe"] for m in (plain, keyed)]
    held = active(walk.constraints, "left_toe", np.arange(len(walk)))
    assert np.abs(feet[0] - feet[1])[held].max() < 0.01


def test_recipes_carry_ground(tmp_path):
    path = tmp_path / "hill.yaml"
    path.write_text("unit: leg\nground: {stairs: {rise: 0.19, run: 0.35, start: 0.8}}\n")
    recipe = mw.load_warp(path)
    assert recipe.options["ground"].unit == "leg"
    mw.save_warp(recipe, tmp_path / "again.json")
    walk = mw.sample("walk")
    again = mw.load_warp(tmp_path / "again.json").apply(walk)
    np.testing.assert_array_equal(again.root, recipe.apply(walk).root)
    with pytest.raises(mw.WarpError, match="function cannot be written"):
        mw.save_warp(mw.Recipe(options={"ground": mw.Ground(lambda x, z: x)}), path)
    path.write_text("ground: {mud: 3}\n")
    with pytest.raises(mw.FormatError, match="expected one of slope"):
        mw.load_warp(path)


def test_what_ground_needs():
    walk = mw.sample("walk")
    with pytest.raises(mw.WarpError, match="expected a Ground"):
        mw.warp(walk, ground=8)
    with pytest.raises(mw.WarpError, match="clean=True"):
        mw.warp(walk, ground=mw.Ground.slope(3), clean=False)
    with pytest.raises(mw.WarpError, match="the clip has none; detect them first"):
        mw.warp(walk.with_constraints(()), ground=mw.Ground.slope(3))


def test_clean_up_on_given_ground():
    walk = mw.sample("walk")
    ground = GROUNDS["uphill"]
    uphill = mw.warp(walk, ground=ground)
    # Sunk into the slope, the feet come back onto it.
    from dataclasses import replace

    sunk = replace(uphill, root=uphill.root - [0.0, 0.02, 0.0])
    world = ground_under(ground, walk)
    cleaned = mw.clean_feet(sunk, floor=world)
    held = active(walk.constraints, "left_toe", np.arange(len(walk)))
    high = [
        np.abs(world.above(contact_points(m)["left_toe"])[held]).mean() for m in (sunk, cleaned)
    ]
    assert high[1] < 0.4 * high[0]


@pytest.mark.parametrize(("deep", "told"), [(0.02, 0), (0.08, 1)])
def test_feet_left_in_the_ground_are_told(deep, told, monkeypatch):
    clip = mw.sample("walk")
    down = [0.0, deep * leg_length(clip.skeleton), 0.0]
    sunk = replace(clip, root=clip.root - down)
    monkeypatch.setattr("motionweave.methods.warping.warp.warp_values", lambda *_, **__: sunk)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mw.warp(clip, ground=mw.Ground.slope(0.0))
    buried = [one for one in caught if "deeper in the ground" in str(one.message)]
    assert len(buried) == told
