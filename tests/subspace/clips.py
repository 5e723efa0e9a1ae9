"""Smooth clips of one random character, for the tests of this folder."""

from __future__ import annotations

import numpy as np

from motionweave import Motion
from motionweave.core import rotations
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
