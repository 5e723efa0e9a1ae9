"""What a body does in a gap, predicted."""

from __future__ import annotations

import numpy as np
import pytest

import motionweave as mw
from motionweave.library.fill.prediction import Process, beside
from motionweave.library.index.features import TRACKED


def test_a_process_learns_what_depends_on_what_is_around() -> None:
    """What stretches do is linear in what is around them: so is the prediction, beside them all."""
    rng = np.random.default_rng(2)
    apart = rng.normal(0.4, 1.0, (300, 4))
    apart = apart[np.argsort(np.linalg.norm(apart, axis=1))]
    slopes = rng.normal(size=(4, 6))
    done = 1.0 + apart @ slopes
    clips = np.arange(300) // 3
    same = clips[:64, None] == clips
    process = Process(apart)
    np.testing.assert_allclose(process.shares @ done, 1.0, atol=0.05)
    assert np.abs(done[:32].mean(axis=0) - 1.0).max() > 0.1
    near = np.full(64, 1.0 / 64.0)
    assert process.trust(done, same, near) > 0.95
    # What nothing around explains is not trusted, ...
    assert process.trust(rng.normal(size=done.shape), same, near) < 0.2
    # ... except that of the very stretch that the gap was cut out of, which is taken alone.
    copied = Process(apart - apart[0])
    random = rng.normal(size=done.shape)
    np.testing.assert_allclose(copied.shares, np.eye(300)[0], atol=1e-6)
    assert copied.trust(random, same, near) > 0.999


def test_stretches_that_overlap_do_not_vouch_for_each_other() -> None:
    """It is as if those that count as the same were not in the library: by brute force."""
    rng = np.random.default_rng(3)
    apart = rng.normal(size=(40, 3))
    apart = apart[np.argsort(np.linalg.norm(apart, axis=1))]
    clips = rng.integers(0, 12, 40)
    done = np.cos(apart) + rng.normal(size=apart.shape)
    unit = np.sum(apart[31] ** 2)
    inside = apart @ apart.T / unit
    squares = np.diag(inside)
    covariance = (
        1.0
        + np.exp(-0.25 * (squares[:, None] + squares - 2.0 * inside))
        + 0.1 * inside
        + np.diag(0.15 * squares + 1e-9)
    )
    guessed = explained = 0.0
    for number in range(8):
        others = np.flatnonzero(clips != clips[number])
        weights = np.linalg.solve(covariance[np.ix_(others, others)], covariance[others, number])
        guess = weights @ done[others]
        guessed, explained = guessed + guess @ guess, explained + guess @ done[number]
    trusted = Process(apart).trust(done, clips[:8, None] == clips, np.full(8, 1.0 / 8.0))
    assert 0.0 < trusted < 1.0
    assert trusted == pytest.approx((explained / guessed) ** 4)


def test_going_evenly_is_doing_nothing() -> None:
    """A pose that glides and turns evenly does nothing beside it, however it began."""
    pose = np.random.default_rng(4).normal(size=(len(TRACKED), 3))
    pose[0, [0, 2]] = 0.0
    share = np.linspace(0.0, 1.0, 9)
    turned = mw.Planar(0.8 * share[:, None]).apply(np.broadcast_to(pose, (9, *pose.shape)))
    seen = turned + share[:, None, None] * np.array([1.0, 0.0, 2.0])
    np.testing.assert_allclose(beside(seen[None], np.array([0.8])), 0.0, atol=1e-12)
    seen[4, 3] += [0.0, 0.1, 0.0]
    assert np.abs(beside(seen[None], np.array([0.8]))[0, 4, 3]).max() == pytest.approx(0.1)
