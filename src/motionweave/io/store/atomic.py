"""Output files are written completely or not at all."""

from __future__ import annotations

import os
import platform
import re
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from motionweave.core.checks import path_of
from motionweave.errors import FormatError

# Temporary names say which process on which machine made them, so that those of dead ones can
# be told: .mw-MACHINE-PID-RANDOM.bvh. Names of whole files may be as long as the system allows,
# so theirs is not part of it.
_MACHINE = f"{zlib.crc32(platform.node().encode()):08x}"
_TEMPORARY = re.compile(rf"\.mw-{_MACHINE}-(\d+)-\w+(\.\w+)?")


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """A temporary name beside ``path`` to write to, moved into place at the end.

    The temporary name has the suffix of the target, because many writers choose
    the format by it. On any error it is removed and the target stays as it was. A link is
    followed: what it points to is replaced. Temporary files that processes left there when
    they were killed are removed.

    Raises
    ------
    FormatError
        If the system does not let it be written: no room, no permission.

    Examples
    --------
    >>> with atomic_path("walk.bvh") as temporary:  # doctest: +SKIP
    ...     temporary.write_text("HIERARCHY ...")
    """
    try:
        with _replacing(path_of(path)) as temporary:
            yield temporary
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror or error}", path) from error


@contextmanager
def _replacing(target: Path) -> Iterator[Path]:
    if target.is_symlink():
        target = target.resolve()
    _sweep(target.parent)
    suffix = target.suffix if re.fullmatch(r"\.\w{1,16}", target.suffix) else ""
    handle, name = tempfile.mkstemp(
        prefix=f".mw-{_MACHINE}-{os.getpid()}-", suffix=suffix, dir=target.parent
    )
    os.close(handle)
    temporary = Path(name)
    try:
        # mkstemp makes the file private; an output file is as open as any other.
        temporary.chmod(_usual_mode(target))
        yield temporary
        _flush(temporary)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    """See to it that the content is on the disk before its name is."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _sweep(folder: Path) -> None:
    """Remove the temporary files of processes that have ended."""
    with suppress(OSError):
        for one in folder.iterdir():
            made = _TEMPORARY.fullmatch(one.name)
            if made is not None and not _alive(int(made.group(1))):
                one.unlink(missing_ok=True)


def _alive(process: int) -> bool:
    if os.name == "nt":
        # Asking would end the process there; Windows does not let open files be removed.
        return process == os.getpid()
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _usual_mode(target: Path) -> int:
    """Permissions of the file to be replaced, or those that a new file would get."""
    if target.is_file():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
