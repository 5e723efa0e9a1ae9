"""Motions of the same kind that look too different from the example, reached through others.

Kovar & Gleicher (2004) keep a match web: for every pair of clips where one is like the other. A
query is answered by what crosses it, and every match becomes a query in turn. Here the web grows on
demand: what is found for an example is kept in the store, with how its moments
correspond, and only clips added later are searched. The time alignments along the chain are
composed, so that every match is registered with the first example.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.errors import LibraryError
from motionweave.library.collect import kinds
from motionweave.library.collect.activity import Activity, joined
from motionweave.library.collect.distinctive import Distinctive
from motionweave.library.collect.links import linked
from motionweave.library.collect.nodes import Node, activities, distances
from motionweave.library.index.features import STRIDE, TRACKED, ClipTrack
from motionweave.library.index.folder import IndexedFolder
from motionweave.library.index.snapshot import Index
from motionweave.library.search.candidates import TEMPOS, Candidate, at_tempo, in_tempo
from motionweave.library.search.examples import Example
from motionweave.library.search.find import Stretch, each_once, verified
from motionweave.library.search.matches import Match
from motionweave.library.search.query import Query
from motionweave.library.search.spans import Span, Taken, shared

# Candidates of an example that are examined: at least, and per requested match.
_LEAST, _EACH = 600, 1
# The most examples that are searched for: the first, and matches far from earlier ones.
_MOST_EXAMPLES = 6
# Leg lengths by which what is done in a stretch may differ from the first example, whatever it was
# reached through.
_SOMETHING_ELSE = 0.2
# Neighbours show what is of a kind if at least this many share this much of what sets the example
# apart. Then those that share next to nothing of it are left out; else what shares more counts.
_MANY, _ALIKE = 15, 0.35
_NEXT_TO_NOTHING, _TELLS = 0.1, 0.55
# What is less alike than that by this much or less is named.
_NEARLY = 0.1


@dataclass(frozen=True, eq=False)
class Link:
    """A match and the clips through which it was reached, the first example's side first."""

    stretch: Stretch
    via: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Gathered:
    """What was gathered from an example.

    Parameters
    ----------
    links
        Matches of its kind, the nearest first, each once.
    outliers
        What hangs loosely on these, as well.
    others
        Clips without a match that have something as similar as a match, and what is done there
        instead: number to reason.
    """

    links: list[Link]
    outliers: list[Link]
    others: dict[int, str]


@dataclass(frozen=True, eq=False)
class _Example:
    """What was looked for.

    Parameters
    ----------
    track
        Its samples.
    node
        The candidate that it is; None for the first.
    via
        Clips on the way to it, its own included.
    distance
        The largest from one to the next on that way.
    """

    track: ClipTrack
    node: Node | None = None
    via: tuple[int, ...] = ()
    distance: float = 0.0


@dataclass(frozen=True, eq=False)
class OfKind:
    """What is of the kind of any of several examples.

    Parameters
    ----------
    matches
        Stretches of the kind; some may be listed for several examples.
    outliers
        Stretches that hang loosely on these, as well.
    others
        Clips without a match in which something similar is done that is of another kind, and what
        is different: path to reason.
    """

    matches: list[Match]
    outliers: list[Match]
    others: dict[str, str]


def of_kind(library: IndexedFolder, examples: Sequence[Example], query: Query) -> OfKind:
    """What is of the kind of any of the examples."""
    found = OfKind([], [], {})
    for example in examples:
        gathered = through(library, example.track, query)
        for matches, links in (
            (found.matches, gathered.links),
            (found.outliers, gathered.outliers),
        ):
            matches += [Match.of(library, example, link.stretch, link.via) for link in links]
        for clip, reason in gathered.others.items():
            found.others.setdefault(library.index.entries[clip].path, reason)
    for match in found.matches:
        found.others.pop(match.clip, None)
    return found


def through(library: IndexedFolder, example: ClipTrack, query: Query) -> Gathered:
    """What is of the example's kind, and what is similar but is not.

    The limit of the query is that of the distance from one stretch to the next on the way.
    """
    index = library.index
    web = _Web(library, example, query)
    while web.grows():
        pass
    kept, unlike = _alike(index, example, _those(web.nodes, web.members), query)
    links, outliers = (
        _within(_verified(index, web.examples, some, query.roles), query)
        for some in (kept, _those(web.nodes, web.outlying))
    )
    matched = {link.stretch.clip for link in links}
    others = [node for node in web.others if node.clip not in matched]
    reasons = _something_else(index, web.activity[:1], kept, others, query.roles)
    unlike = {clip: reason for clip, reason in unlike.items() if clip not in matched}
    return Gathered(links, outliers, unlike | reasons)


