"""Animals whose joints have human names: told by how they move, and combined all the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave import Motion, Skeleton
from motionweave.body.pose.heading import direction, facing
from motionweave.core import rotations

FPS, FRAMES = 30.0, 60
# Name, parent, offset. Legs lie along x in the zero pose, which stands on nothing.
TRUNK = (
    ("Hips", None, (0.0, 0.0, 0.0)),
    ("Spine", "Hips", (0.0, 0.0, 0.2)),
    ("Chest", "Spine", (0.0, 0.0, 0.3)),
    ("Neck", "Chest", (0.0, 0.1, 0.1)),
    ("Head", "Neck", (0.0, 0.1, 0.1)),
)
TAIL = tuple(
    (f"Tail{n}", "Hips" if n == 1 else f"Tail{n - 1}", (0.0, 0.0, -0.1)) for n in (1, 2, 3)
)
LEGS = {"UpLeg": ("Hips", "Leg", "Foot"), "Arm": ("Chest", "ForeArm", "Hand")}


def dog(stride: float = 0.5, tail: bool = True) -> Motion:
    """A trot straight ahead, legs in diagonal pairs, ``stride`` radians to either side."""
    rows = [*TRUNK, *(TAIL if tail else ())]
    for side, x in (("Left", 0.1), ("Right", -0.1)):
        for upper, (parent, middle, end) in LEGS.items():
            rows += [
                (side + upper, parent, (x, 0.0, 0.0)),
                (side + middle, side + upper, (0.3, 0.0, 0.0)),
                (side + end, side + middle, (0.3, 0.0, 0.0)),
            ]
    names = [name for name, _, _ in rows]
    parents = [-1 if parent is None else names.index(parent) for _, parent, _ in rows]
    skeleton = Skeleton(tuple(names), np.array(parents), np.array([row[2] for row in rows]))
    swing = stride * np.sin(2.0 * np.pi * 1.5 * np.arange(FRAMES) / FPS)
    turned = np.tile(rotations.IDENTITY, (FRAMES, len(names), 1))
    down = rotations.about_axis("Z", -np.pi / 2)
    for name, sign in (("LeftUpLeg", 1), ("RightUpLeg", -1), ("LeftArm", -1), ("RightArm", 1)):
        turned[:, names.index(name)] = rotations.multiply(
            rotations.about_axis("X", sign * swing), down
        )
    root = np.zeros((FRAMES, 3))
    root[:, 1] = 0.6
    root[:, 2] = stride * np.arange(FRAMES) / FPS
    return Motion(skeleton, FPS, root, turned, name="dog")


def filed(motion: Motion, folder: Path) -> Path:
    mw.save(motion, folder / "clip.bvh")
    return folder / "clip.bvh"


def test_what_has_a_tail_and_goes_on_hands_and_feet_has_four_legs(tmp_path: Path) -> None:
    path = filed(dog().moved(mw.Planar(0.7, 2.0, 1.0)), tmp_path)
    loaded = mw.load(path)
    rig = mw.find_rig(loaded.skeleton)
    assert rig.legs == 4
    assert not rig.has("left_ankle")
    assert loaded.constraints == ()
    travel = np.diff(loaded.root[:, [0, 2]], axis=0)
    travel /= np.linalg.norm(travel, axis=1, keepdims=True)
    assert np.sum(travel * direction(facing(loaded))[:-1], axis=1).min() > 0.999


def test_who_says_otherwise_is_believed(tmp_path: Path) -> None:
    path = filed(dog(), tmp_path)
    assert mw.find_rig(mw.load(path, rig={"legs": 2}).skeleton).has("left_ankle")
    human = filed(mw.sample("walk"), tmp_path)
    assert mw.find_rig(mw.load(human, rig={"legs": 4}).skeleton).legs == 4
    for wrong in (1, True, "four"):
        with pytest.raises(mw.RigError, match="legs must be how many"):
            mw.load(human, rig={"legs": wrong})


def test_humans_on_hands_and_feet_stay_human(tmp_path: Path) -> None:
    assert mw.find_rig(mw.load(filed(dog(tail=False), tmp_path)).skeleton).has("left_ankle")


@pytest.mark.parametrize(
    "method",
    [
        lambda a, b: mw.blend(mw.register(a, b), [0.5, 0.5]),
        mw.transition,
        mw.join,
        mw.spline_transition,
        lambda a, b: mw.loop(a, 3),
        lambda a, b: mw.warp(b, mw.Key(20, "head", turn=(20, 0, 0))),
        lambda a, b: mw.mirror(a),
        lambda a, b: mw.layer(a, b, part="head"),
    ],
    ids=["blend", "transition", "join", "spline", "loop", "warp", "mirror", "layer"],
)
@pytest.mark.filterwarnings("ignore::motionweave.QualityWarning")
def test_methods_that_need_no_legs_work(
    method: Callable[[Motion, Motion], Motion], tmp_path: Path
) -> None:
    slow, fast = (mw.load(filed(dog(stride), tmp_path)) for stride in (0.4, 0.6))
    made = method(slow, fast)
    assert made.skeleton.names == slow.skeleton.names
    # Nothing turns round, sinks or rises that does not do so in the clips.
    assert np.abs(facing(made)).max() < 0.05
    assert np.abs(made.root[:, 1] - 0.6).max() < 0.02


def test_methods_that_need_two_legs_say_so(tmp_path: Path) -> None:
    loaded = mw.load(filed(dog(), tmp_path))
    for method in (
        mw.clean_feet,
        mw.detect_contacts,
        lambda clip: mw.retarget(clip, mw.sample("walk")),
    ):
        with pytest.raises(mw.RigError, match="stands on 4 legs"):
            method(loaded)
