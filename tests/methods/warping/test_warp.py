"""The warp as a whole: exact at its keys, nothing elsewhere, detail kept."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import motionweave as mw
from motionweave.body.hinges import find_hinges
from motionweave.body.rig.roles import find_rig
from motionweave.core import rotations
from motionweave.methods.warping.moments import frame_of
from tests.strategies import random_motion, random_quaternions


@pytest.fixture(scope="module")
def walk():
    return mw.sample("walk")


def turned(a, b):
    """Angles between all rotations of two motions, ``(T, J)``."""
    return rotations.angle_between(a.rotations, b.rotations)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.sampled_from([None, "ZYX", "XYZ", "YXZ"]))
def test_at_its_keys_the_warp_is_the_key(seed, count, order):
    rng = np.random.default_rng(seed)
    motion = random_motion(rng, 60, 5)
    frames = sorted(rng.choice(60, count, replace=False).tolist())
    wanted = random_quaternions(rng, count)
    keys = [mw.Key(f, "joint2", rotation=q) for f, q in zip(frames, wanted, strict=True)]
    warped = mw.warp(motion, keys, euler=order, clean=False)
    assert rotations.angle_between(warped.rotations[frames, 2], wanted).max() < 1e-9
    np.testing.assert_array_equal(
        np.delete(warped.rotations, 2, axis=1), np.delete(motion.rotations, 2, axis=1)
    )


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_a_scale_key_with_a_value_is_met_too(seed, euler):
    rng = np.random.default_rng(seed)
    motion = random_motion(rng, 50, 3)
    wanted = random_quaternions(rng, 1)[0]
    key = mw.Key(20, "joint1", rotation=wanted, mode="scale")
    warped = mw.warp(motion, [key], euler="ZYX" if euler else None)
    assert rotations.angle_between(warped.rotations[20, 1], wanted) < 1e-9


def test_a_key_between_two_frames_is_met_between_them(walk):
    head = walk.skeleton.index("Head")
    wanted = rotations.multiply(rotations.about_axis("X", 0.4), walk.rotations[30, head])
    warped = mw.warp(walk, [mw.Key(30.5, "Head", rotation=wanted, ease=2.0)])
    near = rotations.angle_between(warped.sample([30.5]).rotations[0, head], wanted)
    # Between frames the warped clip is sampled by slerp, the displacement by its spline.
    assert near < 2e-3


def test_away_from_its_keys_nothing_changes(walk):
    keys = [mw.Key(45, "left_elbow", turn=(30, 0, 10)), mw.Key(50, "head", turn=(5, 0, 0))]
    warped = mw.warp(walk, keys, ease=0.4)
    away = np.r_[0:33, 63 : len(walk)]
    np.testing.assert_array_equal(warped.rotations[away], walk.rotations[away])
    np.testing.assert_array_equal(warped.root, walk.root)
    assert warped.constraints == walk.constraints
    assert turned(warped, walk)[45].max() == pytest.approx(np.radians(np.hypot(30, 10)), abs=1e-9)


@pytest.mark.parametrize(
    ("curve", "given", "found"),
    [
        ("height", {"offset": 0.1}, lambda m: m.root[40, 1] - 0.1),
        ("height", {"goal": 1.2}, lambda m: m.root[40, 1] - 1.2),
        ("position", {"goal": (0.3, None, 1.0)}, lambda m: m.root[40, [0, 2]] - [0.3, 1.0]),
    ],
)
def test_keys_of_the_root_are_met(walk, curve, given, found):
    warped = mw.warp(walk, [mw.Key(40, curve, **given)], clean=False)
    off = found(warped) - (found(walk) + 0.1 if "offset" in given else 0.0)
    assert np.abs(off).max() < 1e-9
    np.testing.assert_array_equal(warped.root[:16], walk.root[:16])
    np.testing.assert_array_equal(warped.root[64:], walk.root[64:])


def test_a_heading_key_is_met_and_bends_the_way_that_follows(walk):
    from motionweave.body.pose.heading import facing

    key = mw.Key(40, "heading", offset=35)
    warped = mw.warp(walk, [key], hold="after", clean=False)
    assert facing(warped)[40] - facing(walk)[40] == pytest.approx(np.radians(35), abs=1e-9)
    before, after = (np.diff(m.root[60:90:29, [0, 2]], axis=0)[0] for m in (walk, warped))
    np.testing.assert_allclose(mw.Planar(np.radians(35)).apply_xz(before), after, atol=1e-9)
    steps = [np.linalg.norm(np.diff(m.root[:, [0, 2]], axis=0), axis=1) for m in (walk, warped)]
    np.testing.assert_allclose(*steps, atol=1e-9)


def test_a_new_rotation_of_the_root_holds_under_a_path_that_turns(walk):
    wanted = rotations.multiply(rotations.about_axis("X", 0.5), walk.rotations[40, 0])
    keys = [mw.Key(40, "root", rotation=wanted), mw.Key(40, "heading", offset=60)]
    warped = mw.warp(walk, keys, clean=False)
    assert rotations.angle_between(warped.rotations[40, 0], wanted) < 1e-9


def test_a_held_lean_goes_with_a_body_that_turns():
    curve = mw.sample("walk_left")
    warped = mw.warp(curve, [mw.Key(10, "root", turn=(20, 0, 0))], hold=True, clean=False)
    from motionweave.body.pose.heading import facing

    level = rotations.inverse(rotations.about_vertical(facing(curve)))
    change = rotations.multiply(warped.rotations[:, 0], rotations.inverse(curve.rotations[:, 0]))
    lean = rotations.rotate(level, rotations.log(change))
    # It goes with where the body faces, but for its shaking.
    np.testing.assert_allclose(
        np.degrees(lean), np.tile([20.0, 0.0, 0.0], (len(curve), 1)), atol=0.5
    )


def high_part(values, fps, above=3.0):
    """What of curves ``(T, n)`` is faster than ``above`` Hz, by FFT; the ends go on as they are."""
    count = len(values)
    longer = np.concatenate(
        [2.0 * values[0] - values[:0:-1], values, 2.0 * values[-1] - values[-2::-1]]
    )
    longer = longer - np.linspace(longer[0], longer[-1], len(longer))
    spectrum = np.fft.rfft(longer, axis=0)
    spectrum[np.fft.rfftfreq(len(longer), 1.0 / fps) < above] = 0.0
    return np.fft.irfft(spectrum, len(longer), axis=0)[count - 1 : 2 * count - 1]


def least_correlation(before, after, fps):
    """The lowest correlation of the fast parts of curves that have any."""
    a, b = high_part(before, fps), high_part(after, fps)
    moving = np.linalg.norm(a, axis=0) > 1e-3 * np.sqrt(len(a))
    assert moving.sum() > 30
    a, b = a[:, moving], b[:, moving]
    product = np.sum(a * b, axis=0) / (np.linalg.norm(a, axis=0) * np.linalg.norm(b, axis=0))
    return float(product.min())


def angle_curves(motion):
    return rotations.to_euler(motion.rotations, "ZYX").reshape(len(motion), -1)


def rate_curves(motion):
    """Angular velocity of every bone in its own axes, which a turn from outside leaves be."""
    bones = motion.orientations()
    step = rotations.log(rotations.multiply(rotations.inverse(bones[:-1]), bones[1:]))
    return motion.fps * step.reshape(len(motion) - 1, -1)


@pytest.mark.mocap
@pytest.mark.parametrize(
    "name", ["cmu_16_15_walk_straight", "cmu_02_01_walk_straight", "cmu_16_55_run_straight"]
)
@pytest.mark.parametrize(
    ("order", "curves", "least"), [("ZYX", angle_curves, 0.99), (None, rate_curves, 0.97)]
)
def test_fine_detail_survives_shift_keys(mocap, name, order, curves, least):
    clip = mw.load(mocap / "bvh" / f"{name}.bvh")[5:]
    pose = {"spine": (25, 0, 5), "left_arm": (-20, 5, 0), "head": (-10, 0, 0)}
    keys = [mw.Key(at, joint, turn=turn) for at in ("35%", "65%") for joint, turn in pose.items()]
    warped = mw.warp(clip, keys, euler=order)
    assert np.degrees(turned(warped, clip).max()) > 8.0
    assert least_correlation(curves(clip), curves(warped), clip.fps) > least


def test_a_turned_spine_does_not_multiply_hips_that_shake(walk):
    """Capture shakes where it cannot be seen: hips that the spine above them makes up for."""
    walk = walk.resample(120)
    shaking = np.random.default_rng(3).normal(0.0, np.radians(1.5), (len(walk), 3))
    shake = rotations.exp(shaking)
    spine = next(j for j in find_rig(walk.skeleton).spine if walk.skeleton.parents[j] == 0)
    shaken = np.array(walk.rotations)
    shaken[:, 0] = rotations.multiply(shaken[:, 0], shake)
    shaken[:, spine] = rotations.multiply(rotations.inverse(shake), shaken[:, spine])
    keys = [mw.Key(160, "spine", turn=(45, 0, 0))]
    chest = walk.skeleton.index("Chest")
    bent, bent_shaken = (
        mw.warp(m, keys, hold=True, clean=False).orientations()[:, chest]
        for m in (walk, replace(walk, rotations=shaken))
    )
    apart = rotations.log(rotations.multiply(bent_shaken, rotations.inverse(bent)))
    # Hips and spine shake by up to 8 degrees from frame to frame.
    assert np.degrees(np.abs(np.diff(apart, axis=0)).max()) < 0.1


@pytest.mark.parametrize("factor", [2.0, 8.0])
def test_a_scaled_knee_neither_folds_through_the_leg_nor_passes_straight(walk, factor):
    hinge = find_hinges(walk)["left_shin"]
    warped = mw.warp(walk, [mw.Key(40, "left_shin", factor=factor)], hold=True)
    bends = [np.degrees(hinge.flexion(*m.forward())) for m in (walk, warped)]
    assert bends[1].max() > bends[0].max() + 10.0
    assert bends[1].max() <= 155.0
    assert bends[1].min() > -2.0
    # It comes to rest there: no frame is far from the mean of those beside it.
    jerks = [np.abs(np.diff(b, 2)).max() for b in bends]
    assert jerks[1] < 2.0 * factor * jerks[0]


def test_exaggeration_doubles_the_swing_of_an_arm_about_its_mean(walk):
    arm = walk.skeleton.index("LeftArm")
    warped = mw.warp(walk, [mw.Key(40, "left_arm", factor=2.0)], hold=True)
    spread = [np.ptp(rotations.log(m.rotations[:, arm])[:, 0]) for m in (walk, warped)]
    assert spread[1] / spread[0] == pytest.approx(2.0, rel=0.05)


def test_the_spine_shares_out_a_turn(walk):
    warped = mw.warp(walk, [mw.Key(40, "spine", turn=(30, 0, 0))])
    chest = walk.skeleton.index("Chest")
    bent = rotations.angle_between(warped.orientations()[40, chest], walk.orientations()[40, chest])
    assert np.degrees(bent) == pytest.approx(30.0, abs=1.0)


def test_contacts_are_carried_and_released(walk):
    warped = mw.warp(
        walk, [mw.Key(40, "head", turn=(5, 0, 0))], {0: 0, 184: 92}, release=["left_heel"]
    )
    assert {c.kind for c in warped.constraints} == {"left_toe", "right_heel", "right_toe"}
    before = next(c for c in walk.constraints if c.kind == "right_toe")
    after = next(c for c in warped.constraints if c.kind == "right_toe")
    assert (after.start, after.end) == pytest.approx((2 * before.start, 2 * before.end), abs=1e-6)


def test_the_upper_body_can_run_late(walk):
    warped = mw.warp(walk, part_times={"upper": {10: 0, 50: 40, 102: 92}})
    arm, leg = walk.skeleton.index("LeftArm"), walk.skeleton.index("LeftUpLeg")
    np.testing.assert_array_equal(warped.rotations[50, arm], walk.rotations[40, arm])
    np.testing.assert_array_equal(warped.rotations[:, leg], walk.rotations[:, leg])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"keys": ["head"]}, "expected a Key or a list of them"),
        ({"keys": [mw.Key(200, "head", turn=(1, 0, 0))]}, "frames 0 to 92"),
        ({"keys": [mw.Key(3, "haed", turn=(1, 0, 0))]}, "did you mean"),
        ({"keys": [mw.Key(3, "head", turn=(1, 0, 0))] * 2}, "two keys at frame 3"),
        ({"keys": [mw.Key(3, "height", offset=0.1)] * 2}, "two keys for the root"),
        (
            {"keys": [mw.Key(f"{n} left swing", "height", offset=0.1) for n in ("2nd", "last")]},
            "too few steps to tell them apart; use a longer walk",
        ),
        ({"keys": [mw.Key(3, "spine", rotation=(0, 0, 0, 1))]}, "a single joint"),
        ({"keys": [mw.Key(3, "spine", goal=(0, 0, 0))]}, "a single joint"),
        ({"hold": "never"}, "hold='never': expected"),
        ({"euler": "XXZ"}, "euler='XXZ': expected"),
        ({"keys": 5}, "expected a Key or a list of them"),
        ({"keys": "limp.yaml"}, r"mw\.load_warp"),
        ({"time_keys": 5}, "time_keys=5: expected a mapping"),
        ({"part_times": [1]}, r"part_times=\[1\]: expected a mapping"),
        ({"keys": [mw.Key(9, "head", turn=(1, 0, 0), until=3)]}, "before it begins"),
        ({"keys": [mw.Key(9, "hips", goal=(0, 1, 0), unit="leg")] * 2}, "another goal for it"),
        ({"tension": 2.0}, "from 0 to 1"),
        ({"release": ["left_ear"]}, "kinds of contact"),
    ],
)
def test_what_cannot_be_done_is_said(walk, given, message):
    with pytest.raises(mw.MotionweaveError, match=message):
        mw.warp(walk, **given)


def test_middles_of_two_stances_on_which_the_body_rests_cannot_be_told_apart(walk):
    last = len(walk) - 1.0
    held = [mw.Constraint(start, last, f"{s}_heel") for s, start in (("left", 0), ("right", 4))]
    stand = walk.with_constraints(held)
    rises = {"left": 0.0, "right": 0.1}
    keys = [mw.Key(f"middle of 1st {s} stance", "height", offset=h) for s, h in rises.items()]
    with pytest.raises(mw.WarpError, match="are at frames 46 and 48: the clip has too few"):
        mw.warp(stand, keys)
    # The beginning of one and the middle of the other may be near each other.
    moments = ("5% of 1st left stance", "start of 1st right stance")
    mw.warp(stand, [mw.Key(moment, "height", offset=0.0) for moment in moments])


def test_a_rig_without_roles_can_be_warped_and_posed():
    motion = random_motion(np.random.default_rng(8), 40, 6)
    key = mw.Key(20, "joint5", offset=(0.1, 0.1, 0.0), axes="world")
    warped = mw.warp(motion, [key])
    moved = warped.positions()[20, 5] - motion.positions()[20, 5]
    np.testing.assert_allclose(moved, [0.1, 0.1, 0.0], atol=1e-6)


def test_one_key_needs_no_list(walk):
    key = mw.Key(40, "spine", turn=(20, 0, 0))
    assert mw.warp(walk, key) == mw.warp(walk, [key])


def test_a_turn_leaves_a_factor_at_the_same_key(walk):
    """In the paper's form, too, both are there: a·θ + b."""
    arm = walk.skeleton.index("LeftArm")
    keys = [mw.Key(40, "LeftArm", factor=2.0), mw.Key(40, "LeftArm", turn=(0, 0, 0.001))]
    scaled = mw.warp(walk, keys[:1], paper=True)
    both = mw.warp(walk, keys, paper=True)
    assert (
        np.degrees(rotations.angle_between(both.rotations[40, arm], scaled.rotations[40, arm]))
        < 0.01
    )
    assert (
        np.degrees(rotations.angle_between(both.rotations[40, arm], walk.rotations[40, arm])) > 1.0
    )


