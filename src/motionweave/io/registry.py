"""Which format a file is in, who reads it, who writes it.

A format is a module of `motionweave.io` that holds ``FORMAT``, a `Format`, or a folder whose
module ``format`` does. It is found by being there: nothing else has to be edited to add one.
Other packages add formats by an entry point in the group ``motionweave.formats``.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from motionweave import io
from motionweave.core.checks import path_of, shown
from motionweave.core.markers import Markers
from motionweave.core.motion import Motion
from motionweave.errors import (
    FormatError,
    MissingDependencyError,
    MotionError,
    QualityWarning,
)

# The group of entry points by which other packages add formats.
ENTRY_POINTS = "motionweave.formats"


@dataclass(frozen=True)
class Format:
    """One file format.

    Parameters
    ----------
    name
        As people call it, such as ``"BVH"``.
    suffixes
        Lower-case, with the dot, the usual one first.
    read
        ``read(path, **options) -> Motion``, or None if the format is only written.
    write
        ``write(motion, path, **options)``, or None if the format is only read.
        It writes to exactly that path; the registry sees to it that a half-written
        file never takes the target's place.
    extra, modules
        The extra of motionweave that brings what the format needs, and the modules
        that must be importable for it.
    beside
        Whether writing makes further files beside the path, named after it. The
        writer then has to place those itself.
    read_markers
        ``read_markers(path, **options) -> Markers``, for formats without a skeleton.
    write_several
        ``write_several(motions, path, **options)``, for formats that hold several motions.
    rate
        Frames per second of files that do not say theirs; motions are resampled to it, or to
        the writer's option ``fps``. None if files say it.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[..., Motion] | None = None
    write: Callable[..., None] | None = None
    extra: str | None = None
    modules: tuple[str, ...] = ()
    beside: bool = False
    read_markers: Callable[..., Markers] | None = None
    write_several: Callable[..., None] | None = None
    rate: float | None = None

    def require(self) -> None:
        """Raise `MissingDependencyError` unless the format's packages are installed."""
        for module in self.modules:
            if importlib.util.find_spec(module) is None:
                raise MissingDependencyError(f"{self.name} ({module})", self.extra or "all")


@cache
def formats() -> tuple[Format, ...]:
    """All formats, sorted by name: our own, and those that other packages bring."""
    found = [one for one in map(_own_format, pkgutil.iter_modules(io.__path__)) if one is not None]
    return tuple(sorted([*found, *_foreign_formats()], key=lambda one: one.name))


def _own_format(info: pkgutil.ModuleInfo) -> Format | None:
    """The format in a module of ours, or in the module ``format`` of a package of ours."""
    name = f"{io.__name__}.{info.name}"
    if info.ispkg:
        name += ".format"
        if importlib.util.find_spec(name) is None:
            return None
    one = getattr(importlib.import_module(name), "FORMAT", None)
    return one if isinstance(one, Format) else None


def _foreign_formats() -> Iterator[Format]:
    """Formats of other packages, named by their entry points in the group ``motionweave.formats``.

    One that cannot be loaded is left out with a warning: it must not keep all others from
    working.
    """
    for point in entry_points(group=ENTRY_POINTS):
        try:
            one = point.load()
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
        else:
            if isinstance(one, Format):
                yield one
                continue
            reason = f"{point.value} is a {type(one).__name__}, not a Format"
        warnings.warn(
            f"the format {point.name!r} of an installed package is left out: {reason}",
            QualityWarning,
            stacklevel=2,
        )


def suffixes(*, writing: bool = False) -> tuple[str, ...]:
    """Suffixes that can be read (or written), sorted."""
    return tuple(
        sorted(
            suffix
            for one in formats()
            if (one.write if writing else one.read) is not None
            for suffix in one.suffixes
        )
    )


def format_of(path: str | Path, *, writing: bool = False) -> Format:
    """The format of a path by its suffix; `FormatError` lists the known ones if there is none."""
    path = path_of(path)
    suffix = path.suffix.lower()
    for one in formats():
        if suffix in one.suffixes and (one.write if writing else one.read) is not None:
            return one
    if not writing and any(suffix in one.suffixes and one.read_markers for one in formats()):
        raise FormatError(
            "this file contains markers, but a skeleton is needed here; load_markers reads it, "
            "and markers can be registered and blended",
            path,
        )
    doing = "written" if writing else "read"
    what = f"files of type {suffix}" if suffix else "files without a suffix"
    raise FormatError(
        f"{what} cannot be {doing}; supported: {', '.join(suffixes(writing=writing))}", path
    )


