"""Clips whose floors are a little apart are combined on one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import motionweave as mw
from motionweave.contacts.floors import on_one_floor


def _raised(motion: mw.Motion, by: float) -> mw.Motion:
    return replace(motion, root=motion.root + np.array([0.0, by, 0.0]))


@pytest.mark.parametrize("by", [-0.04, 0.03, 0.045])
def test_floors_a_little_apart_become_one(by: float) -> None:
    walk, jog = mw.sample("walk"), mw.sample("jog")
    first, second = on_one_floor([walk, _raised(jog, by)])
    assert first is walk
    assert mw.estimate_floor(second).height == pytest.approx(
        mw.estimate_floor(walk).height, abs=1e-6
    )


@pytest.mark.parametrize("by", [0.0, 0.005, 0.2, -0.5])
def test_the_same_floor_and_another_storey_are_left_alone(by: float) -> None:
    walk, jog = mw.sample("walk"), _raised(mw.sample("jog"), by)
    assert on_one_floor([walk, jog])[1] is jog


@pytest.mark.parametrize(
    "combine",
    [
        lambda a, b: mw.blend(mw.register(a, b), [0.0, 1.0], clean=False),
        lambda a, b: mw.transition(a, b, clean=False),
        lambda a, b: mw.join(a, b, clean=False),
    ],
)
def test_methods_combine_on_one_floor(combine) -> None:  # type: ignore[no-untyped-def]
    walk, jog = mw.sample("walk"), mw.sample("jog")
    plain, raised = combine(walk, jog), combine(walk, _raised(jog, 0.035))
    assert np.abs(plain.root - raised.root).max() < 1e-3


def test_nothing_without_feet_is_moved() -> None:
    skeleton = mw.Skeleton(("a", "b"), [-1, 0], [[0.0, 0, 0], [0, 1, 0]])
    turns = np.tile([0.0, 0, 0, 1.0], (4, 2, 1))
    rods = [mw.Motion(skeleton, 30.0, np.full((4, 3), x), turns) for x in (0.0, 0.03)]
    assert on_one_floor(rods)[1] is rods[1]
