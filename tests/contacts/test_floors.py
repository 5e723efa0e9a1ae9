"""Clips whose floors are apart are combined on one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import motionweave as mw
from motionweave.contacts.floors import on_one_floor
from motionweave.core import rotations


def _raised(motion: mw.Motion, by: float) -> mw.Motion:
    return replace(motion, root=motion.root + np.array([0.0, by, 0.0]))


@pytest.mark.parametrize("by", [-0.04, 0.03, 0.2, -0.9, 12.0])
def test_floors_that_bodies_stand_on_become_one(by: float) -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    first, second = on_one_floor([walk, _raised(jog, by)])
    assert first is walk
    assert mw.estimate_floor(second).height == pytest.approx(
        mw.estimate_floor(walk).height, abs=1e-6
    )


@pytest.mark.parametrize("by", [0.0, 0.005])
def test_the_same_floor_is_left_alone(by: float) -> None:
    walk, jog = mw.sample("walk"), _raised(mw.sample("jog"), by)
    assert on_one_floor([walk, jog])[1] is jog


def test_a_body_that_lies_stays_as_high_as_it_was_recorded() -> None:
    stand = mw.sample("stand")
    down = rotations.exp(np.array([-0.5 * np.pi, 0.0, 0.0]))
    turned = np.array(stand.rotations)
    turned[:, 0] = rotations.multiply(down, turned[:, 0])
    lying = replace(stand, root=rotations.rotate(down, stand.root) + np.array([0.0, 0.3, 0.0]))
    lying = replace(lying, rotations=turned).with_constraints(())
    assert on_one_floor([stand, lying])[1] is lying


@pytest.mark.parametrize(
    "combine",
    [
        lambda a, b: mw.blend(mw.register(a, b), [0.0, 1.0], clean=False),
        lambda a, b: mw.transition(a, b, clean=False),
        lambda a, b: mw.join(a, b, clean=False),
        lambda a, b: mw.spline_transition(a, b, clean=False),
    ],
)
@pytest.mark.parametrize("by", [0.035, 0.9])
def test_methods_combine_on_one_floor(combine, by: float) -> None:  # type: ignore[no-untyped-def]
    walk, jog = mw.sample("walk"), mw.sample("jog")
    plain, raised = combine(walk, jog), combine(walk, _raised(jog, by))
    assert np.abs(plain.root - raised.root).max() < 1e-3


def test_nothing_without_feet_is_moved() -> None:
    skeleton = mw.Skeleton(("a", "b"), [-1, 0], [[0.0, 0, 0], [0, 1, 0]])
    turns = np.tile([0.0, 0, 0, 1.0], (4, 2, 1))
    rods = [mw.Motion(skeleton, 30.0, np.full((4, 3), x), turns) for x in (0.0, 0.03)]
    assert on_one_floor(rods)[1] is rods[1]
