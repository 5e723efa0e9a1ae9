"""``motionweave VERB ...``: finds the verb's module, runs it, turns errors into one line.

A verb is a module ``motionweave.cli.VERB`` with two functions, ``add_arguments(parser)`` and
``run(args) -> int | None``. Only the requested verb is imported, so that ``--help`` answers at
once.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches
from typing import NoReturn

from motionweave import __version__
from motionweave.cli.batch import expand
from motionweave.cli.common import add_strictness
from motionweave.cli.examples import EXAMPLES
from motionweave.cli.warned import Warned, told
from motionweave.core.runtime.kernels import MESSAGE, compiling
from motionweave.errors import MotionweaveError

# Verb -> what it does, as shown by --help, in the order in which a newcomer meets them.
VERBS: dict[str, str] = {
    "demo": "open the studio on a blend that is already moving",
    "studio": "open the browser application, with files or the built-in clips",
    "samples": "list the built-in clips, or write them as files",
    "info": "show what is in motion files",
    "plot": "draw film strips, contacts and paths",
    "render": "render motions as video, animated images or web pages",
    "quality": "measure sliding feet, jumps and speeds",
    "contacts": "detect when feet and hands are planted",
    "clean": "keep planted feet in place",
    "convert": "change format, frame rate, length, axes or units, or mirror",
    "retarget": "put a motion on another body",
    "loop": "cut one cycle out of a clip and close it",
    "register": "match the frames and contacts of clips",
    "blend": "blend clips, with constant weights or weights over time",
    "parametric": "get the blend with the turn, speed or reach that you ask for",
    "transition": "join clips, each turning smoothly into the next",
    "spline": "join two clips with anticipation and follow-through",
    "join": "overlap the end of one clip with the start of the next",
    "framespace": "blend and join clips by their motion events",
    "warp": "reshape a clip by keys, goals and time keys",
    "layer": "play part of one clip's body over another clip",
    "export": "write a set of clips in the same phase for a game engine",
    "library": "search a folder of clips, and make motion from it",
    "warm-up": "compile everything in advance, so that no later run has to",
    "completion": "print a script that completes commands in a shell",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code (2 for input that cannot be used)."""
    words = list(sys.argv[1:] if argv is None else argv)
    asked = next((word for word in words if word in VERBS), None)
    parser = command_line([] if asked is None else [asked])
    if not words:
        parser.print_help(sys.stderr)
        return 2
    if not words[0].startswith("-") and words[0] not in VERBS:
        near = get_close_matches(words[0], VERBS, n=1)
        hint = f"; did you mean {near[0]}?" if near else "; motionweave --help lists them"
        parser.exit(2, f"motionweave: there is no verb {words[0]!r}{hint}\n")
    args, unknown = parser.parse_known_args(words)
    if unknown:
        said = f"{' '.join(unknown)} is not an argument of {args.verb}"
        if not any(word.startswith("-") for word in unknown):
            # Before Python 3.12.7, a file that may be missing counts as missing at an option.
            said += " there; give files before options"
        parser.exit(2, f"motionweave: {said}; see motionweave {args.verb} --help\n")
    args.warned = Warned(args.quiet)
    try:
        with args.warned.listening(), compiling(_say_compiling(args.quiet)):
            if isinstance(getattr(args, "clips", None), list):
                expand(args)
            code = args.run(args) or 0
        sys.stdout.flush()
        if args.strict and args.warned.messages:
            count = len(args.warned.messages)
            raise StrictError(f"{count} warning{'s' * (count > 1)} with --strict")
        return code
    except BrokenPipeError:
        # The reader of our output (head, less) has closed it; nothing is wrong. Buffered output
        # must go somewhere, or Python complains on exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (MotionweaveError, OSError) as error:
        print(f"motionweave: {told(error)}", file=sys.stderr)
    except KeyboardInterrupt:
        print("motionweave: stopped", file=sys.stderr)
        return 130
    return 2


def _say_compiling(quiet: bool) -> Callable[[], None]:
    """Tell someone who waits at a terminal why, the first time."""

    def say() -> None:
        if sys.stderr.isatty() and not quiet:
            print(f"motionweave: {MESSAGE}", file=sys.stderr, flush=True)

    return say


class StrictError(MotionweaveError):
    """The result was made, but with warnings, and the user passed --strict."""


class _Help(argparse.HelpFormatter):
    """Help that does not rewrap the lines of examples."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("examples:"):
            return text
        return super()._fill_text(text, width, indent)


class _Overview(argparse.HelpFormatter):
    """The list of verbs, one line each: argparse forgets that they are indented twice."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        self._action_max_length = 2 * self._indent_increment + max(map(len, VERBS))


class _Parser(argparse.ArgumentParser):
    """Reports wrong arguments in one line, like every other error."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"motionweave: {message}; see {self.prog} --help\n")


def command_line(verbs: Collection[str] = tuple(VERBS)) -> argparse.ArgumentParser:
    """The parser of everything.

    Parameters
    ----------
    verbs
        Those whose arguments are wanted: their modules are imported. The others are only
        listed.
    """
    parser = _Parser(
        prog="motionweave",
        description="Make new character motion from motion-capture clips.",
        epilog="motionweave VERB --help describes a verb.",
        formatter_class=_Overview,
    )
    parser.add_argument("--version", action="version", version=f"motionweave {__version__}")
    commands = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name, summary in VERBS.items():
        sub = commands.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            epilog="\n  ".join(["examples:", *EXAMPLES[name]]),
            formatter_class=_Help,
        )
        if name in verbs:
            module = importlib.import_module(f"motionweave.cli.{name.replace('-', '_')}")
            module.add_arguments(sub)
            add_strictness(sub)
            sub.set_defaults(run=module.run)
    return parser
