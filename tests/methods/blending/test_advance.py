"""The pace along a timewarp curve, against the spline's own inverse and the limit (Eq. 6)."""

from __future__ import annotations

from typing import get_args

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from motionweave.core.numerics.splines import QuadraticSpline
from motionweave.methods.blending.advance import Pace, advance, next_places

seeds = st.integers(0, 2**32 - 1)


def increasing_spline(seed: int, clips: int, spans: int, cyclic: bool = False) -> QuadraticSpline:
    rng = np.random.default_rng(seed)
    steps = rng.uniform(0.2, 3.0, (spans + 1, clips))
    control = np.concatenate([np.zeros((1, clips)), np.cumsum(steps, axis=0)])
    period = None
    if cyclic:
        control = control[: spans + 2]
        period = control[spans] - control[0]
        control[spans + 1] = control[1] + period
    return QuadraticSpline(control, 0.0, float(spans), period)


paces = st.sampled_from(get_args(Pace))


@given(seeds, st.integers(1, 4), st.integers(2, 9), st.floats(0.05, 2.5), st.booleans(), paces)
def test_a_single_motion_plays_at_its_own_pace(
    seed: int, clips: int, spans: int, step: float, cyclic: bool, pace: str
) -> None:
    spline = increasing_spline(seed, clips, spans, cyclic)
    count = 40 if cyclic else int((spline(spans)[0] - spline(0.0)[0]) / step)
    shares = np.zeros((max(count, 1), clips))
    shares[:, 0] = 1.0
    u = advance(spline.control, 0.0, np.full(clips, step), shares, cyclic, pace)
    played = spline(u)[:, 0] - spline(0.0)[0]
    np.testing.assert_allclose(played, step * np.arange(len(u)), atol=1e-9)


@given(seeds, st.booleans())
def test_backwards_undoes_forwards_for_a_single_motion(seed: int, cyclic: bool) -> None:
    spline = increasing_spline(seed, 2, 8, cyclic)
    shares = np.tile([0.0, 1.0], (5, 1))
    ahead = advance(spline.control, 1.3, np.array([0.3, 0.4]), shares, cyclic)
    back = advance(spline.control, ahead[-1], np.array([-0.3, -0.4]), shares, cyclic)
    np.testing.assert_allclose(back[::-1], ahead, atol=1e-9)


@given(seeds)
def test_small_steps_solve_the_differential_equations(seed: int) -> None:
    """du/dt = sum_j w_j du/dS_j (Eq. 6), and dt/du = sum_j w_j dS_j/du, by fine Euler steps."""
    spline = increasing_spline(seed, 3, 6)
    weights = np.random.default_rng(seed).dirichlet(np.ones(3))
    dt, count = 1e-3, 800
    for pace in get_args(Pace):
        rows = np.tile(weights, (count, 1))
        u = advance(spline.control, 0.5, np.full(3, dt), rows, False, pace)
        euler = 0.5
        for _ in range(count - 1):
            slope = spline.derivative(np.array(euler))
            rate = weights @ (1.0 / slope) if pace == "rates" else 1.0 / (weights @ slope)
            euler += dt * float(rate)
        assert abs(u[-1] - euler) < 2e-3


@given(seeds, st.floats(0.05, 0.5))
def test_by_durations_no_motion_runs_faster_than_one_over_its_weight(
    seed: int, step: float
) -> None:
    spline = increasing_spline(seed, 3, 7, cyclic=True)
    weights = np.random.default_rng(seed).dirichlet(np.ones(3))
    rows = np.tile(weights, (60, 1))
    u = advance(spline.control, 0.0, np.full(3, step), rows, True)
    played = np.diff(spline(u), axis=0)
    np.testing.assert_allclose(played @ weights, step, atol=1e-9)
    assert np.all(played <= step / weights + 1e-9)


@given(seeds, st.booleans(), st.booleans(), st.floats(-2.0, 9.0))
def test_shares_that_never_change_lead_to_the_same_places_step_by_step(
    seed: int, cyclic: bool, backwards: bool, start: float
) -> None:
    rng = np.random.default_rng(seed)
    spline = increasing_spline(seed, 3, 7, cyclic)
    steps = rng.uniform(0.1, 2.0, 3) * (-1.0 if backwards else 1.0)
    shares = np.tile(rng.dirichlet(np.ones(3)), (30, 1))
    one_by_one = np.empty(30)
    next_places(np.array(spline.control), start, steps, shares, False, cyclic, one_by_one)
    u = advance(spline.control, start, steps, shares, cyclic)
    assert u[0] == start
    np.testing.assert_allclose(u[1:], one_by_one[:-1], rtol=1e-9, atol=1e-9)


@given(seeds, st.booleans(), paces)
def test_convex_weights_always_move_on(seed: int, cyclic: bool, pace: str) -> None:
    rng = np.random.default_rng(seed)
    spline = increasing_spline(seed, 4, 7, cyclic)
    rows = rng.dirichlet(np.ones(4), 30)
    u = advance(spline.control, 0.0, np.full(4, 0.2), rows, cyclic, pace)
    assert np.all(np.diff(u) > 0.0)
