"""A warp does not depend on where the body stands and faces, on its side, or on joints' axes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.mirror import other_side
from motionweave.body.rig.roles import leg_length
from motionweave.core import rotations
from tests.rests import with_other_rest

# Offsets in leg lengths. Heads and hips that are pulled so far do not reach their goals: the pose
# that comes nearest lies in a flat valley, where each step towards it counts.
EDITS = {
    "a head out of reach": ("walk_left", [mw.Key(80, "head", offset=(0.34, 0.05, -0.2))]),
    "a head in a jog": ("jog", [mw.Key(8, "head", offset=(0.07, 0.16, -0.36))]),
    "hips that shift": ("walk", [mw.Key(59, "hips", offset=(-0.06, 0.04, 0.13))]),
    "two goals a moment apart": (
        "walk",
        [
            mw.Key(40, "left_hand", offset=(0.2, 0.4, 0.1)),
            mw.Key(52, "right_foot", offset=(-0.1, 0.15, 0.1)),
        ],
    ),
    "a hand that is held": ("walk", [mw.Key(40, "right_hand", offset=(0.0, 0.5, 0.2), until=70)]),
    "a path": ("walk", [mw.Key(60, "position", offset=(0.4, -0.1, 0.1))]),
}


def edited(clip, keys, turned=lambda way: way, named=lambda joint: joint):
    """The clip warped with offsets in leg lengths, along the axes of the world."""
    leg = leg_length(clip.skeleton)
    return mw.warp(
        clip,
        [
            replace(
                key,
                joint=named(key.joint),
                axes="world",
                offset=tuple(leg * turned(np.array(key.offset))),
            )
            for key in keys
        ],
    )


def apart(one, other):
    """How far joints are from each other at most, in leg lengths."""
    away = np.linalg.norm(one.positions() - other.positions(), axis=-1)
    return float(away.max() / leg_length(one.skeleton))


@pytest.mark.filterwarnings("ignore::motionweave.errors.QualityWarning")
@pytest.mark.parametrize("name", EDITS)
def test_turned_and_moved_on_the_floor_a_clip_is_warped_the_same(name):
    sample, keys = EDITS[name]
    clip = mw.sample(sample)
    move = mw.Planar(1.1, 3.0, -2.0)
    turn = rotations.about_vertical(move.angle)
    there = edited(clip.moved(move), keys, lambda way: rotations.rotate(turn, way))
    assert apart(there, edited(clip, keys).moved(move)) < 1e-6


@pytest.mark.filterwarnings("ignore::motionweave.errors.QualityWarning")
@pytest.mark.parametrize("name", EDITS)
def test_the_mirror_image_of_a_clip_is_warped_to_the_mirror_image(name):
    sample, keys = EDITS[name]
    # Joints whose axes are not mirror images of their partners', as in many recordings.
    clip = with_other_rest(mw.sample(sample), 1)
    there = edited(mw.mirror(clip), keys, lambda way: way * [-1.0, 1.0, 1.0], other_side)
    assert apart(there, mw.mirror(edited(clip, keys))) < 1e-6


@pytest.mark.filterwarnings("ignore::motionweave.errors.QualityWarning")
@pytest.mark.parametrize("name", EDITS)
def test_other_axes_of_the_joints_do_not_change_a_warp(name):
    sample, keys = EDITS[name]
    clip = mw.sample(sample)
    there = edited(with_other_rest(clip, 2), keys)
    assert apart(there, edited(clip, keys)) < 1e-6
