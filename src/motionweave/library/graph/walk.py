"""Walks through a graph of clips: along a path, to a place, through clips in order, at random.

Walks are planned here on the library's tracks, in leg lengths; see `performing` for the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionweave.body.rig.roles import leg_length
from motionweave.core.arrays import Array
from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.errors import LibraryError, Remedy
from motionweave.library.graph.floor_path import LEG, FloorPath
from motionweave.library.graph.graph import MARGIN, STAY, Graph, onwards
from motionweave.library.graph.performing import Parts
from motionweave.library.graph.plan import (
    LONGEST,
    WalkPiece,
    WalkPlan,
    at_beginning,
    beginnings,
    follow,
)
from motionweave.library.index.features import RATE
from motionweave.library.index.folder import IndexedFolder

# How near a junction is, in leg lengths, that is likely to be chosen at random.
_LIKELY = 0.1
# Samples of the first clip that are played, at most, before it is left for the next station.
_LEAD_IN = round(2.0 * RATE)


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
        Mean distance of the pelvis from the path, or its distance at the end from the place to walk
        to, in metres of a body 1.7 m tall; None without either.
    """

    motion: Motion
    clips: tuple[tuple[str, float, float], ...]
    error: float | None = None


def along(
    library: IndexedFolder,
    graph: Graph,
    path: ArrayLike,
    *,
    start: str | None = None,
    bend: float = 0.0,
    clean: bool = True,
) -> Walk:
    """A walk along a drawn path; see `Library.walk`."""
    route = FloorPath(np.asarray(path, dtype=np.float64) / LEG)
    plan = follow(graph, route, beginnings(graph, library, start))
    parts = Parts.of(library, graph, plan)
    move = _to_beginning(graph, plan, route, parts)
    if bend > 0.0:
        motion = parts.bent(move, route, bend, clean=clean)
    else:
        motion = parts.joined(clean=clean).moved(move)
    return Walk(motion, parts.played, LEG * route.error(_places(motion)))


def to_place(
    library: IndexedFolder,
    graph: Graph,
    place: tuple[float, float],
    heading: float | None,
    *,
    start: str | None = None,
    bend: float = 0.0,
    clean: bool = True,
) -> Walk:
    """A walk from the origin, facing +z, to a place and heading; see `Library.walk`."""
    target = np.asarray(place, dtype=np.float64) / LEG
    if np.linalg.norm(target) < 1.0:
        raise LibraryError("the place to go to is less than a step away")
    route = FloorPath(np.stack([np.zeros(2), target]))
    plan = follow(graph, route, beginnings(graph, library, start), heading=heading)
    parts = Parts.of(library, graph, plan)
    move = _to_beginning(graph, plan, route, parts)
    # What is bent does not face where it was planned to.
    if bend > 0.0 and heading is None:
        motion = parts.bent(move, route, bend, clean=clean)
    else:
        motion = parts.joined(clean=clean).moved(move)
    return Walk(motion, parts.played, LEG * float(np.linalg.norm(_places(motion)[-1] - target)))


def _to_beginning(graph: Graph, plan: WalkPlan, route: FloorPath, parts: Parts) -> Planar:
    """The move that takes the first part of a plan to the beginning of a path."""
    first = plan.pieces[0]
    move = at_beginning(graph, first.clip, first.first, route)
    unit = leg_length(parts.motions[0].skeleton)
    return Planar(move.angle, move.x * unit, move.z * unit)


def _places(motion: Motion) -> Array:
    """Where a body is on the floor ``(T, 2)``, in leg lengths."""
    return np.asarray(motion.root[:, [0, 2]] / leg_length(motion.skeleton))


def at_random(
    library: IndexedFolder,
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
        odds = np.exp(-((graph.distances[choices.start : choices.stop] / _LIKELY) ** 2)) + 1e-9
        taken = choices[int(random.choice(len(choices), p=odds / odds.sum()))]
        leave = int(graph.samples[taken, 0])
        if done + (leave - sample) / RATE >= seconds:
            break
        pieces.append(WalkPiece(clip, sample, leave))
        clip, sample = int(graph.clips[taken, 1]), int(graph.samples[taken, 1])
    left = seconds - sum(piece.last - piece.first for piece in pieces) / RATE
    last = min(sample + max(round(left * RATE), MARGIN), graph.index.entries[clip].samples - 1)
    plan = WalkPlan((*pieces, WalkPiece(clip, sample, last)))
    parts = Parts.of(library, graph, plan)
    return Walk(parts.joined(clean=clean, remedies=(Remedy("seed"),)), parts.played)


def through_clips(
    library: IndexedFolder,
    graph: Graph,
    stations: Sequence[NDArray[np.bool_]],
    *,
    clean: bool = True,
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
    parts = Parts.of(library, graph, _over(graph, nodes))
    return Walk(parts.joined(clean=clean), parts.played)


def _over(graph: Graph, nodes: Sequence[int]) -> WalkPlan:
    """A plan over junctions: a node that is followed by another clip's is taken."""
    clips, samples = graph.clips, graph.samples
    first = nodes[0]
    pieces: list[WalkPiece] = []
    clip, sample = int(clips[first, 0]), max(0, int(samples[first, 0]) - _LEAD_IN)
    for node, following in pairwise(nodes):
        goes_on = clips[following, 0] == clips[node, 0] and following == node + 1
        if goes_on:
            continue
        pieces.append(WalkPiece(clip, sample, int(samples[node, 0])))
        clip, sample = int(clips[node, 1]), int(samples[node, 1])
    end = min(sample + LONGEST, graph.index.entries[clip].samples - 1)
    return WalkPlan((*pieces, WalkPiece(clip, sample, end)))
