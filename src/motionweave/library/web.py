"""Motions of the same kind that look too different by themselves, reached through others.

Kovar & Gleicher (2004): every match becomes an example in turn. Their match web holds the
chains of local minima of all pairs of clips; here the features name the pairs worth
looking at, and only those are computed. The time alignments along the way are put one after
the other, so that every match is registered with the first example.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from motionweave.library.features import Track
from motionweave.library.find import Stretch, find

if TYPE_CHECKING:
    from motionweave.library.library import Library

# A match this near to an example that was already looked for (as a share of the limit)
# finds the same again.
_NEAR = 0.5
# Examples that are looked for at most.
_MOST_EXAMPLES = 40


@dataclass(frozen=True, eq=False)
class Link:
    """A match and the clips through which it was reached, the first example's side first."""

    stretch: Stretch
    via: tuple[int, ...] = ()


def through(
    library: Library,
    example: Track,
    *,
    most: int,
    limit: float,
    roles: Sequence[str],
    among: NDArray[np.bool_] | None,
) -> list[Link]:
    """Matches of an example and of its matches, the nearest first, each once.

    Parameters
    ----------
    library
        Where to look.
    example
        What to look for first.
    most
        How many matches at most.
    limit
        The largest distance from one to the next.
    roles, among
        As in `motionweave.library.find.find`.
    """
    index = library.index
    found: list[Link] = []
    # Examples to look for: the track, the way to it, and how its samples belong to the first.
    waiting: list[tuple[Track, Link | None]] = [(example, None)]
    looked = 0
    while waiting and looked < _MOST_EXAMPLES and len(found) < most:
        current, link = waiting.pop(0)
        looked += 1
        for stretch in find(index, current, most=most, roles=roles, among=among, limit=limit):
            if any(stretch.overlaps(other.stretch) for other in found):
                continue
            reached = _along(stretch, link)
            found.append(reached)
            if stretch.distance > _NEAR * limit:
                own = index.track(stretch.clip, stretch.first, stretch.last + 1)
                waiting.append((own, reached))
    found.sort(key=lambda one: (len(one.via), one.stretch.distance))
    return found[:most]


def _along(stretch: Stretch, link: Link | None) -> Link:
    """A match of an intermediary as a match of the first example."""
    if link is None:
        return Link(stretch)
    # The intermediary's samples on the way, looked up in the match's own path.
    between = link.stretch.path - link.stretch.first
    return Link(
        replace(
            stretch,
            path=stretch.path[np.clip(between, 0, len(stretch.path) - 1)],
            distance=max(stretch.distance, link.stretch.distance),
        ),
        (*link.via, link.stretch.clip),
    )
