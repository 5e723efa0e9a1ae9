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
    """

    def __init__(self, frames: int, unknowns: int, sides: int = 1) -> None:
        self.frames, self.unknowns = frames, unknowns
        self.banded = np.zeros((frames * unknowns, 3 * unknowns))
        self.right = np.zeros((frames * unknowns, sides))
        # How many of the bands rows have reached so far.
        self.width = 1

    def copy(self) -> BandedLeastSquares:
        """The same rows, to add more to."""
        other = BandedLeastSquares.__new__(BandedLeastSquares)
        other.frames, other.unknowns = self.frames, self.unknowns
        other.banded, other.right = self.banded.copy(), self.right.copy()
        other.width = self.width
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
            ``(n,)`` frames.
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
        _accumulate(
            self.banded,
            self.right,
            np.asarray(first, dtype=np.int64) * self.unknowns + offset,
            read_only(np.atleast_2d(coefficients)),
            read_only(np.atleast_1d(weights)),
            read_only(wanted[:, None] if wanted.ndim == 1 else np.atleast_2d(wanted)),
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
            One number, or ``(T - len(stencil) + 1, unknowns)``.
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
        rows = self.frames - len(stencil) + 1
        if rows <= 0:
            return
        self.width = max(self.width, (len(stencil) - 1) * self.unknowns + 1)
        # Of the bands those that lie whole frames apart.
        bands = self.banded.reshape(self.frames, self.unknowns, -1)[..., :: self.unknowns]
        right = self.right.reshape(self.frames, self.unknowns, -1)
        for a, coefficient in enumerate(stencil):
            frames = slice(a, a + rows)
            for b, other in enumerate(stencil[a:]):
                bands[frames, chosen, b] += coefficient * other * weights
            if targets.any():
                right[frames, chosen] += (coefficient * weights * targets)[..., None]

    def solve(self, free: BoolArray) -> Array:
        """The unknowns ``(T, unknowns)``, or ``(T, sides)`` of one; zero in frames not free."""
        banded = self.banded[:, : self.width].copy()
        diagonal = banded.reshape(self.frames, self.unknowns, -1)[..., 0]
        diagonal[~free] = _PINNED * max(float(diagonal.max()), 1.0)
        right = self.right.reshape(self.frames, self.unknowns, -1).copy()
        right[~free] = 0.0
        found = _solved(banded, right.reshape(self.right.shape)).reshape(self.frames, -1)
        found[~free] = 0.0
        return np.asarray(found)


def _solved(banded: Array, right: Array) -> Array:
    """The solution of normal equations, which are positive definite except for rounding.

    At thousands of frames per second, bending outweighs size by more than the digits that numbers
    have. Then as little as necessary is added to the diagonal, which only penalises size a bit
    more.
    """
    for share in (0.0, *_RIDGES):
        held = banded.copy() if share else banded
        held[:, 0] *= 1.0 + share
        try:
            return solve_bands(held, right)
        except np.linalg.LinAlgError:
            continue
    raise MotionError(
        "the feet cannot be planted: positions or times of the motion are out of all proportion"
    )
