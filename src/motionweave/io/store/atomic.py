"""Output files appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary name beside ``path`` to write to, moved into place at the end.

    The temporary name has the suffix of the target, because many writers choose
    the format by it. On any error it is removed and the target stays as it was.

    Examples
    --------
    >>> with atomic_path("walk.bvh") as temporary:  # doctest: +SKIP
    ...     temporary.write_text("HIERARCHY ...")
    """
    target = Path(path)
    handle, name = tempfile.mkstemp(
        prefix=f".{target.stem[:40]}-", suffix=target.suffix, dir=target.parent
    )
    os.close(handle)
    temporary = Path(name)
    try:
        # mkstemp makes the file private; an output file is as open as any other.
        temporary.chmod(_usual_mode(target))
        yield temporary
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _usual_mode(target: Path) -> int:
    """Permissions of the file to be replaced, or those that a new file would get."""
    if target.is_file():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
