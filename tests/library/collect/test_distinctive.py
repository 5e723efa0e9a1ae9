"""What sets an example apart, in a library for which it is known."""

from __future__ import annotations

from functools import reduce
from operator import add
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import motionweave as mw
from motionweave.library.collect.distinctive import _PACES, Distinctive, _begins
from motionweave.library.collect.nodes import Node
from motionweave.library.collect.web import _alike
from motionweave.library.index.course import described
from motionweave.library.index.features import STRIDE, TRACKED, ClipTrack, fit_basis, moments, track
from motionweave.library.index.snapshot import GAP
from motionweave.library.search.candidates import Candidate
from motionweave.library.search.query import Query

# Where somebody strikes out with the right hand: clip to the sample in the middle.
STROKES = {0: 100, 9: 60, 17: 200, 30: 130, 44: 90}
SAMPLES, CLIPS, HALF = 300, 60, 20


def wandering(random: np.random.Generator, far: float) -> np.ndarray:
    """A slow and smooth line ``(SAMPLES, 3)``."""
    knots = random.normal(0.0, far, (SAMPLES // 30 + 2, 3))
    at = np.arange(SAMPLES) / 30.0
    return np.stack([np.interp(at, np.arange(len(knots)), axis) for axis in knots.T], axis=1)


def idling(number: int) -> ClipTrack:
    """Somebody who wanders about, hands and feet going anywhere; in some clips with a stroke."""
    random = np.random.default_rng(number)
    points = np.zeros((SAMPLES, len(TRACKED), 3))
    for role, name in enumerate(TRACKED):
        side = {"left": 0.2, "right": -0.2}.get(name.partition("_")[0], 0.0)
        height = {"toe": 0.05, "ankle": 0.1, "shin": 0.5, "thigh": 0.9, "hips": 1.0, "hand": 1.1}
        points[:, role] = [side, height.get(name.rpartition("_")[2], 1.4), 0.0]
        if name.rpartition("_")[2] in ("hand", "ankle"):
            points[:, role] += wandering(random, 0.1)
    if number in STROKES:
        ahead = np.exp(-(((np.arange(SAMPLES) - STROKES[number]) / 5.0) ** 2))
        points[:, TRACKED.index("right_hand"), 2] += 0.8 * ahead
    points += wandering(random, 0.5)[:, None] * [1.0, 0.0, 1.0]
    return ClipTrack(points.astype(np.float32), wandering(random, 0.5)[:, 0].astype(np.float32))


@pytest.fixture(scope="module")
def index() -> Any:
    """As much of an index as searches need."""
    tracks = [idling(number) for number in range(CLIPS)]
    basis = fit_basis(reduce(add, (moments(one) for one in tracks)))
    counts = np.array([-(-len(one) // STRIDE) for one in tracks])
    gap = np.zeros((GAP, described(tracks[0], basis).shape[1]), dtype=np.float32)
    return SimpleNamespace(
        tracks=tracks,
        basis=basis,
        counts=counts,
        rows=np.concatenate([[0], np.cumsum(counts + GAP)]),
        owners=np.repeat(np.arange(CLIPS), counts + GAP),
        laid=np.concatenate([part for one in tracks for part in (described(one, basis), gap)]),
    )


def stroke(index: Any, clip: int) -> ClipTrack:
    middle = STROKES[clip]
    return index.tracks[clip][middle - HALF : middle + HALF + 1]


def node(index: Any, clip: int, row: int) -> Node:
    path = row + np.arange(len(described(stroke(index, 0), index.basis)))
    return Node(Candidate(clip, path, 0.0), 0, path)


def at_stroke(index: Any, clip: int) -> Node:
    return node(index, clip, round((STROKES[clip] - HALF) / STRIDE))


def test_a_stroke_is_found_whatever_the_rest_of_the_body_does(index: Any) -> None:
    distinctive = Distinctive.of(index, stroke(index, 0))
    assert distinctive is not None
    found = distinctive.candidates(index, 0.0)
    assert {one.clip for one in found[: len(STROKES)]} == set(STROKES)
    for one in found[: len(STROKES)]:
        middle = STRIDE * float(one.path[len(one.path) // 2])
        assert abs(middle - STROKES[one.clip]) <= 6
    likeness = [1.0 - one.cost for one in found]
    assert likeness == sorted(likeness, reverse=True)
    # Only clips that are asked for are searched.
    among = np.arange(CLIPS) == 17
    assert {one.clip for one in distinctive.candidates(index, 0.2, among)} == {17}


def test_the_example_is_like_itself_and_candidates_are_as_alike_as_they_say(index: Any) -> None:
    example = stroke(index, 9)
    distinctive = Distinctive.of(index, example)
    assert distinctive is not None
    own = described(example, index.basis)
    assert distinctive.likeness(own[None])[0] == pytest.approx(1.0, abs=1e-5)
    assert distinctive.likeness(own[:0].reshape(0, *own.shape)).shape == (0,)
    # The most alike of each clip, by trying every stretch at every pace.
    best = np.full(CLIPS, -1.0)
    for pace in _PACES:
        after = np.round(distinctive.moments * pace).astype(int)
        for clip, first in enumerate(index.rows[:-1]):
            begins = np.arange(first, first + index.counts[clip] - after[-1])
            rows = index.laid[begins[:, None] + after].reshape(len(begins), -1)
            away = (rows - distinctive.usual) @ distinctive.axes
            shares = away @ distinctive.example / np.linalg.norm(away, axis=1)
            best[clip] = max(best[clip], shares.max())
    found = distinctive.candidates(index, 0.3)
    firsts: dict[int, float] = {}
    for one in found:
        firsts.setdefault(one.clip, 1.0 - one.cost)
    assert set(firsts) == set(np.flatnonzero(best >= 0.3))
    for clip, share in firsts.items():
        assert share == pytest.approx(best[clip], abs=1e-4)


def test_stretches_begin_where_they_fit(index: Any) -> None:
    begins = _begins(index, 95)
    offsets = begins - index.rows[index.owners[begins]]
    assert sorted(set(offsets.tolist())) == [0, 1, 2, 3, 4]
    assert len(begins) == 5 * CLIPS
    assert len(_begins(index, 100)) == 0


def test_a_small_library_does_not_show_what_is_usual(index: Any, library: mw.Library) -> None:
    assert Distinctive.of(library.index, track(mw.sample("punch"))) is None
    few = [at_stroke(index, 0)]
    example = track(mw.sample("punch"))
    assert _alike(library.index, example, few, Query(20)) == (few, {})
    with pytest.raises(mw.LibraryError, match="alike"):
        library.collect("fights/punch.npz", alike=0.4)
    for wrong in (-0.1, 5.0, float("nan")):
        with pytest.raises(mw.MotionError, match="alike"):
            library.collect("fights/punch.npz", alike=wrong)
        with pytest.raises(mw.MotionError, match="alike"):
            library.find("fights/punch.npz", through_others=True, alike=wrong)
    with pytest.raises(mw.LibraryError, match="through_others"):
        library.find("fights/punch.npz", alike=0.4)


def test_neighbours_that_share_nothing_give_way_to_what_does(index: Any) -> None:
    example = stroke(index, 0)
    idle = [node(index, clip, 10) for clip in range(1, CLIPS) if clip not in STROKES]
    kept, reasons = _alike(index, example, idle, Query(20))
    assert {one.candidate.clip for one in kept} == set(STROKES)
    assert set(reasons) >= {one.candidate.clip for one in idle} - set(STROKES)
    assert all("sets the example apart" in why for why in reasons.values())
    # A part of the body was named because it acts.
    assert _alike(index, example, idle, Query(20, roles=("right_hand",))) == (idle, {})


def test_many_neighbours_that_share_it_decide(index: Any) -> None:
    example = stroke(index, 0)
    alike = [at_stroke(index, clip) for clip in (0, 9, 17)] * 5
    idle = [node(index, clip, 10) for clip in range(1, 9)]
    kept, reasons = _alike(index, example, [*alike, *idle], Query(20))
    assert kept[:15] == alike
    assert {one.candidate.clip for one in kept} & {30, 44} == set()
    assert reasons
    # A number decides instead: less of what is alike, or more.
    for least in (0.9, 0.3):
        chosen, _ = _alike(index, example, alike, Query(20, alike=least))
        assert ({30, 44} <= {one.candidate.clip for one in chosen}) == (least == 0.3)
