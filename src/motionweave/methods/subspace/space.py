"""The subspace of clips, and splines through it that join them (Mukai, section 2.3)."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from motionweave.body.pose.heading import facing
from motionweave.body.pose.tpose import tpose_frames
from motionweave.core.arguments import check_arguments
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.errors import BlendError, Kind, QualityWarning, Remedy
from motionweave.methods.finish import Finished, finish
from motionweave.methods.joining.junctions import (
    CUT,
    Junction,
    action_before,
    find_junctions,
    warn_of_cut,
    what_is_cut,
)
from motionweave.methods.joining.search import MOST_TRIES, Steps, cheapest, relaxed
from motionweave.methods.joining.splice import Spliced, plant_near_seams
from motionweave.methods.joining.strain import Strain
from motionweave.methods.subspace import bezier
from motionweave.methods.subspace.embedding import Embedding, features
from motionweave.methods.subspace.field import Field
from motionweave.methods.subspace.gap import Gap
from motionweave.methods.subspace.joined import SplineTransition
from motionweave.methods.subspace.part import Part
from motionweave.methods.subspace.points import JoinedPoints
from motionweave.methods.subspace.tracing import JoinedClip, hand_over

# Default length of a spline.
_LENGTH = 1.3
# The longest transition in seconds if it is made longer only to be calm.
_LONGEST = 2.5
# Seconds of both clips that a spline replaces on either side of where they are most similar.
_HALF = 0.15
# Body heights up to which clips do the same side by side, and the cost of a wider place to hand
# one over to the other.
_ALIKE, _WIDER = 0.1, 1e-3
# How many times that room a spline may take.
_WIDTHS = (1, 2, 3)
# How far from all frames of the clips a spline may lead, in body heights, before there is a
# warning: the poses there are unknown.
_UNKNOWN = 0.2
# Gaps that are cached for further splines.
_MOST_GAPS = 64


class _Bridged(NamedTuple):
    """Two frames joined by a spline, its points and its control points, and the unit of length."""

    pair: tuple[int, int]
    joined: Spliced
    path: Array
    control: Array
    unit: float


@dataclass(frozen=True, eq=False)
class Subspace:
    """Clips as curves in one linear subspace. Made by `subspace`.

    Fitting it is the slow part (still a fraction of a second); any number of
    transitions can be made from it.

    Parameters
    ----------
    a, b
        The clips to join; ``b`` with the bone lengths and the frame rate of ``a``.
    embedding
        The subspace.
    curves
        Points ``(T, d)`` of the frames of ``a`` and of ``b``.
    velocities
        Derivatives ``(T, d)`` of the curves in time, per second.
    rows
        The poses ``(T, F)`` of the frames as rows of numbers; see `PoseCode`.
    samples
        ``(S,)`` which of the frames, those of ``b`` after those of ``a``, and then those of
        further clips, are samples.
    field
        Poses and speeds at any point, estimated from the samples.
    enter_scale
        Frames of ``b`` here per frame of the original clip.
    paper
        Whether transitions are made exactly as in the paper.
    part
        The part of the body that alone changes to ``b``; None for all of it. The clips here then
        show only that part in motion.
    """

    a: Motion
    b: Motion
    embedding: Embedding
    curves: tuple[Array, Array]
    velocities: tuple[Array, Array]
    rows: tuple[Array, Array]
    samples: NDArray[np.intp]
    field: Field
    enter_scale: float = 1.0
    paper: bool = False
    part: Part | None = None
    _gaps: dict[tuple[int, int, int, float], Gap] = dataclasses.field(default_factory=dict)

    def __repr__(self) -> str:
        names = " and ".join(clip.name or "a clip" for clip in (self.a, self.b))
        return (
            f"<Subspace of {names}: {self.curves[0].shape[1]} dimensions, "
            f"{self.explained:.0%} explained>"
        )

    @property
    def explained(self) -> float:
        """Share of the squared dissimilarities that the subspace keeps, 0 to 1."""
        return self.embedding.explained

    def best_pair(self, leave: int | None = None, enter: int | None = None) -> tuple[int, int]:
        """The frames to leave and to enter: similar in pose and velocity, with little cut off.

        Parameters
        ----------
        leave, enter
            One of the two, if it is given; the other is then chosen to fit it.
        """
        if leave is not None and enter is not None:
            return leave, enter
        return next(iter(self._pairs(leave, enter)))[1]

    def _pairs(
        self, leave: int | None, enter: int | None, *, wide: bool = False
    ) -> Iterator[tuple[float, tuple[int, int]]]:
        """Pairs of frames and their costs, the cheapest first.

        If they may be ``wide``, junctions at which the clips do the same are tried with more room,
        too, in which one can be handed over to the other.
        """
        if leave is None and enter is None:
            around = 0 if self.paper else round(self._half * self.a.fps)
            first, last = tpose_frames(self.a), len(self.b) - 1
            for junction in self._junctions:
                left, right = (round(frame) for frame in junction.frames)
                alike = np.linalg.norm(self.curves[0][left] - self.curves[1][right]) <= _ALIKE
                # The bridge replaces a short part of both clips, so it need not return there.
                for times in _WIDTHS if wide and alike else (1,):
                    room = times * around
                    pair = max(left - room, first), min(right + room, last)
                    yield junction.cost + (times - 1) * _WIDER, pair
            return
        given, other = (0, 1) if leave is not None else (1, 0)
        frame = leave if leave is not None else enter
        assert frame is not None
        apart = np.linalg.norm(self.curves[other] - self.curves[given][frame], axis=1)
        before = action_before((self.a, self.b)[other])
        cost = apart + CUT * (before if other else 1.0 - before)
        if not other:
            cost[self._latest + 1 :] = np.inf
        cost[: tpose_frames((self.a, self.b)[other])] = np.inf
        best = int(np.argmin(cost))
        yield float(cost[best]), (frame, best) if other else (best, frame)

    def transition(
        self,
        leave: int | None = None,
        enter: int | None = None,
        *,
        degree: int = 4,
        length: float | None = None,
        bias: float = 0.0,
        clean: bool = True,
    ) -> SplineTransition:
        """Join the clips by a spline.

        Parameters
        ----------
        leave, enter
            Last frame kept of ``a`` and first frame kept of ``b``, each in frames of the original
            clip; None for the best.
        degree
            2 to 6. A quadratic spline is quick and plain; 4 or more leaves room for follow-through
            and anticipation.
        length
            Length of the spline relative to the most direct one; longer splines swing further and
            take more time. None for one that looks good and lasts as long as the body needs to stay
            calm; if the frames to leave and to enter are the same, that frame is then shown once,
            without a bridge. Where both clips do the same side by side, they are then faded into
            each other if that is calmer than a spline.
        bias
            -1 to 1: below 0 more follow-through of the first clip, above 0 more
            anticipation of the second.
        clean
            Whether to plant the feet that stand during the transition.

        Returns
        -------
        SplineTransition
            The joined motion, and how it was made.

        Raises
        ------
        BlendError
            If a frame is not in its clip, or degree, length or bias is out of range.

        Warns
        -----
        QualityWarning
            If half of a clip or more is cut off at automatically chosen frames, if no spline is as
            short as requested, if it leads through poses that no clip contains, or if the result is
            rougher than its clips.
        """
        check_arguments(Subspace.transition, locals(), BlendError)
        leave, enter = self._given(leave, enter)
        if self.paper or (leave is not None and enter is not None):
            bridges = self._bridges(self.best_pair(leave, enter), degree, length, bias)
            bridged = self._relaxed(*bridges, degree)
            done = self._finished(bridged.joined, clean)
        else:
            steps = partial(self._steps, degree=degree, length=length, bias=bias, clean=clean)
            bridged, done = cheapest(self._pairs(leave, enter, wide=length is None), steps)
        made = self._made(bridged, degree)
        self._warn(made, length, self._gap(made.leave, made.enter, degree, bias))
        if self.part is not None:
            return replace(made, motion=self.part.over_base(made.motion))
        if leave is None or enter is None:
            self.warn_of_cut(made)
        return replace(made, motion=done.reported((Remedy("leave"), Remedy("enter"))))

    def _finished(self, joined: Spliced, clean: bool) -> Finished:
        """A transition with its feet planted, and checked."""
        clean = clean and self.part is None
        seams = [(joined.start - self._begin, joined.end - self._begin)]
        plant = partial(plant_near_seams, seams=seams)
        shown = joined.motion[self._begin :]
        return finish(shown, (self.a, self.b), clean=clean, plant=plant, seams=seams)

    @cached_property
    def _begin(self) -> int:
        """The first frame that is shown of ``a``: a T-pose in front is not part of a clip, but
        stays below a part of the body."""
        return tpose_frames(self.a) if self.part is None else 0

    def _steps(
        self, pair: tuple[int, int], degree: int, length: float | None, bias: float, clean: bool
    ) -> Steps[tuple[_Bridged, Finished]]:
        """Two frames joined by a spline in steps; see `cheapest`."""
        lasting, longest = self._bridges(pair, degree, length, bias)
        yield self._strain.likely_cost(lasting(1.0).joined), None
        bridged = self._relaxed(lasting, longest, degree)
        cost = self._strain.cost(bridged.joined)
        yield cost, None
        done = self._finished(bridged.joined, clean)
        yield cost + done.cost, (bridged, done)

    def _bridges(
        self, pair: tuple[int, int], degree: int, length: float | None, bias: float
    ) -> tuple[Callable[[float], _Bridged], float]:
        """A function that joins two frames by a spline that lasts some times as long as it has to,
        and how many times at most."""
        gap = self._gap(*pair, degree, bias)
        wanted = _LENGTH if length is None else length
        traced = gap.trace(wanted)
        seconds = gap.duration(wanted)
        at_once = length is None and not self.paper and self._points.same(*pair)
        fixed = self.paper or at_once or length is not None

        @cache
        def lasting(times: float) -> _Bridged:
            frames = None if at_once else traced.frames(times * seconds)
            path, joined = self._bridge(pair, frames)
            return _Bridged(pair, joined, path, traced.control, gap.unit)

        return lasting, 1.0 if fixed else max(_LONGEST / seconds, 1.0)

    def _relaxed(
        self, lasting: Callable[[float], _Bridged], longest: float, degree: int
    ) -> _Bridged:
        """A bridge that lasts long enough for the body to stay calm."""
        if longest == 1.0:
            return lasting(1.0)
        times, _ = relaxed(lambda times: lasting(times).joined, self._strain, longest)
        return self._calmer(lasting(times), degree)

    def _calmer(self, bridged: _Bridged, degree: int) -> _Bridged:
        """A bridge, or the clips themselves faded into each other, whichever is calmer.

        Where the clips do the same side by side, going on with both of them for a moment leads
        from one to the other, and every spline is a detour.
        """
        pair = bridged.pair
        half = 2 * round(self._half * self.a.fps)
        middle = min(pair[0] + half, len(self.a) - 1), max(pair[1] - half, 0)
        apart = np.linalg.norm(self.curves[0][middle[0]] - self.curves[1][middle[1]])
        cost = self._strain.cost(bridged.joined)
        if apart > _ALIKE or cost == 0.0:
            return bridged
        clips = self._clip(0, pair[0], 1), self._clip(1, pair[1], -1)
        room = 2 * half

        @cache
        def handed(times: float) -> Spliced:
            steps = max(round(times * room), 1)
            rows = hand_over(*clips, steps, room, self.field.code, self.a.fps)
            return self._bridge(pair, (self.curves[0][:0], rows))[1]

        joined = relaxed(handed, self._strain)[1]
        if self._strain.cost(joined) >= cost:
            return bridged
        path = self.embedding.project(features(joined.middle))
        path[0], path[-1] = self.curves[0][pair[0]], self.curves[1][pair[1]]
        return bridged._replace(joined=joined, path=path, control=bezier.fitted(path, degree))

    def _made(self, bridged: _Bridged, degree: int) -> SplineTransition:
        """The transition before feet are planted."""
        joined = bridged.joined
        shown = joined.motion[self._begin :]
        return SplineTransition(
            motion=shown,
            raw=shown,
            start=joined.start - self._begin,
            end=joined.end - self._begin,
            leave=bridged.pair[0],
            enter=bridged.pair[1],
            degree=degree,
            length=bezier.arc_length(bridged.control) / bridged.unit,
            control=bridged.control,
            path=bridged.path,
            explained=self.explained,
            placed=joined.placed,
        )

    def _bridge(
        self, pair: tuple[int, int], frames: tuple[Array, Array] | None
    ) -> tuple[Array, Spliced]:
        """Points in the subspace, and the clips joined by the poses there.

        Without points and rows of poses the frame that is entered takes the place of the
        one that is left.
        """
        leave, enter = pair
        arrival = float(self._headings[0][leave])
        if frames is None:
            path = self.curves[1][enter : enter + 1]
            placed = self._placed(self.a.root[leave], arrival, enter)
            bridge = self.b[enter].moved(placed)
        else:
            path, rows = frames
            x, _, z = self.a.root[leave]
            code = self.field.code
            bridge = code.decode(rows, self.a, (arrival, x, z), footed=not self.paper)
            arrival += float(rows[:-1, code.columns["turn"]].sum())
            placed = self._placed(bridge.root[-1], arrival, enter)
        return path, Spliced(self.a, self.b, leave, enter, bridge, placed)

    def _given(self, leave: int | None, enter: int | None) -> tuple[int | None, int | None]:
        """The frames that are given, in frames of the clips here; an error says what is wrong."""
        frames: list[int | None] = []
        for what, frame, clip, scale in (
            ("leave", leave, self.a, 1.0),
            ("enter", enter, self.b, self.enter_scale),
        ):
            if frame is None:
                frames.append(None)
                continue
            called = f" {clip.name!r}" if clip.name else ""
            if not isinstance(frame, int | np.integer):
                raise BlendError(f"{what} at frame {frame}: expected a whole frame number")
            here = round(frame * scale)
            if not 0 <= here < len(clip):
                raise BlendError(
                    f"{what} at frame {frame}: the clip{called} has frames 0 to "
                    f"{round((len(clip) - 1) / scale)}"
                )
            if here < (first := tpose_frames(clip)):
                raise BlendError(
                    f"{what} at frame {frame}: that is a T-pose; use frame "
                    f"{np.ceil(first / scale):.0f} or later",
                    kind=Kind.T_POSE,
                )
            frames.append(here)
        return frames[0], frames[1]

    def _gap(self, leave: int, enter: int, degree: int, bias: float) -> Gap:
        """The gap, cached: another length of the same spline needs little more."""
        key = (leave, enter, degree, float(bias))
        if key not in self._gaps:
            while len(self._gaps) >= _MOST_GAPS:
                del self._gaps[next(iter(self._gaps))]
            self._gaps[key] = Gap(
                self.field,
                self._clip(0, leave, 1),
                self._clip(1, enter, -1),
                np.stack([self.curves[0][leave], self.curves[1][enter]]),
                np.stack([self.velocities[0][leave], self.velocities[1][enter]]),
                degree,
                bias,
                self.a.fps,
                least=0.0 if self.paper else self._points.seconds(leave, enter),
                plain=self.paper,
            )
        return self._gaps[key]

    def _clip(self, which: int, frame: int, ahead: int) -> JoinedClip:
        """A clip that is left or entered, without a T-pose in front."""
        start = tpose_frames((self.a, self.b)[which])
        return JoinedClip(self.rows[which][start:], frame - start, ahead)

    def _placed(self, arrives: Array, heading: float, enter: int) -> Planar:
        """The move that takes the second clip's frame to a place and a heading."""
        turn = heading - float(self._headings[1][enter])
        return Planar.onto(turn, self.b.root[enter, [0, 2]], arrives[[0, 2]])

    @property
    def _half(self) -> float:
        """Seconds of both clips that a spline replaces on either side of a junction."""
        return min(_HALF, 0.12 * min(self.a.duration, self.b.duration))

    @cached_property
    def _junctions(self) -> tuple[Junction, ...]:
        left = self.a[: self._latest + 1]
        return find_junctions(left, self.b, self._half, most=MOST_TRIES)

    @property
    def _latest(self) -> int:
        """The last frame of ``a`` at which it may be left automatically."""
        return len(self.a) - 1 if self.part is None else self.part.latest(self.b)

    @cached_property
    def _points(self) -> JoinedPoints:
        return JoinedPoints.of(self.field.code, (self.a, self.b), self.rows)

    @cached_property
    def _strain(self) -> Strain:
        return Strain((self.a, self.b))

    @cached_property
    def _headings(self) -> tuple[Array, Array]:
        """Where the body faces in each frame of both clips."""
        return facing(self.a), facing(self.b)

    def _warn(self, made: SplineTransition, length: float | None, gap: Gap) -> None:
        """Warn the user about a transition."""
        if length is not None:
            gap.warn_if_too_short(length, (made.leave, made.enter))
        from scipy.spatial import cKDTree

        away, _ = cKDTree(self.field.points).query(made.path)
        farthest = int(np.argmax(away))
        if away[farthest] > _UNKNOWN and not self.paper:
            warnings.warn(
                f"between frames {made.leave} and {made.enter} the spline leads "
                f"{away[farthest]:.0%} of the body's height away from every pose of the clips "
                f"(frame {made.start + farthest}): neither clip contains the motion in between; "
                "add a clip that does",
                QualityWarning,
                stacklevel=3,
            )

    def warn_of_cut(self, made: SplineTransition) -> None:
        """Warn if an automatically chosen place cuts off much of a clip.

        Parameters
        ----------
        made
            A transition of this subspace.

        Warns
        -----
        QualityWarning
            If half of a clip or more is cut off.
        """
        lasts = len(self.a) - 1, len(self.b) - 1
        # The bridge itself shows a little of both clips.
        half = 0.5 * (made.end - made.start)
        ends = min(made.leave + half, lasts[0]), max(made.enter - half, 0.0)
        before = [
            float(action_before(c)[round(f)]) for c, f in zip((self.a, self.b), ends, strict=True)
        ]
        kept = before[0], 1.0 - before[1]
        spans = (float(made.leave), float(lasts[0])), (0.0, float(made.enter))
        lost = [
            what_is_cut(clip, *span, 1.0 - share)
            for clip, span, share in zip((self.a, self.b), spans, kept, strict=True)
            if span[1] - span[0] >= 1.0
        ]
        shown = ends[0] / lasts[0], 1.0 - ends[1] / lasts[1]
        warn_of_cut((self.a, self.b), kept, shown, lost, stacklevel=3)
