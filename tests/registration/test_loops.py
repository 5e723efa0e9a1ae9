"""Loops, ready-made cycles, and motions on the spot."""

from __future__ import annotations

import csv
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import Motion, Planar
from motionweave.core import rotations
from motionweave.core.cycles import displacement, is_closed, repeat
from motionweave.registration.cycles import extract_cycle, find_cycle, repetition
from tests.repeats import surely_repeats

GAITS = ["walk", "jog", "sneak", "walk_left", "jog_right"]


def pace(motion: Motion) -> float:
    return float(np.linalg.norm((motion.root[-1] - motion.root[0])[[0, 2]]) / motion.duration)


@pytest.mark.parametrize("name", GAITS)
def test_a_loop_is_closed_and_repeats(name: str) -> None:
    one, three = mw.loop(mw.sample(name)), mw.loop(mw.sample(name), rounds=3)
    assert is_closed(one)
    length = len(one) - 1
    assert len(three) == 3 * length + 1
    step = displacement(one)
    np.testing.assert_allclose(
        three.moved(step.inverse()).root[length : 2 * length + 1], one.root, atol=1e-9
    )
    # The seam is no rougher than the rest.
    bends = np.linalg.norm(np.diff(three.positions(), n=2, axis=0), axis=-1).max(axis=1)
    given = np.linalg.norm(np.diff(mw.sample(name).positions(), n=2, axis=0), axis=-1).max()
    assert bends[length - 2 : length + 1].max() < 1.25 * given


@pytest.mark.parametrize("name", GAITS)
def test_on_the_spot_and_back(name: str) -> None:
    there = mw.loop(mw.sample(name), rounds=3)
    still = mw.loop(mw.sample(name), rounds=3, in_place=True)
    assert not still.constraints
    assert np.abs(still.root[-1] - still.root[0]).max() < 1e-9
    np.testing.assert_allclose(still.rotations[-1], still.rotations[0], atol=1e-12)
    if abs(displacement(there).angle) < 0.1:
        back = mw.travel(still)
        assert pace(back) == pytest.approx(pace(there), rel=0.05)
        assert len(back.constraints) >= 0.6 * len(there.constraints)
        assert pace(mw.travel(still, speed=0.5)) == pytest.approx(0.5)


def test_a_clip_that_travels_goes_on_the_spot_and_one_that_stands_stays() -> None:
    walk = mw.in_place(mw.sample("walk"))
    assert np.ptp(walk.root[:, [0, 2]], axis=0).max() < 0.2 * walk.skeleton.height
    np.testing.assert_allclose(walk.rotations, mw.sample("walk").rotations)
    moved = mw.travel(mw.sample("walk"))
    assert np.abs(moved.root - mw.sample("walk").root).max() < 0.05 * moved.skeleton.height


def test_a_body_that_breathes_loops_if_it_ends_as_it_began() -> None:
    stand = mw.sample("walk")[:1]
    turns = 0.004 * np.sin(np.linspace(0.0, 2.0 * np.pi, 91))
    breathing = np.repeat(stand.rotations, 91, axis=0)
    spine = stand.skeleton.index("Spine")
    breathing[:, spine] = rotations.multiply(
        rotations.exp(turns[:, None] * [1.0, 0.0, 0.0]), breathing[:, spine]
    )
    idle = replace(
        stand, root=np.repeat(stand.root, 91, axis=0), rotations=breathing, constraints=()
    )
    assert find_cycle(idle) == (0, 90)
    assert len(mw.loop(idle, rounds=2)) == 181
    # Other methods do not take it for a gait, and half of a breath is no loop.
    assert not surely_repeats(idle)
    with pytest.raises(mw.MotionError, match="does not repeat"):
        find_cycle(idle[:24])


@pytest.mark.parametrize("name", GAITS)
@pytest.mark.parametrize("lacking", [False, True])
def test_a_ready_made_cycle_is_taken_whole(name: str, lacking: bool) -> None:
    cycle = extract_cycle(mw.sample(name))
    given = cycle[:-1] if lacking else cycle
    found = repetition(given)
    assert found is not None
    assert found.whole
    assert (found.first, found.last) == (0, len(given) - 1)
    taken = extract_cycle(given)
    assert len(taken) == len(cycle)
    apart = np.linalg.norm(taken.positions() - cycle.positions(), axis=-1).max()
    assert apart < 0.03 * cycle.skeleton.height


