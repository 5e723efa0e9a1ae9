"""A part of the body changes alone: legs and path stay, the part is that of the clips."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.rig.parts import part_joints
from motionweave.body.rig.roles import find_rig
from motionweave.errors import BlendError, QualityWarning, RigError


def _part(motion: mw.Motion, part: str) -> list[int]:
    return list(part_joints(part, find_rig(motion.skeleton)))


def _angles(one: mw.Motion, other: mw.Motion) -> np.ndarray:
    """Degrees ``(T, J)`` between the local rotations of two motions."""
    cosine = np.abs(np.sum(one.rotations * other.rotations, axis=-1))
    return np.asarray(np.degrees(2.0 * np.arccos(cosine.clip(0.0, 1.0))))


@pytest.mark.parametrize(("part", "second"), [("upper", "jab"), ("arms", "reach_high")])
def test_everything_else_is_the_first_clip(part: str, second: str) -> None:
    walk = mw.sample("walk")
    made = mw.subspace(walk, mw.sample(second), part=part).transition(20, 10, length=1.0)
    result = made.motion
    others = sorted(set(range(len(walk.skeleton))) - set(_part(walk, part)))
    assert np.array_equal(result.root, walk.root)
    assert np.array_equal(result.rotations[:, others], walk.rotations[:, others])
    feet = [c for c in walk.constraints if "hand" not in c.kind]
    assert [c for c in result.constraints if "hand" not in c.kind] == feet


def test_the_part_is_the_first_clips_before_and_the_seconds_after() -> None:
    walk, reach = mw.sample("walk"), mw.sample("reach_high")
    made = mw.subspace(walk, reach, part="arms").transition(20, 10, length=1.0)
    arms, end = _part(walk, "arms"), made.end
    assert _angles(made.motion[:21], walk[:21])[:, arms].max() < 1e-3
    shown = slice(end, min(end + 15, len(walk)))
    entered = reach[10 : 10 + shown.stop - shown.start]
    assert _angles(made.motion[shown], entered)[:, arms].max() < 1e-3
    # It did change, and somewhere else than the walk's arms.
    assert _angles(made.motion[shown], walk[shown])[:, arms].max() > 20.0


def test_legs_and_paths_of_the_clips_make_no_difference() -> None:
    walk, reach = mw.sample("walk"), mw.sample("reach_high")
    moved = reach.moved(mw.Planar(1.0, 3.0, -2.0))
    made = [
        mw.spline_transition(walk, clip, 20, 10, part="arms").rotations for clip in (reach, moved)
    ]
    assert np.allclose(*made, atol=1e-9)


def test_the_part_is_left_early_enough_for_the_second_clip() -> None:
    long, jab = mw.loop(mw.sample("walk"), rounds=6), mw.sample("jab")
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*cut off.*")
        made = mw.subspace(long, jab, part="upper").transition()
    assert made.end + len(jab) - made.enter <= len(long)


def test_a_second_clip_that_does_not_fit_is_told() -> None:
    walk, jab = mw.sample("walk"), mw.sample("jab")
    with pytest.warns(QualityWarning, match=r"cut off, because the clip 'walk'"):
        mw.spline_transition(walk, jab, len(walk) - 10, 5, part="upper")


def test_legs_and_unknown_parts_are_refused() -> None:
    walk, jab = mw.sample("walk"), mw.sample("jab")
    with pytest.raises(BlendError, match="contains legs"):
        mw.spline_transition(walk, jab, part="left_leg")
    with pytest.raises(RigError, match="no joint or role 'tail'"):
        mw.spline_transition(walk, jab, part="tail")
    with pytest.raises(RigError, match=r"did you mean upper\?"):
        mw.spline_transition(walk, jab, part="upperbody")
