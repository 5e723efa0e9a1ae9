"""A part of one clip's body over the rest of another's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.pose.tpose import tpose_frames
from motionweave.body.rig.parts import part_joints
from motionweave.core import rotations
from motionweave.measure.check import check


@pytest.fixture(scope="module")
def clips():
    return mw.sample("walk"), mw.sample("jab")


def test_legs_and_path_are_the_bases_bit_for_bit(clips):
    walk, jab = clips
    both = mw.layer(walk, jab, start=20)
    upper = part_joints("upper", mw.find_rig(walk.skeleton))
    rest = [j for j in range(len(walk.skeleton)) if j not in upper]
    np.testing.assert_array_equal(both.root, walk.root)
    np.testing.assert_array_equal(both.rotations[:, rest], walk.rotations[:, rest])
    np.testing.assert_array_equal(both.rotations[:20], walk.rotations[:20])
    assert both.constraints == walk.constraints


def hip_heading(motion: mw.Motion) -> np.ndarray:
    """Where the line across the hips faces, in radians."""
    across = motion["left_thigh"].positions - motion["right_thigh"].positions
    return np.unwrap(np.arctan2(-across[:, 2], across[:, 0]))


def hardest(motion: mw.Motion, role: str) -> float:
    """The largest change of a joint's velocity from one frame to the next."""
    return float(np.linalg.norm(np.diff(motion[role].positions, 2, axis=0), axis=-1).max())


def test_the_trunk_is_as_in_its_own_clip_beside_the_hips(clips):
    walk, jab = clips
    both = mw.layer(walk, jab, ease=0.1)
    rig = mw.find_rig(walk.skeleton)
    chest = rig.spine[-1]

    middle = slice(5, min(len(jab), len(walk)) - 5)
    ours, theirs = (motion.forward()[1][middle, chest] for motion in (both, jab))
    turn = rotations.multiply(ours, rotations.inverse(theirs))
    # As upright, to a tenth of a degree: only a turn about the vertical lies between them ...
    np.testing.assert_allclose(turn[:, [0, 2]], 0.0, atol=1e-3)
    # ... which is that of the hips, without their sway.
    apart = hip_heading(walk)[middle] - hip_heading(jab)[middle]
    turned = np.unwrap(rotations.vertical_angle(turn))
    assert np.degrees(np.abs(turned - apart).max()) < 15.0
    assert np.abs(np.diff(turned, 2)).max() < 0.2 * np.abs(np.diff(apart, 2)).max()
    arm = part_joints("right_arm", rig)
    np.testing.assert_allclose(
        rotations.angle_between(both.rotations[middle][:, arm], jab.rotations[middle][:, arm]),
        0.0,
        atol=1e-6,
    )


def test_both_arms_are_one_arm_and_then_the_other(clips):
    walk, jab = clips
    both = mw.layer(walk, jab, "arms", start=10, ease=0.2)
    one = mw.layer(walk, jab, "left_arm", start=10, ease=0.2)
    np.testing.assert_allclose(
        both.rotations, mw.layer(one, jab, "right_arm", start=10, ease=0.2).rotations, atol=1e-12
    )
    # Trunk and head are those of the walk.
    rig = mw.find_rig(walk.skeleton)
    others = sorted(set(range(len(walk.skeleton))) - set(part_joints("arms", rig)))
    assert len(others) < len(walk.skeleton) - 4
    np.testing.assert_array_equal(both.rotations[:, others], walk.rotations[:, others])


def test_itself_over_itself_is_itself(clips):
    walk, _ = clips
    same = mw.layer(walk, walk)
    np.testing.assert_allclose(same.positions(), walk.positions(), atol=1e-9)
    also = mw.layer(walk, walk, in_step=True)
    assert np.abs(also.positions() - walk.positions()).max() < 0.02


def test_weights_go_from_one_clip_to_the_other(clips):
    walk, jab = clips
    none, half, whole = (mw.layer(walk, jab, "right_arm", weight=w) for w in (0.0, 0.5, 1.0))
    np.testing.assert_array_equal(none.rotations, walk.rotations)
    way = rotations.angle_between(none.rotations, whole.rotations)
    np.testing.assert_allclose(
        rotations.angle_between(none.rotations, half.rotations), 0.5 * way, atol=1e-6
    )
    rising = mw.layer(walk, jab, "right_arm", weight=lambda t: min(t, 1.0))
    each = mw.layer(walk, jab, "right_arm", weight=np.minimum(np.arange(len(walk)) / walk.fps, 1))
    np.testing.assert_array_equal(rising.rotations, each.rotations)


