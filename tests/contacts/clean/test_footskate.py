"""Feet stay where they are planted; nothing else moves, and nothing gets worse."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import motionweave as mw
from motionweave import Constraint, Motion, Planar
from motionweave.body.floor import Floor
from motionweave.body.hinges import find_hinges
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.roles import find_rig, leg_length
from motionweave.body.soles import contact_points
from motionweave.contacts.clean.footskate import plant_between
from motionweave.contacts.detect import detect_contacts, estimate_floor
from motionweave.core import rotations as quat
from motionweave.core.constraints import FOOT_KINDS, HAND_KINDS
from motionweave.measure.peaks import turning

EASE = 0.2


def held_steps(motion: Motion, of: Motion | None = None) -> np.ndarray:
    """Ways over the floor between frames in which a foot is planted, in leg lengths."""
    points = contact_points(motion)
    steps = []
    for c in (of or motion).constraints:
        if c.kind in points:
            track = points[c.kind][int(np.ceil(c.start)) : int(np.floor(c.end)) + 1, [0, 2]]
            steps.append(np.linalg.norm(np.diff(track, axis=0), axis=-1))
    return np.concatenate(steps) / leg_length(motion.skeleton)


def depths(motion: Motion, floor: Floor) -> np.ndarray:
    """How deep heels and toes are in the floor, ``(T, 4)``, in leg lengths."""
    points = contact_points(motion)
    deep = [np.maximum(-floor.above(points[kind]), 0.0) for kind in sorted(points)]
    return np.stack(deep, axis=-1) / leg_length(motion.skeleton)


def turns(motion: Motion) -> np.ndarray:
    return quat.angle_between(motion.rotations[1:], motion.rotations[:-1])


def zone(motion: Motion, ease: float = EASE) -> np.ndarray:
    """Frames that may change: plants and what is within ``ease`` seconds of them."""
    frames = np.arange(len(motion))
    inside = np.zeros(len(motion), dtype=bool)
    for c in motion.constraints:
        reach = round(ease * motion.fps)
        inside |= (frames > c.start - reach - 1) & (frames < c.end + reach + 1)
    return inside


def skated(motion: Motion, way: float, rise: float = 0.0) -> Motion:
    """A clip whose whole body sways over the floor, feet and all: a known amount of skate."""
    size = leg_length(motion.skeleton)
    phase = 2.0 * np.pi * np.arange(len(motion)) / (1.3 * motion.fps)
    sway = np.stack([np.sin(phase), 0.0 * phase, np.cos(1.7 * phase)], axis=-1) * way * size
    sway[:, 1] = rise * size * np.sin(0.9 * phase)
    return replace(motion, root=motion.root + sway)


@pytest.fixture(scope="module")
def sneak() -> Motion:
    return mw.sample("sneak")


@pytest.fixture(scope="module")
def walk() -> Motion:
    """A walk with a pause of its own between the plants of each foot."""
    return mw.sample("walk")


def test_a_clip_that_is_planted_already_stays_as_it_is(sneak: Motion) -> None:
    assert held_steps(sneak).max() < 1e-9
    cleaned = mw.clean_feet(sneak)
    assert quat.angle_between(cleaned.rotations, sneak.rotations).max() < 1e-5
    assert np.abs(cleaned.root - sneak.root).max() < 1e-6
    assert cleaned.constraints == sneak.constraints


@pytest.mark.parametrize("name", ["walk", "jog", "sneak"])
@pytest.mark.parametrize("way", [0.01, 0.04])
def test_added_skate_is_taken_out(name: str, way: float) -> None:
    truth = mw.sample(name)
    floor = estimate_floor(truth)
    skating = skated(truth, way, rise=0.3 * way)
    assert held_steps(skating).max() > 0.3 * way
    cleaned = mw.clean_feet(skating, floor=floor)
    assert held_steps(cleaned).max() < 0.002
    assert held_steps(cleaned).mean() < 2e-4
    assert depths(cleaned, floor).max() <= depths(skating, floor).max() + 1e-9
    held = np.concatenate(
        [
            contact_points(cleaned)[c.kind][int(np.ceil(c.start)) : int(c.end) + 1]
            for c in truth.constraints
        ]
    )
    # On the floor while planted, but for the way a heel comes down and leaves.
    assert np.median(np.abs(floor.above(held))) < 4e-4 * leg_length(truth.skeleton)
    assert turns(cleaned).max() <= 1.1 * turns(skating).max()


def test_nothing_changes_outside_plants_and_their_ease(walk: Motion) -> None:
    few = walk.constraints[4:6]
    skating = skated(walk, 0.03).with_constraints(few)
    cleaned = mw.clean_feet(skating, ease=EASE)
    still = ~zone(skating)
    assert 10 < still.sum() < len(walk)
    assert np.array_equal(cleaned.root[still], skating.root[still])
    assert np.array_equal(cleaned.rotations[still], skating.rotations[still])
    assert not np.array_equal(cleaned.rotations, skating.rotations)
    # Arms, spine and head are no business of the feet anywhere.
    rig = find_rig(walk.skeleton)
    legs = [rig.roles[f"{s}_{r}"] for s in ("left", "right") for r in ("thigh", "shin", "ankle")]
    others = np.setdiff1d(np.arange(len(walk.skeleton)), legs)
    assert np.array_equal(cleaned.rotations[:, others], skating.rotations[:, others])


def test_without_plants_the_clip_comes_back(walk: Motion) -> None:
    cleaned = mw.clean_feet(walk, [])
    assert np.array_equal(cleaned.root, walk.root)
    assert np.array_equal(cleaned.rotations, walk.rotations)


def test_corrections_do_not_pop(walk: Motion) -> None:
    """Sampled four times as fine, corrections bend sixteen times less: no kink anywhere."""
    bends = []
    for fps in (30.0, 120.0):
        clip = skated(mw.sample("walk", fps=fps), 0.03)
        cleaned = mw.clean_feet(clip)
        change = quat.log(quat.multiply(quat.inverse(clip.rotations), cleaned.rotations))
        bends.append(np.quantile(np.abs(np.diff(change, 2, axis=0)).max(axis=(1, 2)), 0.95))
    assert bends[1] < bends[0] / 5.0


def test_moved_on_the_floor_it_is_cleaned_the_same(walk: Motion) -> None:
    skating = skated(walk, 0.03)
    move = Planar(2.1, 3.0, -7.0)
    there = mw.clean_feet(skating.moved(move))
    here = mw.clean_feet(skating).moved(move)
    assert quat.angle_between(there.rotations, here.rotations).max() < 1e-5
    assert np.abs(there.root - here.root).max() < 1e-5


def test_another_unit_is_cleaned_the_same(walk: Motion) -> None:
    skating = skated(walk, 0.03)
    large = mw.clean_feet(skating.scaled(100.0))
    small = mw.clean_feet(skating)
    assert quat.angle_between(large.rotations, small.rotations).max() < 1e-5


def lifted(motion: Motion, share: float) -> Motion:
    """A body too high for its legs over the middle of the clip."""
    t = np.linspace(-1.0, 1.0, len(motion))
    rise = share * leg_length(motion.skeleton) * np.exp(-((3.0 * t) ** 2))
    return replace(motion, root=motion.root + rise[:, None] * np.array([0.0, 1.0, 0.0]))


def test_the_body_comes_down_where_legs_cannot_reach(walk: Motion) -> None:
    floor = estimate_floor(walk)
    cleaned = mw.clean_feet(lifted(walk, 0.05), floor=floor)
    assert held_steps(cleaned).max() < 0.002
    sunk = cleaned.root[:, 1] - lifted(walk, 0.05).root[:, 1]
    assert sunk.min() < -0.01
    assert turns(cleaned).max() <= 1.1 * turns(walk).max()


def test_stretched_legs_spare_the_body(walk: Motion) -> None:
    floor = estimate_floor(walk)
    high = lifted(walk, 0.05)
    plain = mw.clean_feet(high, floor=floor)
    stretched = mw.clean_feet(high, floor=floor, stretch=0.02)
    assert plain.translations is None
    assert stretched.translations is not None
    ratio = np.linalg.norm(stretched.translations[:, 1:], axis=-1) / np.linalg.norm(
        walk.skeleton.offsets[1:], axis=-1
    )
    assert 1.0005 < ratio.max() <= 1.02 + 1e-9
    assert ratio.min() > 1.0 - 1e-9
    assert np.abs(stretched.root - high.root).max() < np.abs(plain.root - high.root).max()
    assert held_steps(stretched).max() < 0.002


def test_a_plant_out_of_reach_is_told(walk: Motion) -> None:
    # The left toe is said to stay while the character walks on for two steps.
    held = [Constraint(5, 80, "left_toe"), Constraint(5, 80, "right_toe")]
    with pytest.warns(mw.QualityWarning, match=r"cannot reach its|not held in its place"):
        mw.clean_feet(walk, held)


def test_feet_that_still_slide_are_told(walk: Motion) -> None:
    """A toe that steps on while it is said to stay cannot be held still, whatever the reason."""
    held = [c for c in walk.constraints if c.kind != "left_toe"]
    with pytest.warns(mw.QualityWarning) as told:
        cleaned = mw.clean_feet(walk, [*held, Constraint(5, 80, "left_toe")])
    (remark,) = [str(one.message) for one in told if "still slide" in str(one.message)]
    found = re.search(r"at ([\d.]+)% of a leg .* the left toe at frame (\d+)", remark)
    assert found
    assert float(found[1]) == pytest.approx(
        100.0 * held_steps(cleaned).mean() * walk.fps, rel=0.1, abs=0.1
    )
    assert 5 <= int(found[2]) <= 80


def test_frames_of_warnings_count_a_t_pose_in_front(walk: Motion) -> None:
    rest = np.tile(quat.IDENTITY, (1, len(walk.skeleton), 1))
    posed = mw.concatenate([replace(walk[:1], rotations=rest, constraints=()), walk])
    assert tpose_frames(posed)
    frames = []
    for clip, later in ((walk, 0), (posed, 1)):
        held = [Constraint(5 + later, 80 + later, f"{side}_toe") for side in ("left", "right")]
        with pytest.warns(mw.QualityWarning) as caught:
            mw.clean_feet(clip, held)
        said = [re.findall(r"(?:frames?|to|,) (\d+)", str(one.message)) for one in caught]
        frames.append([int(number) - later for numbers in said for number in numbers])
    assert frames[0]
    assert frames[0] == frames[1]


def test_hands_are_held_where_asked() -> None:
    jog = mw.sample("jog")
    held = (*jog.constraints, Constraint(30, 33, "left_hand"))
    free = mw.clean_feet(jog, held)
    fixed = mw.clean_feet(jog, held, hands=True)
    rig = find_rig(jog.skeleton)
    hand = rig.roles["left_hand"]
    assert np.ptp(free.positions()[30:34, hand], axis=0).max() > 0.1
    assert np.ptp(fixed.positions()[30:34, hand], axis=0).max() < 1e-6
    other = [rig.roles[f"right_{role}"] for role in ("upper_arm", "forearm", "hand")]
    assert np.array_equal(fixed.rotations[:, other], jog.rotations[:, other])


def test_contacts_are_detected_where_there_are_none(walk: Motion) -> None:
    bare = skated(walk, 0.005).with_constraints(())
    cleaned = mw.clean_feet(bare)
    assert cleaned.constraints == detect_contacts(bare)
    assert held_steps(cleaned).mean() < 0.2 * held_steps(bare, of=cleaned).mean()


def test_a_t_pose_in_front_stays_as_it_is(walk: Motion) -> None:
    skating = skated(walk, 0.03)
    t_pose = np.tile(quat.IDENTITY, (1, len(walk.skeleton), 1))
    clip = replace(
        skating,
        root=np.concatenate([skating.root[:1], skating.root]),
        rotations=np.concatenate([t_pose, skating.rotations]),
        constraints=tuple(c.shifted(1) for c in skating.constraints),
    )
    cleaned, alone = mw.clean_feet(clip), mw.clean_feet(skating)
    assert np.array_equal(cleaned.rotations[0], clip.rotations[0])
    assert np.array_equal(cleaned.rotations[1:], alone.rotations)
    assert np.array_equal(cleaned.root[1:], alone.root)
    assert cleaned.constraints == clip.constraints


def test_only_the_first_frame_counts_as_a_t_pose(walk: Motion) -> None:
    """In a second one, with the head turned as in the walk, the feet are planted already."""
    skating = skated(walk, 0.03)
    head = find_rig(walk.skeleton).roles["head"]
    rotations = np.concatenate(
        [np.tile(quat.IDENTITY, (2, len(walk.skeleton), 1)), skating.rotations]
    )
    rotations[1:, head] = quat.exp(np.array([0.0, 0.8, 0.0]))
    clip = replace(
        skating,
        root=np.concatenate([skating.root[[0, 0]], skating.root]),
        rotations=rotations,
        constraints=[Constraint(1, 6, kind) for kind in FOOT_KINDS],
    )
    assert tpose_frames(clip) == 1
    assert tpose_frames(clip[1:]) == 1
    cleaned = mw.clean_feet(clip, warn=False)
    assert np.array_equal(cleaned.rotations[0], clip.rotations[0])
    assert not np.array_equal(cleaned.rotations[1], clip.rotations[1])


held_anywhere = st.lists(
    st.builds(
        lambda start, length, kind: Constraint(start, start + length, kind),
        st.floats(-10.0, 100.0),
        st.floats(0.0, 40.0),
        st.sampled_from([*FOOT_KINDS, *HAND_KINDS, "nose"]),
    ),
    max_size=8,
)


@given(held_anywhere, st.integers(1, 93), st.sampled_from([0.0, 0.1, 1.0]))
@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
def test_any_constraints_can_be_asked_for(held: list[Constraint], frames: int, ease: float) -> None:
    """Overlapping, outside the clip, of a moment, of other things: feet stay or it is said."""
    clip = mw.sample("walk")[:frames]
    cleaned = mw.clean_feet(clip, held, ease=ease, hands=True, stretch=0.01)
    assert len(cleaned) == len(clip)
    assert cleaned.constraints == tuple(sorted(held))
    turned = quat.angle_between(cleaned.rotations[0], clip.rotations[0])
    assert np.all(np.isfinite(turned))


@pytest.mark.parametrize(
    ("options", "message"),
    [({"stretch": -0.1}, "stretch -0.1"), ({"stretch": 2.0}, "stretch 2"), ({"ease": -1}, "ease")],
)
def test_bad_options_are_named(walk: Motion, options: dict[str, float], message: str) -> None:
    with pytest.raises(mw.MotionError, match=message):
        mw.clean_feet(walk, **options)  # type: ignore[arg-type]


def knee_bends(of: Motion, motion: Motion) -> np.ndarray:
    """Bends ``(T, 2)`` of the knees in degrees about the hinges they have in ``of``."""
    hinges = find_hinges(of)
    forward = motion.forward()
    knees = [hinges[f"{side}_shin"].flexion(*forward) for side in ("left", "right")]
    return np.degrees(np.stack(knees, axis=-1))


def knee_and_ankle_accelerations(motion: Motion) -> np.ndarray:
    """The largest of each knee and ankle, in degrees per second squared, at the clip's rate."""
    rig = find_rig(motion.skeleton)
    joints = [rig.roles[f"{s}_{r}"] for s in ("left", "right") for r in ("shin", "ankle")]
    return turning(motion)[1][:, joints].max(axis=0)


