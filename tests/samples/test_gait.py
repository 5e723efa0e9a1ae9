"""Gaits do what their parameters say."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import motionweave as mw
from motionweave import samples
from motionweave.body.mirror import mirror
from motionweave.core import rotations
from motionweave.core.constraints import FOOT_KINDS, active, of_kind
from motionweave.samples.gait import STYLES

NINE = [f"{style}{way}" for style in STYLES for way in ("", "_left", "_right")]


def whole_cycle(name: str, **params: float) -> tuple[mw.Motion, float]:
    """A clip of exactly one cycle and its seconds."""
    style = name.split("_")[0]
    speed = params.get("speed", STYLES[style].speed)
    stride = params.get("stride", STYLES[style].stride)
    seconds = stride / speed
    return mw.sample(name, fps=200 / seconds, duration=seconds, **params), seconds


@pytest.mark.parametrize("style", list(STYLES))
@pytest.mark.parametrize("scale", [0.85, 1.0, 1.1])
def test_speed_and_stride(style: str, scale: float) -> None:
    speed, stride = STYLES[style].speed * scale, STYLES[style].stride * 0.95
    motion, seconds = whole_cycle(style, speed=speed, stride=stride)
    way = np.linalg.norm((motion.root[-1] - motion.root[0])[[0, 2]])
    assert way / seconds == pytest.approx(speed, rel=1e-3)
    long = mw.sample(style, fps=60.0, speed=speed, stride=stride, duration=4.0 * seconds)
    ball = long.positions()[:, long.skeleton.index("LeftToe")]
    middles = [round((c.start + c.end) / 2) for c in of_kind(long.constraints, "left_toe")]
    apart = np.linalg.norm(np.diff(ball[middles][:, [0, 2]], axis=0), axis=1)
    np.testing.assert_allclose(apart, stride, rtol=1e-6)


@pytest.mark.parametrize("curvature", [-0.4, -0.1, 0.0, 0.2])
def test_curvature(curvature: float) -> None:
    motion, _ = whole_cycle("walk", curvature=curvature)
    turned = np.unwrap(rotations.vertical_angle(motion.rotations[:, 0]))
    assert turned[-1] - turned[0] == pytest.approx(curvature * STYLES["walk"].stride, abs=1e-3)


def test_left_curves_go_left() -> None:
    for style in STYLES:
        assert mw.sample(f"{style}_left").root[-1, 0] > 0.5
        assert mw.sample(f"{style}_right").root[-1, 0] < -0.5


@pytest.mark.parametrize("style", list(STYLES))
def test_left_and_right_are_mirror_images(style: str) -> None:
    left = mw.sample(f"{style}_left", lead="right")
    right = mw.sample(f"{style}_right", lead="left")
    mirrored = mirror(left)
    np.testing.assert_allclose(mirrored.root, right.root, atol=1e-9)
    assert rotations.angle_between(mirrored.rotations, right.rotations).max() < 1e-6
    assert len(mirrored.constraints) == len(right.constraints)
    for a, b in zip(mirrored.constraints, right.constraints, strict=True):
        assert a.kind == b.kind
        assert (a.start, a.end) == pytest.approx((b.start, b.end))


@pytest.mark.parametrize("name", NINE)
def test_steps_alternate(name: str) -> None:
    sample = samples.make(name)
    steps = [label for _, label in sample.events if label.endswith("_et")]
    assert len(steps) >= 6
    assert all(a != b for a, b in pairwise(steps))


@pytest.mark.parametrize("name", NINE)
def test_events_of_steps_are_contacts(name: str) -> None:
    sample = samples.make(name)
    fps = sample.motion.fps
    for side in ("left", "right"):
        touches = [t for t, label in sample.events if label == f"{side[0].upper()}_et"]
        starts = {
            c.start for c in sample.motion.constraints if c.kind in (f"{side}_heel", f"{side}_toe")
        }
        for touch in touches:
            if touch * fps <= len(sample.motion) - 1:
                assert min(abs(start - touch * fps) for start in starts) < 1e-6
        # The swinging foot passes the body once between two touch-downs.
        passes = [t for t, label in sample.events if label == f"{side[0].upper()}_mt"]
        for before, after in pairwise(touches):
            assert sum(before < t < after for t in passes) == 1


@pytest.mark.parametrize("name", NINE)
def test_only_jogging_leaves_the_floor(name: str) -> None:
    motion = mw.sample(name, fps=120.0)
    frames = np.arange(len(motion))
    held = np.any([active(motion.constraints, kind, frames) for kind in FOOT_KINDS], axis=0)
    if name.startswith("jog"):
        flights = np.flatnonzero(np.diff(held.astype(int)) == -1)
        assert len(flights) >= 5
        # About a third of a jog is flight, and the body is highest in it.
        assert 0.15 < np.mean(~held) < 0.45
        assert motion.root[~held, 1].mean() > motion.root[held, 1].mean() + 0.01
    else:
        assert held.all()


@pytest.mark.parametrize("style", list(STYLES))
def test_arms_swing_against_the_legs(style: str) -> None:
    motion, _ = whole_cycle(style)
    positions = motion.positions()
    ahead = positions[..., 2] - positions[:, :1, 2]
    for side, other in (("Left", "Right"), ("Right", "Left")):
        hand = ahead[:, motion.skeleton.index(f"{side}Hand")]
        foot = ahead[:, motion.skeleton.index(f"{other}Foot")]
        assert np.corrcoef(hand, foot)[0, 1] > 0.5


def test_the_body_bobs_twice_a_cycle() -> None:
    for style in STYLES:
        motion, _ = whole_cycle(style)
        spectrum = np.abs(np.fft.rfft(motion.root[:-1, 1] - motion.root[:-1, 1].mean()))
        assert np.argmax(spectrum) == 2


def test_the_head_is_steadier_than_the_pelvis() -> None:
    motion, _ = whole_cycle("walk")
    turns = rotations.vertical_angle(motion.orientations())
    head, hips = motion.skeleton.index("Head"), 0
    assert np.ptp(turns[:, head]) < 0.3 * np.ptp(turns[:, hips])
