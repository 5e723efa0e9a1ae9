"""Which ends are taken, what the verdict says, and what users can say themselves."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import Motion, Remedy
from motionweave.core.cycles import repeat
from motionweave.registration.cycles import extract_cycle
from motionweave.registration.dragging import drags


def steps(name: str, rounds: float) -> Motion:
    cycle = extract_cycle(mw.sample(name))
    return repeat(cycle, int(rounds) + 1)[: round(rounds * (len(cycle) - 1)) + 1]


def test_clips_that_correspond_are_taken_whole() -> None:
    curve = mw.register(mw.sample("walk"), mw.sample("walk_left"))
    assert curve.verdict is not None
    assert curve.verdict.ends == "fixed"
    assert curve.verdict.sure > 0.9
    assert not curve.verdict.doubts
    assert "\n" not in str(curve.verdict)
    assert str(curve.verdict).startswith("whole clips (they match")


def test_clips_of_different_numbers_of_rounds_become_cycles() -> None:
    three, five = steps("walk", 1.6), steps("walk_left", 4.2)
    curve = mw.register(three, five)
    assert curve.cyclic
    assert curve.verdict is not None
    assert curve.verdict.ends == "cyclic"
    assert curve.distances.max() < 0.03


def by_hand(cycle: Motion, begin: float) -> Motion:
    """A loop as animators key it: it begins and ends in the same pose, nearly at rest."""
    length = len(cycle) - 1
    at = np.linspace(0.0, 1.0, length + 1)
    eased = at - 0.8 * np.sin(2.0 * np.pi * at) / (2.0 * np.pi)
    return repeat(cycle, 2).sample((begin + eased) * length)


@pytest.mark.parametrize("name", ["jog", "jog_left"])
def test_loops_that_begin_elsewhere_are_brought_into_step(name: str) -> None:
    cycle = mw.in_place(mw.loop(mw.sample(name)))
    one, other = by_hand(cycle, 0.0), by_hand(cycle, 0.5)
    curve = mw.register(one, other)
    assert curve.cyclic
    assert curve.verdict is not None
    assert curve.verdict.why == "they begin at different places in a loop"
    whole = mw.register(one, other, ends="fixed")
    assert curve.distances.max() < 0.5 * whole.distances.max()
    # Those that begin at the same place are left as they are.
    assert not mw.register(one, by_hand(cycle, 0.0)).cyclic
    assert len(mw.loop(one)) == len(one)


def test_a_list_and_single_clips_are_the_same() -> None:
    clips = [mw.sample("walk"), mw.sample("jog")]
    a, b = mw.register(clips), mw.register(*clips)
    np.testing.assert_array_equal(a.timewarp.spline.control, b.timewarp.spline.control)
    with pytest.raises(mw.RegistrationError, match="expected a Motion, a Markers or a list"):
        mw.register("walk.bvh", clips[0])  # type: ignore[call-overload]


def test_what_hardly_corresponds_is_warned_of() -> None:
    with pytest.warns(mw.QualityWarning, match="doubtful registration: .*anchors=") as caught:
        curve = mw.register(mw.sample("jab"), mw.sample("jog"))
    assert curve.verdict is not None
    assert curve.verdict.doubtful
    assert curve.verdict.doubts
    warning = caught[0].message
    assert isinstance(warning, mw.QualityWarning)
    assert Remedy("anchors") in warning.remedies
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mw.register(mw.sample("walk"), mw.sample("jog"), mw.sample("sneak"))


def test_a_t_pose_in_the_first_frame_is_left_out() -> None:
    walk = mw.sample("walk")
    rest = np.broadcast_to([0.0, 0.0, 0.0, 1.0], (1, *walk.rotations.shape[1:]))
    posed = replace(
        walk,
        root=np.concatenate([walk.root[:1], walk.root]),
        rotations=np.concatenate([rest, walk.rotations]),
        constraints=tuple(c.shifted(1.0) for c in walk.constraints),
    )
    jog = mw.sample("jog")
    plain, given = (mw.register(clip, jog, ends="fixed") for clip in (walk, posed))
    assert given.ranges[0, 0] == 1.0
    u = np.linspace(plain.timewarp.start, plain.timewarp.end, 50)
    np.testing.assert_allclose(
        given.timewarp.frames(u) - [1.0, 0.0], plain.timewarp.frames(u), atol=1e-9
    )


def test_any_number_of_anchors_is_met() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    found = mw.register(walk, jog, ends="fixed")
    middle = found.timewarp.frames(np.linspace(found.timewarp.start, found.timewarp.end, 4)[1:-1])
    # Two frames away from what is found by itself.
    anchors = [(row[0], row[1] + off) for row, off in zip(middle, (2.0, -2.0), strict=True)]
    curve = mw.register(walk, jog, anchors=anchors, ends="fixed")
    for first, second in anchors:
        u = float(curve.timewarp.parameter(0, first))
        assert curve.timewarp.frames(u)[1] == pytest.approx(second, abs=0.75)
    np.testing.assert_allclose(curve.ranges, [[0, len(walk) - 1], [0, len(jog) - 1]])


@pytest.mark.parametrize("ends", [("fixed", "free"), ("free", "fixed")])
def test_start_and_end_are_set_apart(ends: tuple[str, str]) -> None:
    walk = steps("walk", 2.0)
    part = walk[: len(walk) // 2] if ends[0] == "fixed" else walk[len(walk) // 2 :]
    curve = mw.register(walk, part, ends=ends)  # type: ignore[call-overload]
    side = 0 if ends[0] == "fixed" else 1
    np.testing.assert_allclose(
        curve.ranges[:, side], 0.0 if side == 0 else [len(walk) - 1, len(part) - 1]
    )
    assert np.ptp(curve.ranges[0]) < 0.6 * len(walk)
    assert curve.distances.max() < 0.01


@pytest.mark.parametrize(("first", "last", "where"), [(6, 93, "begin"), (0, 84, "end")])
def test_a_piece_of_a_step_at_an_end_is_left_out(first: int, last: int, where: str) -> None:
    """Whole clips would drag a foot there; without that end they are the same frames."""
    walk = mw.sample("walk")
    curve = mw.register(walk, walk[first:last])
    assert curve.verdict is not None
    assert curve.verdict.why == f"they do not {where} in the same way"
    frames = curve.timewarp.frames(np.linspace(curve.timewarp.start, curve.timewarp.end, 50))
    np.testing.assert_allclose(frames[:, 0] - frames[:, 1], first, atol=0.05)
    assert max((d.way for d in drags(curve.motions, curve.timewarp, 0)), default=0.0) < 0.02


@pytest.mark.parametrize(("name", "first", "last"), [("jump", 12, 48), ("dance_a", 40, 110)])
def test_a_piece_of_a_clip_is_found_in_it(name: str, first: int, last: int) -> None:
    """Not played in slow motion beside the whole clip."""
    clip = mw.sample(name)
    curve = mw.register(clip, clip[first:last])
    frames = curve.timewarp.frames(np.linspace(curve.timewarp.start, curve.timewarp.end, 50))
    # At its ends the stretch may go on into frames that stand still.
    assert np.median(np.abs(frames[:, 0] - frames[:, 1] - first)) < 0.5


def test_a_foot_that_stands_in_one_clip_and_goes_in_the_other_is_dragged() -> None:
    walk = mw.sample("walk")
    same = mw.register(walk, walk, ends="fixed")
    assert not drags(same.motions, same.timewarp, same.reference)
    other = mw.register(walk, walk[:-12], ends="fixed")
    worst = max(drags(other.motions, other.timewarp, other.reference))
    # Half of what the swinging foot goes while the other one stands.
    assert 0.3 < worst.way < 1.0
    assert worst.place > 0.9


def test_what_must_be_kept_is_kept() -> None:
    landing, jump = mw.sample("landing"), mw.sample("jump")
    loose = mw.register(landing, jump, ends="free")
    first, last = loose.ranges[1]
    before = first > len(jump) - 1 - last
    wanted = (first - 10.0, first) if before else (last, last + 10.0)
    kept = mw.register(landing, jump, ends="free", keep=[None, [wanted]])
    # The ends may move by a tenth of a second to where poses are most alike.
    room = 0.1 * jump.fps + 1e-6
    assert kept.ranges[1, 0] <= wanted[0] + room
    assert kept.ranges[1, 1] >= wanted[1] - room


def test_the_paper_knows_poses_alone() -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    bare = [clip.with_constraints(()) for clip in (walk, jog)]
    with_contacts, without = mw.register(walk, jog, paper=True), mw.register(*bare, paper=True)
    np.testing.assert_array_equal(
        with_contacts.timewarp.spline.control, without.timewarp.spline.control
    )
    assert with_contacts.verdict is not None
    assert with_contacts.verdict.ends == "fixed"
    usual = mw.register(walk, jog, ends="fixed", strikes=0.0)
    assert np.abs(usual.timewarp.spline.control - without.timewarp.spline.control).max() > 1e-3


def test_points_and_window_are_options() -> None:
    walk, left = mw.sample("walk"), mw.sample("walk_left")
    usual = mw.register(walk, left)
    for options in ({"points": 12}, {"window": 1}, {"window": 9}):
        other = mw.register(walk, left, **options)
        u = np.linspace(0.05, 0.95, 20) * usual.timewarp.end
        frames = np.abs(other.timewarp.frames(u) - usual.timewarp.frames(u)).max()
        assert 0.0 < frames < 2.0


def test_cycles_may_be_given() -> None:
    jab, walk = mw.sample("jab"), extract_cycle(mw.sample("walk"))
    with pytest.raises(mw.MotionError, match=r"does not repeat itself.*cycles='whole'"):
        mw.register(jab, walk, ends="cyclic", slope_limit=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mw.QualityWarning)
        curve = mw.register(jab, walk, ends="cyclic", cycles="whole", slope_limit=4)
        listed = mw.register(
            jab, walk, ends="cyclic", cycles=[(2, len(jab) - 3), None], slope_limit=4
        )
    np.testing.assert_allclose(curve.ranges, [[0, len(jab) - 1], [0, len(walk) - 1]])
    np.testing.assert_allclose(listed.ranges[0], [2, len(jab) - 3])


@pytest.mark.wild
def test_a_free_stretch_keeps_both_punches(wild: Path) -> None:
    jab, cross = (
        mw.load(wild / "accad" / f"Male2_{name}.bvh") for name in ("E1_JabLeft", "E3_CrossLeft")
    )
    curve = mw.register(jab, cross, ends="free")
    assert curve.verdict is not None
    assert min(curve.verdict.agreement.kept) > 0.8


@pytest.mark.wild
@pytest.mark.parametrize("actor", ["Male1", "Male2"])
def test_walks_out_of_step_are_brought_into_step(wild: Path, actor: str) -> None:
    walk = mw.load(wild / "accad" / f"{actor}_B3_Walk.bvh", drop_tpose=True)
    curve = mw.register(walk, walk[round(0.45 * walk.fps) :][: round(2.1 * walk.fps)])
    assert curve.verdict is not None
    assert not curve.verdict.doubtful
    assert curve.verdict.agreement.phase == 1.0
    assert curve.distances.max() < 0.03


def test_a_pose_is_no_match_for_a_motion() -> None:
    walk = mw.sample("walk")
    with pytest.warns(mw.QualityWarning, match=r"lasts 0\.0\d s, hardly more than a pose"):
        curve = mw.register(walk, walk[20:22])
    assert curve.verdict is not None
    assert curve.verdict.doubtful
    # Two short clips are alike.
    brief = mw.register(walk[20:23], walk[21:24], ends="fixed")
    assert brief.verdict is not None
    assert not any("pose" in doubt and "lasts" in doubt for doubt in brief.verdict.doubts)
