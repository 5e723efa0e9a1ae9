"""Files of our own: a ZIP archive with a versioned JSON header and its arrays beside it.

The header says what the file is and in which version, and holds everything that is not an
array; each array is a ``.npy`` member that the header names.
"""

from __future__ import annotations

import io
import json
import math
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np

from motionweave.core.checks import path_of, shown
from motionweave.core.parsing import parse_json
from motionweave.errors import FormatError, MotionweaveError
from motionweave.io.store.archive import Fetch, Keep

Content = TypeVar("Content")

# An archive that unpacks to more than this, or to much more than its own size, is a trap.
_MOST_BYTES = 1 << 31
_UNSUSPICIOUS_BYTES = 1 << 26
_MOST_PACKED = 200
_MOST_MEMBERS = 100_000
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
        with Members(source, f"a {self.what} file") as members:
            header = self._header(members, path)
            try:
                return content(header, members.array)
            except FormatError:
                raise
            except MotionweaveError as error:
                raise FormatError(f"the {self.what} file is damaged: {error}", path) from None
            except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
                # The header is JSON of any shape; what does not have the right one ends here.
                reason = f"{type(error).__name__}: {shown(str(error))}"
                raise FormatError(f"the {self.what} file is damaged ({reason})", path) from None

    def _header(self, members: Members, path: str | Path | None) -> dict[str, Any]:
        if self.member not in members.names:
            raise FormatError(f"this is not a {self.what} file: it has no {self.member}", path)
        header = parse_json(members.read(self.member), path)
        if not isinstance(header, dict) or header.get("format") != self.format:
            raise FormatError(f"this is not a {self.what} file", path)
        version = header.get("version")
        if type(version) is not int or version < 1:
            raise FormatError(f"{self.what} file of unknown version {shown(version)}", path)
        if version > self.version:
            raise FormatError(
                f"written as version {shown(version)} of the {self.what} format, this program "
                f"knows up to {self.version}: update motionweave",
                path,
            )
        return header


class Members:
    """The members of a ZIP archive: the one place where archives and arrays are unpacked.

    Whatever unpacking raises becomes a `FormatError`.

    Parameters
    ----------
    source
        The archive, by path or open.
    what
        What it is expected to be, such as ``"a project file"``.
    """

    def __init__(self, source: str | Path | BinaryIO, what: str):
        self.what = what
        self.path = source if isinstance(source, str | Path) else None
        if not hasattr(source, "read"):
            source = self.path = path_of(source)
        try:
            self._archive = zipfile.ZipFile(source)
        except zipfile.BadZipFile as error:
            raise self._broken(error) from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise FormatError(f"cannot be read: {reason}", self.path) from error
        except Exception as error:
            raise self._broken(error) from None
        try:
            check_size(self._archive, self.path)
        except FormatError:
            self._archive.close()
            raise

    def __enter__(self) -> Members:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    @property
    def names(self) -> list[str]:
        """Names of all members."""
        return self._archive.namelist()

    def read(self, name: str) -> bytes:
        """What a member holds."""
        if not isinstance(name, str) or name not in self._archive.NameToInfo:
            raise FormatError(f"damaged: the archive has no member {shown(name)}", self.path)
        try:
            return self._archive.read(name)
        except Exception as error:
            # Damage, ways of packing that Python does not know, passwords.
            raise self._broken(error) from None

    def numbers(self, name: str) -> np.ndarray | None:
        """The array in a member; None if it is of Python objects, which are never read."""
        return _checked(self.read(name), f"the array {shown(name)}", self.path)

    def array(self, name: str) -> np.ndarray:
        """The array in a member, which is of plain values."""
        array = self.numbers(name)
        if array is None:
            raise FormatError(f"{shown(name)} contains objects instead of numbers", self.path)
        return array

    def _broken(self, error: Exception) -> FormatError:
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        return FormatError(f"this is not {self.what}, or it is damaged ({reason})", self.path)


def check_size(archive: zipfile.ZipFile, path: str | Path | None) -> None:
    """Refuse an archive that would fill the memory, before anything of it is unpacked."""
    members = archive.infolist()
    for one in members:
        # Others are rare, and LZMA may ask for gigabytes to unpack a few bytes.
        if one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise FormatError(
                "this kind of compression cannot be read; compress the archive with Deflate", path
            )
    unpacked = sum(one.file_size for one in members)
    packed = sum(one.compress_size for one in members)
    suspicious = unpacked > _UNSUSPICIOUS_BYTES and unpacked > _MOST_PACKED * packed
    if len(members) > _MOST_MEMBERS or unpacked > _MOST_BYTES or suspicious:
        raise FormatError(
            f"it unpacks to {len(members)} members of {unpacked / 1e6:.0f} MB, which is more "
            "than is read",
            path,
        )


def array_in(path: Path) -> np.ndarray | None:
    """The array in a ``.npy`` file; None if it is of Python objects, which are never read."""
    return _checked(path.read_bytes(), "the array", path)


def _checked(data: bytes, what: str, path: str | Path | None) -> np.ndarray | None:
    try:
        return array_from(data)
    except Exception as error:
        reason = f"{type(error).__name__}: {shown(str(error))}"
        raise FormatError(f"{what} is broken ({reason})", path) from None


def _write(archive: zipfile.ZipFile, member: str, data: bytes) -> None:
    info = zipfile.ZipInfo(member, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)


def array_from(data: bytes) -> np.ndarray | None:
    """The array of a ``.npy`` member; None if it is of Python objects, which are never read."""
    stream = io.BytesIO(data)
    first = np.lib.format.read_magic(stream) == (1, 0)
    header = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
    try:
        shape, _, dtype = header(stream)
    except Exception as error:
        # The header is a Python literal, and NumPy lets through what reading one may raise.
        raise ValueError(f"an array's header is broken ({error})") from None
    if dtype.hasobject:
        return None
    # A header of a few bytes must not ask for memory that there are no values for.
    if dtype.kind not in "biufUS" or dtype.itemsize == 0 or min(shape, default=0) < 0:
        raise ValueError(f"an array of {dtype} {shape} cannot be read")
    if math.prod(shape) * dtype.itemsize != len(data) - stream.tell():
        raise ValueError(f"an array of shape {shape} is cut short")
    stream.seek(0)
    array: np.ndarray = np.lib.format.read_array(stream, allow_pickle=False)
    if dtype.kind == "U" and array.size:
        # NumPy keeps text as numbers, and does not look whether they are characters.
        codes = np.ascontiguousarray(array).reshape(-1).view(f"{dtype.byteorder}u4")
        if codes.max() > sys.maxunicode:
            raise ValueError("text with invalid characters")
    return array
