"""``python -m benchmarks.collecting FOLDER INDEX``: what is collected from CMU's clips by examples.

FOLDER contains the clips of CMU (``01_01.bvh``), INDEX is the text with their descriptions. A clip
is of a kind if its description names it. Examples are stretches of one clip of each person, around
an event that a rule for the kind finds. What is collected is right if it is in a clip of the kind;
of the clips of the kind that have such an event, of the same side or way round, those are counted
that are found. Only clips of other people than those of the examples count.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import motionweave as mw
from motionweave.library.collect.web import of_kind
from motionweave.library.index.features import RATE, SIDES, TRACKED, ClipTrack, as_seen
from motionweave.library.index.features import mirrored as mirror
from motionweave.library.search.examples import Example
from motionweave.library.search.matches import Match, distinct
from motionweave.library.search.query import Query

# What descriptions call each kind.
KINDS = {
    "punch": r"punch|boxing|jab\b|hook\b|uppercut",
    "kick": r"\bkick",
    "jump": r"\bjump|\bhop|\bleap",
    "sit": r"\bsit\b|\bsits\b|\bsitting|\bsit down",
    "pick up": r"pick up|picking up|pick-up|\blift",
    "reach": r"\breach|\bgrab|\bget .* from (shelf|cupboard)",
    "turn": r"\bturn",
}
# Samples before and after an event that are the example.
AROUND = {"punch": 20, "kick": 24, "jump": 24, "sit": 30, "pick up": 30, "reach": 30, "turn": 30}
# Other clips of the library, drawn at random, and the most stretches that are collected.
OTHERS, MOST = 400, 200


@dataclass(frozen=True)
class Event:
    """The strongest event of a kind in a clip: its sample, its side (-1 or 1, or 0), its strength,
    1 for what just counts."""

    at: int
    side: int
    strength: float


def _local(track: ClipTrack) -> np.ndarray:
    points = np.asarray(track.points, dtype=np.float64)
    return as_seen(points[:, None], points[:, 0], np.asarray(track.heading, dtype=np.float64))[:, 0]


def _sides(values: Sequence[np.ndarray], least: float) -> Event:
    best = [int(np.argmax(one)) for one in values]
    side = int(values[1][best[1]] > values[0][best[0]])
    return Event(best[side], 2 * side - 1, float(values[side][best[side]]) / least)


def _role(name: str) -> int:
    return TRACKED.index(name)


def _punch(track: ClipTrack) -> Event:
    seen = _local(track)
    values = []
    for side in SIDES:
        arm = seen[:, _role(f"{side}_hand")] - seen[:, _role(f"{side}_upper_arm")]
        out = np.linalg.norm(arm, axis=1)
        fast = np.linalg.norm(np.gradient(arm, axis=0), axis=1) * RATE
        fastest = np.array([fast[max(0, i - 5) : i + 1].max() for i in range(len(fast))])
        values.append(np.where(arm[:, 2] > 0.3, out * fastest, 0.0))
    return _sides(values, 1.5)


def _kick(track: ClipTrack) -> Event:
    points = np.asarray(track.points, dtype=np.float64)
    heights = [points[:, _role(f"{side}_ankle"), 1] for side in SIDES]
    # Of one foot, while the other is low.
    return _sides([heights[0] - heights[1], heights[1] - heights[0]], 0.4)


def _jump(track: ClipTrack) -> Event:
    points = np.asarray(track.points, dtype=np.float64)
    feet = points[:, [_role(f"{s}_{p}") for s in SIDES for p in ("ankle", "toe")], 1]
    lowest = feet.min(axis=1)
    rise = lowest - np.median(lowest)
    return Event(int(np.argmax(rise)), 0, float(rise.max()) / 0.1)


def _sit(track: ClipTrack) -> Event:
    hips = np.asarray(track.points[:, 0, 1], dtype=np.float64)
    ahead = 30
    if len(hips) <= ahead:
        return Event(0, 0, 0.0)
    sinks = hips[:-ahead] - hips[ahead:]
    at = int(np.argmax(sinks))
    return Event(at + ahead // 2, 0, float(sinks[at]) / 0.25)


def _pick_up(track: ClipTrack) -> Event:
    points = np.asarray(track.points, dtype=np.float64)
    low = points[:, [_role(f"{side}_hand") for side in SIDES], 1].min(axis=1)
    at = int(np.argmin(low))
    return Event(at, 0, (0.9 - float(low[at])) / 0.4)


def _reach(track: ClipTrack) -> Event:
    points = np.asarray(track.points, dtype=np.float64)
    heights = [points[:, _role(f"{side}_hand"), 1] for side in SIDES]
    return _sides(heights, 1.6)


def _turn(track: ClipTrack) -> Event:
    heading = np.unwrap(np.asarray(track.heading, dtype=np.float64))
    ahead = 45
    if len(heading) <= ahead:
        return Event(0, 0, 0.0)
    turned = heading[ahead:] - heading[:-ahead]
    at = int(np.argmax(np.abs(turned)))
    size = float(turned[at])
    return Event(at + ahead // 2, 1 if size > 0 else -1, abs(size) / np.radians(60.0))


EVENTS: dict[str, Callable[[ClipTrack], Event]] = {
    "punch": _punch,
    "kick": _kick,
    "jump": _jump,
    "sit": _sit,
    "pick up": _pick_up,
    "reach": _reach,
    "turn": _turn,
}


def descriptions(text: str) -> dict[str, str]:
    """What the index says of each clip: its name to the words."""
    found = {}
    for line in text.splitlines():
        row = re.match(r"(\d+_\d+)\s+(.*)", line)
        if row:
            found[row[1]] = row[2].lower()
    return found


def described(words: dict[str, str]) -> dict[str, set[str]]:
    """The clips whose description names each kind."""
    return {
        kind: {name for name, said in words.items() if re.search(pattern, said)}
        for kind, pattern in KINDS.items()
    }


def person(name: str) -> str:
    """The subject of a clip."""
    return name.partition("_")[0]


def linked(files: Iterable[Path], folder: Path) -> Path:
    """A folder with links to clips."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        link = folder / file.name
        if not link.exists():
            link.symlink_to(file.resolve())
    return folder


