"""A motion on another body: the same parts turned the same way, on planted feet."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import motionweave as mw
from motionweave import Motion, RetargetNotice, RigError, find_rig
from motionweave.body.hinges import find_hinges
from motionweave.body.normalize.pelvis import at_pelvis
from motionweave.body.rig.fingers import fingers_of
from motionweave.body.rig.roles import leg_length
from motionweave.body.soles import contact_points
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.constraints import FOOT_KINDS, active
from tests.body.bodies import (
    CONVENTIONS,
    renamed,
    reordered,
    scrambled,
    split,
    with_fingers,
    with_helpers,
)
from tests.loose import loosened


def finger_bends(motion: Motion) -> dict[tuple[str, str], Array]:
    """Angles ``(T, 2)`` of the knuckle and of the next joint, by side and finger."""
    rig, positions = find_rig(motion.skeleton), motion.positions()
    found = {}
    for side in ("left", "right"):
        hand = rig.roles[f"{side}_hand"]
        for finger, chain in fingers_of(motion.skeleton, hand).items():
            points = positions[:, [hand, *chain]]
            bones = np.diff(points, axis=1)
            bones /= np.linalg.norm(bones, axis=-1, keepdims=True)
            cosines = np.sum(bones[:, :-1] * bones[:, 1:], axis=-1)
            found[side, finger] = np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))
    return found


def at_roles(motion: Motion) -> Array:
    """Positions ``(T, roles, 3)`` in the order of the roles, whatever the order of joints."""
    body = at_pelvis(motion)
    return body.positions()[:, list(find_rig(body.skeleton).roles.values())]


VARIANTS: dict[str, Callable[[Motion], Motion]] = {
    "reordered": lambda motion: reordered(motion, 7),
    "with helpers": with_helpers,
    "split": split,
    "loose feet": loosened,
    **{name: lambda motion, name=name: renamed(motion, name) for name in CONVENTIONS},  # type: ignore[misc]
}
METHODS: dict[str, Callable[[Motion, Motion], Motion]] = {
    "blend": lambda a, b: mw.blend(mw.register(a, b), [0.4, 0.6]),
    "transition": mw.transition,
    "join": mw.join,
    "framespace": lambda a, b: mw.framespace([a, b], "concatenate", cycles=2),
    "spline": mw.spline_transition,
    "layer": lambda a, b: mw.layer(a, b, start=5),
    "concatenate": lambda a, b: mw.concatenate([a, b]),
}
ALONE: dict[str, Callable[[Motion], Motion]] = {
    "clean": mw.clean_feet,
    "goal": lambda a: mw.warp(a, [mw.Key(20, "left_hand", offset=(0, 0.2, 0))]),
    "heading": lambda a: mw.warp(a, [mw.Key(40, "heading", offset=30.0)]),
    "slope": lambda a: mw.warp(a, ground=mw.Ground.slope(6)),
    "mirror": mw.mirror,
    "loop": lambda a: mw.loop(a, 2),
    "travel": lambda a: mw.travel(mw.in_place(mw.loop(a))),
    "retarget": lambda a: mw.retarget(a, mw.sample("jog").scaled(1.3)),
}


@cache
def plain(method: str) -> Motion:
    return METHODS[method](mw.sample("walk"), mw.sample("jog"))


@pytest.mark.parametrize("convention", ["numbered", "biped", "unity"])
@pytest.mark.parametrize("axes", ["its own", "those of the source"])
def test_fingers_bend_as_they_do_whatever_they_are_called(convention: str, axes: str) -> None:
    source = with_fingers(mw.sample("walk"), "mixamo")
    target = with_fingers(mw.sample("jog").scaled(1.2), convention)
    if axes == "its own":
        target = scrambled(target, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        performed = finger_bends(mw.retarget(source, target))
    wanted = finger_bends(source)
    assert set(performed) == set(wanted)
    assert len(wanted) == 10
    for finger, bends in wanted.items():
        np.testing.assert_allclose(performed[finger], bends, atol=3.0)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "variant", ["reordered", "with helpers", "loose feet", "mixamo", "acclaim"]
)
def test_methods_give_the_same_whatever_the_layout_of_the_second_clip(
    method: str, variant: str
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RetargetNotice)
        result = METHODS[method](mw.sample("walk"), VARIANTS[variant](mw.sample("jog")))
    np.testing.assert_allclose(result.positions(), plain(method).positions(), atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("variant", ["reordered", "with helpers", "split", "loose feet"])
def test_methods_give_the_same_whatever_the_layout_of_all_clips(method: str, variant: str) -> None:
    change = VARIANTS[variant]
    result = METHODS[method](change(mw.sample("walk")), change(mw.sample("jog")))
    np.testing.assert_allclose(at_roles(result), at_roles(plain(method)), atol=1e-6)


@pytest.mark.parametrize("method", ALONE)
def test_methods_of_one_clip_give_the_same_whatever_its_layout(method: str) -> None:
    walk = mw.sample("walk")
    expected = at_roles(ALONE[method](walk))
    for variant in ("reordered", "with helpers", "split", "loose feet", "smpl"):
        result = ALONE[method](VARIANTS[variant](walk))
        np.testing.assert_allclose(at_roles(result), expected, atol=1e-6, err_msg=variant)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("clip", ["walk_left", "dance_a", "jab"])
def test_clips_of_any_layout_come_together_exactly(variant: str, clip: str) -> None:
    first, second = mw.sample("walk"), mw.sample(clip)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        moved = mw.on_common_skeleton([first, VARIANTS[variant](second)])[1]
    assert moved.skeleton == first.skeleton
    np.testing.assert_allclose(moved.positions(), second.positions(), atol=1e-9)


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10_000), clip=st.sampled_from(["walk", "jog", "sneak", "dance_a"]))
def test_a_body_with_any_zero_pose_moves_the_same(seed: int, clip: str) -> None:
    motion = mw.sample(clip)
    other = scrambled(motion, seed)
    result = mw.retarget(motion, other)
    assert result.skeleton == other.skeleton
    size = leg_length(motion.skeleton)
    assert np.abs(at_roles(result) - at_roles(motion)).max() < 0.01 * size
    back = mw.retarget(result, motion)
    assert np.abs(at_roles(back) - at_roles(motion)).max() < 0.01 * size


def test_t_pose_a_pose_and_an_unknown_one_agree() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    # An A-pose: the arms hang down by 50 degrees when no joint is turned.
    rig = find_rig(jog.skeleton)
    turns = np.tile(rotations.IDENTITY, (len(jog.skeleton), 1))
    for side, sign in (("left", -1.0), ("right", 1.0)):
        turns[rig.roles[f"{side}_upper_arm"]] = rotations.about_axis("Z", sign * np.radians(50.0))
    offsets, quats = np.array(jog.skeleton.offsets), np.array(jog.rotations)
    for side in ("left", "right"):
        arm = rig.roles[f"{side}_upper_arm"]
        below = [arm]
        for joint in range(arm + 1, len(jog.skeleton)):
            if jog.skeleton.parents[joint] in below:
                below.append(joint)
                offsets[joint] = rotations.rotate(turns[arm], offsets[joint])
                turns[joint] = turns[arm]
    for joint in range(len(jog.skeleton)):
        parent = int(jog.skeleton.parents[joint])
        if parent >= 0:
            own = rotations.multiply(turns[parent], quats[:, joint])
            quats[:, joint] = rotations.multiply(own, rotations.inverse(turns[joint]))
    a_pose = replace(
        jog,
        skeleton=replace(jog.skeleton, offsets=offsets, end_offsets=0 * jog.skeleton.end_offsets),
        rotations=quats,
    )
    np.testing.assert_allclose(a_pose.positions(), jog.positions(), atol=1e-9)
    hands = [f"{side}_hand" for side in ("left", "right")]
    for onto in (a_pose, a_pose.skeleton, scrambled(jog, 4)):
        result = mw.retarget(walk, onto)
        for role in hands:
            ours = walk.positions()[:, find_rig(walk.skeleton).roles[role]]
            theirs = result.positions()[:, find_rig(result.skeleton).roles[role]]
            assert np.linalg.norm(ours - theirs, axis=1).max() < 0.02 * leg_length(walk.skeleton)


@pytest.mark.parametrize(("shin", "thigh", "width"), [(1.3, 0.9, 1.0), (0.8, 1.2, 1.5)])
def test_planted_feet_stay_and_steps_fit_the_legs(shin: float, thigh: float, width: float) -> None:
    walk = mw.sample("walk")
    rig = find_rig(walk.skeleton)
    offsets = np.array(walk.skeleton.offsets)
    for side in ("left", "right"):
        offsets[rig.roles[f"{side}_shin"]] *= thigh
        offsets[rig.roles[f"{side}_ankle"]] *= shin
        offsets[rig.roles[f"{side}_thigh"]] *= [width, 1.0, 1.0]
    skeleton = scrambled(replace(walk, skeleton=replace(walk.skeleton, offsets=offsets)), 3)
    result = mw.retarget(walk, skeleton)
    size, before = leg_length(result.skeleton), leg_length(walk.skeleton)
    assert result.root[-1, 2] / walk.root[-1, 2] == pytest.approx(size / before, rel=0.02)
    points, floor = contact_points(result), mw.estimate_floor(skeleton).height
    for contact in walk.constraints:
        held = points[contact.kind][int(np.ceil(contact.start)) : int(contact.end) + 1]
        assert np.ptp(held[:, [0, 2]], axis=0).max() < 0.03 * size
        assert np.abs(held[:, 1] - floor).max() < 0.03 * size
    assert min(p[:, 1].min() for p in points.values()) > floor - 0.01 * size


def test_hands_go_where_they_went_if_asked() -> None:
    walk = mw.sample("jab")
    rig = find_rig(walk.skeleton)
    offsets = np.array(walk.skeleton.offsets)
    offsets[rig.roles["left_forearm"]] *= 1.25
    longer = scrambled(replace(walk, skeleton=replace(walk.skeleton, offsets=offsets)), 3)
    roles = find_rig(longer.skeleton).roles
    missed = [
        np.linalg.norm(
            mw.retarget(walk, longer, hands=hands).positions()[:, roles["left_hand"]]
            - walk.positions()[:, rig.roles["left_hand"]],
            axis=1,
        ).max()
        for hands in (True, False)
    ]
    assert missed[0] < 0.02 * leg_length(walk.skeleton) < missed[1]


def test_a_given_mapping_decides() -> None:
    walk = mw.sample("walk")
    onto = scrambled(mw.sample("jog"), 2)
    still = mw.retarget(walk, onto, mapping={"Head": None, "LeftHand": "RightHand"})
    head, neck = (find_rig(onto.skeleton).roles[r] for r in ("head", "neck"))
    turned = rotations.angle_between(still.orientations()[:, head], still.orientations()[:, neck])
    assert np.ptp(turned) < 1e-9
    free = mw.retarget(walk, onto)
    hand = find_rig(onto.skeleton).roles["left_hand"]
    apart = rotations.angle_between(still.orientations()[:, hand], free.orientations()[:, hand])
    assert apart.max() > 0.1


def test_a_skeleton_whose_zero_pose_tells_nothing_is_refused() -> None:
    onto = scrambled(mw.sample("jog"), 2).skeleton
    with pytest.raises(RigError, match=r"is not upright.*give a motion"):
        mw.retarget(mw.sample("walk"), onto)


def test_different_bodies_are_combined_with_a_notice() -> None:
    walk = mw.sample("walk")
    rig = find_rig(walk.skeleton)
    offsets = np.array(walk.skeleton.offsets)
    offsets[[rig.roles["left_shin"], rig.roles["right_shin"]]] *= 1.3
    other = replace(mw.sample("jog"), skeleton=replace(walk.skeleton, offsets=offsets))
    with pytest.warns(RetargetNotice, match="'jog' has a different skeleton.*'walk'"):
        result = mw.transition(walk, scrambled(other, 5))
    assert result.skeleton == walk.skeleton
    with warnings.catch_warnings():
        # The same body under another zero pose, or another body of the same rig: no word.
        warnings.simplefilter("error", RetargetNotice)
        mw.on_common_skeleton([walk, scrambled(mw.sample("jog"), 5), other])


def test_three_hundred_frames_take_no_time() -> None:
    walk = mw.concatenate([mw.sample("walk")] * 4)[:300]
    onto = scrambled(mw.sample("jog"), 2)
    mw.retarget(walk, onto)
    best = min(_seconds(lambda: mw.retarget(walk, onto)) for _ in range(5))
    assert best < 0.1


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


# Real clips

WILD = {
    "accad": "accad/Male1_B15_WalkTurnAround.bvh",
    "bandai": "bandai_namco_1/dataset-1_walk_normal_001.bvh",
    "lafan1": "lafan1_60fps/walk1_subject1_walk2_filtered.bvh",
    "sfu": "sfu/SlowTrot.bvh",
    "xia": "xia_style/neutral_01_000.bvh",
    "mixamo": "games105/motion.bvh",
    "games": "games105/walk_and_turn_left.bvh",
    "snu": "snu_mss/walk.bvh",
}
# Eight conventions and more, each with another actor, unit, frame rate and zero pose.


@pytest.fixture(scope="module")
def recorded(wild: Path, mocap: Path) -> dict[str, Motion]:
    clips = {name: wild / path for name, path in WILD.items()}
    clips["cmu"] = mocap / "bvh" / "cmu_16_15_walk_straight.bvh"
    clips["acclaim"] = mocap / "asf_amc" / "02_01.amc"
    found = {"built-in": mw.sample("walk")}
    for name, path in clips.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", mw.QualityWarning)
            clip = mw.load(path, contacts=False, drop_tpose=True)
        clip = clip[:: max(1, round(clip.fps / 60.0))][:300]
        found[name] = clip.with_constraints(mw.detect_contacts(clip))
    return found


@pytest.mark.wild
@pytest.mark.mocap
def test_there_and_back_over_pairs_of_conventions(recorded: dict[str, Motion]) -> None:
    scores = []
    names = list(recorded)
    pairs = [(i, (i + step) % len(names)) for i in range(len(names)) for step in (1, 4)]
    for one, other in ((names[i], names[j]) for i, j in pairs):
        motion, onto = recorded[one], recorded[other]
        result = mw.retarget(motion, onto)
        back = mw.retarget(result, motion)
        rig = find_rig(motion.skeleton)
        joints = list(rig.roles.values())
        turned = rotations.angle_between(
            motion.orientations()[:, joints], back.orientations()[:, joints]
        )
        height = 2.0 * leg_length(motion.skeleton)
        ends = [rig.roles[f"{s}_{r}"] for s in ("left", "right") for r in ("hand", "ankle")]
        missed = np.linalg.norm((motion.positions() - back.positions())[:, ends], axis=-1)
        slid = [_slide(each, motion) for each in (result, motion)]
        scores.append(
            (
                np.degrees(np.median(turned)),
                np.quantile(missed, 0.95) / height,
                _agreement(motion, mw.detect_contacts(result)),
                slid[0] - 1.2 * slid[1],
                _depth(result),
                float(np.max(_jerks(result) / _jerks(motion))),
            )
        )
        assert scores[-1][0] < 1.0, (one, other)
        assert scores[-1][1] < 0.02, (one, other)
        assert scores[-1][3] < 0.005, (one, other)
    agreement, deep, jerks = (np.array([score[i] for score in scores]) for i in (2, 4, 5))
    assert np.median(agreement) > 0.95
    assert np.mean(agreement > 0.9) > 0.95
    assert np.mean(deep < 0.01) > 0.8
    assert deep.max() < 0.03
    assert np.mean(jerks < 1.5) > 0.9
    assert jerks.max() < 2.0


def _agreement(motion: Motion, found: tuple[mw.Constraint, ...]) -> float:
    """F1 of the frames in which points of the feet are planted, with the motion's own."""
    frames = np.arange(len(motion))
    given, seen = (
        np.array([active(each, kind, frames) for kind in FOOT_KINDS])
        for each in (motion.constraints, found)
    )
    return float(2.0 * np.sum(given & seen) / max(np.sum(given) + np.sum(seen), 1))


