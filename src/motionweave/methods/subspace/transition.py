"""Clips joined by a spline through the subspace of both (Mukai, section 2.3)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from motionweave.body.floor import Floor
from motionweave.body.heading import facing
from motionweave.body.rig.roles import leg_length
from motionweave.body.tpose import starts_in_tpose
from motionweave.contacts.clean.footskate import clean_feet
from motionweave.contacts.detect import detect_contacts, estimate_floor
from motionweave.core import constraints as constraint_tools
from motionweave.core.arrays import Array
from motionweave.core.constraints import FOOT_KINDS, Constraint, clipped
from motionweave.core.motion import Motion, concatenate
from motionweave.core.planar import Planar
from motionweave.errors import BlendError
from motionweave.methods.subspace import bezier
from motionweave.methods.subspace.contacts import steady
from motionweave.methods.subspace.embedding import (
    Embedding,
    embed,
    features,
    rate_of_change,
    weighted,
)
from motionweave.methods.subspace.field import Field
from motionweave.methods.subspace.gap import Gap
from motionweave.methods.subspace.poses import PoseCode, has_legs
from motionweave.methods.subspace.tracing import Clip
from motionweave.retargeting import on_common_skeleton

# Frames of both clips up to which every one of them is a sample for kriging. Longer clips
# are thinned evenly: the curves are smooth, and the matrix grows with the square.
MOST_SAMPLES = 1200
# Length of a spline if none is asked for.
_LENGTH = 1.3
# Leg lengths by which a foot may drift and still be held in its place, and the seconds
# that a foot takes at least to another one.
_NEAR = 0.06
_STEP_TIME = 0.1
# Gaps that are remembered for further splines.
_MOST_GAPS = 64


@dataclass(frozen=True, eq=False)
class SplineTransition:
    """A motion joined by a spline, and how it came about.

    Parameters
    ----------
    motion
        The first clip up to ``leave``, the transition, and the second clip from
        ``enter``, moved to where the transition arrives.
    raw
        The same before the feet were cleaned.
    start, end
        Frames of ``motion`` that show the pose left and the pose entered; the
        transition lies between them.
    leave, enter
        Frames of the clips, as they are in the subspace.
    degree, length
        Of the spline; the length in units of the most direct one.
    control
        ``(degree + 1, d)`` control points in the subspace.
    path
        ``(end - start + 1, d)`` point in the subspace of every frame from start to end.
    explained
        Share of the squared dissimilarities that the subspace keeps.
    placed
        The planar move that was applied to the second clip.
    """

    motion: Motion
    raw: Motion
    start: int
    end: int
    leave: int
    enter: int
    degree: int
    length: float
    control: Array
    path: Array
    explained: float
    placed: Planar

    @property
    def duration(self) -> float:
        """Seconds from the pose left to the pose entered."""
        return (self.end - self.start) / self.motion.fps

    def _repr_html_(self) -> str:
        """In a notebook it plays."""
        return self.motion._repr_html_()


@dataclass(frozen=True, eq=False)
class Subspace:
    """Two clips as curves in one linear subspace. Made by `subspace`.

    Fitting it is the slow part (still a fraction of a second); any number of
    transitions can be made from it.

    Parameters
    ----------
    a, b
        The clips; ``b`` with the bone lengths and the frame rate of ``a``.
    embedding
        The subspace.
    curves
        Points ``(T, d)`` of the frames of ``a`` and of ``b``.
    velocities
        Derivatives ``(T, d)`` of the curves in time, a second.
    dissimilarity
        ``(Ta, Tb)`` of every frame of ``a`` to every frame of ``b``.
    rows
        The frames' poses ``(T, F)`` as rows of numbers, see `PoseCode`.
    samples
        ``(S,)`` which of the frames, those of ``b`` after those of ``a``, are samples.
    field
        Poses and speeds at any point, estimated from the samples.
    enter_scale
        Frames of ``b`` here for a frame of it as it was given.
    """

    a: Motion
    b: Motion
    embedding: Embedding
    curves: tuple[Array, Array]
    velocities: tuple[Array, Array]
    dissimilarity: Array
    rows: tuple[Array, Array]
    samples: NDArray[np.intp]
    field: Field
    enter_scale: float = 1.0
    _gaps: dict[tuple[int, int, int, float], Gap] = dataclasses.field(default_factory=dict)

    @property
    def explained(self) -> float:
        """Share of the squared dissimilarities that the subspace keeps, 0 to 1."""
        return self.embedding.explained

    def best_pair(self, leave: int | None = None, enter: int | None = None) -> tuple[int, int]:
        """The frames most alike in pose and velocity to leave and to enter.

        What is not given is sought where most of both clips is kept: in the second
        half of the first clip, in the first half of the second.
        """
        late = [leave] if leave is not None else range(len(self.a) // 2, len(self.a))
        first = int(starts_in_tpose(self.b))
        early = [enter] if enter is not None else range(first, (len(self.b) + 1) // 2)
        part = self.dissimilarity[np.ix_(list(late), list(early))]
        row, column = np.unravel_index(int(np.argmin(part)), part.shape)
        return int(late[row]), int(early[column])

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
            Last frame kept of ``a`` and first frame kept of ``b``, each in frames of
            the clip as it was given; None for the best.
        degree
            2 to 6. A quadratic spline is quick and plain; from 4 on there is room for
            follow-through and anticipation.
        length
            Of the spline, in units of the most direct one; longer splines swing
            further and take longer. None for one that looks good.
        bias
            -1 to 1: below 0 more follow-through of the first clip, above 0 more
            anticipation of the second.
        clean
            Whether feet that stand during the transition are held still.
        """
        leave, enter = self._frames(leave, enter)
        gap = self._gap(leave, enter, degree, bias)
        length = _LENGTH if length is None else length
        traced = gap.trace(length)
        gap.warn_if_too_short(length)
        path, rows = traced.frames(gap.duration(length))
        x, _, z = self.a.root[leave]
        heading = float(facing(self.a)[leave])
        bridge = self.field.code.decode(rows, self.a, (heading, float(x), float(z)))
        arrival = heading + float(rows[:-1, self.field.code.columns["turn"]].sum())
        raw, placed = self._joined(bridge, arrival, leave, enter)
        end = leave + len(bridge) - 1
        return SplineTransition(
            motion=self._cleaned(raw, leave, end) if clean else raw,
            raw=raw,
            start=leave,
            end=end,
            leave=leave,
            enter=enter,
            degree=degree,
            length=bezier.arc_length(traced.control) / gap.unit,
            control=traced.control,
            path=path,
            explained=self.explained,
            placed=placed,
        )

    def _frames(self, leave: int | None, enter: int | None) -> tuple[int, int]:
        if enter is not None:
            enter = round(enter * self.enter_scale)
        for what, frame, clip in (("leave", leave, self.a), ("enter", enter, self.b)):
            if frame is not None and not 0 <= frame < len(clip):
                called = f" {clip.name!r}" if clip.name else ""
                raise BlendError(
                    f"{what} at frame {frame}: the clip{called} has frames 0 to {len(clip) - 1}"
                )
            if frame == 0 and starts_in_tpose(clip):
                raise BlendError(f"{what} at frame 0: that is a T-pose; take frame 1 or later")
        return self.best_pair(leave, enter)

    def _gap(self, leave: int, enter: int, degree: int, bias: float) -> Gap:
        """The gap, remembered: another length of the same spline needs little more."""
        key = (leave, enter, degree, float(bias))
        if key not in self._gaps:
            while len(self._gaps) >= _MOST_GAPS:
                del self._gaps[next(iter(self._gaps))]
            self._gaps[key] = Gap(
                self.field,
                Clip(self.rows[0], leave, 1),
                Clip(self.rows[1], enter, -1),
                np.stack([self.curves[0][leave], self.curves[1][enter]]),
                np.stack([self.velocities[0][leave], self.velocities[1][enter]]),
                degree,
                bias,
                self.a.fps,
            )
        return self._gaps[key]

    def _joined(
        self, bridge: Motion, arrival: float, leave: int, enter: int
    ) -> tuple[Motion, Planar]:
        """The first clip, the bridge and the second clip moved to where the bridge arrives."""
        turn = arrival - float(facing(self.b)[enter])
        arrives, begins = bridge.root[-1], self.b.root[enter]
        turned = Planar(turn).apply(begins)
        placed = Planar(turn, arrives[0] - turned[0], arrives[2] - turned[2])
        rest = self.b[enter:].moved(placed)
        parts = [self.a[: leave + 1]]
        if len(bridge) > 2:
            parts.append(replace(bridge[1:-1], source=self.a.source))
        joined = concatenate([*(replace(p, constraints=()) for p in parts), rest])
        late = leave + len(bridge) - 1
        contacts = (
            *clipped(self.a.constraints, 0, leave),
            *(c.shifted(leave) for c in bridge.constraints),
            *(c.shifted(late - enter) for c in clipped(self.b.constraints, enter, len(self.b))),
        )
        names = [name for name in (self.a.name, self.b.name) if name]
        joined = replace(joined, name=" to ".join(names))
        return joined.with_constraints(self._steady(joined, contacts, leave, late)), placed

    def _steady(
        self, joined: Motion, contacts: Iterable[Constraint], start: int, end: int
    ) -> list[Constraint]:
        """Contacts of the joined motion, without feet that are dragged to another place."""
        feet = self.field.code.foot_points(*joined.forward())
        points = {foot.kind: feet[:, i] for i, foot in enumerate(self.field.code.feet)}
        near = _NEAR * leg_length(joined.skeleton) if points else 0.0
        gap = round(_STEP_TIME * joined.fps)
        result: list[Constraint] = []
        for contact in constraint_tools.joined(contacts, gap=1.0):
            if contact.kind in points:
                result += steady(contact, points[contact.kind], start, end, near, gap)
            else:
                result.append(contact)
        return result

    @cached_property
    def _floor(self) -> Floor:
        return estimate_floor(self.a)

    def _cleaned(self, raw: Motion, start: int, end: int) -> Motion:
        """The motion with those plants held that reach into the transition."""
        if not has_legs(raw.skeleton):
            return raw
        plants = [
            c for c in raw.constraints if c.kind in FOOT_KINDS and c.end >= start and c.start <= end
        ]
        cleaned = clean_feet(raw, plants, floor=self._floor)
        return cleaned.with_constraints(raw.constraints)


