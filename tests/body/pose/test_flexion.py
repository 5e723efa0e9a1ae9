"""Flexion of posed limbs, whatever the rig, the place and the heading."""

from __future__ import annotations

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.pose.axes import rest_axes
from motionweave.body.pose.flexion import flexions
from motionweave.core import rotations


def posed(joint: str, axis: str, degrees: float) -> mw.Motion:
    """The built-in character in its rest pose but for one joint."""
    skeleton = mw.sample("walk").skeleton
    turned = np.tile([0.0, 0.0, 0.0, 1.0], (3, len(skeleton), 1))
    turned[:, skeleton.index(joint)] = rotations.about_axis(axis, np.radians(degrees))
    return mw.Motion(skeleton, 30.0, np.tile(skeleton.offsets[0], (3, 1)), turned)


@pytest.mark.parametrize("degrees", [-20.0, 0.0, 35.0, 100.0])
@pytest.mark.parametrize("side", ["Left", "Right"])
def test_hip_and_knee(side: str, degrees: float) -> None:
    letter = side[0]
    # Turning about +x (the left) moves what hangs down backwards: flexion is negative turn.
    hip = flexions(posed(f"{side}UpLeg", "X", -degrees))
    assert np.degrees(hip[f"{letter}.HI"]) == pytest.approx(degrees, abs=2.0)
    assert np.degrees(hip[f"{letter}.K"]) == pytest.approx(0.0, abs=3.0)
    knee = flexions(posed(f"{side}Leg", "X", degrees))
    straight = flexions(posed(f"{side}Leg", "X", 0.0))
    assert np.degrees(knee[f"{letter}.K"] - straight[f"{letter}.K"]) == pytest.approx(degrees)


def test_abduction_is_no_flexion() -> None:
    rest = flexions(posed("LeftUpLeg", "X", 0.0))["L.HI"]
    aside = flexions(posed("LeftUpLeg", "Z", 40.0))["L.HI"]
    assert np.degrees(aside) == pytest.approx(np.degrees(rest), abs=2.0)


def test_elbow_bends_the_same_about_any_axis() -> None:
    for axis in "YZ":
        bent = np.degrees(flexions(posed("LeftForeArm", axis, -70.0))["L.E"])
        straight = np.degrees(flexions(posed("LeftForeArm", axis, 0.0))["L.E"])
        assert straight == pytest.approx(0.0, abs=6.0)
        assert bent == pytest.approx(70.0, abs=6.0)


def test_blind_to_place_heading_unit_and_frame_of_the_rest_pose() -> None:
    walk = mw.sample("walk")
    expected = flexions(walk)
    moved = flexions(walk.moved(mw.Planar(2.0, 3.0, -4.0)).scaled(100.0))
    for joint, angle in expected.items():
        assert moved[joint] == pytest.approx(angle, abs=1e-9)


def test_rest_pose_that_faces_elsewhere() -> None:
    """The same motion on a skeleton whose rest pose looks along +x."""
    walk = mw.sample("walk")
    turn = rotations.about_vertical(np.pi / 2.0)
    back = rotations.inverse(turn)
    skeleton = mw.Skeleton(
        walk.skeleton.names,
        walk.skeleton.parents,
        rotations.rotate(turn, walk.skeleton.offsets),
        walk.skeleton.end_parents,
        rotations.rotate(turn, walk.skeleton.end_offsets),
    )
    # Every joint's frame is turned by `turn`, so local rotations are conjugated.
    turned = rotations.multiply(rotations.multiply(turn, walk.rotations), back)
    turned[:, 0] = rotations.multiply(walk.rotations[:, 0], back)
    same = mw.Motion(skeleton, walk.fps, walk.root, turned)
    assert same.positions() == pytest.approx(walk.positions(), abs=1e-9)
    axes = rest_axes(skeleton)
    assert axes is not None
    assert axes[2] == pytest.approx([1.0, 0.0, 0.0], abs=1e-6)
    for joint, angle in flexions(walk).items():
        assert flexions(same)[joint] == pytest.approx(angle, abs=1e-9)
