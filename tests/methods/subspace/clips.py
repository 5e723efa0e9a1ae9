"""Smooth clips of one random character, and what every transition must fulfil."""

from __future__ import annotations

import numpy as np

from motionweave import Motion
from motionweave.core import rotations
from motionweave.methods.subspace.joined import SplineTransition
from motionweave.methods.subspace.space import Subspace
from tests.strategies import random_skeleton


def two_clips(
    seed: int, frames: tuple[int, int] = (70, 60), fps: float = 60.0, joints: int = 7
) -> tuple[Motion, Motion]:
    """Two smooth clips that travel, turn and swing, of the same character."""
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, joints)
    middle = 0.4 * rng.normal(size=(joints, 3))
    return tuple(
        _clip(rng, skeleton, middle, count, fps, name)
        for count, name in zip(frames, ("first", "second"), strict=True)
    )


def _clip(rng, skeleton, middle, frames, fps, name) -> Motion:
    time = np.arange(frames)[:, None, None] / fps
    phase = rng.uniform(0.0, 2.0 * np.pi, middle.shape)
    pace = rng.uniform(3.0, 6.0)
    vectors = middle + 0.5 * np.sin(pace * time + phase)
    vectors[:, 0] = 0.2 * np.sin(pace * time[:, 0] + phase[0])
    quats = rotations.exp(vectors)
    turn = rng.normal() + rng.normal() * time[:, 0, 0]
    quats[:, 0] = rotations.multiply(rotations.about_vertical(turn), quats[:, 0])
    speed = rng.normal(size=2)
    root = np.stack(
        [
            speed[0] * time[:, 0, 0],
            3.0 + 0.3 * np.sin(pace * time[:, 0, 0] + phase[0, 0]),
            speed[1] * time[:, 0, 0] + 0.1 * np.cos(pace * time[:, 0, 0]),
        ],
        axis=1,
    )
    return Motion(skeleton, fps, root, quats, name=name)


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
