"""The store of a library: one folder with a small database and memory-mapped arrays.

Arrays only grow at their end, and the database says how far they count: rows are written
and flushed first and committed after, so that a process killed at any moment leaves a tail that
nobody reads and the next writer overwrites. One process writes at a time; readers keep seeing what
was committed when they opened it.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from motionweave.core.arrays import Array
from motionweave.core.parsing import parse_json
from motionweave.errors import LibraryError
from motionweave.io.store.container import Members
from motionweave.library.index.course import NUMBERS
from motionweave.library.index.database import Database
from motionweave.library.index.features import TRACKED, PrincipalAxes
from motionweave.library.index.reading import Reading

# Numbers of a sample: three of each role, and the heading.
_COLUMNS = 3 * len(TRACKED) + 1


@dataclass(frozen=True)
class Entry:
    """One clip in the library.

    Parameters
    ----------
    id
        Number of the clip in this store.
    path
        Its file, relative to the library's folder if it is inside it.
    digest, size, changed
        Content, bytes, and time of the last change in nanoseconds.
    fps, frames
        Of the clip as it is in the file (a leading T-pose not counted).
    samples
        At 30 per second.
    first
        Row of the first sample in the array of points.
    feature
        Row of the first descriptor in the array of features; None until it is indexed.
    rig
        The same for clips with the same joints.
    measures
        What the whole clip measures.
    """

    id: int
    path: str
    digest: str
    size: int
    changed: int
    fps: float
    frames: int
    samples: int
    first: int
    feature: int | None
    rig: str
    measures: dict[str, float]


class Store:
    """The folder of a library, open for reading, and for writing inside `writing`."""

    def __init__(self, folder: Path):
        """Open a store, or make one if the folder does not exist.

        Raises
        ------
        LibraryError
            If the folder contains something else, or a store of a newer version.
        """
        self.folder = folder
        self.database = Database(folder)

    def close(self) -> None:
        """Close the database; arrays that are mapped stay valid."""
        self.database.close()

    # Reading

    def entries(self) -> list[Entry]:
        """All clips, in the order in which they were added."""
        rows = self.database.all("SELECT * FROM clips ORDER BY id")
        return [Entry(*(*row[:-1], parse_json(row[-1]))) for row in rows]

    def words(self) -> dict[int, set[str]]:
        """Words about the clips: clip number to words."""
        found: dict[int, set[str]] = {}
        for clip, word in self.database.all("SELECT clip, word FROM words"):
            found.setdefault(clip, set()).add(word)
        return found

    def broken(self) -> dict[str, str]:
        """Files that could not be read, and why."""
        return dict(self.database.all("SELECT path, reason FROM broken ORDER BY path"))

    def broken_stamps(self) -> dict[str, tuple[int, int]]:
        """Size and time of change of the files that could not be read."""
        rows = self.database.all("SELECT path, size, changed FROM broken")
        return {path: (size, changed) for path, size, changed in rows}

    def change(self) -> int:
        """A number that grows with every change of the store's clips."""
        return self.database.change()

    def newest(self) -> int:
        """The greatest number that a clip ever had: the number of a clip is not used again."""
        largest = self.database.all("SELECT coalesce(max(id), 0) FROM clips")[0][0]
        return max(int(largest), int(self.database.get("newest") or 0))

    def points(self) -> Array:
        """All samples ``(n, 55)``, mapped."""
        return self._mapped("points", "sampled", _COLUMNS)

    def features(self) -> Array:
        """All features and courses ``(m, d + 12)``, mapped."""
        basis = self.basis()
        columns = basis.dimensions + NUMBERS if basis else 1
        return self._mapped("features", "described", columns)

    def basis(self) -> PrincipalAxes | None:
        """The axes onto which descriptors are projected; None in an empty library."""
        blob = self.database.get("basis")
        if blob is None:
            return None
        with Members(io.BytesIO(blob), "the axes of a library") as arrays:
            return PrincipalAxes(*(arrays.array(f"arr_{i}.npy") for i in range(4)))

    def fitted(self) -> int:
        """Samples that the axes were found from."""
        return int(self.database.get("fitted") or 0)

    def answer(self, question: str) -> bytes | None:
        """The stored answer to a question."""
        row = self.database.all("SELECT answer FROM answers WHERE question = ?", (question,))
        return row[0][0] if row else None

    def linked(self, example: str) -> tuple[int, bytes] | None:
        """What the match web knows of an example: the newest clip that was searched, and what
        was found."""
        row = self.database.all("SELECT newest, candidates FROM web WHERE example = ?", (example,))
        return row[0] if row else None

    # Writing

    @contextmanager
    def writing(self) -> Iterator[StoreWriter]:
        """Become the only process that writes.

        Raises
        ------
        LibraryError
            If another process writes, or the disk is full.
        """
        with self.database.alone():
            writer = StoreWriter(self)
            try:
                yield writer
                writer.commit()
            finally:
                writer.close()

    def _mapped(self, name: str, count: str, columns: int) -> Array:
        rows = int(self.database.get(count) or 0)
        if rows == 0:
            return np.zeros((0, columns), dtype=np.float32)
        path = self.array_file(name)
        if not path.exists() or path.stat().st_size < 4 * rows * columns:
            raise LibraryError(
                f"{path} is missing or cut short: delete the folder {self.folder} and add the "
                "clips again"
            )
        return np.memmap(path, dtype=np.float32, mode="r", shape=(rows, columns))

    def array_file(self, name: str) -> Path:
        """The current array of a kind: its number changes when it is rewritten."""
        return self.folder / f"{name}-{int(self.database.get(name) or 0)}.f32"


