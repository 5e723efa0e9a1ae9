"""What sets an example apart from everything else in a library, and which stretches share it.

A punch among a thousand clips is told by a fist that goes out and comes back; that somebody stands
meanwhile, or steps, tells nothing, because nearly everybody does. How stretches as long as the
example vary in the library shows which is which: directions in which they vary much count little,
those in which they hardly vary count much (linear discriminant analysis with one example, Hariharan
et al. 2012). Two stretches are alike if they differ from the usual in the same way, however far.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.library.index.course import described
from motionweave.library.index.features import ClipTrack
from motionweave.library.index.snapshot import Index
from motionweave.library.search.candidates import Candidate
from motionweave.library.search.spans import Taken

# Moments of a stretch that are compared.
_MOMENTS = 12
# Stretches of the library that show what is usual.
_USUAL = 12_000
# Directions that are compared, those in which stretches vary most first, and what is added to the
# variance of each, as a share of the mean: noise, which must not tell anything.
_DIRECTIONS, _NOISE = 200, 0.1
# How many times as slow stretches may be.
_PACES = (0.5, 0.7, 0.85, 1.0, 1.2, 1.4, 2.0)
# Stretches of each pace that are compared in full.
_CLOSER = 4000
_NOTHING = 1e-9


@dataclass(frozen=True, eq=False)
class Distinctive:
    """What tells stretches of an example's kind.

    Parameters
    ----------
    moments
        ``(k,)`` descriptors of the example at which it is compared.
    usual
        ``(k d,)`` the mean of features and courses of stretches at these moments.
    axes
        ``(k d, a)`` directions, scaled so that stretches vary by one or less in each.
    example
        ``(a,)`` how the example differs from what is usual; its length is 1.
    count
        Descriptors of the example.
    """

    moments: NDArray[np.int64]
    usual: Array
    axes: Array
    example: Array
    count: int

    @classmethod
    def of(cls, index: Index, example: ClipTrack) -> Distinctive | None:
        """What tells an example in a library; None if that is too small to show what is usual."""
        own = described(example, index.basis)
        moments = np.unique(np.round(np.linspace(0, len(own) - 1, _MOMENTS)).astype(np.int64))
        begins = _begins(index, int(moments[-1]))
        if np.sum(index.counts // len(own)) < _DIRECTIONS:
            return None
        some = begins[np.unique(np.linspace(0, len(begins) - 1, _USUAL).astype(np.int64))]
        rows = index.laid[some[:, None] + moments].reshape(len(some), -1)
        usual = rows.mean(axis=0, dtype=np.float64)
        away = rows - usual
        variances, directions = np.linalg.eigh(away.T @ away / len(away))
        variances, directions = variances[::-1], directions[:, ::-1]
        scales = np.sqrt(np.maximum(variances, 0.0) + _NOISE * variances.mean())
        axes = (directions / np.maximum(scales, np.finfo(float).tiny))[:, :_DIRECTIONS]
        nobody = cls(
            moments, usual.astype(np.float32), axes.astype(np.float32), np.zeros(0), len(own)
        )
        return replace(nobody, example=nobody._unusual(own[None, moments])[0])

    def likeness(self, described: Array) -> Array:
        """How alike ``(m,)`` are stretches ``(m, n, d)`` that are described at the moments that
        correspond to the example's: 1 for what differs from the usual just like it, 0 for what has
        nothing in common with it."""
        return np.asarray(self._unusual(described[:, self.moments]) @ self.example)

    def _unusual(self, rows: Array) -> Array:
        """How stretches ``(m, k, d)`` differ from what is usual, ``(m, a)`` of length 1."""
        away = (rows.reshape(len(rows), len(self.usual)) - self.usual) @ self.axes
        return np.asarray(away / np.maximum(np.linalg.norm(away, axis=1), _NOTHING)[:, None])

    def candidates(
        self, index: Index, least: float, among: NDArray[np.bool_] | None = None
    ) -> list[Candidate]:
        """Stretches that are at least so much alike, the most alike first, each once."""
        wanted = self.axes @ self.example
        weights = wanted.reshape(len(self.moments), -1)
        each = index.laid @ weights.T
        usual = float(self.usual @ wanted)
        parts: list[tuple[Array, NDArray[np.int64], Array]] = []
        for pace in _PACES:
            after = np.round(self.moments * pace).astype(np.int64)
            begins = _begins(index, int(after[-1]), among)
            if not len(begins):
                continue
            along = sum(each[begins + ahead, k] for k, ahead in enumerate(after)) - usual
            if len(begins) > _CLOSER:
                begins = np.sort(begins[np.argsort(-along, kind="stable")[:_CLOSER]])
            alike = self._unusual(index.laid[begins[:, None] + after]) @ self.example
            near = alike >= least
            parts.append((alike[near], begins[near], np.full(int(near.sum()), pace)))
        if not parts:
            return []
        alike, begins, paces = (np.concatenate(part) for part in zip(*parts, strict=True))
        taken = Taken()
        chosen = []
        for which in np.argsort(-alike, kind="stable"):
            clip = int(index.owners[begins[which]])
            first = int(begins[which] - index.rows[clip])
            path = first + np.round(np.arange(self.count) * paces[which]).astype(np.int64)
            one = Candidate(clip, path, 1.0 - float(alike[which]))
            if taken.take(clip, one.rows):
                chosen.append(one)
        return chosen


def _begins(index: Index, last: int, among: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """Rows at which stretches begin that end ``last`` rows later, in clips that have these."""
    fit = np.maximum(index.counts - last, 0)
    if among is not None:
        fit = fit * among
    shift = np.repeat(index.rows[:-1] - np.concatenate([[0], np.cumsum(fit)[:-1]]), fit)
    return np.asarray(np.arange(int(fit.sum())) + shift)
