"""What the paper shows: a longer spline dips further, swings further and takes longer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import Motion, Planar
from motionweave.body.pose.heading import facing
from motionweave.body.rig.roles import find_rig, leg_length
from motionweave.body.soles import contact_points
from motionweave.core import rotations
from motionweave.methods.subspace.joined import SplineTransition
from motionweave.methods.subspace.space import Subspace
from tests.methods.subspace.clips import assert_ends_fit


@dataclass(frozen=True)
class Swing:
    """Of a transition, lengths in legs: the lowest pelvis and the box the hands sweep."""

    seconds: float
    pelvis: float
    arms: float


def swing_of(motion: Motion, start: int, end: int) -> Swing:
    roles, leg = find_rig(motion.skeleton).roles, leg_length(motion.skeleton)
    places = motion.positions()
    hands = places[:, [roles["left_hand"], roles["right_hand"]]]
    hands = hands - places[:, [roles["left_upper_arm"], roles["right_upper_arm"]]]
    seen = Planar(-facing(motion)[:, None]).apply(hands)[start : end + 1]
    return Swing(
        (end - start) / motion.fps,
        float(motion.root[start : end + 1, 1].min()) / leg,
        float(np.linalg.norm(np.ptp(seen, axis=0), axis=1).mean()) / leg,
    )


def crossfade(space: Subspace, leave: int, enter: int, frames: int) -> Motion:
    """The plain blend: clip a from the leave frame fades into clip b up to the entry frame."""
    share = np.linspace(0.0, 1.0, frames + 1)
    share = share * share * (3.0 - 2.0 * share)
    a = space.a.sample(np.minimum(leave + np.arange(frames + 1), len(space.a) - 1.0))
    b = space.b.sample(np.maximum(enter - frames + np.arange(frames + 1), 0.0))
    turn = facing(a)[0] - facing(b)[-1]
    b = b.moved(Planar(turn))
    root = (1.0 - share[:, None]) * a.root + share[:, None] * b.root
    return Motion(
        a.skeleton, a.fps, root, rotations.slerp(a.rotations, b.rotations, share[:, None])
    )


def slide(motion: Motion, start: int, end: int) -> float:
    """The fastest that a planted foot moves over the floor, legs a second."""
    points, leg = contact_points(motion), leg_length(motion.skeleton)
    fastest = 0.0
    for contact in motion.constraints:
        first, last = max(contact.start, start), min(contact.end, end)
        frames = np.arange(int(np.ceil(first)), int(last) + 1)
        if len(frames) > 1 and contact.kind in points:
            steps = np.diff(points[contact.kind][frames][:, [0, 2]], axis=0)
            fastest = max(fastest, float(np.linalg.norm(steps, axis=1).max()))
    return fastest * motion.fps / leg


def assert_joins_are_smooth(made: SplineTransition) -> None:
    """Clean-up bends no join: accelerations there are about those of the raw motion."""

    def largest(motion: Motion) -> float:
        change = np.diff(motion.positions(), 2, axis=0)
        around = [*range(made.start - 3, made.start + 2), *range(made.end - 3, made.end + 2)]
        return float(np.linalg.norm(change[around], axis=2).max())

    assert largest(made.motion) < 1.5 * largest(made.raw)


def compare(space: Subspace, leave: int, enter: int, length: float) -> tuple[Swing, Swing, Swing]:
    """A short quadratic, a long quartic, and the plain blend as long as the quadratic."""
    short = space.transition(leave, enter, degree=2, length=1.0)
    long = space.transition(leave, enter, degree=4, length=length)
    for made in (short, long):
        assert_ends_fit(space, made)
        assert_joins_are_smooth(made)
        assert slide(made.motion, made.start, made.end) < 0.05
    frames = short.end - short.start
    plain = crossfade(space, leave, enter, frames)
    return (
        swing_of(short.motion, short.start, short.end),
        swing_of(long.motion, long.start, long.end),
        swing_of(plain, 0, frames),
    )


def test_a_landing_into_a_jump_built_in() -> None:
    space = mw.subspace(mw.sample("landing"), mw.sample("jump"))
    short, long, plain = compare(space, 11, 24, 1.6)
    assert long.seconds > short.seconds
    assert long.pelvis < min(short.pelvis, plain.pelvis) - 0.03
    assert long.arms > 1.05 * short.arms


@pytest.mark.parametrize("degree", [2, 4])
def test_the_dip_before_a_jump_grows_with_the_length(degree: int) -> None:
    space = mw.subspace(mw.sample("landing"), mw.sample("jump"))
    lows = []
    for length in (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0):
        made = space.transition(11, 24, degree=degree, length=length)
        lows.append(float(made.motion.root[made.start : made.end + 1, 1].min()))
    assert np.all(np.diff(lows) < 0.0)
    assert lows[0] - lows[-1] > 0.2


def clip(folder: Path, key: str) -> Motion:
    (path,) = (folder / "bvh").glob(f"cmu_{key}_*.bvh")
    return mw.load(path, drop_tpose=True)


@pytest.mark.mocap
def test_a_landing_into_a_jump(mocap: Path) -> None:
    space = mw.subspace(clip(mocap, "16_03"), clip(mocap, "16_05"))
    short, long, plain = compare(space, 260, 125, 1.8)
    assert long.seconds > 1.3 * short.seconds
    assert long.pelvis < min(short.pelvis, plain.pelvis) - 0.05
    assert long.arms > 1.5 * max(short.arms, plain.arms)


@pytest.mark.mocap
def test_a_golf_swing_again(mocap: Path) -> None:
    swing = clip(mocap, "64_01")
    short, long, _ = compare(mw.subspace(swing, swing), 330, 150, 2.0)
    assert long.seconds > 1.2 * short.seconds
    assert long.arms > 1.3 * short.arms


@pytest.mark.mocap
def test_one_stroke_of_the_sword_into_another(mocap: Path) -> None:
    swords = clip(mocap, "02_09")
    short, long, _ = compare(mw.subspace(swords[:420], swords[420:]), 250, 345, 2.0)
    assert long.seconds > 1.2 * short.seconds
    assert long.arms > 1.2 * short.arms


@pytest.mark.mocap
def test_clips_of_two_actors(mocap: Path) -> None:
    space = mw.subspace(clip(mocap, "124_07"), clip(mocap, "64_01"))
    assert space.b.skeleton == space.a.skeleton
    assert_ends_fit(space, space.transition(150, 150))


@pytest.mark.mocap
def test_long_splines_take_longer_on_real_clips(mocap: Path) -> None:
    space = mw.subspace(clip(mocap, "16_01"), clip(mocap, "16_03"))
    for leave, enter in ((190, 165), (250, 60)):
        for degree in (2, 4):
            frames = [
                len(space.transition(leave, enter, degree=degree, length=length, clean=False).path)
                for length in (1.0, 1.3, 1.7, 2.2, 3.0, 4.0)
            ]
            assert np.all(np.diff(frames) > 0)


@pytest.mark.mocap
def test_body_rotations_stay_near_those_of_the_clips(mocap: Path) -> None:
    space = mw.subspace(clip(mocap, "16_03"), clip(mocap, "16_05"))
    known = np.concatenate([space.a.rotations, space.b.rotations])[:, 1:]
    # Every joint is close to a rotation that it has in one of the clips: poses go on beyond
    # them the way they lead, but however far the spline swings, not on and on.
    for degree, length, bias, apart in (
        (2, 1.0, 0.0, 10.0),
        (4, 3.0, 0.5, 20.0),
        (6, 20.0, -1.0, 45.0),
    ):
        made = space.transition(262, 120, degree=degree, length=length, bias=bias)
        poses = made.raw.rotations[made.start : made.end + 1, 1:]
        alike = np.abs(np.einsum("tjc,sjc->jts", poses, known)).max(axis=2)
        assert np.degrees(2.0 * np.arccos(np.clip(alike.min(), 0.0, 1.0))) < apart
