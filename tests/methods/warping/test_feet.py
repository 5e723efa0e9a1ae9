"""Feet stay planted, or are planted anew, while the body above them is warped."""

from __future__ import annotations

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.hinges import find_hinges
from motionweave.body.pose.heading import facing
from motionweave.body.rig.roles import leg_length
from motionweave.core import rotations
from motionweave.methods.warping.clearance import _WIDE, Clearance
from motionweave.methods.warping.moments import frame_of, stances

FEET = {"left": "left_ankle", "right": "right_ankle"}
LEG = ("thigh", "shin", "ankle")


def foot(motion, side):
    return motion.positions()[:, mw.find_rig(motion.skeleton).roles[FEET[side]]]


def slides(motion, original):
    """The largest speed of a standing ankle beyond the original's own, leg lengths per second."""
    worst = 0.0
    for side in FEET:
        mine, theirs = (
            np.linalg.norm(np.diff(foot(m, side), axis=0), axis=1) for m in (motion, original)
        )
        for first, last in stances(original, side):
            inside = slice(int(np.ceil(first)), int(np.floor(last)))
            if inside.start < inside.stop:
                worst = max(worst, float((mine[inside] - theirs[inside]).max()))
    return worst / leg_length(motion.skeleton) * motion.fps


KEYS = {
    "crouch": [mw.Key("50%", "hips", offset=(0, -0.25, 0), unit="leg")],
    "lean": [mw.Key("50%", "hips", turn=(25, 10, 5))],
    "aside": [mw.Key("50%", "position", offset=(0.5, 0, 0), unit="leg")],
    "up": [mw.Key("50%", "height", offset=0.2, unit="leg")],
    "veer": [mw.Key("40%", "heading", offset=40)],
    "reach": [mw.Key("50%", "right_hand", offset=(0, 0.5, 0.3), unit="leg")],
}


@pytest.fixture(
    scope="module",
    params=["built-in", pytest.param("cmu_16_15_walk_straight", marks=pytest.mark.mocap)],
)
def walk(request):
    if request.param == "built-in":
        return mw.sample("walk")
    folder = request.getfixturevalue("mocap")
    return mw.load(folder / "bvh" / f"{request.param}.bvh")[5:]


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("hold", [False, "after"])
def test_standing_feet_do_not_slide(walk, name, hold):
    warped = mw.warp(walk, KEYS[name], hold=hold, ease=1.0)
    assert slides(warped, walk) < 0.35
    # Without, they do: the test can fail.
    loose = mw.warp(walk, KEYS[name], hold=hold, ease=1.0, clean=False)
    if name != "reach":
        assert slides(loose, walk) > 1.2 * slides(warped, walk)


@pytest.mark.parametrize("name", KEYS)
def test_nothing_pops(walk, name):
    warped = mw.warp(walk, KEYS[name], ease=1.0)
    before, after = (
        np.degrees(rotations.angle_between(m.rotations[1:], m.rotations[:-1])).max()
        for m in (walk, warped)
    )
    assert after < 1.6 * before + 0.5


def test_a_path_takes_the_plants_along(walk):
    warped = mw.warp(walk, [mw.Key("50%", "heading", offset=50)], hold="after")
    angle = np.radians(50.0)
    first, last = stances(walk, "left")[-1]
    at = int(0.5 * (first + last))
    move = np.linalg.norm(foot(warped, "left")[at] - foot(walk, "left")[at])
    assert move > 0.2
    turn = rotations.vertical_angle(
        rotations.multiply(warped.orientations()[at], rotations.inverse(walk.orientations()[at]))[
            mw.find_rig(walk.skeleton).roles["left_ankle"]
        ]
    )
    assert turn == pytest.approx(angle, abs=1e-3)


def test_a_foot_goal_in_a_stance_moves_the_whole_stance(walk):
    at = "middle of 2nd left stance"
    warped = mw.warp(walk, [mw.Key(at, "left_foot", offset=(0.1, 0, 0), unit="leg")])
    first, last = stances(walk, "left")[1]
    inside = slice(int(np.ceil(first)), int(np.floor(last)))
    move = (foot(warped, "left") - foot(walk, "left"))[inside]
    assert np.ptp(move, axis=0).max() < 2e-3 * walk.skeleton.height
    assert np.linalg.norm(move[0]) > 0.0