def test_the_paper_s_form_is_euler_angles_and_nothing_else(walk):
    keys = [mw.Key(40, "hips", turn=(10, 0, 0)), mw.Key(40, "left_arm", turn=(0, 30, 20))]
    assert mw.warp(walk, keys, paper=True) == mw.warp(walk, keys, euler="ZYX", clean=False)


def test_a_key_that_lasts_stays_the_same(walk):
    head = walk.skeleton.index("Head")
    key = mw.Key(30, "head", turn=(0, 25, 0), until=60, axes="parent")
    warped = mw.warp(walk, [key, mw.Key(80, "head", turn=(0, -10, 0), axes="parent")])
    turn = np.degrees(turned(warped, walk)[:, head])
    np.testing.assert_allclose(turn[30:61], 25.0, atol=1e-6)
    assert turn[80] == pytest.approx(10.0, abs=1e-6)


def test_a_key_on_every_stance(walk):
    from motionweave.methods.warping.moments import stances

    head = walk.skeleton.index("Head")
    warped = mw.warp(walk, mw.Key("every left stance", "head", turn=(9, 0, 0), ease=0.2))
    turn = np.degrees(turned(warped, walk)[:, head])
    spans = stances(walk, "left")
    assert len(spans) > 1
    for first, last in spans:
        assert turn[round(0.5 * (first + last))] == pytest.approx(9.0, abs=1e-6)


