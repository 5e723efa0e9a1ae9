"""``motionweave library``: search a folder of clips, make new motion and fill gaps from it.

An action has two functions, one that adds its arguments and one that runs it and returns what it
has to tell, as data and as text.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motionweave.cli import common
from motionweave.cli.library import fill, graph, index, search

if TYPE_CHECKING:
    from motionweave.library.library import Library


@dataclass(frozen=True)
class _Action:
    """What an action does, its arguments, and how it is run."""

    summary: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, Library], tuple[Any, str]]


_ACTIONS = {
    "add": _Action(
        "index new and changed clips, forget those that are gone", index.add_arguments, index.add
    ),
    "info": _Action("show what is in the library", index.info_arguments, index.info),
    "find": _Action(
        "find stretches similar to an example, or clips by words and measures",
        search.find_arguments,
        search.find,
    ),
    "collect": _Action(
        "collect all clips of an example's kind and blend them",
        search.collect_arguments,
        search.collect,
    ),
    "graph": _Action(
        "find where one clip can turn into another", graph.graph_arguments, graph.graph
    ),
    "walk": _Action(
        "make a new motion from the motion graph of the clips", graph.walk_arguments, graph.walk
    ),
    "fill": _Action("fill the gap between two clips", fill.fill_arguments, fill.fill),
    "remove": _Action("forget clips, but keep their files", index.remove_arguments, index.remove),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, action in _ACTIONS.items():
        summary = action.summary
        sub = actions.add_parser(
            name, help=summary, description=f"{summary[0].upper()}{summary[1:]}."
        )
        sub.add_argument("folder", type=Path, help="folder with the clips")
        sub.add_argument(
            "--store",
            type=Path,
            metavar="FOLDER",
            help="where the library is kept (default: .motionweave in the folder)",
        )
        action.add_arguments(sub)
        common.add_json(sub)
        common.add_strictness(sub, argparse.SUPPRESS)


def run(args: argparse.Namespace) -> None:
    from motionweave.library.library import Library

    with Library(args.folder, store=args.store) as library:
        data, text = _ACTIONS[args.action].run(args, library)
    common.emit(args, data, text)