def worse_than(clip: Motion, cleaned: Motion) -> list[str]:
    """What clean-up has made worse, at the clip's own frame rate; lengths of a 1.7 m body."""
    floor = estimate_floor(clip)
    second = 83.0 * clip.fps
    slip, slip_before = held_steps(cleaned).mean() * second, held_steps(clip).mean() * second
    deep, deep_before = depths(cleaned, floor), depths(clip, floor)
    before, after = knee_bends(clip, clip), knee_bends(clip, cleaned)
    peaks = knee_and_ankle_accelerations(cleaned) / np.maximum(
        knee_and_ankle_accelerations(clip), 100.0
    )
    lowered = 83.0 * (clip.root - cleaned.root)[:, 1].mean() / leg_length(clip.skeleton)
    checks = {
        f"slip {slip:.2f} cm/s": slip <= 1.0 and slip <= slip_before + 0.01,
        "penetration": deep.mean() <= deep_before.mean() + 1e-4,
        "deepest": deep.max() <= deep_before.max() + 2e-3,
        "a knee turned": np.all(after > np.minimum(before, 0.0) - 3.0),
        f"knee or ankle {peaks.max():.2f} times as sudden": peaks.max() <= 1.5,
        f"hips {lowered:.2f} cm lower": lowered <= 1.0,
        "constraints": cleaned.constraints == clip.constraints,
    }
    return [what for what, holds in checks.items() if not holds]


