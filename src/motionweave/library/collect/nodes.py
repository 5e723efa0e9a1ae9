"""Nodes of the match web: candidates that are registered with the first example."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.library.collect import kinds
from motionweave.library.collect.activity import Activity
from motionweave.library.index.course import described, known
from motionweave.library.index.features import STRIDE, ClipTrack
from motionweave.library.index.snapshot import Index
from motionweave.library.search.candidates import Candidate
from motionweave.library.search.spans import Span


@dataclass(frozen=True, eq=False)
class Node:
    """A candidate, registered with the first example.

    Parameters
    ----------
    candidate
        As it was found for the example that it was found for.
    example
        The index of that example, in the order of search.
    path
        ``(n,)`` the descriptor of the clip that belongs to each of the first example's.
    """

    candidate: Candidate
    example: int
    path: NDArray[np.int64]

    @property
    def clip(self) -> int:
        """Number of its clip."""
        return self.candidate.clip

    @property
    def span(self) -> Span:
        """Its first and last descriptor."""
        return int(self.path[0]), int(self.path[-1])

    def track(self, index: Index) -> ClipTrack:
        """Its samples."""
        first, last = (STRIDE * row for row in self.span)
        return index.track(self.clip, first, last + 1)

    def rows(self, index: Index) -> NDArray[np.int64]:
        """Rows ``(n,)`` of the index that belong to the descriptors of the first example."""
        return np.asarray(index.rows[self.clip] + self.path)


def activities(index: Index, nodes: Sequence[Node], roles: Sequence[str], count: int) -> Activity:
    """What is done in nodes; their ``count`` moments belong to the same of the first example."""
    tracks = [node.track(index) for node in nodes]
    rows = np.reshape([node.path - node.path[0] for node in nodes], (len(nodes), count))
    return Activity.of(tracks, roles, STRIDE * rows.astype(np.int64))


def distances(index: Index, example: ClipTrack, nodes: Sequence[Node]) -> Array:
    """Of the first example and all nodes from each other, ``(1 + m, 1 + m)``, in leg lengths."""
    at = np.arange(0, len(example), STRIDE)
    laid = np.stack([described(example, index.basis), *(index.laid[n.rows(index)] for n in nodes)])
    split = index.basis.dimensions
    turns = [turned(example), *(turned(node.track(index)) for node in nodes)]
    ways = laid[..., split:] * known(len(example), at)
    return kinds.registered_distances(laid[..., :split], ways, np.array(turns), index.basis.poses)


def turned(track: ClipTrack) -> float:
    """How far a body turns from beginning to end, in radians; more than one turn counts."""
    heading = np.unwrap(np.asarray(track.heading, dtype=np.float64))
    return float(heading[-1] - heading[0])
