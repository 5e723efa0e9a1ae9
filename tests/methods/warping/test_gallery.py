"""The shipped warps do what they say, on the built-in walk and on real ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.heading import facing
from motionweave.body.hinges import find_hinges
from motionweave.body.rig.roles import leg_length
from motionweave.body.soles import contact_points
from motionweave.methods.warping.moments import frame_of, stances
from tests.methods.warping.test_feet import foot, slides

WARPS = Path(__file__).resolve().parents[3] / "examples" / "warps"
GAITS = (
    "low_doorway",
    "step_over",
    "block",
    "around_post",
    "stairs",
    "limp",
    "stoop",
    "tiptoe",
    "heavy_weight",
    "trucking",
    "sneaky",
)
SWINGS = ("high", "low", "near", "far", "wide")
REAL = ("cmu_16_15_walk_straight", "cmu_02_01_walk_straight")


@pytest.fixture(
    scope="module",
    params=["built-in", *(pytest.param(name, marks=pytest.mark.mocap) for name in REAL)],
)
def walk(request):
    if request.param == "built-in":
        return mw.sample("walk")
    folder = request.getfixturevalue("mocap")
    return mw.load(folder / "bvh" / f"{request.param}.bvh")[5:]


class Scene:
    """A clip before and after, measured in leg lengths."""

    def __init__(self, name, motion):
        self.recipe = mw.load_warp(WARPS / f"{name}.yaml")
        self.before, self.after = motion, self.recipe.apply(motion)
        self.leg = leg_length(motion.skeleton)
        self.roles = mw.find_rig(motion.skeleton).roles

    def at(self, moment):
        return round(frame_of(moment, self.before))

    def moved(self, joint, moment):
        frame, joint = self.at(moment), self.roles[joint]
        return (self.after.positions() - self.before.positions())[frame, joint] / self.leg

    def range(self, motion, joint, axis):
        """How far a joint goes to and fro beside the hips."""
        places = motion.positions()
        beside = places[:, self.roles[joint]] - places[:, self.roles["hips"]]
        turned = mw.Planar(-facing(motion)).apply(beside)
        return np.ptp(turned[:, axis]) / self.leg

    def lean(self, motion):
        """Pitch of the trunk, degrees forwards, the mean over the clip."""
        places = motion.positions()
        trunk = places[:, self.roles["neck"]] - places[:, self.roles["hips"]]
        trunk = mw.Planar(-facing(motion)).apply(trunk)
        return np.degrees(np.mean(np.arctan2(trunk[:, 2], trunk[:, 1])))


@pytest.mark.parametrize("name", GAITS)
def test_few_keys_planted_feet_and_no_jerk(name, walk):
    scene = Scene(name, walk)
    assert 1 <= len({key.frame for key in scene.recipe.keys}) <= 5
    if not scene.recipe.times:
        # Released heels roll about the toe: the ankle then has a way of its own.
        assert name == "tiptoe" or slides(scene.after, walk) < 0.6
    assert _right(walk, scene.after) == []


def _right(before, after):
    """What is wrong with a warp, at the clip's own frame rate."""
    found = []
    size = leg_length(before.skeleton)
    for role, hinge in find_hinges(before).items():
        bends = [np.degrees(hinge.flexion(*m.forward())) for m in (before, after)]
        least = [min(0.0, bend[bend > -135.0].min()) for bend in bends]
        if role.endswith("shin") and least[1] < least[0] - 5.0:
            found.append(f"{role} bends backwards by {-least[1]:.0f} degrees")
    lows = [min(p[:, 1].min() for p in contact_points(m).values()) / size for m in (before, after)]
    if lows[1] < lows[0] - 0.036:
        found.append(f"a foot is {lows[0] - lows[1]:.3f} of a leg under the floor")
    peaks = [
        np.linalg.norm(np.diff(m.positions(), 2, axis=0), axis=-1).max(axis=0) * m.fps**2
        for m in (before, after)
    ]
    ratio = (peaks[1] / np.maximum(peaks[0], 0.3 * peaks[0].max()))[_legs(before)].max()
    if ratio > 2.5:
        found.append(f"a leg accelerates {ratio:.1f} times as hard")
    return found


