"""Builds motion graphs.

Kovar, Gleicher & Pighin (2002): clips may turn into each other at local minima of their
distance that lie below a threshold. How far apart two moments may be depends on the kind of motion:
about as far as the clips themselves change in a fraction of a second. Dead ends are removed: only
the largest set of junctions is kept in which each can be reached from every other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.core.planar import Planar
from motionweave.core.runtime.progress import Progress
from motionweave.errors import LibraryError
from motionweave.library import engine
from motionweave.library.graph.graph import MARGIN, STAY, Graph, onwards, packed, unpacked
from motionweave.library.index.features import STRIDE, role_weights
from motionweave.library.index.folder import IndexedFolder
from motionweave.library.index.snapshot import Index
from motionweave.library.index.store import Store
from motionweave.library.search.query import Range, chosen
from motionweave.registration.distance import align

# The largest distance at a junction: what clips of the kind change within this many
# descriptors (0.2 s), times a factor ...
_CHANGE, _TOLERANCE = 2, 1.0
# ... but never less than this, nor more, in leg lengths.
_LEAST, _MOST = 0.06, 0.30
# The most junctions out of one moment, each into another clip.
_CHOICES = 4
# Descriptors from one moment that may be left to the next: junctions leave five times per second.
_LEAVE_EVERY = 2
# Moments whose distances to all others are one piece of work, and columns at a time.
_PIECE, _BLOCK = 1024, 1 << 14
# Junctions that are aligned at a time.
_AT_ONCE = 20_000


def graph_of(
    library: IndexedFolder,
    *,
    words: str,
    measures: Mapping[str, Range] | None,
    tolerance: float,
    executor: Executor | None,
    progress: Progress | None,
) -> Graph:
    """The graph of clips of a library, which is kept in its store until clips change; see
    `Library.graph`."""
    question = f"graph {words} {sorted((measures or {}).items())} {tolerance}"
    kept = library.store.answer(question)
    if kept is not None:
        return unpacked(kept, library.index)
    among = chosen(library.index, words, measures)
    if among is not None and not among.any():
        raise LibraryError("no clip of the library has these words and measures")
    made = build(
        library.index,
        library.store.folder,
        among=among,
        tolerance=tolerance,
        executor=executor,
        progress=progress,
    )
    # Keeping it only saves time: another process may be writing, or nobody may.
    with suppress(LibraryError), library.store.writing() as writer:
        writer.keep(question, packed(made))
    return made


def build(
    index: Index,
    store: Path,
    *,
    among: NDArray[np.bool_] | None = None,
    tolerance: float = 1.0,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Graph:
    """The graph of the clips of an index.

    Parameters
    ----------
    index
        The clips.
    store
        Folder of the store that it was read from, which each worker opens.
    among
        ``(clips,)`` which clips take part; None for all.
    tolerance
        Scales the largest distance at a junction.
    executor
        Who computes distances.
    progress
        Called with the number of pieces of work done so far and the total.

    Raises
    ------
    LibraryError
        If no clip can be left and reached again.
    """
    taking = np.ones(len(index), dtype=bool) if among is None else among
    groups: dict[str, list[int]] = {}
    for number in np.flatnonzero(taking):
        groups.setdefault(index.entries[int(number)].rig, []).append(int(number))
    pieces = [
        (tuple(members), low)
        for members in groups.values()
        for low in range(0, len(_moments(index, members)[::_LEAVE_EVERY]), _PIECE)
    ]
    work = partial(_piece, str(store), index.change, tolerance)
    with engine.workers(executor, len(pieces) * 6) as pool:
        found = []
        for one in engine.in_order(pool, work, pieces):
            found.append(one)
            if progress is not None:
                progress(len(found), len(pieces))
    if not found or sum(len(one[2]) for one in found) == 0:
        raise LibraryError(
            "no clip of the library can turn into another: add more clips of one kind, or raise "
            "the tolerance"
        )
    leave = np.concatenate([one[0] for one in found])
    enter = np.concatenate([one[1] for one in found])
    distances = np.concatenate([one[2] for one in found])
    clips = np.column_stack([index.owners[leave], index.owners[enter]])
    samples = np.column_stack([leave, enter]) - index.rows[clips]
    samples *= STRIDE
    order = np.lexsort((samples[:, 1], clips[:, 1], samples[:, 0], clips[:, 0]))
    clips, samples, distances = clips[order], samples[order], distances[order]
    kept = _connected(clips, samples)
    if not kept.any():
        raise LibraryError(
            "clips of the library turn into others, but never back: add longer clips, or "
            "more of one kind, or raise the tolerance"
        )
    clips, samples = clips[kept], samples[kept]
    return Graph(
        clips, samples, distances[kept], _arrivals(index, clips, samples), len(leave), index
    )


def _moments(index: Index, members: Sequence[int]) -> NDArray[np.int64]:
    """Rows of features at which clips have room for half a transition on both sides."""
    room = -(-MARGIN // STRIDE)
    rows = [
        np.arange(index.rows[n] + room, index.rows[n] + index.counts[n] - room) for n in members
    ]
    return np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)


_at_hand: dict[tuple[str, int], Index] = {}


def _opened(store: str, change: int) -> Index:
    """The index of a store, cached by a worker from one piece of work to the next."""
    if (store, change) not in _at_hand:
        _at_hand.clear()
        _at_hand[store, change] = Index(Store(Path(store)))
    return _at_hand[store, change]


def _piece(
    store: str, change: int, tolerance: float, piece: tuple[tuple[int, ...], int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """Junctions out of one piece of the moments: rows that are left, entered, distances."""
    index = _opened(store, change)
    members, low = piece
    columns = _moments(index, members)
    rows = columns[::_LEAVE_EVERY][low : low + _PIECE]
    limits = _limits(index, members, tolerance)
    features = index.features
    mine = features[rows]
    squares = np.einsum("ij,ij->i", mine, mine)
    own, limit = index.owners[rows], limits[index.owners[rows]] ** 2
    parts: list[tuple[NDArray[np.int64], NDArray[np.int64], Array]] = []
    for begin in range(0, len(columns), _BLOCK):
        # One more on either side, to check minima at the edge.
        wide = columns[max(0, begin - 1) : begin + _BLOCK + 1]
        theirs = features[wide]
        cost = mine @ theirs.T
        cost *= -2.0
        cost += squares[:, None]
        cost += np.einsum("ij,ij->i", theirs, theirs)
        i, j = np.nonzero(cost < np.minimum(limit[:, None], limits[index.owners[wide]] ** 2))
        edge = (j > 0) | (begin == 0)
        edge &= (j < len(wide) - 1) | (begin + _BLOCK + 1 >= len(columns) + 1)
        i, j = i[edge], j[edge]
        value = cost[i, j]
        lower = (value <= cost[i, np.maximum(j - 1, 0)]) & (
            value <= cost[i, np.minimum(j + 1, len(wide) - 1)]
        )
        # A clip may turn into itself, but not at the frame that follows anyway.
        lower &= (own[i] != index.owners[wide[j]]) | (np.abs(rows[i] - wide[j]) * STRIDE > STAY)
        i, j, value = i[lower], j[lower], value[lower]
        parts.append((i, wide[j], value))
    row, column, value = (np.concatenate(values) for values in zip(*parts, strict=True))
    keep = _few(row, index.owners[column], value)
    return rows[row[keep]], column[keep], np.sqrt(np.maximum(value[keep], 0.0))


def _limits(index: Index, members: Sequence[int], tolerance: float) -> Array:
    """The largest distance ``(clips,)`` at a junction of each clip."""
    limits = np.zeros(len(index), dtype=np.float32)
    for number in members:
        first, count = int(index.rows[number]), int(index.counts[number])
        own = index.features[first : first + count]
        change = np.linalg.norm(own[_CHANGE:] - own[:-_CHANGE], axis=1)
        usual = float(np.median(change)) if len(change) else 0.0
        limits[number] = tolerance * np.clip(_TOLERANCE * usual, _LEAST, _MOST)
    return np.asarray(limits)


def _few(row: NDArray[np.int64], target: NDArray[np.int64], value: Array) -> NDArray[np.int64]:
    """The best few of each row, one into each clip."""
    order = np.lexsort((value, target, row))
    first = np.ones(len(order), dtype=bool)
    same = (np.diff(row[order]) == 0) & (np.diff(target[order]) == 0)
    first[1:] = ~same
    order = order[first]
    order = order[np.lexsort((value[order], row[order]))]
    begins = np.searchsorted(row[order], row[order])
    return order[np.arange(len(order)) - begins < _CHOICES]


def _connected(clips: NDArray[np.int64], samples: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which junctions ``(j,)`` are in the largest part through which a walk never ends.

    A junction is a node: from there a walk may continue to the next junction of the clip, or take
    this one and continue to the first that can be reached in the clip entered.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    count = len(clips)
    following = np.arange(count - 1)[clips[1:, 0] == clips[:-1, 0]]
    taken, reached = onwards(clips, samples)
    arcs = np.concatenate([following, taken]), np.concatenate([following + 1, reached])
    graph = coo_matrix((np.ones(len(arcs[0]), dtype=np.int8), arcs), shape=(count, count))
    _, label = connected_components(graph, directed=True, connection="strong")
    largest = np.bincount(label).argmax()
    kept = np.zeros(count, dtype=bool)
    # The junction reached must be in the part, too; a walk that passes a removed junction reaches
    # the next one of the clip.
    kept[taken] = (label[taken] == largest) & (label[reached] == largest)
    return kept


def _arrivals(index: Index, clips: NDArray[np.int64], samples: NDArray[np.int64]) -> Planar:
    """Moves ``(j,)`` that align the clip entered with the clip left, as in registration."""
    # Over the whole transition, as its two clips are blended.
    offsets = range(-MARGIN, MARGIN + 1, STRIDE)
    weights = np.tile(role_weights(), len(offsets)) / len(offsets)
    moves = []
    for low in range(0, len(clips), _AT_ONCE):
        part = slice(low, low + _AT_ONCE)
        clouds = [index.places(clips[part, side], samples[part, side], offsets) for side in (0, 1)]
        a, b = (cloud.reshape(len(cloud), -1, 3) for cloud in clouds)
        moves.append(align(a, b, weights))
    fields = ("angle", "x", "z")
    return Planar(*(np.concatenate([np.atleast_1d(getattr(m, f)) for m in moves]) for f in fields))
