"""Least squares over time: unknowns of each frame, tied to those of the frames beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.core.arrays import Array, BoolArray, read_only
from motionweave.core.bands import solve_bands
from motionweave.core.compiled import kernel
from motionweave.errors import MotionError

# A fixed frame is held with this much more weight than anything else.
_PINNED = 1e6
# Shares of the diagonal that are added where rounding makes the equations unsolvable.
_RIDGES = (1e-14, 1e-12, 1e-10, 1e-8)
# An odd number of frames, of which the middle one is further from the ends than rows reach.
_SHORT = 5


@kernel()
def _accumulate(banded, right, columns, coefficients, weights, targets):  # type: ignore[no-untyped-def]
    """Add rows to the normal equations, in the form of `motionweave.core.bands`.

    Row r is ``sum_k coefficients[r, k] x[columns[r] + k] = targets[r]``, with a weight. Values that
    are the same for all rows, or sides, may be given once.
    """
    for r in range(columns.shape[0]):
        own = r if coefficients.shape[0] > 1 else 0
        weight = weights[r if weights.shape[0] > 1 else 0]
        target = targets[r if targets.shape[0] > 1 else 0]
        if weight == 0.0:
            continue
        for a in range(coefficients.shape[1]):
            scaled = weight * coefficients[own, a]
            if scaled == 0.0:
                continue
            row = columns[r] + a
            for s in range(right.shape[1]):
                right[row, s] += scaled * target[s if target.shape[0] > 1 else 0]
            for b in range(a, coefficients.shape[1]):
                banded[row, b - a] += scaled * coefficients[own, b]


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
    """

    def __init__(
        self, frames: int, unknowns: int, sides: int = 1, tracks: int | None = None
    ) -> None:
        self.unknowns = unknowns
        self.shape = (frames,) if tracks is None else (tracks, frames)
        # What ties each unknown to itself and to that of the next frames, and all other rows.
        self.stencils = np.zeros((*self.shape, unknowns, 3))
        self.rows: list[tuple[NDArray[np.int64], Array, Array, Array]] = []
        self.right = np.zeros((int(np.prod(self.shape)) * unknowns, sides))
        # How many bands rows have reached so far.
        self.width = 1
        # Where copies are solved one after the other: new memory costs more than the arithmetic.
        self._work: dict[tuple[int, int], Array] = {}

    def copy(self) -> BandedLeastSquares:
        """The same rows, to add more to."""
        other = BandedLeastSquares.__new__(BandedLeastSquares)
        other.__dict__.update(self.__dict__)
        other.rows = list(self.rows)
        other.stencils, other.right = self.stencils.copy(), self.right.copy()
        return other

    def of_tracks(self, chosen: NDArray[np.intp]) -> BandedLeastSquares:
        """The rows of some tracks, to add more to: stencils only."""
        if self.rows or len(self.shape) == 1:
            raise ValueError("only stencils of several tracks can be told apart")
        other = BandedLeastSquares.__new__(BandedLeastSquares)
        other.__dict__.update(self.__dict__)
        other.rows = []
        other.shape = (len(chosen), self.shape[-1])
        other.stencils = self.stencils[chosen]
        sides = self.right.shape[1]
        other.right = self.right.reshape(self.shape[0], -1, sides)[chosen].reshape(-1, sides)
        return other

    def add(
        self,
        first: NDArray[np.intp],
        coefficients: Array,
        weights: ArrayLike,
        targets: ArrayLike = 0.0,
        offset: int = 0,
    ) -> None:
        """Rows that begin at an unknown of frames ``first``.

        Parameters
        ----------
        first
            ``(n,)`` frames; those of the second track are counted on from those of the first.
        coefficients
            ``(n, k)`` of the k unknowns from that one on, through the frames that follow; or
            ``(1, k)``, the same for all rows.
        weights
            ``(n,)`` of the squares, or one number.
        targets
            ``(n,)`` or ``(n, sides)`` what the sums shall be, or one number.
        offset
            Which unknown of frame ``first`` the row begins at.
        """
        if len(first) == 0:
            return
        wanted = np.asarray(targets, dtype=np.float64)
        self.width = max(self.width, coefficients.shape[-1])
        self.rows.append(
            (
                np.asarray(first, dtype=np.int64) * self.unknowns + offset,
                read_only(np.atleast_2d(coefficients)),
                read_only(np.atleast_1d(weights)),
                read_only(wanted[:, None] if wanted.ndim == 1 else np.atleast_2d(wanted)),
            )
        )

    def add_change(
        self,
        stencil: Sequence[float],
        weights: ArrayLike,
        targets: ArrayLike = 0.0,
        unknowns: Sequence[int] | None = None,
    ) -> None:
        """The same row for some unknowns: a stencil over one, two or three frames in a row.

        Parameters
        ----------
        stencil
            Coefficients of the frames, such as ``(-1, 1)``.
        weights
            ``(T - len(stencil) + 1,)`` or one number.
        targets
            One number, or ``(T - len(stencil) + 1, unknowns)``; with several right-hand sides of
            one unknown, of those.
        unknowns
            Which; all by default.
        """
        chosen = slice(None) if unknowns is None else list(unknowns)
        self._add_stencil(stencil, np.asarray(weights)[..., None], np.asarray(targets), chosen)

    def add_smoothness(self, width: float, costs: Sequence[float] | None = None) -> None:
        """Penalise size, speed and bending of all unknowns, with a time scale of ``width`` frames.

        ``|x|^2 + 2 width^2 |x'|^2 + width^4 |x''|^2`` is critical damping: a correction fades out
        without overshooting. ``costs`` are factors, one for each unknown.
        """
        cost = np.array(costs or (1.0,) * self.unknowns)
        if self.shape[-1] > _SHORT:
            # All frames but those near the ends have the same equations.
            short = BandedLeastSquares(_SHORT, self.unknowns)
            short.add_smoothness(width, costs)
            half = _SHORT // 2
            self.stencils[..., :half, :, :] += short.stencils[:half]
            self.stencils[..., half:-half, :, :] += short.stencils[half]
            self.stencils[..., -half:, :, :] += short.stencils[half + 1 :]
            self.width = max(self.width, short.width)
            return
        for stencil, weight in (
            ((1.0,), 1.0),
            ((-1.0, 1.0), 2.0 * width**2),
            ((1.0, -2.0, 1.0), width**4),
        ):
            self._add_stencil(stencil, cost * weight, np.zeros(()), slice(None))

    def _add_stencil(
        self, stencil: Sequence[float], weights: Array, targets: Array, chosen: slice | list[int]
    ) -> None:
        """A stencil for the chosen unknowns, with weights and targets for rows and unknowns."""
        rows = self.shape[-1] - len(stencil) + 1
        if rows <= 0:
            return
        self.width = max(self.width, (len(stencil) - 1) * self.unknowns + 1)
        right = self.right.reshape(*self.shape, self.unknowns, -1)
        # What is given for each unknown, or for each side of a single one.
        several = self.unknowns == 1 and targets.ndim > 0
        targets = targets[..., None, :] if several else targets[..., None]
        wanted = weights[..., None] * targets if targets.any() else None
        for a, coefficient in enumerate(stencil):
            frames = slice(a, a + rows)
            for b, other in enumerate(stencil[a:]):
                self.stencils[..., frames, chosen, b] += coefficient * other * weights
            if wanted is not None:
                right[..., frames, chosen, :] += coefficient * wanted

    def solve(self, free: BoolArray) -> Array:
        """The unknowns ``(T, unknowns)``, or ``(T, sides)`` of one; zero in frames not free.

        ``free`` is ``(T,)``, for each track if there are several.
        """
        # At thousands of frames per second, bending outweighs size by more than the digits that
        # numbers have, so that rounding makes the equations unsolvable. Then as little as necessary
        # is added to the diagonal, which only penalises size a bit more.
        for ridge in (0.0, *_RIDGES):
            banded, right = self._pinned(free)
            banded[:, 0] *= 1.0 + ridge
            try:
                found = solve_bands(banded, right, overwrite=True).reshape(*self.shape, -1)
            except np.linalg.LinAlgError:
                continue
            found[~free] = 0.0
            return found
        raise MotionError(
            "the feet cannot be planted: positions or times of the motion are out of all proportion"
        )

    def _pinned(self, free: BoolArray) -> tuple[Array, Array]:
        """Bands and right-hand sides that hold the frames that are not free at zero."""
        size = len(self.right), self.width
        if size not in self._work:
            self._work[size] = np.empty(size)
        banded, right = self._work[size], self.right.copy()
        banded.fill(0.0)
        # Bands that lie whole frames apart.
        apart = banded[:, :: self.unknowns]
        apart += self.stencils.reshape(len(banded), 3)[:, : apart.shape[1]]
        for rows in self.rows:
            _accumulate(banded, right, *rows)
        if not free.all():
            diagonal = banded.reshape(*self.shape, self.unknowns, -1)[..., 0]
            peak = diagonal.max(axis=(-2, -1), keepdims=True)
            held = np.broadcast_to(_PINNED * np.maximum(peak, 1.0), diagonal.shape)
            diagonal[~free] = held[~free]
            right.reshape(*self.shape, -1)[~free] = 0.0
        return banded, right
