"""``python -m benchmarks.library FOLDER``: what a library of the clips in a folder costs and finds.

Prints a table: processor time, disk and memory of indexing, find and graph, growth with the number
of clips, recall against the exact search, precision by label, walks along drawn paths.
Labels are the words before a style in names such as ``dataset-2_walk_active_001``; clips
without such names take part in everything else.
"""

from __future__ import annotations

import argparse
import re
import resource
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import motionweave as mw
from motionweave.library.collect.collection import Collection
from motionweave.library.collect.web import of_kind
from motionweave.library.index.features import RATE, TRACKED, descriptors
from motionweave.library.search.examples import examples_of
from motionweave.library.search.find import exact, find
from motionweave.library.search.matches import distinct
from motionweave.library.search.query import Query
from motionweave.measure.measures import named

LABEL = re.compile(r"dataset-(\d)_([a-z-]+)_([a-z-]+)_\d+$")
# Kinds that are collected, and what their blends are controlled by.
CONTROLLED = {
    "1 punch": "right_hand_height",
    "1 kick": "right_foot_height",
    "2 raise-up-right-hand": "right_hand_height",
    "2 walk-turn-left": "turn",
    "2 run": "speed",
}
# The most stretches that are collected by style.
_MOST = 600


def processor_time() -> float:
    """Seconds that this process and its workers that have ended have spent on the processor."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def label(path: str) -> str | None:
    """Content by the name of a clip, or None."""
    found = LABEL.search(Path(path).stem)
    return f"{found[1]} {found[2]}" if found else None


def linked(files: Sequence[Path], folder: Path) -> Path:
    """A folder that holds these clips and no others."""
    folder.mkdir(parents=True)
    for number, file in enumerate(files):
        (folder / f"{number:05d}_{file.name}").symlink_to(file)
    return folder


def index(files: Sequence[Path], folder: Path) -> tuple[mw.Library, list[tuple[str, str]]]:
    """A library of some clips, and what making it cost."""
    clips = linked(files, folder / "clips")
    library = mw.Library(clips, store=folder / "store")
    began = processor_time()
    report = library.add()
    first = processor_time() - began
    began = processor_time()
    library.add()
    again = processor_time() - began
    info = library.info()
    peak = max(
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return library, [
        (f"index {len(library)} clips, {info['seconds'] / 60:.0f} min of motion", f"{first:.1f} s"),
        ("files that could not be read", str(len(report.broken))),
        ("on disk", f"{info['bytes'] / 1e6:.0f} MB"),
        ("most memory of a process", f"{peak / 1e3:.0f} MB"),
        ("again, nothing changed", f"{again:.2f} s"),
    ]


def examples(library: mw.Library, count: int) -> list[tuple[int, int, int]]:
    """Stretches of two seconds, spread over the library."""
    long = [n for n, e in enumerate(library.clips) if e.samples > 2.2 * RATE]
    chosen = [long[int(i)] for i in np.linspace(0, len(long) - 1, min(count, len(long)))]
    return [
        (n, library.clips[n].samples // 2 - 30, library.clips[n].samples // 2 + 30) for n in chosen
    ]


def finding(library: mw.Library) -> list[tuple[str, str]]:
    """Time of a search, and its recall of what the exact search finds."""
    index = library.index
    times = []
    for n, low, high in examples(library, 20):
        track = index.track(n, low, high)
        began = processor_time()
        find(index, track, most=20)
        times.append(processor_time() - began)
    wanted = got = 0
    random = np.random.default_rng(0)
    some = np.sort(random.choice(len(index), min(len(index), 150), replace=False))
    among = np.zeros(len(index), dtype=bool)
    among[some] = True
    for n, low, high in examples(library, 6):
        track = index.track(n, low, high)
        all_of_them = [one for clip in some for one in exact(index, track, int(clip))]
        best = sorted(all_of_them, key=lambda one: one.distance)[:20]
        found = find(index, track, most=30, among=among)
        wanted += len(best)
        got += sum(any(one.overlaps(other) for other in found) for one in best)
    return [
        ("find a 2 s example, median of 20", f"{np.median(times[1:]):.3f} s"),
        ("recall of the 20 nearest of the exact search", f"{got / max(wanted, 1):.3f}"),
    ]


def labels(library: mw.Library, count: int) -> list[tuple[str, str]]:
    """Mean average precision by content, against a baseline of mean features."""
    index = library.index
    named = [(n, label(e.path)) for n, e in enumerate(index.entries)]
    named = [(n, text) for n, text in named if text and text.startswith("2 ")]
    if len(named) < 50:
        return []
    kinds = {n: text for n, text in named if text}
    numbers = np.array([n for n, _ in named])
    means = []
    for n in numbers:
        pose, dynamics = descriptors(index.track(int(n)), TRACKED)
        rows = index.basis.project(pose, dynamics)
        means.append(np.concatenate([rows.mean(axis=0), rows.std(axis=0)]))
    means_array = np.array(means)
    scores: dict[str, list[float]] = {"ours": [], "baseline": []}
    for at in np.linspace(0, len(numbers) - 1, count).astype(int):
        n = int(numbers[at])
        found = find(index, index.track(n), most=200)
        ranked = [one.clip for one in found if one.clip != n and one.clip in kinds]
        scores["ours"].append(_precision(list(dict.fromkeys(ranked)), kinds, n))
        apart = np.linalg.norm(means_array - means_array[at], axis=1)
        order = [int(numbers[i]) for i in np.argsort(apart) if i != at][:200]
        scores["baseline"].append(_precision(order, kinds, n))
    return [
        (
            f"mean average precision of the first 100 by content, {count} examples",
            f"{np.mean(scores['ours']):.3f} (mean features: {np.mean(scores['baseline']):.3f})",
        )
    ]


def _precision(ranked: Sequence[int], kinds: dict[int, str], example: int) -> float:
    """Average precision of the first hundred."""
    right = np.array([kinds[n] == kinds[example] for n in ranked[:100]], dtype=float)
    if not right.any():
        return 0.0
    share = np.cumsum(right) / np.arange(1, len(right) + 1)
    return float((share * right).sum() / right.sum())


def collections(library: mw.Library) -> list[tuple[str, str]]:
    """Precision and recall by label of what is collected from one example of a kind."""
    by_kind: dict[str, list[str]] = {}
    for entry in library.clips:
        kind = label(entry.path)
        if kind:
            by_kind.setdefault(kind, []).append(entry.path)
    rows = []
    for kind, measure in CONTROLLED.items():
        if kind not in by_kind:
            continue
        wanted = set(by_kind[kind][1:])
        found = library.collect(by_kind[kind][0], most=600)
        got = {match.clip for match in found.matches}
        right = len(got & wanted)
        rows.append(
            (
                f"collect from one {kind[2:]}",
                f"precision {right / max(len(got), 1):.2f}, recall "
                f"{right / max(len(wanted), 1):.2f} ({len(got)} found, {len(wanted)} there)",
            )
        )
        if len(found) > 1:
            rows.append(controlled(found, measure, kind[2:]))
    return rows


def by_style(library: mw.Library, styles: Sequence[str]) -> list[tuple[str, str]]:
    """Precision and recall by label of what is collected from the first clip of each content in
    each of the styles, and their means."""
    named = {e.path: found for e in library.clips if (found := LABEL.search(Path(e.path).stem))}
    counts: list[tuple[float, float]] = []
    rows = []
    for content in sorted({found[2] for found in named.values() if found[1] == "2"}):
        kind = {path for path, found in named.items() if found[2] == content}
        each = []
        for style in styles:
            first = min(path for path in kind if named[path][3] == style)
            examples = examples_of(library, [first], None, with_mirrored=False)
            matches = distinct(of_kind(library, examples, Query(_MOST)).matches, examples, _MOST)
            got = {match.clip for match in matches} - {first}
            right = len(got & kind)
            each.append((right / max(len(got), 1), right / max(len(kind) - 1, 1)))
        counts += each
        cells = "; ".join(f"{precision:.2f}, {recall:.2f}" for precision, recall in each)
        rows.append((f"collect {content}: precision, recall", cells))
    mean = np.mean(counts, axis=0) if counts else np.zeros(2)
    return [*rows, ("mean precision, recall", f"{mean[0]:.2f}, {mean[1]:.2f}")]


def controlled(found: Collection, measure: str, kind: str) -> tuple[str, str]:
    """How far blends of what was collected are from the values that they were asked for."""
    space = found.parametric([measure])
    low, high = space.ranges[measure]
    errors = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mw.QualityWarning)
        for share in np.linspace(0.1, 0.9, 9):
            asked = low + share * (high - low)
            motion = space.at(**{measure: asked}).motion
            errors.append(abs(named(measure)(motion) - asked) / (high - low))
    return (
        f"{measure} of blended {kind}s, nine values from {low:.3g} to {high:.3g}",
        f"{np.mean(errors):.1%} of the range off, {max(errors):.1%} at worst",
    )


def paths() -> dict[str, np.ndarray]:
    """Ten drawn paths of 20 m."""
    t = np.linspace(0.0, 1.0, 80)
    turn = 2.0 * np.pi * t
    drawn = {
        "line": np.column_stack([0 * t, t]),
        "circle": np.column_stack([1 - np.cos(turn), np.sin(turn)]),
        "other circle": np.column_stack([np.cos(turn) - 1, np.sin(turn)]),
        "eight": np.column_stack([np.sin(2 * turn), 1.5 * np.sin(turn)]),
        "S": np.column_stack([0.25 * np.sin(turn), t]),
        "wave": np.column_stack([0.1 * np.sin(2 * turn), t]),
        "bow": np.column_stack([0.3 * t**2, t]),
        "spiral": np.column_stack([(1 - 0.6 * t) * np.cos(turn), (1 - 0.6 * t) * np.sin(turn)]),
        "half circle": np.column_stack([1 - np.cos(turn / 2), np.sin(turn / 2)]),
        "corner": np.column_stack([np.maximum(t - 0.5, 0), np.minimum(t, 0.5)]),
    }
    made = {}
    for name, line in drawn.items():
        length = np.linalg.norm(np.diff(line, axis=0), axis=1).sum()
        made[name] = line * (20.0 / length)
    return made


def walking(library: mw.Library, words: str) -> list[tuple[str, str]]:
    """The graph, and walks along drawn paths."""
    began = processor_time()
    graph = library.graph(words=words)
    made = processor_time() - began
    statistics = graph.statistics()
    errors, times, warned, told = [], [], 0, 0
    for line in paths().values():
        began = processor_time()
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            walk = library.walk(line, graph=graph)
        times.append(processor_time() - began)
        warned += any(isinstance(one.message, mw.QualityWarning) for one in heard)
        told += any(isinstance(one.message, mw.Notice) for one in heard)
        assert walk.error is not None
        errors.append(walk.error)
    return [
        (
            f"graph: {statistics['clips']:.0f} clips, {statistics['junctions']:.0f} junctions",
            f"{made:.1f} s",
        ),
        (
            "mean distance from ten paths of 20 m, median (worst)",
            f"{np.median(errors):.2f} m ({max(errors):.2f} m)",
        ),
        ("walks about which a warning was given", f"{warned} of {len(errors)}"),
        ("walks with a notice, of feet that were not planted", f"{told} of {len(errors)}"),
        ("time of a walk, median", f"{np.median(times):.1f} s"),
    ]


def main() -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.library", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with clips")
    parser.add_argument("--most", type=int, help="this many clips, spread over the folder")
    parser.add_argument(
        "--growth", type=int, nargs="*", default=[], help="also with this many clips"
    )
    parser.add_argument("--walks", metavar="WORDS", help="walk through clips with these words")
    parser.add_argument(
        "--styles", nargs="*", default=[], help="collect from examples in these styles"
    )
    parser.add_argument("--examples", type=int, default=60, help="examples for precision by label")
    args = parser.parse_args()
    files = sorted(args.folder.resolve().rglob("*.bvh"))
    if args.most and args.most < len(files):
        files = [files[int(i)] for i in np.linspace(0, len(files) - 1, args.most)]
    rows: list[tuple[str, str]] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for count in args.growth:
            if count < len(files):
                some = [files[int(i)] for i in np.linspace(0, len(files) - 1, count)]
                library, costs = index(some, folder / f"grown-{count}")
                rows += [costs[0], finding(library)[0]]
        library, costs = index(files, folder / "all")
        rows += costs + finding(library) + labels(library, args.examples)
        rows += collections(library) + (by_style(library, args.styles) if args.styles else [])
        if args.walks is not None:
            rows += walking(library, args.walks)
    print("| what | measured |\n| --- | --- |")
    for what, value in rows:
        print(f"| {what} | {value} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
