"""Eq. 5 holds on every timewarp curve, whatever it is fitted to, and the ends stay put."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from motionweave import RegistrationError
from motionweave.core.numerics.splines import QuadraticSpline
from motionweave.registration import timewarp
from motionweave.registration.timewarp import TimewarpCurve, fit_timewarp, increasing, project


def holds(control: np.ndarray, base: int, epsilon: float) -> bool:
    """Eq. 5 as printed, for every pair of control points."""
    steps = np.diff(control, axis=0)
    if np.any(steps <= 0.0):
        return False
    ratio = steps / steps[:, [base]]
    return bool(np.all(ratio >= epsilon - 1e-7) and np.all(ratio <= 1.0 / epsilon + 1e-5))


def ends(control: np.ndarray) -> np.ndarray:
    return 0.5 * np.array([control[0] + control[1], control[-2] + control[-1]])


@st.composite
def adversarial(draw: st.DrawFn) -> np.ndarray:
    """Control points of every kind of misbehaviour between ends that can be kept."""
    clips, count = draw(st.integers(2, 5)), draw(st.integers(3, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    straight = (np.arange(count) - 0.5)[:, None] / (count - 2) * rng.uniform(1.0, 4.0, clips)
    kind = draw(st.sampled_from(["noise", "reversed", "jump", "flat", "spike", "stairs", "fine"]))
    control = np.array(straight)
    if kind == "noise":
        control += rng.normal(scale=draw(st.sampled_from([0.1, 1.0, 100.0])), size=control.shape)
    elif kind == "reversed":
        control[1:-1, 0] = control[1:-1, 0][::-1]
    elif kind == "jump":
        control[count // 2 :, 0] = control[-1, 0]
        control[: count // 2, 0] = control[0, 0]
    elif kind == "flat":
        control[:, rng.integers(clips)] = 1.0
    elif kind == "spike":
        control[rng.integers(1, count - 1)] += rng.normal(scale=50.0, size=clips)
    elif kind == "stairs":
        control = np.floor(4.0 * control) / 4.0
    # The ends themselves must be possible: each clip gets on, none 10 times as fast.
    control[0] = 2.0 * ends(straight)[0] - control[1]
    control[-1] = 2.0 * ends(straight)[1] - control[-2]
    return control


@given(adversarial(), st.sampled_from([0.02, 0.1]))
def test_adjusted_control_points_satisfy_the_bounds(control: np.ndarray, epsilon: float) -> None:
    adjusted, base = increasing(control, epsilon)
    assert holds(adjusted, base, epsilon)
    scale = np.abs(control).max()
    np.testing.assert_allclose(ends(adjusted), ends(control), atol=1e-12 * scale)
    if any(holds(control, b, epsilon) for b in range(control.shape[1])):
        np.testing.assert_array_equal(adjusted, control)


@given(adversarial(), st.sampled_from([0.02, 0.1]))
def test_closed_curves_stay_closed(control: np.ndarray, epsilon: float) -> None:
    control = np.array(control)
    whole = ends(control)[1] - ends(control)[0]
    control[-2:] = control[:2] + whole
    if len(control) < 5:
        return
    adjusted, base = increasing(control, epsilon, closed=True)
    assert holds(adjusted, base, epsilon)
    scale = np.abs(control).max()
    np.testing.assert_allclose(adjusted[-2:] - adjusted[:2], [whole, whole], atol=1e-11 * scale)
    np.testing.assert_allclose(ends(adjusted)[0], ends(control)[0], atol=1e-12 * scale)


def test_projection_is_the_nearest_point_that_satisfies_the_bounds() -> None:
    rng = np.random.default_rng(4)
    control = np.cumsum(rng.uniform(-0.3, 1.0, size=(8, 2)), axis=0)
    epsilon, base = 0.1, 1
    projected = project(control, base, epsilon)
    steps = lambda p: np.diff(p.reshape(8, 2), axis=0)  # noqa: E731
    best = minimize(
        lambda p: np.sum((p - control.ravel()) ** 2),
        projected.ravel(),
        constraints=[
            {"type": "ineq", "fun": lambda p: steps(p)[:, 0] - epsilon * steps(p)[:, 1]},
            {"type": "ineq", "fun": lambda p: steps(p)[:, 1] - epsilon * steps(p)[:, 0]},
            {"type": "eq", "fun": lambda p: (ends(p.reshape(8, 2)) - ends(control)).ravel()},
        ],
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert holds(projected, base, epsilon)
    assert np.sum((projected - control) ** 2) <= best.fun + 1e-6


def test_appendix_a_splits_the_change_between_two_points() -> None:
    # The second pair runs backwards in the second clip; the pair before has room to give.
    control = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 1.9], [3.0, 3.9]])
    adjusted = timewarp.appendix_a(control, 0, 0.1)
    assert holds(adjusted, 0, 0.1)
    # λ = 1/2: both points move by the same amount, in opposite directions.
    np.testing.assert_allclose(adjusted[1] - control[1], control[2] - adjusted[2])
    assert np.abs(adjusted - control).max() < 0.2


@given(
    st.integers(2, 4),
    st.integers(2, 60),
    st.sampled_from(["any", "stairs", "same", "one moves"]),
    st.booleans(),
    st.integers(0, 2**16),
)
def test_curves_through_correspondences_increase_strictly(
    clips: int, count: int, kind: str, cyclic: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    steps = rng.uniform(0.0, 0.1, size=(count - 1, clips))
    if kind == "stairs":
        steps = rng.integers(0, 2, size=(count - 1, clips)) / 30.0
    elif kind == "same":
        steps[:] = 1 / 30.0
    elif kind == "one moves":
        steps[:, 1:] = 0.0
    steps[0] += 0.05  # Each clip gets on at all.
    steps[-1] += 0.05
    times = np.concatenate([np.zeros((1, clips)), np.cumsum(steps, axis=0)])
    total = times[-1]
    if total.max() / total.min() > 9.0:
        return
    u = times.mean(axis=1)
    spline, base = fit_timewarp(u, times, cyclic=cyclic, epsilon=0.1)
    fps = rng.uniform(10.0, 200.0, clips)
    curve = TimewarpCurve(
        QuadraticSpline(spline.control * fps, spline.start, spline.end), fps, base, 0.1
    )
    np.testing.assert_allclose(spline(spline.start), times[0], atol=1e-12)
    np.testing.assert_allclose(spline.control[-2:].mean(axis=0), times[-1], atol=1e-9 * total.max())
    at = np.linspace(curve.start, curve.end, 300)
    assert np.all(np.diff(curve.frames(at), axis=0) > 0.0)
    assert np.all(curve.derivative(at) > 0.0)
    for clip in range(clips):
        frames = curve.frames(at)[:, clip]
        np.testing.assert_allclose(curve.parameter(clip, frames), at, atol=1e-7)


def test_a_curve_that_stands_still_is_refused() -> None:
    still = QuadraticSpline(np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), 0.0, 1.0)
    with pytest.raises(RegistrationError, match="must increase"):
        TimewarpCurve(still, np.ones(2), 0, 0.1)


def test_ends_that_no_curve_can_meet_are_refused() -> None:
    control = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    with pytest.raises(RegistrationError, match="lengths differ"):
        increasing(control, 0.1)