def test_both_hands_hold_a_box_before_the_chest_in_every_frame(walk):
    from motionweave.body.pose.heading import facing
    from motionweave.body.rig.roles import leg_length

    leg = leg_length(walk.skeleton)
    places = {"left_hand": (0.15, -0.25, 0.4), "right_hand": (-0.15, -0.25, 0.4)}
    keys = [
        mw.Key(30, hand, goal=goal, of="chest", unit="leg", until=70)
        for hand, goal in places.items()
    ]
    warped = mw.warp(walk, keys)
    roles = mw.find_rig(walk.skeleton).roles
    joints = warped.positions()
    for hand, goal in places.items():
        beside = joints[30:71, roles[hand]] - joints[30:71, roles["chest"]]
        level = mw.Planar(-facing(warped)[30:71]).apply(beside)
        np.testing.assert_allclose(level / leg, np.tile(goal, (41, 1)), atol=0.01)


def test_a_goal_under_the_floor_is_told(walk):
    with pytest.warns(mw.QualityWarning, match="below the floor"):
        mw.warp(walk, mw.Key(40, "right_hand", goal=(0.0, -0.4, 1.0)))


def test_goals_that_contradict_each_other_are_not_called_out_of_reach(walk):
    hand, elbow = (
        walk.positions()[40, walk.skeleton.index(n)] for n in ("LeftHand", "LeftForeArm")
    )
    keys = [
        mw.Key(40, "left_hand", goal=hand + np.array([0.0, 0.1, 0.0])),
        mw.Key(40, "left_elbow", goal=elbow - np.array([0.0, 0.25, 0.0])),
    ]
    with pytest.warns(mw.QualityWarning, match="contradicts the other goals"):
        mw.warp(walk, keys)


