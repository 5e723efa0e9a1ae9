"""Walks through a graph of clips: along a path, to a place, through clips in order, at random.

A walk is planned on the library's tracks, in leg lengths, and then performed by `transition`
on the clips themselves.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.body.rig.roles import leg_length
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.errors import LibraryError, QualityWarning, Remedy
from motionweave.library.bending import bent
from motionweave.library.features import RATE
from motionweave.library.graph import MARGIN, STAY, Graph
from motionweave.library.lines import Line
from motionweave.methods.blending.transition import transition
from motionweave.methods.finish import finished

if TYPE_CHECKING:
    from motionweave.library.library import Library

# Plans that are pursued in parallel; more if the best of fewer strays from the path ...
_BREADTHS = (40, 160)
# ... by more than this on average, in square leg lengths; and how many plans in any one clip.
_STRAYS, _PER_CLIP = 1.0, 3
# Samples within which a clip is left again, at most.
_LONGEST = round(4.0 * RATE)
# Leg lengths after which plans are compared; a clip is left only after more.
_ADVANCE = 0.5
# Beginnings that are tried, spread over the graph.
_BEGINNINGS = 120
# The cost of a second compared with the squared distance from the path, in leg lengths squared: of
# plans that follow equally well, the faster one wins.
_HURRY = 0.02
# The cost of the squared distance at a junction.
_ROUGH = 0.3
# The cost of facing away from the direction of the path, for half a turn.
_ASTRAY = 0.15
# Samples between points at which a plan is compared with the path.
_CHECK = 3


@dataclass(frozen=True)
class WalkPiece:
    """Samples of a clip in a walk: from entering (or starting) to leaving (or ending)."""

    clip: int
    first: int
    last: int


@dataclass(frozen=True, eq=False)
class WalkPlan:
    """A path through a graph.

    Parameters
    ----------
    pieces
        Which parts of which clips are played.
    place
        The move that takes the current clip's track to where the walk performs it.
    progress
        Leg lengths travelled.
    cost
        Its cost so far.
    """

    pieces: tuple[WalkPiece, ...]
    place: Planar = field(default_factory=Planar)
    progress: float = 0.0
    cost: float = 0.0

    @property
    def current(self) -> WalkPiece:
        """The clip that it is in."""
        return self.pieces[-1]


@dataclass(frozen=True, eq=False)
class Walk:
    """A walk that was planned and performed.

    Parameters
    ----------
    motion
        The result.
    clips
        Path of each clip, its first and last frame that were played.
    error
        Mean distance of the hips from the path, in the motion's unit; None without a path.
    """

    motion: Motion
    clips: tuple[tuple[str, float, float], ...]
    error: float | None = None


def along(
    library: Library,
    graph: Graph,
    path: ArrayLike,
    *,
    start: str | None = None,
    bend: float = 0.0,
    clean: bool = True,
) -> Walk:
    """A walk along a drawn path; see `Library.walk`."""
    begins = _beginnings(graph, library, start)
    body = library.load(begins[0][0]).skeleton
    unit = leg_length(body)
    line = Line(np.asarray(path, dtype=np.float64) / unit)
    best = _search(graph, line, begins)
    motion, clips = _on_path(library, graph, best, line, unit, bend, clean)
    error = line.error(motion.root[:, [0, 2]] / unit) * unit
    return Walk(motion, clips, error)


def _on_path(
    library: Library,
    graph: Graph,
    plan: WalkPlan,
    line: Line,
    unit: float,
    bend: float,
    clean: bool,
) -> tuple[Motion, tuple[tuple[str, float, float], ...]]:
    """The motion of a plan, from where the path begins and bent towards it."""
    first = plan.pieces[0]
    move = _on_line(graph, first.clip, first.first, line)
    start = Planar(move.angle, move.x * unit, move.z * unit)
    motions, places, played = _parts(library, graph, plan)
    if bend <= 0.0:
        return _joined(motions, places, clean=clean).moved(start), played
    with warnings.catch_warnings():
        # It is checked once it is bent.
        warnings.simplefilter("ignore", QualityWarning)
        motion = _joined(motions, places, clean=False).moved(start)
    return finished(bent(motion, line, unit, np.radians(bend)), motions, clean=clean), played


def at_random(
    library: Library,
    graph: Graph,
    seconds: float,
    *,
    seed: int = 0,
    start: str | None = None,
    clean: bool = True,
) -> Walk:
    """A walk of this many seconds, junctions chosen at random; see `Library.walk`."""
    random = np.random.default_rng(seed)
    begins = _beginnings(graph, library, start)
    clip, sample = begins[int(random.integers(len(begins)))]
    pieces: list[WalkPiece] = []
    while True:
        choices = graph.leaving(clip, sample + (STAY if pieces else MARGIN), sample + _LONGEST)
        done = sum(piece.last - piece.first for piece in pieces) / RATE
        if not choices:
            break
        # Near junctions are likelier than far ones.
        odds = np.exp(-((graph.distances[choices.start : choices.stop] / 0.1) ** 2)) + 1e-9
        taken = choices[int(random.choice(len(choices), p=odds / odds.sum()))]
        leave = int(graph.samples[taken, 0])
        if done + (leave - sample) / RATE >= seconds:
            break
        pieces.append(WalkPiece(clip, sample, leave))
        clip, sample = int(graph.clips[taken, 1]), int(graph.samples[taken, 1])
    left = seconds - sum(piece.last - piece.first for piece in pieces) / RATE
    last = min(sample + max(round(left * RATE), MARGIN), graph.index.entries[clip].samples - 1)
    plan = WalkPlan((*pieces, WalkPiece(clip, sample, last)))
    motion, clips = _perform(library, graph, plan, clean, (Remedy("seed"),))
    return Walk(motion, clips)


def through_clips(
    library: Library, graph: Graph, stations: Sequence[NDArray[np.bool_]], *, clean: bool = True
) -> Walk:
    """The shortest walk through clips of each of the kinds, in order; see `Library.walk`.

    Parameters
    ----------
    library, graph
        Where to walk.
    stations
        ``(clips,)`` each: which clips are of the kind.
    clean
        Whether to plant the feet.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import dijkstra

    from motionweave.library.graph import onwards

    count = len(graph)
    clips, samples = graph.clips, graph.samples
    following = np.arange(count - 1)[clips[1:, 0] == clips[:-1, 0]]
    taken, reached = onwards(clips, samples)
    waiting = (samples[following + 1, 0] - samples[following, 0]) / RATE
    crossing = (samples[reached, 0] - samples[taken, 1]) / RATE + graph.distances[taken]
    arcs = np.concatenate([following, taken]), np.concatenate([following + 1, reached])
    # Zero would mean that there is no edge.
    costs = np.maximum(np.concatenate([waiting, crossing]), 1e-6)
    ways = coo_matrix((costs, arcs), shape=(count, count)).tocsr()
    here: NDArray[np.int64] | None = None
    nodes: list[int] = []
    for number, station in enumerate(stations):
        goals = np.flatnonzero(station[clips[:, 0]])
        if len(goals) == 0:
            raise LibraryError(
                f"station {number + 1} of the walk: no clip of that kind is in the graph"
            )
        if here is None:
            # Begin where a clip of the first kind can be seen for a while before it is left.
            here = np.array([goals[int(np.argmax(samples[goals, 0]))]])
            nodes = [int(here[0])]
            continue
        distances, before = dijkstra(ways, indices=int(here[0]), return_predecessors=True)
        goal = int(goals[int(np.argmin(distances[goals]))])
        way = [goal]
        while way[-1] != here[0]:
            way.append(int(before[way[-1]]))
        nodes += way[-2::-1]
        here = np.array([goal])
    return _performed(library, graph, nodes, clean)


