"""The database of a library: one SQLite file that says what counts in the store's folder.

It knows versions and other people's files, and says in one line what is wrong with a disk. What the
tables mean is told in `store`.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from motionweave.errors import LibraryError

# "mwlb": marks an SQLite file as ours.
_APPLICATION = 0x6D776C62
# Version 2 keeps the course of every moment, and the match web.
_VERSION = 2
_DATABASE = "library.db"
_LOCK = "writer.db"
# How a database is opened in a folder in which the file cannot be made that readers share.
_ONLY_READ = "?immutable=1"
# Bytes of that file.
_SHARED = 1 << 15
_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB);
CREATE TABLE clips (
    id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, digest TEXT NOT NULL,
    size INTEGER NOT NULL, changed INTEGER NOT NULL, fps REAL NOT NULL, frames INTEGER NOT NULL,
    samples INTEGER NOT NULL, first INTEGER NOT NULL, feature INTEGER, rig TEXT NOT NULL,
    measures TEXT NOT NULL);
CREATE INDEX clips_digest ON clips (digest);
CREATE TABLE words (clip INTEGER NOT NULL, word TEXT NOT NULL, PRIMARY KEY (clip, word))
    WITHOUT ROWID;
CREATE TABLE broken (
    path TEXT PRIMARY KEY, size INTEGER NOT NULL, changed INTEGER NOT NULL, reason TEXT NOT NULL);
CREATE TABLE answers (question TEXT PRIMARY KEY, answer BLOB NOT NULL);
"""
_WEB = """
CREATE TABLE web (
    example TEXT PRIMARY KEY, newest INTEGER NOT NULL, candidates BLOB NOT NULL);
"""


class Database:
    """The tables of a store, open for reading, and for writing by whoever is `alone`."""

    def __init__(self, folder: Path):
        """Open a store, or make one if the folder does not exist.

        Raises
        ------
        LibraryError
            If the folder contains something else, or a store of a newer version.
        """
        self.folder = folder
        database = folder / _DATABASE
        fresh = not database.exists()
        if fresh and folder.exists() and any(_foreign(folder)):
            raise LibraryError(
                f"{folder} contains other files and no motion library; "
                "give another folder for the library"
            )
        with self._told():
            folder.mkdir(parents=True, exist_ok=True)
            self._read_only = not os.access(folder, os.W_OK)
            self._db = sqlite3.connect(
                database.as_uri() + (_ONLY_READ if self._read_only and not fresh else ""),
                uri=True,
                isolation_level=None,
                timeout=30.0,
                check_same_thread=False,
            )
            try:
                if self._pragma("application_id") == 0:
                    self._create()
                self._check()
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise
                raise LibraryError(f"{database} is not a motion library ({error})") from None

    def _create(self) -> None:
        """Create the tables, unless another process was quicker; if killed here, nothing is left
        behind."""
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("BEGIN IMMEDIATE")
        try:
            tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if self._pragma("application_id") == 0 and tables:
                raise LibraryError(f"{self.folder / _DATABASE} is the database of another program")
            if self._pragma("application_id") == 0:
                for statement in (_SCHEMA + _WEB).split(";")[:-1]:
                    self._db.execute(statement)
                for key in ("points", "features", "sampled", "described"):
                    self.set(key, 0)
                self._db.execute(f"PRAGMA user_version = {_VERSION}")
                self._db.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise

    def _check(self) -> None:
        if self._pragma("application_id") != _APPLICATION:
            raise LibraryError(f"{self.folder / _DATABASE} is the database of another program")
        version = self._pragma("user_version")
        if version > _VERSION:
            raise LibraryError(
                f"{self.folder} is a library of version {version}, made by a newer motionweave "
                f"(this one knows version {_VERSION}): update motionweave, or give another folder"
            )
        if version < _VERSION:
            self._upgrade()

    def _upgrade(self) -> None:
        """Upgrade a store of version 1; clips need new features, but need not be read again."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            if self._pragma("user_version") < _VERSION:
                self._db.execute(_WEB)
                self._db.execute("DELETE FROM meta WHERE key IN ('basis', 'fitted')")
                self._db.execute("DELETE FROM answers")
                self._db.execute("UPDATE clips SET feature = NULL")
                self.set("change", self.change() + 1)
                self._db.execute(f"PRAGMA user_version = {_VERSION}")
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Close it."""
        self._db.close()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Be the only process that writes.

        Raises
        ------
        LibraryError
            If another process writes, the disk is full, or the store can only be read.
        """
        if self._read_only:
            raise LibraryError(
                f"the library {self.folder} can only be read: change who may write to that folder, "
                "or keep the library elsewhere (--store)"
            )
        with self._told(), closing(self._locked()):
            yield

    def _locked(self) -> sqlite3.Connection:
        """A lock that no other process has, until it is closed."""
        lock = sqlite3.connect(self.folder / _LOCK, isolation_level=None, timeout=0.0)
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            lock.close()
            if "locked" not in str(error):
                raise
            raise LibraryError(
                f"another process is writing to the library {self.folder}; wait until it is done"
            ) from None
        return lock

    def begin(self) -> None:
        """Begin changes that are applied together."""
        self.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Apply them."""
        self.execute("COMMIT")

    def roll_back(self) -> None:
        """Undo them, if any were begun and not applied."""
        if self._db.in_transaction:
            self.execute("ROLLBACK")

    def execute(self, query: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run a statement."""
        return self._db.execute(query, values)

    def execute_many(self, query: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement for each row of values."""
        self._db.executemany(query, rows)

    def all(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows that a query gives."""
        with self._told():
            return self._db.execute(query, values).fetchall()

    def get(self, key: str) -> Any:
        """A single value that is kept by name; None if there is none."""
        rows = self.all("SELECT value FROM meta WHERE key = ?", (key,))
        return rows[0][0] if rows else None

    def set(self, key: str, value: Any) -> None:
        """Keep a single value."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def change(self) -> int:
        """A number that grows with every change of the clips."""
        return int(self.get("change") or 0)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Disk errors as a one-line message."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "full" in str(error) or ("I/O" in str(error) and not self._has_room()):
                raise self._full() from None
            raise LibraryError(f"the library {self.folder} cannot be used: {error}") from None
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise self._full() from None
            raise LibraryError(
                f"the library {self.folder} cannot be used: {error.strerror or error}"
            ) from None

    def _has_room(self) -> bool:
        """Whether there is room for the file that readers share."""
        return shutil.disk_usage(self.folder).free >= _SHARED

    def _full(self) -> LibraryError:
        return LibraryError(
            f"the disk is full: the library {self.folder} keeps what was added so far; "
            "free some space and run the same command again"
        )

    def _pragma(self, name: str) -> int:
        return int(self._db.execute(f"PRAGMA {name}").fetchone()[0])


def _foreign(folder: Path) -> Iterator[Path]:
    """What is in a folder that no store has put there."""
    ours = (_DATABASE, _LOCK)
    return (path for path in folder.iterdir() if not path.name.startswith(ours))
