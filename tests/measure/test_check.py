"""The self-check: silent about what clips do themselves, loud about what is broken on purpose."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.hinges import find_hinges
from motionweave.body.rig.parts import part_joints
from motionweave.body.rig.roles import leg_length
from motionweave.core import rotations
from motionweave.core.concatenation import concatenate
from motionweave.core.numerics.curves import smootherstep
from motionweave.measure.check import check
from motionweave.measure.figures import measured
from motionweave.methods.finish import finish
from tests.methods.joining.skims import skimming

CLIPS = ("walk", "jog", "sneak", "dance_a", "landing", "jab")


def kinds(motion: mw.Motion, *clips: mw.Motion) -> set[str]:
    return {finding.kind for finding in check(motion, clips)}


@pytest.mark.parametrize("name", CLIPS)
def test_a_clip_has_no_fault_against_itself(name: str) -> None:
    clip = mw.sample(name)
    assert check(clip, [clip]) == ()
    moved = clip.moved(mw.Planar(1.2, 3.0, -2.0))
    assert check(moved, [clip]) == ()
    assert check(clip[10:-5], [clip]) == ()


@pytest.mark.parametrize("fps", [24.0, 60.0, 120.0])
def test_the_frame_rate_is_not_a_fault(fps: float) -> None:
    walk = mw.sample("walk")
    assert check(walk.resample(fps), [walk]) == ()
    assert check(walk, [walk.resample(fps)]) == ()


def test_a_long_take_is_measured_in_blocks_as_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    jog = mw.sample("jog", fps=60.0)
    whole = measured(jog, 30.0)
    monkeypatch.setattr("motionweave.measure.figures._AT_ONCE", 7)
    pieces = measured(jog, 30.0)
    for name in ("acceleration", "twist", "speed"):
        np.testing.assert_array_equal(getattr(pieces, name), getattr(whole, name))
    for kind, (height, speed) in whole.tracks.items():
        np.testing.assert_array_equal(pieces.tracks[kind][0], height)
        np.testing.assert_array_equal(pieces.tracks[kind][1], speed)


@pytest.mark.parametrize("join", [mw.transition, mw.join, mw.spline_transition])
def test_a_clip_that_stands_still_is_joined_to_itself_without_a_warning(join) -> None:
    """Rounding is infinitely many times as much as nothing, and no fault."""
    walk = mw.sample("walk")
    still = replace(
        walk,
        root=np.repeat(walk.root[:1], 60, axis=0),
        rotations=np.repeat(walk.rotations[:1], 60, axis=0),
        constraints=(),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", mw.QualityWarning)
        joined = join(still, still)
    assert np.ptp(joined.positions(), axis=0).max() < 1e-9


def turned(motion: mw.Motion, joint: str, frame: int, degrees: float) -> mw.Motion:
    quats = np.array(motion.rotations)
    index = motion["LeftArm" if joint == "" else joint].joint
    turn = rotations.about_axis("X", np.radians(degrees))
    quats[frame, index] = rotations.multiply(quats[frame, index], turn)
    return replace(motion, rotations=quats)


def test_a_pop_is_found_with_its_joint_and_frame() -> None:
    walk = mw.sample("walk")
    found = check(turned(walk, "right_shin", 40, 60.0), [walk])
    hit = next(finding for finding in found if finding.kind == "acceleration")
    assert hit.frame is not None
    assert abs(hit.frame - 40) <= 1
    assert hit.joint in ("RightFoot", "RightToe")
    assert "frame" in str(hit)


def test_pops_far_apart_are_all_found_the_worst_first() -> None:
    walk = mw.sample("walk", duration=10.0)
    popping = walk
    for frame, degrees in ((40, 60.0), (60, 55.0), (150, 90.0), (250, 50.0)):
        popping = turned(popping, "right_shin", frame, degrees)
    hit = next(finding for finding in check(popping, [walk]) if finding.kind == "acceleration")
    places = [hit, *hit.elsewhere]
    assert [finding.severity for finding in places] == sorted(
        (finding.severity for finding in places), reverse=True
    )
    # What is less than two seconds away from a worse place is not one of its own.
    frames = np.array([finding.frame for finding in places])
    np.testing.assert_allclose(frames, [150, 40, 250], atol=1)
    assert all(finding.elsewhere == () for finding in hit.elsewhere)


def test_a_joint_that_twists_about_itself_is_found() -> None:
    walk = mw.sample("walk")
    assert "twist" in kinds(turned(walk, "head", 30, 120.0), walk)


def test_feet_in_the_floor_are_found() -> None:
    walk = mw.sample("walk")
    sunk = replace(walk, root=walk.root - [0.0, 0.06, 0.0])
    assert "floor" in kinds(sunk, walk)
    near = replace(walk, root=walk.root - [0.0, 0.01, 0.0])
    assert "floor" not in kinds(near, walk)


def test_a_body_below_the_floor_is_found_feet_up_as_well() -> None:
    walk = mw.sample("walk")
    upside_down = np.array(walk.rotations)
    upside_down[:, 0] = rotations.multiply(rotations.about_axis("X", np.pi), upside_down[:, 0])
    leg = leg_length(walk.skeleton)

    def standing_on_its_head(lower: float) -> mw.Motion:
        stood = replace(walk, rotations=upside_down, constraints=())
        head = stood.positions()[:, :, 1].min()
        return replace(stood, root=stood.root - [0.0, head + lower * leg, 0.0])

    assert "floor" in kinds(standing_on_its_head(0.3), walk)
    assert "floor" not in kinds(standing_on_its_head(-0.05), walk)
    (found,) = (one for one in check(standing_on_its_head(0.3), [walk]) if one.kind == "floor")
    assert found.joint == "Head"


def test_sliding_feet_are_found_declared_or_not() -> None:
    stand = mw.sample("stand")
    drift = np.linspace(0.0, 1.0, len(stand))[:, None] * [0.0, 0.0, 0.6 * stand.duration]
    sliding = replace(stand, root=stand.root + drift)
    assert "drift" in kinds(sliding, stand)
    assert "slide" in kinds(sliding.with_constraints(()), stand)


def test_a_foot_that_swings_slightly_lower_than_in_the_clip_does_not_slide() -> None:
    # Both feet glide over the floor, just above and just below what counts as low.
    stand = mw.sample("stand").with_constraints(())
    glide = np.linspace(0.0, 1.0, len(stand))[:, None] * [0.0, 0.0, 0.6 * stand.duration]
    leg = leg_length(stand.skeleton)
    down = np.zeros((len(stand), 3))
    down[::4, 1] = -0.03 * leg  # touching the floor now and then
    clip = replace(stand, root=stand.root + glide + down)
    lower = replace(stand, root=stand.root + glide + 0.75 * down)
    assert measured(clip, clip.fps).longest_slide < 0.5 < measured(lower, 30.0).longest_slide
    assert "slide" not in kinds(lower, clip)
    flat = replace(stand, root=stand.root + glide)
    assert "slide" in kinds(flat, clip)


def test_a_slide_is_found_on_the_higher_of_two_floors() -> None:
    stand = mw.sample("stand")
    higher = replace(stand, root=stand.root + np.array([0.0, 0.08, 0.0]))
    middle = len(stand)
    joined = concatenate([stand, higher]).with_constraints(stand.constraints)
    seams = [(middle - 1, middle)]
    assert "slide" not in [finding.kind for finding in check(joined, [stand, higher], seams=seams)]
    after = np.clip(np.arange(len(joined)) - middle, 0, None)[:, None] / stand.fps
    sliding = replace(joined, root=joined.root + 0.5 * after * [0.0, 0.0, 1.0])
    assert "slide" in [finding.kind for finding in check(sliding, [stand, higher], seams=seams)]


def test_joined_clips_are_hardly_faster_than_the_fastest_of_them() -> None:
    walk = mw.sample("walk")
    faster = replace(walk, root=walk.root * [1.0, 1.0, 1.15])
    assert "speed" not in kinds(faster, walk)
    found = check(faster, [walk, walk], seams=[(20, 40)])
    assert "speed" in [finding.kind for finding in found]


def test_whoever_stands_may_shift_their_weight() -> None:
    stand = mw.sample("stand")
    time = np.arange(len(stand)) / stand.fps
    for speed, too_fast in ((0.4, False), (0.7, True)):
        peak = speed * leg_length(stand.skeleton)
        shift = peak / np.pi * np.sin(np.pi * time)
        swaying = replace(stand, root=stand.root + shift[:, None] * [1.0, 0.0, 0.0])
        assert ("speed" in kinds(swaying, stand)) == too_fast


def test_joined_clips_are_not_faster_for_a_single_frame_either() -> None:
    walk = mw.sample("walk", fps=120.0)
    top = np.linalg.norm(np.diff(walk.root, axis=0), axis=1).max()
    jump = np.where(np.arange(len(walk))[:, None] > 100, [0.0, 0.0, 0.4 * top], 0.0)
    lurching = replace(walk, root=walk.root + jump)
    ways = np.linalg.norm(np.diff(lurching.root, axis=0), axis=1)
    assert 1.05 * top < ways.max()
    found = check(lurching, [walk, walk], seams=[(80, 120)])
    assert [(one.kind, one.frame) for one in found if one.kind == "speed"] == [
        ("speed", int(ways.argmax()))
    ]


def test_joined_clips_may_be_faster_for_a_while_than_clips_that_shake() -> None:
    walk = mw.sample("walk", fps=120.0)
    root = np.array(walk.root)
    root[100, 2] += 0.006 * walk.skeleton.height
    shaken = replace(walk, root=root)
    faster = replace(walk, root=walk.root * [1.0, 1.0, 1.15])
    assert not [f for f in check(faster, [shaken, walk], seams=[(20, 40)]) if f.kind == "speed"]
    hurried = replace(walk, root=walk.root * [1.0, 1.0, 1.3])
    assert [f for f in check(hurried, [shaken, walk], seams=[(20, 40)]) if f.kind == "speed"]


def test_a_knee_that_bends_backwards_is_found_where_clips_are_joined() -> None:
    walk = mw.sample("walk")
    knee = find_hinges(walk)["left_shin"]
    bend = knee.flexion(*walk.forward())
    quats = np.array(walk.rotations)
    # Over half a second, so that nothing else is wrong with it.
    share = smootherstep(1.0 - np.abs(np.arange(len(walk)) - 40) / 15.0)
    turn = rotations.exp(-(share * (bend + np.radians(15.0)))[:, None] * knee.axis)
    quats[:, knee.joint] = rotations.multiply(turn, quats[:, knee.joint])
    found = check(replace(walk, rotations=quats), [walk, walk], seams=[(30, 50)])
    hit = next(finding for finding in found if finding.kind == "knee")
    assert "left knee bends 15° backwards at frame 40" in str(hit)
    assert check(walk, [walk, walk], seams=[(30, 50)]) == ()


def test_joined_clips_are_looked_at_near_their_seams_only() -> None:
    """What is far from a seam is the clips' own, and a fault there would be theirs."""
    walk = mw.sample("walk", duration=12.0)
    popped = turned(walk, "right_shin", 250, 60.0)
    assert check(popped, [walk, walk], seams=[(60, 80)]) == ()
    found = check(popped, [walk, walk, walk], seams=[(60, 80), (220, 240)])
    assert {finding.kind for finding in found} >= {"acceleration"}
    assert all(abs((finding.frame or 0) - 250) <= 2 for finding in found)