def _performed(library: Library, graph: Graph, nodes: Sequence[int], clean: bool) -> Walk:
    """A walk over junctions: a node that is followed by another clip's was taken."""
    clips, samples = graph.clips, graph.samples
    first = nodes[0]
    start = max(0, int(samples[first, 0]) - round(2.0 * RATE))
    pieces: list[WalkPiece] = []
    clip, sample = int(clips[first, 0]), start
    for node, following in pairwise(nodes):
        goes_on = clips[following, 0] == clips[node, 0] and following == node + 1
        if goes_on:
            continue
        pieces.append(WalkPiece(clip, sample, int(samples[node, 0])))
        clip, sample = int(clips[node, 1]), int(samples[node, 1])
    end = min(sample + _LONGEST, graph.index.entries[clip].samples - 1)
    plan = WalkPlan((*pieces, WalkPiece(clip, sample, end)))
    motion, played = _perform(library, graph, plan, clean)
    return Walk(motion, played)


def to_place(
    library: Library,
    graph: Graph,
    place: tuple[float, float],
    heading: float | None,
    *,
    start: str | None = None,
    bend: float = 0.0,
    clean: bool = True,
) -> Walk:
    """A walk from the origin, facing +z, to a place and heading; see `Library.walk`."""
    begins = _beginnings(graph, library, start)
    unit = leg_length(library.load(begins[0][0]).skeleton)
    target = np.asarray(place, dtype=np.float64) / unit
    if np.linalg.norm(target) < 1.0:
        raise LibraryError("the place to go to is less than a step away")
    line = Line(np.stack([np.zeros(2), target]))
    best = _search(graph, line, begins, heading=heading)
    most = bend if heading is None else 0.0
    motion, clips = _on_path(library, graph, best, line, unit, most, clean)
    off = float(np.linalg.norm(motion.root[-1, [0, 2]] - np.asarray(place)))
    return Walk(motion, clips, off)


