"""The motion graph: which clips can turn into which others, where, and what can be reached."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.core.planar import Planar
from motionweave.io.store.container import Members
from motionweave.library.index.features import RATE, TRACKED, ClipTrack
from motionweave.library.index.snapshot import Index

# Samples that a clip needs before and after a junction: half a transition.
MARGIN = round(0.5 * RATE)
# Samples from entering a clip to leaving it: two halves of a transition, and a few more.
STAY = 2 * MARGIN + 3
_HIPS = TRACKED.index("hips")
_ANKLES = [TRACKED.index(f"{side}_ankle") for side in ("left", "right")]


@dataclass(frozen=True, eq=False)
class Graph:
    """Junctions between clips, sorted by the clip and sample that they leave.

    Parameters
    ----------
    clips
        ``(j, 2)`` number of the clip that is left, and of the one that is entered.
    samples
        ``(j, 2)`` sample of each.
    distances
        ``(j,)`` in leg lengths.
    arrivals
        ``(j,)`` moves that take the second clip to where it continues the first.
    found
        How many junctions there were before dead ends were removed.
    index
        What it was made from.
    """

    clips: NDArray[np.int64]
    samples: NDArray[np.int64]
    distances: Array
    arrivals: Planar
    found: int
    index: Index

    def __len__(self) -> int:
        return len(self.clips)

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """``(clips + 1,)`` the first junction that leaves each clip."""
        return np.searchsorted(self.clips[:, 0], np.arange(len(self.index) + 1))

    @cached_property
    def usual_heights(self) -> Array:
        """``(2,)`` how high the hips and the lower ankle usually are in its clips."""
        tracks = [self.index.track(int(clip)) for clip in np.unique(self.clips[:, 0])]
        return np.asarray(np.median(np.concatenate([heights(one) for one in tracks]), axis=0))

    def leaving(self, clip: int, low: float, high: float = np.inf) -> range:
        """Junctions that leave a clip from sample ``low`` up to ``high``."""
        first, stop = int(self.firsts[clip]), int(self.firsts[clip + 1])
        at = self.samples[first:stop, 0]
        return range(
            first + int(np.searchsorted(at, low)), first + int(np.searchsorted(at, high, "right"))
        )

    def statistics(self) -> dict[str, float]:
        """How large and how well connected it is."""
        used = np.unique(self.clips[:, 0])
        seconds = sum(self.index.entries[int(clip)].samples for clip in used) / RATE
        return {
            "clips": len(used),
            "of": len(self.index),
            "junctions": len(self),
            "found": self.found,
            "seconds": round(seconds, 1),
            "choices per second": round(len(self) / max(seconds, 1e-9), 3),
            "median distance": round(float(np.median(self.distances)), 4) if len(self) else 0.0,
        }


def heights(track: ClipTrack) -> Array:
    """``(T, 2)`` heights of the hips and of the lower ankle, in leg lengths."""
    return np.stack([track.points[:, _HIPS, 1], track.points[:, _ANKLES, 1].min(axis=1)], axis=1)


def onwards(
    clips: NDArray[np.int64], samples: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Junctions after which another can be taken, and the first that can."""
    span = int(samples.max()) + STAY + 1
    keys = clips[:, 0] * span + samples[:, 0]
    next_one = np.searchsorted(keys, clips[:, 1] * span + samples[:, 1] + STAY)
    inside = next_one < len(clips)
    inside[inside] = clips[next_one[inside], 0] == clips[inside, 1]
    return np.flatnonzero(inside), next_one[inside]


def packed(graph: Graph) -> bytes:
    """A graph as bytes; the index it was made from is left out."""
    blob = io.BytesIO()
    moves = graph.arrivals
    np.savez(
        blob,
        graph.clips,
        graph.samples,
        graph.distances,
        np.column_stack([moves.angle, moves.x, moves.z]),
        np.array(graph.found),
    )
    return blob.getvalue()


def unpacked(blob: bytes, index: Index) -> Graph:
    """The graph that was packed, on the index it was made from."""
    with Members(io.BytesIO(blob), "a motion graph") as arrays:
        clips, samples, distances, moves, found = (arrays.array(f"arr_{i}.npy") for i in range(5))
    return Graph(clips, samples, distances, Planar(*moves.T), int(found), index)