def test_a_foot_goal_in_the_air_is_met(walk):
    at = "middle of 2nd left swing"
    from motionweave.body.rig.roles import leg_length
    from motionweave.methods.warping.moments import frame_of

    frame = round(frame_of(at, walk))
    warped = mw.warp(walk, [mw.Key(frame, "left_foot", offset=(0, 0.3, 0), unit="leg")], ease=0.3)
    rise = (foot(warped, "left") - foot(walk, "left"))[frame] / leg_length(walk.skeleton)
    np.testing.assert_allclose(rise, [0, 0.3, 0], atol=2e-3)
    assert slides(warped, walk) < 0.25


def test_a_foot_goal_just_before_a_landing_moves_the_stance(walk):
    """Met in the air and taken back before the foot lands, it would have to jump."""
    first, last = stances(walk, "left")[1]
    frame = int(np.ceil(first)) - 2
    warped = mw.warp(walk, mw.Key(frame, "left_foot", offset=(0.15, 0, 0.05), axes="world"))
    moved = foot(warped, "left") - foot(walk, "left")
    np.testing.assert_allclose(moved[frame], (0.15, 0.0, 0.05), atol=1e-3)
    standing = moved[frame : round(0.5 * (first + last))]
    np.testing.assert_allclose(standing, np.tile(moved[frame], (len(standing), 1)), atol=0.02)


def test_a_lift_is_the_smoothest_way_over_what_is_in_the_way():
    """Found by brute force: among all curves that end in the stances and clear every frame."""
    from scipy.optimize import lsq_linear

    count, fps = 40, 60.0
    width = _WIDE * fps
    standing = np.zeros(count, dtype=bool)
    standing[[0, 1, 2, -3, -2, -1]] = True
    frames = np.arange(count)
    # Two treads, the second one higher, and a foot that tilts to and fro above them.
    sunk = np.where(frames > 12, 0.1, -1.0) + 0.1 * (frames > 22) + 0.02 * np.sin(2.0 * frames)
    sunk[standing | (frames > 32)] = -1.0
    lift = Clearance(sunk, standing, 1e6, fps).lift(np.zeros(count))
    assert np.all(lift[standing] == 0.0)
    assert (sunk - lift).max() < 5e-3
    inside = np.flatnonzero(~standing)
    rows = np.concatenate(
        [
            weight * np.diff(np.eye(count), order, axis=0)
            for order, weight in enumerate((1.0, np.sqrt(2.0) * width, width**2))
        ]
    )[:, inside]
    wanted = lsq_linear(rows, np.zeros(len(rows)), (np.maximum(sunk[inside], -1.0), np.inf)).x
    np.testing.assert_allclose(lift[inside], wanted, atol=5e-3)


def test_a_foot_is_lifted_only_by_what_it_is_lower_than_it_may_be():
    standing = np.zeros(60, dtype=bool)
    standing[[0, 59]] = True
    clearance = Clearance(np.full(60, 0.2), standing, 1.0, 60.0)
    allowed = np.full(60, 0.1)
    assert np.all(clearance.lift(allowed, allowed) == 0.0)
    lower = allowed - 0.05 * np.hanning(60)
    lift = clearance.lift(lower, allowed)
    assert (allowed - lower - lift).max() < 2e-3
    assert lift.max() < 0.06


def test_a_key_of_height_is_met_though_standing_legs_have_to_follow(walk):
    moment = "middle of 2nd left stance"
    at, size = round(frame_of(moment, walk)), leg_length(walk.skeleton)
    others = [f"middle of right stance {word} 2nd left stance" for word in ("before", "after")]
    keys = [mw.Key(moment, "height", offset=0.2, unit="leg")]
    keys += [mw.Key(other, "height", offset=0.0) for other in others]
    warped = mw.warp(walk, keys)
    rise = (warped.root - walk.root)[:, 1] / size
    assert rise[at] == pytest.approx(0.2, abs=0.02)


