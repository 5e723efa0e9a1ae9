"""The registration curve: timing, alignment and contacts of clips, held together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Literal

import numpy as np

import motionweave
from motionweave.core.arrays import Array
from motionweave.core.cycles import displacement
from motionweave.core.equality import same_content
from motionweave.core.intervals import merged
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.errors import MissingDependencyError
from motionweave.registration.alignment import AlignmentCurve
from motionweave.registration.matches import ConstraintMatch, Interval, match
from motionweave.registration.timewarp import TimewarpCurve
from motionweave.registration.verdict import Verdict


@dataclass(frozen=True, eq=False)
class RegistrationCurve:
    """Which frames of k clips match, how they are aligned on the floor, and which of their contacts
    match (Kovar & Gleicher 2003).

    Parameters
    ----------
    motions
        The k clips, on one skeleton. All frames below refer to these. For a cyclic curve they are
        closed cycles in the same phase: the last frame of each is its first one, moved on the
        floor.
    timewarp
        ``frames(u)`` gives the matching frames, ``parameter(i, frame)`` is the inverse,
        ``derivative(u)`` the speeds; ``start`` and ``end`` are the range of u.
    alignment
        ``at(u)`` gives k moves into the coordinates of the reference clip.
    matches
        Matching contacts, with their intervals in u.
    ranges
        ``(k, 2)`` first and last frame used of each original clip.
    reference
        The clip that the others were compared with.
    distances
        ``(k,)`` mean distance of each clip from the reference: the root mean square distance of
        matching points, as a share of body height.
    fingerprints
        Fingerprints that identify the original clips.
    cyclic
        Whether the curve continues at its start when its end is reached.
    verdict
        How well the clips match, and what would help.
    """

    motions: tuple[Motion, ...]
    timewarp: TimewarpCurve
    alignment: AlignmentCurve
    matches: tuple[ConstraintMatch, ...]
    ranges: Array
    reference: int
    distances: Array
    fingerprints: tuple[str, ...]
    cyclic: bool = False
    verdict: Verdict | None = None

    def __len__(self) -> int:
        """How many clips there are."""
        return len(self.motions)

    def __repr__(self) -> str:
        names = ", ".join(motion.name or "a clip" for motion in self.motions)
        taken = "" if self.verdict is None else f"{self.verdict.taken}, "
        seconds = self.timewarp.end - self.timewarp.start
        return (
            f"<RegistrationCurve of {names}: {taken}{seconds:.2f} s, "
            f"{len(self.matches)} matching contacts>"
        )

    def __eq__(self, other: object) -> bool:
        """Whether two curves say the same about the same clips."""
        if not isinstance(other, RegistrationCurve):
            return NotImplemented
        return all(
            same_content(getattr(self, one.name), getattr(other, one.name)) for one in fields(self)
        )

    def __hash__(self) -> int:
        return hash(self.fingerprints)

    @property
    def base(self) -> int:
        """The clip against which Eq. 5 bounds the others' speeds."""
        return self.timewarp.base

    @cached_property
    def used(self) -> tuple[Motion, ...]:
        """The clips, each cut to the frames on the curve."""
        if self.cyclic:
            return self.motions
        ends = self.timewarp.frames(np.array([self.timewarp.start, self.timewarp.end])).T
        return tuple(
            motion[max(0, round(first)) : round(last) + 1]
            for motion, (first, last) in zip(self.motions, ends.tolist(), strict=True)
        )

    @property
    def period(self) -> float | None:
        """The length of a cycle in u, or None."""
        return self.timewarp.end - self.timewarp.start if self.cyclic else None

    @property
    def displacement(self) -> Planar | None:
        """The moves ``(k,)`` on the floor that one cycle of each clip makes, or None."""
        if not self.cyclic:
            return None
        moves = [displacement(motion) for motion in self.motions]
        return Planar(
            np.array([m.angle for m in moves]),
            np.array([m.x for m in moves]),
            np.array([m.z for m in moves]),
        )

    def contacts(self, clip: int, kind: str) -> list[Interval]:
        """Contacts of a ``kind`` of a ``clip`` as intervals of u, within the range of the curve."""
        return _contacts(self.motions[clip], clip, self.timewarp).get(kind, [])

    def stepper(
        self, start: float | None = None, *, pace: Literal["durations", "rates"] = "durations"
    ) -> motionweave.Stepper:
        """Blend live along the curve, frame by frame; ``start`` and ``pace`` as of `Stepper`."""
        return motionweave.Stepper(self, start, pace=pace)

    def _repr_png_(self) -> bytes | None:
        """In a notebook a curve shows its distance grids, if matplotlib is installed."""
        try:
            figure = motionweave.registration_plot(self)
        except MissingDependencyError:
            return None
        picture = BytesIO()
        figure.savefig(picture, format="png")
        return picture.getvalue()

    def save(self, path: str | Path) -> None:
        """Write the curve with its clips to ``path``, one ``.mwreg`` file."""
        motionweave.save_registration(self, path)


