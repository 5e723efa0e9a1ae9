"""Poses as rows: there and back without loss, wherever the character starts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import motionweave as mw
from motionweave import Motion, Planar
from motionweave.body.hinges import find_hinges
from motionweave.body.pose.heading import facing
from motionweave.core import rotations
from motionweave.methods.subspace.poses import PoseCode
from tests.methods.subspace.clips import two_clips

seeds = st.integers(0, 2**32 - 1)


def start_of(motion: Motion) -> tuple[float, float, float]:
    return float(facing(motion)[0]), float(motion.root[0, 0]), float(motion.root[0, 2])


def assert_same(one: Motion, other: Motion, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(one.root, other.root, atol=tolerance)
    assert np.all(rotations.angle_between(one.rotations, other.rotations) < tolerance)


@given(seeds)
def test_rows_of_a_clip_give_the_clip(seed: int) -> None:
    a, b = two_clips(seed)
    code = PoseCode.of((a, b))
    for clip in (a, b):
        assert_same(code.decode(code.encode(clip), clip, start_of(clip)), clip)


@given(seeds, st.floats(-9.0, 9.0))
def test_rows_do_not_tell_place_or_heading(seed: int, angle: float) -> None:
    a, b = two_clips(seed)
    code = PoseCode.of((a, b))
    moved = b.moved(Planar(angle, 3.0, -8.0))
    np.testing.assert_allclose(code.encode(moved), code.encode(b), atol=1e-7)
    assert_same(code.decode(code.encode(b), b, start_of(moved)), moved, 1e-7)


def test_places_are_seen_from_the_body() -> None:
    a, b = two_clips(4)
    code = PoseCode.of((a, b))
    points = np.concatenate([a.positions(), a.end_positions()], axis=1)
    expected = points - a.root[:, None] * [1.0, 0.0, 1.0]
    expected = Planar(-facing(a)[:, None]).apply(expected)
    np.testing.assert_allclose(code.places(code.encode(a)), expected, atol=1e-9)


def test_joints_may_turn_by_more_than_half_a_turn() -> None:
    a, b = two_clips(5, frames=(120, 60))
    quats = np.array(a.rotations)
    angle = np.linspace(-3.0, 3.0, len(a))
    quats[:, 3] = rotations.about_axis("Z", angle)
    spun = Motion(a.skeleton, a.fps, a.root, quats)
    code = PoseCode.of((spun, b))
    rows = code.encode(spun)
    # No step of the rows is larger than what the joint turns in a frame.
    assert np.abs(np.diff(rows[:, code.columns["rotations"]], axis=0)).max() < 0.2
    assert_same(code.decode(rows, spun, start_of(spun)), spun)


def test_sliding_joints_are_kept() -> None:
    a, b = two_clips(6)
    moves = np.array(np.broadcast_to(a.skeleton.offsets, (len(a), len(a.skeleton), 3)))
    moves += 0.1 * np.sin(np.arange(len(a)) / 9.0)[:, None, None]
    sliding = Motion(a.skeleton, a.fps, a.root, a.rotations, translations=moves)
    code = PoseCode.of((sliding, b))
    back = code.decode(code.encode(sliding), sliding, start_of(sliding))
    np.testing.assert_allclose(back.positions(), sliding.positions(), atol=1e-9)
    rigid = code.decode(code.encode(b), b, start_of(b))
    np.testing.assert_allclose(rigid.positions(), b.positions(), atol=1e-9)


def test_a_knee_beyond_straight_stays_as_straight_as_in_the_clips() -> None:
    """Extrapolated from a bent to a straight knee, the next pose would bend it backwards."""
    walk = mw.sample("walk")
    code = PoseCode.of([walk])
    rows = code.encode(walk)
    assert len(code.knees) == 2
    knee = code.knees[0]
    bends = knee.bend(walk.rotations)
    np.testing.assert_allclose(
        bends, find_hinges(walk)["left_shin"].flexion(*walk.forward()), atol=1e-9
    )
    bent, straight = rows[int(bends.argmax())], rows[int(bends.argmin())]
    beyond = straight + np.linspace(0.0, 0.6, 40)[:, None] * (straight - bent)
    plain, kept = (code.decode(beyond, walk, (0.0, 0.0, 0.0), footed=f) for f in (False, True))
    assert knee.bend(plain.rotations).min() < knee.least - np.radians(10.0)
    assert knee.bend(kept.rotations).min() > knee.least - np.radians(3.0)
    own = code.decode(rows, walk, (0.0, 0.0, 0.0))
    np.testing.assert_allclose(knee.bend(own.rotations), bends, atol=1e-9)