def test_a_goal_of_a_foot_is_met_where_the_path_lifts_the_foot_already(walk):
    moment = "middle of 2nd left stance"
    at, size = round(frame_of(moment, walk)), leg_length(walk.skeleton)
    path = [mw.Key(moment, "height", offset=0.2, unit="leg", ease=0.4)]
    goal = mw.Key(moment, "right_foot", offset=(0, 0.15, 0), unit="leg", ease=0.4)
    lifted = foot(mw.warp(walk, path), "right")[at]
    reached = foot(mw.warp(walk, [*path, goal]), "right")[at]
    np.testing.assert_allclose((reached - lifted) / size, [0.0, 0.15, 0.0], atol=2e-3)


def test_leg_keys_alone_change_legs_alone(walk):
    key = mw.Key("50%", "left_knee", turn=(20, 0, 0))
    plain = mw.warp(walk, [key])
    knee = mw.find_rig(walk.skeleton).roles["left_shin"]
    others = np.delete(np.arange(len(walk.skeleton)), knee)
    np.testing.assert_array_equal(plain.rotations[:, others], walk.rotations[:, others])
    np.testing.assert_array_equal(plain.root, walk.root)


@pytest.mark.parametrize("other", ["height", "hips", "left_hand"])
@pytest.mark.parametrize("moment", ["middle of 2nd left swing", "middle of 2nd left stance"])
def test_keys_of_a_leg_go_before_foot_keeping(walk, moment, other):
    offset = 0.05 if other == "height" else (0.0, -0.05, 0.0)
    leg = mw.Key(moment, "left_thigh", turn=(-12, 0, 0), ease=0.3)
    alone = mw.warp(walk, leg, clean=False)
    both = mw.warp(walk, [leg, mw.Key(moment, other, offset=offset, unit="leg")])
    frame = round(frame_of(moment, walk))
    joint = mw.find_rig(walk.skeleton).roles["left_thigh"]
    got, wanted = (m.rotations[frame, joint] for m in (both, alone))
    assert np.degrees(rotations.angle_between(got, wanted)) < 1e-6


def test_a_held_key_of_a_leg_that_gives_way_to_its_foot_is_told(walk):
    keys = [
        mw.Key("middle of 2nd left stance", "left_knee", turn=(40, 0, 0)),
        mw.Key("50%", "hips", offset=(0, 0, 0)),
    ]
    with pytest.warns(mw.QualityWarning, match=r"left_knee.*gives way to the planted foot by"):
        mw.warp(walk, keys, hold=True)


def test_a_scaled_knee_does_not_bend_backwards(walk):
    keys = [mw.Key("50%", f"{side}_knee", factor=3.0) for side in ("left", "right")]
    for clean, least in ((True, -0.5), (False, -90.0)):
        warped = mw.warp(walk, keys, hold=True, clean=clean)
        for role, hinge in find_hinges(walk).items():
            if role.endswith("shin"):
                bends = [np.degrees(hinge.flexion(*m.forward())).min() for m in (walk, warped)]
                assert least < bends[1] - min(bends[0], 0.0)
                # Without, it does: the test can fail.
                assert clean or bends[1] < -10.0


def test_following_a_path_never_spins_the_body():
    """A path that is pushed aside faster than the body travels is not turned round for."""
    sidestep = mw.sample("walk")[::1]
    slow = mw.in_place(sidestep)
    warped = mw.warp(slow, mw.Key("50%", "position", offset=(-1.5, 0, -1.0)), follow=True, ease=1.0)
    turn = np.degrees(facing(warped) - facing(slow))
    assert np.abs(turn).max() <= 91.0


def test_a_leg_that_is_folded_up_does_not_fold_through_itself_in_a_crouch():
    walk = mw.sample("walk")
    march = [mw.Key("50%", f"{side}_{joint}", factor=3) for side in FEET for joint in LEG[:2]]
    crouch = mw.Key("50%", "hips", offset=(0, -0.65, 0), unit="leg")
    warped = mw.warp(walk, [*march, crouch], hold=True)
    for role, hinge in find_hinges(walk).items():
        if role.endswith("shin"):
            bends = np.degrees(hinge.flexion(*warped.forward()))
            assert 0.0 < bends.min() < bends.max() < 156.0
