"""The body gives way: as little as it can, smoothly, and far enough."""

from __future__ import annotations

import numpy as np

from motionweave.contacts.clean.reach import Pull, smooth_shift


def pull(leg: np.ndarray, most: float = 1.0, lock: float = 0.0, grip: float = 1.0) -> Pull:
    count = len(leg)
    own = np.minimum(np.linalg.norm(leg, axis=-1), most)
    ones = np.ones(count)
    return Pull(leg, own, most * ones, lock * ones, 0.0 * ones, grip * ones)


def legs(rise: np.ndarray) -> np.ndarray:
    return np.stack([0.1 + 0.0 * rise, 0.95 + rise, 0.2 + 0.0 * rise], axis=-1)


def test_legs_that_reach_leave_the_body_alone() -> None:
    leg = legs(np.zeros(50))
    shift = smooth_shift([pull(leg)], np.ones(50, dtype=bool), 5.0)
    assert np.all(shift == 0.0)


def test_a_leg_too_short_is_brought_into_reach_by_lowering() -> None:
    frames = np.arange(300)
    leg = legs(0.05 * np.exp(-(((frames - 150) / 8.0) ** 2)))
    free = np.zeros(300, dtype=bool)
    free[60:240] = True
    shift = smooth_shift([pull(leg)], free, 6.0)
    reached = np.linalg.norm(leg + shift, axis=-1)
    assert reached.max() < 1.0 + 1e-4
    assert np.all(shift[~free] == 0.0)
    assert np.all(shift[:, 1] <= 1e-9)
    assert np.abs(shift[:, [0, 2]]).max() < 0.05 * np.abs(shift[:, 1]).max()
    # No more than is needed: at its deepest the leg is fully used.
    needed = np.linalg.norm(leg, axis=-1).max() - 1.0
    assert needed < np.abs(shift[:, 1]).max() < 1.3 * needed
    # Smooth, also where the free frames begin and end.
    assert np.abs(np.diff(shift[:, 1], 2)).max() < 0.05 * np.abs(shift[:, 1]).max()
    assert np.abs(shift[[61, 238], 1]).max() < 1e-4


def test_two_legs_that_need_different_things_both_reach() -> None:
    leg = legs(np.full(60, 0.04))
    other = np.stack([-0.3 * np.ones(60), 0.93 * np.ones(60), 0.3 * np.ones(60)], axis=-1)
    shift = smooth_shift([pull(leg), pull(other)], np.ones(60, dtype=bool), 4.0)
    for one in (leg, other):
        assert np.linalg.norm(one + shift, axis=-1).max() < 1.0 + 1e-4


def test_a_straight_leg_takes_the_body_along() -> None:
    """Locked at full length, it is lifted and lowered together with its foot."""
    frames = np.arange(200)
    foot = 0.02 * np.sin(2.0 * np.pi * frames / 60.0)
    leg = np.stack([0.0 * foot, 1.0 - foot, 0.0 * foot], axis=-1)
    ones = np.ones(200)
    locked = Pull(leg, ones, ones, 0.1 * ones, 0.0 * ones, ones)
    shift = smooth_shift([locked], np.ones(200, dtype=bool), 3.0)
    np.testing.assert_allclose(shift[:, 1], foot, atol=0.1 * 0.02)


def test_a_foot_that_goes_along_needs_no_shift() -> None:
    leg = legs(np.full(50, 0.1))
    shift = smooth_shift([pull(leg, grip=0.0)], np.ones(50, dtype=bool), 5.0)
    assert np.all(shift == 0.0)