def subspace(
    a: Motion,
    b: Motion,
    *,
    dimensions: int | None = None,
    explained: float = 0.95,
    most_samples: int = MOST_SAMPLES,
) -> Subspace:
    """Two clips as curves in one linear subspace, ready to be joined by splines.

    Parameters
    ----------
    a, b
        Clips with the same joints. Where bone lengths or frame rates differ, ``b`` is
        brought to those of ``a``.
    dimensions
        Of the subspace; None for the fewest that explain enough.
    explained
        Share of the squared dissimilarities between frames that the subspace keeps.
    most_samples
        Frames of both clips together that kriging uses; longer clips are thinned.

    Examples
    --------
    >>> space = mw.subspace(landing, jump)                          # doctest: +SKIP
    >>> quick = space.transition(60, 5, degree=2)                   # doctest: +SKIP
    >>> grand = space.transition(60, 5, degree=4, length=1.6)       # doctest: +SKIP
    """
    a, b = on_common_skeleton((a, b))
    for clip in (a, b):
        if len(clip) < 3:
            raise BlendError(f"a clip of {len(clip)} frames is too short for a subspace: 3 needed")
    scale = a.fps / b.fps
    a, b = _with_contacts(a), _with_contacts(b.resample(a.fps))
    # A T-pose before the first frame is no part of the motion: it would be an outlier among
    # the samples, and the jump away from it the fastest thing that happens.
    skipped = (int(starts_in_tpose(a)), int(starts_in_tpose(b)))
    cut = (a[skipped[0] :], b[skipped[1] :])
    seen = (features(cut[0]), features(cut[1]))
    embedding = embed(np.concatenate(seen), dimensions, explained)
    curves = (embedding.project(seen[0]), embedding.project(seen[1]))
    velocities = (rate_of_change(curves[0], a.fps), rate_of_change(curves[1], a.fps))
    code = PoseCode.of(cut)
    rows = (code.encode(cut[0]), code.encode(cut[1]))
    shapes = [weighted(code.places(part), a.skeleton) for part in rows]
    speeds = [
        [np.linalg.norm(along, axis=1), np.linalg.norm(rate_of_change(shape, a.fps), axis=1)]
        for along, shape in zip(velocities, shapes, strict=True)
    ]
    total = len(cut[0]) + len(cut[1])
    chosen = [_thinned(len(clip), min(most_samples / total, 1.0)) for clip in cut]
    kept = np.concatenate([chosen[0], len(cut[0]) + chosen[1]])
    from scipy.spatial.distance import cdist

    return Subspace(
        a=a,
        b=b,
        embedding=embedding,
        curves=_padded(curves, skipped),
        velocities=_padded(velocities, skipped),
        dissimilarity=np.pad(cdist(*seen), [(skip, 0) for skip in skipped], mode="edge"),
        rows=_padded(rows, skipped),
        samples=np.concatenate([skipped[0] + chosen[0], len(a) + skipped[1] + chosen[1]]),
        field=Field(
            code,
            np.concatenate(curves)[kept],
            np.concatenate(rows)[kept],
            np.concatenate(speeds, axis=1).T[kept],
        ),
        enter_scale=scale,
    )