def _perform(
    library: Library, graph: Graph, plan: WalkPlan, clean: bool, remedies: Sequence[Remedy] = ()
) -> tuple[Motion, tuple[tuple[str, float, float], ...]]:
    """The motion of a plan, and which parts of which clips it plays."""
    motions, places, played = _parts(library, graph, plan)
    return _joined(motions, places, clean=clean, remedies=remedies), played


def _joined(
    motions: Sequence[Motion],
    places: Sequence[tuple[float, float]],
    *,
    clean: bool,
    remedies: Sequence[Remedy] = (),
) -> Motion:
    """The parts joined; warnings end with what helps in a walk, where nobody chooses places."""
    if not places:
        return motions[0]
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", QualityWarning)
        joined = transition(*motions, at=places, clean=clean)
    for one in heard:
        said = one.message
        if isinstance(said, QualityWarning) and said.remedies:
            said = QualityWarning(said.reason, said.finding, remedies, said.kind)
        warnings.warn(said, stacklevel=5)
    return joined


def _parts(
    library: Library, graph: Graph, plan: WalkPlan
) -> tuple[list[Motion], list[tuple[float, float]], tuple[tuple[str, float, float], ...]]:
    """What is joined, where, and which parts of which clips are played."""
    index = graph.index
    motions: list[Motion] = []
    places: list[tuple[float, float]] = []
    played = []
    leave = 0.0
    for number, piece in enumerate(plan.pieces):
        motion = library.load(piece.clip)
        frames = [index.frame(piece.clip, sample) for sample in (piece.first, piece.last)]
        room = MARGIN * motion.fps / RATE
        first = 0 if number == 0 else max(0, int(frames[0] - 2.0 * room))
        first = round(frames[0]) if number == 0 else first
        last = number == len(plan.pieces) - 1
        stop = min(len(motion), round(frames[1]) + 1 + (0 if last else round(2.0 * room)))
        motions.append(motion[first:stop])
        if number:
            places.append((leave, frames[0] - first))
        leave = frames[1] - first
        played.append((index.entries[piece.clip].path, frames[0], frames[1]))
    return motions, places, tuple(played)


# Planning


def _on_line(graph: Graph, clip: int, sample: int, line: Line) -> Planar:
    """The move that takes a clip, from a sample on, to the beginning of a path."""
    ahead = graph.index.track(clip, sample, sample + STAY)
    hips = ahead.points[:, 0]
    way = hips[-1] - hips[0]
    # A walking body moves along the path; a standing one faces along it.
    travels = float(np.hypot(way[0], way[2])) > 0.3
    facing = float(np.arctan2(way[0], way[2])) if travels else float(ahead.heading[0])
    turn = float(line.direction(0.0)) - facing
    return Planar.onto(turn, hips[0, [0, 2]].astype(float), line.at(0.0))