class _Web:
    """Stretches around an example, found for it and for matches that become examples in turn.

    Attributes
    ----------
    examples
        What was looked for so far, or is next.
    nodes, others
        Stretches in which about the same is done as in the first example, and in which something
        else is.
    activity
        What is done in the first example and in the nodes.
    members, outlying
        ``(1 + nodes,)`` which of these are of the kind of the first, and which hang loosely on
        them.
    """

    def __init__(self, library: IndexedFolder, example: ClipTrack, query: Query) -> None:
        self._library, self._query = library, query
        self._count = max(_LEAST, _EACH * query.most)
        self._moments = np.arange(0, len(example), STRIDE)
        self._taken = Taken()
        self.examples = [_Example(example)]
        self.nodes: list[Node] = []
        self.others: list[Node] = []
        self.activity = Activity.of([example], query.roles, self._moments[None])
        self.members = self.outlying = np.zeros(1, dtype=bool)

    def grows(self) -> bool:
        """Take in what is similar to the latest example; whether a match is the next example."""
        index, roles = self._library.index, self._query.roles
        first, current = self.examples[0], self.examples[-1]
        found = linked(self._library, current.track, self._count, self._query)
        registered = _registered(found, current, len(self.examples) - 1)
        fresh = [node for node in registered if self._taken.take(node.clip, node.span)]
        done = activities(index, fresh, roles, len(self._moments))
        same = self.activity[:1].apart(done, self.activity)[0] <= _SOMETHING_ELSE
        self.others += [node for node, fits in zip(fresh, same, strict=True) if not fits]
        self.nodes += [node for node, fits in zip(fresh, same, strict=True) if fits]
        self.activity = joined([self.activity, done[same]])
        places = distances(index, first.track, self.nodes)
        apart = places + self.activity.apart(self.activity, self.activity)
        of_kind = kinds.members(apart)
        self.outlying = kinds.outlying(apart, of_kind)
        self.members = of_kind & ~self.outlying
        following = _next(apart, self.members, self.examples, self.nodes)
        # What is farthest from all others may have nothing around it: the next may have more.
        exhausted = len(found) < self._count
        if exhausted or following is None or len(self.examples) == _MOST_EXAMPLES:
            return False
        self.examples.append(_as_example(index, self.nodes[following], self.examples))
        return True


def _those(nodes: Sequence[Node], which: NDArray[np.bool_]) -> list[Node]:
    """The nodes that are meant by ``(1 + m,)``, the first of which is the example."""
    return [nodes[number] for number in np.flatnonzero(which[1:]).tolist()]


def _within(links: Sequence[Link], query: Query) -> list[Link]:
    """Those that are as near as the query asks, and no more than that."""
    near = [link for link in links if query.limit is None or link.stretch.distance <= query.limit]
    return near[: query.most]


def _alike(
    index: Index, example: ClipTrack, nodes: Sequence[Node], query: Query
) -> tuple[list[Node], dict[int, str]]:
    """Those nodes that share what sets the example apart, and clips in which something falls short
    of it, with reasons.

    Where hardly any node does, neighbours of the example show nothing of its kind: then everything
    in the library that shares enough of it is returned with them.
    """
    # Features describe whole bodies; a part is named by the user because it acts.
    distinctive = Distinctive.of(index, example) if tuple(query.roles) == TRACKED else None
    if distinctive is None:
        if query.alike is not None:
            raise LibraryError(
                "alike: only whole bodies are compared with everything else, and only in a library "
                "of a few hundred stretches as long as the example; leave it out"
            )
        return list(nodes), {}
    shape = (len(nodes), distinctive.count, index.laid.shape[1])
    laid = np.reshape([index.laid[node.rows(index)] for node in nodes], shape)
    likeness = distinctive.likeness(laid)
    enough: float | None = None
    if query.alike is not None:
        least = enough = query.alike
    elif np.sum(likeness >= _ALIKE) >= _MANY:
        least = _NEXT_TO_NOTHING
    else:
        least, enough = _ALIKE, _TELLS
    kept: list[Node] = []
    short: dict[int, str] = {}
    taken = Taken()
    for node, share in zip(nodes, likeness, strict=True):
        if share >= least:
            kept.append(node)
            taken.take(node.clip, node.span)
        else:
            short.setdefault(node.clip, _falls_short(share, least))
    if enough is not None:
        for one in distinctive.candidates(index, enough - _NEARLY, query.among):
            share = 1.0 - one.cost
            if share < enough:
                short.setdefault(one.clip, _falls_short(share, enough))
            elif taken.take(one.clip, one.rows):
                kept.append(Node(one, 0, one.path))
    return kept, short


