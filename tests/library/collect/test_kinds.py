"""Kinds, and what separates them."""

from __future__ import annotations

import numpy as np
import pytest

from motionweave.library.collect import kinds


def distances(points: np.ndarray) -> np.ndarray:
    return np.linalg.norm(points[:, None] - points, axis=2)


def test_a_kind_ends_where_little_lies_between() -> None:
    random = np.random.default_rng(0)
    # The other kind is nearer to the example than the far end of its own.
    wide = np.column_stack([np.linspace(0.0, 0.4, 60), 0.02 * random.standard_normal((60, 5))])
    aside = np.array([0.2, 0.25, 0.0, 0.0, 0.0, 0.0])
    other = aside + 0.03 * random.standard_normal((40, 6))
    chosen = kinds.members(distances(np.concatenate([wide, other])))
    assert chosen[:60].mean() > 0.8
    assert not chosen[60:].any()


def test_what_has_few_of_its_kind_around_it_is_an_outlier() -> None:
    random = np.random.default_rng(0)
    near = 0.1 * random.standard_normal((40, 6))
    bridge = np.array([[0.6, 0.0, 0.0, 0.0, 0.0, 0.0], [0.9, 0.0, 0.0, 0.0, 0.0, 0.0]])
    apart = distances(np.concatenate([near, bridge]))
    everything = np.ones(42, dtype=bool)
    np.testing.assert_array_equal(kinds.outlying(apart, everything)[40:], True)
    assert kinds.outlying(apart, everything)[:40].mean() < 0.1
    # However far apart all of them are.
    np.testing.assert_array_equal(
        kinds.outlying(5.0 * apart, everything), kinds.outlying(apart, everything)
    )
    # What is of another kind is no outlier of this one, nor does it keep one company.
    only = np.arange(42) != 40
    np.testing.assert_array_equal(np.flatnonzero(kinds.outlying(apart, only)), [41])
    # The example shows what the kind is, wherever it lies.
    assert not kinds.outlying(apart[::-1, ::-1], everything)[0]


def test_alone_is_a_kind_of_its_own() -> None:
    points = np.concatenate([np.zeros((1, 6)), np.full((9, 6), 3.0)])
    np.testing.assert_array_equal(kinds.members(distances(points)), np.arange(10) == 0)
    assert kinds.members(np.zeros((1, 1))).all()


def test_posture_size_and_speed_count_less_than_what_is_done() -> None:
    features = np.zeros((5, 10, 4))
    features[:, ::2, 0] = 0.2
    features[1] += 0.1
    features[2] *= 2.0
    # The last column is dynamics.
    features[3, ::3, 3] = 0.2
    features[4] = 0.0
    features[4, ::3, 1] = 0.2
    still = np.zeros((5, 10, 12)), np.zeros(5)
    posture, size, speed, other = kinds.registered_distances(features, *still, 3)[0, 1:]
    assert size == pytest.approx(0.0, abs=0.05)
    assert max(posture, speed) < 0.7 * other
    # Beyond bounds, size does count.
    features[2] *= 10.0
    assert kinds.registered_distances(features, *still, 3)[0, 2] > 5.0 * size


def raised(moments: int) -> np.ndarray:
    """Features ``(moments, 3)`` of a hand that is raised from rest, held, and lowered to rest."""
    share = np.linspace(0.0, 1.0, moments)
    up = np.clip(np.minimum(share, 1.0 - share) / 0.3 - 0.2, 0.0, 1.0)
    return 0.2 * np.column_stack([up * up * (3.0 - 2.0 * up), 0.0 * up, 0.0 * up])


def registered(features: np.ndarray) -> np.ndarray:
    count, moments = features.shape[:2]
    return kinds.registered_distances(features, np.zeros((count, moments, 12)), np.zeros(count))


def test_what_goes_on_where_the_example_rests_is_something_else() -> None:
    whole = raised(30)
    cut, slow = np.array(whole), np.array(whole)
    # One ends in the middle of what it does, the other differs as much while it moves.
    cut[-3:] = whole[15]
    slow[15:] += (np.linalg.norm(cut - whole) / np.linalg.norm(whole[:15])) * whole[:15][::-1]
    apart = registered(np.stack([whole, cut, slow]))[0]
    assert apart[1] > 1.5 * apart[2]
    # An example that moves at its end was cut there: then the end is like any other moment.
    moving = np.array(whole[:15])
    moving[-4:] += np.linspace(0.0, 0.2, 4)[:, None]
    other = np.array(moving)
    other[-3:, 1] += 0.1
    parts = np.stack([moving, other])
    plain = np.sqrt(np.mean(np.sum((other - other.mean(0) - moving + moving.mean(0)) ** 2, 1)))
    assert registered(parts)[0, 1] < 1.2 * plain
