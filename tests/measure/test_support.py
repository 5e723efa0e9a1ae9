"""How far the supporting foot slides."""

from __future__ import annotations

import numpy as np
import pytest

from motionweave.measure.support import floor_along, support_slides


def test_the_slowest_point_on_the_floor_carries() -> None:
    """One foot stands while the other swings by; then both are dragged."""
    heights = np.zeros((2, 61))
    heights[1, :30] = 0.3
    steps = np.zeros((2, 60))
    steps[1, :30] = 0.1
    steps[0, 30:], steps[1, 30:] = 0.02, 0.01
    slides = support_slides(heights, steps, 30.0, 0.0)
    assert slides[0] == 0.0
    assert slides[-1] == pytest.approx(15 * 0.01)
    assert np.all(np.diff(slides) >= 0.0)


def test_nothing_slides_in_flight() -> None:
    heights = np.full((2, 40), 0.5)
    heights[:, :10] = 0.0
    steps = np.full((2, 39), 0.1)
    steps[:, :10] = 0.0
    assert support_slides(heights, steps, 30.0, 0.0).max() == 0.0


def test_a_short_motion_is_measured_as_a_whole() -> None:
    steps = np.full((1, 4), 0.01)
    assert support_slides(np.zeros((1, 5)), steps, 120.0, 0.0) == pytest.approx([0.04])


def test_the_floor_under_joined_clips_is_that_of_the_clip_shown() -> None:
    floor = floor_along([0.0, 0.1, 0.4], [(2, 4), (6, 6)], 10)
    assert floor == pytest.approx([0.0, 0.0, 0.0, 0.05, 0.1, 0.1, 0.1, 0.4, 0.4, 0.4])
