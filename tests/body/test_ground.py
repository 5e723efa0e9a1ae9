"""Ground that is given: heights at places, frames of reference, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import motionweave as mw

PLACES = np.array([[0.0, 0.0, 0.0], [1.0, 5.0, 0.4], [-2.0, 0.0, 3.1]])


def test_a_slope_rises_in_its_direction():
    ahead, left = mw.Ground.slope(10), mw.Ground.slope(10, direction=90)
    np.testing.assert_allclose(ahead.at(PLACES), np.tan(np.radians(10)) * PLACES[:, 2])
    np.testing.assert_allclose(left.at(PLACES), np.tan(np.radians(10)) * PLACES[:, 0], atol=1e-12)
    np.testing.assert_allclose(ahead.above(PLACES), PLACES[:, 1] - ahead.at(PLACES))


def test_stairs_begin_and_end():
    stairs = mw.Ground.stairs(0.2, 0.5, start=1.0, count=3)
    places = np.zeros((6, 3))
    places[:, 2] = [0.9, 1.1, 1.4, 1.6, 2.1, 50.0]
    np.testing.assert_allclose(stairs.at(places), [0.0, 0.2, 0.2, 0.4, 0.6, 0.6])


def test_a_profile_is_level_beyond_its_ends():
    ramp = mw.Ground.profile([(1.0, 0.0), (2.0, 0.5)])
    places = np.zeros((4, 3))
    places[:, 2] = [-3.0, 1.0, 1.5, 9.0]
    np.testing.assert_allclose(ramp.at(places), [0.0, 0.0, 0.25, 0.5])


@given(
    x=st.floats(-1.0, 4.0),
    z=st.floats(-1.0, 3.0),
    slope=st.tuples(st.floats(-1, 1), st.floats(-1, 1)),
)
def test_a_height_field_reproduces_planes(x, z, slope):
    columns, rows = np.meshgrid(np.arange(6), np.arange(5))
    grid = slope[0] * columns + slope[1] * rows
    field = mw.Ground.heights(grid, 0.5, origin=(-1.0, -1.0))
    inside = np.clip([(x + 1.0) / 0.5, (z + 1.0) / 0.5], 0.0, [5.0, 4.0])
    assert field.at([x, 0.0, z]) == pytest.approx(slope[0] * inside[0] + slope[1] * inside[1])


def test_body_axes_begin_where_the_body_stands():
    stairs = mw.Ground.stairs(0.2, 0.5, start=0.5, unit="leg")
    start = mw.Planar(np.pi / 2, 3.0, -1.0)  # facing +x
    placed = stairs.placed(start, 0.1, 0.9)
    assert placed.at([3.4, 0.0, 7.0]) == pytest.approx(0.1)
    assert placed.at([3.5, 0.0, 7.0]) == pytest.approx(0.1 + 0.2 * 0.9)
    world = mw.Ground(lambda x, z: x + z)
    assert world.placed(start, 0.1, 0.9).at([1.0, 0.0, 2.0]) == pytest.approx(3.0)


@pytest.mark.parametrize(
    "made",
    [
        mw.Ground.slope(8, direction=30),
        mw.Ground.stairs(0.2, 0.4, start=1.0, count=4, unit="leg"),
        mw.Ground.profile([(0, 0), (1, 0.1)], axes="world"),
        mw.Ground.heights([[0, 1], [2, 3]], 0.5, origin=(1, 2), unit="leg"),
    ],
)
def test_what_a_file_says_is_the_same_ground(made):
    again = mw.Ground.from_data(made.made_of)
    assert (again.axes, again.unit) == (made.axes, made.unit)
    np.testing.assert_array_equal(again.at(PLACES), made.at(PLACES))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mw.Ground(3), "expected a function"),
        (lambda: mw.Ground.slope(80), "slope"),
        (lambda: mw.Ground.stairs(0.2, 0.0), "run"),
        (lambda: mw.Ground.profile([(1, 0), (0, 0)]), "do not decrease"),
        (lambda: mw.Ground.profile([1, 2]), "pairs"),
        (lambda: mw.Ground.heights([1, 2, 3], 1.0), "two rows"),
        (lambda: mw.Ground.heights([[1, float("nan")], [0, 0]], 1.0), "finite"),
        (lambda: mw.Ground(lambda x, z: np.zeros(3)).at(np.zeros((2, 3))), "one height per place"),
        (lambda: mw.Ground(lambda x, z: x / 0.0 * z).at(np.zeros((2, 3))), "no height at"),
        (lambda: mw.Ground(lambda x: x).at(np.zeros((2, 3))), "fails for arrays"),
        (lambda: mw.Ground(lambda x, z: x, axes="up"), "axes"),
        (lambda: mw.Ground.from_data({"slope": 3, "stairs": {}}), "one of"),
        (lambda: mw.Ground.from_data({"stairs": 3}), "rise and run"),
        (lambda: mw.Ground.from_data({"slope": 3, "colour": "red"}), "does not take all of"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value|divide by zero")
def test_what_is_no_ground_is_refused(make, message):
    with pytest.raises(mw.MotionError, match=message):
        make()
