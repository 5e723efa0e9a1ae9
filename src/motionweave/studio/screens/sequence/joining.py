"""The blocks of a sequence joined: by transitions, by splines, and by gaps filled from a folder.

Blocks with transitions between them are joined first, all in one call. What comes of that are
rows, and these are joined one after another by the splines and fills between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np

from motionweave.body.pose.heading import facing
from motionweave.body.pose.tpose import tpose_frames
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.errors import BlendError, Kind, LibraryError
from motionweave.library.fill.inbetween import inbetween
from motionweave.library.library import Library
from motionweave.methods.blending.transition import Transition, make_transition
from motionweave.methods.joining.junctions import Junction, Keep
from motionweave.methods.subspace.space import Subspace
from motionweave.registration.distance import distance_block
from motionweave.retargeting import on_common_skeleton
from motionweave.studio.document.document import Document
from motionweave.studio.screens.library.model import opened
from motionweave.studio.screens.sequence.model import (
    ChosenSeam,
    PlayedBlock,
    SequenceSettings,
    parts_of,
    seams_of,
)
from motionweave.studio.screens.subspaces import own_frame, space_of
from motionweave.studio.work.jobs import attempt, stage
from motionweave.studio.work.memo import Memo

# Seconds at the ends of a gap over which the body's speed is taken.
_PACE = 0.2


@dataclass(frozen=True)
class Bridge:
    """How two rows are joined by a spline or a fill.

    Parameters
    ----------
    leave, enter
        Last frame of what is there already and first frame of the row that is added, each in its
        own frames.
    seconds
        How long a fill lasts; None for a spline.
    placed
        The move by which a fill brings the row to its place on the floor; None for a spline.
    spline
        The seam that says what a spline is like; None for a fill.
    spline_length
        How long the spline is, relative to the most direct one.
    seam
        Number of the seam, counted over all blocks.
    """

    leave: int
    enter: int
    seconds: float | None = None
    placed: Planar | None = None
    spline: ChosenSeam | None = None
    spline_length: float = 1.0
    seam: int = 0


@dataclass(frozen=True, eq=False)
class Joined:
    """A sequence, and how it was made.

    Parameters
    ----------
    parts
        The blocks that are played.
    made
        The whole of them. Its junctions are in frames of what the blocks play.
    bridges
        The splines and fills, in order.
    """

    parts: tuple[PlayedBlock, ...]
    made: Transition
    bridges: tuple[Bridge, ...] = ()

    def index(self, block_id: str) -> int | None:
        """Which part a block is."""
        ids = [part.block.id for part in self.parts]
        return ids.index(block_id) if block_id in ids else None

    def bridge(self, seam: int) -> Bridge | None:
        """The spline or fill at a seam, if it is one."""
        return next((bridge for bridge in self.bridges if bridge.seam == seam), None)


def rows_of(
    parts: Sequence[PlayedBlock], seams: Sequence[ChosenSeam]
) -> list[tuple[PlayedBlock, ...]]:
    """Blocks in rows that have transitions alone between them."""
    rows = [parts[:1]]
    for part, seam in zip(parts[1:], seams, strict=True):
        if seam.kind in ("spline", "fill"):
            rows.append([part])
        else:
            rows[-1] = [*rows[-1], part]
    return [tuple(row) for row in rows]


def wanted(
    settings: SequenceSettings, parts: Sequence[PlayedBlock]
) -> tuple[list[tuple[float, float] | None], list[int | None]]:
    """Places and half widths of the transitions in a row of blocks, in frames of what is played;
    None where found."""
    places: list[tuple[float, float] | None] = []
    halves: list[int | None] = []
    for seam, pair in zip(seams_of(settings, parts), pairwise(parts), strict=True):
        places.append(_played_place(seam, *pair))
        width = seam.half_width
        halves.append(None if width is None else max(1, round(width * parts[0].motion.fps)))
    return places, halves


def _played_place(
    seam: ChosenSeam, left: PlayedBlock, right: PlayedBlock
) -> tuple[float, float] | None:
    if seam.at is None:
        return None
    return left.played_frame(seam.at[0]), right.played_frame(seam.at[1])


_brought: Memo[Motion] = Memo(size=64)


def _on_one_body(motions: Sequence[Motion]) -> list[Motion]:
    """All on the body of the first, each brought there once, whatever is done to the others."""
    first = motions[0]
    found = [first]
    for number, motion in enumerate(motions[1:], start=1):
        stage(f"Putting {motion.name} on one body with the others", 0.5 * number / len(motions))
        found.append(_brought.get((first, motion), None, partial(_onto, first, motion)))
    return found


def _onto(first: Motion, motion: Motion) -> Motion:
    return on_common_skeleton((first, motion))[1]


@dataclass(frozen=True, eq=False)
class _Row:
    """Blocks joined so far.

    Parameters
    ----------
    motion
        What was made of them.
    first, last
        What the first and the last of them play.
    junctions, seams
        As of a `Transition`.
    bridges
        The splines and fills in it.
    """

    motion: Motion
    first: Motion
    last: Motion
    junctions: tuple[Junction, ...] = ()
    seams: tuple[tuple[int, int], ...] = ()
    bridges: tuple[Bridge, ...] = ()

    @property
    def tail(self) -> int:
        """The frame from which on the last block plays alone."""
        return self.seams[-1][1] if self.seams else 0

    @property
    def head(self) -> int:
        """The frame up to which the first block plays alone."""
        return self.seams[0][0] if self.seams else len(self.motion) - 1

    # A row begins with frames of its first block, at the rate of that, and ends with the last
    # frame of its last block, which may have had another rate.

    @property
    def _rate(self) -> float:
        """Frames of the row per frame of the last block."""
        return self.motion.fps / self.last.fps

    def frame_of_last(self, frame: float) -> float:
        """A frame of the row as a frame of its last block."""
        return len(self.last) - 1 - (len(self.motion) - 1 - frame) / self._rate

    def frame_from_last(self, frame: float) -> float:
        """A frame of the last block as a frame of the row."""
        return len(self.motion) - 1 - (len(self.last) - 1 - frame) * self._rate


_joined: Memo[_Row] = Memo(size=4)


def joined(document: Document, *, clean: bool) -> Joined:
    """The parts of the sequence, and what comes of joining them; the last few are remembered."""
    settings: SequenceSettings = document.settings["sequence"]
    parts = parts_of(document)
    if len(parts) == 1:
        return Joined(tuple(parts), Transition(parts[0].motion, (), (), ()))
    seams = seams_of(settings, parts)
    motions = _on_one_body([part.motion for part in parts])
    stage("Joining the clips", 0.6)
    if not any(seam.kind == "fill" for seam in seams):
        row = _remembered(settings, parts, motions, clean, None)
    else:
        folder: str = document.settings["library"].folder
        if not folder:
            raise LibraryError(
                "a gap is filled from a folder of clips, and none is open; "
                "open one on the Library screen"
            )
        with opened(folder) as library:
            row = _remembered(settings, parts, motions, clean, library)
    return Joined(tuple(parts), Transition(row.motion, row.junctions, row.seams, ()), row.bridges)


def _remembered(
    settings: SequenceSettings,
    parts: Sequence[PlayedBlock],
    motions: Sequence[Motion],
    clean: bool,
    library: Library | None,
) -> _Row:
    asked = (
        tuple(seams_of(settings, parts)),
        tuple((part.block, part.clip.name) for part in parts),
        settings.keep,
        clean,
        None if library is None else (library.folder, library.store.change()),
    )
    return _joined.get(
        motions, asked, lambda: _all_joined(settings, parts, motions, clean, library)
    )


def _all_joined(
    settings: SequenceSettings,
    parts: Sequence[PlayedBlock],
    motions: Sequence[Motion],
    clean: bool,
    library: Library | None,
) -> _Row:
    seams = seams_of(settings, parts)
    whole: _Row | None = None
    done = 0
    for blocks in rows_of(parts, seams):
        row = _row(settings, blocks, motions[done : done + len(blocks)], clean)
        if whole is None:
            whole = row
        else:
            seam = seams[done - 1]
            stage("Joining the clips", 0.6 + 0.4 * done / len(parts))
            place = _place(seam, whole, row, parts[done - 1], parts[done])
            if place is None and (seam.kind == "fill" or settings.keep == "all"):
                place = _ends(whole, row)
            if seam.kind == "spline":
                whole = _by_spline(whole, row, place, seam, clean)
            else:
                assert library is not None
                assert place is not None
                whole = _by_fill(whole, row, place, seam.gap, library, clean)
        done += len(blocks)
    assert whole is not None
    return whole


def _row(
    settings: SequenceSettings,
    blocks: Sequence[PlayedBlock],
    motions: Sequence[Motion],
    clean: bool,
) -> _Row:
    """Blocks with transitions between them."""
    if len(motions) == 1:
        return _Row(motions[0], motions[0], motions[0])
    places, halves = wanted(settings, blocks)
    keep: Keep = "all" if settings.keep == "all" else "most"
    made = make_transition(motions, at=places, half_width=halves, keep=keep, clean=clean)
    return _Row(made.motion, motions[0], motions[-1], made.junctions, made.seams)


def _place(
    seam: ChosenSeam, whole: _Row, row: _Row, left: PlayedBlock, right: PlayedBlock
) -> tuple[int, int] | None:
    """The frames of two rows that were chosen for a seam, if any were."""
    chosen = _played_place(seam, left, right)
    if chosen is None:
        return None
    leave, enter = round(whole.frame_from_last(chosen[0])), round(chosen[1])
    if leave < whole.tail:
        raise BlendError(
            f"leaving {left.clip.name} at frame {left.own_frame(chosen[0]):.0f}: the transition "
            f"before it ends only at frame {left.own_frame(whole.frame_of_last(whole.tail)):.0f}",
            kind=Kind.SEAMS_MEET,
        )
    if enter > row.head:
        raise BlendError(
            f"entering {right.clip.name} at frame {right.own_frame(enter):.0f}: the seam after it "
            f"begins at frame {right.own_frame(row.head):.0f} already",
            kind=Kind.SEAMS_MEET,
        )
    return leave, enter


def _ends(whole: _Row, row: _Row) -> tuple[int, int]:
    """The frames at which two rows meet if nothing is cut; a T-pose in front is no part of the
    motion."""
    return len(whole.motion) - 1, tpose_frames(row.motion)


def _by_spline(
    whole: _Row, row: _Row, place: tuple[int, int] | None, seam: ChosenSeam, clean: bool
) -> _Row:
    by = partial(Subspace.transition, degree=seam.degree, length=seam.length, bias=seam.bias)
    if place is None and (whole.seams or row.seams):
        # No other block than the two that meet here may be cut.
        last = replace(whole.motion[whole.tail :], name=whole.last.name)
        first = replace(row.motion[: row.head + 1], name=row.first.name)
        near = space_of(last, first)
        found = attempt(lambda: by(near, clean=False))
        if found.value is None:
            assert found.problem is not None
            raise found.problem
        # All else is told of the spline between the whole rows, which is the one that is seen.
        near.warn_of_cut(found.value)
        place = whole.tail + found.value.leave, own_frame(near, found.value.enter)
    space = space_of(whole.motion, row.motion)
    made = by(space, *(place or (None, None)), clean=clean)
    bridge = Bridge(
        made.leave, own_frame(space, made.enter), spline=seam, spline_length=made.length
    )
    apart = _apart(space.a, space.b, made.leave, made.enter)
    return _added(whole, row, made.motion, (made.start, made.end), bridge, apart)


def _by_fill(
    whole: _Row,
    row: _Row,
    place: tuple[int, int],
    seconds: float,
    library: Library,
    clean: bool,
) -> _Row:
    leave, enter = place
    before, after = whole.motion[: leave + 1], row.motion[enter:]
    if min(len(before), len(after)) < 2:
        raise BlendError("a fill leaves room for less than two frames of a clip beside it")
    placed = _arrival(before, after, seconds)
    after = after.moved(placed)
    motion = inbetween(before, after, seconds, library, clean=clean)
    apart = _apart(before, after.resample(before.fps), len(before) - 1, 0)
    ends = leave, leave + round(seconds * before.fps)
    return _added(whole, row, motion, ends, Bridge(leave, enter, seconds, placed), apart)


def _added(
    whole: _Row, row: _Row, motion: Motion, seam: tuple[int, int], bridge: Bridge, apart: float
) -> _Row:
    """What was made of two rows, as one."""
    rate = whole.motion.fps / row.motion.fps

    def moved(frame: int) -> int:
        return seam[1] + round((frame - bridge.enter) * rate)

    here = Junction(apart, (whole.frame_of_last(bridge.leave), float(bridge.enter)))
    return _Row(
        motion,
        whole.first,
        row.last,
        (*whole.junctions, here, *row.junctions),
        (*whole.seams, seam, *((moved(start), moved(end)) for start, end in row.seams)),
        (*whole.bridges, replace(bridge, seam=len(whole.junctions))),
    )


def _apart(a: Motion, b: Motion, leave: int, enter: int) -> float:
    """The distance between two poses, as of a junction."""
    squared = distance_block(a, b, (leave, leave + 1), (enter, enter + 1))[0, 0]
    return float(np.sqrt(max(float(squared), 0.0)))


def _arrival(before: Motion, after: Motion, seconds: float) -> Planar:
    """Where a body that goes on in its direction, at the mean of both speeds, arrives after a
    gap, as the move that takes ``after`` there."""
    last, first = before[-_paced(before) :], after[: _paced(after)]
    turn = float(facing(last)[-1] - facing(first)[0])
    speed = 0.5 * (_velocity(last) + Planar(turn).apply_xz(_velocity(first)))
    to = before.root[-1, [0, 2]] + seconds * speed
    return Planar.onto(turn, after.root[0, [0, 2]], to)


def _paced(motion: Motion) -> int:
    return max(2, round(_PACE * motion.fps) + 1)


def _velocity(motion: Motion) -> Array:
    """The mean velocity ``(2,)`` on the floor, per second."""
    return np.asarray((motion.root[-1] - motion.root[0])[[0, 2]] / motion.duration)
