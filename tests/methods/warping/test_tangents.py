"""Tangents of keys: the curve goes through them as it is told to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionweave.body.pose.heading import facing
from motionweave.core import rotations
from motionweave.errors import WarpError
from motionweave.methods.warping.curves import Ends, displacement_basis, tangent_basis
from motionweave.methods.warping.files import Recipe, load_warp, save_warp
from motionweave.methods.warping.keys import Key
from motionweave.methods.warping.warp import warp
from motionweave.samples.clips import sample

WALK = sample("walk")
FPS = WALK.fps
times = st.lists(st.integers(0, 200), min_size=1, max_size=5, unique=True).map(sorted)


def curve(knots, values, into, out, at):
    """A displacement with tangents in and out, all of them given."""
    ends, both = Ends(20.0, 20.0), [(True, True)] * len(knots)
    weights = tangent_basis(knots, ends, at, both)
    return (
        displacement_basis(knots, ends, at, given=both) @ values
        + weights[:, 0] @ into
        + weights[:, 1] @ out
    )


@given(times, st.integers(0, 2**32 - 1))
def test_keys_are_met_and_tangents_are_those_that_are_given(knots, seed):
    values, into, out = np.random.default_rng(seed).normal(size=(3, len(knots)))
    step = 1e-6
    before, here, after = (
        curve(knots, values, into, out, np.array(knots) + shift) for shift in (-step, 0.0, step)
    )
    np.testing.assert_array_equal(here, values)
    np.testing.assert_allclose((here - before) / step, into, atol=1e-4)
    np.testing.assert_allclose((after - here) / step, out, atol=1e-4)


def test_tangents_that_are_not_given_are_the_splines_own():
    frames = np.arange(100.0)
    knots, ends = [10, 40, 70], Ends(5.0, 5.0)
    own = displacement_basis(knots, ends, frames)
    part = displacement_basis(
        knots, ends, frames, given=[(False, False), (False, True), (False,) * 2]
    )
    # Only the side that is given is another one.
    np.testing.assert_array_equal(part[:41], own[:41])
    np.testing.assert_array_equal(part[70:], own[70:])
    assert not np.allclose(part[41:70], own[41:70])


def test_a_turn_and_a_factor_go_on_as_their_tangents_say():
    head = WALK.skeleton.names.index("Head")

    def turned(**given):
        motion = warp(WALK, Key(40, "head", turn=(20, 0, 0), **given), clean=False)
        apart = rotations.multiply(
            motion.rotations[:, head], rotations.inverse(WALK.rotations[:, head])
        )
        return np.degrees(rotations.log(apart))[:, 0]

    flat = turned()
    falling = turned(tangent_out=(-60.0, 0, 0))
    np.testing.assert_array_equal(falling[:41], flat[:41])
    # A frame on, a cubic has lost no more than its curvature over one frame.
    assert (falling[41] - flat[41]) * FPS == pytest.approx(-60.0, rel=0.12)
    swinging = warp(WALK, Key(40, "left_shin", factor=0.5, tangent_in=-2.0), clean=False)
    plain = warp(WALK, Key(40, "left_shin", factor=0.5), clean=False)
    np.testing.assert_array_equal(swinging.rotations[40:], plain.rotations[40:])
    assert not np.allclose(swinging.rotations[35], plain.rotations[35], atol=1e-3)


def test_a_hand_leaves_its_place_as_fast_as_its_tangent_says():
    hand = WALK.skeleton.names.index("LeftHand")

    def places(**given):
        key = Key(40, "left_hand", offset=(0, 0.2, 0), axes="world", **given)
        return warp(WALK, key, clean=False).positions()[:, hand]

    plain, flung = places(), places(tangent_out=(0.0, 1.0, 0.0))
    np.testing.assert_allclose(flung[40], plain[40], atol=1e-6)
    np.testing.assert_array_equal(flung[:40], plain[:40])
    gained = (flung[41] - plain[41]) * FPS
    np.testing.assert_allclose(gained, [0.0, 1.0, 0.0], atol=0.12)
    # Half as much does half as much, and next to nothing next to nothing.
    gentle, faint = (places(tangent_out=(0.0, speed, 0.0)) for speed in (0.5, 1e-3))
    np.testing.assert_allclose(2.0 * (gentle - plain), flung - plain, atol=0.02)
    np.testing.assert_allclose(faint, plain, atol=1e-3)
    # The other hand at the same frame goes on as before.
    other = Key(40, "right_hand", offset=(0, 0.1, 0), axes="world")
    key = Key(40, "left_hand", offset=(0, 0.2, 0), axes="world")
    right = WALK.skeleton.names.index("RightHand")
    both, one = (
        warp(WALK, [one, other], clean=False).positions()[41, right]
        for one in (
            key,
            Key(40, "left_hand", offset=(0, 0.2, 0), axes="world", tangent_out=(0, 1.0, 0)),
        )
    )
    assert np.linalg.norm(both - one) * FPS < 0.4


@pytest.mark.parametrize("given", [{"offset": 20.0}, {"goal": 175.0}], ids=["offset", "goal"])
def test_a_heading_turns_on_as_its_tangent_says(given):
    def angles(**tangents):
        motion = warp(WALK, Key(40, "heading", **given, **tangents), clean=False)
        return np.degrees(np.unwrap(facing(motion)))

    gained = angles(tangent_in=90.0, tangent_out=90.0) - angles()
    assert gained[40] == pytest.approx(0.0, abs=1e-6)
    assert gained[41] * FPS == pytest.approx(90.0, rel=0.12)
    assert -gained[39] * FPS == pytest.approx(90.0, rel=0.12)


def test_a_path_leaves_a_place_sideways():
    key = Key(40, "position", offset=(0, 0, 0), axes="world", tangent_out=(0.6, 0, 0))
    gone = warp(WALK, key, clean=False).root - WALK.root
    np.testing.assert_allclose(gone[:41], 0.0, atol=1e-9)
    assert gone[41, 0] * FPS == pytest.approx(0.6, rel=0.12)
    np.testing.assert_allclose(gone[:, 1:], 0.0, atol=1e-9)


def test_euler_curves_have_tangents_too():
    plain, falling = (
        warp(WALK, Key(40, "head", turn=(20, 0, 0), tangent_out=out), paper=True)
        for out in (None, (-60.0, 0, 0))
    )
    np.testing.assert_array_equal(falling.rotations[:41], plain.rotations[:41])
    apart = rotations.angle_between(falling.rotations[41], plain.rotations[41])
    assert np.degrees(apart.max()) * FPS == pytest.approx(60.0, rel=0.15)


def test_tangents_are_kept_in_warp_files(tmp_path):
    keys = (
        Key(30, "left_hand", offset=(0, 0.1, 0), tangent_in=(0, 1, 0), tangent_out=(0, -1, 0)),
        Key(50, "heading", offset=10.0, tangent_out=5.0),
    )
    save_warp(Recipe(keys=keys), tmp_path / "flick.yaml")
    assert load_warp(tmp_path / "flick.yaml").keys == keys


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rotation": (0, 0, 0, 1), "tangent_in": (1, 0, 0)}, "a rotation has no tangent_in"),
        ({"turn": (9, 0, 0), "tangent_out": 3.0}, "expected three numbers"),
        ({"factor": 0.5, "tangent_out": (1, 2, 3)}, "expected one number"),
        ({"turn": (9, 0, 0), "until": 50, "tangent_in": (1, 0, 0)}, "it lasts"),
        ({"turn": (9, 0, 0), "mode": "scale", "tangent_in": (1, 0, 0)}, "give a factor"),
    ],
)
def test_tangents_that_make_no_sense_are_refused(given, said):
    with pytest.raises(WarpError, match=said):
        Key(30, "head", **given)
