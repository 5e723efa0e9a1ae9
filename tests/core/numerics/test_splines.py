"""Uniform quadratic B-splines against SciPy, their inverse, and what a fit must keep."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import BSpline

from motionweave import MotionError
from motionweave.core.numerics import splines
from motionweave.core.numerics.splines import QuadraticSpline


def scipy_form(spline: QuadraticSpline) -> BSpline:
    step = (spline.end - spline.start) / spline.spans
    knots = spline.start + step * np.arange(-2, spline.spans + 3)
    return BSpline(knots, spline.control, 2)


@given(st.integers(1, 12), st.integers(1, 4), st.integers(0, 2**16))
def test_value_and_derivative_are_those_of_scipy(spans: int, dimensions: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    spline = QuadraticSpline(rng.normal(size=(spans + 2, dimensions)), -1.0, 3.0)
    u = rng.uniform(-1.0, 3.0, 50)
    oracle = scipy_form(spline)
    np.testing.assert_allclose(spline(u), oracle(u), atol=1e-12)
    np.testing.assert_allclose(spline.derivative(u), oracle.derivative()(u), atol=1e-10)


@given(st.integers(1, 12), st.integers(0, 2**16), st.floats(1e-6, 1.0))
def test_inverse_of_increasing_splines(spans: int, seed: int, flat: float) -> None:
    rng = np.random.default_rng(seed)
    # Steps of very different size, down to nearly none.
    steps = rng.choice([flat, 1.0], size=(spans + 1, 2)) * rng.uniform(0.5, 1.0, (spans + 1, 2))
    control = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    spline = QuadraticSpline(control, 0.0, 2.0)
    u = np.linspace(0.0, 2.0, 101)
    for dimension in range(2):
        value = spline(u)[:, dimension]
        again = spline(spline.inverse(dimension, value))[:, dimension]
        np.testing.assert_allclose(again, value, rtol=0, atol=1e-12 * value[-1])
        np.testing.assert_allclose(spline.inverse(dimension, value), u, atol=1e-7 / flat)
    assert spline.inverse(0, -100.0) == 0.0
    assert spline.inverse(0, 100.0) == pytest.approx(2.0, abs=1e-9)


def test_inverse_refuses_a_curve_that_turns_back() -> None:
    with pytest.raises(MotionError, match="does not increase"):
        QuadraticSpline(np.array([[0.0], [2.0], [1.0]]), 0.0, 1.0).inverse(0, 0.5)


@given(st.integers(1, 10), st.integers(0, 2**16))
def test_fit_gives_back_a_spline(spans: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = QuadraticSpline(rng.normal(size=(spans + 2, 3)) + 100.0, 2.0, 7.0)
    u = np.linspace(2.0, 7.0, 8 * spans + 5)
    found = splines.fit(u, truth(u), spans, start=2.0, end=7.0)
    np.testing.assert_allclose(found.control, truth.control, atol=1e-6)


@given(st.integers(1, 20), st.integers(2, 40), st.integers(0, 2**16))
def test_ends_are_met_whatever_the_samples(spans: int, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    u = np.sort(rng.uniform(0.0, 1.0, count))
    values = rng.normal(size=(count, 2))
    first, last = rng.normal(size=2), rng.normal(size=2)
    spline = splines.fit(u, values, spans, start=0.0, end=1.0, ends=(first, last))
    np.testing.assert_allclose(spline(0.0), first, atol=1e-12)
    np.testing.assert_allclose(spline(1.0), last, atol=1e-12)


def test_least_squares_is_least() -> None:
    rng = np.random.default_rng(5)
    u, values = np.sort(rng.uniform(0.0, 1.0, 60)), rng.normal(size=(60, 1))
    weights = rng.uniform(0.1, 2.0, 60)
    spline = splines.fit(u, values, 6, start=0.0, end=1.0, weights=weights)

    def cost(control: np.ndarray) -> float:
        return float(weights @ ((QuadraticSpline(control, 0.0, 1.0)(u) - values) ** 2).ravel())

    best = cost(spline.control)
    for _ in range(50):
        assert cost(spline.control + 1e-3 * rng.normal(size=spline.control.shape)) > best


def test_closed_splines_repeat_themselves() -> None:
    u = np.linspace(0.0, 2.0, 41)
    values = np.stack([3.0 * u + np.sin(np.pi * u), 2.0 * u], axis=1)
    spline = splines.fit(
        u, values, 8, start=0.0, end=2.0, ends=(values[0], values[-1]), period=[6.0, 4.0]
    )
    far = np.linspace(-6.0, 6.0, 301)
    np.testing.assert_allclose(spline(far + 2.0), spline(far) + np.array([6.0, 4.0]), atol=1e-12)
    np.testing.assert_allclose(spline.derivative(0.0), spline.derivative(2.0 - 1e-12), atol=1e-9)
    np.testing.assert_allclose(spline(0.0), values[0], atol=1e-12)
    np.testing.assert_allclose(spline.inverse(1, spline(far)[:, 1]), far, atol=1e-9)