def _beginnings(graph: Graph, library: Library, start: str | None) -> list[tuple[int, int]]:
    """Clips and samples at which a walk may begin."""
    index = graph.index
    if start is not None:
        number = index.number(library.entry(start).path)
        assert number is not None
        if not graph.leaving(number, MARGIN):
            raise LibraryError(f"{start}: this clip leads to no other; see `library.graph()`")
        return [(number, 0)]
    used = np.unique(graph.clips[:, 0])
    step = max(1, len(used) // _BEGINNINGS)
    return [(int(clip), 0) for clip in used[::step]]


def beginning(graph: Graph, library: Library, start: str | None) -> tuple[int, int]:
    """The clip with the most continuations, or the requested one, and its first sample."""
    if start is None:
        return int(np.argmax(np.diff(graph.firsts))), 0
    return _beginnings(graph, library, start)[0]


def _search(
    graph: Graph,
    line: Line,
    begins: Sequence[tuple[int, int]],
    *,
    heading: float | None = None,
) -> WalkPlan:
    """The plan that follows a path best.

    Among thousands of clips, the few plans that follow a straight stretch best may all be unable to
    take the corner after it: if so, more are pursued.
    """
    for breadth in _BREADTHS:
        best = _searched(graph, line, begins, breadth, heading)
        if best.cost <= _STRAYS * best.progress:
            break
    return best


def _searched(
    graph: Graph,
    line: Line,
    begins: Sequence[tuple[int, int]],
    breadth: int,
    heading: float | None,
) -> WalkPlan:
    """The best plan, if a number of plans is pursued in parallel.

    Plans that have got equally far are compared with each other, and the most promising of
    them are gone on with.
    """
    plans = [
        WalkPlan((WalkPiece(clip, s, s),), _on_line(graph, clip, s, line)) for clip, s in begins
    ]
    by_progress: dict[int, list[WalkPlan]] = {}
    finished: list[WalkPlan] = []
    for step in range(int(line.length / _ADVANCE) + 1):
        for plan in plans if step == 0 else _promising(by_progress.pop(step, []), breadth):
            for grown in _grown(graph, line, plan, finished, heading):
                # A body that stands still follows any path perfectly, and never arrives.
                reached = int(grown.progress / _ADVANCE)
                if reached > step:
                    by_progress.setdefault(reached, []).append(grown)
    if not finished:
        raise LibraryError(
            "found no walk along the path: the graph has too few clips that travel; add some, or "
            "choose other kinds"
        )
    return min(finished, key=lambda plan: plan.cost / plan.progress)


def _grown(
    graph: Graph, line: Line, plan: WalkPlan, finished: list[WalkPlan], heading: float | None
) -> list[WalkPlan]:
    """Extend a plan to every junction within reach; plans that reach the end go to ``finished``."""
    here = plan.current
    ahead = graph.index.track(here.clip, here.first, here.first + _LONGEST + 1)
    at = np.arange(0, len(ahead), _CHECK)
    places = plan.place.apply_xz(ahead.points[at, 0][:, [0, 2]].astype(np.float64))
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])
    travelled = plan.progress + way
    off = np.sum((places - line.at(travelled)) ** 2, axis=1)
    turned = ahead.heading[at] + plan.place.angle - line.direction(travelled)
    astray = _ASTRAY * 0.5 * (1.0 - np.cos(turned))
    # By the distance covered, and slightly by the time that it took.
    steps = np.diff(way, prepend=0.0)
    cost = plan.cost + np.cumsum((off + astray) * steps + _HURRY * _CHECK / RATE)
    beyond = np.flatnonzero(travelled >= line.length)
    stop = int(at[beyond[0]]) if len(beyond) else len(ahead)
    if len(beyond) and stop >= MARGIN:
        total = float(cost[beyond[0]])
        if heading is not None:
            apart = float(ahead.heading[stop]) + plan.place.angle - np.radians(heading)
            total += line.length * (1.0 - np.cos(apart))
        last = replace(here, last=here.first + stop)
        finished.append(
            WalkPlan((*plan.pieces[:-1], last), plan.place, float(travelled[beyond[0]]), total)
        )
    stay = STAY if len(plan.pieces) > 1 else MARGIN
    grown = []
    for taken in graph.leaving(here.clip, here.first + stay, here.first + stop - 1):
        leave = int(graph.samples[taken, 0])
        check = (leave - here.first) // _CHECK
        entered = int(graph.samples[taken, 1])
        grown.append(
            WalkPlan(
                (
                    *plan.pieces[:-1],
                    replace(here, last=leave),
                    WalkPiece(int(graph.clips[taken, 1]), entered, entered),
                ),
                plan.place @ graph.arrivals[taken],
                float(travelled[check]),
                float(cost[check]) + _ROUGH * float(graph.distances[taken]) ** 2,
            )
        )
    return grown


def _promising(plans: list[WalkPlan], breadth: int) -> list[WalkPlan]:
    """The best plans, not too many of them in one clip."""
    kept: list[WalkPlan] = []
    held: dict[int, int] = {}
    for plan in sorted(plans, key=lambda plan: plan.cost):
        clip = plan.current.clip
        if held.get(clip, 0) < _PER_CLIP:
            held[clip] = held.get(clip, 0) + 1
            kept.append(plan)
            if len(kept) == breadth:
                break
    return kept
