"""Quality: what is measured is what was put in."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

import motionweave as mw
from motionweave import Constraint, Motion, Planar
from motionweave.body.rig.roles import find_rig, leg_length
from motionweave.contacts.detect import estimate_floor
from motionweave.core import rotations as quat
from motionweave.measure.quality_table import compared
from tests.strategies import motions


@pytest.fixture(scope="module")
def sneak() -> Motion:
    return mw.sample("sneak")


def slid(motion: Motion, velocity: tuple[float, float, float]) -> Motion:
    """The clip on a moving walkway, in leg lengths a frame."""
    way = np.arange(len(motion))[:, None] * np.array(velocity) * leg_length(motion.skeleton)
    return replace(motion, root=motion.root + way)


def test_a_planted_clip_neither_slides_nor_sinks_nor_floats(sneak: Motion) -> None:
    found = mw.quality(sneak)
    assert found.skate_max < 1e-9
    assert found.penetration_max < 1e-6
    assert found.floating_max < 1e-6
    assert not found.seams
    assert not found.wrong_bends
    assert not found.detected
    assert len(found.plants) == len(sneak.constraints)


def test_skate_is_the_way_a_frame(sneak: Motion) -> None:
    found = mw.quality(slid(sneak, (0.003, 0.0, 0.004)))
    assert found.skate_mean == pytest.approx(0.005, rel=1e-6)
    assert found.skate_max == pytest.approx(0.005, rel=1e-6)
    size = leg_length(sneak.skeleton)
    assert found.skate_speed_mean == pytest.approx(0.005 * size * sneak.fps, rel=1e-6)
    assert all(plant.skate_mean == pytest.approx(0.005, rel=1e-6) for plant in found.plants)


@pytest.mark.parametrize("height", [-0.03, 0.02])
def test_depth_and_height_are_those_of_the_feet(sneak: Motion, height: float) -> None:
    floor = estimate_floor(sneak)
    shift = np.array([0.0, height * leg_length(sneak.skeleton), 0.0])
    found = mw.quality(replace(sneak, root=sneak.root + shift), floor=floor)
    assert found.penetration_max == pytest.approx(max(-height, 0.0), abs=1e-6)
    assert found.floating_max == pytest.approx(max(height, 0.0), abs=1e-6)


def test_a_jump_of_the_pose_is_a_seam(sneak: Motion) -> None:
    turned = np.array(sneak.rotations)
    joint = find_rig(sneak.skeleton).roles["left_upper_arm"]
    turned[60:, joint] = quat.multiply(turned[60:, joint], quat.exp(np.array([0.5, 0.0, 0.0])))
    seams = mw.quality(replace(sneak, rotations=turned)).seams
    assert [(s.frame, s.kind, s.what) for s in seams] == [(59, "pose", sneak.skeleton.names[joint])]
    assert seams[0].size == pytest.approx(np.degrees(0.5), rel=0.2)


def test_a_jump_of_the_root_is_a_seam(sneak: Motion) -> None:
    root = np.array(sneak.root)
    root[40:] += [0.4, 0.0, 0.0]
    seams = mw.quality(replace(sneak, root=root)).seams
    assert [(s.frame, s.kind, s.what) for s in seams] == [(39, "pose", "root position")]
    assert seams[0].size == pytest.approx(0.4 / leg_length(sneak.skeleton), rel=0.2)


def test_a_jump_of_the_velocity_is_a_seam(sneak: Motion) -> None:
    turned = np.array(sneak.rotations)
    joint = find_rig(sneak.skeleton).roles["head"]
    spin = np.maximum(np.arange(len(sneak)) - 50, 0)[:, None] * np.array([0.0, 0.4, 0.0])
    turned[:, joint] = quat.exp(spin)
    seams = mw.quality(replace(sneak, rotations=turned)).seams
    assert [(s.frame, s.kind) for s in seams] == [(50, "velocity")]
    assert seams[0].size == pytest.approx(np.degrees(0.4) * sneak.fps, rel=0.05)


@pytest.mark.parametrize("name", ["walk", "jog", "sneak_left"])
@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_smooth_clips_have_no_seams(name: str, fps: float) -> None:
    assert not mw.quality(mw.sample(name, fps=fps)).seams


def test_peaks_are_given_against_the_inputs(sneak: Motion) -> None:
    # Twice as fast: speeds double, accelerations are four times as large.
    fast = replace(sneak, fps=2.0 * sneak.fps)
    found = mw.quality(fast, [sneak])
    for peak in found.peaks:
        if peak.speed_ratio is not None and peak.acceleration_ratio is not None:
            assert peak.speed_ratio == pytest.approx(2.0)
            assert peak.acceleration_ratio == pytest.approx(4.0)
    assert found.fastest.speed_ratio is not None
    turns = quat.angle_between(fast.rotations[1:], fast.rotations[:-1])
    assert found.fastest.speed == pytest.approx(np.degrees(turns.max()) * fast.fps)
    assert all(peak.speed_ratio is None for peak in mw.quality(fast).peaks)


def test_inputs_need_the_same_joints(sneak: Motion) -> None:
    with pytest.raises(mw.RigError, match="same joints"):
        mw.quality(sneak, [mw.Motion(one_joint(), 30.0, np.zeros((3, 3)), still(3))])


def one_joint() -> mw.Skeleton:
    return mw.Skeleton(("box",), np.array([-1]), np.zeros((1, 3)))


def still(frames: int) -> np.ndarray:
    return np.tile(quat.IDENTITY, (frames, 1, 1))


def test_a_knee_bent_forwards_is_noticed(sneak: Motion) -> None:
    rig = find_rig(sneak.skeleton)
    knee = rig.roles["right_shin"]
    turned = np.array(sneak.rotations)
    turned[30:40, knee] = quat.exp(np.array([-0.4, 0.0, 0.0]))
    found = mw.quality(replace(sneak, rotations=turned)).wrong_bends
    assert [bend.joint for bend in found] == [sneak.skeleton.names[knee]]
    assert found[0].frames == 10
    assert found[0].worst == pytest.approx(np.degrees(0.4), abs=1.0)
    assert 30 <= found[0].worst_frame < 40


def test_path_and_heading(sneak: Motion) -> None:
    t = np.linspace(0.0, 1.0, len(sneak))
    still_body = replace(sneak, root=np.tile(sneak.root[0], (len(sneak), 1)))
    moved = still_body.moved(Planar(0.0 * t, 3.0 * t, 4.0 * t))
    assert mw.quality(moved).path_length == pytest.approx(5.0)
    turned = still_body.moved(Planar.about(sneak.root[0, [0, 2]], np.pi * t))
    change = mw.quality(turned).heading_change - mw.quality(still_body).heading_change
    assert change == pytest.approx(180.0, abs=1.0)


def test_contacts_are_detected_if_there_are_none(sneak: Motion) -> None:
    found = mw.quality(sneak.with_constraints(()))
    assert found.detected
    assert found.plants


@given(motions())
def test_any_motion_can_be_measured(motion: Motion) -> None:
    """Also one of a creature without legs, of a single frame, or held for no whole frame."""
    found = mw.quality(motion.with_constraints([Constraint(0.2, 0.3, "left_toe")]))
    assert found.frames == len(motion)
    json.dumps(found.to_dict(), allow_nan=False)
    assert ("skate" in str(found)) == found.has_feet


def test_the_table_names_what_matters(sneak: Motion) -> None:
    before = mw.quality(slid(sneak, (0.004, 0.0, 0.0)))
    text = str(before)
    assert "0.400 %" in text
    assert sneak.name in text
    table = compared(before, mw.quality(sneak)).splitlines()
    assert table[1].split() == ["skate,", "mean", "0.400", "0.000"]


def test_a_foot_that_slides_without_a_contact_is_seen(sneak: Motion) -> None:
    """Contacts of the right foot are dropped: what it slides is still measured."""
    left = tuple(c for c in sneak.constraints if c.kind.startswith("left"))
    declared = mw.quality(slid(sneak, (0.002, 0.0, 0.0)))
    dropped = mw.quality(slid(sneak, (0.002, 0.0, 0.0)).with_constraints(left))
    assert dropped.undeclared_frames > declared.undeclared_frames + 10
    assert dropped.undeclared_skate == pytest.approx(0.002, rel=0.1)


def test_hips_are_compared_with_the_clip_before(sneak: Motion) -> None:
    leg = leg_length(sneak.skeleton)
    low = replace(sneak, root=sneak.root - np.array([0.0, 0.01 * leg, 0.0]))
    found = mw.quality(low, [sneak])
    assert found.hips_lowered_mean == pytest.approx(0.01)
    assert found.hips_lowered_max == pytest.approx(0.01)
    assert "hips lowered" in str(found)
    # Of a clip of other frames nobody can say.
    assert mw.quality(low, [sneak[:-3]]).hips_lowered_mean is None


def test_a_lurch_of_the_root_is_measured_against_the_inputs(sneak: Motion) -> None:
    root = np.array(sneak.root)
    root[30:] += np.array([0.05, 0.0, 0.0]) * leg_length(sneak.skeleton)
    found = mw.quality(replace(sneak, root=root), [sneak])
    assert found.root_acceleration_frame in (29, 30)
    assert found.root_acceleration == pytest.approx(0.05 * sneak.fps**2, rel=0.2)
    assert found.root_acceleration_ratio is not None
    assert found.root_acceleration_ratio > 2.0


def test_frames_with_a_foot_in_the_floor_are_counted(sneak: Motion) -> None:
    floor = estimate_floor(sneak)
    sunk = replace(sneak, root=sneak.root - np.array([0.0, 0.03, 0.0]) * leg_length(sneak.skeleton))
    assert mw.quality(sneak, floor=floor).sunk_frames == 0
    assert mw.quality(sunk, floor=floor).sunk_frames > 0.9 * len(sneak)


@pytest.mark.parametrize("fps", [60.0, 90.0, 120.0, 240.0])
def test_a_clip_that_was_sampled_more_finely_has_no_other_seams(sneak: Motion, fps: float) -> None:
    """Between recorded frames it runs straight: a bend at each of them is not a seam."""
    assert not mw.quality(mw.sample("jog").resample(fps)).seams
    fine = sneak.resample(fps)
    root = np.array(fine.root)
    root[80:, 2] += 0.4
    seams = mw.quality(replace(fine, root=root)).seams
    assert [(s.frame, s.kind, s.what) for s in seams] == [(79, "pose", "root position")]
