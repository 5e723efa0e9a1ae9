"""The splice that all joiners share: the clips' own frames outside, velocities blended inside."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import motionweave as mw
from motionweave import Constraint, Motion, Planar
from motionweave.body.rig.roles import leg_length
from motionweave.body.soles import contact_points, soles
from motionweave.core import rotations
from motionweave.core.constraints import active
from motionweave.core.numerics.curves import smootherstep
from motionweave.errors import BlendError
from motionweave.measure.check import check
from motionweave.measure.figures import slides_of, sole_tracks
from motionweave.measure.support import floor_level
from motionweave.methods.finish import Finished
from motionweave.methods.joining.feet import SolePoints, crossfaded_contacts
from motionweave.methods.joining.splice import (
    Seam,
    Spliced,
    cross_fade,
    given_clips,
    integrated_path,
    plant_near_seams,
    splice,
    without_sliding,
)
from motionweave.methods.joining.strain import Strain
from tests.methods.joining.skims import skimming


def seam(first: int, second: int, count: int) -> Seam:
    steps = np.arange(count, dtype=float)
    return Seam(first + steps, second + steps, smootherstep(steps / (count - 1)))


def peak(motion: Motion) -> float:
    second = np.diff(motion.positions(), n=2, axis=0)
    return float(np.linalg.norm(second, axis=-1).max())


@pytest.mark.parametrize("move", [Planar(), Planar(2.0, 7.0, -3.0)])
def test_a_clip_spliced_to_itself_is_itself(move: Planar) -> None:
    walk = mw.sample("walk")
    made = splice(walk, walk.moved(move), seam(30, 30, 25))
    assert (made.start, made.end) == (30, 54)
    np.testing.assert_allclose(made.motion.root, walk.root, atol=1e-9)
    assert rotations.angle_between(made.motion.rotations, walk.rotations).max() < 1e-7
    assert made.motion.constraints == walk.constraints


def test_speeds_pass_from_one_to_the_other_wherever_the_clips_are() -> None:
    """Two bodies that glide at other speeds: positions blended, one would lurch or go back."""
    still = mw.sample("walk")
    pose = np.repeat(still.rotations[:1], 60, axis=0)

    def gliding(speed: float) -> Motion:
        root = np.repeat(still.root[:1], 60, axis=0)
        root[:, 2] += speed * np.arange(60)
        return Motion(still.skeleton, 30.0, root, pose)

    slow, fast = gliding(0.01), gliding(0.1)
    made = splice(slow, fast, seam(20, 5, 30)).motion
    speeds = np.diff(made.root[:, 2])
    assert np.all(np.diff(speeds) > -1e-12)
    assert speeds.min() == pytest.approx(0.01)
    assert speeds.max() == pytest.approx(0.1)


def test_headings_pass_from_one_turn_to_the_other() -> None:
    """A body that lies has a heading too: it is summed up from frame to frame."""
    base = mw.sample("walk")[0]
    lying = rotations.multiply(
        rotations.about_axis("X", np.array([np.pi / 2])), base.rotations[:, 0]
    )

    def spinning(rate: float) -> Motion:
        quats = np.repeat(base.rotations, 60, axis=0)
        quats[:, 0] = rotations.multiply(rotations.about_vertical(rate * np.arange(60)), lying)
        return Motion(base.skeleton, 30.0, np.repeat(base.root, 60, axis=0), quats)

    made = splice(spinning(0.0), spinning(0.05), seam(20, 5, 30)).motion
    turns = rotations.angle_between(made.rotations[1:, 0], made.rotations[:-1, 0])
    assert np.all(np.diff(turns) > -1e-6)
    assert turns.max() == pytest.approx(0.05)


def test_a_seam_may_begin_and_end_between_frames() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    steps = np.arange(21.0)
    made = splice(walk, jog, Seam(40.3 + steps, 10.6 + steps, smootherstep(steps / 20)))
    assert len(made.motion) == 41 + 20 + int(len(jog) - 1 - 30.6)
    own = max(peak(walk), peak(jog))
    assert peak(made.motion) < 2.0 * own


def test_a_longer_seam_shows_the_same_frames_and_keeps_the_speed_at_its_ends() -> None:
    short = seam(30, 10, 11)
    long = short.stretched_to(41)
    assert len(long) == 41
    assert long.first[0] == short.first[0]
    assert long.second[-1] == short.second[-1]
    assert long.first[-1] == pytest.approx(short.first[-1])
    assert long.second[0] == pytest.approx(short.second[0])
    assert long.first[1] - long.first[0] == pytest.approx(1.0, abs=0.05)
    assert long.second[-1] - long.second[-2] == pytest.approx(1.0, abs=0.05)
    assert np.all(np.diff(long.first) >= 0.0)
    assert short.stretched_to(5) is short


def test_clips_that_keep_their_own_pace_have_the_same_ends() -> None:
    steps = np.arange(21.0)
    hurried = Seam(30 + 0.5 * steps, 10 + 1.5 * steps, smootherstep(steps / 20))
    half, whole = (hurried.at_own_pace(share) for share in (0.5, 1.0))
    for seam in (half, whole):
        assert seam.first[0] == 30
        assert seam.second[-1] == 40
    np.testing.assert_allclose(np.diff(half.first), 0.75)
    np.testing.assert_allclose(np.diff(half.second), 1.25)
    np.testing.assert_allclose(np.diff(whole.first), 1.0)
    np.testing.assert_allclose(np.diff(whole.second), 1.0)


def test_clips_out_of_step_go_as_far_as_they_do_by_themselves() -> None:
    """Averaged steps are shorter or longer; a body that keeps to its foot would go less or more."""
    walk = mw.sample("walk", duration=8.0)
    steps = np.arange(31.0)
    speed = np.linalg.norm(walk.root[-1] - walk.root[0]) / (len(walk) - 1)
    for shift in (2, 5, 8, 11, 14, 16):
        made = splice(walk, walk, Seam(60 + steps, 60 + shift + steps, smootherstep(steps / 30)))
        gone = np.linalg.norm(np.ptp(made.motion.root[50:101, [0, 2]], axis=0))
        assert gone == pytest.approx(50 * speed, rel=0.03)


def test_a_walk_that_becomes_a_jog_goes_as_far_as_their_mean() -> None:
    walk, jog = mw.sample("walk", duration=8.0), mw.sample("jog", duration=8.0)
    jog = jog.resample(walk.fps)
    steps = np.arange(31.0)
    speeds = [np.linalg.norm(m.root[-1] - m.root[0]) / (len(m) - 1) for m in (walk, jog)]
    for shift in (0, 5, 10, 15):
        made = splice(walk, jog, Seam(60 + steps, 60 + shift + steps, smootherstep(steps / 30)))
        gone = np.linalg.norm(made.middle.root[-1, [0, 2]] - made.middle.root[0, [0, 2]])
        assert gone == pytest.approx(30 * np.mean(speeds), rel=0.05)


def test_a_standing_foot_stays_where_the_stances_differ() -> None:
    """Both clips stand, one with its feet further apart: one foot steps, the other stays."""
    stand = mw.sample("walk")[0]
    count = 40
    held = [Constraint(0, count - 1, kind) for kind in SolePoints.of(mw.sample("walk")).kinds]

    def standing(spread: float) -> Motion:
        quats = np.repeat(stand.rotations, count, axis=0)
        rig = mw.find_rig(stand.skeleton)
        for side, sign in (("left", 1.0), ("right", -1.0)):
            joint = rig.roles[f"{side}_thigh"]
            turn = rotations.about_axis("Z", np.array([sign * spread]))
            quats[:, joint] = rotations.multiply(turn, quats[:, joint])
        root = np.repeat(stand.root, count, axis=0)
        return Motion(stand.skeleton, 30.0, root, quats, constraints=tuple(held))

    narrow, wide = standing(0.0), standing(0.3)
    feet = SolePoints.of(mw.sample("walk"))
    steps = np.arange(count)
    made, _ = cross_fade(narrow, wide, smootherstep(steps / (count - 1)), feet)
    places = feet.points(made)[..., [0, 2]]
    ways = np.linalg.norm(places - places[0], axis=-1).max(axis=0)
    leg = 0.9
    assert ways.min() < 0.04 * leg
    assert ways.max() > 0.1 * leg


def test_no_foot_is_called_planted_while_it_swings() -> None:
    # Half a step apart: where one clip stands, the other swings.
    walk, jog = mw.sample("walk", duration=4.0), mw.sample("jog", duration=4.0)
    leg = leg_length(walk.skeleton)
    for shift in range(0, 30, 5):
        made = splice(walk, jog.resample(walk.fps), seam(30, 30 + shift, 31)).middle
        for kind, points in contact_points(made).items():
            steps = np.linalg.norm(np.diff(points[:, [0, 2]], axis=0), axis=1)
            planted = active(made.constraints, kind, np.arange(len(made)))
            both = planted[1:] & planted[:-1]
            assert steps[both].max(initial=0.0) * made.fps <= 1.01 * leg


def test_feet_of_clips_out_of_step_are_as_high_as_in_the_clips() -> None:
    walk = mw.sample("walk", duration=6.0)
    leg, points = leg_length(walk.skeleton), SolePoints.of(walk)
    for shift in (5, 10, 15):
        where = seam(30, 30 + shift, 31)
        made = splice(walk, walk, where).middle
        lower = [
            points.points(motion)[..., 1].reshape(-1, 2, 2).min(axis=-1)
            for motion in (walk.sample(where.first), walk.sample(where.second), made)
        ]
        share = where.weight[:, None]
        mean = (1.0 - share) * lower[0] + share * lower[1]
        assert np.all(lower[2] > mean - 0.02 * leg)
        assert lower[2].min() > -0.01 * leg


def test_curved_ways_stay_curved() -> None:
    angle = np.linspace(0.0, 1.0, 50)
    arc = Planar(angle, np.sin(angle), np.cos(angle))
    other = Planar(2.0) @ arc
    way = integrated_path([arc, other], np.full((50, 2), 0.5))
    for field in ("angle", "x", "z"):
        np.testing.assert_allclose(getattr(way, field), getattr(arc, field), atol=1e-9)


def test_contacts_that_overlap_are_one_and_others_follow_their_clip() -> None:
    weight = smootherstep(np.linspace(0.0, 1.0, 41))
    first = [Constraint(0, 20, "left_toe"), Constraint(30, 40, "right_toe")]
    second = [Constraint(5, 40, "left_toe")]
    found = crossfaded_contacts(first, second, weight)
    assert len(found) == 1
    assert found[0].kind == "left_toe"
    assert found[0].start < 3
    assert 20 < found[0].end <= 40


def test_planting_at_a_seam_leaves_frames_far_away_as_they_are() -> None:
    """A take that sinks into the floor all along: only feet near the seam are looked at."""
    walk = mw.sample("walk", duration=25.0)
    root = walk.root - np.array([0.0, 0.03, 0.0]) * (np.arange(len(walk)) > 200)[:, None]
    sunk = Motion(walk.skeleton, walk.fps, root, walk.rotations, constraints=walk.constraints)
    made = plant_near_seams(sunk, [(600, 620)])
    changed = np.flatnonzero(np.any(made.rotations != sunk.rotations, axis=(1, 2)))
    assert 600 - 1.5 * walk.fps < changed[0] < 600
    assert 620 < changed[-1] < 620 + 1.5 * walk.fps
    # What is done fades in: nothing jumps where it begins.
    before = changed[0] - 20
    assert peak(made[before : before + 60]) < 1.05 * peak(walk)


def test_a_foot_that_stands_longer_is_held_where_it_stands() -> None:
    """The seam drags a foot that stands for twenty seconds, in a capture that drifts."""
    stand = mw.sample("stand", duration=20.0)
    frames = np.arange(len(stand))
    drift = 5e-5 * frames[:, None] * [1.0, 0.0, 0.0]
    dragged = 0.02 * np.sin(np.pi * np.clip((frames - 300) / 30, 0.0, 1.0))
    root = stand.root + drift + dragged[:, None] * [0.0, 0.0, 1.0]
    taken = Motion(stand.skeleton, stand.fps, root, stand.rotations, constraints=stand.constraints)
    feet = SolePoints.of(stand)
    made = plant_near_seams(taken, [(300, 330)])
    far = np.abs(frames - 315) > 15 + 1.5 * stand.fps
    np.testing.assert_array_equal(made.root[far], taken.root[far])
    np.testing.assert_array_equal(made.rotations[far], taken.rotations[far])
    before, after = (feet.points(motion)[290:341, :, [0, 2]] for motion in (taken, made))
    ways = [np.linalg.norm(np.diff(places, axis=0), axis=-1).sum() for places in (before, after)]
    assert ways[1] < 0.2 * ways[0]


def test_strain_is_one_for_what_clips_do_themselves() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    strain = Strain((walk, jog))
    assert strain(walk) <= 1.0
    assert strain(jog) <= 1.0
    assert strain(mw.concatenate([walk, jog])) > 5.0


def test_poses_that_are_further_apart_need_longer() -> None:
    walk, wave = mw.sample("walk"), mw.sample("jab")
    strain = Strain((walk, wave))
    weight = smootherstep(np.linspace(0.0, 1.0, 11))
    same = strain.needed(walk[20:31], walk[20:31], weight)
    other = strain.needed(walk[20:31], wave[20:31], weight)
    assert same <= 1 < other


def test_clips_are_given_one_by_one_or_as_a_sequence() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    assert given_clips((walk, jog), 2, "x") == given_clips(([walk, jog],), 2, "x") == [walk, jog]
    with pytest.raises(BlendError, match="takes motions, not str"):
        given_clips((walk, "jog.bvh"), 2, "a transition")
    with pytest.raises(BlendError, match="got 1"):
        given_clips(([walk],), 2, "a transition")


@pytest.mark.parametrize("join", [mw.transition, mw.join])
def test_a_joint_that_is_turned_round_in_one_clip_turns_back_one_way(
    join: Callable[..., Motion],
) -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    hand = mw.find_rig(jog.skeleton).roles["left_hand"]
    # About half a turn, now a little more and now a little less.
    angle = np.pi + 0.3 * np.sin(0.5 * np.arange(len(jog)))
    turned = np.array(jog.rotations)
    turned[:, hand] = rotations.multiply(turned[:, hand], rotations.about_axis("X", angle))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mw.QualityWarning)
        joined = join(walk, replace(jog, rotations=turned), clean=False)
    steps = rotations.angle_between(joined.rotations[1:, hand], joined.rotations[:-1, hand])
    own = rotations.angle_between(turned[1:, hand], turned[:-1, hand]).max()
    assert np.degrees(steps.max()) < np.degrees(own) + 30.0


def support_slide(motion: Motion, first: int, last: int) -> float:
    """Leg lengths that what supports the body slides between two frames, within half a second."""
    tracks = sole_tracks(motion)
    floor = floor_level(np.stack([height for height, _ in tracks.values()]))
    part = motion[first : last + 1]
    return float(slides_of(sole_tracks(part, own=soles(motion)), part.fps, floor).max())


@pytest.mark.parametrize("shift", [5, 8])
def test_supporting_feet_stand_firmly_if_they_are_to(shift: int) -> None:
    """Clips out of step are averaged to other steps: either the body or the foot gives way."""
    walk = mw.sample("walk", duration=8.0)
    plain = seam(60, 60 + shift, 31)
    slides = []
    for each in (plain, replace(plain, firm=True)):
        made = splice(walk, walk, each)
        slides.append(support_slide(plant_near_seams(made.motion, [(60, 90)]), 50, 100))
    assert slides[1] < 0.03
    assert slides[1] < 0.3 * slides[0]


def test_the_body_gives_way_only_where_feet_would_slide() -> None:
    walk = mw.sample("walk", duration=8.0)

    def finished(made: Spliced) -> Finished:
        seams = [(made.start, made.end)]
        motion = plant_near_seams(made.motion, seams)
        return Finished(motion, check(motion, [made.a, made.b], seams=seams))

    in_step, out_of_step = seam(60, 60, 31), seam(60, 68, 31)
    for each, firm in ((in_step, False), (out_of_step, True)):
        made = splice(walk, walk, each)
        taken, other, done = without_sliding(each, made, finished)
        assert taken.firm is firm
        assert (other is made) is not firm
        assert "slide" not in [finding.kind for finding in done.found]
    assert "slide" in [finding.kind for finding in finished(splice(walk, walk, out_of_step)).found]


@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_a_foot_on_its_way_to_another_stance_is_lifted_over_the_floor(fps: float) -> None:
    walk, (first, last) = skimming(fps)
    size, quarter = leg_length(walk.skeleton), (last - first) // 4
    middle = slice(first + quarter, last - quarter)
    within, elsewhere = (
        plant_near_seams(walk, [place])
        for place in ((first + quarter, last), (last + 2, last + 2 + round(0.2 * fps)))
    )

    def height(motion: Motion) -> float:
        points = contact_points(motion, like=walk)
        return min(float(points[f"left_{end}"][middle, 1].min()) for end in ("heel", "toe")) / size

    # The clips' own swings stay as they are.
    assert height(elsewhere) == pytest.approx(height(walk), abs=0.005)
    assert height(within) > height(walk) + 0.02
    assert peak(within) < 1.2 * peak(mw.sample("walk").resample(fps))
