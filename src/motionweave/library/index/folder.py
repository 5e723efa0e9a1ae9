"""A folder of clips and its index: what searches, graphs and fills work on."""

from __future__ import annotations

import warnings
from concurrent.futures import Executor
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from motionweave.clips import load
from motionweave.core.motion import Motion
from motionweave.core.runtime.cache import Recent
from motionweave.core.runtime.progress import Progress
from motionweave.errors import LibraryError
from motionweave.library.index import adding
from motionweave.library.index.features import RATE
from motionweave.library.index.snapshot import Index
from motionweave.library.index.store import Entry, Store

# The folder beside the clips in which the index is kept.
FOLDER = ".motionweave"
# Number of loaded clips in the cache.
_AT_HAND = 256
# Number of words that `info` lists.
_WORDS = 40


class IndexedFolder:
    """A folder of clips, its index, and the clips as motions.

    Parameters
    ----------
    folder
        The folder with the clips.
    store
        Where the index is kept; by default in ``.motionweave`` in that folder.
    executor
        What reads the clips: any `concurrent.futures.Executor`. None for processes on this machine.

    Raises
    ------
    LibraryError
        If the folder does not exist, or the store is not a library or of a newer version.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        store: str | Path | None = None,
        executor: Executor | None = None,
    ):
        self.folder = Path(folder).resolve()
        if not self.folder.is_dir():
            raise LibraryError(f"{folder}: there is no such folder")
        self.store = Store(self.folder / FOLDER if store is None else Path(store).resolve())
        self._executor = executor
        self._index: Index | None = None
        self._loaded: Recent[tuple[Motion, tuple[Warning | str, ...]]] = Recent(_AT_HAND)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self.index)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.folder)!r}, {len(self)} clips)"

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    @property
    def index(self) -> Index:
        """The current index, including changes by other processes."""
        if self._index is None or self._index.change != self.store.change():
            self._index = Index(self.store)
        return self._index

    @property
    def clips(self) -> tuple[Entry, ...]:
        """All clips."""
        return self.index.entries

    def add(
        self,
        *paths: str | Path,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> adding.Report:
        """Index new and changed clips, and forget those that are gone.

        If it is interrupted at any moment, the same call resumes where it stopped.

        Parameters
        ----------
        *paths
            Files and folders; by default the library's folder.
        executor
            What reads the clips, instead of the library's own executor.
        progress
            Called with the number of files read so far and the total.

        Returns
        -------
        Report
            What was added, changed, moved or removed, and what could not be read.

        Raises
        ------
        LibraryError
            If another process is adding, the disk is full, or a path does not exist.
        """
        sources = [Path(path).resolve() for path in paths] or [self.folder]
        return adding.add(self.store, self.folder, sources, executor or self._executor, progress)

    def remove(self, *paths: str | Path) -> tuple[str, ...]:
        """Forget the clips in ``paths``, or all clips in folders; their files are kept.

        Returns
        -------
        tuple of str
            The paths that were forgotten.
        """
        return adding.forget(self.store, self.folder, [Path(path) for path in paths])

    def load(self, clip: str | int, *, contacts: bool = True, doubts: bool = True) -> Motion:
        """A clip of the library as a motion.

        Parameters
        ----------
        clip
            Its path in the library, or its index in `clips`.
        contacts
            Whether its contacts are detected.
        doubts
            Whether to warn of what is doubtful about its file, as `motionweave.load` does. Where
            only a stretch of the clip is used, that may be elsewhere.

        Raises
        ------
        LibraryError
            If the library does not have it, or its file is gone.
        """
        entry = self.clips[clip] if isinstance(clip, int) else self.entry(clip)
        key = entry.path, entry.digest, contacts
        motion, doubtful = self._loaded.made(key, lambda: self._read(entry, contacts))
        for doubt in doubtful if doubts else ():
            warnings.warn(doubt, stacklevel=2)
        return motion

    def _read(self, entry: Entry, contacts: bool) -> tuple[Motion, tuple[Warning | str, ...]]:
        """A clip, and what is doubtful about its file."""
        place = self.folder / entry.path
        if not place.exists():
            raise LibraryError(
                f"{entry.path}: the clip is no longer where it was when it was added; "
                "bring it back, or run `motionweave library add` to forget it"
            )
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            motion = load(place, contacts=contacts, drop_tpose=True)
        return motion, tuple(one.message for one in heard)

    def entry(self, path: str | Path) -> Entry:
        """The library's entry for a clip, by its ``path`` in the library or on disk."""
        number = self.number(path)
        if number is None:
            raise LibraryError(f"{path}: the library has no such clip; see `library.clips`")
        return self.index.entries[number]

    def number(self, path: str | Path) -> int | None:
        """The index in `clips` of the clip with that ``path``, in the library or on disk; None if
        there is none."""
        index = self.index
        number = index.number(str(path))
        for place in (self.folder / path, Path(path)):
            if number is None:
                number = index.number(adding.name_of(place, self.folder))
        return number

    def info(self) -> dict[str, Any]:
        """What the library contains: clips, frames, seconds, rigs, bytes, broken files, words."""
        index = self.index
        said: dict[str, int] = {}
        for entry in index.entries:
            for word in index.words.get(entry.id, ()):
                said[word] = said.get(word, 0) + 1
        often = sorted(said.items(), key=lambda pair: (-pair[1], pair[0]))
        files = [path for path in self.store.folder.iterdir() if path.is_file()]
        return {
            "folder": str(self.folder),
            "clips": len(index),
            "frames": sum(entry.frames for entry in index.entries),
            "seconds": round(sum(entry.samples for entry in index.entries) / RATE, 1),
            "rigs": len({entry.rig for entry in index.entries}),
            "bytes": sum(path.stat().st_size for path in files),
            "broken": self.store.broken(),
            "words": dict(often[:_WORDS]),
        }