def constraint_matches(
    motions: Sequence[Motion],
    timewarp: TimewarpCurve,
    *,
    cyclic: bool = False,
    literal: bool = False,
) -> tuple[ConstraintMatch, ...]:
    """The matches of all kinds of contacts of clips, in order of time (4.4)."""
    contacts = [_contacts(motion, i, timewarp) for i, motion in enumerate(motions)]
    found = []
    for kind in sorted({kind for lanes in contacts for kind in lanes}):
        lanes = [own.get(kind, []) for own in contacts]
        groups = _match_round(lanes, timewarp, literal) if cyclic else match(lanes, literal=literal)
        found += [ConstraintMatch(kind, intervals) for intervals in groups]
    begins = np.array([m.intervals[:, 0] for m in found]).reshape(-1, len(motions)).mean(axis=1)
    order = sorted(zip(begins.tolist(), (m.kind for m in found), range(len(found)), strict=True))
    return tuple(found[number] for _, _, number in order)


def _contacts(motion: Motion, clip: int, timewarp: TimewarpCurve) -> dict[str, list[Interval]]:
    """A clip's contacts of each kind in u, within the range of the curve."""
    first, last = timewarp.frames(np.array([timewarp.start, timewarp.end]))[:, clip].tolist()
    held: dict[str, list[Interval]] = {}
    for c in motion.constraints:
        held.setdefault(c.kind, []).append((c.start, c.end))
    inside = [
        (kind, max(start, first), min(end, last))
        for kind, spans in held.items()
        for start, end in merged(spans)
        if max(start, first) < min(end, last)
    ]
    bounds = np.array([one[1:] for one in inside]).reshape(-1, 2)
    # Frame 'last' of a closed cycle is the next cycle's first one: not the inverse, which
    # would lead back to the start, but the curve's own end.
    u = np.where(bounds >= last, timewarp.end, timewarp.parameter(clip, bounds)).tolist()
    lanes: dict[str, list[Interval]] = {kind: [] for kind in held}
    for (kind, _, _), (start, end) in zip(inside, u, strict=True):
        lanes[kind].append((start, end))
    return lanes


def _match_round(
    lanes: Sequence[Sequence[Interval]], timewarp: TimewarpCurve, literal: bool
) -> list[Array]:
    """Matches on a closed curve: those that begin in the middle one of three rounds."""
    start, end = timewarp.start, timewarp.end
    period = end - start
    three = [
        merged(((a + n * period, b + n * period) for n in range(3) for a, b in lane), gap=1e-9)
        for lane in lanes
    ]
    groups = []
    for group in match(three, literal=literal):
        if np.all(group[:, 1] - group[:, 0] >= period):
            # Held by every clip for the whole cycle.
            return [np.tile([start, end], (len(lanes), 1))]
        if start <= group[:, 0].mean() - period < end:
            groups.append(group - period)
    return groups
