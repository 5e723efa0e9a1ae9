"""The eight operations of the paper's Table 4, on built-in and on real clips.

Smooth: no joint accelerates more than 1.25 times as much as in the clips that went in.
Feet clean: planted heels and toes neither slide nor sink.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

import motionweave as mw
from motionweave.body.rig.roles import leg_length
from motionweave.body.soles import contact_points
from motionweave.core import rotations
from motionweave.core.constraints import active
from motionweave.core.cycles import repeat

FPS = 30.0
OPERATIONS = ((0, 1), (2, 3), (0, 3), (0, 1, 2, 3))
# The salsa never repeats itself exactly; these frames are one basic step of it.
SALSA_STEP = (500, 664)
REAL = ("16_55_run_straight", "16_15_walk_straight", "93_03_dance_charleston", "60_12_dance_salsa")


def clip_acceleration(motion: mw.Motion) -> tuple[float, float]:
    """Largest acceleration of a joint's place and of its rotation."""
    places = np.concatenate([motion.positions(), motion.end_positions()], axis=1)
    linear = np.linalg.norm(np.diff(places, 2, axis=0), axis=-1)
    turns = rotations.log(
        rotations.multiply(rotations.inverse(motion.rotations[:-1]), motion.rotations[1:])
    )
    angular = np.linalg.norm(np.diff(turns, axis=0), axis=-1)
    return float(linear.max()), float(angular.max())


def foot_slide(motion: mw.Motion) -> float:
    """Mean speed of planted heels and toes over the floor, in leg lengths a second."""
    frames = np.arange(len(motion))
    speeds = []
    for kind, points in contact_points(motion, hands=False).items():
        held = active(motion.constraints, kind, frames)
        steps = np.linalg.norm(np.diff(points[:, [0, 2]], axis=0), axis=1)
        speeds.append(steps[held[:-1] & held[1:]])
    together = np.concatenate(speeds)
    return float(together.mean() * motion.fps / leg_length(motion.skeleton))


def check(space: mw.Framespace, shape: str, deepest: float = 0.03) -> None:
    inputs = [
        clip_acceleration((repeat(b.motion, 2) if b.cyclic else b.motion).resample(FPS))
        for b in space.bases
    ]
    raw = space.interpolate(shape, 6, fps=FPS, clean=False)
    clean = space.interpolate(shape, 6, fps=FPS, clean=True)
    for motion in (raw, clean):
        for found, given in zip(clip_acceleration(motion), zip(*inputs, strict=True), strict=True):
            assert found <= 1.25 * max(given)
    periods = [b.period for b in space.bases]
    assert 6 * min(periods) <= raw.duration + 1.0 / FPS
    assert raw.duration <= 6 * max(periods)
    assert any(c.kind.startswith("left") for c in raw.constraints)
    assert foot_slide(clean) < 0.02
    floor = min(
        float(np.min([p[:, 1].min() for p in contact_points(b.motion, hands=False).values()]))
        for b in space.bases
    )
    lowest = min(float(p[:, 1].min()) for p in contact_points(clean, hands=False).values())
    assert lowest > floor - deepest * leg_length(clean.skeleton)


@lru_cache(maxsize=1)
def built_in() -> tuple[mw.Motion, ...]:
    return tuple(mw.sample(name) for name in ("jog", "walk", "dance_a", "dance_b"))


@pytest.mark.parametrize("shape", ["concatenate", "blend"])
@pytest.mark.parametrize("chosen", OPERATIONS)
def test_built_in_clips(chosen: tuple[int, ...], shape: str) -> None:
    check(mw.Framespace([built_in()[i] for i in chosen]), shape)


@pytest.mark.parametrize("shape", ["concatenate", "blend"])
@pytest.mark.parametrize("chosen", [(0, 3), (0, 1, 2, 3)])
def test_built_in_clips_decoupled(chosen: tuple[int, ...], shape: str) -> None:
    check(mw.Framespace([built_in()[i] for i in chosen], decoupled=True), shape)


@lru_cache(maxsize=1)
def real(folder: Path) -> tuple[mw.Motion, ...]:
    with (folder / "catalog.csv").open(encoding="utf-8") as file:
        rates = {row["file"]: row["true_fps"] for row in csv.DictReader(file)}
    motions = []
    for name in REAL:
        path = f"bvh/cmu_{name}.bvh"
        motion = mw.load(folder / path, drop_tpose=True)
        motions.append(replace(motion, fps=float(rates[path])))
    return tuple(motions)


@pytest.mark.mocap
@pytest.mark.parametrize("shape", ["concatenate", "blend"])
@pytest.mark.parametrize("chosen", OPERATIONS)
def test_real_clips(mocap: Path, chosen: tuple[int, ...], shape: str) -> None:
    cycles = [SALSA_STEP if i == 3 else None for i in chosen]
    check(mw.Framespace([real(mocap)[i] for i in chosen], cyclic=cycles), shape)


@pytest.mark.mocap
def test_a_dance_that_stands_with_a_run_that_travels(mocap: Path) -> None:
    """The chicken dance shares no step with a run; nothing may pop, and deep feet are told."""
    chicken = mw.load(mocap / "bvh" / "cmu_143_34_dance_chicken.bvh", drop_tpose=True)
    chicken = replace(chicken, fps=60.0)
    space = mw.Framespace([real(mocap)[0], chicken], cyclic=[None, (348, 590)])
    for shape in ("concatenate", "blend"):
        with pytest.warns(mw.QualityWarning, match="deeper than in the clips"):
            check(space, shape, deepest=0.08)


@pytest.mark.mocap
def test_a_real_clip_played_once_beside_a_cycle(mocap: Path) -> None:
    run, _, charleston, salsa = real(mocap)
    space = mw.Framespace([charleston, salsa])
    assert [basis.cyclic for basis in space.bases] == [True, False]
    result = space.interpolate("concatenate", 4, fps=FPS, clean=False)
    assert result.duration < salsa.duration
    assert np.all(np.isfinite(result.positions()))
    assert len(space.matched(4).lower) >= 4
    assert run.name