def test_keys_of_both_stances_do_not_contradict_each_other_where_both_feet_stand() -> None:
    stand = mw.sample("stand")
    sway = [
        mw.Key(f"every {side} stance", "spine", turn=(0, 0, angle))
        for side, angle in (("left", -10), ("right", 10))
    ]
    np.testing.assert_allclose(
        mw.warp(stand, sway).rotations, mw.warp(stand, sway[:1]).rotations, atol=1e-12
    )
    # In a walk, in which feet take turns, both hold.
    walk = mw.sample("walk")
    assert not np.allclose(mw.warp(walk, sway).rotations, mw.warp(walk, sway[:1]).rotations)


def test_a_t_pose_in_front_stays_as_it_is():
    walk = mw.sample("walk")
    rest = np.tile(rotations.IDENTITY, (1, len(walk.skeleton), 1))
    tpose = replace(walk[:1], rotations=rest, constraints=())
    posed = mw.concatenate([tpose, walk])
    options = {"hold": True, "part_times": {"upper": [(0, 0), (40, 30)]}}
    for frame, later in ((40, 41), ("fastest right_hand", "fastest right_hand"), ("50%", "50%")):
        changes = {"hips": {"offset": (0, -0.05, 0)}, "head": {"turn": (20, 0, 0)}}
        keys, shifted = (
            [mw.Key(at, joint, **change) for joint, change in changes.items()]
            for at in (frame, later)
        )
        expected = mw.warp(walk, keys, {0: 0, 60: 40}, **options)
        options_later = {**options, "part_times": {"upper": [(0, 0), (41, 31)]}}
        warped = mw.warp(posed, shifted, {0: 0, 61: 41}, **options_later)
        assert warped[0] == posed[0]
        np.testing.assert_allclose(warped.rotations[1:], expected.rotations, atol=1e-9)
        np.testing.assert_allclose(warped.root[1:], expected.root, atol=1e-9)
        assert [c.kind for c in warped.constraints] == [c.kind for c in expected.constraints]
    assert frame_of("start", posed) == 1
    assert frame_of("fastest right_hand", posed) == 1 + frame_of("fastest right_hand", walk)
    assert frame_of(0, posed) == 0


