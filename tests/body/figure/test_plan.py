"""The body around a skeleton: what is drawn of it, and what files only hang on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.figure.capsules import capsule_points, capsules_of
from motionweave.body.figure.plan import body_plan
from motionweave.body.rig.roles import find_rig


@pytest.fixture(scope="module")
def skeleton() -> mw.Skeleton:
    return mw.sample("walk").skeleton


def with_joint(skeleton: mw.Skeleton, on: str, offset: tuple[float, ...]) -> mw.Skeleton:
    """The skeleton with one more joint, and an end site beyond it."""
    joint = len(skeleton)
    return replace(
        skeleton,
        names=(*skeleton.names, "Helper"),
        parents=np.append(skeleton.parents, skeleton.index(on)),
        offsets=np.vstack([skeleton.offsets, offset]),
        end_parents=np.append(skeleton.end_parents, joint),
        end_offsets=np.vstack([skeleton.end_offsets, offset]),
    )


def drawn(skeleton: mw.Skeleton) -> int:
    return len(capsules_of(skeleton).ends)


@pytest.mark.parametrize(
    ("on", "offset"),
    [
        ("Head", (0.0, 0.2, 0.0)),
        ("Head", (0.0, -0.02, 0.12)),
        ("LeftArm", (0.3, 0.15, -0.2)),
        ("LeftForeArm", (0.1, 0.0, 0.0)),
        ("RightUpLeg", (0.0, -0.2, 0.1)),
        ("RightLeg", (0.0, 0.0, 0.15)),
        ("RightFoot", (-0.12, -0.05, 0.0)),
        # A stick in the hand, and a lamp that the scene hangs on the body.
        ("RightHand", (0.0, 0.6, 0.0)),
        ("Hips", (30.0, 40.0, 0.0)),
    ],
)
def test_helpers_on_head_and_limbs_are_not_drawn(
    skeleton: mw.Skeleton, on: str, offset: tuple[float, ...]
) -> None:
    more = with_joint(skeleton, on, offset)
    assert drawn(more) == drawn(skeleton)
    if on != "Head":
        # Nothing that is there anyway is thicker for it; what is above a head makes it taller.
        before, after = (
            sorted(sum(piece.radii) for piece in body_plan(one).pieces) for one in (skeleton, more)
        )
        assert after == pytest.approx(before)


@pytest.mark.parametrize(
    ("on", "offset"), [("LeftHand", (0.08, 0.0, 0.02)), ("Hips", (0.0, 0.05, -0.4))]
)
def test_fingers_and_tails_are(skeleton: mw.Skeleton, on: str, offset: tuple[float, ...]) -> None:
    more = with_joint(skeleton, on, offset)
    assert more.index("Helper") in capsules_of(more).ends


@pytest.mark.parametrize("name", ["HairRibbon_01", "PT_LeftCape", "skirt.L", "PonyTail"])
def test_hair_and_clothes_are_not_drawn(skeleton: mw.Skeleton, name: str) -> None:
    more = with_joint(skeleton, "Spine1", (0.0, -0.3, -0.2))
    assert drawn(more) > drawn(skeleton)
    assert drawn(replace(more, names=(*more.names[:-1], name))) == drawn(skeleton)


@pytest.mark.parametrize("crown", [0.1, 0.5, 5.0])
def test_a_large_head_is_drawn_large(skeleton: mw.Skeleton, crown: float) -> None:
    """Cartoons: the crown is far above the joint of the head."""
    head = skeleton.index("Head")
    offsets = np.array(skeleton.end_offsets)
    offsets[list(skeleton.end_parents).index(head)] = [0.0, crown * skeleton.height, 0.0]
    usual, large = body_plan(skeleton), body_plan(replace(skeleton, end_offsets=offsets))
    if crown < 0.12:
        assert large.head_radius <= 1.1 * usual.head_radius
    else:
        assert 2.0 * usual.head_radius < large.head_radius < 0.21 * (1.0 + crown) * skeleton.height


@pytest.mark.parametrize("turn", [0.0, 1.3])
def test_hands_and_feet_are_broader_than_thick(skeleton: mw.Skeleton, turn: float) -> None:
    walk = mw.sample("walk").moved(mw.Planar(turn, 0.0, 0.0))
    plan, points = capsules_of(skeleton), capsule_points(walk)[40]
    extra = points[: -len(plan.mixed)][-len(plan.extra_joints) :]
    for role, most in (("left_hand", 0.6), ("right_toe", 0.75)):
        joint = find_rig(skeleton).roles[role]
        cloud = extra[plan.extra_joints == joint]
        spread = np.linalg.svd(cloud - cloud.mean(axis=0), compute_uv=False)
        # Flat: along and across, but not through.
        assert len(cloud) >= 6
        assert spread[2] < 1e-9
        assert 0.1 < spread[1] / spread[0] < most


def test_a_second_toe_beside_the_first_is(skeleton: mw.Skeleton) -> None:
    toe = skeleton.offsets[skeleton.index("RightToe")]
    beside = (toe[0] - 0.03, toe[1], toe[2])
    assert drawn(with_joint(skeleton, "RightFoot", beside)) > drawn(skeleton)


def test_every_limb_is_drawn(skeleton: mw.Skeleton) -> None:
    ends = {tuple(piece.points[-2:]) for piece in body_plan(skeleton).pieces}
    for upper, lower in (
        ("UpLeg", "Leg"),
        ("Leg", "Foot"),
        ("Arm", "ForeArm"),
        ("ForeArm", "Hand"),
    ):
        for side in ("Left", "Right"):
            pair = skeleton.index(f"{side}{upper}"), skeleton.index(f"{side}{lower}")
            assert pair in ends


def test_long_fingers_do_not_make_a_trunk_of_a_hand(skeleton: mw.Skeleton) -> None:
    more = skeleton
    for across in (-0.1, 0.1):
        more = with_joint(more, "LeftHand", (0.6, 0.0, across))
        more = replace(more, names=(*more.names[:-1], f"Finger{across}"))
    hand = more.index("LeftHand")
    for piece in body_plan(more).pieces:
        assert not (piece.trunk and hand in piece.points)


def test_a_root_on_the_floor_is_not_drawn(skeleton: mw.Skeleton) -> None:
    """Creatures whose pelvis is not known keep the root of their scene."""
    names = tuple(f"part{k}" for k in range(len(skeleton)))
    plain = replace(skeleton, names=names)
    below = replace(
        plain,
        names=("scene", "ground", *names),
        parents=np.array([-1, 0, 1, *(np.array(plain.parents[1:]) + 2)]),
        offsets=np.vstack([np.zeros((2, 3)), [[0.0, 0.9, 0.0]], plain.offsets[1:]]),
        end_parents=plain.end_parents + 2,
    )
    assert drawn(below) == drawn(plain)
    (trunk,) = (piece for piece in body_plan(below).pieces if piece.trunk)
    assert not {0, 1} & set(trunk.points)


def test_a_trunk_reaches_the_shoulders_however_long_the_collarbones_are(
    skeleton: mw.Skeleton,
) -> None:
    offsets = np.array(skeleton.offsets)
    roles = find_rig(skeleton).roles
    low = roles["chest"]
    # A chest joint as low as the belly: collarbones and neck go up from there.
    offsets[low, 1] -= 0.2
    for joint in skeleton.children[low]:
        offsets[joint, 1] += 0.2
    other = replace(skeleton, offsets=offsets)
    (trunk,) = (piece for piece in body_plan(other).pieces if piece.trunk)
    assert {roles["left_upper_arm"], roles["right_upper_arm"]} <= set(trunk.points)


def test_goals_around_a_body_are_not_drawn() -> None:
    body = mw.sample("walk").skeleton
    with_goal = mw.Skeleton(
        (*body.names, "PoleTarget.L"),
        [*body.parents, 0],
        np.concatenate([body.offsets, [[0.0, 0.0, 3.0]]]),
    )
    goal = len(body)
    assert all(goal not in piece.points for piece in body_plan(with_goal).pieces)


def test_a_hand_that_ends_in_a_stick_is_still_drawn(skeleton: mw.Skeleton) -> None:
    hand = skeleton.index("RightHand")
    offsets = skeleton.end_offsets.copy()
    offsets[skeleton.end_parents == hand] = (0.0, 1.6, 0.0)
    armed = replace(skeleton, end_offsets=offsets)
    without = replace(
        skeleton,
        end_parents=skeleton.end_parents[skeleton.end_parents != hand],
        end_offsets=skeleton.end_offsets[skeleton.end_parents != hand],
    )
    assert np.any(skeleton.end_parents == hand)
    assert drawn(armed) == drawn(without)


def without_toes(skeleton: mw.Skeleton) -> mw.Skeleton:
    """The skeleton with legs that end at the ankle."""
    kept = [j for j, name in enumerate(skeleton.names) if "Toe" not in name]
    ends = [e for e, on in enumerate(skeleton.end_parents) if on in kept]
    return mw.Skeleton(
        tuple(skeleton.names[j] for j in kept),
        np.array([kept.index(p) if p >= 0 else -1 for p in skeleton.parents[kept]]),
        skeleton.offsets[kept],
        np.array([kept.index(p) for p in skeleton.end_parents[ends]]),
        skeleton.end_offsets[ends],
    )


def test_legs_that_end_at_the_ankle_are_drawn_with_feet(skeleton: mw.Skeleton) -> None:
    bare = without_toes(skeleton)
    roles = find_rig(bare).roles
    assert "left_toe" not in roles
    count = len(bare)
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (1, count, 1))
    still = mw.Motion(bare, 30.0, np.zeros((1, 3)), turns)
    points = capsule_points(still)[0]
    capsules = capsules_of(bare)
    for side, of_side in (("left", 1), ("right", -1)):
        ankle = roles[f"{side}_ankle"]
        foot = capsules.feet & (capsules.sides == of_side)
        # Heel and ball are below the ankle, behind and ahead of it; the body faces +z.
        reach = points[capsules.ends[foot]].reshape(-1, 3) - points[ankle]
        assert reach[:, 2].max() > 0.08
        assert -0.08 < reach[:, 2].min() < -0.02
        assert -0.08 < reach[:, 1].min() < -0.02
        # It moves with the ankle.
        assert set(capsules.carriers[foot]) == {ankle}
