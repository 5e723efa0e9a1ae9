"""Indexing clips: what is new, changed, moved or gone; read by workers, written by one process."""

from __future__ import annotations

import operator
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from motionweave.core.arrays import Array
from motionweave.core.runtime.progress import Progress
from motionweave.errors import LibraryError
from motionweave.library import engine
from motionweave.library.index.course import described
from motionweave.library.index.features import (
    STRIDE,
    ClipTrack,
    fit_basis,
    moments,
)
from motionweave.library.index.reading import (
    Failure,
    Reading,
    catalogue_words,
    clip_files,
    digest_of,
    read_clip,
    words_of_path,
)
from motionweave.library.index.store import Entry, Store, StoreWriter

# Seconds of work that are lost at most if the process is killed.
_COMMIT_EVERY = 2.0
# The axes of the features are fitted again when the library has grown by this factor since.
_GROWTH = 2.0
# Points are rewritten when this share of them belongs to clips that are gone.
_WASTE = 0.5


@dataclass(frozen=True)
class Report:
    """What adding did.

    Parameters
    ----------
    added, changed, moved, removed
        Paths of clips that are new, have other content than before, were found under
        another path, and whose files are gone.
    unchanged
        How many clips were known already.
    broken
        Files that could not be read, and why.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    moved: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int
    broken: dict[str, str]

    def __str__(self) -> str:
        counts = [
            f"{len(which)} {word}"
            for word in ("added", "changed", "moved", "removed")
            if (which := getattr(self, word))
        ]
        lines = [", ".join([*counts, f"{self.unchanged} unchanged"])]
        if self.broken:
            many = len(self.broken)
            lines.append(f"{many} file{'s' * (many != 1)} could not be read:")
            lines += [f"  {path}: {reason}" for path, reason in self.broken.items()]
        return "\n".join(lines)


def add(
    store: Store,
    root: Path,
    sources: Sequence[Path],
    executor: Executor | None,
    progress: Progress | None,
) -> Report:
    """Bring the store up to date with files and folders; see `Library.add`."""
    with store.writing() as writer:
        plan = _Plan(store, root, sources)
        for path in plan.gone:
            writer.remove(path)
        for entry, path in plan.same:
            writer.restamp(entry.id, path, plan.stamps[path])
        writer.commit()
        broken = _read(writer, plan, executor, progress)
        writer.commit()
        _say(store, writer, plan)
        _index(store, writer)
    known = {entry.path for entry in plan.known.values()}
    fresh = [path for path in plan.wanted if path not in broken]
    moved = tuple(path for entry, path in plan.same if entry.path != path)
    return Report(
        tuple(path for path in fresh if path not in known),
        tuple(path for path in fresh if path in known),
        moved,
        tuple(sorted(plan.gone)),
        len(plan.stamps) - len(plan.wanted) - len(plan.broken) - len(moved),
        {path: reason for path, reason in store.broken().items() if path in plan.stamps},
    )


def forget(store: Store, root: Path, paths: Sequence[Path]) -> tuple[str, ...]:
    """Remove clips, or all clips in folders, from the store; see `Library.remove`."""
    listed = [entry.path for entry in store.entries()]
    gone: dict[str, None] = {}
    for path in paths:
        # Called as the library calls it, or as it is called on disk.
        named = path.as_posix()
        inside = _among(listed, named) if named != "." else []
        inside = inside or _among(listed, name_of(path, root))
        if not inside:
            raise LibraryError(f"{name_of(path, root)}: the library has no such clip")
        gone |= dict.fromkeys(inside)
    with store.writing() as writer:
        for one in gone:
            writer.remove(one)
    return tuple(gone)


class _Plan:
    """What has to be done: compares files on disk with the store."""

    def __init__(self, store: Store, root: Path, sources: Sequence[Path]):
        self.root = root
        self.known = {entry.path: entry for entry in store.entries()}
        self.stamps = {name_of(path, root): stamp for path, stamp in _stamped(sources)}
        folders = [name_of(source, root) for source in sources if source.is_dir()]
        self.gone = {
            path
            for path in (*self.known, *store.broken_stamps())
            if path not in self.stamps and (is_in(path, folders) or not _place(path, root).exists())
        }
        broken = store.broken_stamps()
        self.broken = {path for path, stamp in self.stamps.items() if broken.get(path) == stamp}
        fresh = [
            path
            for path, stamp in self.stamps.items()
            if path not in self.broken and not self._is_known(path, stamp)
        ]
        self.same, self.wanted = self._split(fresh)

    def _is_known(self, path: str, stamp: tuple[int, int]) -> bool:
        entry = self.known.get(path)
        return entry is not None and (entry.size, entry.changed) == stamp

    def _content(self, path: str) -> str:
        """The digest of a file; empty if it cannot be read, which reading it as a clip reports."""
        try:
            return digest_of(_place(path, self.root))
        except OSError:
            return ""

    def _split(self, fresh: Sequence[str]) -> tuple[list[tuple[Entry, str]], list[str]]:
        """Files whose content is known (touched or moved), and those that have to be read."""
        moved = {self.known[path].digest: path for path in self.gone if path in self.known}
        sizes = {self.known[path].size for path in moved.values()}
        same, wanted = [], []
        for path in fresh:
            before = self.known.get(path)
            if before is None and self.stamps[path][0] in sizes:
                origin = moved.pop(self._content(path), None)
                before = self.known[origin] if origin else None
                if origin:
                    self.gone.discard(origin)
            elif before is not None and before.digest != self._content(path):
                before = None
            if before is None:
                wanted.append(path)
            else:
                same.append((before, path))
        return same, wanted


def _read(
    writer: StoreWriter, plan: _Plan, executor: Executor | None, progress: Progress | None
) -> set[str]:
    """Read what has to be read; returns what could not be."""
    broken: set[str] = set()
    places = [str(_place(path, plan.root)) for path in plan.wanted]
    last = time.monotonic()
    with engine.workers(executor, len(places)) as pool:
        readings: Iterator[Reading | Failure] = engine.in_order(pool, read_clip, places)
        for done, (path, one) in enumerate(zip(plan.wanted, readings, strict=True), start=1):
            if isinstance(one, Failure):
                broken.add(path)
                writer.note_broken(path, plan.stamps[path], one.reason)
            else:
                writer.add(path, plan.stamps[path], one, words_of_path(Path(path)))
            if time.monotonic() - last > _COMMIT_EVERY:
                writer.commit()
                last = time.monotonic()
            if progress is not None:
                progress(done, len(places))
    return broken


def _say(store: Store, writer: StoreWriter, plan: _Plan) -> None:
    """Words from catalogues, which may have changed where the clips did not."""
    places = {entry.id: _place(entry.path, plan.root) for entry in store.entries()}
    folders = {folder for place in places.values() for folder in place.parents}
    roots = {plan.root, *plan.root.parents}
    said = catalogue_words(sorted(folders - (roots - {plan.root})))
    before = store.words()
    for entry in store.entries():
        now = words_of_path(Path(entry.path)) | said.get(places[entry.id].resolve(), set())
        if now != before.get(entry.id, set()):
            writer.say(entry.id, now)


def _index(store: Store, writer: StoreWriter) -> None:
    """Give every clip its features; fit their axes again if the library has outgrown them."""
    entries = store.entries()
    points = store.points()
    kept = sum(entry.samples for entry in entries)
    if len(points) - kept > _WASTE * len(points):
        writer.repack(entries, points)
        writer.commit()
        entries, points = store.entries(), store.points()
    basis = store.basis()
    if entries and (basis is None or kept > _GROWTH * store.fitted()):
        basis = fit_basis(
            reduce(operator.add, (moments(_track(points, entry)) for entry in entries))
        )
        writer.renew(basis, kept)
        entries = store.entries()
    waste = len(store.features()) - sum(
        -(-e.samples // STRIDE) for e in entries if e.feature is not None
    )
    if basis is not None and waste > _WASTE * max(len(store.features()), 1):
        writer.renew(basis, store.fitted())
        entries = store.entries()
    for entry in entries:
        if entry.feature is None:
            assert basis is not None
            writer.describe(entry.id, described(_track(points, entry), basis))


def _track(points: Array, entry: Entry) -> ClipTrack:
    return ClipTrack.from_rows(points[entry.first : entry.first + entry.samples])


def _files(sources: Iterable[Path]) -> Iterator[Path]:
    for source in sources:
        if source.is_dir():
            yield from clip_files(source)
        elif source.is_file():
            yield source
        else:
            raise LibraryError(f"{source}: there is no such file or folder")


def _stamped(sources: Iterable[Path]) -> Iterator[tuple[Path, tuple[int, int]]]:
    """Files with their sizes and times of change, without those that went since they were
    listed."""
    for path in _files(sources):
        with suppress(FileNotFoundError):
            status = path.stat()
            yield path, (status.st_size, status.st_mtime_ns)


def name_of(path: Path, root: Path) -> str:
    """A path as in the store: relative to the library's folder if it is inside it."""
    # A link belongs to the folder that it is in, wherever it leads.
    path = path.parent.resolve() / path.name if path.name else path.resolve()
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _place(name: str, root: Path) -> Path:
    return root / name


def is_in(name: str, folders: Sequence[str]) -> bool:
    return any(folder == "." or name.startswith(f"{folder}/") for folder in folders)


def _among(names: Sequence[str], called: str) -> list[str]:
    """The clip of a name, or the clips in the folder of that name."""
    return [name for name in names if name == called or is_in(name, [called])]
