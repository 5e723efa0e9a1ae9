"""Joined clips: exact and smooth at both ends, sane in between, whatever the spline."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import motionweave as mw
from motionweave import Motion, Planar
from motionweave.core import rotations
from motionweave.errors import BlendError, QualityWarning, RigError
from motionweave.methods.joining.junctions import action_before
from motionweave.methods.subspace import bezier
from motionweave.methods.subspace.field import MARGIN
from motionweave.methods.subspace.space import Subspace
from tests.methods.subspace.clips import assert_ends_fit, assert_same_poses, two_clips

seeds = st.integers(0, 2**32 - 1)
degrees = st.sampled_from(bezier.DEGREES)


@pytest.fixture(scope="module")
def space() -> Subspace:
    return mw.subspace(*two_clips(1))


@settings(max_examples=25)
@given(seeds, degrees, st.floats(1.0, 4.0), st.floats(-1.0, 1.0), st.data())
def test_both_ends_have_the_clips_poses_and_velocities(
    seed: int, degree: int, length: float, bias: float, data: st.DataObject
) -> None:
    space = mw.subspace(*two_clips(seed))
    leave = data.draw(st.integers(1, len(space.a) - 2))
    enter = data.draw(st.integers(1, len(space.b) - 2))
    made = space.transition(leave, enter, degree=degree, length=length, bias=bias)
    assert (made.leave, made.enter) == (leave, enter)
    assert len(made.raw) == leave + 1 + (made.end - made.start - 1) + len(space.b) - enter
    assert_ends_fit(space, made)


@pytest.mark.parametrize("where", ["last", "first"])
def test_clips_may_be_cut_where_they_end(where: str) -> None:
    space = mw.subspace(*two_clips(2))
    leave = len(space.a) - 1 if where == "last" else 0
    enter = 0 if where == "last" else len(space.b) - 1
    made = space.transition(leave, enter)
    assert_ends_fit(space, made)
    # No frame beyond the cut tells the velocity: the step goes on as the one before.
    positions = made.raw.positions()
    steps = np.diff(positions, axis=0)
    if where == "last":
        change = np.linalg.norm(steps[made.start] - steps[made.start - 1])
        assert change < 0.25 * np.linalg.norm(steps[made.start - 1])
        change = np.linalg.norm(steps[made.end] - steps[made.end - 1])
        assert change < 0.25 * np.linalg.norm(steps[made.end])


@settings(max_examples=20)
@given(seeds, degrees, st.floats(1.0, 6.0), st.data())
def test_nothing_jumps(seed: int, degree: int, length: float, data: st.DataObject) -> None:
    space = mw.subspace(*two_clips(seed))
    leave = data.draw(st.integers(0, len(space.a) - 1))
    enter = data.draw(st.integers(0, len(space.b) - 1))
    made = space.transition(leave, enter, degree=degree, length=length)
    turns = rotations.angle_between(made.raw.rotations[1:], made.raw.rotations[:-1])
    own = max(
        rotations.angle_between(clip.rotations[1:], clip.rotations[:-1]).max()
        for clip in (space.a, space.b)
    )
    assert turns.max() < 4.0 * own


@settings(max_examples=25)
@given(seeds, degrees, st.floats(1.0, 50.0), st.floats(-1.0, 1.0), st.data())
def test_poses_stay_near_the_range_of_the_clips(
    seed: int, degree: int, length: float, bias: float, data: st.DataObject
) -> None:
    space = mw.subspace(*two_clips(seed), dimensions=data.draw(st.integers(1, 8)))
    leave = data.draw(st.integers(0, len(space.a) - 1))
    enter = data.draw(st.integers(0, len(space.b) - 1))
    made = space.transition(leave, enter, degree=degree, length=length, bias=bias)
    part = slice(*(space.field.code.columns["rotations"].indices(10**6)[:2]))
    known = np.concatenate(space.rows)[:, part]
    margin = MARGIN * np.ptp(known, axis=0)
    # At an end a clip may be moving out of the range, and has to be let go on for a moment.
    room = np.abs(np.diff(known, axis=0)).max(axis=0) * 0.05 * space.a.fps
    rows = space.field.code.encode(made.raw)[made.start : made.end + 1, part]
    assert np.all(rows < known.max(axis=0) + margin + room + 1e-9)
    assert np.all(rows > known.min(axis=0) - margin - room - 1e-9)
    heights = np.concatenate([space.a.root[:, 1], space.b.root[:, 1]])
    made_heights = made.raw.root[made.start : made.end + 1, 1]
    assert made_heights.max() < heights.max() + 0.5 * np.ptp(heights)
    assert made_heights.min() > heights.min() - 0.5 * np.ptp(heights)


@pytest.mark.parametrize("degree", bezier.DEGREES)
@pytest.mark.parametrize("seed", range(4))
def test_a_longer_spline_takes_longer(seed: int, degree: int) -> None:
    space = mw.subspace(*two_clips(seed))
    frames = []
    for length in (1.0, 1.3, 1.7, 2.2, 3.0, 4.0, 6.0):
        made = space.transition(40, 15, degree=degree, length=length)
        assert made.length == pytest.approx(length, rel=1e-5)
        frames.append(made.end - made.start)
    assert np.all(np.diff(frames) >= 0)
    assert frames[-1] > 1.5 * frames[0]


def test_a_length_below_the_straight_line_warns_and_takes_the_straight_line(
    space: Subspace,
) -> None:
    with pytest.warns(QualityWarning, match="the straight one of length"):
        made = space.transition(40, 15, length=0.01)
    assert_ends_fit(space, made)


def test_the_record_of_a_transition_fits_the_motion(space: Subspace) -> None:
    made = space.transition(40, 15, degree=5, length=1.5)
    assert made.control.shape == (6, space.embedding.dimensions)
    assert len(made.path) == made.end - made.start + 1
    np.testing.assert_allclose(made.path[0], space.curves[0][40], atol=1e-9)
    np.testing.assert_allclose(made.path[-1], space.curves[1][15], atol=1e-9)
    assert made.start == 40
    assert made.duration == pytest.approx((made.end - made.start) / 60.0)
    assert made.explained == space.explained >= 0.95
    assert made.raw.name == "first to second"


def test_the_best_pair_is_the_most_alike_in_the_halves_worth_keeping() -> None:
    a, b = two_clips(3)
    # A stretch of b that a ends with: the best place to change is inside it.
    common = b[:20].moved(Planar(1.0, 2.0, 3.0))
    joined = mw.concatenate([a[:40], replace(common, name="first")])
    space = mw.subspace(joined, b)
    leave, enter = space.best_pair()
    # The bridge takes the place of what the clips have in common there.
    replaced = enter - (leave - 40)
    assert 0 < replaced <= 0.3 * space.a.fps
    assert space.best_pair(leave=45) == (45, 5)
    assert space.best_pair(enter=7) == (47, 7)


@settings(max_examples=15)
@given(seeds, st.floats(-5.0, 5.0), st.floats(-30.0, 30.0))
def test_where_the_second_clip_stands_does_not_matter(seed: int, angle: float, x: float) -> None:
    a, b = two_clips(seed)
    here = mw.spline_transition(a, b, 50, 10)
    there = mw.spline_transition(a, b.moved(Planar(angle, x, 4.0)), 50, 10)
    assert_same_poses(here, there)


def test_the_same_input_gives_the_same_output() -> None:
    a, b = two_clips(8)
    one, two = (mw.spline_transition(a, b, 50, 10) for _ in range(2))
    np.testing.assert_array_equal(one.root, two.root)
    np.testing.assert_array_equal(one.rotations, two.rotations)


def test_another_frame_rate_is_brought_to_the_first() -> None:
    a, _ = two_clips(9)
    _, b = two_clips(9, frames=(140, 120), fps=120.0)
    space = mw.subspace(a, b)
    assert space.b.fps == a.fps
    made = space.transition(40, 30)
    assert made.enter == 15
    expected = b[30].moved(made.placed)
    assert_same_poses(made.raw[made.end], expected)


def test_clips_that_stand_still_are_joined() -> None:
    a, b = two_clips(10)
    still_a = a.sample(np.full(40, 20.0))
    still_b = b.sample(np.full(30, 50.0))
    for first, second in ((still_a, still_b), (still_a, b), (a, still_b), (still_a, still_a)):
        space = mw.subspace(first, second)
        for degree in bezier.DEGREES:
            made = space.transition(20, 10, degree=degree)
            assert_same_poses(made.raw[made.start], space.a[20])
            assert_same_poses(made.raw[made.end], space.b[10].moved(made.placed))
            assert made.duration < 5.0


def test_long_clips_are_thinned_and_the_ends_still_fit() -> None:
    a, b = two_clips(11, frames=(700, 500))
    space = mw.subspace(a, b, most_samples=150)
    assert len(space.samples) <= 150
    assert len(space.curves[0]) == len(a)
    assert_ends_fit(space, space.transition(351, 77))


def test_every_frame_is_a_sample_and_is_reproduced(space: Subspace) -> None:
    points = np.concatenate(space.curves)
    known = np.concatenate(space.rows)
    np.testing.assert_allclose(space.field.kriging.interpolant(known)(points), known, atol=1e-6)


def test_a_tpose_in_the_first_frame_is_no_part_of_the_motion() -> None:
    a, b = two_clips(12)
    quats = np.zeros((1, len(b.skeleton), 4))
    quats[..., 3] = 1.0
    tpose = Motion(b.skeleton, b.fps, b.root[:1], quats)
    with_tpose = mw.concatenate([tpose, b])
    space = mw.subspace(a, with_tpose)
    plain = mw.subspace(a, b)
    assert space.best_pair(leave=40) == (40, plain.best_pair(leave=40)[1] + 1)
    assert_same_poses(space.transition(40, 16).raw, plain.transition(40, 15).raw)
    with pytest.raises(BlendError, match="T-pose"):
        space.transition(40, 0)


def test_frames_outside_the_clips_are_refused(space: Subspace) -> None:
    with pytest.raises(BlendError, match=r"leave at frame 70: the clip 'first' has frames 0 to 69"):
        space.transition(70, 3)
    with pytest.raises(BlendError, match="enter at frame -1"):
        space.transition(3, -1)


@pytest.mark.parametrize("length", [0.0, -1.0, np.nan, 1e3])
def test_impossible_lengths_are_refused(space: Subspace, length: float) -> None:
    with pytest.raises(BlendError, match=r"expected a (positive )?number"):
        space.transition(40, 15, length=length)


def test_clips_of_other_characters_are_refused() -> None:
    a, _ = two_clips(1)
    b, _ = two_clips(2)
    with pytest.raises(RigError, match="bodies do not correspond"):
        mw.subspace(a, b)


def test_clips_need_three_frames() -> None:
    a, b = two_clips(1)
    with pytest.raises(BlendError, match="too short"):
        mw.subspace(a[:2], b)


def test_a_long_bridge_shows_more_of_its_clips_than_a_short_one() -> None:
    walk = mw.sample("walk")
    space = mw.subspace(walk, mw.sample("jog"))
    leave = int(np.searchsorted(action_before(walk), 0.5))
    made = space.transition(leave, 2)
    for frames, said in ((4, True), (24, False)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            space.warn_of_cut(replace(made, end=made.start + frames))
        assert bool(caught) == said
