"""Still stretches of all points at once are those found one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from motionweave.contacts import stillness
from motionweave.contacts.stillness import RATE, PointTrack, StillStretch, limits, still_stretches
from motionweave.core.arrays import Array
from motionweave.core.intervals import runs


def _plainly(track: PointTrack) -> list[StillStretch]:
    """Stretch by stretch, as it is said in words."""
    plants = []
    certain = track.speed < stillness._STILL * track.limit
    last_tick = len(track.speed) - 1
    for first, last in runs(track.speed < track.limit):
        heights = track.points[first : last + 1, 1]
        core = certain[first : last + 1]
        if not core.any():
            continue
        for a, b in runs(heights - np.median(heights[core]) < stillness._LIFTED):
            a, b = first + a, first + b
            at_edge = a == 0 or b == last_tick
            shortest = stillness._SHORTEST_AT_EDGE if at_edge else stillness._SHORTEST
            inside = a + np.flatnonzero(certain[a : b + 1])
            if (b - a) / RATE < shortest or len(inside) == 0:
                continue
            place = np.median(track.points[inside], axis=0)
            usual = np.quantile(track.speed[inside], stillness._USUAL)
            shake = np.median(np.abs(track.points[inside, 1] - place[1]))
            swing = max(stillness._SWINGING * usual, stillness._SWING)
            leave = max(stillness._LEAVING * usual, stillness._REST)
            lift = np.clip(4.0 * shake, *stillness._LIFTING)
            too_fast = track.speed / np.minimum(swing, track.limit) - 1.0
            moving = track.speed / np.minimum(leave, track.limit) - 1.0
            lifted = (track.points[:, 1] - place[1]) / lift - 1.0
            times = *_ends(too_fast, a, b), *_ends(np.maximum(moving, lifted), a, b)
            plants.append(StillStretch(track.kind, *times, place))
    return plants


def _ends(excess: Array, a: int, b: int) -> tuple[float, float]:
    quiet = a + np.flatnonzero(excess[a : b + 1] < 0.0)
    if len(quiet) == 0:
        return a, b
    ends = []
    for tick, step in ((quiet[0], -1), (quiet[-1], 1)):
        beside = tick + step
        passes = 0 <= beside < len(excess) and excess[beside] > 0.0
        share = excess[tick] / (excess[tick] - excess[beside]) if passes else 0.0
        ends.append(float(tick + step * share))
    return ends[0], ends[1]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(2, 200))
def test_all_points_at_once_are_as_one_by_one(seed: int, tracks: int, ticks: int) -> None:
    rng = np.random.default_rng(seed)
    made = []
    for number in range(tracks):
        # Moves in fits and starts.
        pace = np.repeat(rng.choice([0.0, 0.002, 0.02], ticks // 10 + 1), 10)[:ticks]
        points = np.cumsum(pace[:, None] * rng.normal(size=(ticks, 3)), axis=0)
        speed = stillness.speeds(points)
        made.append(PointTrack(f"left_{number}", points, speed, limits(speed)))
    found, expected = still_stretches(made), [p for track in made for p in _plainly(track)]
    assert [plant.kind for plant in found] == [plant.kind for plant in expected]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one[1:5], other[1:5], atol=1e-9)
        np.testing.assert_allclose(one.place, other.place, atol=1e-12)
