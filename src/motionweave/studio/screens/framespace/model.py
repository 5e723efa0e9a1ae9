"""What the framespace screen makes: an interpolant over cycles, and events that can be edited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from motionweave.contacts.states import LOWER, UPPER, EventTable, State
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.methods.framespace.blend import Cyclic, Framespace
from motionweave.methods.framespace.interpolant import Interpolant, as_interpolant
from motionweave.methods.framespace.track import FramespaceTrack, Matched
from motionweave.studio.document.document import ShelfClip
from motionweave.studio.work.memo import Memo

Vertices = tuple[tuple[float, ...], ...]
# A state of a clip: its frame, the half of the body it is about, and its labels.
StateRow = tuple[float, str, tuple[str, ...]]
Table = tuple[StateRow, ...]

# y, or y and z, of the place in the framespace where a clip is alone.
CORNERS = {2: ((0.0,), (1.0,)), 4: ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0))}
# Labels that users give by matching states.
_JOINED = "match_"
# Labels of states that users add.
_ADDED = "event_"
# Frames that a cycle has at least.
LEAST_CYCLE = 8
# A vertex is put with this many decimals.
_DECIMALS = 4


@dataclass(frozen=True)
class FramespaceSettings:
    """What the framespace screen makes.

    Parameters
    ----------
    clips
        Ids of two or four clips.
    shape
        Ready-made interpolant, where no vertices are given; None for the one that suits the clips.
    vertices
        Control vertices of the interpolant, from 0 to 1.
    cycles
        Over how many cycles it is drawn; None for as many as fit.
    decoupled
        Whether upper and lower body follow events of their own.
    events
        By clip, events that were edited; those of others are found.
    stretches
        By clip, first and last frame of its cycle, nothing for one that is played once;
        those of others are found.
    """

    clips: tuple[str, ...] = ()
    shape: str | None = None
    vertices: Vertices = ()
    cycles: int | None = None
    decoupled: bool = False
    events: dict[str, Table] = field(default_factory=dict)
    stretches: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def curve(self, count: int, usual: str) -> Interpolant:
        """The interpolant for this many clips, whose usual shape is given."""
        drawn = np.array(self.vertices) if self.drawn(count) else None
        return as_interpolant(self.shape or usual if drawn is None else drawn, count)

    def drawn(self, count: int) -> bool:
        """Whether there are vertices, and for this many clips."""
        return bool(self.vertices) and len(self.vertices[0]) == 1 + len(CORNERS[count][0])


@dataclass(frozen=True, eq=False)
class Made:
    """A motion along an interpolant and how it came about."""

    clips: tuple[ShelfClip, ...]
    space: Framespace
    matched: Matched
    curve: Interpolant
    track: FramespaceTrack
    cycles: int

    @property
    def x(self) -> Array:
        """Cycles ``(n,)`` at which the interpolant is at each frame of the result."""
        return self.track.x if self.matched.cyclic else self.track.x * self.cycles

    def table(self, clip: int) -> list[StateRow]:
        """States of a clip as they are now, at frames of the clip, in the order of its basis."""
        basis = self.space.bases[clip]
        return [
            (round(s.time, _DECIMALS), s.half, tuple(sorted(s.labels)))
            for s in basis.events.placed(*basis.ends).states
        ]


def state_ids(clip: int, states: Sequence[State]) -> list[str]:
    """Names of a clip's states that stay the same when states change places."""
    seen: Counter[str] = Counter()
    ids = []
    for state in states:
        kind = f"{clip}|{state.half}|{' '.join(sorted(state.labels))}"
        ids.append(f"{kind}|{seen[kind]}")
        seen[kind] += 1
    return ids


def place_of(made: Made, state: str) -> tuple[int, int] | None:
    """Clip, and place in its table, of the state with that id; None if it is gone."""
    kind, _, number = state.rpartition("|")
    clip = int(kind.split("|")[0])
    ids = state_ids(clip, made.space.bases[clip].events.states)
    alike = [i for i, one in enumerate(ids) if one.rpartition("|")[0] == kind]
    # A cycle that is repeated beside a clip played once has each state several times.
    return (clip, alike[int(number) % len(alike)]) if alike else None


_spaces: Memo[Framespace] = Memo(size=8)
_ghosts: Memo[Motion] = Memo(size=32, quiet=True)


def tables(clips: Sequence[ShelfClip], settings: FramespaceSettings) -> list[EventTable | None]:
    """Edited event tables, None for clips whose events are found."""
    return [
        None
        if (rows := settings.events.get(clip.id)) is None
        else EventTable(tuple(State(t, frozenset(labels), half) for t, half, labels in rows))
        for clip in clips
    ]


def space_of(clips: Sequence[ShelfClip], settings: FramespaceSettings) -> Framespace:
    """The clips with their events matched, remembered."""
    motions = [clip.motion for clip in clips]
    edited = tables(clips, settings)
    ways = cyclic(clips, settings)
    return _spaces.get(
        motions,
        (settings.decoupled, tuple(edited), repr(ways)),
        lambda: Framespace(motions, events=edited, cyclic=ways, decoupled=settings.decoupled),
    )


def cyclic(clips: Sequence[ShelfClip], settings: FramespaceSettings) -> list[Cyclic]:
    """For each clip its cycle, False if it is played once, None if that is to be found."""

    def way(clip: ShelfClip) -> Cyclic:
        ends = settings.stretches.get(clip.id)
        if ends is None or len(ends) != 2:
            return None if ends is None else False
        last = len(clip.motion) - 1
        # A clip may have been trimmed since.
        first, end = min(ends[0], last - LEAST_CYCLE), min(ends[1], last)
        return max(first, 0), end

    return [way(clip) for clip in clips]


