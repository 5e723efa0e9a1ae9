"""What a body does in a gap, predicted from many stretches of a library.

The nearest stretch need not do what happens in a gap, and the mean of the nearest ones is wrong
wherever most of them begin, end or move to one side of what is around the gap. A Gaussian process
learns from hundreds of stretches how what happens in between depends on what is around: on the
poses, the movement, and the way from one end to the other. The further a stretch is from the gap,
the less it tells. Everything is predicted as a difference from going evenly from one end to the
other, and that is what is left where the stretches tell nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array, BoolArray
from motionweave.library.fill.confidence import fits, nearness
from motionweave.library.fill.stretches import GapInTime, Span, Surroundings, differences
from motionweave.library.index.features import STRIDE, as_seen, mirrored_places
from motionweave.library.index.snapshot import Index

# Distances are counted in that of this many nearest stretches.
_NEAR = 32
# The square distance, in these units, over which what stretches do varies smoothly.
_ALIKE = 2.0
# How much of it varies linearly over one unit, compared with what varies smoothly.
_LINEAR = 0.1
# How much a stretch at a distance of one unit does that is its own, compared with the same.
_OWN = 0.15
# Stretches that are predicted from others, to see how far predictions can be trusted.
_JUDGES = 64
# Samples between two stretches of a clip up to which they count as the same.
_APART = 30
# How many times less must be unknown of the gap than of these for it to be trusted more.
_MORE = 10.0
# A square distance in leg lengths, and a share of what varies, that is none.
_NOTHING, _NONE = 1e-12, 1e-9


def predicted(
    index: Index, gap: GapInTime, spans: Sequence[Span], frames: int
) -> tuple[Array, float]:
    """What the body does in a gap ``(frames, R, 3)``, as `beside` describes it, and how far that is
    trusted.

    Parameters
    ----------
    index
        Where the stretches are.
    gap
        The gap.
    spans
        Stretches to learn from, the nearest first.
    frames
        How many are wanted, the last before the gap and the first after it included.
    """
    apart, done = _described(index, gap, spans, frames)
    process = Process(apart)
    distances = np.array([span.distance for span in spans])
    clips, firsts = np.array([(span.clip, span.first) for span in spans]).T
    judges = slice(_JUDGES)
    # Stretches of one clip that overlap, or almost do.
    near = np.abs(firsts[judges, None] - firsts) < gap.samples + _APART
    trusted = process.trust(
        done[:, ::STRIDE].reshape(len(done), -1),
        near & (clips[judges, None] == clips),
        nearness(distances[judges]),
    )
    trusted *= fits(distances[0], (gap.before, gap.after))
    return np.tensordot(process.shares, done, axes=1), trusted


class Process:
    """A Gaussian process of what stretches do: it varies in the mean, smoothly with the distance of
    stretches from each other, and linearly.

    Parameters
    ----------
    apart
        ``(n, d)`` differences of the stretches from what is around the gap, the nearest first.
    """

    def __init__(self, apart: Array):
        squares = np.sum(apart**2, axis=1)
        unit = max(float(squares[min(_NEAR, len(squares)) - 1]), _NOTHING)
        squares = squares / unit
        products = apart @ apart.T / unit
        between = np.maximum(squares[:, None] + squares - 2.0 * products, 0.0)
        common = 1.0 + np.exp(-between / (2.0 * _ALIKE)) + _LINEAR * products
        # The gap is at a difference of zero from itself: the linear part says nothing there.
        to_gap = 1.0 + np.exp(-squares / (2.0 * _ALIKE))
        self._own = _OWN * squares + _NONE
        self._inverse = np.linalg.inv(common + np.diag(self._own))
        # Shares (n,) of the stretches in the prediction, and what remains unknown of the gap.
        self.shares = self._inverse @ to_gap
        self._unknown = 2.0 - float(to_gap @ self.shares)

    def trust(self, done: Array, same: BoolArray, weights: Array) -> float:
        """How far a prediction is trusted, from 0 to 1.

        The nearest stretches are predicted from all that are not the same as they: what should be
        left of these predictions to come nearest to what the stretches do? So far is that of the
        gap trusted, unless far more is known of it, as from the clip that it was cut out of.

        Parameters
        ----------
        done
            ``(n, e)`` what the stretches do.
        same
            ``(k, n)`` which of them count as the same as each of the nearest.
        weights
            ``(k,)`` how much the nearest count.
        """
        solved = self._inverse @ done
        guessed = explained = unknown = 0.0
        for number, weight in enumerate(weights):
            own = np.flatnonzero(same[number])
            # What the others leave unknown of this one, and how far it is missed.
            one = (own == number).astype(np.float64)
            left = np.linalg.solve(self._inverse[np.ix_(own, own)], one)
            guess = done[number] - left @ solved[own]
            guessed += weight * float(guess @ guess)
            explained += weight * float(guess @ done[number])
            unknown += weight * float(left @ one - self._own[number])
        share = min(max(explained, 0.0) / max(guessed, _NOTHING), 1.0)
        less = min(_MORE * self._unknown / max(unknown, _NONE), 1.0)
        # To the fourth power: what is in one library is more alike than what is not in it.
        return float(1.0 - (1.0 - share**4) * less)


def _described(
    index: Index, gap: GapInTime, spans: Sequence[Span], frames: int
) -> tuple[Array, Array]:
    """Differences ``(n, d)`` of stretches from what is around a gap, and what they do
    ``(n, frames, R, 3)``."""
    kinds: dict[tuple[int, bool], list[int]] = {}
    for number, span in enumerate(spans):
        kinds.setdefault((span.samples, span.mirrored), []).append(number)
    around = Surroundings(gap), Surroundings(gap.mirrored)
    order: list[int] = []
    rows, acts = [], []
    for (length, swapped), numbers in kinds.items():
        clips = np.array([spans[number].clip for number in numbers])
        firsts = np.array([spans[number].first for number in numbers])
        places, leads = differences(index, around[swapped], clips, firsts, length)
        done = _done(index, clips, firsts, length, frames)
        if swapped:
            places, done = mirrored_places(places), mirrored_places(done)
            leads = leads * [-1.0, 1.0, -1.0]
        order += numbers
        rows.append(np.concatenate([places.reshape(len(numbers), -1), leads], axis=1))
        acts.append(done)
    back = np.argsort(order)
    return np.concatenate(rows)[back], np.concatenate(acts)[back]


def _done(
    index: Index, clips: NDArray[np.int64], firsts: NDArray[np.int64], length: int, frames: int
) -> Array:
    """What stretches do ``(m, frames, R, 3)`` beside going evenly from one end to the other."""
    seen = index.around(clips, firsts, range(length + 1))
    done = beside(seen, index.ways(clips, firsts, length)[1])
    at = np.linspace(0.0, length, frames)
    low = np.minimum(at.astype(np.int64), length - 1)
    rest = (at - low)[:, None, None]
    return np.asarray((1.0 - rest) * done[:, low] + rest * done[:, low + 1])


def beside(seen: Array, turn: Array) -> Array:
    """What bodies do ``(m, n, R, 3)`` beside going evenly from one end to the other.

    Parameters
    ----------
    seen
        ``(m, n, R, 3)`` where roles are, as the bodies see them at the first.
    turn
        ``(m,)`` how they turn until the last.
    """
    # In a frame that goes and turns evenly.
    share = np.linspace(0.0, 1.0, seen.shape[1])
    origin = (share[:, None] * seen[:, -1:, 0]).reshape(-1, 3)
    heading = (share * turn[:, None]).ravel()
    local = as_seen(seen.reshape(-1, 1, *seen.shape[2:]), origin, heading).reshape(seen.shape)
    along = share[:, None, None]
    return np.asarray(local - (1.0 - along) * local[:, :1] - along * local[:, -1:])
