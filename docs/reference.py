"""Writes ``docs/cli.md``, the reference of the command line, from the parsers themselves.

    python docs/reference.py

A test fails while the page is not what this script would write.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from motionweave.cli.completion import plain_help
from motionweave.cli.examples import EXAMPLES
from motionweave.cli.main import VERBS, command_line

PAGE = Path(__file__).with_name("cli.md")

_HEAD = """# Command line

Every command is `motionweave VERB …`, and `motionweave VERB --help` shows what is on this page.
Examples use the built-in clips, written by `motionweave samples write clips`; `limp.yaml` is in
[`examples/warps`](https://github.com/motionweave/motionweave/tree/main/examples/warps).

**Clips** are files of [any format](formats.md). Most verbs also take folders, which are searched
recursively, and patterns such as `'clips/**/*walk*.bvh'` (quoted, so that they work
in every shell). Verbs that make one file per clip write several files to the folder given with
`-o`, keep the structure of subfolders, and work on `--jobs` clips at a time. A clip that fails is
reported, and the others are still processed.

**Exit codes** are 0 on success, 2 if input could not be used or, with `--strict`, if
there was a warning, and 130 if you interrupted it. Results go to standard output, as text or, with
`--json`, as one JSON value, an object with a list of `warnings` where one result is made; warnings
and errors also go to standard error, one line each.

**Completion**: `motionweave completion bash` (or `zsh`, `fish`) prints a script for your shell.
"""

_READING = "reading"
_EVERYWHERE = ("-h", "--strict", "--quiet", "--json")


def page() -> str:
    """The whole page."""
    parser = command_line()
    verbs = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    parts = [_HEAD, _shared(verbs.choices["info"])]
    for verb, summary in VERBS.items():
        parts.append(f"## {verb}\n\n{summary[0].upper()}{summary[1:]}.\n")
        parts.append("```sh\n" + "\n".join(EXAMPLES[verb]) + "\n```\n")
        parts += _verb(verbs.choices[verb], f"motionweave {verb}", 3)
    return "\n".join(parts)


def _verb(parser: argparse.ArgumentParser, command: str, level: int) -> Iterator[str]:
    actions = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    if not actions:
        groups = list(_tables(parser, command))
        if groups:
            yield "\n".join(groups)
        return
    for name, sub in actions[0].choices.items():
        yield f"{'#' * level} {command.removeprefix('motionweave ')} {name}\n\n{sub.description}\n"
        yield "\n".join(_tables(sub, f"{command} {name}"))


def _tables(parser: argparse.ArgumentParser, command: str) -> Iterator[str]:
    rows = [
        row
        for group in parser._action_groups
        if group.title != _READING
        for row in map(_row, group._group_actions)
        if row
    ]
    if any(group.title == _READING for group in parser._action_groups):
        rows.append("| … | [how clips are read](#reading) |")
    if rows:
        yield "| argument | what it does |\n| --- | --- |"
        yield from rows
        yield ""


def _row(action: argparse.Action) -> str:
    if action.option_strings and action.option_strings[0] in _EVERYWHERE:
        return ""
    return f"| {_written(action)} | {_escaped(plain_help(action))} |"


def _written(action: argparse.Action) -> str:
    if not action.option_strings:
        name = action.metavar or action.dest
        words = str(name if not isinstance(name, tuple) else name[0])
        if action.choices and not action.metavar:
            words = " or ".join(map(str, action.choices))
        if action.nargs == "+":
            words += " …"
        return f"`{words}`"
    value = ""
    if action.nargs != 0:
        value = " " + _value(action)
    return ", ".join(f"`{flag}{value}`" for flag in action.option_strings)


def _value(action: argparse.Action) -> str:
    if action.choices and not action.metavar:
        return "/".join(map(str, action.choices))
    shown = action.metavar or action.dest.upper().replace("_", "-")
    if isinstance(shown, tuple):
        return " ".join(shown)
    if isinstance(action.nargs, int) and action.nargs > 1:
        return " ".join([shown] * action.nargs)
    return f"{shown} …" if action.nargs == "+" else shown


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def _shared(info: argparse.ArgumentParser) -> str:
    group = next(g for g in info._action_groups if g.title == _READING)
    rows = "\n".join(map(_row, group._group_actions))
    return f"""## Options of every verb

| option | what it does |
| --- | --- |
| `--json` | Print the result as JSON (not for `studio` and `demo`). |
| `--strict` | Fail (exit code 2) if there is any warning. |
| `--quiet` | Print neither warnings nor a summary. |

## Reading

How clips are read, for every verb that reads them:

| option | what it does |
| --- | --- |
{rows}
"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
