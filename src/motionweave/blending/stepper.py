"""Blending live: one frame at a time, with weights decided as you go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.blending.advance import advance
from motionweave.blending.clips import ClipStack
from motionweave.blending.weights import normalized, votes
from motionweave.core import kinematics
from motionweave.core.planar import Planar
from motionweave.core.skeleton import Skeleton
from motionweave.errors import BlendError
from motionweave.registration.curve import RegistrationCurve

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pose:
    """One frame of a live blend.

    Parameters
    ----------
    skeleton
        The character, J joints.
    root, rotations
        ``(3,)`` root position and ``(J, 4)`` local rotations.
    held
        Kinds of the constraints that hold, such as ``left_toe``.
    u
        Place on the curve.
    """

    skeleton: Skeleton
    root: Array
    rotations: Array
    translations: Array | None
    held: frozenset[str]
    u: float

    def positions(self) -> Array:
        """Global joint positions, ``(J, 3)``."""
        moving = None if self.translations is None else self.translations[None]
        return kinematics.forward(
            self.skeleton.parents,
            self.skeleton.offsets,
            self.root[None],
            self.rotations[None],
            moving,
        )[0][0]


class Stepper:
    """Walks along a registration curve in steps of time.

    On a cyclic curve it goes on for ever; on an open one it stops at the end
    (`finished`). Its memory does not grow.

    Parameters
    ----------
    curve
        What `register` found.
    start
        Where on the curve to begin, its beginning by default.
    """

    def __init__(self, curve: RegistrationCurve, start: float | None = None):
        self.curve = curve
        spline = curve.timewarp.spline
        self._scale = (spline.end - spline.start) / spline.spans
        self._rates = np.array([m.fps for m in curve.motions])
        self._stack = ClipStack.of(curve.motions)
        self._u = spline.start if start is None else float(start)
        if not curve.cyclic and not spline.start <= self._u <= spline.end:
            raise BlendError(
                f"start {self._u:g} is not on the curve ({spline.start:g} to {spline.end:g})"
            )
        # Bounds of all matches at once, (m, k), so that a step needs no loop over them.
        self._kinds = [match.kind for match in curve.matches]
        bounds = np.array([match.intervals for match in curve.matches])
        self._bounds = bounds.reshape(-1, len(curve.motions), 2)
        self._aligned = curve.alignment.at(np.array([self._u]))[0]
        self._place = self._aligned[0].inverse()
        self._cycle = curve.displacement

    @property
    def finished(self) -> bool:
        """Whether the end of an open curve has been reached."""
        return not self.curve.cyclic and self._u >= self.curve.timewarp.end

    def step(self, weights: Sequence[float] | Array, dt: float) -> Pose:
        """Move on by ``dt`` seconds (zero: stay) and return the pose there.

        Parameters
        ----------
        weights
            ``(k,)``, scaled to sum to one.
        dt
            Seconds since the last step.
        """
        if not (np.isfinite(dt) and dt >= 0.0):
            raise BlendError(f"time step {dt}: expected seconds, zero or more")
        row = normalized(weights, len(self.curve.motions))
        if row.ndim != 1:
            raise BlendError("a step takes one row of weights")
        spline = self.curve.timewarp.spline
        share = votes(row)[None].repeat(2, axis=0)
        place = advance(
            spline.control,
            (self._u - spline.start) / self._scale,
            dt * self._rates,
            share,
            self.curve.cyclic,
        )[1]
        self._u = spline.start + self._scale * place
        if not self.curve.cyclic:
            self._u = min(self._u, spline.end)
        frames = self._settle(row)
        moves = (self._place @ self._aligned)[None]
        root, turned, slides = self._stack.average(frames, row[None], moves)
        return Pose(
            self._stack.skeleton,
            root[0],
            turned[0],
            None if self._stack.translations is None else slides[0],
            self._held(row),
            self._u,
        )

    def _settle(self, row: Array) -> Array:
        """Move the group of aligned frames on, as `placements` does for whole blends.

        Returns the frames ``(1, k)`` to average. On a cyclic curve u is brought back onto it.
        """
        spline = self.curve.timewarp.spline
        was = self._aligned
        while self._cycle is not None and self._u >= spline.end:
            self._u -= spline.end - spline.start
            was = was @ self._cycle
        now = self.curve.alignment.at(np.array([self._u]))[0]
        frames = self.curve.timewarp.frames(np.array([self._u]))
        step = was @ now.inverse()
        turn = np.mod(step.angle + np.pi, 2.0 * np.pi) - np.pi
        roots = now.apply(self._stack.roots(frames)[0])
        origin = roots[:, [0, 2]].mean(axis=0)
        self._place = self._place @ Planar(turn, step.x, step.z).mean(row, origin)
        self._aligned = now
        return frames

    def _held(self, row: Array) -> frozenset[str]:
        u = self._u
        begin, end = self._bounds[..., 0] @ row, self._bounds[..., 1] @ row
        if self.curve.cyclic:
            # The lap that brings u nearest after the start of each match.
            period = self.curve.timewarp.end - self.curve.timewarp.start
            end = end + np.floor((u - begin) / period) * period
            return frozenset(kind for kind, last in zip(self._kinds, end, strict=True) if u <= last)
        inside = (u >= begin) & (u <= end)
        return frozenset(kind for kind, yes in zip(self._kinds, inside, strict=True) if yes)