@pytest.mark.parametrize("name", ["walk", "jog", "sneak"])
def test_feet_whose_ankles_were_not_captured_are_held(name: str) -> None:
    """An ankle that never turns says nothing about how hard one may."""
    clip = mw.sample(name)
    rig = find_rig(clip.skeleton)
    rotations = np.array(clip.rotations)
    rotations[:, [rig.roles[f"{side}_ankle"] for side in ("left", "right")]] = quat.IDENTITY
    stiff = replace(clip, rotations=rotations)
    cleaned = mw.clean_feet(stiff)
    per_second = 83.0 * clip.fps
    assert held_steps(stiff).mean() * per_second > 5.0
    assert held_steps(cleaned).mean() * per_second < 1.0
    knees = slice(None, None, 2)
    hard = knee_and_ankle_accelerations
    assert np.all(hard(cleaned)[knees] < 1.5 * hard(stiff)[knees])


def swaying(walk: Motion, sway: float) -> Motion:
    """A body that stands calmly on bent knees, its feet sliding with it by ``sway`` leg lengths."""
    count, fps = 240, 60.0
    time = np.arange(count) / fps
    rig = find_rig(walk.skeleton)
    stand = replace(walk.sample(np.full(count, 40.0)), fps=fps)
    rotations = np.array(stand.rotations)
    for late, side in enumerate(("left", "right")):
        give = 0.04 * np.sin(np.pi * time + late)[:, None] * np.array([1.0, 0.0, 0.0])
        for role, way in (("shin", 1.0), ("ankle", -1.0)):
            joint = rig.roles[f"{side}_{role}"]
            rotations[:, joint] = quat.multiply(rotations[:, joint], quat.exp(way * give))
    root = np.array(stand.root)
    size = sway * leg_length(walk.skeleton)
    root[:, 2] += size * np.sin(2.0 * np.pi * time)
    root[:, 1] += 0.2 * size * np.sin(6.0 * np.pi * time)
    held = [Constraint(0, count - 1, kind) for kind in FOOT_KINDS]
    return replace(stand, rotations=rotations, root=root).with_constraints(held)


