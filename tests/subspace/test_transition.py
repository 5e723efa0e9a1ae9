"""Joined clips: exact and smooth at both ends, sane in between, whatever the spline."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import motionweave as mw
from motionweave import Motion, Planar
from motionweave.core import rotations
from motionweave.errors import BlendError, QualityWarning, RigError
from motionweave.subspace import bezier
from motionweave.subspace.transition import MARGIN, Subspace, SplineTransition
from tests.subspace.clips import two_clips

seeds = st.integers(0, 2**32 - 1)
degrees = st.sampled_from(bezier.DEGREES)


@pytest.fixture(scope="module")
def space() -> Subspace:
    return mw.subspace(*two_clips(1))


def assert_same_poses(one: Motion, other: Motion, tolerance: float = 1e-6) -> None:
    np.testing.assert_allclose(one.root, other.root, atol=tolerance)
    assert np.all(rotations.angle_between(one.rotations, other.rotations) < tolerance)


def joint_velocities(motion: Motion, frame: int) -> np.ndarray:
    """Central differences at a frame, ``(J, 3)``, a second."""
    positions = motion.positions()
    return (positions[frame + 1] - positions[frame - 1]) * (0.5 * motion.fps)


def assert_ends_fit(space: Subspace, made: SplineTransition) -> None:
    """Poses equal the clips' own, velocities within 2 %."""
    before, after = space.a[: made.leave + 1], space.b[made.enter :].moved(made.placed)
    assert_same_poses(made.raw[: made.start + 1], before)
    assert_same_poses(made.raw[made.end :], after)
    moved = space.b.moved(made.placed)
    for clip, frame, at in (
        (space.a, made.leave, made.start),
        (moved, made.enter, made.end),
    ):
        if 0 < frame < len(clip) - 1:
            own, joined = joint_velocities(clip, frame), joint_velocities(made.raw, at)
            assert np.linalg.norm(joined - own) < 0.02 * np.linalg.norm(own)


@settings(max_examples=40)
@given(seeds, degrees, st.floats(1.0, 4.0), st.floats(-1.0, 1.0), st.data())
def test_both_ends_have_the_clips_poses_and_velocities(
    seed: int, degree: int, length: float, bias: float, data: st.DataObject
) -> None:
    space = mw.subspace(*two_clips(seed))
    leave = data.draw(st.integers(1, len(space.a) - 2))
    enter = data.draw(st.integers(1, len(space.b) - 2))
    made = space.transition(
        leave, enter, degree=degree, length=length, bias=bias, clean=False
    )
    assert (made.leave, made.enter) == (leave, enter)
    assert len(made.raw) == leave + 1 + (made.end - made.start - 1) + len(space.b) - enter
    assert_ends_fit(space, made)
