"""What the studio keeps between runs, for this user alone: work, and the token.

Work is written a moment after every change. A studio that is killed leaves it there, saved or not,
and one that is closed leaves what was not saved; the next one that is started with the same files
goes on with it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from motionweave.errors import MotionweaveError
from motionweave.studio.document.document import Document
from motionweave.studio.document.session import Session
from motionweave.studio.files.project import SUFFIX, load_project, save_project

#: Names another folder than the system's for what is kept.
VARIABLE = "MOTIONWEAVE_STATE"
# Seconds from a change to when it is written, and what share of the time writing may take.
_DELAY = 0.7
_SHARE = 0.1
# Unsaved work that nobody came back for is kept this long, in seconds.
_KEPT = 30 * 24 * 3600.0


def state_folder() -> Path:
    """The folder for what is kept, readable by this user only; made if it is not there."""
    named = os.environ.get(VARIABLE)
    if named:
        folder = Path(named)
    elif sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA", Path.home())) / "motionweave"
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Application Support" / "motionweave"
    else:
        base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
        folder = Path(base) / "motionweave"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def kept_token(folder: Path) -> str:
    """The token of this user's studios on this machine; made up the first time.

    It stays the same, so that a page that is open goes on when the studio is started again.
    """
    path = folder / "token"
    with contextlib.suppress(OSError):
        known = path.read_text(encoding="ascii", errors="ignore").strip()
        if len(known) >= 20:
            return known
    token = secrets.token_urlsafe(18)
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(token)
    return token


class Autosave:
    """Writes work to a file of its own, and finds what an earlier studio left.

    Parameters
    ----------
    session
        Whose document is kept.
    folder
        Where.
    opened
        What the studio was started with: work on other files is not offered for these.
    """

    def __init__(self, session: Session, folder: Path, opened: Sequence[Path] = ()) -> None:
        self._session = session
        self._folder = folder
        names = "\n".join(str(path.resolve()) for path in opened)
        self._what = hashlib.sha256(names.encode()).hexdigest()[:12]
        self._path = folder / f"unsaved-{self._what}-{os.getpid()}{SUFFIX}"
        self._first = session.document
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._written: Document | None = None
        self._seconds = 0.0

    def restore(self) -> bool:
        """Go on with the work of a studio that has ended; whether there was any.

        It is a change like any other: undo goes back to what was opened.
        """
        left = [path for path in self._left() if path.name.split("-")[1] == self._what]
        for path in sorted(left, key=lambda one: one.stat().st_mtime, reverse=True):
            try:
                document = load_project(path, self._session.kinds)
            except MotionweaveError:
                continue
            document = document.of(self._session.document)
            self._session.change(document, "restoring work")
            self.write()
            for old in left:
                old.unlink(missing_ok=True)
            return True
        return False

    def _left(self) -> list[Path]:
        """Files of studios that do not run any more; those of long ago are removed."""
        found = []
        for path in self._folder.glob(f"unsaved-*-*{SUFFIX}"):
            number = path.stem.rpartition("-")[2]
            if not number.isdigit() or _runs(int(number)):
                continue
            if time.time() - path.stat().st_mtime > _KEPT:
                path.unlink(missing_ok=True)
            else:
                found.append(path)
        return found

    def start(self) -> None:
        """Write from now on whatever is changed."""
        self._session.listen(self._changed)

    def _changed(self) -> None:
        with self._lock:
            if self._timer is None:
                # Large shelves take long to write: most of the time belongs to the user.
                delay = max(_DELAY, self._seconds / _SHARE)
                self._timer = threading.Timer(delay, self._due)
                self._timer.daemon = True
                self._timer.start()

    def _due(self) -> None:
        with self._lock:
            self._timer = None
        if self._session.live:
            self._changed()
        else:
            self.write()

    def write(self) -> None:
        """Write the work now, unless it is what the studio was started with.

        Also what was saved: whoever downloaded it, or opened another project, does not want to
        look for that when the studio is killed.
        """
        document = self._session.document
        began = time.perf_counter()
        with contextlib.suppress(OSError):
            if document is self._first:
                self._path.unlink(missing_ok=True)
            elif document is not self._written:
                save_project(document, self._path)
        self._written = document
        self._seconds = time.perf_counter() - began

    def end(self) -> None:
        """The studio is closed: what was saved need not be kept."""
        self.write()
        if not self._session.dirty:
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    """Whether a process of that number runs."""
    if process == os.getpid():
        return True
    if sys.platform == "win32":
        import ctypes

        handle = ctypes.windll.kernel32.OpenProcess(0x1000, False, process)
        if handle:
            ctypes.windll.kernel32.CloseHandle(handle)
        return bool(handle)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
