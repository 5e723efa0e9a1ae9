"""The interpolant: a B-spline within bounds, ready-made shapes, files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import BSpline

from motionweave.errors import BlendError, FormatError
from motionweave.methods.framespace.interpolant import (
    Interpolant,
    _basis,
    as_interpolant,
    corner_weights,
)


@st.composite
def curves(draw: st.DrawFn) -> Interpolant:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count, axes = draw(st.integers(2, 9)), draw(st.sampled_from([1, 2]))
    x = np.sort(np.linspace(-0.1, 1.1, count) + rng.uniform(-0.4, 0.4, count) / count)
    return Interpolant(np.column_stack([x, rng.uniform(-0.5, 1.5, (count, axes))]))


@pytest.mark.parametrize("count", [2, 3, 4, 5, 9])
def test_the_basis_is_scipys(count: int) -> None:
    degree = min(3, count - 1)
    knots = np.concatenate(
        [np.zeros(degree), np.linspace(0.0, 1.0, count - degree + 1), np.ones(degree)]
    )
    at = np.linspace(0.0, 1.0, 57)
    expected = BSpline(knots, np.eye(count), degree)(at)
    first, values = _basis(at, count)
    found = np.zeros((len(at), count))
    found[np.arange(len(at))[:, None], first[:, None] + np.arange(values.shape[1])] = values
    assert found == pytest.approx(expected, abs=1e-12)


@given(curves())
def test_stays_within_bounds_and_weights_sum_to_one(curve: Interpolant) -> None:
    x = np.linspace(0.0, 1.0, 101)
    place = curve.at(x)
    assert place.min() >= 0.0
    assert place.max() <= 1.0
    weights = curve.weights(x)
    assert weights.shape == (101, curve.clips)
    assert weights.min() >= 0.0
    assert weights.sum(axis=1) == pytest.approx(1.0)
    assert place[-1] == pytest.approx(curve.vertices[-1, 1:], abs=1e-9)


@given(curves())
def test_at_agrees_with_the_points_of_the_curve(curve: Interpolant) -> None:
    points = curve.points(400)
    # Where the curve is nearly vertical, x says little about y.
    steep = np.abs(np.gradient(points[:, 1:], axis=0)).max(axis=1) / np.gradient(points[:, 0])
    flat = steep < 10.0
    assert curve.at(points[flat, 0]) == pytest.approx(points[flat, 1:], abs=1e-3)


def test_weights_are_the_papers_products() -> None:
    assert corner_weights(np.array([[0.3]])).tolist() == [[0.7, 0.3]]
    four = corner_weights(np.array([[0.25, 0.5]]))
    assert four == pytest.approx(np.array([[0.375, 0.125, 0.375, 0.125]]))


def test_concatenation_holds_each_end_and_rises_in_between() -> None:
    for hold in (0.0, 0.1, 0.2, 0.3):
        x = np.linspace(0.0, 1.0, 401)
        y = Interpolant.concatenate(hold=hold).at(x)[:, 0]
        assert np.all(np.diff(y) >= -1e-12)
        assert np.all(y[x <= hold - 1e-3] == 0.0)
        assert np.all(y[x >= 1.0 - hold + 1e-3] == 1.0)
        assert np.all(y[x > hold + 0.05] > 0.0)


def test_concatenation_of_four_never_mixes_more_than_two() -> None:
    x = np.linspace(0.0, 1.0, 401)
    weights = Interpolant.concatenate(4, hold=0.1).weights(x)
    assert np.sum(weights == 1.0, axis=0) == pytest.approx(40, abs=2)
    assert np.all(np.sum(weights > 1e-9, axis=1) <= 2)
    visited = [int(np.argmax(row)) for row in weights if row.max() == 1.0]
    assert list(dict.fromkeys(visited)) == [0, 1, 3, 2]


def test_blend_holds_its_level() -> None:
    assert Interpolant.blend(0.3).at([0.0, 0.4, 1.0]) == pytest.approx(0.3)
    assert Interpolant.blend(clips=4).weights([0.5]) == pytest.approx(0.25)
    ramped = Interpolant.blend(0.3, ramp=0.2).at([0.0, 0.5, 1.0])[:, 0]
    assert ramped == pytest.approx([0.0, 0.3, 1.0])


@pytest.mark.parametrize(
    ("vertices", "says"),
    [
        ([[0.0, 0.0]], "at least two"),
        ([[0.0], [1.0]], "shape"),
        ([[0.0, 0.0], [0.6, 0.0], [0.4, 1.0]], "backwards from control vertex 2"),
        ([[0.0, np.nan], [1.0, 1.0]], "finite"),
    ],
)
def test_vertices_that_are_no_curve(vertices: list, says: str) -> None:
    with pytest.raises(BlendError, match=says):
        Interpolant(np.array(vertices))


def test_shapes_that_do_not_fit() -> None:
    with pytest.raises(BlendError, match="2 or 4"):
        Interpolant.concatenate(3)
    with pytest.raises(BlendError, match="each of 4 clips"):
        Interpolant.concatenate(4, hold=0.3)
    with pytest.raises(BlendError, match="expected 2 levels"):
        Interpolant.blend(0.5, clips=4)
    with pytest.raises(BlendError, match="ramp"):
        Interpolant.blend(ramp=0.6)
    with pytest.raises(BlendError, match="no shape 'zigzag'"):
        as_interpolant("zigzag", 2)
    with pytest.raises(BlendError, match="made for 2 clips, but there are 4"):
        as_interpolant(Interpolant.concatenate(), 4)


@given(curves(), st.sampled_from(["json", "csv"]))
def test_files_there_and_back(
    tmp_path_factory: pytest.TempPathFactory, curve: Interpolant, suffix: str
) -> None:
    path = tmp_path_factory.mktemp("curve") / f"curve.{suffix}"
    curve.save(path)
    assert Interpolant.load(path).vertices.tolist() == curve.vertices.tolist()


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.csv", "x,y\n0,0\n1,high\n", "line 3: expected numbers"),
        ("a.csv", "0,0\n", "at least two"),
        ("a.json", "{}", "control vertices"),
        ("a.json", "[[0, 0], [1]]", "control vertices"),
        ("a.json", "][", "not valid JSON"),
    ],
)
def test_broken_files_say_where(tmp_path: Path, name: str, text: str, says: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as error:
        Interpolant.load(path)
    assert says in str(error.value)
    assert str(path) in str(error.value)