def test_a_lurch_is_found() -> None:
    walk = mw.sample("walk")
    jump = np.where(np.arange(len(walk))[:, None] > 40, [0.0, 0.0, 1.0], 0.0)
    assert "speed" in kinds(replace(walk, root=walk.root + jump), walk)


def test_contacts_that_got_lost_are_found() -> None:
    walk = mw.sample("walk")
    assert "contacts" in kinds(walk.with_constraints(()), walk)


def test_planting_that_does_harm_is_not_applied() -> None:
    walk = mw.sample("walk")

    def harmful(motion: mw.Motion) -> mw.Motion:
        return turned(motion, "left_shin", 30, 70.0)

    # Feet that are right as they are need no planting: nothing is wrong.
    with pytest.warns(mw.Notice, match="feet were not planted"):
        assert finish(walk, [walk], clean=True, plant=harmful).reported() == walk
    drifting = replace(walk, root=walk.root * [1.0, 1.0, 1.3])
    with pytest.warns(mw.QualityWarning, match="feet were not planted"):
        assert finish(drifting, [walk], clean=True, plant=harmful).reported() == drifting


def test_a_warning_names_what_its_method_can_be_told() -> None:
    walk = mw.sample("walk")
    broken = turned(walk, "right_shin", 40, 60.0)
    with pytest.warns(mw.QualityWarning) as caught:
        finish(broken, [walk], clean=False).reported((mw.Remedy("at"),))
    assert all(str(one.message).endswith("; use at=...") for one in caught)
    with pytest.warns(mw.QualityWarning) as caught:
        finish(broken, [walk], clean=False).reported(advice="change less")
    assert all(str(one.message).endswith("; change less") for one in caught)


