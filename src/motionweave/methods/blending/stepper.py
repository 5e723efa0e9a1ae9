"""Live blending: one frame at a time, with weights decided on the fly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from motionweave.core import kinematics
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.averaging import mean_rotations
from motionweave.core.checks import LARGEST, shown
from motionweave.core.planar import Planar
from motionweave.core.skeleton import Skeleton
from motionweave.errors import BlendError
from motionweave.methods.blending.advance import Pace, by_rates
from motionweave.methods.blending.clips import ClipStack
from motionweave.methods.blending.live import move_on, turn_roots
from motionweave.methods.blending.weights import normalized, votes
from motionweave.registration.curve import RegistrationCurve


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
    """Follows a registration curve in time steps.

    On a cyclic curve it never ends; on an open one it stops at the end (`finished`). Its memory
    does not grow.

    Parameters
    ----------
    curve
        The curve from `register`.
    start
        Where on the curve to start; at its beginning by default.
    pace
        How the motions agree on the speed along the curve; see `blend`.

    Examples
    --------
    >>> import motionweave as mw
    >>> curve = mw.register(mw.sample("walk"), mw.sample("jog"), ends="cyclic")
    >>> stepper = mw.Stepper(curve)
    >>> pose = stepper.step([0.7, 0.3], dt=1 / 60)
    >>> stepper.finished
    False
    """

    def __init__(
        self, curve: RegistrationCurve, start: float | None = None, *, pace: Pace = "durations"
    ):
        check_arguments(Stepper.__init__, locals(), BlendError)
        self.curve = curve
        warp, align = curve.timewarp.spline, curve.alignment.spline
        begin = warp.start if start is None else float(start)
        if not curve.cyclic and not warp.start <= begin <= warp.end:
            raise BlendError(
                f"start {begin:g} is not on the curve ({warp.start:g} to {warp.end:g})"
            )
        clips = len(curve.motions)
        self._stack = ClipStack.of(curve.motions)
        self._rates = np.array([m.fps for m in curve.motions])
        # Writable copies: kernels are compiled for one kind of array.
        self._timewarp = np.array(warp.control, order="C")
        self._alignment = np.array(align.control, order="C")
        # Places are counted in spans of the timewarp; the alignment has different spans.
        self._span = (warp.end - warp.start) / warp.spans
        finer = align.spans / (align.end - align.start)
        self._alignment_start = (warp.start - align.start) * finer
        self._alignment_scale = self._span * finer
        self._place = (begin - warp.start) / self._span
        self._aligned = _as_rows(curve.alignment.at(np.array([begin]))[0])
        self._group = _as_rows(curve.alignment.at(np.array([begin]))[0, :1].inverse())[0]
        cycle = curve.displacement
        self._by_rates = by_rates(pace)
        self._cycle = np.zeros((0, 3)) if cycle is None else _as_rows(cycle)
        # Bounds of all matches at once, (2 m, k): first where they begin, then where they end.
        self._kinds = [match.kind for match in curve.matches]
        bounds = np.array([match.intervals for match in curve.matches]).reshape(-1, clips, 2)
        self._bounds = np.concatenate([bounds[..., 0], bounds[..., 1]])

    def __repr__(self) -> str:
        return f"<Stepper of {len(self.curve)} clips at u = {self.u:.3f}>"

    @property
    def u(self) -> float:
        """The place on the curve."""
        return float(self.curve.timewarp.start + self._span * self._place)

    @property
    def finished(self) -> bool:
        """Whether the end of an open curve has been reached."""
        return not self.curve.cyclic and self._place >= self.curve.timewarp.spline.spans

    def step(self, weights: Sequence[float] | Array, dt: float) -> Pose:
        """Advance by ``dt`` seconds (zero to stay) and return the pose there.

        Parameters
        ----------
        weights
            ``(k,)``, scaled to sum to one.
        dt
            Seconds since the last step.
        """
        # Quicker than `check_arguments`: this runs many times per frame of a game.
        if not (isinstance(dt, float | int) and 0.0 <= dt <= LARGEST):
            raise BlendError(f"time step {shown(dt)}: expected seconds, zero or more")
        row = normalized(weights, len(self.curve.motions))
        if row.ndim != 1:
            raise BlendError("a step takes a single row of weights")
        stack = self._stack
        frames, moves, root = np.empty(len(row)), np.empty((len(row), 3)), np.empty(3)
        self._place = move_on(
            self._timewarp,
            self._alignment,
            self.curve.alignment.reference,
            self._alignment_start,
            self._alignment_scale,
            votes(row),
            row,
            dt * self._rates,
            self._by_rates,
            self._cycle,
            stack.root,
            stack.first,
            stack.last,
            self._place,
            self._group,
            self._aligned,
            frames,
            moves,
            root,
        )
        places = stack.places(frames)
        poses = kinematics.sample_rotations(stack.rotations, places)
        turn_roots(poses, moves)
        signed = partial(stack.signs_at, places, poses[:, None, 0])
        slides = None
        if stack.translations is not None:
            slides = np.tensordot(row, kinematics.sample_vectors(stack.translations, places), 1)
        return Pose(
            stack.skeleton,
            root,
            mean_rotations(poses[:, None], row[None], signed)[0],
            slides,
            self._held(row),
            self.u,
        )

    def _held(self, row: Array) -> frozenset[str]:
        u, warp = self.u, self.curve.timewarp
        period = warp.end - warp.start if self.curve.cyclic else math.inf
        bounds = (self._bounds @ row).tolist()
        held = set()
        for kind, begin, end in zip(
            self._kinds, bounds[: len(self._kinds)], bounds[len(self._kinds) :], strict=True
        ):
            # On a cyclic curve the lap that brings u nearest after the start of the match.
            after = (u - begin) % period if self.curve.cyclic else u - begin
            if 0.0 <= after <= end - begin:
                held.add(kind)
        return frozenset(held)


def _as_rows(moves: Planar) -> Array:
    """Moves ``(k,)`` as ``(k, 3)``: angle, x, z."""
    return np.stack(np.broadcast_arrays(moves.angle, moves.x, moves.z), axis=-1).astype(float)