def test_frames_of_warnings_count_a_t_pose_in_front():
    walk = mw.sample("walk")
    rest = np.tile(rotations.IDENTITY, (1, len(walk.skeleton), 1))
    tpose = replace(walk[:1], rotations=rest, constraints=())
    posed = mw.concatenate([tpose, walk])

    def told(clip, later):
        far = mw.Key(40 + later, "left_hand", offset=(0.0, 3.0, 0.0))
        fast = mw.Key(20 + later, "head", turn=(80, 0, 0), ease=0.03)
        away = mw.Key(60 + later, "hips", offset=(0.0, 0.6, 0.0), ease=0.3)
        with pytest.warns(mw.QualityWarning) as caught:
            mw.warp(clip, [far, fast, away])
        return [str(one.message) for one in caught]

    def one_on(message):
        return re.sub(r"(key at|at frame) (\d+)", lambda m: f"{m[1]} {int(m[2]) + 1}", message)

    alone = told(walk, 0)
    assert any("at frame" in message for message in alone)
    assert any(message.startswith("key at 40") for message in alone)
    assert told(posed, 1) == [one_on(message) for message in alone]


def test_frames_beyond_a_clip_are_refused_as_the_user_counts_them():
    walk = mw.sample("walk")
    rest = np.tile(rotations.IDENTITY, (1, len(walk.skeleton), 1))
    posed = mw.concatenate([replace(walk[:1], rotations=rest, constraints=()), walk])
    with pytest.raises(mw.WarpError, match=f"the clip has frames 0 to {len(posed) - 1}$"):
        mw.warp(posed, mw.Key(len(posed), "head", turn=(20, 0, 0)))
