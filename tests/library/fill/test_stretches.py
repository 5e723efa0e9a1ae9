"""Stretches that could fill a gap."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import motionweave as mw
from motionweave.library.engine import Here
from motionweave.library.fill.stretches import GapInTime, Span, nearest
from motionweave.library.index.features import RATE

_NAMES = ("walk", "walk_left", "walk_right", "jog")


def _library(folder: Path, *names: str) -> mw.Library:
    """A library in which each clip has these names."""
    clips = folder / "clips"
    clips.mkdir(parents=True)
    for sample in _NAMES:
        for name in names:
            mw.save(mw.sample(sample, duration=6.0), clips / f"{name}_{sample}.npz", contacts=False)
    library = mw.Library(clips, store=folder / "store", executor=Here())
    library.add()
    return library


def _spans(library: mw.Library, most: int) -> list[Span]:
    """What could fill a second of a walk."""
    track = library.index.track(next(n for n, e in enumerate(library.clips) if "walk" in e.path))
    first, last = round(RATE), round(2 * RATE)
    gap = GapInTime(track[first - 10 : first + 1], track[last : last + 10], last - first)
    return nearest(library.index, gap, most)


def test_a_recording_that_a_library_has_twice_counts_once(tmp_path: Path) -> None:
    """Or it would vouch for itself where predictions are judged by what others do."""
    once = _spans(_library(tmp_path / "once", "a"), 100)
    twice = _spans(_library(tmp_path / "twice", "a", "b"), 100)
    assert len(once) == len(twice)
    for one, other in zip(once, twice, strict=True):
        assert replace(one, clip=0, distance=0.0) == replace(other, clip=0, distance=0.0)
        assert other.distance == pytest.approx(one.distance, abs=1e-3)


def test_there_are_as_many_stretches_as_are_asked_for(tmp_path: Path) -> None:
    """All moments of four clips of six seconds, each 5 samples from the next, and mirrored."""
    spans = _spans(_library(tmp_path, "a"), 150)
    assert len(spans) == 150
    distances = [span.distance for span in spans]
    assert distances == sorted(distances)
    starts = {(span.clip, span.mirrored, span.first) for span in spans}
    assert len(starts) == 150
