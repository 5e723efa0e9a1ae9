"""Sampling in time against SciPy's slerp, where the series ends and where it begins."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from motionweave.core.kinematics import in_parts, sample_rotations
from tests.strategies import random_motion


@pytest.mark.parametrize("degrees", [1e-7, 0.01, 1.0, 10.0, 20.0, 22.8, 23.2, 45.0, 90.0, 170.0])
def test_slerp_is_exact_for_near_and_for_far_rotations(degrees: float) -> None:
    """A series stands in for the sine of small angles; with a term less, 22.8° would show it."""
    axis = np.array([0.36, 0.48, 0.8])
    ends = Rotation.from_rotvec(np.radians([0.0, degrees])[:, None] * axis)
    shares = np.linspace(0.0, 1.0, 21)
    found = sample_rotations(ends.as_quat()[:, None], shares)[:, 0]
    wanted = Slerp([0.0, 1.0], ends)(shares).as_quat()
    away = np.linalg.norm(found * np.sign(np.sum(found * wanted, axis=1))[:, None] - wanted, axis=1)
    assert away.max() < 5e-15


@pytest.mark.parametrize("frames", [1, 1023, 1024, 1025, 3000])
def test_parts_are_all_frames_in_order(frames: int) -> None:
    parts = list(in_parts(frames))
    assert [n for part in parts for n in range(frames)[part]] == list(range(frames))
    assert all(part.stop - part.start <= 1024 for part in parts)


def test_places_found_in_parts_are_those_of_the_whole_take() -> None:
    take = random_motion(np.random.default_rng(4), 2100, 6)
    np.testing.assert_array_equal(take.positions(), take.forward()[0])
