"""From a file to the library's form of it. Runs in workers: takes a path, returns values."""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from motionweave.clips import load
from motionweave.core.parsing import csv_rows, read_text
from motionweave.core.skeleton import Skeleton
from motionweave.errors import FormatError, MotionweaveError, QualityWarning
from motionweave.io import registry
from motionweave.library.index.features import ClipTrack, measures, track

# Columns of a catalogue that are not words about a clip.
_NOT_WORDS = re.compile(r"file|path|sha|md5|licen[cs]e|repo|commit|note|order|time|url|size")
_FILE_COLUMNS = ("file", "path", "filename", "clip", "name")
_CATALOGUES = ("catalog.csv", "catalogue.csv", "index.csv", "catalog.tsv", "catalogue.tsv")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")


@dataclass(frozen=True, eq=False)
class Reading:
    """What a worker has read of one clip.

    Parameters
    ----------
    digest
        Of the file's content.
    fps, frames
        Of the clip as it is in the file.
    rig
        A short text that is the same for clips whose joints have the same names and tree.
    measures
        See `motionweave.library.index.features.measures`.
    track
        The clip on common ground.
    """

    digest: str
    fps: float
    frames: int
    rig: str
    measures: dict[str, float]
    track: ClipTrack


@dataclass(frozen=True)
class Failure:
    """Why a file could not be read, in one line."""

    digest: str
    reason: str


def digest_of(path: str | Path) -> str:
    """A short digest of the content of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


def rig_of(skeleton: Skeleton) -> str:
    """A short digest of the joints of a skeleton, whatever the lengths of its bones."""
    joints = repr((skeleton.names, skeleton.parents.tolist()))
    return hashlib.sha256(joints.encode()).hexdigest()[:16]


def read_clip(path: str) -> Reading | Failure:
    """Read one clip; whatever is wrong with the file becomes a `Failure`."""
    digest = ""
    try:
        digest = digest_of(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            motion = load(path, contacts=False, drop_tpose=True)
            seen = track(motion)
    except MotionweaveError as error:
        # Reports name the file themselves.
        reason = str(error).replace(f"{path}: ", "").removeprefix(f"{path}, ")
        return Failure(digest, reason.splitlines()[0])
    except OSError as error:
        return Failure(digest, f"cannot be read: {error.strerror or error}")
    except Exception as error:
        # One bad file in thousands must not stop the rest, whatever goes wrong in a reader.
        return Failure(digest, f"{type(error).__name__}: {error}".splitlines()[0])
    return Reading(
        digest,
        motion.fps,
        len(motion),
        rig_of(motion.skeleton),
        measures(seen),
        seen,
    )


def clip_files(folder: Path) -> Iterator[Path]:
    """Every file under a folder that may contain a motion, sorted by path."""
    wanted = set(registry.suffixes()) - {".asf"}
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.suffix.lower() in wanted and not hidden and path.is_file():
            yield path


def words(text: str) -> list[str]:
    """The words of a name or description, in lower case: ``walkTurn_left-01`` has three."""
    return [word.lower() for word in _WORD.findall(text)]


def words_of_path(path: Path) -> set[str]:
    """The words in the folders and the name of a clip."""
    return {word for part in path.with_suffix("").parts for word in words(part) if len(word) > 1}


def catalogue_words(folders: Iterable[Path]) -> dict[Path, set[str]]:
    """The words in catalogues in the folders: clip file to words.

    A catalogue is a table with a header, one column of which names files relative to it; all
    columns with words in them are taken.
    """
    found: dict[Path, set[str]] = {}
    for folder in folders:
        for name in _CATALOGUES:
            table = folder / name
            if table.is_file():
                try:
                    rows = list(_rows(table))
                except FormatError as error:
                    warnings.warn(QualityWarning(f"{error}; its words are left out"), stacklevel=2)
                    continue
                for file, said in rows:
                    found.setdefault((folder / file).resolve(), set()).update(said)
    return found


def _rows(table: Path) -> Iterator[tuple[str, set[str]]]:
    text = read_text(table, errors="replace")
    rows = csv_rows(text, table, delimiter="\t" if table.suffix == ".tsv" else ",")
    columns = next((cells for _, cells in rows), [])
    column = next((c for c in _FILE_COLUMNS if c in columns), None)
    if column is None:
        return
    for _, cells in rows:
        row = dict(zip(columns, cells, strict=False))
        if row.get(column) and "\0" not in row[column]:
            yield row[column], _said(row)


def _said(row: dict[str, str]) -> set[str]:
    return {
        word
        for column, value in row.items()
        if column and not _NOT_WORDS.search(column.lower())
        for word in words(value)
        if len(word) > 1
    }