def _depth(result: Motion) -> float:
    """How far a sole is below the floor at most, in leg lengths."""
    floor = mw.estimate_floor(result)
    lowest = min(float(floor.above(track).min()) for track in contact_points(result).values())
    return max(-lowest, 0.0) / leg_length(result.skeleton)


def _jerks(motion: Motion) -> Array:
    """Largest accelerations of the bends of both knees, with a least for knees at rest."""
    hinges = find_hinges(motion)
    bends = [hinges[f"{side}_shin"].flexion(*motion.forward()) for side in ("left", "right")]
    largest = np.abs(np.diff(bends, 2, axis=-1)).max(axis=-1) * motion.fps**2
    return np.maximum(largest, np.radians(100.0))


def _slide(result: Motion, motion: Motion) -> float:
    """Way over the floor of planted points, in leg lengths, mean over the motion's contacts."""
    points = contact_points(result)
    ways = []
    for contact in motion.constraints:
        held = points[contact.kind][int(np.ceil(contact.start)) : int(contact.end) + 1, ::2]
        ways.append(np.linalg.norm(np.diff(held, axis=0), axis=1).sum())
    return float(np.mean(ways)) / leg_length(result.skeleton)


@pytest.mark.mocap
def test_one_take_in_two_formats_is_one_motion(mocap: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mw.QualityWarning)
        warnings.simplefilter("error", RetargetNotice)
        bvh = mw.load(mocap / "bvh" / "cmu_02_01_walk_straight.bvh", drop_tpose=True)
        amc = mw.load(mocap / "asf_amc" / "02_01.amc", drop_tpose=True)
        moved = mw.on_common_skeleton([bvh, amc])[1]
    count = min(len(bvh), len(moved))
    apart = np.linalg.norm(at_roles(bvh)[:count] - at_roles(moved)[:count], axis=-1)
    assert np.median(apart) < 0.005 * leg_length(bvh.skeleton)


@pytest.mark.wild
@pytest.mark.mocap
def test_mixed_sets_register_blend_and_join(recorded: dict[str, Motion]) -> None:
    clips = [recorded[name] for name in ("cmu", "accad", "games")]
    with pytest.warns(RetargetNotice):
        curve = mw.register(*clips[:2], ends="free")
    assert mw.blend(curve, [0.5, 0.5]).skeleton == clips[0].skeleton
    with pytest.warns(RetargetNotice):
        assert mw.transition(*clips).skeleton == clips[0].skeleton
    with pytest.warns(RetargetNotice):
        assert mw.join(clips[1], clips[2]).skeleton == clips[1].skeleton