def test_feet_of_a_body_that_stands_calmly_are_held_calmly(walk: Motion) -> None:
    """Where knees and ankles hardly move, holding feet must not jerk them, nor be given up."""
    clip = swaying(walk, 0.025)
    assert not worse_than(clip, mw.clean_feet(clip))


@pytest.mark.mocap
def test_a_foot_that_lands_as_the_clip_ends_is_held(mocap: Path) -> None:
    jog = mw.load(mocap / "bvh" / "cmu_16_35_jog_straight.bvh", drop_tpose=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not worse_than(jog, mw.clean_feet(jog))


@pytest.mark.mocap
@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
def test_no_captured_clip_gets_worse(mocap: Path) -> None:
    clips = sorted((mocap / "bvh").glob("*.bvh"))[::8]
    worse = []
    for path in clips:
        clip = mw.load(path, drop_tpose=True)
        worse += [f"{path.stem}: {what}" for what in worse_than(clip, mw.clean_feet(clip))]
    assert not worse


@pytest.mark.wild
@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
def test_no_clip_of_other_bodies_gets_worse(wild: Path) -> None:
    worse = []
    for path in sorted(wild.rglob("*.bvh"))[3::14]:
        clip = mw.load(path, drop_tpose=True)
        worse += [f"{path.stem}: {what}" for what in worse_than(clip, mw.clean_feet(clip))]
    assert not worse


def test_a_finer_clip_is_cleaned_the_same() -> None:
    """Cleaned and then sampled, or sampled and then cleaned: the same to a few millimetres."""
    coarse = skated(mw.sample("walk", fps=60.0), 0.03)
    fine = coarse.resample(120.0)
    cleaned = mw.clean_feet(coarse).resample(120.0)
    other = mw.clean_feet(fine)
    apart = np.linalg.norm(cleaned.positions() - other.positions(), axis=-1)
    moved = np.linalg.norm(cleaned.positions() - fine.positions(), axis=-1)
    assert moved.max() > 0.02
    assert apart.max() < 0.2 * moved.max()


def test_a_knee_recorded_past_straight_does_not_go_further() -> None:
    """Legs straightened until they bend a little to the front are not bent to the front more."""
    walk = mw.sample("walk")
    rig = find_rig(walk.skeleton)
    hinges = find_hinges(walk)
    rotations = np.array(walk.rotations)
    for side in ("left", "right"):
        hinge = hinges[f"{side}_shin"]
        bend = hinge.flexion(*walk.forward())
        back = np.minimum(bend, np.radians(18.0)) + np.radians(4.0)
        turn = quat.exp(-back[:, None] * hinge.axis)
        shin = rig.roles[f"{side}_shin"]
        rotations[:, shin] = quat.multiply(turn, rotations[:, shin])
    past = skated(replace(walk, rotations=rotations), 0.02)
    before = knee_bends(walk, past)
    assert before.min() < -3.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        after = knee_bends(walk, mw.clean_feet(past))
    assert np.all(after > np.minimum(before, 0.0) - 2.0)


def test_a_plant_that_cannot_hold_is_left_behind() -> None:
    """A walk goes on and on from a foot that is said to stay: the body must not go after it."""
    walk = mw.sample("walk")
    leg = leg_length(walk.skeleton)
    stuck = Constraint(5.0, 45.0, "left_heel")
    with pytest.warns(mw.QualityWarning, match=r"left foot .* (cannot reach|not held in its)"):
        cleaned = mw.clean_feet(walk, [stuck])
    lowered = walk.root[:, 1] - cleaned.root[:, 1]
    assert lowered.max() < 0.35 * leg
    second = np.linalg.norm(np.diff(cleaned.positions(), n=2, axis=0), axis=-1)
    own = np.linalg.norm(np.diff(walk.positions(), n=2, axis=0), axis=-1)
    assert second.max() < 4.0 * own.max()


def test_a_plant_that_is_given_up_is_told_with_foot_and_frames() -> None:
    walk = mw.sample("walk")
    with pytest.warns(mw.QualityWarning) as told:
        mw.clean_feet(walk, [Constraint(5.0, 45.0, "left_heel")])
    (given_up,) = [str(one.message) for one in told if "in its place" in str(one.message)]
    found = re.search(r"left foot of 'walk' .* in frames (\d+) to (\d+)", given_up)
    assert found
    # The heel is furthest from the middle of the stance at its ends.
    assert 5 <= int(found[1]) < int(found[2]) <= 45
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mw.clean_feet(walk)


def test_feet_planted_between_two_frames_leave_the_rest_alone() -> None:
    walk = mw.sample("walk")
    walk = walk.with_constraints(detect_contacts(walk))
    # Slides in the middle, from a place that is right on to one that is right again.
    frames = np.arange(len(walk))
    slide = 0.06 * np.sin(np.pi * np.clip((frames - 20) / 30.0, 0.0, 1.0))
    slid = replace(walk, root=walk.root + slide[:, None] * np.array([1.0, 0.3, 0.0]))
    planted = plant_between(slid, 20, 50)
    outside = (frames <= 20) | (frames >= 50)
    np.testing.assert_array_equal(planted.root[outside], slid.root[outside])
    np.testing.assert_array_equal(planted.rotations[outside], slid.rotations[outside])
    before, after = (held_steps(motion, walk) for motion in (slid, planted))
    assert after.mean() < 0.2 * before.mean()
    # A foot that stands across the border has its height on the other side, too.
    across = [c for c in walk.constraints if c.kind in FOOT_KINDS and c.start < 18 and c.end > 24]
    assert across
    for contact in across:
        height = contact_points(planted)[contact.kind][18:23, 1]
        assert np.ptp(height) < 0.01 * leg_length(walk.skeleton)


def test_a_body_that_is_lowered_does_not_carry_feet_in_the_air_into_the_floor() -> None:
    """The right foot is recorded too high, and only it stands: the left one skims the floor."""
    walk = mw.sample("walk")
    root = find_rig(walk.skeleton).roles["hips"]
    ahead = np.array([0.0, 0.0, 1.0])
    tilted = np.array(walk.rotations)
    tilted[:, root] = quat.multiply(quat.exp(np.radians(-5.0) * ahead), tilted[:, root])
    clip = replace(
        walk,
        rotations=tilted,
        constraints=tuple(c for c in walk.constraints if c.kind.startswith("right")),
    )
    points = contact_points(clip)
    low = {kind: float(points[kind][:, 1].min()) for kind in points}
    floor = Floor(min(low.values()))
    size = leg_length(clip.skeleton)
    assert min(low["right_heel"], low["right_toe"]) > floor.height + 0.01 * size
    cleaned = mw.clean_feet(clip, floor=floor, warn=False)
    lowered = (clip.root - cleaned.root)[:, 1]
    assert lowered.max() > 0.008 * size
    assert depths(cleaned, floor)[:, :2].max() < 0.001
