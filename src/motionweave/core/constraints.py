"""Contacts and other constraints: what is held, and when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motionweave.core import checks
from motionweave.core.intervals import covered, merged
from motionweave.errors import MotionError

FOOT_KINDS = ("left_heel", "left_toe", "right_heel", "right_toe")
HAND_KINDS = ("left_hand", "right_hand")
# The order of constraints: that of their fields, found faster than by comparing two at a time.
in_time = attrgetter("start", "end", "kind")


@dataclass(frozen=True, order=True)
class Constraint:
    """A body part that stays in place from frame ``start`` to frame ``end``.

    Parameters
    ----------
    start, end
        First and last frame, fractional frames allowed, ``start <= end``.
    kind
        What is held, such as ``left_heel``, ``right_toe``, ``left_hand``.

    Examples
    --------
    >>> import motionweave as mw
    >>> step = mw.Constraint(12, 30.5, "left_heel")
    >>> step.holds_at(20), step.shifted(10).start
    (True, 22.0)
    """

    start: float
    end: float
    kind: str

    def __post_init__(self) -> None:
        if type(self.start) is type(self.end) is float and type(self.kind) is str:
            # The usual case, for speed.
            known = self.kind in FOOT_KINDS or self.kind in HAND_KINDS
            if known and -checks.LARGEST <= self.start <= self.end <= checks.LARGEST:
                return
        kind = checks.name(self.kind, "kind of constraint")
        start, end = (
            checks.number(frame, f"constraint {kind}: frame") for frame in (self.start, self.end)
        )
        if not start <= end:
            raise MotionError(
                f"constraint {kind}: it ends at {end:g}, before it begins at {start:g}"
            )
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "end", end)

    def holds_at(self, frame: float) -> bool:
        """Whether the constraint is active at a ``frame``, which may be fractional."""
        return self.start <= frame <= self.end

    def shifted(self, frames: float) -> Constraint:
        """The same constraint, later by a number of ``frames``."""
        return Constraint(self.start + frames, self.end + frames, self.kind)


def of_kind(constraints: Iterable[Constraint], kind: str) -> tuple[Constraint, ...]:
    """Those of one kind, in order of time."""
    return tuple(sorted((c for c in constraints if c.kind == kind), key=in_time))


def kinds(constraints: Iterable[Constraint]) -> tuple[str, ...]:
    """The kinds that occur, sorted."""
    return tuple(sorted({c.kind for c in constraints}))


def clipped(constraints: Iterable[Constraint], first: float, last: float) -> tuple[Constraint, ...]:
    """The parts of the constraints within frames ``first`` to ``last``."""
    return tuple(
        Constraint(max(c.start, first), min(c.end, last), c.kind)
        for c in _within(constraints, first, last)
    )


def active(constraints: Iterable[Constraint], kind: str, frames: ArrayLike) -> np.ndarray:
    """For each of ``frames`` ``(n,)``, whether a constraint of that kind holds: ``(n,)`` bool."""
    return covered(((c.start, c.end) for c in constraints if c.kind == kind), frames)


def carried(constraints: Iterable[Constraint], frames: ArrayLike) -> tuple[Constraint, ...]:
    """Constraints of a clip whose output frame ``i`` shows the input's frame ``frames[i]``.

    If time runs in one direction, the bounds are carried over exactly (fractional frames); if it
    reverses, the output is cut into stretches of one direction.
    """
    frames = np.asarray(frames, dtype=np.float64)
    if frames.size == 0:
        return ()
    constraints = _within(constraints, float(frames.min()), float(frames.max()))
    if not constraints:
        return ()
    result: list[Constraint] = []
    for first, last in _one_way_stretches(frames):
        source = frames[first : last + 1]
        place = np.arange(first, last + 1, dtype=np.float64)
        if source[0] > source[-1]:
            source, place = source[::-1], place[::-1]
        for c in constraints:
            if c.end < source[0] or c.start > source[-1]:
                continue
            # A pause repeats a source frame: a constraint held there lasts all of it.
            lo, hi = max(c.start, source[0]), min(c.end, source[-1])
            a = _first_place(source, place, lo)
            b = _last_place(source, place, hi)
            result.append(Constraint(min(a, b), max(a, b), c.kind))
    return joined(result)


def _within(constraints: Iterable[Constraint], first: float, last: float) -> list[Constraint]:
    """Those that hold at some time between two frames: of a long take, few."""
    near = (c for c in constraints if c.end >= first and c.start <= last)
    return sorted(near, key=in_time)


def _one_way_stretches(frames: np.ndarray) -> list[tuple[int, int]]:
    steps = np.sign(np.diff(frames))
    stretches: list[tuple[int, int]] = []
    first, direction = 0, 0.0
    for i, step in enumerate(steps):
        if step and direction and step != direction:
            stretches.append((first, i))
            first = i
        direction = step or direction
    stretches.append((first, len(frames) - 1))
    return stretches


def _first_place(source: np.ndarray, place: np.ndarray, value: float) -> float:
    index = int(np.searchsorted(source, value, side="left"))
    return _between(source, place, index, value)


def _last_place(source: np.ndarray, place: np.ndarray, value: float) -> float:
    index = int(np.searchsorted(source, value, side="right"))
    if index > 0 and source[index - 1] == value:
        return float(place[index - 1])
    return _between(source, place, index, value)


def _between(source: np.ndarray, place: np.ndarray, index: int, value: float) -> float:
    if index == 0 or (index < len(source) and source[index] == value):
        return float(place[index])
    share = (value - source[index - 1]) / (source[index] - source[index - 1])
    return float(place[index - 1] + share * (place[index] - place[index - 1]))


def joined(constraints: Iterable[Constraint], gap: float = 0.0) -> tuple[Constraint, ...]:
    """Constraints of a kind, merged if they touch or are at most ``gap`` frames apart."""
    constraints = tuple(constraints)
    found = (
        Constraint(start, end, kind)
        for kind in kinds(constraints)
        for start, end in merged(((c.start, c.end) for c in constraints if c.kind == kind), gap)
    )
    return tuple(sorted(found, key=in_time))


def checked(given: Any) -> tuple[Constraint, ...]:
    """One constraint or several, in order of time; `MotionError` if they are something else."""
    try:
        constraints = tuple(given)
    except TypeError:
        constraints = (given,)
    for one in constraints:
        if not isinstance(one, Constraint):
            raise MotionError(f"constraint {checks.shown(one)}: expected a Constraint")
    return tuple(sorted(constraints, key=in_time))