def _legs(motion):
    """The legs, and the hips: what is solved."""
    parts = ("thigh", "shin", "ankle", "toe")
    roles = mw.find_rig(motion.skeleton).roles
    wanted = ["hips", *(f"{side}_{part}" for side in ("left", "right") for part in parts)]
    return [roles[role] for role in wanted if role in roles]


def test_the_head_passes_under_the_lintel(walk):
    scene = Scene("low_doorway", walk)
    key = "middle of 2nd left swing"
    assert scene.moved("head", key)[1] < -0.3
    lintel = scene.recipe.scene[0]["bottom"] * scene.leg
    top = scene.after.positions()[scene.at(key), :, 1].max()
    floor = walk.positions()[..., 1].min()
    assert top - floor < lintel
    assert np.abs(scene.moved("head", "start")).max() == 0.0


def test_both_feet_clear_the_obstacle(walk):
    scene = Scene("step_over", walk)
    for side, key in (
        ("left", "middle of 2nd left swing"),
        ("right", "middle of right swing after 2nd left swing"),
    ):
        np.testing.assert_allclose(scene.moved(f"{side}_ankle", key), [0, 0.3, 0], atol=2e-3)


def test_one_foot_stands_on_the_block_and_the_other_clears_it(walk):
    scene = Scene("block", walk)
    rises = (foot(scene.after, "left") - foot(walk, "left"))[:, 1] / scene.leg
    spans = stances(walk, "left")
    for index, (first, last) in enumerate(spans[:3]):
        inside = rises[int(np.ceil(first)) : int(np.floor(last))]
        assert inside == pytest.approx(0.2 if index == 1 else 0.0, abs=6e-3)
    middle = scene.at("middle of 2nd left stance")
    assert (foot(scene.after, "right") - foot(walk, "right"))[middle, 1] / scene.leg > 0.2


def test_the_path_goes_round_the_post_and_the_body_turns_with_it(walk):
    scene = Scene("around_post", walk)
    middle = scene.at("50%")
    away = np.linalg.norm((scene.after.root - walk.root)[middle]) / scene.leg
    assert away == pytest.approx(0.7, abs=0.02)
    turn = np.degrees(facing(scene.after) - facing(walk))
    assert turn[:middle].max() > 8.0
    assert turn[middle:].min() < -8.0
    assert np.abs(scene.after.root - walk.root)[-1].max() < 0.05 * scene.leg


def test_every_stance_is_a_step_higher(walk):
    scene = Scene("stairs", walk)
    treads = [
        ("left", "middle of 1st left stance"),
        ("right", "middle of right stance after 1st left stance"),
        ("left", "middle of 2nd left stance"),
        ("right", "middle of right stance after 2nd left stance"),
        ("left", "middle of 3rd left stance"),
    ]
    rises = [scene.moved(f"{side}_ankle", key)[1] for side, key in treads]
    np.testing.assert_allclose(rises, [0.0, 0.2, 0.4, 0.6, 0.8], atol=5e-3)


def test_the_limp_lurches_over_a_stiff_knee(walk):
    scene = Scene("limp", walk)
    bend = find_hinges(walk)["left_shin"].flexion
    peaks = [np.degrees(bend(*m.forward()).max()) for m in (walk, scene.after)]
    assert peaks[1] < 0.87 * peaks[0]
    over, back = (
        mw.Planar(-facing(walk)[scene.at(key)]).apply(scene.moved("hips", key))[0]
        for key in ("2nd left stance", "right stance after 1st left stance")
    )
    assert over > 0.03 > back + 0.02


