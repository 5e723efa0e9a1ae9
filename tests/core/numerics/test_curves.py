"""Eases and cubics: what they promise at their ends, and SciPy's cubic as the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

from motionweave.core.numerics.curves import hermite, smootherstep, smoothstep


@pytest.mark.parametrize(("curve", "flat"), [(smoothstep, 1), (smootherstep, 2)])
def test_eases_run_from_0_to_1_and_are_flat_at_both_ends(curve, flat: int) -> None:
    assert np.array_equal(curve([-1.0, 0.0, 1.0, 2.0]), [0.0, 0.0, 1.0, 1.0])
    inside = np.linspace(0.0, 1.0, 1001)
    assert np.all(np.diff(curve(inside)) > 0.0)
    assert np.allclose(curve(inside) + curve(1.0 - inside), 1.0)
    near = 1e-3
    # With `flat` derivatives zero at the end, the curve leaves it with the next power.
    assert curve(near) == pytest.approx(0.0, abs=11.0 * near ** (flat + 1))


def test_cubics_are_those_of_scipy() -> None:
    random = np.random.default_rng(0)
    times = np.cumsum(random.uniform(0.2, 2.0, 7))
    values, slopes = random.normal(size=(2, 7, 3))
    at = np.linspace(times[0], times[-1], 200)
    assert np.allclose(
        hermite(times, values, slopes, at), CubicHermiteSpline(times, values, slopes)(at)
    )
    assert np.array_equal(hermite(times, values, slopes, times), values)
    outside = hermite(times, values, slopes, [times[0] - 1.0, times[-1] + 1.0])
    assert np.array_equal(outside, values[[0, -1]])