@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
def test_a_fade_lasts_as_long_as_it_takes_to_be_calm(clips):
    walk, _ = clips
    raised = mw.sample("reach_high")
    top = float(raised["right_hand"].positions[:, 1].argmax())
    far, near = raised.sample(np.full(len(walk), top)), walk[10:]
    for over, calmer in ((far, 0.5), (near, 1.0)):
        shown, quick = (mw.layer(walk, over, start=10, ease=ease) for ease in (None, 0.3))
        hands = [np.diff(one["right_hand"].positions, 2, axis=0) for one in (shown, quick)]
        peaks = [np.linalg.norm(each, axis=1).max() for each in hands]
        assert peaks[0] <= calmer * peaks[1]
        assert np.allclose(shown.rotations, quick.rotations) == (over is near)


@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
def test_it_comes_and_goes_calmly(clips):
    walk, jab = clips
    both = mw.layer(walk, jab, start=20)
    assert not [f for f in check(both, [walk, jab]) if f.kind == "acceleration"]
    sudden = mw.layer(walk, jab, start=20, ease=0.0, weight=1.0)
    assert [f for f in check(sudden, [walk, jab]) if f.kind == "acceleration"]


@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
def test_arms_in_step_swing_with_the_legs():
    walk = mw.sample("walk")
    # The same walk, later in its cycle and at another frame rate.
    other = walk[11:].resample(60)
    stepped = mw.layer(walk, other, in_step=True)
    rig = mw.find_rig(walk.skeleton)
    hand = rig.roles["left_hand"]
    middle = slice(20, 70)
    apart = np.linalg.norm((stepped.positions() - walk.positions())[middle, hand], axis=-1)
    plain = mw.layer(walk, other)
    worse = np.linalg.norm((plain.positions() - walk.positions())[middle, hand], axis=-1)
    assert apart.max() < 0.25 * worse.max()


@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
def test_hand_contacts_come_along(clips):
    walk, jab = clips
    held = jab.with_constraints([*jab.constraints, mw.Constraint(5.0, 12.0, "left_hand")])
    both = mw.layer(walk, held, start=30, ease=0.1)
    (hand,) = [c for c in both.constraints if c.kind == "left_hand"]
    assert (hand.start, hand.end) == (35.0, 42.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"part": "lower"}, "contains legs"),
        ({"part": "left_leg"}, "contains legs"),
        ({"part": 3}, "part=3: expected a string"),
        ({"start": 500}, "frames 0 to"),
        ({"weight": 2.0}, "from 0 to 1"),
        ({"weight": [0.5, 0.5]}, "one for each"),
        ({"ease": -1.0}, "ease"),
    ],
)
def test_what_makes_no_sense_is_refused(clips, options, message):
    with pytest.raises(mw.BlendError, match=message):
        mw.layer(*clips, **options)


@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
def test_from_the_command_line(clips, tmp_path, capsys):
    from motionweave.cli.main import main

    walk, jab = clips
    mw.save(walk, tmp_path / "walk.bvh")
    mw.save(jab, tmp_path / "jab.bvh")
    out = tmp_path / "both.bvh"
    words = ["layer", str(tmp_path / "walk.bvh"), str(tmp_path / "jab.bvh"), "-o", str(out)]
    assert main([*words, "--start", "20", "--part", "right_arm", "--ease", "0.3"]) == 0
    assert "right_arm of jab.bvh over walk.bvh" in capsys.readouterr().out
    wanted = mw.layer(walk, jab, "right_arm", start=20, ease=0.3)
    np.testing.assert_allclose(mw.load(out).positions(), wanted.positions(), atol=1e-3)


def rolling(clip, turns):
    """The clip with a body that rolls forwards, so many times."""
    roll = rotations.about_axis("X", np.linspace(0.0, 2.0 * np.pi * turns, len(clip)))
    local = np.array(clip.rotations)
    local[:, 0] = rotations.multiply(local[:, 0], roll)
    return replace(clip, rotations=local, constraints=())


@pytest.mark.parametrize("turns", [0.6, 0.9])
@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
def test_a_body_that_rolls_over_does_not_make_the_part_jump(clips, turns):
    walk, jab = clips
    # Shorter than what is laid over it, so that nothing fades.
    base = rolling(walk[: len(jab) - 1], turns)
    both = mw.layer(base, jab)
    steps = rotations.angle_between(both.rotations[1:], both.rotations[:-1])
    # A third of a full turn is what a joint of the spine would jump by.
    assert np.degrees(steps.max()) < 40.0


@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
def test_a_t_pose_in_front_is_not_laid_over(clips):
    walk, jab = clips
    rest = replace(jab[:1], rotations=np.tile(rotations.IDENTITY, (1, len(jab.skeleton), 1)))
    posed = mw.concatenate([rest, jab])
    assert tpose_frames(posed)
    assert mw.layer(walk, posed) == mw.layer(walk, jab)
    rest = replace(walk[:1], rotations=rest.rotations)
    started = mw.layer(mw.concatenate([rest, walk]), jab)
    np.testing.assert_array_equal(started.rotations[0], rest.rotations[0])
    apart = rotations.angle_between(started.rotations[1:], mw.layer(walk, jab[1:]).rotations)
    assert np.degrees(apart.max()) < 1.0


