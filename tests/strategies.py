"""Hypothesis strategies and plain-NumPy helpers that many tests share."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from motionweave import Motion, Skeleton
from motionweave.core import rotations


def random_quaternions(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Uniformly random rotations, ``(*shape, 4)``."""
    return rotations.normalize(rng.normal(size=(*shape, 4)))


def random_skeleton(rng: np.random.Generator, joints: int) -> Skeleton:
    """A random tree with an end site on every leaf."""
    parents = np.array([-1] + [int(rng.integers(0, j)) for j in range(1, joints)])
    leaves = [j for j in range(joints) if j not in parents]
    return Skeleton(
        names=tuple(f"joint{j}" for j in range(joints)),
        parents=parents,
        offsets=rng.normal(size=(joints, 3)),
        end_parents=np.array(leaves),
        end_offsets=rng.normal(size=(len(leaves), 3)),
    )


def random_motion(rng: np.random.Generator, frames: int, joints: int, fps: float = 30.0) -> Motion:
    """A smooth random motion on a random skeleton."""
    skeleton = random_skeleton(rng, joints)
    time = np.linspace(0.0, 1.0, frames)[:, None, None]
    phase = rng.uniform(0.0, 2.0 * np.pi, (1, joints, 3))
    vectors = rng.normal(size=(1, joints, 3)) + 0.6 * np.sin(2.0 * np.pi * time + phase)
    root = np.cumsum(rng.normal(scale=0.05, size=(frames, 3)), axis=0)
    return Motion(skeleton, fps, root, rotations.exp(vectors), name="random")


@st.composite
def motions(draw: st.DrawFn, min_frames: int = 1, max_frames: int = 12) -> Motion:
    """Random motions on random skeletons."""
    seed = draw(st.integers(0, 2**32 - 1))
    frames = draw(st.integers(min_frames, max_frames))
    joints = draw(st.integers(1, 8))
    return random_motion(np.random.default_rng(seed), frames, joints)
