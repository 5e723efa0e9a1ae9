"""Splines: ends and tangents met, the length asked for reached, whatever the data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionweave.errors import BlendError
from motionweave.methods.subspace import bezier

seeds = st.integers(0, 2**32 - 1)
degrees = st.sampled_from(bezier.DEGREES)


def ends(seed: int, dimensions: int = 4) -> tuple[np.ndarray, ...]:
    """Start, end, leaving, entering."""
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=(4, dimensions)))


def de_casteljau(control: np.ndarray, u: float) -> np.ndarray:
    while len(control) > 1:
        control = (1 - u) * control[:-1] + u * control[1:]
    return control[0]


@given(seeds, degrees)
def test_points_are_those_of_repeated_halving(seed: int, degree: int) -> None:
    rng = np.random.default_rng(seed)
    control = rng.normal(size=(degree + 1, 3))
    u = rng.uniform(size=5)
    expected = [de_casteljau(control, each) for each in u]
    np.testing.assert_allclose(bezier.evaluate(control, u), expected, atol=1e-12)
    step = 1e-6
    numeric = (bezier.evaluate(control, u + step) - bezier.evaluate(control, u - step)) / (2 * step)
    np.testing.assert_allclose(bezier.derivative(control, u), numeric, atol=1e-6)


def test_length_of_a_known_curve() -> None:
    # y = x^2 from 0 to 1 is the quadratic with these control points.
    control = np.array([[0.0, 0.0], [0.5, 0.0], [1.0, 1.0]])
    expected = 0.5 * np.sqrt(5.0) + 0.25 * np.arcsinh(2.0)
    assert bezier.arc_length(control) == pytest.approx(expected, rel=2e-6)


@given(seeds, degrees)
def test_points_by_arc_are_evenly_spaced(seed: int, degree: int) -> None:
    control = np.random.default_rng(seed).normal(size=(degree + 1, 3))
    total = bezier.arc_length(control)
    points = bezier.at_arc(control, np.linspace(0.0, total, 2001))
    np.testing.assert_array_equal(points[[0, -1]], control[[0, -1]])
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    # Chords are a little shorter than arcs where the curve bends sharply.
    assert np.median(np.abs(steps * 2000 / total - 1.0)) < 1e-3
    assert steps.max() < total / 2000 * 1.01


@given(seeds, degrees, st.floats(0.05, 5.0), st.floats(-1.0, 1.0))
def test_ends_and_tangents_are_met(seed: int, degree: int, reach: float, bias: float) -> None:
    start, end, leaving, entering = ends(seed)
    control = bezier.family(start, end, leaving, entering, degree, bias=bias).spline(reach)
    np.testing.assert_array_equal(control[[0, -1]], [start, end])
    if degree == 2:
        return
    slopes = bezier.derivative(control, [0.0, 1.0])
    for slope, tangent in zip(slopes, (leaving, entering), strict=True):
        along = slope @ tangent / np.linalg.norm(slope) / np.linalg.norm(tangent)
        assert along == pytest.approx(1.0, abs=1e-12)


def test_the_quadratic_is_the_nearest_to_both_tangents() -> None:
    start, end, leaving, entering = ends(3)
    middle = bezier.family(start, end, leaving, entering, 2).spline(1.0)[1]

    def misfit(point: np.ndarray) -> float:
        return float(
            np.sum((2 * (point - start) - leaving) ** 2)
            + np.sum((2 * (end - point) - entering) ** 2)
        )

    rng = np.random.default_rng(0)
    for _ in range(50):
        assert misfit(middle) <= misfit(middle + 0.01 * rng.normal(size=4))


@given(seeds, degrees, st.floats(1.01, 20.0), st.floats(-1.0, 1.0))
def test_any_length_from_the_straight_line_on_is_reached(
    seed: int, degree: int, times: float, bias: float
) -> None:
    joint = ends(seed)
    length = times * float(np.linalg.norm(joint[1] - joint[0]))
    splines = bezier.family(*joint, degree, bias=bias)
    control = splines.spline(splines.reach(length))
    assert bezier.arc_length(control) == pytest.approx(length, rel=1e-6)


@given(seeds, degrees)
def test_length_grows_with_reach(seed: int, degree: int) -> None:
    joint = ends(seed)
    lengths = [
        bezier.arc_length(bezier.family(*joint, degree).spline(reach))
        for reach in np.linspace(0.0, 6.0, 25)
    ]
    assert lengths[0] == pytest.approx(np.linalg.norm(joint[1] - joint[0]), rel=1e-6)
    assert np.all(np.diff(lengths) > -1e-9)


def test_a_length_shorter_than_the_straight_line_gives_the_straight_line() -> None:
    joint = ends(5)
    splines = bezier.family(*joint, 4)
    assert splines.shortest == pytest.approx(np.linalg.norm(joint[1] - joint[0]))
    assert splines.reach(0.5 * splines.shortest) == 0.0


@pytest.mark.parametrize("degree", bezier.DEGREES)
@pytest.mark.parametrize("case", ["still", "parallel", "one point"])
def test_tangents_that_vanish_or_cancel_still_allow_any_length(degree: int, case: str) -> None:
    start, end = np.array([0.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0])
    tangent = np.array([1.0, 0.0, 0.0]) if case == "parallel" else np.zeros(3)
    if case == "one point":
        end = start
    aside = np.array([0.0, 0.3, 0.0])
    splines = bezier.family(start, end, tangent, tangent, degree, aside=aside)
    control = splines.spline(splines.reach(3.0))
    assert bezier.arc_length(control) == pytest.approx(3.0, rel=1e-6)


def test_bias_moves_the_spline_to_one_side() -> None:
    start, end, leaving, entering = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    through, before = (
        bezier.evaluate(
            bezier.family(start, end, leaving, entering, 4, bias=bias).spline(1.0), [0.5]
        )
        for bias in (-1, 1)
    )
    # Leaving upwards and entering upwards: follow-through rises, anticipation sinks.
    assert through[0, 1] > 0.1
    assert before[0, 1] < -0.1


@pytest.mark.parametrize("degree", [0, 1, 7])
def test_other_degrees_are_refused(degree: int) -> None:
    with pytest.raises(BlendError, match="expected 2, 3, 4, 5 or 6"):
        bezier.family(*ends(0), degree)


def test_a_bias_beyond_one_is_refused() -> None:
    with pytest.raises(BlendError, match="from -1 to 1"):
        bezier.family(*ends(0), 3, bias=1.5)


@given(seeds, degrees)
def test_the_spline_nearest_to_points_of_a_spline_is_that_spline(seed: int, degree: int) -> None:
    control = np.random.default_rng(seed).normal(size=(degree + 1, 3))
    path = bezier.evaluate(control, np.linspace(0.0, 1.0, 12))
    np.testing.assert_allclose(bezier.fitted(path, degree), control, atol=1e-8)
