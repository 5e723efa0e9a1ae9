"""Least squares over time: unknowns of each frame, tied to those of the frames beside it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.core.arrays import Array, BoolArray, read_only
from motionweave.core.numerics.banded import solve_bands
from motionweave.core.runtime.kernels import kernel
from motionweave.errors import MotionError

# A fixed frame is held with this much more weight than anything else.
_PINNED = 1e6
# Shares of the diagonal that are added where rounding makes the equations unsolvable.
_RIDGES = (1e-14, 1e-12, 1e-10, 1e-8)
# An odd number of frames, of which the middle one is further from the ends than rows reach.
_SHORT = 5


@kernel(bare=True)
def _add_products(bands, right, vectors, ties, wanted):  # type: ignore[no-untyped-def]
    """Add what `BandedLeastSquares.add_along` is given to bands and right-hand sides.

    All tracks are in a row, ``(m, T, unknowns)``, ``(m, T, n)`` and ``(m, T)``.
    """
    count, frames, unknowns = vectors.shape
    _, _, reach = ties.shape
    for m in range(count):
        for t in range(frames):
            near = reach if t + reach <= frames else frames - t
            for a in range(unknowns):
                row = t * unknowns + a
                right[row, 0] += vectors[m, t, a] * wanted[m, t]
                for d in range(near):
                    scaled = vectors[m, t, a] * ties[m, t, d]
                    # Of a frame with itself only one half: the matrix is symmetric.
                    for b in range(a if d == 0 else 0, unknowns):
                        bands[row, d * unknowns + b - a] += scaled * vectors[m, t + d, b]


class BandedLeastSquares:
    """Weighted equations for curves with some unknowns per frame, each over at most three frames.

    Parameters
    ----------
    frames, unknowns
        How many frames, and how many unknowns each has.
    sides
        Right-hand sides that are solved for at once.
    tracks
        How many such problems are solved at once, such as one for each foot; rows do not tie one to
        another. Shapes below begin with T, or with ``tracks, T`` if their number is given.
    across
        Whether an unknown may be tied to every one of the next two frames, not only to the same.
    """

    def __init__(
        self,
        frames: int,
        unknowns: int,
        sides: int = 1,
        tracks: int | None = None,
        across: bool = False,
    ) -> None:
        self.shape = (frames,) if tracks is None else (tracks, frames)
        self.unknowns = unknowns
        self.width = 3 * unknowns if across else 2 * unknowns + 1
        # What ties each unknown to itself and to the same one of the next two frames, and all else.
        self.ties = np.zeros((*self.shape, unknowns, 3))
        self.along: list[tuple[Array, Array, Array]] = []
        self.right = np.zeros((*self.shape, unknowns, sides))
        # Where copies are solved one after the other: new memory costs more than the arithmetic.
        self._work: dict[int, Array] = {}

    def copy(self) -> BandedLeastSquares:
        """The same rows, to add more to."""
        other = self._like()
        other.along = list(self.along)
        other.ties, other.right = self.ties.copy(), self.right.copy()
        return other

    def of_tracks(self, chosen: NDArray[np.intp]) -> BandedLeastSquares:
        """The rows of some tracks, to add more to; not what is along vectors."""
        if self.along or len(self.shape) == 1:
            raise ValueError("only stencils of several tracks can be told apart")
        other = self._like()
        other.shape = (len(chosen), self.shape[-1])
        other.along = []
        other.ties, other.right = self.ties[chosen], self.right[chosen]
        return other

    def _like(self) -> BandedLeastSquares:
        other = BandedLeastSquares.__new__(BandedLeastSquares)
        other.__dict__.update(self.__dict__)
        return other

    def add_change(
        self, stencil: Sequence[float], weights: ArrayLike, targets: ArrayLike = 0.0
    ) -> None:
        """The same row for all unknowns: a stencil over one, two or three frames in a row.

        Parameters
        ----------
        stencil
            Coefficients of the frames, such as ``(-1, 1)``.
        weights
            Of the squares, ``(T - len(stencil) + 1, unknowns)`` or what is repeated to that.
        targets
            What the sums shall be, the same; with several right-hand sides of one unknown,
            ``(T - len(stencil) + 1, sides)``.
        """
        rows = self.shape[-1] - len(stencil) + 1
        if rows <= 0:
            return
        weights, targets = np.asarray(weights), np.asarray(targets)
        wanted = None
        if targets.any():
            several = self.right.shape[-1] > 1
            wanted = weights[..., None] * (targets[..., None, :] if several else targets[..., None])
        for a, coefficient in enumerate(stencil):
            inside = slice(a, a + rows)
            for b, other in enumerate(stencil[a:]):
                self.ties[..., inside, :, b] += coefficient * other * weights
            if wanted is not None:
                self.right[..., inside, :, :] += coefficient * wanted

    def add_smoothness(self, width: float, costs: tuple[float, ...] = (1.0,)) -> None:
        """Penalise size, speed and bending of all unknowns, with a time scale of ``width`` frames.

        ``|x|^2 + 2 width^2 |x'|^2 + width^4 |x''|^2`` is critical damping: a correction fades out
        without overshooting. ``costs`` are factors, one for each unknown or for all.
        """
        ties, near = self.ties, _smoothness(min(self.shape[-1], _SHORT), width, costs)
        if len(near) < _SHORT:
            ties += near
            return
        # All frames but those near the ends have the same equations.
        half = _SHORT // 2
        ties[..., :half, :, :] += near[:half]
        ties[..., half:-half, :, :] += near[half]
        ties[..., -half:, :, :] += near[half + 1 :]

    def add_along(self, vectors: Array, ties: Array, right: Array) -> None:
        """Equations in what the unknowns of a frame amount to along vectors.

        That is ``y = vectors · x``, for m vectors in each frame. What is added are the normal
        equations of rows in ``y``; different vectors of a frame are not tied to each other.

        Parameters
        ----------
        vectors
            ``(m, T, unknowns)``.
        ties
            ``(m, T, n)`` what ties each ``y`` to itself and to those of the next n - 1 frames, 0
            behind the last.
        right
            ``(m, T)`` their right-hand sides.
        """
        count, reach = len(vectors), ties.shape[-1]
        if reach * self.unknowns > self.width:
            raise ValueError("only rows of an `across` system tie vectors of several frames")
        self.along.append(
            (
                read_only(vectors.reshape(count, -1, self.unknowns)),
                read_only(ties.reshape(count, -1, reach)),
                read_only(right.reshape(count, -1)),
            )
        )

    def solve(self, free: BoolArray) -> Array:
        """The unknowns ``(T, unknowns)``, or ``(T, sides)`` of one; zero in frames not free.

        ``free`` is ``(T,)``, for each track if there are several.
        """
        # At thousands of frames per second, bending outweighs size by more than the digits that
        # numbers have, so that rounding makes the equations unsolvable. Then as little as necessary
        # is added to the diagonal, which only penalises size a bit more.
        fixed = None if free.all() else ~free
        for ridge in (0.0, *_RIDGES):
            bands, right = self._pinned(fixed)
            if ridge:
                bands[:, 0] *= 1.0 + ridge
            try:
                found = solve_bands(bands, right, overwrite=True).reshape(*self.shape, -1)
            except np.linalg.LinAlgError:
                continue
            if fixed is not None:
                found[fixed] = 0.0
            return found
        raise MotionError(
            "the feet cannot be planted: positions or times of the motion are out of all proportion"
        )

    def _pinned(self, fixed: BoolArray | None) -> tuple[Array, Array]:
        """Bands and right-hand sides that hold ``fixed`` frames, if any, at zero."""
        size = self.right[..., 0].size
        if size not in self._work:
            self._work[size] = np.empty((size, self.width))
        bands, right = self._work[size], self.right.reshape(size, -1).copy()
        bands.fill(0.0)
        # Bands that lie whole frames apart.
        bands[:, :: self.unknowns] = self.ties.reshape(size, 3)
        for each in self.along:
            _add_products(bands, right, *each)
        if fixed is not None:
            diagonal = bands[:, 0].reshape(*self.shape, self.unknowns)
            peak = diagonal.max(axis=(-2, -1), keepdims=True)
            np.copyto(diagonal, _PINNED * np.maximum(peak, 1.0), where=fixed[..., None])
            right.reshape(*self.shape, -1)[fixed] = 0.0
        return bands, right


def product(ties: Array, values: Array) -> Array:
    """Symmetric ties ``(..., T, n)`` of each value to itself and to the next n - 1, times values
    ``(..., T)``."""
    result = np.asarray(ties[..., 0] * values)
    for apart in range(1, min(ties.shape[-2:])):
        tie = ties[..., :-apart, apart]
        result[..., :-apart] += tie * values[..., apart:]
        result[..., apart:] += tie * values[..., :-apart]
    return result


@lru_cache(maxsize=64)
def _smoothness(frames: int, width: float, costs: tuple[float, ...]) -> Array:
    """What `BandedLeastSquares.add_smoothness` adds to the ties of a few frames, ``(frames, costs,
    3)``."""
    short = BandedLeastSquares(frames, len(costs))
    cost = np.array(costs)
    short.add_change((1.0,), cost)
    short.add_change((-1.0, 1.0), cost * (2.0 * width**2))
    short.add_change((1.0, -2.0, 1.0), cost * width**4)
    return short.ties
