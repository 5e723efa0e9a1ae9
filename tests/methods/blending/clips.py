"""Clips and registrations that several blending tests share, made once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import motionweave as mw
from motionweave import Motion, Planar
from motionweave.body.rig.roles import find_rig
from motionweave.core import rotations
from motionweave.registration.curve import RegistrationCurve

NINE = tuple(f"{gait}{way}" for gait in ("walk", "jog", "sneak") for way in ("", "_left", "_right"))


@cache
def built_in(*names: str, **options: object) -> RegistrationCurve:
    """Built-in clips registered."""
    return mw.register(*(mw.sample(name) for name in names), **options)  # type: ignore[arg-type]


@cache
def real(folder: Path, name: str) -> Motion:
    """A real clip at 30 frames a second, without its T-pose."""
    (path,) = (folder / "bvh").glob(f"cmu_{name}*.bvh")
    return mw.load(path, drop_tpose=True).resample(30.0)


def planar_between(a: Motion, b: Motion) -> Planar:
    """The planar move that takes the first frame of a to that of b."""
    turn = rotations.multiply(b.rotations[0, 0], rotations.inverse(a.rotations[0, 0]))
    angle = float(rotations.vertical_angle(turn))
    start = Planar(angle).apply(a.root[0])
    return Planar(angle, b.root[0, 0] - start[0], b.root[0, 2] - start[2])


def assert_same_up_to_a_move(a: Motion, b: Motion, tolerance: float = 1e-6) -> None:
    """Every joint within so many radians, the root within that share of the body height."""
    assert len(a) == len(b)
    moved = a.moved(planar_between(a, b))
    assert rotations.angle_between(moved.rotations, b.rotations).max() < tolerance
    assert np.abs(moved.root - b.root).max() < tolerance * b.skeleton.height


def path_length(motion: Motion) -> float:
    """Length of the root's way over the floor."""
    return float(np.linalg.norm(np.diff(motion.root[:, [0, 2]], axis=0), axis=1).sum())


def acceleration(motion: Motion) -> np.ndarray:
    """Accelerations ``(T - 2, J)`` of the joints with a role, in units a second squared.

    Fingers have none: those of real clips jump by themselves now and then.
    """
    joints = sorted(set(find_rig(motion.skeleton).roles.values()))
    second = np.diff(motion.positions()[:, joints], n=2, axis=0) * motion.fps**2
    return np.linalg.norm(second, axis=-1)