def test_no_method_is_told_of_options_that_it_does_not_have() -> None:
    walk = mw.sample("walk")
    with pytest.warns(mw.QualityWarning) as caught:
        mw.warp(walk, mw.Key(40, "right_shin", turn=(120, 0, 0)), ease=0.05)
    said = " ".join(str(one.message) for one in caught)
    assert "ease" in said
    assert not any(word in said for word in ("anchors", "ends", "clips other"))


def test_warnings_carry_their_finding() -> None:
    walk = mw.sample("walk")
    broken = turned(walk, "right_shin", 40, 60.0)
    with pytest.warns(mw.QualityWarning) as caught:
        finish(broken, [walk], clean=False).reported()
    assert caught[0].message.finding.kind == "acceleration"


def test_a_rig_without_legs_is_checked_for_the_rest() -> None:
    skeleton = mw.Skeleton(("a", "b"), [-1, 0], [[0, 0, 0], [0, 1, 0]])
    quats = np.tile([0.0, 0.0, 0.0, 1.0], (30, 2, 1))
    motion = mw.Motion(skeleton, 30.0, np.zeros((30, 3)), quats)
    assert check(motion, [motion]) == ()


@pytest.mark.mocap
def test_halves_of_recorded_clips_raise_no_alarm_against_the_whole(mocap: Path) -> None:
    """What was recorded is not a fault: the first half of a clip, sampled at other moments."""
    alarms = []
    for path in sorted((mocap / "bvh").glob("*.bvh"))[::4]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clip = mw.load(path, drop_tpose=True)
        half = clip.sample(np.arange(0.5, len(clip) // 2))
        alarms += [(path.stem, str(finding)) for finding in check(half, [clip])]
    assert alarms == []


def posed(clip: mw.Motion) -> mw.Motion:
    """The clip behind a T-pose, as converters write it."""
    rest = np.tile(rotations.IDENTITY, (1, len(clip.skeleton), 1))
    return concatenate([replace(clip[:1], rotations=rest), clip])


def test_a_t_pose_in_front_hides_nothing() -> None:
    walk = mw.sample("walk")
    turns = np.array(walk.rotations)
    turns[40, 15] = rotations.multiply(turns[40, 15], rotations.about_axis("X", 0.5))
    popped = replace(walk, rotations=turns)
    assert "acceleration" in kinds(popped, walk)
    assert kinds(popped, posed(walk)) == kinds(popped, walk)
    assert kinds(posed(popped), posed(walk)) == kinds(popped, walk)


def test_a_t_pose_in_front_is_no_fault() -> None:
    walk = mw.sample("walk")
    assert check(posed(walk), [walk]) == ()
    assert check(posed(walk), [posed(walk)]) == ()


def test_a_calm_head_that_is_shaken_is_told_if_only_the_upper_body_was_changed() -> None:
    """However hard a hand accelerates in the clips: next to it, a shaken head looks calm."""
    jab = mw.sample("jab")
    rig = mw.find_rig(jab.skeleton)
    upper = part_joints("upper", rig)
    neck = rig.roles["neck"]
    shaken = np.array(jab.rotations)
    nod = np.radians(2.0) * np.where(np.arange(len(jab)) % 2, 1.0, -1.0)
    shaken[:, neck] = rotations.multiply(shaken[:, neck], rotations.about_axis("X", nod))
    result = replace(jab, rotations=shaken)
    (found,) = (f for f in check(result, [jab], joints=upper) if f.kind == "acceleration")
    assert found.joint == "Head"
    assert not [f for f in check(result, [jab]) if f.kind == "acceleration"]
    assert not check(jab, [jab], joints=upper)


def test_a_swing_of_a_clip_itself_does_not_slide_where_clips_are_joined() -> None:
    skims, (first, last) = skimming(60.0)
    walk = mw.sample("walk").resample(60.0)
    kinds = [
        {finding.kind for finding in check(skims, [walk, walk], seams=[place])}
        for place in ((first + 4, last + 10), (last + 4, last + 20))
    ]
    assert "slide" in kinds[0]
    assert "slide" not in kinds[1]
