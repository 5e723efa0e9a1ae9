"""Files of our own: a ZIP archive with a versioned JSON header and its arrays beside it.

The header says what the file is and in which version, and holds everything that is not an
array; each array is a ``.npy`` member that the header names.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO, TypeVar

import numpy as np

from motionweave.errors import FormatError
from motionweave.io.store.archive import Fetch, Keep

Content = TypeVar("Content")

# An archive that unpacks to more than this, or to much more than its own size, is a trap.
_MOST_BYTES = 1 << 31
_UNSUSPICIOUS_BYTES = 1 << 28
_MOST_PACKED = 200
# ZIP members carry a time of writing; a fixed one makes equal contents equal files.
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Container:
    """A kind of file.

    Parameters
    ----------
    what
        What users call the content, such as ``"project"``.
    version
        The newest version that this program knows.
    """

    what: str
    version: int

    @property
    def member(self) -> str:
        """Name of the header in the archive."""
        return f"{self.what}.json"

    @property
    def format(self) -> str:
        """What the header says that the file is."""
        return f"motionweave {self.what}"

    def write(self, target: Path | BinaryIO, content: Callable[[Keep], dict[str, Any]]) -> None:
        """Write a file; ``content`` makes the header and hands its arrays to what it is given."""
        arrays: dict[str, np.ndarray] = {}

        def keep(name: str, array: np.ndarray) -> str:
            member = f"{name}.npy"
            arrays[member] = np.asarray(array)
            return member

        header = {"format": self.format, "version": self.version, **content(keep)}
        with zipfile.ZipFile(target, "w") as archive:
            text = json.dumps(header, indent=1, ensure_ascii=False)
            _write(archive, self.member, text.encode())
            for member, array in arrays.items():
                buffer = io.BytesIO()
                np.lib.format.write_array(buffer, array, allow_pickle=False)
                _write(archive, member, buffer.getvalue())

    def read(
        self,
        source: str | Path | BinaryIO,
        content: Callable[[dict[str, Any], Fetch], Content],
    ) -> Content:
        """Read a file; ``content`` makes it from the header and a function that gets arrays.

        Raises
        ------
        FormatError
            If it is none, is damaged, or was written by a newer version.
        """
        path = source if isinstance(source, str | Path) else None
        try:
            with zipfile.ZipFile(source) as archive:
                check_size(archive, path)
                header = self._header(archive, path)
                return content(header, partial(_fetch, archive))
        except (zipfile.BadZipFile, zlib.error, EOFError, json.JSONDecodeError) as error:
            raise FormatError(
                f"this is not a {self.what} file, or damaged ({error})", path
            ) from None
        except (NotImplementedError, RuntimeError) as error:
            # Ways of packing that Python does not know, passwords, headers nested without end.
            raise FormatError(f"the {self.what} file cannot be unpacked ({error})", path) from None
        except (KeyError, ValueError, TypeError, IndexError, AttributeError) as error:
            raise FormatError(f"the {self.what} file is damaged ({error})", path) from None

    def _header(self, archive: zipfile.ZipFile, path: str | Path | None) -> dict[str, Any]:
        if self.member not in archive.namelist():
            raise FormatError(f"this is not a {self.what} file: it has no {self.member}", path)
        header = json.loads(archive.read(self.member))
        if not isinstance(header, dict) or header.get("format") != self.format:
            raise FormatError(f"this is not a {self.what} file", path)
        version = header.get("version")
        if not isinstance(version, int) or version < 1:
            raise FormatError(f"{self.what} file of unknown version {version!r}", path)
        if version > self.version:
            raise FormatError(
                f"written as version {version} of the {self.what} format, this program knows up "
                f"to {self.version}: update motionweave",
                path,
            )
        return header


def check_size(archive: zipfile.ZipFile, path: str | Path | None) -> None:
    """Refuse an archive that would fill the memory, before anything of it is unpacked."""
    members = archive.infolist()
    unpacked = sum(one.file_size for one in members)
    packed = sum(one.compress_size for one in members)
    suspicious = unpacked > _UNSUSPICIOUS_BYTES and unpacked > _MOST_PACKED * packed
    if unpacked > _MOST_BYTES or suspicious:
        raise FormatError(
            f"it unpacks to {unpacked / 1e6:.0f} MB, which is more than is read", path
        )


def _write(archive: zipfile.ZipFile, member: str, data: bytes) -> None:
    info = zipfile.ZipInfo(member, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)


def _fetch(archive: zipfile.ZipFile, member: str) -> np.ndarray:
    array = array_from(archive.read(member))
    if array is None:
        raise ValueError(f"{member} holds objects instead of numbers")
    return array


def array_from(data: bytes) -> np.ndarray | None:
    """The array of a ``.npy`` member; None if it is of Python objects, which are never read."""
    stream = io.BytesIO(data)
    first = np.lib.format.read_magic(stream) == (1, 0)
    header = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
    try:
        shape, _, dtype = header(stream)
    except (SyntaxError, TypeError, TokenError) as error:
        # The header is a Python literal, and NumPy lets through what reading one may raise.
        raise ValueError(f"an array's header is broken ({error})") from None
    if dtype.hasobject:
        return None
    # A header of a few bytes must not ask for memory that there are no values for.
    if math.prod(shape) * dtype.itemsize != len(data) - stream.tell():
        raise ValueError(f"an array of shape {shape} is cut short")
    stream.seek(0)
    return np.lib.format.read_array(stream, allow_pickle=False)