def _falls_short(share: float, least: float) -> str:
    return f"it shares {share:.2f} of what sets the example apart, less than {least:.2f}"


def _something_else(
    index: Index,
    first: Activity,
    kept: Sequence[Node],
    others: Sequence[Node],
    roles: Sequence[str],
) -> dict[int, str]:
    """Clips of other nodes that are as similar as one that is kept, and what is done there instead
    of what is done first."""
    farthest = max((node.candidate.cost for node in kept), default=0.0)
    reasons: dict[int, str] = {}
    for node in sorted(others, key=lambda one: one.candidate.cost):
        if node.candidate.cost <= farthest and node.clip not in reasons:
            reasons[node.clip] = activities(index, [node], roles, len(node.path)).difference(first)
    return reasons


def _registered(found: Sequence[Candidate], example: _Example, number: int) -> list[Node]:
    """Candidates of an example with that number, registered with the first example."""
    nodes = []
    for one in found:
        path = one.path
        if example.node is not None:
            between = example.node.path - example.node.path[0]
            path = path[np.clip(between, 0, len(path) - 1)]
        nodes.append(Node(one, number, path))
    return nodes


def _next(
    apart: Array,
    chosen: NDArray[np.bool_],
    examples: Sequence[_Example],
    nodes: Sequence[Node],
) -> int | None:
    """The node of the kind that is farthest from all that was looked for; None if there is none."""
    looked = [0, *(1 + nodes.index(one.node) for one in examples if one.node is not None)]
    far = np.where(chosen, apart[:, looked].min(axis=1), -1.0)[1:]
    return int(np.argmax(far)) if len(far) and far.max() > 0.0 else None


def _as_example(index: Index, node: Node, examples: Sequence[_Example]) -> _Example:
    """A match that becomes an example in turn."""
    found_for = examples[node.example]
    return _Example(
        node.track(index),
        node,
        (*found_for.via, node.clip),
        max(found_for.distance, float(np.sqrt(node.candidate.cost))),
    )


def _verified(
    index: Index, examples: Sequence[_Example], nodes: Sequence[Node], roles: Sequence[str]
) -> list[Link]:
    """The nodes with their exact places, those found for the first example first."""
    links: list[Link] = []
    samples = len(examples[0].track)
    for number, example in enumerate(examples):
        mine = [node for node in nodes if node.example == number]
        spans: dict[int, list[Span]] = {}
        for node in mine:
            spans.setdefault(node.clip, []).append(node.candidate.rows)
        for stretch in each_once(_in_their_tempos(index, example.track, mine, roles)):
            rows = stretch.first // STRIDE, stretch.last // STRIDE
            # Next to a candidate are places that were not chosen.
            if any(shared(rows, span) for span in spans.get(stretch.clip, ())):
                links.append(_along(stretch, example, samples))
    taken = Taken()
    ordered = sorted(links, key=lambda one: (len(one.via), one.stretch.distance))
    return [link for link in ordered if taken.take(link.stretch.clip, link.stretch.span)]


def _in_their_tempos(
    index: Index, example: ClipTrack, nodes: Sequence[Node], roles: Sequence[str]
) -> list[Stretch]:
    """Stretches at nodes, verified with the example played as slowly as they were found with."""
    found: list[Stretch] = []
    for tempo in TEMPOS:
        played = at_tempo(example, tempo)
        named = [node.candidate for node in nodes if node.candidate.tempo == tempo]
        if played is not None and named:
            at = np.minimum(in_tempo(np.arange(len(example)), tempo), len(played) - 1)
            stretches = verified(index, played, named, roles)
            found += [replace(one, path=one.path[at]) for one in stretches]
    return found


def _along(stretch: Stretch, example: _Example, samples: int) -> Link:
    """A match of an example as a match of the first, with the first one's number of samples."""
    if example.node is None:
        return Link(stretch)
    # The intermediary's samples on the way, looked up in the match's own path.
    rows = example.node.path - example.node.path[0]
    between = np.interp(np.arange(samples), STRIDE * np.arange(len(rows)), STRIDE * rows)
    between = np.clip(np.round(between).astype(np.int64), 0, len(stretch.path) - 1)
    return Link(
        replace(
            stretch,
            path=stretch.path[between],
            distance=max(stretch.distance, example.distance),
        ),
        example.via,
    )
