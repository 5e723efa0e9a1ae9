"""Tables of motion states as CSV or JSON files, to be read and edited by people.

A CSV file has one state per line, with labels separated by spaces::

    frame,half,labels
    12.5,lower,L_et R.HI_flex
    14,upper,wave

The half of the body may be left empty for labels that imply it; other labels count as those of the
lower body, which the feet follow.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from motionweave.contacts.states import LOWER, UPPER, EventTable, State, body_half
from motionweave.core.arguments import check_arguments
from motionweave.core.checks import LARGEST, path_of, shown
from motionweave.core.parsing import csv_rows, parse_json, read_text
from motionweave.errors import FormatError, MotionError
from motionweave.io.store.atomic import atomic_path

_COLUMNS = ("frame", "half", "labels")
_FORMAT = "motionweave events"
_VERSION = 1
# Frames are written to this many decimals.
_DECIMALS = 4


def save_events(table: EventTable, path: str | Path) -> None:
    """Write an event table that people can read and edit.

    Parameters
    ----------
    table
        States at frames of their clip, as `find_events` gives them.
    path
        A ``.csv`` or a ``.json`` file; it is written completely or not at all.

    Raises
    ------
    FormatError
        If the path has another suffix.

    Examples
    --------
    >>> import motionweave as mw
    >>> mw.save_events(mw.find_events(mw.sample("walk")), "walk.csv")
    """
    check_arguments(save_events, locals(), FormatError)
    path = Path(path)
    rows = [(round(s.time, _DECIMALS), s.half, sorted(s.labels)) for s in table.states]
    if _is_json(path):
        listed = ",\n    ".join(json.dumps(dict(zip(_COLUMNS, row, strict=True))) for row in rows)
        head = json.dumps({"format": _FORMAT, "version": _VERSION, "clip": table.name}, indent=2)
        body = f"[\n    {listed}\n  ]" if rows else "[]"
        text = f'{head[:-2]},\n  "states": {body}\n}}\n'
    else:
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(_COLUMNS)
        writer.writerows((frame, half, " ".join(labels)) for frame, half, labels in rows)
        text = buffer.getvalue()
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def load_events(path: str | Path) -> EventTable:
    """Read an event table written by `save_events`, possibly edited by hand.

    Parameters
    ----------
    path
        A ``.csv`` or a ``.json`` file.

    Returns
    -------
    EventTable

    Raises
    ------
    FormatError
        If the file cannot be read; the message names the line and the reason.

    Examples
    --------
    >>> import motionweave as mw
    >>> mw.save_events(mw.find_events(mw.sample("walk")), "walk.csv")
    >>> len(mw.load_events("walk.csv").states) == len(mw.find_events(mw.sample("walk")).states)
    True
    """
    path = path_of(path)
    text = read_text(path)
    states = _json_states(text, path) if _is_json(path) else _csv_states(text, path)
    return EventTable(tuple(states), path.stem)


def _is_json(path: Path) -> bool:
    suffix = path.suffix.lower()
    if suffix not in (".json", ".csv"):
        raise FormatError("an event table must be a .csv or .json file", path)
    return suffix == ".json"


def _csv_states(text: str, path: Path) -> list[State]:
    states: list[State] = []
    columns: tuple[str, ...] = _COLUMNS
    for number, cells in csv_rows(text, path):
        if not any(cells) or cells[0].startswith("#"):
            continue
        if "frame" in cells:
            missing = [name for name in ("frame", "labels") if name not in cells]
            if missing:
                raise FormatError(f"the header lacks {' and '.join(missing)}", path, number)
            columns = tuple(cells)
            continue
        if len(cells) != len(columns):
            raise FormatError(
                f"expected {len(columns)} columns {','.join(columns)}, found {len(cells)}",
                path,
                number,
            )
        entry = dict(zip(columns, cells, strict=True))
        states += _states(entry["frame"], entry.get("half"), entry["labels"].split(), path, number)
    return states


def _json_states(text: str, path: Path) -> list[State]:
    data = parse_json(text, path)
    entries = data.get("states") if isinstance(data, dict) else data
    if not isinstance(entries, list):
        raise FormatError('expected an object with a list "states"', path)
    states: list[State] = []
    for index, entry in enumerate(entries):
        labels = entry.get("labels") if isinstance(entry, dict) else None
        if not isinstance(labels, list) or not all(isinstance(one, str) for one in labels):
            raise FormatError(
                f'state {index + 1}: expected an object such as {{"frame": 12.5, '
                '"labels": ["L_et"]}',
                path,
            )
        states += _states(entry.get("frame"), entry.get("half"), labels, path, None)
    return states


def _states(
    frame: Any, half: Any, labels: Iterable[str], path: Path, line: int | None
) -> list[State]:
    """The state of one row: two, if its labels are about both halves of the body."""
    try:
        time = float(frame)
    except (TypeError, ValueError, OverflowError):
        raise FormatError(f"expected a frame number, found {shown(frame)}", path, line) from None
    if not abs(time) <= LARGEST:
        raise FormatError(f"frame {shown(frame)} is out of range", path, line)
    if half not in (None, "", LOWER, UPPER):
        raise FormatError(f"half of the body {shown(half)}: expected lower or upper", path, line)
    by_half: dict[str, set[str]] = {}
    for label in labels:
        by_half.setdefault(half or body_half(label) or LOWER, set()).add(label)
    try:
        return [State(time, frozenset(own), name) for name, own in by_half.items()] or [
            State(time, frozenset())
        ]
    except MotionError as error:
        raise FormatError(str(error), path, line) from None
