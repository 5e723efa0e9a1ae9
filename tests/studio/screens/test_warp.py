"""The warp screen without its widgets."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionweave.body.size import body_height
from motionweave.clips import load
from motionweave.core import rotations
from motionweave.core.averaging import mean_rotations
from motionweave.core.skeleton import Skeleton
from motionweave.samples.clips import sample
from motionweave.studio.document.document import Document, settings_from_json, settings_to_json
from motionweave.studio.screens.warp.curves import KeyCurves
from motionweave.studio.screens.warp.drawing import contact_times, drawn
from motionweave.studio.screens.warp.editing import Pull
from motionweave.studio.screens.warp.model import (
    PoseKey,
    Warped,
    WarpSettings,
    grip_like,
    grips,
    joint_index,
    warped,
)
from motionweave.studio.screens.warp.screen import WarpScreen, editing
from motionweave.studio.screens.warp.tangents import (
    mode_of,
    tangents_of,
    with_mode,
    with_tangent,
)
from tests.body.normalize.test_quadrupeds import dog, filed
from tests.studio.documents import document_with
from tests.studio.recipes import by_commands, by_python

HAND = PoseKey(36.0, "left_hand", "offset", (0.15, 0.3, 0.2))


def document(*, clean: bool = False, **settings: Any) -> Document:
    return document_with(["walk"], "warp", WarpSettings(clips=("c1",), **settings), clean=clean)


def made(**settings: Any) -> Warped:
    details = WarpScreen.make(document(**settings), live=False).details
    assert isinstance(details, Warped)
    return details


def test_nothing_keyed_is_the_clip_itself() -> None:
    result = WarpScreen.make(document(), live=False)
    np.testing.assert_array_equal(result.motion.rotations, sample("walk").rotations)
    assert len(result.looks) == 1


def test_hands_feet_hips_and_head_are_the_main_grips() -> None:
    skeleton = sample("walk").skeleton
    offered = grips(skeleton)
    assert {name for name, _, main in offered if main} == {
        "left_hand", "right_hand", "left_foot", "right_foot", "hips", "head",
    }  # fmt: skip
    assert sorted(joint for _, joint, _ in offered) == list(range(len(skeleton)))
    assert all(joint_index(name, skeleton) == joint for name, joint, _ in offered)


def test_a_hand_is_picked_where_a_thumb_is_in_the_same_place() -> None:
    skeleton = sample("walk").skeleton
    hand = joint_index("left_hand", skeleton)
    thumbs = Skeleton(
        (*skeleton.names, "Thumb", "Tip", "Index"),
        np.append(skeleton.parents, [hand, len(skeleton), hand]),
        np.vstack([skeleton.offsets, np.zeros((2, 3)), [[0.0, -0.1, 0.0]]]),
    )
    order = [name for name, _, _ in grips(thumbs)]
    assert order.index("Thumb") < order.index("left_hand")
    assert order.index("Tip") < order.index("left_hand")
    assert order.index("left_hand") < order.index("Index")


def test_a_body_without_the_chosen_joint_is_gripped_by_another(tmp_path: Path) -> None:
    walker = sample("walk").skeleton
    assert grip_like("right_foot", walker) == "right_foot"
    assert grip_like("heading", walker) == "heading"
    assert grip_like("Ear1.L", walker) == "hips"
    fours = load(filed(dog(), tmp_path)).skeleton
    assert grip_like("left_hand", fours) in [name for name, _, _ in grips(fours)]


def test_a_joint_dragged_to_a_place_gets_there() -> None:
    before = made(keys=(PoseKey(36.0, "LeftArm", "turn", (10.0, 0.0, 5.0)),))
    hand = joint_index("left_hand", before.source.skeleton)
    place = before.motion.positions()[36, hand] + (0.1, 0.15, 0.12)
    offset = before.offset("left_hand", 36, tuple(place))
    key = PoseKey(36.0, "left_hand", "offset", tuple(offset))
    after = made(keys=(PoseKey(36.0, "LeftArm", "turn", (10.0, 0.0, 5.0)), key))
    # The arm's own key stays as it is, so the rest of the body has to reach.
    height = body_height(before.source.skeleton)
    assert np.linalg.norm(after.motion.positions()[36, hand] - place) < 0.01 * height


def test_the_picture_while_dragging_shows_the_pose_that_will_be_kept() -> None:
    walk = sample("walk")
    keys = (HAND, PoseKey(70.0, "head", "offset", (0.0, -0.1, 0.1)))
    settings = WarpSettings(keys=keys, active=0)
    quick = warped(walk, settings, clean=False, live=True).motion
    kept = warped(walk, replace(settings, active=None), clean=False, live=False).motion
    apart = np.linalg.norm(quick.positions()[36] - kept.positions()[36], axis=1)
    assert apart.max() < 0.02 * walk.skeleton.height
    moved = np.linalg.norm(kept.positions()[36] - walk.positions()[36], axis=1)
    assert moved.max() > 0.2 * walk.skeleton.height


def test_turn_shifts_and_scale_stretches_the_curve_of_a_joint() -> None:
    walk = sample("walk")
    elbow = walk.skeleton.index("LeftForeArm")
    turned = made(keys=(PoseKey(30.0, "LeftForeArm", "turn", (-40.0, 0.0, 0.0)),)).motion
    scaled = made(keys=(PoseKey(30.0, "LeftForeArm", "factor", (2.0,)),)).motion
    for result in (turned, scaled):
        others = [j for j in range(len(walk.skeleton)) if j != elbow]
        np.testing.assert_allclose(result.rotations[:, others], walk.rotations[:, others])
        assert not np.allclose(result.rotations[30, elbow], walk.rotations[30, elbow], atol=1e-3)


def test_keys_of_the_way_turn_and_move_the_whole_body() -> None:
    walk = sample("walk")
    turned = made(keys=(PoseKey(40.0, "heading", "offset", (35.0,)),), hold=True)
    there = turned.way("heading", original=False)[40] - turned.way("heading", original=True)[40]
    np.testing.assert_allclose(there, 35.0, atol=1.5)
    moved = made(keys=(PoseKey(40.0, "position", "offset", (0.4, 0.0, 0.1)),))
    gone = moved.way("position", original=False)[40] - moved.way("position", original=True)[40]
    # It may also sink, where legs would not reach.
    np.testing.assert_allclose(gone[[0, 2]], (0.4, 0.1), atol=0.005 * walk.skeleton.height)
    # Seen from the body that was led elsewhere, its hands are where they were.
    hand = joint_index("left_hand", walk.skeleton)
    np.testing.assert_allclose(
        moved.places[40, hand, ::2], moved.original_places[40, hand, ::2], atol=0.03
    )


def test_a_head_looks_at_a_point_beside_the_body_while_dragging_and_after() -> None:
    walk = sample("walk")
    plain = made()
    point = plain.from_there(36, (1.0, 1.2, 1.5))
    np.testing.assert_allclose(plain.from_body(36, point), (1.0, 1.2, 1.5), atol=1e-3)
    ahead = plain.from_body(36, plain.ahead("head", 36))
    assert (ahead[0], ahead[2]) == pytest.approx((0.0, body_height(walk.skeleton)), abs=1e-3)
    settings = WarpSettings(keys=(PoseKey(36.0, "head", "look_at", point),), active=0)
    head = joint_index("head", walk.skeleton)
    quick, kept = (
        warped(walk, settings, clean=False, live=live).motion.orientations()[36, head]
        for live in (True, False)
    )
    np.testing.assert_allclose(np.abs(quick @ kept), 1.0, atol=1e-3)
    before = walk.orientations()[36, head]
    assert np.degrees(2 * np.arccos(np.abs(before @ kept))) > 15.0


def test_keys_are_edited_as_the_hands_on_screen_do_it() -> None:
    seen = made()
    keys, index = editing.put((HAND,), editing.fresh(50.0, "heading"))
    assert (index, keys[1].group, keys[1].value) == (1, "heading", (0.0,))
    assert editing.put(keys, replace(HAND, value=(0.0, 0.0, 0.0)))[1] == 0
    assert editing.moved(keys, 0, 48.0)[0].frame == 48.0
    assert editing.moved((HAND, replace(HAND, frame=48.0)), 0, 48.0)[0].frame == HAND.frame
    heading = float(seen.way("heading", original=True)[50, 0])
    assert editing.pulled(seen, keys, [Pull(1, 50.0, 2, heading + 20.0)])[1].value == (20.0,)
    hand = joint_index("left_hand", seen.source.skeleton)
    place = float(seen.before_places[36, hand, 1])
    assert editing.pulled(seen, keys, [Pull(0, 36.0, 1, place + 0.5)])[0].value == (0.15, 0.5, 0.2)
    assert editing.of_kind(seen, keys[1], "position").value == (0.0, 0.0, 0.0)
    looking = editing.of_kind(seen, PoseKey(36.0, "head"), "look_at")
    aside = editing.with_shown(seen, looking, 0, 0.7)
    assert editing.shown_value(seen, aside)[0] == pytest.approx(0.7, abs=1e-3)
    assert editing.last_in_row(keys, "path") == 1
    assert editing.slid(((10.0, 8.0), (30.0, 25.0)), 0, 90.0)[0] == (29.0, 8.0)
    assert editing.pinned(((10.0, 8.0),), 10, 20) == ((10.0, 8.0),)
    assert editing.pinned(((10.0, 8.0),), 5, 4) == ((5.0, 4.0), (10.0, 8.0))


def test_keys_that_are_moved_together_do_not_stand_in_each_others_way() -> None:
    seen = made()
    keys = tuple(replace(HAND, frame=frame) for frame in (30.0, 31.0, 40.0))
    frames = [key.frame for key in editing.moved_together(keys, {0: 31.0, 1: 32.0})]
    assert frames == [31.0, 32.0, 40.0]
    # One that stays is not run over, and none of them then moves.
    assert editing.moved_together(keys, {0: 39.0, 1: 40.0}) == keys
    hand = joint_index("left_hand", seen.source.skeleton)
    places = seen.before_places[:, hand, 1]
    pulls = [Pull(0, 33.0, 1, places[33] + 0.1), Pull(1, 34.0, 1, places[34] + 0.2)]
    pulled = editing.pulled(seen, keys, pulls)
    assert [key.frame for key in pulled] == [33.0, 34.0, 40.0]
    assert [key.value[1] for key in pulled] == pytest.approx([0.1, 0.2, HAND.value[1]])
    assert editing.without(keys, {0, 2}) == keys[1:2]


def test_keys_catch_where_contacts_of_the_result_start_and_end() -> None:
    walk = sample("walk")
    ends = {round(end) for one in walk.constraints for end in (one.start, one.end)}
    assert contact_times(made()) == pytest.approx([end / walk.fps for end in sorted(ends)])
    # Slid in time, they go along.
    slid = made(times=((60.0, 40.0),))
    for end, at in zip(sorted(ends), contact_times(slid), strict=True):
        assert slid.source_frame(at) == pytest.approx(end, abs=1.0)


def test_a_marker_of_time_shows_its_frame_where_it_was_slid_to() -> None:
    walk = sample("walk")
    result = made(times=((60.0, 40.0),))
    assert result.sources[60] == pytest.approx(40.0)
    assert result.seconds(40.0) == pytest.approx(2.0)
    assert result.source_frame(2.0) == 40
    assert len(result.motion) == len(walk) + 20
    np.testing.assert_allclose(result.motion.positions()[60], walk.positions()[40], atol=1e-9)


def test_places_differ_by_the_offset_of_a_key() -> None:
    result = made(keys=(HAND,))
    hand = joint_index("left_hand", result.source.skeleton)
    gone = result.places[36, hand] - result.original_places[36, hand]
    np.testing.assert_allclose(gone, HAND.value, atol=0.01 * result.source.skeleton.height)


def test_keys_beyond_the_end_of_a_shorter_clip_are_at_its_end() -> None:
    far = replace(HAND, frame=400.0)
    result = made(keys=(far,), times=((500.0, 450.0),))
    assert len(result.motion) == len(sample("walk"))


@pytest.mark.parametrize("how", [by_python, by_commands])
@pytest.mark.parametrize("clean", [False, True])
def test_the_copied_code_makes_the_same_motion(
    how: Any, clean: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = document(
        keys=(
            HAND,
            PoseKey(60.0, "Spine", "turn", (12.0, 0.0, 3.5)),
            PoseKey(20.0, "Neck", "factor", (1.5,)),
            PoseKey(50.0, "heading", "offset", (-20.0,)),
            PoseKey(66.0, "position", "offset", (0.2, 0.0, -0.1)),
            PoseKey(80.0, "head", "look_at", (2.0, 1.4, 3.0)),
        ),
        times=((50.0, 36.0),),
        ease=0.55,
        hold=True,
        follow=True,
        clean=clean,
    )
    motion = WarpScreen.make(shown, live=False).motion
    again = how(WarpScreen.recipe(shown), tmp_path, monkeypatch)
    assert len(again) == len(motion)
    np.testing.assert_allclose(again.positions(), motion.positions(), atol=2e-5)


def test_tangents_are_the_splines_own_until_they_are_set() -> None:
    keys = tuple(
        PoseKey(frame, "heading", "offset", (value,))
        for frame, value in ((0.0, 0.0), (30.0, 10.0), (60.0, 30.0))
    )
    assert tangents_of(keys, 1, 30.0) == ((15.0,), (15.0,))
    assert tangents_of(keys, 0, 30.0) == ((0.0,), (0.0,))
    linked = with_tangent(keys, 1, "in", 0, 40.0, apart=False, fps=30.0)
    assert (linked[1].tangent_in, linked[1].tangent_out) == ((40.0,), (40.0,))
    broken = with_tangent(linked, 1, "out", 0, -5.0, apart=True, fps=30.0)
    assert (broken[1].tangent_in, broken[1].tangent_out) == ((40.0,), (-5.0,))
    assert [mode_of(row[1]) for row in (keys, linked, broken)] == ["auto", "linked", "broken"]
    # Linked again, the tangent that the curve leaves with holds for both.
    assert with_mode(broken, 1, "linked", 30.0)[1].tangent_in == (-5.0,)
    assert with_mode(broken, 1, "auto", 30.0) == keys


def test_a_key_that_is_moved_keeps_its_tangents_and_one_of_another_kind_has_none() -> None:
    key = PoseKey(30.0, "left_hand", "offset", (0.0, 0.1, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0))
    (put,), _ = editing.put((key,), PoseKey(30.0, "left_hand", "offset", (0.0, 0.2, 0.0)))
    assert (put.value, put.tangent_in) == ((0.0, 0.2, 0.0), (0.0, 1.0, 0.0))
    made = warped(sample("walk"), WarpSettings(keys=(key,)), clean=False, live=False)
    assert editing.of_kind(made, key, "turn").tangent_in is None


def test_tangents_are_kept_in_projects_and_projects_without_them_open() -> None:
    key = PoseKey(30.0, "head", "turn", (5.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0), True)
    data = json.loads(json.dumps(settings_to_json(WarpSettings(keys=(key,)))))
    assert settings_from_json(WarpSettings, data).keys == (key,)
    for name in ("tangent_in", "tangent_out", "broken"):
        del data["keys"][0][name]
    (old,) = settings_from_json(WarpSettings, data).keys
    assert old == PoseKey(30.0, "head", "turn", (5.0, 0.0, 0.0))


def test_a_tangent_that_is_dragged_is_seen_as_it_will_be() -> None:
    key = PoseKey(36.0, "left_hand", "offset", (0.1, 0.3, 0.0), None, (0.5, 1.0, 0.0), True)
    settings = WarpSettings(keys=(key,))
    final = warped(sample("walk"), settings, clean=False, live=False)
    live = warped(sample("walk"), replace(settings, active=0), clean=False, live=True)
    np.testing.assert_allclose(live.motion.positions(), final.motion.positions(), atol=2e-3)


TURNED = (
    PoseKey(30.0, "LeftArm", "turn", (40.0, 0.0, -10.0)),
    PoseKey(55.0, "LeftArm", "turn", (-20.0, 15.0, 0.0), None, (0.0, 90.0, 0.0), True),
)
SWUNG = (
    PoseKey(25.0, "LeftLeg", "factor", (1.4,)),
    PoseKey(50.0, "LeftLeg", "factor", (0.5,), (-1.0,), (-1.0,)),
)


@pytest.mark.parametrize(("times", "hold"), [((), False), ((), True), (((60.0, 40.0),), False)])
def test_the_curve_of_a_turn_is_how_far_the_joint_is_turned(times: Any, hold: bool) -> None:
    key = replace(TURNED[0], tangent_out=(80.0, 0.0, -20.0))
    settings = WarpSettings(keys=(key,), times=times, hold=hold)
    result = made(keys=(key,), times=times, hold=hold)
    curve = drawn(result, settings, "LeftArm", "turn", None)
    assert (curve.unit, curve.scale) == ("degrees", 1.0)
    joint = joint_index("LeftArm", result.source.skeleton)
    before = result.source.sample(result.sources).rotations[:, joint]
    turned = np.degrees(rotations.angle_between(before, result.motion.rotations[:, joint]))
    # Where time is slid, what is between frames is read off both.
    near = 0.5 if times else 1e-6
    np.testing.assert_allclose(np.linalg.norm(curve.new, axis=1), turned, atol=near)
    at = round(result.seconds(30.0) * result.motion.fps)
    np.testing.assert_allclose(curve.new[at], key.value, atol=near)
    np.testing.assert_array_equal(curve.old, 0.0)


def test_the_curve_of_a_scale_is_how_much_more_the_joint_swings() -> None:
    result = made(keys=SWUNG)
    curve = drawn(result, WarpSettings(keys=SWUNG), "LeftLeg", "factor", 0).new[:, 0]
    joint = joint_index("LeftLeg", result.source.skeleton)
    rows = [motion.rotations[:, joint] for motion in (result.source, result.motion)]
    weights = np.full((1, len(rows[0])), 1.0 / len(rows[0]))
    zero = mean_rotations(rows[0][:, None, None], weights)[0, 0]
    away = [rotations.log(rotations.multiply(rotations.inverse(zero), row)) for row in rows]
    np.testing.assert_allclose(away[1], curve[:, None] * away[0], atol=1e-9)
    np.testing.assert_allclose(curve[[25, 50]], (1.4, 0.5), atol=1e-12)
    np.testing.assert_array_equal(curve[[0, -1]], 1.0)


@pytest.mark.parametrize(("keys", "axis"), [(TURNED, 1), (SWUNG, 0)])
def test_keys_of_turns_and_scales_and_their_tangents_are_dragged_in_their_curves(
    keys: tuple[PoseKey, ...], axis: int
) -> None:
    result, settings = made(keys=keys), WarpSettings(keys=keys)
    joint, group = keys[0].joint, keys[0].group
    picture = drawn(result, settings, joint, group, axis)
    shown = picture.handles(result, dict(enumerate(keys)))
    assert [handle["y"] for handle in shown] == pytest.approx([key.value[axis] for key in keys])
    # A handle is where it was dragged to.
    moves = [(f"k0:{axis}", shown[0]["x"], shown[0]["y"] + 0.5)]
    pulled = editing.pulled(result, keys, editing.pulls_of(result, keys, moves))
    assert pulled[0].value[axis] == pytest.approx(keys[0].value[axis] + 0.5)
    assert pulled[1:] == keys[1:]
    # No further than the panel can say.
    far = editing.pulls_of(result, keys, [(f"k0:{axis}", shown[0]["x"], 1e4)])
    assert editing.pulled(result, keys, far)[0].value[axis] in (120.0, 3.0)
    # A tangent is as steep as it was turned.
    curves = KeyCurves(
        on_axis=lambda: None,
        on_drag=lambda moves, final: None,
        on_remove=lambda marks: None,
        on_bend=lambda mark, slope, apart, final: None,
    )
    bent = curves.bent(result, settings, f"out0:{axis}", 2.5, apart=False, final=True)
    assert (bent[0].tangent_in, bent[0].tangent_out) == (bent[0].tangent_out,) * 2
    after = drawn(made(keys=bent), WarpSettings(keys=bent), joint, group, axis)
    (slope,) = (
        one["slope"]
        for one in after.tangents(result, dict(enumerate(bent)))
        if one["id"] == f"out0:{axis}"
    )
    assert slope == 2.5
