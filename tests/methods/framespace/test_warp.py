"""The regularising warp against Eq. 7 to 10, written out, and what must hold of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionweave.errors import BlendError
from motionweave.methods.framespace.correspondence import MatchedStates
from motionweave.methods.framespace.warp import Warp


@st.composite
def matches(draw: st.DrawFn, cyclic: bool = True) -> MatchedStates:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count, clips = draw(st.integers(2, 8)), draw(st.sampled_from([2, 4]))
    gaps = rng.uniform(0.2, 1.0, (count + 1, clips))
    times = np.cumsum(gaps / gaps.sum(axis=0), axis=0)[:-1]
    if cyclic:
        times = times - times[0] + rng.uniform(0.0, 1.0, clips)
    return MatchedStates((frozenset("a"),) * count, times, cyclic)


def by_the_paper(match: MatchedStates, x: float, weights: np.ndarray) -> np.ndarray:
    """Eq. 7 to 10 for one x between 0 and 1, counted from the first matched state."""
    states = np.vstack([match.times, match.times[:1] + 1.0])
    gaps = np.diff(states, axis=0)
    warped = gaps @ weights  # Eq. 7 and 8
    begun = np.concatenate([[0.0], np.cumsum(warped)])  # s*
    n = min(int(np.searchsorted(begun, x, side="right")) - 1, len(gaps) - 1)
    return states[n] + gaps[n] / warped[n] * (x - begun[n])  # Eq. 9 and 10


@given(matches(), st.floats(0.0, 0.999), st.integers(0, 2**32 - 1))
def test_without_smoothing_it_is_the_papers(match: MatchedStates, x: float, seed: int) -> None:
    weights = np.random.default_rng(seed).dirichlet(np.ones(match.clips))
    warp = Warp.of(match, smoothing=0.0).starting_at(match.times[0])
    found = warp.solve(np.array([x]), weights[None])[0]
    assert found % 1.0 == pytest.approx(by_the_paper(match, x, weights) % 1.0, abs=1e-9)


@given(matches(), st.sampled_from([0.0, 0.05, 0.2]), st.integers(0, 3))
def test_a_clip_alone_is_at_x(match: MatchedStates, smoothing: float, lead: int) -> None:
    lead %= match.clips
    x = np.linspace(0.0, 5.0, 83)
    warp = Warp.of(match, smoothing)
    starts = warp.starts_with(lead)
    assert starts[lead] == 0.0
    for clip in range(match.clips):
        weights = np.tile(np.eye(match.clips)[clip], (len(x), 1))
        phases = warp.starting_at(starts).solve(x, weights)
        assert phases[:, clip] == pytest.approx(x + starts[clip], abs=1e-9)


@given(matches(), st.sampled_from([0.0, 0.08]), st.integers(0, 2**32 - 1))
def test_all_clips_go_forwards_one_cycle_a_cycle(
    match: MatchedStates, smoothing: float, seed: int
) -> None:
    weights = np.random.default_rng(seed).dirichlet(np.ones(match.clips))
    x = np.linspace(0.0, 3.0, 301)
    warp = Warp.of(match, smoothing)
    phases = warp.starting_at(warp.starts_with(0)).solve(x, np.tile(weights, (len(x), 1)))
    assert np.all(np.diff(phases, axis=0) > 0.0)
    assert phases[200] - phases[100] == pytest.approx(1.0)
    # The weighted mean of how far they have come is x: Eq. 7 in one line.
    assert (phases - warp.starts_with(0)) @ weights == pytest.approx(x, abs=1e-9)


@given(matches())
def test_states_meet(match: MatchedStates) -> None:
    """Without smoothing, where one clip is at a state, all are."""
    warp = Warp.of(match, smoothing=0.0)
    for times in match.times:
        u = np.interp(times[0], warp.phases[:, 0], warp.parameter)
        assert warp.at(u) == pytest.approx(times, abs=1e-9)


@given(matches())
def test_smoothing_is_smooth_and_stays_near(match: MatchedStates) -> None:
    rough, smooth = Warp.of(match, 0.0), Warp.of(match, 0.08)
    u = np.linspace(0.0, 1.0, 513)
    assert np.all(np.diff(smooth.phases, axis=0) > 0.0)
    assert np.abs(smooth.at(u) - rough.at(u)).max() < 0.08
    slope = np.diff(smooth.phases, axis=0) * 512
    kink = np.abs(np.diff(rough.at(u), 2, axis=0)).max() * 512
    assert np.abs(np.diff(slope, axis=0)).max() <= 0.06 * kink + 1e-9


@given(matches(cyclic=False), st.sampled_from([0.0, 0.1]), st.integers(0, 2**32 - 1))
def test_clips_that_run_once_begin_and_end_together(
    match: MatchedStates, smoothing: float, seed: int
) -> None:
    weights = np.random.default_rng(seed).dirichlet(np.ones(match.clips))
    x = np.linspace(0.0, 1.0, 101)
    phases = Warp.of(match, smoothing).solve(x, np.tile(weights, (len(x), 1)))
    assert phases[0] == pytest.approx(0.0, abs=1e-9)
    assert phases[-1] == pytest.approx(1.0, abs=1e-9)
    assert np.all(np.diff(phases, axis=0) >= -1e-12)


def test_halves_apart_drift_no_farther_than_half_a_cycle() -> None:
    """Arms half a cycle out of phase: joined where clips mix, in step where one is alone."""
    lower = MatchedStates((frozenset("a"),) * 2, np.array([[0.1, 0.1], [0.6, 0.6]]))
    upper = MatchedStates((frozenset("b"),) * 2, np.array([[0.2, 0.7], [0.7, 1.2]]))
    starts = Warp.of(lower).starts_with(0)
    warp = Warp.of(upper).starting_at(starts)
    x = np.linspace(0.0, 4.0, 200)
    half = warp.solve(x, np.full((200, 2), 0.5))
    assert np.abs((half[:, 1] - half[:, 0]) % 1.0 - 0.5) == pytest.approx(0.0, abs=1e-9)
    assert np.abs(half - x[:, None]).max() <= 0.5 + 1e-9


def test_smoothing_has_bounds() -> None:
    match = MatchedStates((frozenset("a"),) * 2, np.array([[0.0, 0.0], [0.5, 0.4]]))
    with pytest.raises(BlendError, match=r"0 to 0\.5"):
        Warp.of(match, 0.7)