def reader_of(path: str | Path) -> Format:
    """The format of an existing file; `FormatError` if there is none, or the format is unknown."""
    _check_there(path_of(path))
    return format_of(path)


def read(path: str | Path, **options: Any) -> Motion:
    """The motion in a file, as its format's reader gives it.

    ``options`` are the reader's own; an option that it does not know is an error,
    unless it is None.
    """
    path = path_of(path)
    one = reader_of(path)
    one.require()
    assert one.read is not None
    accepted = _accepted(one, one.read, options, path)
    with _as_format_errors(path):
        return one.read(path, **accepted)


def read_markers(path: str | Path, **options: Any) -> Markers:
    """The markers in a file of a format that has markers."""
    path = path_of(path)
    _check_there(path)
    suffix = path.suffix.lower()
    for one in formats():
        if suffix in one.suffixes and one.read_markers is not None:
            one.require()
            accepted = _accepted(one, one.read_markers, options, path)
            with _as_format_errors(path):
                return one.read_markers(path, **accepted)
    known = sorted(s for one in formats() if one.read_markers for s in one.suffixes)
    raise FormatError(f"markers are read from {', '.join(known)} files", path)


def _check_there(path: Path) -> None:
    if path.is_dir():
        raise FormatError("this is a folder, not a motion file", path)
    if not path.exists():
        raise FormatError("there is no such file", path)


@contextmanager
def _as_format_errors(path: Path) -> Iterator[None]:
    """What goes wrong in a reader is wrong with the file."""
    try:
        yield
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from error
    except MotionError as error:
        # Readers leave it to the data model to refuse what is not a skeleton or a motion.
        raise FormatError(str(error), path) from error


def write(motion: Motion | Sequence[Motion], path: str | Path, **options: Any) -> None:
    """Write a motion in the format of the path's suffix, completely or not at all.

    Several motions go into one file of a format that has room for them.
    """
    from motionweave.io.store.atomic import atomic_path

    several = isinstance(motion, Sequence) and not isinstance(motion, str)
    if not several and not isinstance(motion, Motion):
        raise MotionError(f"{shown(motion)}: expected a Motion")
    path = path_of(path)
    one = format_of(path, writing=True)
    if path.is_dir():
        raise FormatError("this is a folder; give the name of a file", path)
    if not path.parent.is_dir():
        raise FormatError(f"the folder {path.parent} does not exist", path)
    one.require()
    write_one: Callable[..., None] | None = one.write
    if several:
        write_one = one.write_several
        if write_one is None:
            raise FormatError("a file of this format contains only one motion", path)
        if len(motion) == 0:
            raise FormatError("there are no motions to write", path)
    assert write_one is not None
    accepted = _accepted(one, write_one, options, path)
    try:
        if one.beside:
            write_one(motion, path, **accepted)
            return
        with atomic_path(path) as temporary, _naming(path, temporary):
            write_one(motion, temporary, **accepted)
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror or error}", path) from error


@contextmanager
def _naming(path: Path, temporary: Path) -> Iterator[None]:
    """Errors of a writer name the user's file, not the temporary one it wrote to."""
    try:
        yield
    except FormatError as error:
        reason = error.reason.replace(str(temporary), str(path))
        about = path if error.path in (None, str(temporary)) else error.path
        raise FormatError(reason, about, error.line) from error


def accepts(function: Callable[..., Any] | None, option: str) -> bool:
    """Whether a reader or writer takes an option of that name."""
    if function is None:
        return False
    parameter = inspect.signature(function).parameters.get(option)
    return parameter is not None and parameter.kind is parameter.KEYWORD_ONLY


def _accepted(
    one: Format, function: Callable[..., Any], options: dict[str, Any], path: Path
) -> dict[str, Any]:
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if not accepts(function, name):
            raise FormatError(f"{one.name} files have no option {name!r}", path)
    return given
