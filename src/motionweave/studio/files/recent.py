"""Projects that were opened or saved recently.

A project that is a file of this machine is remembered by its path. One that came from a browser,
or was saved as a download, has no path that the studio knows: a copy of it is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from motionweave.io.store.atomic import atomic_path
from motionweave.studio.files.project import SUFFIX

# Projects that are listed, and the size in bytes up to which a copy is kept of one.
_LISTED = 8
_LARGEST = 100_000_000


@dataclass(frozen=True)
class RecentProject:
    """A recent project.

    Parameters
    ----------
    title
        What it is called.
    path
        Where it can be read.
    copied
        Whether that is a copy of ours, which it is not to be saved to.
    """

    title: str
    path: Path
    copied: bool


class RecentProjects:
    """The list of them, the last one first.

    Parameters
    ----------
    folder
        Where it is kept; None to keep nothing.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._rows = self._read()

    def listed(self) -> tuple[RecentProject, ...]:
        """Those whose files are still there."""
        known = (RecentProject(title, Path(path), copied) for title, path, copied in self._rows)
        return tuple(one for one in known if one.path.is_file())

    def add(self, title: str, *, path: Path | None = None, data: bytes | None = None) -> None:
        """Put a project first: the file it is, or its content.

        Parameters
        ----------
        title
            What it is called.
        path
            Its file.
        data
            What is in it, if it is not a file that could be opened again.
        """
        if self._folder is None:
            return
        with contextlib.suppress(OSError):
            if path is not None:
                place = path.resolve()
                entry = (title, str(place), place.parent == self._copies)
            elif data is not None and len(data) <= _LARGEST:
                entry = (title, str(self._copy(title, data)), True)
            else:
                return
            # Other studios of this user add theirs.
            rows = [entry, *(row for row in self._read() if row[1] != entry[1])]
            for _, gone, copied in rows[_LISTED:]:
                if copied:
                    Path(gone).unlink(missing_ok=True)
            with atomic_path(self._file) as temporary:
                temporary.write_text(json.dumps(rows[:_LISTED]), encoding="utf-8")
            self._rows = rows[:_LISTED]

    @property
    def _file(self) -> Path:
        assert self._folder is not None
        return self._folder / "recent.json"

    @property
    def _copies(self) -> Path:
        assert self._folder is not None
        return self._folder.resolve() / "recent"

    def _copy(self, title: str, data: bytes) -> Path:
        """A project of one title takes the place of an earlier one."""
        self._copies.mkdir(mode=0o700, exist_ok=True)
        path = self._copies / f"{hashlib.sha256(title.encode()).hexdigest()[:16]}{SUFFIX}"
        with atomic_path(path) as temporary:
            temporary.write_bytes(data)
        return path

    def _read(self) -> list[tuple[str, str, bool]]:
        if self._folder is None:
            return []
        try:
            rows = json.loads(self._file.read_text(encoding="utf-8"))
            return [(str(title), str(path), bool(copied)) for title, path, copied in rows]
        except (OSError, ValueError, TypeError):
            return []
