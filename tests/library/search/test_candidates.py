"""Candidates that features propose."""

from __future__ import annotations

import numpy as np

import motionweave as mw
from motionweave.library.search.candidates import at_tempos


def test_candidates_are_found_at_any_tempo(library: mw.Library) -> None:
    kick = library.index.track(library.index.number("fights/kick_high.npz") or 0)
    for factor in (0.4, 3.0):
        example = kick.slowed(factor)
        first = at_tempos(library.index, example, 20)[0]
        assert library.clips[first.clip].path == "fights/kick_high.npz"
        assert first.tempo == (0.5 if factor > 1.0 else 2.0)
        # The ends belong together, and each moment to the one that comes that much sooner or later.
        rows = np.arange(len(first.path)) / factor
        assert np.abs(first.path - rows).max() <= 3
