"""JSON, YAML and CSV texts into plain values: the one place where their parsers are called.

Whatever those raise becomes a `FormatError` with the file and the line. What comes out is
bounded: texts are not huge, numbers fit a float, and nothing is nested without end.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from motionweave.core.checks import path_of
from motionweave.errors import FormatError, MissingDependencyError

# Hand-written files are small; anything larger is something else.
LARGEST = 1 << 26
_LARGEST_YAML = 1 << 20
_LONGEST_CELL = 1 << 16
DEEPEST = 100
_MOST_NODES = 200_000
_MOST_DIGITS = 300


def read_text(path: str | Path, *, errors: str = "strict") -> str:
    """The text of a file in UTF-8; `FormatError` if it cannot be read or is not text.

    Parameters
    ----------
    path
        The file.
    errors
        How to treat bytes that are not text, as for Python's ``open``.
    """
    path = path_of(path)
    try:
        if path.stat().st_size > LARGEST:
            raise FormatError(f"larger than {LARGEST >> 20} MB, the limit for reading", path)
        return path.read_text(encoding="utf-8-sig", errors=errors)
    except UnicodeDecodeError:
        raise FormatError("not a text file in UTF-8", path) from None
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from error


def parse_json(text: str | bytes, path: str | Path | None = None) -> Any:
    """The value of a JSON text.

    Parameters
    ----------
    text
        The text; bytes are UTF-8.
    path
        The file that it is from, for messages.

    Raises
    ------
    FormatError
        If it is not JSON, nested too deep, or holds a number that is not finite.
    """
    try:
        value = json.loads(
            text if isinstance(text, str) else text.decode("utf-8-sig"),
            parse_int=_integer,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError as error:
        raise FormatError(f"not valid JSON: {error.msg}", path, error.lineno) from None
    except UnicodeDecodeError:
        raise FormatError("not valid JSON: not UTF-8 text", path) from None
    except RecursionError:
        raise FormatError("not valid JSON: nested too deep", path) from None
    except ValueError as error:
        raise FormatError(f"not valid JSON: {error}", path) from None
    if not _shallow(value):
        raise FormatError(f"not valid JSON: nested more than {DEEPEST} deep", path)
    return value


def parse_yaml(text: str, path: str | Path | None = None) -> Any:
    """The value of a YAML text of plain values; see `parse_json`.

    An alias counts as often as it is used, so that a small text cannot mean a huge one.
    """
    yaml = yaml_module()
    if len(text) > _LARGEST_YAML:
        raise FormatError(f"larger than {_LARGEST_YAML >> 20} MB, the limit for reading", path)
    loader_class = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check_events(yaml.parse(text, Loader=loader_class), path)
        loader = loader_class(text)
        try:
            node = loader.get_single_node()
            if node is None:
                return None
            _check_nodes(yaml, node, path)
            return loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or getattr(error, "reason", None)
        line = None if mark is None else mark.line + 1
        raise FormatError(
            f"not valid YAML: {reason or 'it cannot be parsed'}", path, line
        ) from None
    except FormatError:
        raise
    except Exception as error:
        # Dates, sexagesimal numbers and tags raise whatever Python's own parsers do.
        kind = type(error).__name__
        raise FormatError(f"not valid YAML: a value cannot be read ({kind})", path) from None


def csv_rows(
    text: str, path: str | Path | None = None, *, delimiter: str = ","
) -> Iterator[tuple[int, list[str]]]:
    """Line numbers (from 1) and stripped cells of a CSV text."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    while True:
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            raise FormatError(f"not valid CSV: {error}", path, rows.line_num) from None
        if any(len(cell) > _LONGEST_CELL for cell in cells):
            raise FormatError(
                "not valid CSV: a cell of over 65,000 characters", path, rows.line_num
            )
        yield rows.line_num, [cell.strip() for cell in cells]


def yaml_module() -> Any:
    """The package yaml; `MissingDependencyError` if it is not installed."""
    try:
        import yaml
    except ImportError:
        raise MissingDependencyError("reading YAML (JSON works without it)", "yaml") from None
    return yaml


def _integer(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(text)} digits")
    return int(text)


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is not a number")


def _shallow(value: Any) -> bool:
    """Whether a value is nested no deeper than `DEEPEST`."""
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return True
    return False


def _check_events(events: Any, path: str | Path | None) -> None:
    """Refuse a YAML text that is nested too deep, before anything goes through it recursively:
    the compiled loader would run out of the stack and take the process with it."""
    level = 0
    for event in events:
        kind = type(event).__name__
        level += kind.endswith("StartEvent") - kind.endswith("EndEvent")
        # The stream and the document count too.
        if level > DEEPEST + 2:
            line = event.start_mark.line + 1
            raise FormatError("not valid YAML: nested too deep", path, line)


def _check_nodes(yaml: Any, node: Any, path: str | Path | None) -> None:
    """Refuse a YAML document that is too deep or, its aliases written out, too large."""
    stack, count = [(node, 1)], 0
    while stack:
        one, level = stack.pop()
        count += 1
        if level > DEEPEST or count > _MOST_NODES:
            reason = "nested too deep" if level > DEEPEST else "too many values"
            raise FormatError(f"not valid YAML: {reason}", path, one.start_mark.line + 1)
        if isinstance(one, yaml.MappingNode):
            stack.extend((each, level + 1) for pair in one.value for each in pair)
        elif isinstance(one, yaml.SequenceNode):
            stack.extend((each, level + 1) for each in one.value)
        elif one.tag.endswith((":int", ":float")) and len(one.value) > _MOST_DIGITS:
            raise FormatError(
                "not valid YAML: a number of too many digits", path, one.start_mark.line + 1
            )