def test_a_clip_can_be_said_to_be_one_cycle() -> None:
    jab = mw.sample("jab")
    with pytest.raises(mw.MotionError, match=r"does not repeat itself.*frames='whole'"):
        mw.loop(jab)
    assert len(mw.loop(jab, 2, frames="whole")) == 2 * (len(jab) - 1) + 1
    assert len(mw.loop(jab, frames=(3, 20))) == 18
    with pytest.raises(mw.MotionError, match="not in a clip"):
        mw.loop(jab, frames=(3, 2000))
    with pytest.raises(mw.MotionError, match="'whole'"):
        mw.loop(jab, frames="half")  # type: ignore[arg-type]
    with pytest.raises(mw.MotionError, match="1 or more"):
        mw.loop(jab, 0, frames="whole")


def test_a_period_that_drifts_is_found_where_it_is_best() -> None:
    walk = extract_cycle(mw.sample("walk"))
    long = repeat(walk, 24)
    # From 0.7 to 1.6 times the speed: no single lag fits the whole clip.
    rate = np.linspace(0.7, 1.6, len(long))
    at = np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]))])
    drifting = long.sample(at[at <= len(long) - 1])
    first, last = find_cycle(drifting)
    played = at[last] - at[first]
    assert played == pytest.approx(len(walk) - 1, rel=0.03)
    found = repetition(drifting)
    assert found is not None
    assert found.share > 0.4


def test_standing_and_single_actions_do_not_repeat() -> None:
    walk = mw.sample("walk")
    still = walk.sample(np.full(200, 5.0))
    assert not surely_repeats(still)
    assert not surely_repeats(mw.sample("jab"))
    assert surely_repeats(mw.in_place(walk))


def test_the_cost_grows_with_the_length() -> None:
    walk = extract_cycle(mw.sample("walk"))
    costs = []
    for frames in (2000, 8000):
        long = repeat(walk, frames // (len(walk) - 1) + 1)[:frames].moved(Planar(0.3, 2.0, 1.0))
        repetition(long)
        began = time.process_time()
        assert repetition(long) is not None
        costs.append(time.process_time() - began)
    # Linear is 4, the square 16.
    assert costs[1] < 9.0 * costs[0]


def _named(wild: Path) -> list[Path]:
    """Walks and runs that go on: no turns, stops or jumps by their names."""
    other = ("turn", "stand", "stop", "crouch", "hop", "leap", "jump", "skip", "to", "2walk")
    with (wild / "catalog.csv").open(encoding="utf-8") as file:
        names = [row["file"] for row in csv.DictReader(file)]
    chosen = []
    for name in names:
        words = name.lower().rsplit("/")[-1].replace("dataset", "")
        if any(w in words for w in ("walk", "run")) and not any(w in words for w in other):
            chosen.append(wild / name)
    return chosen


@pytest.mark.wild
def test_most_walks_and_runs_of_many_sources_loop(wild: Path) -> None:
    paths = [path for path in _named(wild) if "games105" not in str(path)][::3]
    assert len(paths) >= 6
    missed = [
        path.name
        for path in paths
        if not surely_repeats(mw.load(path, contacts=False, drop_tpose=True))
    ]
    assert len(missed) <= 0.05 * len(paths) + 1e-9, missed


def test_a_cycle_that_had_to_be_forced_is_told() -> None:
    with pytest.warns(mw.QualityWarning, match="use frames="):
        mw.loop(mw.sample("kick_high"), frames=(3, 9))


def test_a_walk_is_closed_without_a_word() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mw.loop(mw.sample("walk"))


def test_the_whole_of_a_clip_begins_behind_its_t_pose() -> None:
    cycle = mw.loop(mw.sample("walk"))
    rest = np.tile(rotations.IDENTITY, (1, len(cycle.skeleton), 1))
    posed = mw.concatenate([replace(cycle[:1], rotations=rest), cycle])
    assert mw.loop(posed, frames="whole") == mw.loop(cycle, frames="whole")
