"""Film strips of any character."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.figure.plan import body_plan
from motionweave.plots.filmstrip import VIEWS, Strip, _axes, film_strip


@pytest.mark.parametrize("view", VIEWS)
def test_it_writes_a_picture_for_every_view(tmp_path: Path, view: str) -> None:
    target = tmp_path / "strip.png"
    film_strip(mw.sample("walk_left"), target, frames=4, view=view)
    assert target.read_bytes().startswith(b"\x89PNG")
    assert list(tmp_path.iterdir()) == [target]


def test_every_motion_has_its_row_and_label() -> None:
    figure = film_strip([mw.sample("walk"), mw.sample("jog")], frames=3, labels=["a", "b"])
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["a", "b"]


def test_contacts_are_marked() -> None:
    motion = mw.sample("walk")
    frame = 9.0
    held = sum(c.holds_at(frame) for c in motion.constraints)
    assert held > 0
    marked = film_strip(motion, frames=[frame])
    bare = film_strip(motion, frames=[frame], contacts=False)
    assert len(marked.axes[0].lines) - len(bare.axes[0].lines) == held


def test_a_t_pose_below_the_floor_lifts_no_contact() -> None:
    walk = mw.sample("walk")
    turns = np.array(walk.rotations)
    turns[0] = [0.0, 0.0, 0.0, 1.0]
    root = np.array(walk.root)
    root[0, 1] -= 0.2
    strip = Strip(replace(walk, rotations=turns, root=root), [9.0], "side", False)
    for role in ("left_ankle", "right_toe"):
        joint = strip.rig.roles[role]
        assert strip._sole(0, joint, role.partition("_")[2])[1] == 0.0


def test_a_travelling_strip_keeps_distances() -> None:
    motion = mw.sample("walk")
    figure = film_strip(motion, frames=5, travel=True)
    low, high = figure.axes[0].get_xlim()
    way = np.linalg.norm((motion.root[-1] - motion.root[0])[[0, 2]])
    assert way < high - low < way + 2.0


def test_who_walks_backwards_is_seen_from_the_same_side() -> None:
    walk = mw.sample("walk")
    backwards = walk.sample(np.arange(len(walk))[::-1])
    for forth, back in zip(
        *(_axes(motion, np.zeros(1), "front") for motion in (walk, backwards)), strict=True
    ):
        np.testing.assert_allclose(back, forth, atol=1e-9)


def test_a_broken_frame_makes_no_endless_picture() -> None:
    walk = mw.sample("walk")
    root = np.array(walk.root)
    root[5, 1] += 100.0
    figure = film_strip(replace(walk, root=root), frames=[0, 5, 10], width=10.0)
    assert figure.get_figheight() < 20.0


def test_what_is_held_in_a_hand_takes_no_room() -> None:
    walk = mw.sample("walk")
    hand = walk.skeleton.index("RightHand")
    offsets = np.array(walk.skeleton.end_offsets)
    offsets[walk.skeleton.end_parents == hand] *= 20.0
    armed = replace(walk, skeleton=replace(walk.skeleton, end_offsets=offsets))
    with_stick, without = (Strip(motion, 6, "side", True) for motion in (armed, walk))
    assert with_stick.height == pytest.approx(without.height, rel=0.1)
    assert with_stick.floor == pytest.approx(without.floor)


def test_who_climbs_starts_on_the_floor_line() -> None:
    walk = mw.sample("walk")
    climbing = mw.warp(walk, ground=mw.Ground.stairs(rise=0.15, run=0.35, start=0.05))
    # The picture reaches as far below the floor line, at 0, as what is lowest needs.
    level, stairs = (
        film_strip(motion, frames=8, travel=True).axes[0].get_ylim()[0]
        for motion in (walk, climbing)
    )
    assert stairs == pytest.approx(level, abs=0.02)


def test_bad_requests_are_told(tmp_path: Path) -> None:
    walk = mw.sample("walk")
    with pytest.raises(mw.MotionError, match="view"):
        film_strip(walk, view="below")
    with pytest.raises(mw.MotionError, match="no motion"):
        film_strip([])
    with pytest.raises(mw.MotionError, match="labels"):
        film_strip(walk, labels=["a", "b"])
    with pytest.raises(mw.FormatError, match="png"):
        film_strip(walk, tmp_path / "strip.docx", frames=2)


def test_a_skeleton_without_roles_is_drawn() -> None:
    chain = mw.Skeleton(
        names=("a", "b", "c"),
        parents=np.array([-1, 0, 1]),
        offsets=np.array([[0.0, 0, 0], [0, 1, 0], [0, 1, 0]]),
    )
    motion = mw.Motion(
        chain, 30.0, np.zeros((4, 3)), np.tile([0.0, 0.0, 0.0, 1.0], (4, 3, 1)), name="chain"
    )
    figure = film_strip(motion, frames=3)
    assert len(figure.axes[0].patches) >= 3 * len(body_plan(chain).pieces)


@pytest.mark.mocap
def test_real_clips_are_drawn(mocap: Path, tmp_path: Path) -> None:
    clip = mw.load(sorted((mocap / "bvh").glob("*.bvh"))[0])
    shape = body_plan(clip.skeleton)
    assert shape.head is not None
    assert {piece.side for piece in shape.pieces} >= {-1, 1}
    film_strip(clip, tmp_path / "real.png", frames=3)


def test_without_matplotlib_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(mw.MissingDependencyError, match=r"motionweave\[plots\]"):
        film_strip(mw.sample("stand"), frames=2)
