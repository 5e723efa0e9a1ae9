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
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.errors import LibraryError
from motionweave.library.collect import kinds
from motionweave.library.collect.activity import Activity, joined
from motionweave.library.collect.distinctive import Distinctive
from motionweave.library.collect.links import linked
from motionweave.library.index.course import described, known
from motionweave.library.index.features import STRIDE, TRACKED, ClipTrack, roles_of
from motionweave.library.search.candidates import (
    TEMPOS,
    Candidate,
    at_tempo,
    in_tempo,
    shared,
)
from motionweave.library.search.examples import Example
from motionweave.library.search.find import Stretch, apart, verified
from motionweave.library.search.matches import Match

if TYPE_CHECKING:
    from motionweave.library.index.snapshot import Index
    from motionweave.library.library import Library

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
    others
        Clips without a match that have something as similar as a match, and what is done there
        instead: number to reason.
    """

    links: list[Link]
    others: dict[int, str]


@dataclass(frozen=True, eq=False)
class _Node:
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

    def overlaps(self, other: _Node) -> bool:
        """Whether both are effectively the same stretch."""
        spans = [(int(one.path[0]), int(one.path[-1])) for one in (self, other)]
        return self.candidate.clip == other.candidate.clip and shared(*spans)


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
    node: _Node | None = None
    via: tuple[int, ...] = ()
    distance: float = 0.0


def of_kind(
    library: Library,
    examples: Sequence[Example],
    *,
    most: int,
    limit: float | None,
    alike: float | None = None,
    part: str | Sequence[str] | None,
    among: NDArray[np.bool_] | None,
) -> tuple[list[Match], dict[str, str]]:
    """Matches of the kind of any of the examples, and similar clips of another kind, with reasons;
    parameters as in `Library.collect`."""
    matches: list[Match] = []
    others: dict[str, str] = {}
    for example in examples:
        gathered = through(
            library,
            example.track,
            most=most,
            limit=limit,
            alike=alike,
            roles=roles_of(part),
            among=among,
        )
        matches += [Match.of(library, example, link.stretch, link.via) for link in gathered.links]
        for clip, reason in gathered.others.items():
            others.setdefault(library.index.entries[clip].path, reason)
    matched = {match.clip for match in matches}
    return matches, {clip: reason for clip, reason in others.items() if clip not in matched}


def through(
    library: Library,
    example: ClipTrack,
    *,
    most: int,
    limit: float | None,
    alike: float | None,
    roles: Sequence[str],
    among: NDArray[np.bool_] | None,
) -> Gathered:
    """What is of the example's kind, and what is similar but is not.

    Parameters
    ----------
    library
        Where to look.
    example
        What to look for first.
    most
        The largest number of matches.
    limit
        The largest distance from one to the next; None to decide by kind.
    alike
        How much alike in what sets the example apart a match must be; None to decide by kind.
    roles, among
        As in `motionweave.library.search.find.find`.
    """
    index = library.index
    count = max(_LEAST, _EACH * most)
    examples = [_Example(example)]
    moments = np.arange(0, len(example), STRIDE)
    activity = Activity.of([example], roles, moments[None])
    nodes: list[_Node] = []
    others: list[_Node] = []
    while True:
        current = examples[-1]
        found = linked(library, current.track, count, roles, among)
        fresh = _registered(found, current, len(examples) - 1, [*nodes, *others])
        done = _activities(index, fresh, roles, len(moments))
        same = activity[:1].apart(done, activity)[0] <= _SOMETHING_ELSE
        others += [node for node, fits in zip(fresh, same, strict=True) if not fits]
        nodes += [node for node, fits in zip(fresh, same, strict=True) if fits]
        activity = joined([activity, done[same]])
        distances = _distances(index, example, nodes) + activity.apart(activity, activity)
        chosen = kinds.members(distances)
        following = _next(distances, chosen, examples, nodes)
        # What is farthest from all others may have nothing around it: the next may have more.
        exhausted = len(found) < count
        if exhausted or following is None or len(examples) == _MOST_EXAMPLES:
            break
        examples.append(_as_example(index, nodes[following], examples))
    kept = [node for node, is_of_kind in zip(nodes, chosen[1:], strict=True) if is_of_kind]
    kept, unlike = _alike(index, example, kept, alike, roles, among)
    links = _verified(index, examples, kept, roles)
    if limit is not None:
        links = [link for link in links if link.stretch.distance <= limit]
    links = links[:most]
    reasons = _something_else(index, activity[:1], links, kept, others, roles)
    matched = {link.stretch.clip for link in links}
    return Gathered(links, {c: why for c, why in unlike.items() if c not in matched} | reasons)


def _alike(
    index: Index,
    example: ClipTrack,
    nodes: Sequence[_Node],
    alike: float | None,
    roles: Sequence[str],
    among: NDArray[np.bool_] | None,
) -> tuple[list[_Node], dict[int, str]]:
    """Those nodes that share what sets the example apart, and clips in which something falls short
    of it, with reasons.

    Where hardly any node does, neighbours of the example show nothing of its kind: then everything
    in the library that shares enough of it is returned with them.
    """
    # Features describe whole bodies; a part is named by the user because it acts.
    distinctive = Distinctive.of(index, example) if tuple(roles) == TRACKED else None
    if distinctive is None:
        if alike is not None:
            raise LibraryError(
                "alike: only whole bodies are compared with everything else, and only in a library "
                "of a few hundred stretches as long as the example; leave it out"
            )
        return list(nodes), {}
    rows = [index.rows[node.candidate.clip] + node.path for node in nodes]
    shape = (len(nodes), distinctive.count, index.laid.shape[1])
    likeness = distinctive.likeness(np.reshape([index.laid[row] for row in rows], shape))
    enough: float | None = None
    if alike is not None:
        least, enough = alike, alike
    elif np.sum(likeness >= _ALIKE) >= _MANY:
        least = _NEXT_TO_NOTHING
    else:
        least, enough = _ALIKE, _TELLS
    kept: list[_Node] = []
    short: dict[int, str] = {}
    for node, share in zip(nodes, likeness, strict=True):
        if share >= least:
            kept.append(node)
        else:
            short.setdefault(node.candidate.clip, _falls_short(share, least))
    if enough is not None:
        for one in distinctive.candidates(index, enough - _NEARLY, among):
            node, share = _Node(one, 0, one.path), 1.0 - one.cost
            if share < enough:
                short.setdefault(one.clip, _falls_short(share, enough))
            elif not any(node.overlaps(other) for other in kept):
                kept.append(node)
    return kept, short


def _falls_short(share: float, least: float) -> str:
    return f"it is alike by {share:.2f} in what sets the example apart, not by {least:.2f}"


def _something_else(
    index: Index,
    first: Activity,
    links: Sequence[Link],
    kept: Sequence[_Node],
    others: Sequence[_Node],
    roles: Sequence[str],
) -> dict[int, str]:
    """Clips without a match in which something as similar as a match was found, and what is done
    there instead."""
    farthest = max((node.candidate.cost for node in kept), default=0.0)
    matched = {link.stretch.clip for link in links}
    reasons: dict[int, str] = {}
    for node in sorted(others, key=lambda one: one.candidate.cost):
        clip = node.candidate.clip
        if node.candidate.cost <= farthest and clip not in matched and clip not in reasons:
            reasons[clip] = _activities(index, [node], roles, len(node.path)).difference(first)
    return reasons


def _registered(
    found: Sequence[Candidate], example: _Example, number: int, nodes: Sequence[_Node]
) -> list[_Node]:
    """Candidates that are not among the nodes yet, registered with the first example."""
    taken: dict[int, list[_Node]] = {}
    for node in nodes:
        taken.setdefault(node.candidate.clip, []).append(node)
    fresh = []
    for one in found:
        path = one.path
        if example.node is not None:
            between = example.node.path - example.node.path[0]
            path = path[np.clip(between, 0, len(path) - 1)]
        node = _Node(one, number, path)
        others = taken.setdefault(one.clip, [])
        if not any(node.overlaps(other) for other in others):
            others.append(node)
            fresh.append(node)
    return fresh


def _distances(index: Index, example: ClipTrack, nodes: Sequence[_Node]) -> Array:
    """Of the first example and all nodes from each other, ``(1 + m, 1 + m)``."""
    at = np.arange(0, len(example), STRIDE)
    own = described(example, index.basis)
    split = index.basis.dimensions
    rows = [index.rows[node.candidate.clip] + node.path for node in nodes]
    features = np.stack([own[:, :split], *(index.features[row] for row in rows)])
    courses = np.stack([own[:, split:], *(index.courses[row] for row in rows)])
    turns = [_turned(example), *(_turned(_track(index, node)) for node in nodes)]
    ways = courses * known(len(example), at)
    return kinds.registered_distances(features, ways, np.array(turns), index.basis.poses)


def _track(index: Index, node: _Node) -> ClipTrack:
    first, last = (STRIDE * int(node.path[end]) for end in (0, -1))
    return index.track(node.candidate.clip, first, last + 1)


def _activities(index: Index, nodes: Sequence[_Node], roles: Sequence[str], count: int) -> Activity:
    """What is done in nodes; their ``count`` moments belong to the same of the first example."""
    tracks = [_track(index, node) for node in nodes]
    rows = np.reshape([node.path - node.path[0] for node in nodes], (len(nodes), count))
    return Activity.of(tracks, roles, STRIDE * rows.astype(np.int64))


def _turned(track: ClipTrack) -> float:
    heading = np.unwrap(np.asarray(track.heading, dtype=np.float64))
    return float(heading[-1] - heading[0])


def _next(
    distances: Array,
    chosen: NDArray[np.bool_],
    examples: Sequence[_Example],
    nodes: Sequence[_Node],
) -> int | None:
    """The node of the kind that is farthest from all that was looked for; None if there is none."""
    looked = [0, *(1 + nodes.index(one.node) for one in examples if one.node is not None)]
    far = np.where(chosen, distances[:, looked].min(axis=1), -1.0)[1:]
    return int(np.argmax(far)) if len(far) and far.max() > 0.0 else None


def _as_example(index: Index, node: _Node, examples: Sequence[_Example]) -> _Example:
    """A match that becomes an example in turn."""
    found_for = examples[node.example]
    return _Example(
        _track(index, node),
        node,
        (*found_for.via, node.candidate.clip),
        max(found_for.distance, float(np.sqrt(node.candidate.cost))),
    )


def _verified(
    index: Index, examples: Sequence[_Example], nodes: Sequence[_Node], roles: Sequence[str]
) -> list[Link]:
    """The nodes with their exact places, those found for the first example first."""
    links: list[Link] = []
    samples = len(examples[0].track)
    for number, example in enumerate(examples):
        mine = [node for node in nodes if node.example == number]
        spans: dict[int, list[tuple[int, int]]] = {}
        for node in mine:
            spans.setdefault(node.candidate.clip, []).append(node.candidate.rows)
        for stretch in apart(_in_their_tempos(index, example.track, mine, roles)):
            rows = stretch.first // STRIDE, stretch.last // STRIDE
            # Next to a candidate are places that were not chosen.
            if any(shared(rows, span) for span in spans.get(stretch.clip, ())):
                links.append(_along(stretch, example, samples))
    unique: list[Link] = []
    for link in sorted(links, key=lambda one: (len(one.via), one.stretch.distance)):
        if not any(link.stretch.overlaps(other.stretch) for other in unique):
            unique.append(link)
    return unique


def _in_their_tempos(
    index: Index, example: ClipTrack, nodes: Sequence[_Node], roles: Sequence[str]
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
