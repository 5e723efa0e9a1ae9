"""Where soles are, whichever angle feet have in the rest pose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.figure.stance import standing_at_rest
from motionweave.body.rig.roles import SIDES, find_rig, leg_length
from motionweave.body.soles import contact_points, flat_at_rest, soles
from motionweave.core import rotations
from motionweave.core.arrays import Array
from motionweave.core.constraints import active


def with_toes_up(motion: mw.Motion, degrees: float, sides: tuple[str, ...] = SIDES) -> mw.Motion:
    """The motion with feet turned at the ankles, as if copied from a rig with other feet."""
    rig = find_rig(motion.skeleton)
    local = np.array(motion.rotations)
    for side in sides:
        ankle = rig.roles[f"{side}_ankle"]
        up = rotations.about_axis("X", -np.radians(degrees))
        local[:, ankle] = rotations.multiply(local[:, ankle], up)
    return replace(motion, rotations=local, constraints=())


def lying(motion: mw.Motion) -> mw.Motion:
    """The motion on its back."""
    back = rotations.about_axis("X", -0.5 * np.pi)
    local = np.array(motion.rotations)
    local[:, 0] = rotations.multiply(back, local[:, 0])
    return replace(motion, rotations=local, root=rotations.rotate(back, motion.root))


def heels(motion: mw.Motion) -> Array:
    """Heels ``(2, 3)`` in the frames of the ankles."""
    return np.array([sole.heel for sole in soles(motion).values()])


@pytest.mark.parametrize("name", ["stand", "walk", "punch", "reach_low"])
def test_toes_that_never_come_down_are_on_the_floor_where_feet_stand(name: str) -> None:
    motion = mw.sample(name)
    other = with_toes_up(motion, 30.0)
    contacts, frames = mw.detect_contacts(motion), np.arange(len(motion))
    points, size = contact_points(other), leg_length(motion.skeleton)
    for side in SIDES:
        heel, toe = (f"{side}_{end}" for end in ("heel", "toe"))
        flat = active(contacts, heel, frames) & active(contacts, toe, frames)
        rise = (points[toe] - points[heel])[flat, 1]
        # The rest pose would have them up by a tenth of a leg length.
        assert abs(np.median(rise)) < 0.02 * size
    assert {c.kind for c in mw.detect_contacts(other)} == {c.kind for c in contacts}


def test_feet_are_drawn_flat_whose_toes_never_come_down() -> None:
    walk = mw.sample("walk")
    other = with_toes_up(walk, 30.0)
    assert flat_at_rest(walk)
    assert not flat_at_rest(other)
    assert standing_at_rest(other) is not other


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(lambda motion: with_toes_up(motion, 10.0), id="toes up a little"),
        pytest.param(lambda motion: with_toes_up(motion, 30.0, ("left",)), id="one foot"),
        pytest.param(lambda motion: with_toes_up(motion, -30.0), id="on tiptoe"),
        pytest.param(lambda motion: lying(with_toes_up(motion, 10.0)), id="lying"),
        pytest.param(lambda motion: with_toes_up(motion, 30.0)[:10], id="for a moment"),
    ],
)
def test_the_rest_pose_tells_how_feet_stand_otherwise(other: object) -> None:
    assert callable(other)
    walk = mw.sample("walk")
    np.testing.assert_array_equal(heels(other(walk)), heels(walk))


def test_steps_leave_the_rest_pose_alone() -> None:
    for name in ("walk", "jog", "kick_high"):
        motion = mw.sample(name)
        np.testing.assert_array_equal(heels(motion), heels(mw.sample("stand")))


@pytest.mark.parametrize("angle", [0.0, 30.0])
def test_a_part_of_a_motion_is_seen_with_the_soles_of_the_whole(angle: float) -> None:
    motion, some = with_toes_up(mw.sample("walk"), angle), slice(20, 30)
    whole, part = contact_points(motion), contact_points(motion, pose=motion.forward(some))
    for kind, points in part.items():
        np.testing.assert_array_equal(points, whole[kind][some])


def test_points_of_a_long_take_are_found_in_parts() -> None:
    take = mw.sample("walk", duration=40.0)
    whole = contact_points(take, hands=True, pose=take.forward())
    parts = contact_points(take, hands=True)
    assert list(parts) == list(whole)
    for kind, points in parts.items():
        np.testing.assert_array_equal(points, whole[kind])