def test_hips_that_jerk_below_a_calm_trunk_do_not_shake_it(clips):
    walk, jab = clips
    rig = mw.find_rig(walk.skeleton)
    above = [rig.spine[0], rig.roles["left_thigh"], rig.roles["right_thigh"]]
    jerk = rotations.exp(np.array([np.radians(20.0), 0.0, 0.0]))
    # Only the pelvis turns, in one frame: what hangs on it stays as it was.
    jerked = np.array(walk.rotations)
    jerked[50, 0] = rotations.multiply(walk.rotations[50, 0], jerk)
    for joint in above:
        jerked[50, joint] = rotations.multiply(rotations.inverse(jerk), walk.rotations[50, joint])
    head = rig.roles["head"]

    def hardest(motion: mw.Motion) -> float:
        places = motion.positions()[45:56, head]
        return float(np.linalg.norm(np.diff(places, 2, axis=0), axis=-1).max())

    base = replace(walk, rotations=jerked)
    calm, shaken = (hardest(mw.layer(clip, jab, start=20)) for clip in (walk, base))
    # The pelvis carries the trunk along, as it does in the base, but does not turn it.
    assert shaken < calm + 1.2 * hardest(base)


@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
def test_the_trunk_goes_along_with_a_body_that_rolls_over(clips):
    walk, jab = clips
    base = rolling(walk[: len(jab) - 1], 1.0)
    both = mw.layer(base, jab)
    orientations = both.orientations()
    spine = list(mw.find_rig(walk.skeleton).spine)
    # Upside down, a trunk that stayed upright would be half a turn away from its hips.
    bent = rotations.angle_between(orientations[:, 0], orientations[:, spine[-1]])
    assert np.degrees(bent.max()) < 90.0
    steps = rotations.angle_between(both.rotations[1:, spine], both.rotations[:-1, spine])
    assert np.degrees(steps.max()) < 15.0


def test_hips_that_are_jolted_sideways_do_not_shake_a_calm_trunk(clips):
    walk, jab = clips
    rig = mw.find_rig(walk.skeleton)
    # Hips go to one side and back within a fifth of a second, and the trunk leans against it.
    jolt = np.zeros(len(walk))
    jolt[40:47] = 0.05 * np.sin(np.linspace(0.0, np.pi, 7)) ** 2
    root = walk.root + jolt[:, None] * (1.0, 0.0, 0.0)
    length = np.linalg.norm(walk["head"].positions[0] - walk.root[0])
    lean = rotations.about_axis("Z", np.arctan(jolt / length))
    local = np.array(walk.rotations)
    pelvis, low = local[:, 0], rig.spine[0]
    local[:, low] = rotations.multiply(
        rotations.multiply(rotations.inverse(pelvis), rotations.multiply(lean, pelvis)),
        local[:, low],
    )
    base = replace(walk, root=root, rotations=local)
    assert hardest(base, "hips") > 1.8 * hardest(base, "head")
    over = mw.layer(base, jab[0].sample(np.zeros(len(walk))))
    assert hardest(over, "head") < 1.25 * hardest(base, "head")
    np.testing.assert_array_equal(over.root, base.root)


def test_a_layer_too_short_to_fade_begins_earlier_and_ends_later(clips):
    walk, _ = clips
    raised = mw.sample("reach_high")
    top = int(raised["right_hand"].positions[:, 1].argmax())
    brief = raised[top - 7 : top + 8]
    shown = mw.layer(walk, brief, start=40)
    own = max(hardest(walk, "right_hand"), hardest(raised, "right_hand"))
    assert hardest(shown, "right_hand") < 1.5 * own
    with pytest.warns(mw.QualityWarning, match="times as hard"):
        fitted = mw.layer(walk, brief, start=40, ease=0.25)
    assert hardest(fitted, "right_hand") > 1.5 * own
    # It reaches its place at its time all the same.
    reached = [each["right_hand"].positions[47] for each in (shown, fitted)]
    assert np.linalg.norm(reached[0] - reached[1]) < 0.05
    changed = np.flatnonzero(np.any(shown.rotations != walk.rotations, axis=(1, 2)))
    assert changed[0] < 40
    assert changed[-1] > 54


@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
def test_a_layer_that_ends_with_its_base_may_fade_in_until_then(clips):
    walk, _ = clips
    raised = mw.sample("reach_high")
    top = float(raised["right_hand"].positions[:, 1].argmax())
    held = raised.sample(np.full(60, top))
    start = len(walk) - 30
    shown, half = (mw.layer(walk, held, start=start, ease=ease) for ease in (1.0, 0.5))
    assert hardest(shown, "right_hand") < 0.7 * hardest(half, "right_hand")