def spline_transition(
    a: Motion,
    b: Motion,
    leave: int | None = None,
    enter: int | None = None,
    *,
    degree: int = 4,
    length: float | None = None,
    bias: float = 0.0,
    clean: bool = True,
) -> Motion:
    """The two clips joined by a spline in their subspace, as one motion.

    For several transitions between the same clips make the subspace once; see
    `subspace` and `Subspace.transition`, which also explain the parameters.
    """
    made = subspace(a, b).transition(
        leave, enter, degree=degree, length=length, bias=bias, clean=clean
    )
    return made.motion


def _with_contacts(clip: Motion) -> Motion:
    """The clip with contacts, detected if it has none and its skeleton has legs."""
    if clip.constraints or not has_legs(clip.skeleton):
        return clip
    return clip.with_constraints(detect_contacts(clip))


def _padded(parts: tuple[Array, Array], skipped: tuple[int, int]) -> tuple[Array, Array]:
    """Rows of both clips, the first repeated for frames that were skipped before it."""
    first, second = (
        np.concatenate([part[:1].repeat(skip, axis=0), part])
        for part, skip in zip(parts, skipped, strict=True)
    )
    return first, second


def _thinned(frames: int, share: float) -> NDArray[np.intp]:
    """A share of the frames of a clip, evenly spaced, the first and the last included."""
    count = frames if share >= 1.0 else max(int(frames * share), 2)
    return np.linspace(0, frames - 1, count).round().astype(np.intp)
