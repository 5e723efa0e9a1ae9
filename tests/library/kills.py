"""``python -m tests.library.kills``: kill ``motionweave library add`` at random moments.

Each time the store must open with every clip that it had, bit for bit as it is read without a
kill. Whenever an add gets to its end, half of the clips go, change or move, so that kills also
hit the forgetting of clips and the rewriting of arrays.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import motionweave as mw
from motionweave.cli.main import main as cli
from motionweave.library.index import adding
from motionweave.library.index.reading import clip_files, digest_of

KINDS = ("walk", "walk_left", "walk_right", "jog", "jog_left")


@dataclass
class Tally:
    """What the kills hit: adds that were cut off, those of them that had read some clips since
    the last but not all, and adds that got to their end."""

    kills: int = 0
    halfway: int = 0
    whole: int = 0


def make_clips(folder: Path, count: int) -> None:
    """Clips that all differ, in two folders."""
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        speed = 0.8 + 0.02 * number
        place = folder / ("ab"[number % 2]) / f"{kind}_{number}.npz"
        place.parent.mkdir(parents=True, exist_ok=True)
        mw.save(mw.sample(kind, speed=speed)[:60], place, contacts=False)


def kill_adding(source: Path, work: Path, kills: int, seed: int = 0) -> Tally:
    """Kill adding so many times, and check the store after each.

    Parameters
    ----------
    source
        Folder with clips; it is not changed.
    work
        Folder for what is made.
    kills
        How many adds are cut off.
    seed
        Of the moments and of the changes in between.

    Raises
    ------
    AssertionError
        If a clip was lost or damaged, or the store does not go on.
    """
    random = np.random.default_rng(seed)
    truth = _truth(source, work / "truth")
    folder = Path(shutil.copytree(source, work / "clips"))
    began = time.monotonic()
    os.waitpid(_adding(source, work / "timed"), 0)
    within = longest = time.monotonic() - began
    tally = Tally()
    kept: dict[str, str] = {}
    while tally.kills < kills:
        child = _adding(folder, work / "store")
        time.sleep(float(random.uniform(0.0, within)))
        finished = os.waitpid(child, os.WNOHANG)
        # An add with little to do is over sooner: kill earlier until it is hit.
        within = 0.5 * within if finished[0] else min(1.3 * within, longest)
        if finished[0] == 0:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        now = _seen(folder, work / "store", truth)
        there = {path: digest_of(folder / path) for path in _names(folder)}
        lost = [path for path, digest in kept.items() if digest == there.get(path) != now.get(path)]
        assert not lost, f"lost after a kill: {lost}"
        if finished[0]:
            assert finished[1] == 0, "adding failed"
            assert now == there
            tally.whole += 1
            _change(folder, source, random)
        else:
            tally.kills += 1
            tally.halfway += kept != now != there
        kept = now
    with mw.Library(folder, store=work / "store") as library:
        library.add()
    there = {path: digest_of(folder / path) for path in _names(folder)}
    assert _seen(folder, work / "store", truth) == there
    return tally


def _adding(folder: Path, store: Path) -> int:
    """A process that runs the command, and commits after every clip."""
    child = os.fork()
    if child == 0:
        adding._COMMIT_EVERY = 0.0
        status = 1
        try:
            with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
                status = cli(["library", "add", str(folder), "--store", str(store)])
        finally:
            os._exit(status)
    return child


def _truth(source: Path, store: Path) -> dict[str, bytes]:
    """What is read from clips without a kill, by their content."""
    with mw.Library(source, store=store) as library:
        library.add()
        tracks = enumerate(library.clips)
        return {entry.digest: library.index.track(n).points.tobytes() for n, entry in tracks}


def _seen(folder: Path, store: Path, truth: dict[str, bytes]) -> dict[str, str]:
    """Paths and contents of the clips that a store has, all of them as they should be."""
    with mw.Library(folder, store=store) as library:
        assert not library.store.broken()
        assert len(library) == 0 or np.isfinite(library.index.features).all()
        # The store has clips as soon as they are read, the index when they have features.
        points = library.store.points()
        for entry in library.store.entries():
            rows = points[entry.first : entry.first + entry.samples, :-1]
            assert np.ascontiguousarray(rows).tobytes() == truth[entry.digest], entry.path
        return {entry.path: entry.digest for entry in library.store.entries()}


def _names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in clip_files(folder))


def _change(folder: Path, source: Path, random: np.random.Generator) -> None:
    """Delete, replace, move and bring back some of the clips."""
    names = _names(source)
    for path in random.choice(names, max(3, len(names) // 2), replace=False):
        place = folder / path
        match random.integers(4):
            case 0:
                place.unlink(missing_ok=True)
            case 1:
                shutil.copyfile(source / random.choice(names), place)
            case 2 if place.exists():
                place.rename(place.with_name(f"moved_{place.name}"))
            case _:
                shutil.copyfile(source / path, place)


def main() -> int:
    """Kill as often as was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.library.kills", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="clips to add (default: 30 samples)")
    parser.add_argument("--kills", type=int, default=50, help="how often (default: 50)")
    parser.add_argument("--seed", type=int, default=0, help="of moments and changes")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        source = args.folder
        if source is None:
            source = Path(name) / "source"
            make_clips(source, 30)
        tally = kill_adding(source, Path(name), args.kills, args.seed)
    print(
        f"{tally.kills} kills, {tally.halfway} of them with some clips read and others not, and "
        f"{tally.whole} adds that got to their end: nothing was lost"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