@dataclass(frozen=True, eq=False)
class Labelled:
    """An example: the number of its clip, the stretch around its event, and the event."""

    clip: int
    track: ClipTrack
    event: Event


@dataclass(frozen=True, eq=False)
class Truth:
    """What there is to find.

    Parameters
    ----------
    library
        The clips.
    people
        The subject of each clip; recordings that CMU has twice have one.
    kinds
        Which clips each description names.
    events
        The event of each kind in each clip of the kind.
    """

    library: mw.Library
    people: list[str]
    kinds: dict[str, set[int]]
    events: dict[str, dict[int, Event]]

    @classmethod
    def of(cls, library: mw.Library, words: dict[str, str]) -> Truth:
        index = library.index
        names = [Path(entry.path).stem for entry in index.entries]
        same: dict[str, str] = {}
        people = []
        parent: dict[str, str] = {}

        def root(who: str) -> str:
            while parent.get(who, who) != who:
                who = parent[who]
            return who

        for number, name in enumerate(names):
            digest = hashlib.sha256(index.track(number).points.tobytes()).hexdigest()
            if digest in same:
                parent[root(person(name))] = root(same[digest])
            same.setdefault(digest, person(name))
        people = [root(person(name)) for name in names]
        kinds = {
            kind: {n for n, name in enumerate(names) if name in clips}
            for kind, clips in described(words).items()
        }
        events = {
            kind: {n: EVENTS[kind](index.track(n)) for n in sorted(clips)}
            for kind, clips in kinds.items()
        }
        return cls(library, people, kinds, events)

    def examples(self, kind: str) -> list[Labelled]:
        """One of each person."""
        chosen: dict[str, Labelled] = {}
        for number, event in self.events[kind].items():
            length = self.library.index.entries[number].samples
            around = AROUND[kind]
            fits = around <= event.at < length - around
            if event.strength >= 1.0 and fits and self.people[number] not in chosen:
                stretch = self.library.index.track(number, event.at - around, event.at + around + 1)
                chosen[self.people[number]] = Labelled(number, stretch, event)
        return list(chosen.values())

    def wanted(self, kind: str, sides: set[int], people: set[str]) -> set[int]:
        """The clips of other people that have such an event, of one of the sides."""
        return {
            number
            for number, event in self.events[kind].items()
            if event.strength >= 1.0 and event.side in sides and self.people[number] not in people
        }