class StoreWriter:
    """Changes to a store; the next `commit` applies all of them or none."""

    def __init__(self, store: Store):
        self._store = store
        self._db = store.database
        self._files: dict[str, _Tail] = {}
        self._db.begin()
        self._changed = False

    def add(
        self, path: str, stamp: tuple[int, int], reading: Reading, words: Iterable[str]
    ) -> None:
        """Add a clip as it was read, replacing any other with the same path."""
        self.remove(path)
        first = self._append("points", "sampled", reading.track.rows)
        number = self._store.newest() + 1
        self._db.execute(
            "INSERT INTO clips (id, path, digest, size, changed, fps, frames, samples, first, rig, "
            "measures) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(number, path, reading.digest, *stamp, reading.fps, reading.frames),
                *(len(reading.track), first, reading.rig, json.dumps(reading.measures)),
            ),
        )
        self._db.set("newest", number)
        self.say(number, words)
        self._changed = True

    def say(self, clip: int, words: Iterable[str]) -> None:
        """Set the words about a clip."""
        self._db.execute("DELETE FROM words WHERE clip = ?", (clip,))
        self._db.execute_many("INSERT INTO words VALUES (?, ?)", [(clip, w) for w in sorted(words)])

    def restamp(self, clip: int, path: str, stamp: tuple[int, int]) -> None:
        """A file of the same content: touched, or moved to another path."""
        self._db.execute("DELETE FROM broken WHERE path = ?", (path,))
        self._db.execute(
            "UPDATE clips SET path = ?, size = ?, changed = ? WHERE id = ?", (path, *stamp, clip)
        )
        self._changed = True

    def remove(self, path: str) -> None:
        """Forget a clip or a broken file."""
        gone = self._db.execute("SELECT id FROM clips WHERE path = ?", (path,)).fetchone()
        if gone:
            self._db.execute("DELETE FROM words WHERE clip = ?", gone)
            self._db.execute("DELETE FROM clips WHERE id = ?", gone)
            self._changed = True
        self._db.execute("DELETE FROM broken WHERE path = ?", (path,))

    def note_broken(self, path: str, stamp: tuple[int, int], reason: str) -> None:
        """Remember that a file cannot be read, until it changes."""
        self.remove(path)
        self._db.execute("INSERT INTO broken VALUES (?, ?, ?, ?)", (path, *stamp, reason))

    def describe(self, clip: int, features: Array) -> None:
        """Add the features of a clip."""
        first = self._append("features", "described", features)
        self._db.execute("UPDATE clips SET feature = ? WHERE id = ?", (first, clip))
        self._changed = True

    def renew(self, basis: PrincipalAxes, fitted: int) -> None:
        """Begin a new array of features; every clip waits for its own.

        ``fitted`` is the number of samples that the axes were found from.
        """
        blob = io.BytesIO()
        np.savez(blob, basis.pose_mean, basis.pose_axes, basis.dynamic_mean, basis.dynamic_axes)
        self._db.set("basis", blob.getvalue())
        self._db.set("fitted", fitted)
        self._begin_anew("features", "described")
        self._db.execute("UPDATE clips SET feature = NULL")
        # What was found was measured along the old axes.
        self._db.execute("DELETE FROM web")
        self._changed = True

    def repack(self, entries: Sequence[Entry], points: Array) -> None:
        """Rewrite the points of these clips, without those of removed clips."""
        self._begin_anew("points", "sampled")
        for entry in entries:
            rows = np.array(points[entry.first : entry.first + entry.samples])
            first = self._append("points", "sampled", rows)
            self._db.execute("UPDATE clips SET first = ? WHERE id = ?", (first, entry.id))
        self._changed = True

    def keep(self, question: str, answer: bytes) -> None:
        """Store an answer; any change of the clips invalidates it."""
        self._db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (question, answer))

    def link(self, example: str, newest: int, candidates: bytes) -> None:
        """Store what was found for an example; it is valid until the features' axes change."""
        row = example, newest, candidates
        self._db.execute("INSERT OR REPLACE INTO web VALUES (?, ?, ?)", row)

    def commit(self) -> None:
        """Commit everything so far, and continue."""
        for tail in self._files.values():
            tail.flush()
        if self._changed:
            self._db.set("change", self._db.change() + 1)
            self._db.execute("DELETE FROM answers")
            self._changed = False
        self._db.commit()
        self._drop_old_arrays()
        self._db.begin()

    def close(self) -> None:
        """Undo what was not committed."""
        for tail in self._files.values():
            tail.close()
        self._db.roll_back()

    def _append(self, name: str, count: str, rows: Array) -> int:
        first = int(self._db.get(count))
        tail = self._files.get(name)
        if tail is None:
            tail = self._files[name] = _Tail(
                self._store.array_file(name), 4 * first * rows.shape[1]
            )
        tail.write(np.ascontiguousarray(rows, dtype=np.float32))
        self._db.set(count, first + len(rows))
        return first

    def _begin_anew(self, name: str, count: str) -> None:
        if name in self._files:
            self._files.pop(name).close()
        self._db.set(name, int(self._db.get(name)) + 1)
        self._db.set(count, 0)

    def _drop_old_arrays(self) -> None:
        """Remove outdated arrays; a process that has one mapped keeps it."""
        for name in ("points", "features"):
            current = self._store.array_file(name)
            for path in self._store.folder.glob(f"{name}-*.f32"):
                if path != current:
                    path.unlink(missing_ok=True)


class _Tail:
    """The end of an array on disk, from a byte on."""

    def __init__(self, path: Path, start: int):
        self._file = open(path, "r+b" if path.exists() else "w+b")  # noqa: SIM115 - closed below
        # Anything after it was written by a process that did not commit it.
        self._file.truncate(start)
        self._file.seek(start)

    def write(self, rows: NDArray[np.float32]) -> None:
        self._file.write(rows.tobytes())

    def flush(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()