def test_carriage_of_the_body(walk):
    stoop, truck, sneaky = (Scene(name, walk) for name in ("stoop", "trucking", "sneaky"))
    assert stoop.lean(stoop.after) - stoop.lean(walk) > 17.0
    assert truck.lean(truck.after) - truck.lean(walk) < -14.0
    elbow = "left_forearm"
    assert truck.range(truck.after, elbow, 2) > 1.1 * truck.range(walk, elbow, 2)
    assert sneaky.lean(sneaky.after) - sneaky.lean(walk) > 12.0
    assert sneaky.after.duration == pytest.approx(1.4 * walk.duration, rel=0.02)
    low = np.mean(sneaky.after.root[:, 1]) - np.mean(walk.root[:, 1])
    assert low / sneaky.leg == pytest.approx(-0.2, abs=0.05)


def test_heels_are_off_the_floor_on_tiptoe(walk):
    scene = Scene("tiptoe", walk)
    for side in ("left", "right"):
        # The highest place of a standing ankle hardly changes; the lowest does.
        lowest = [foot(m, side)[:, 1].min() for m in (walk, scene.after)]
        assert (lowest[1] - lowest[0]) / scene.leg > 0.02
    assert not any(c.kind.endswith("heel") for c in scene.after.constraints)


def test_arms_that_carry_hardly_swing(walk):
    scene = Scene("heavy_weight", walk)
    for hand in ("left_hand", "right_hand"):
        assert scene.range(scene.after, hand, 2) < 0.5 * scene.range(walk, hand, 2)
    assert scene.after.duration == pytest.approx(1.25 * walk.duration, rel=0.02)


@pytest.mark.mocap
@pytest.mark.parametrize("clip", ["cmu_124_07_baseball_swing", "cmu_64_01_golf_swing"])
def test_one_swing_hits_five_balls_with_a_key_each(mocap, clip):
    swing = mw.load(mocap / "bvh" / f"{clip}.bvh")[5:]
    metres = 0.056444
    for name in SWINGS:
        scene = Scene(f"swing_{name}", swing)
        assert len(scene.recipe.key_frames(swing)) == 1
        impact = scene.at("fastest right_hand")
        for key in scene.recipe.keys:
            offset = np.array(key.offset) * scene.leg
            ball = mw.Planar(facing(swing)[impact]).apply(offset)
            miss = scene.moved(key.joint, "fastest right_hand") * scene.leg - ball
            assert np.linalg.norm(miss) * metres < 0.01


def test_the_keyframed_clip_crosses_the_stones():
    scene = Scene("stepping_stones", mw.sample("stepping"))
    for key in scene.recipe.keys:
        if key.joint.endswith("foot"):
            got = scene.moved(key.joint.replace("foot", "ankle"), key.frame)
            np.testing.assert_allclose(got, np.array(key.offset), atol=0.06)
            assert got[1] == pytest.approx(key.offset[1], abs=2e-3)
    assert slides(scene.after, scene.before) < 0.3


@pytest.mark.parametrize("name", GAITS)
def test_feet_do_not_swing_through_the_floor(name):
    after = Scene(name, mw.sample("walk")).after
    assert mw.quality(after).penetration_max < 0.03


# One walk of each of several rigs that were not there when the recipes were written.
WILD = ("Male2_B3_Walk", "walk_exhausted_001", "walk1_subject1_walk2_filtered", "neutral_01_000")


@pytest.mark.wild
@pytest.mark.parametrize("clip", WILD)
def test_the_gallery_on_walks_of_other_rigs(wild, clip):
    path = sorted(wild.rglob(f"*{clip}.bvh"))[0]
    walk = mw.load(path)
    found = {}
    for name in GAITS:
        try:
            after = Scene(name, walk).after
        except mw.WarpError as error:
            if "the clip has" in str(error) or "two keys" in str(error):
                continue
            raise
        faults = _right(walk, after)
        if faults:
            found[name] = faults
    # What still goes wrong is an acceleration, in four of eleven at most.
    assert len(found) <= 4
    assert not any("backwards" in fault or "under" in fault for f in found.values() for fault in f)
