"""What is measured on: built-in clips, and the real ones where they are at hand."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import numpy as np

import motionweave as mw
from motionweave.core import rotations
from motionweave.core.motion import Motion
from motionweave.core.skeleton import Skeleton

JOINTS = 31


def mocap() -> Path | None:
    """The folder of real clips, if there is one."""
    folder = Path(os.environ.get("MOTIONWEAVE_MOCAP", "../shared/mocap"))
    return folder if (folder / "catalog.csv").exists() else None


@lru_cache
def real(name: str) -> Motion | None:
    """A real clip by its file's stem, without its T-pose, or None if it is not at hand."""
    folder = mocap()
    if folder is None:
        return None
    path = folder / "bvh" / f"{name}.bvh"
    return mw.load(path, drop_tpose=True) if path.exists() else None


@lru_cache
def built_in(name: str, **params: float) -> Motion:
    """A built-in clip."""
    return mw.sample(name, **params)


def skeleton(joints: int = JOINTS) -> Skeleton:
    """A tree of this many joints, as deep as a person's."""
    parents = [-1] + [max(0, j - 1) if j % 6 else 0 for j in range(1, joints)]
    return Skeleton(
        names=tuple(f"Joint{j}" for j in range(joints)),
        parents=np.array(parents),
        offsets=np.random.default_rng(0).uniform(-0.2, 0.2, (joints, 3)),
    )


@lru_cache
def noise(frames: int, joints: int = JOINTS, seed: int = 1) -> Motion:
    """A motion of slowly changing random rotations."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(scale=0.02, size=(frames, joints, 3)).cumsum(axis=0)
    return Motion(
        skeleton=skeleton(joints),
        fps=30.0,
        root=rng.normal(scale=0.02, size=(frames, 3)).cumsum(axis=0),
        rotations=rotations.exp(steps),
    )
