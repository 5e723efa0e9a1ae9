"""Walks through a graph of clips: along a path, to a place, through clips in order, at random.

A walk is planned on the library's tracks, in leg lengths, and then performed by `transition`
on the clips themselves.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.body.rig.roles import leg_length
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.errors import LibraryError, QualityWarning, Remedy
from motionweave.library.graph.floor_path import FloorPath
from motionweave.library.graph.graph import MARGIN, STAY, Graph
from motionweave.library.graph.path_correction import corrected
from motionweave.library.graph.plan import (
    LONGEST,
    WalkPiece,
    WalkPlan,
    at_beginning,
    beginnings,
    follow,
)
from motionweave.library.index.features import RATE
from motionweave.methods.blending.transition import transition
from motionweave.methods.finish import finish

if TYPE_CHECKING:
    from motionweave.library.library import Library


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
    begins = beginnings(graph, library, start)
    body = library.load(begins[0][0]).skeleton
    unit = leg_length(body)
    route = FloorPath(np.asarray(path, dtype=np.float64) / unit)
    best = follow(graph, route, begins)
    motion, clips = _on_path(library, graph, best, route, unit, bend, clean)
    error = route.error(motion.root[:, [0, 2]] / unit) * unit
    return Walk(motion, clips, error)


def _on_path(
    library: Library,
    graph: Graph,
    plan: WalkPlan,
    route: FloorPath,
    unit: float,
    bend: float,
    clean: bool,
) -> tuple[Motion, tuple[tuple[str, float, float], ...]]:
    """The motion of a plan, from where the path begins and bent towards it."""
    first = plan.pieces[0]
    move = at_beginning(graph, first.clip, first.first, route)
    start = Planar(move.angle, move.x * unit, move.z * unit)
    motions, places, played = _parts(library, graph, plan)
    if bend <= 0.0:
        return _joined(motions, places, clean=clean).moved(start), played
    with warnings.catch_warnings():
        # It is checked once it is bent.
        warnings.simplefilter("ignore", QualityWarning)
        motion = _joined(motions, places, clean=False).moved(start)
    bent = corrected(motion, route, unit, np.radians(bend))
    return finish(bent, motions, clean=clean).reported(), played


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
    begins = beginnings(graph, library, start)
    clip, sample = begins[int(random.integers(len(begins)))]
    pieces: list[WalkPiece] = []
    while True:
        choices = graph.leaving(clip, sample + (STAY if pieces else MARGIN), sample + LONGEST)
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

    from motionweave.library.graph.graph import onwards

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
    end = min(sample + LONGEST, graph.index.entries[clip].samples - 1)
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
    begins = beginnings(graph, library, start)
    unit = leg_length(library.load(begins[0][0]).skeleton)
    target = np.asarray(place, dtype=np.float64) / unit
    if np.linalg.norm(target) < 1.0:
        raise LibraryError("the place to go to is less than a step away")
    route = FloorPath(np.stack([np.zeros(2), target]))
    best = follow(graph, route, begins, heading=heading)
    most = bend if heading is None else 0.0
    motion, clips = _on_path(library, graph, best, route, unit, most, clean)
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
