"""A snapshot of the library, laid out for search."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.errors import LibraryError
from motionweave.library.index.features import (
    RATE,
    STRIDE,
    TRACKED,
    ClipTrack,
    PrincipalAxes,
    as_seen,
)
from motionweave.library.index.store import Entry, Store

# Rows between clips: time warping leaps over one row at most.
GAP = 2


class Index:
    """A snapshot of a store: entries that can be searched, and their arrays.

    Clips are numbered by their place in ``entries``. Rows of ``features`` are those of the
    clips one after the other, with a gap of `GAP` rows behind each, so that no path of frames
    leads from one clip into the next.
    """

    def __init__(self, store: Store):
        self.change = store.change()
        self.entries: tuple[Entry, ...] = tuple(e for e in store.entries() if e.feature is not None)
        self.words: dict[int, set[str]] = store.words()
        self._points = store.points()
        self._features = store.features()
        self._basis = store.basis()
        self._numbers = {entry.path: number for number, entry in enumerate(self.entries)}

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def basis(self) -> PrincipalAxes:
        """The axes of the features; an error in an empty library."""
        self.check()
        assert self._basis is not None
        return self._basis

    def check(self) -> None:
        """Raise a `LibraryError` if there is nothing to search."""
        if self._basis is None or not self.entries:
            raise LibraryError(
                "the library is empty, or was made by an older motionweave: run "
                "`motionweave library add` first"
            )

    def number(self, path: str) -> int | None:
        """Number of the clip with that path."""
        return self._numbers.get(path)

    def track(self, number: int, first: int = 0, last: int | None = None) -> ClipTrack:
        """Samples ``first`` to ``last`` (not included) of a clip."""
        entry = self.entries[number]
        stop = entry.samples if last is None else min(last, entry.samples)
        return ClipTrack.from_rows(self._points[entry.first + first : entry.first + stop])

    def around(
        self, clips: NDArray[np.int64], samples: NDArray[np.int64], offsets: Sequence[int]
    ) -> Array:
        """Roles ``(m, k, R, 3)`` at offsets from samples ``(m,)`` of clips ``(m,)``, as the bodies
        see them there; all of them must be in the clips."""
        here = np.asarray(self._points[self._firsts[clips] + samples])
        return as_seen(self.places(clips, samples, offsets), here[:, :3], here[:, -1])

    def places(
        self, clips: NDArray[np.int64], samples: NDArray[np.int64], offsets: Sequence[int]
    ) -> Array:
        """The same places, where they are in their clips."""
        rows = self._points[(self._firsts[clips] + samples)[:, None] + np.asarray(offsets)]
        return np.asarray(rows[..., :-1]).reshape(*rows.shape[:2], len(TRACKED), 3)

    def ways(
        self, clips: NDArray[np.int64], samples: NDArray[np.int64], count: int
    ) -> tuple[Array, Array]:
        """How far ``(m, 3)`` hips go in ``count`` samples, as the body sees it at the first, and
        how much ``(m,)`` it turns."""
        rows = self._firsts[clips] + samples
        here, there = (np.asarray(self._points[row]) for row in (rows, rows + count))
        way = as_seen((there - here)[:, None, None, :3], np.zeros((1, 3)), here[:, -1])
        return way[:, 0, 0], there[:, -1] - here[:, -1]

    @cached_property
    def _firsts(self) -> NDArray[np.int64]:
        return np.array([entry.first for entry in self.entries], dtype=np.int64)

    @cached_property
    def recordings(self) -> NDArray[np.int64]:
        """Number ``(clips,)`` of the first clip that is the same recording as each: collections
        have some under several names."""
        first: dict[tuple[int, bytes, bytes], int] = {}
        numbers = []
        for number, entry in enumerate(self.entries):
            begin, end = (
                np.asarray(self._points[entry.first + at]).tobytes()
                for at in (0, entry.samples - 1)
            )
            numbers.append(first.setdefault((entry.samples, begin, end), number))
        return np.array(numbers, dtype=np.int64)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Descriptors ``(clips,)`` of each clip."""
        return np.array([-(-entry.samples // STRIDE) for entry in self.entries], dtype=np.int64)

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The row ``(clips + 1,)`` of `features` with which each clip begins; the end at last."""
        return np.concatenate([[0], np.cumsum(self.counts + GAP)])

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """Number ``(rows,)`` of the clip of each row."""
        return np.repeat(np.arange(len(self)), self.counts + GAP)

    @cached_property
    def gaps(self) -> NDArray[np.bool_]:
        """Which rows ``(rows,)`` lie between clips."""
        gap = np.zeros(int(self.rows[-1]), dtype=bool)
        for behind in range(GAP):
            gap[self.rows[1:] - 1 - behind] = True
        return gap

    @property
    def features(self) -> Array:
        """``(rows, d)``, zero in gaps: pose and dynamics of each moment."""
        return self.laid[:, : self.basis.dimensions]

    @property
    def courses(self) -> Array:
        """``(rows, 12)``, zero in gaps: where the body goes around each moment."""
        return self.laid[:, self.basis.dimensions :]

    @cached_property
    def laid(self) -> Array:
        laid = np.zeros((int(self.rows[-1]), self._features.shape[1]), dtype=np.float32)
        for number, entry in enumerate(self.entries):
            assert entry.feature is not None
            first, count = int(self.rows[number]), int(self.counts[number])
            laid[first : first + count] = self._features[entry.feature : entry.feature + count]
        return np.asarray(laid)

    def frame(self, number: int, sample: float) -> float:
        """The frame of a clip's own frame rate at a sample."""
        entry = self.entries[number]
        return min(sample * entry.fps / RATE, entry.frames - 1.0)

    def sample(self, number: int, frame: float) -> int:
        """The sample nearest to a frame of the clip's own frame rate."""
        entry = self.entries[number]
        return int(np.clip(round(frame * RATE / entry.fps), 0, entry.samples - 1))
