"""What all joiners promise: away from the seam, the clips are shown as they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import motionweave as mw
from motionweave import Motion
from motionweave.core import rotations
from motionweave.core.concatenation import concatenate
from motionweave.errors import BlendError, WarpError
from motionweave.methods.blending.transition import make_transition
from motionweave.methods.warping.join import make_join

# Seconds from a seam within which frames may change.
REACH = 1.5

Made = tuple[Motion, int, int]


def by_transition(a: Motion, b: Motion) -> Made:
    made = make_transition((a, b))
    return made.motion, *made.seams[0]


def by_join(a: Motion, b: Motion) -> Made:
    place, motion = make_join(a, b)
    start = int(place.first[0])
    return motion, start, start + place.length


def by_spline(a: Motion, b: Motion) -> Made:
    made = mw.subspace(a, b).transition()
    return made.motion, made.start, made.end


def flickering(motion: Motion) -> Motion:
    """A capture with noise in all joints and feet that are not quite on the floor."""
    noise = np.random.default_rng(5).normal(scale=0.02, size=(*motion.rotations.shape[:2], 3))
    quats = rotations.multiply(motion.rotations, rotations.exp(noise))
    drift = 0.01 * np.sin(np.arange(len(motion)) / 40.0)[:, None] * [1.0, 1.0, 0.0]
    return Motion(
        motion.skeleton, motion.fps, motion.root + drift, quats, constraints=motion.constraints
    )


@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
@pytest.mark.filterwarnings("ignore::motionweave.Notice")
@pytest.mark.parametrize("method", [by_transition, by_join, by_spline])
@pytest.mark.parametrize("names", [("walk", "jog"), ("stand", "walk"), ("walk", "stand")])
def test_frames_away_from_the_seam_are_those_of_the_clips(
    method: Callable[[Motion, Motion], Made], names: tuple[str, str]
) -> None:
    """Bit for bit in the first clip; in the second, but for one move of the root on the floor."""
    a, b = (flickering(mw.sample(name, duration=8.0)) for name in names)
    made, start, end = method(a, b)
    room = int(np.ceil(REACH * made.fps))
    head, tail = max(start - room, 0), min(end + room, len(made))
    assert head > 0
    assert tail < len(made)
    np.testing.assert_array_equal(made.root[:head], a.root[:head])
    np.testing.assert_array_equal(made.rotations[:head], a.rotations[:head])
    count = len(made) - tail
    own = b[len(b) - count :]
    np.testing.assert_array_equal(made.rotations[tail:, 1:], own.rotations[:, 1:])
    np.testing.assert_allclose(made.root[tail:, 1], own.root[:, 1], atol=1e-12)
    turn = rotations.multiply(made.rotations[tail:, 0], rotations.inverse(own.rotations[:, 0]))
    angle = rotations.vertical_angle(turn[:1])
    moved = own.moved(mw.Planar.onto(float(angle[0]), own.root[0, [0, 2]], made.root[tail, [0, 2]]))
    np.testing.assert_allclose(made.positions()[tail:], moved.positions(), atol=1e-9)


def posed(motion: Motion) -> Motion:
    """The motion behind a T-pose, as converters write it."""
    still = np.zeros((1, *motion.rotations.shape[1:]))
    still[..., 3] = 1.0
    spread = Motion(motion.skeleton, motion.fps, motion.root[:1], still)
    behind = concatenate([spread, motion.with_constraints(())])
    return behind.with_constraints([c.shifted(1.0) for c in motion.constraints])


@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
@pytest.mark.parametrize(
    "method",
    [
        lambda a, b, by: mw.transition(a, b),
        lambda a, b, by: mw.transition(a, b, at=(60 + by, 40 + by)),
        lambda a, b, by: mw.transition(a, b, keep=((0, 60 + by), (50 + by, 90))),
        lambda a, b, by: mw.join(a, b),
        lambda a, b, by: mw.join(a, b, 20),
        lambda a, b, by: mw.join(a, b, ((60 + by, 90 + by), (2 + by, 30 + by))),
    ],
)
def test_a_tpose_in_front_is_left_out_and_frames_count_from_it(
    method: Callable[[Motion, Motion, int], Motion],
) -> None:
    walk, jog = mw.sample("walk", duration=4.0), mw.sample("jog", duration=4.0)
    with_poses = method(posed(walk), posed(jog), 1)
    without = method(walk, jog, 0)
    assert len(with_poses) == len(without)
    assert np.allclose(with_poses.root, without.root, atol=1e-9)
    assert np.allclose(with_poses.positions(), without.positions(), atol=1e-9)


@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
def test_a_spline_begins_behind_the_tpose() -> None:
    walk, jog = posed(mw.sample("walk")), posed(mw.sample("jog"))
    made = mw.subspace(walk, jog).transition(40, 20)
    assert (made.leave, made.start) == (40, 39)
    assert np.allclose(made.raw.positions()[: made.start + 1], walk[1:41].positions())


def test_no_clip_is_left_or_entered_in_its_tpose() -> None:
    walk, jog = posed(mw.sample("walk")), posed(mw.sample("jog"))
    with pytest.raises(BlendError, match=r"frame 0 of .*: that is a T-pose; use frame 1 or"):
        mw.transition(walk, jog, at=(0, 20))
    held = walk.sample(np.maximum(np.arange(-9.0, len(walk)), 0.0))
    with pytest.raises(BlendError, match=r"frame 3 of .*: that is a T-pose; use frame 10 or"):
        mw.transition(held, jog, at=(3, 20))
    with pytest.raises(WarpError, match=r"has frames 1 to .*, behind a T-pose"):
        mw.join(walk, jog, ((20, 50), (0, 30)))
