"""Planted points rest, a foot stays rigid, and nothing sinks or jumps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from motionweave.body.floor import Floor
from motionweave.contacts.clean.footing import Footing, find_footing, settled
from motionweave.contacts.clean.shaking import steadied

FLOOR = Floor(0.0)
FOOT = 0.14


def sliding(fps: float, speed: float, turn: float = 0.0, seconds: float = 2.0) -> np.ndarray:
    """Heel and toe ``(2, T, 3)`` that slide over the floor and turn on it, in legs and seconds."""
    time = np.arange(round(seconds * fps) + 1) / fps
    heel = np.stack([speed * time, 0.0 * time, 0.0 * time], axis=-1)
    angle = turn * time
    toe = heel + FOOT * np.stack([np.sin(angle), 0.0 * time, np.cos(angle)], axis=-1)
    return np.stack([heel, toe])


def held(fps: float, count: int, *spans: tuple[float, float]) -> np.ndarray:
    """How much each point rests ``(points, T)`` that is planted from second to second."""
    time = np.arange(count) / fps
    return np.stack([settled((time >= a) & (time <= b), fps) for a, b in spans])


def footing_of(foot: np.ndarray, resting: np.ndarray, *arguments: Any) -> Footing:
    """The footing of a foot that is found together with another one, which stays."""
    both = np.stack([foot, 0.0 * foot + [0.0, 1.0, 0.0]])
    rests = np.stack([resting, 0.0 * resting])
    found = find_footing(both, rests, np.zeros(rests.shape), *arguments)
    assert np.all(found.shifts[1] == 0.0)
    return Footing(*(values[0] for values in found))


def way(points: np.ndarray, span: tuple[float, float], fps: float) -> float:
    first, last = (round(second * fps) for second in span)
    return float(np.abs(np.diff(points[first : last + 1, [0, 2]], axis=0)).max() * fps)


@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_planted_points_rest(fps: float) -> None:
    foot = sliding(fps, 0.2)
    spans = ((0.5, 1.2), (0.6, 1.4))
    resting = held(fps, foot.shape[1], *spans)
    footing = footing_of(foot, resting, FLOOR, 1.0, fps, 0.2)
    moved = foot + footing.shifts
    for point, span in enumerate(spans):
        assert way(moved[point], span, fps) < 0.01 * 0.2
    # Far from the plants nothing has changed at all.
    assert np.all(footing.shifts[:, : round(0.25 * fps)] == 0.0)


def test_goals_that_do_not_fit_one_foot_cannot_arise() -> None:
    """A foot that slides and turns while heel and toe are planted keeps its length."""
    fps = 60.0
    foot = sliding(fps, 0.15, turn=0.3)
    resting = held(fps, foot.shape[1], (0.3, 1.7), (0.3, 1.7))
    footing = footing_of(foot, resting, FLOOR, 1.0, fps, 0.2)
    length = np.linalg.norm(np.diff(foot + footing.shifts, axis=0)[0], axis=-1)
    np.testing.assert_allclose(length, FOOT, atol=0.03 * FOOT)
    # Nothing switches: corrections bend as they must to be there within their ease.
    bends = np.abs(np.diff(footing.shifts, n=2, axis=1)).max() * fps**2
    assert bends < 8.0 * np.abs(footing.shifts).max() / 0.2**2


def test_a_foot_that_steps_over_its_heel_is_not_turned_away() -> None:
    """Heel and toe take turns: the foot turns on its toe, then its heel slides while the toe is in
    the air. Heel and toe still fit one foot, which points where it did."""
    fps = 30.0
    time = np.arange(round(4.0 * fps) + 1) / fps
    angle = np.interp(time, [0.6, 0.8], [0.7, 0.0])
    slid = np.interp(time, [1.5, 1.63], [0.0, 1.0])[:, None] * [-0.07, 0.0, -0.03]
    ahead = np.stack([np.sin(angle), 0.0 * time, np.cos(angle)], axis=-1)
    toe = slid + np.array([0.0, 0.0, FOOT])
    foot = np.stack([toe - FOOT * ahead, toe])
    resting = np.stack(
        [
            np.maximum(*held(fps, len(time), (0.0, 0.6), (0.8, 2.9))),
            np.maximum(*held(fps, len(time), (0.17, 1.5), (1.63, 2.9))),
        ]
    )
    footing = footing_of(foot, resting, FLOOR, 1.0, fps, 0.2)
    found = np.diff(foot + footing.shifts, axis=0)[0]
    length = np.linalg.norm(found, axis=-1)
    np.testing.assert_allclose(length, FOOT, atol=0.05 * FOOT)
    cosine = np.einsum("ti,ti->t", found, ahead) / length
    assert np.degrees(np.arccos(cosine.min())) < 6.0


def test_corrections_do_not_depend_on_the_frame_rate() -> None:
    found = []
    for fps in (30.0, 240.0):
        foot = sliding(fps, 0.2)
        resting = held(fps, foot.shape[1], (0.5, 1.2), (0.7, 1.4))
        shifts = footing_of(foot, resting, FLOOR, 1.0, fps, 0.2).shifts
        found.append(shifts[:, :: round(fps / 30.0)])
    # The correction is up to 7 cm of a one metre leg.
    assert np.abs(found[0]).max() > 0.05
    np.testing.assert_allclose(found[0], found[1], atol=0.008)


def test_a_swinging_foot_is_kept_out_of_the_floor() -> None:
    fps = 60.0
    foot = sliding(fps, 1.0)
    time = np.arange(foot.shape[1]) / fps
    foot[..., 1] = 0.1 - 0.14 * np.exp(-(((time - 1.0) / 0.2) ** 2))
    footing = footing_of(foot, np.zeros(foot.shape[:2]), FLOOR, 1.0, fps, 0.2)
    assert foot[..., 1].min() < -0.035
    assert (foot + footing.shifts)[..., 1].min() > -0.006


def test_a_foot_that_rests_already_stays() -> None:
    foot = sliding(60.0, 0.0)
    resting = held(60.0, foot.shape[1], (0.5, 1.2), (0.5, 1.2))
    footing = footing_of(foot, resting, FLOOR, 1.0, 60.0, 0.2)
    assert np.abs(footing.shifts).max() < 1e-12


def test_a_plant_too_far_away_is_left_behind() -> None:
    foot = sliding(60.0, 2.0)
    resting = held(60.0, foot.shape[1], (0.2, 1.8), (0.2, 1.8))
    footing = footing_of(foot, resting, FLOOR, 1.0, 60.0, 0.2)
    assert np.linalg.norm(footing.shifts, axis=-1).max() <= 0.3 + 1e-9


def test_shaking_is_taken_out_at_right_angles_to_the_leg() -> None:
    """A planted foot that shakes gets steady without the leg getting longer or shorter."""
    fps, rng = 120.0, np.random.default_rng(4)
    foot = sliding(fps, 0.0)
    noise = rng.normal(scale=0.002, size=(foot.shape[1], 3)) * [1.0, 0.0, 1.0]
    ankle = foot[0] + noise + [0.0, 0.07, 0.0]
    shaking = foot + noise
    hip = np.array([0.2, 0.95, 0.1]) + 0.0 * ankle
    planted = np.ones((2, foot.shape[1]), dtype=bool)
    steady = steadied(
        shaking[None], ankle[None], hip[None], planted[None], planted[None].astype(float), fps
    )
    moved = steady.moved(shaking[None], ankle[None])[0]
    before = np.abs(np.diff(shaking[:, :, [0, 2]], axis=1)).mean()
    assert np.abs(np.diff(moved[:, :, [0, 2]], axis=1)).mean() < 0.15 * before
    leg = hip - ankle
    leg /= np.linalg.norm(leg, axis=-1)[:, None]
    assert np.abs(np.sum(steady.shift[0] * leg, axis=-1)).max() < 1e-12


@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_a_foot_goes_over_from_heel_to_toe_without_a_jump(fps: float) -> None:
    """A heel that lands a frame after the toe, or leaves first, must not decide all at once."""
    count = round(2.0 * fps)
    foot = sliding(fps, 0.0, seconds=2.0)[:, :count]
    planted = np.zeros((2, count), dtype=bool)
    planted[1, round(0.5 * fps) : round(1.5 * fps)] = True
    planted[0, round(0.5 * fps) + 1 : round(1.1 * fps)] = True
    lean = footing_of(foot, settled(planted, fps), FLOOR, 1.0, fps, 0.2).lean
    assert np.all((lean >= 0.0) & (lean <= 1.0))
    assert np.all(lean[round(1.1 * fps) : round(1.5 * fps)] == 1.0)
    assert lean[round(0.8 * fps)] == pytest.approx(0.5)
    # While the heel leaves, over a tenth of a second at any frame rate.
    leaving = lean[round(0.9 * fps) : round(1.2 * fps)]
    assert np.abs(np.diff(leaving)).max() < 25.0 / fps
