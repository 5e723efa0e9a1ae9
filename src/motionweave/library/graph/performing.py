"""Performs planned walks: the clips themselves, joined by `transition`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionweave.core.motion import Motion
from motionweave.core.planar import Planar
from motionweave.errors import QualityWarning, Remedy
from motionweave.library.graph.floor_path import FloorPath
from motionweave.library.graph.graph import MARGIN, Graph
from motionweave.library.graph.path_correction import corrected
from motionweave.library.graph.plan import WalkPlan
from motionweave.library.index.features import RATE
from motionweave.library.index.folder import IndexedFolder
from motionweave.methods.blending.transition import transition
from motionweave.methods.finish import finish

# From a warning to whoever called `Library.walk`: past a method of `Parts`, a kind of walk, and
# `Library.walk` itself.
_CALLER = 4


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of clips that a walk is made of.

    Parameters
    ----------
    motions
        The parts, with room for a transition on either side.
    places
        For each two in a row: the frame at which the first is left, and the second entered.
    played
        Path of each clip, its first and last frame that are played.
    """

    motions: tuple[Motion, ...]
    places: tuple[tuple[float, float], ...]
    played: tuple[tuple[str, float, float], ...]

    @classmethod
    def of(cls, library: IndexedFolder, graph: Graph, plan: WalkPlan) -> Parts:
        """The parts of clips that a plan plays."""
        index = graph.index
        motions: list[Motion] = []
        places: list[tuple[float, float]] = []
        played = []
        leave = 0.0
        for number, piece in enumerate(plan.pieces):
            motion = library.load(piece.clip, doubts=False)
            frames = [index.frame(piece.clip, sample) for sample in (piece.first, piece.last)]
            room = 2.0 * MARGIN * motion.fps / RATE
            first = max(0, int(frames[0] - room)) if number else round(frames[0])
            is_last = number == len(plan.pieces) - 1
            stop = min(len(motion), round(frames[1]) + 1 + (0 if is_last else round(room)))
            motions.append(motion[first:stop])
            if number:
                places.append((leave, frames[0] - first))
            leave = frames[1] - first
            played.append((index.entries[piece.clip].path, frames[0], frames[1]))
        return cls(tuple(motions), tuple(places), tuple(played))

    def joined(self, *, clean: bool, remedies: Sequence[Remedy] = ()) -> Motion:
        """The walk; warnings end with what helps in a walk, where nobody chooses places."""
        if not self.places:
            return self.motions[0]
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", QualityWarning)
            joined = transition(*self.motions, at=self.places, clean=clean)
        for one in heard:
            said = one.message
            if isinstance(said, QualityWarning) and said.remedies:
                said = QualityWarning(said.reason, said.finding, remedies, said.kind)
            warnings.warn(said, stacklevel=_CALLER)
        return joined

    def bent(self, start: Planar, route: FloorPath, bend: float, *, clean: bool) -> Motion:
        """The walk, bent towards a path.

        Parameters
        ----------
        start
            The move that takes the first part to the beginning of the path.
        route
            The path.
        bend
            Degrees per leg length travelled.
        clean
            Whether to plant the feet.
        """
        with warnings.catch_warnings():
            # It is checked once it is bent.
            warnings.simplefilter("ignore", QualityWarning)
            walk = self.joined(clean=False)
        bent = corrected(walk.moved(start), route, np.radians(bend))
        return finish(bent, self.motions, clean=clean).reported(stacklevel=_CALLER)