def interpolated(
    clips: Sequence[ShelfClip], settings: FramespaceSettings, *, clean: bool
) -> tuple[Motion, Made]:
    """The motion along the interpolant."""
    space = space_of(clips, settings)
    curve, cycles = settings.curve(len(clips), space.shape), space.rounds(settings.cycles)
    motion = space.interpolate(curve, cycles, clean=clean)
    matched = space.matched(cycles)
    track = matched.track(curve, cycles, motion.fps)
    return motion, Made(tuple(clips), space, matched, curve, track, cycles)


def alone(made: Made, clip: int) -> Motion:
    """One of the clips by itself for as many cycles, to be seen beside the result."""
    count = len(made.clips)
    return _ghosts.get(
        [one.motion for one in made.clips],
        (id(made.space), clip, made.cycles),
        lambda: made.space.interpolate(
            Interpolant.blend(*CORNERS[count][clip], clips=count), made.cycles
        ),
    )


# Editing the interpolant


def moved_vertex(vertices: Vertices, index: int, changes: dict[int, float]) -> Vertices:
    """Vertices with coordinates of one changed, inside the bounds; time keeps its order."""
    row = list(vertices[index])
    for axis, value in changes.items():
        low, high = 0.0, 1.0
        if axis == 0:
            # The curve begins at 0 and ends at 1.
            low = vertices[index - 1][0] if index > 0 else 0.0
            high = vertices[index + 1][0] if index + 1 < len(vertices) else 1.0
            low = 1.0 if index == len(vertices) - 1 else low
            high = 0.0 if index == 0 else high
        row[axis] = round(float(np.clip(value, low, high)), _DECIMALS)
    return (*vertices[:index], tuple(row), *vertices[index + 1 :])


def with_vertex(curve: Interpolant, x: float, changes: dict[int, float]) -> Vertices:
    """The curve's vertices and one more, on the curve at time x except where changed."""
    vertices = as_rows(curve.vertices)
    new = [x, *(float(v) for v in curve.at([x])[0])]
    index = int(np.searchsorted(curve.vertices[:, 0], x, side="right"))
    index = min(max(index, 1), len(vertices) - 1)
    rows = (*vertices[:index], tuple(new), *vertices[index:])
    return moved_vertex(rows, index, {0: x, **changes})


def as_rows(vertices: Array) -> Vertices:
    """Vertices ``(m, 2 or 3)`` as settings hold them."""
    return tuple(tuple(round(float(v), _DECIMALS) for v in row) for row in vertices)


# Editing events and cycles


@dataclass(frozen=True)
class CycleChoice:
    """The cycle of a clip: what it is now, and how it came about.

    ``way`` is ``"found"``, ``"frames"`` or ``"once"``.
    """

    clip: str
    name: str
    way: str
    ends: tuple[int, int]
    last: int


def stretches_of(made: Made, settings: FramespaceSettings) -> list[CycleChoice]:
    """The cycles of the clips."""
    return [
        CycleChoice(
            clip.id,
            clip.name,
            "found" if given is None else "once" if given is False else "frames",
            basis.ends,
            len(clip.motion) - 1,
        )
        for clip, basis, given in zip(
            made.clips, made.space.bases, cyclic(made.clips, settings), strict=True
        )
    ]


def frame_at(made: Made, clip: int, at: float) -> float:
    """The frame of a clip at a share of its lane, in which a cycle may be repeated."""
    whole = made.space.bases[clip]
    first, last = whole.ends
    laps = round(made.matched.bases[clip].period / whole.period)
    return first + (at * laps % 1.0) * (last - first)


def lane_of(made: Made, lane: int) -> tuple[int, str]:
    """Clip and half of the body of a lane; the whole body's events are the lower one's."""
    count = len(made.clips)
    return lane % count, UPPER if lane >= count else LOWER


def with_state(rows: Sequence[StateRow], frame: float, half: str) -> Table:
    """A table with one more state, under a label that is new."""
    taken = {label for row in rows for label in row[2]}
    label = next(f"{_ADDED}{n}" for n in range(1, len(taken) + 2) if f"{_ADDED}{n}" not in taken)
    return tuple(sorted([*rows, (round(frame, _DECIMALS), half, (label,))]))


def moved_state(rows: Sequence[StateRow], index: int, frame: float) -> Table:
    """A table with one state at another frame."""
    return tuple(
        (round(frame, _DECIMALS), *row[1:]) if i == index else row for i, row in enumerate(rows)
    )


def joined_states(
    first: Sequence[StateRow], i: int, second: Sequence[StateRow], j: int
) -> tuple[Table, Table]:
    """Two tables in which one state of each is labelled alike."""
    taken = {label for row in (*first, *second) for label in row[2]}
    known = [label for row in (first[i], second[j]) for label in row[2] if _JOINED in label]
    fresh = (f"{_JOINED}{n}" for n in range(1, len(taken) + 2))
    label = known[0] if known else next(word for word in fresh if word not in taken)
    return _labelled(first, i, label), _labelled(second, j, label)


def _labelled(rows: Sequence[StateRow], index: int, label: str) -> Table:
    frame, half, labels = rows[index]
    named = (frame, half, tuple(sorted({*labels, label})))
    return (*rows[:index], named, *rows[index + 1 :])