@dataclass(frozen=True)
class Count:
    """What some examples collected: right stretches, all of them, and the share of clips found."""

    right: int
    every: int
    found: float


class Collector:
    """Collects by any of the examples, and searches for each once.

    Parameters
    ----------
    truth
        What there is to find.
    """

    def __init__(self, truth: Truth):
        self.truth = truth
        self._found: dict[tuple[int, int, bool], list[Match]] = {}

    def collected(self, kind: str, group: Sequence[Labelled], *, mirrored: bool) -> Count:
        """What a group of examples of a kind collects from other people."""
        truth = self.truth
        examples = [
            Example(mirror(one.track) if flipped else one.track, number=number, mirrored=flipped)
            for number, one in enumerate(group)
            for flipped in ((False, True) if mirrored else (False,))
        ]
        matches = [match for example in examples for match in self._matches(group, example)]
        index = truth.library.index
        people = {truth.people[one.clip] for one in group}
        clips = [index.number(match.clip) for match in distinct(matches, examples, MOST)]
        others = [clip for clip in clips if clip is not None and truth.people[clip] not in people]
        sides = {one.event.side * way for one in group for way in ((1, -1) if mirrored else (1,))}
        wanted = truth.wanted(kind, sides, people)
        right = sum(clip in truth.kinds[kind] for clip in others)
        return Count(right, len(others), len(wanted & set(others)) / max(len(wanted), 1))

    def _matches(self, group: Sequence[Labelled], example: Example) -> list[Match]:
        one = group[example.number]
        key = one.clip, one.event.at, example.mirrored
        if key not in self._found:
            self._found[key] = of_kind(self.truth.library, [example], Query(MOST)).matches
        return self._found[key]


def groups(examples: Sequence[Labelled], size: int) -> list[list[Labelled]]:
    """As many groups of examples as there are examples: each with those that follow it."""
    size = min(size, len(examples))
    twice = [*examples, *examples]
    return [twice[first : first + size] for first in range(len(examples))]


def main() -> int:
    """Count what is collected by one and more examples, and by their mirror images."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.collecting", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with the clips of CMU")
    parser.add_argument("index", type=Path, help="text with their descriptions")
    parser.add_argument("--examples", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), metavar="KIND")
    parser.add_argument("--store", type=Path, help="keep the library here, for the next time")
    parser.add_argument(
        "--people", type=int, choices=(0, 1), help="examples of every second person only"
    )
    args = parser.parse_args()
    words = descriptions(args.index.read_text(encoding="utf-8", errors="replace"))
    files = {file.stem: file for file in sorted(args.folder.rglob("*.bvh"))}
    named = set().union(*described(words).values()) & set(files)
    rest = sorted(set(files) - named)
    some = np.random.default_rng(0).choice(rest, min(OTHERS, len(rest)), replace=False)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) if args.store is None else args.store
        clips = linked([files[name] for name in sorted(named | set(some))], folder / "clips")
        library = mw.Library(clips, store=folder / "store")
        library.add()
        collector = Collector(Truth.of(library, words))
        titles = [f"{n}{m}" for n in args.examples for m in ("", ", mirrored")]
        print("| kind | " + " | ".join(titles) + " |\n|" + " --- |" * (len(titles) + 1))
        for kind in args.kinds:
            examples = collector.truth.examples(kind)[
                args.people :: 1 if args.people is None else 2
            ]
            cells = []
            for size in args.examples:
                for mirrored in (False, True):
                    counts = [
                        collector.collected(kind, group, mirrored=mirrored)
                        for group in groups(examples, size)
                    ]
                    right, every = (sum(getattr(c, n) for c in counts) for n in ("right", "every"))
                    found = np.mean([count.found for count in counts]) if counts else 0.0
                    cells.append(f"{right} of {every}, {found:.2f}")
            print(f"| {kind} ({len(examples)}) | " + " | ".join(cells) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
