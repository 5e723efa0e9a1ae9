"""``motionweave completion``: scripts that complete commands in a shell, made from the parsers."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from motionweave.cli import common

_WHERE = {
    "bash": 'add to ~/.bashrc:  eval "$(motionweave completion bash)"',
    "zsh": 'add to ~/.zshrc, after compinit:  eval "$(motionweave completion zsh)"',
    "fish": "run once:  motionweave completion fish > ~/.config/fish/completions/motionweave.fish",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "shell", choices=tuple(_WHERE), help="; ".join(f"{k}: {v}" for k, v in _WHERE.items())
    )
    common.add_json(parser)


def run(args: argparse.Namespace) -> None:
    script = SCRIPTS[args.shell](tuple(commands()))
    common.emit(args, {"shell": args.shell, "script": script}, script)


@dataclass(frozen=True)
class Option:
    """One option: its spelling, its help, and the values it takes.

    Parameters
    ----------
    flags
        Such as ``("-o", "--output")``.
    help
        One line.
    choices
        Values to choose from.
    takes_value
        Whether a value follows; a file, if there are no choices.
    """

    flags: tuple[str, ...]
    help: str
    choices: tuple[str, ...]
    takes_value: bool


@dataclass(frozen=True)
class Command:
    """A verb, or an action of a verb: its words, what it does, and what may follow."""

    words: tuple[str, ...]
    help: str
    options: tuple[Option, ...]
    choices: tuple[str, ...]


def commands() -> Iterator[Command]:
    """All verbs and their actions, as the parsers have them; the first is the program itself."""
    from motionweave.cli.main import command_line

    yield from _commands(command_line(), (), "")


def _commands(
    parser: argparse.ArgumentParser, words: tuple[str, ...], summary: str
) -> Iterator[Command]:
    options, choices = [], []
    below = None
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            below = action
            choices += list(action.choices)
        elif action.option_strings:
            options.append(
                Option(
                    tuple(action.option_strings),
                    plain_help(action),
                    tuple(map(str, action.choices or ())),
                    action.nargs != 0,
                )
            )
        elif action.choices:
            choices += map(str, action.choices)
    yield Command(words, summary, tuple(options), tuple(choices))
    if below is not None:
        summaries = {one.dest: one.help or "" for one in below._choices_actions}
        for name, sub in below.choices.items():
            yield from _commands(sub, (*words, name), summaries[name])


def plain_help(action: argparse.Action) -> str:
    """The help of an argument in one line."""
    return " ".join((action.help or "").replace("%%", "%").split())


def _bash(found: tuple[Command, ...]) -> str:
    cases, values = [], []
    for command in found:
        flags = [flag for option in command.options for flag in option.flags]
        cases.append(
            f'    "{" ".join(command.words)}") words="{" ".join([*command.choices, *flags])}" ;;'
        )
        values += [
            f'    "{" ".join((*command.words, flag))}") words="{" ".join(option.choices)}" ;;'
            for option in command.options
            if option.choices
            for flag in option.flags
        ]
        values += [
            f'    "{" ".join((*command.words, flag))}") COMPREPLY=(); return ;;'
            for option in command.options
            if option.takes_value and not option.choices
            for flag in option.flags
        ]
    names = "|".join(f'"{" ".join(command.words)}"' for command in found if command.words)
    return _BASH.format(names=names, cases="\n".join(cases), values="\n".join(values))


_BASH = """# Completion of motionweave for bash.
_motionweave() {{
  local here="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
  local path="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${{path:+$path }}${{COMP_WORDS[i]}}" in
    {names}) path="${{path:+$path }}${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$path $before" in
{values}
    *)
    case "$path" in
{cases}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$here"))
}}
complete -o default -F _motionweave motionweave"""


def _zsh(found: tuple[Command, ...]) -> str:
    # Bash's script runs in zsh, too.
    return "autoload -U +X bashcompinit && bashcompinit\n" + _bash(found)


def _fish(found: tuple[Command, ...]) -> str:
    lines = ["# Completion of motionweave for fish."]
    for command in found:
        below = {c.words[-1]: c.help for c in found if c.words[:-1] == command.words and c.words}
        after = [f"__fish_seen_subcommand_from {word}" for word in command.words]
        if below:
            after.append(f"not __fish_seen_subcommand_from {' '.join(below)}")
        start = f"complete -c motionweave -n '{'; and '.join(after) or 'true'}'"
        lines += [
            f"{start} -f -a {word} -d '{_escaped(below.get(word, ''))}'" for word in command.choices
        ]
        for option in command.options:
            parts = [start]
            for flag in option.flags:
                parts.append(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}")
            if option.choices:
                parts.append(f"-x -a '{' '.join(option.choices)}'")
            elif option.takes_value:
                parts.append("-r")
            lines.append(f"{' '.join(parts)} -d '{_escaped(option.help)}'")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """The first clause of a help text, as fish quotes it."""
    return re.split(r"[;(]", text)[0].strip().replace("\\", "\\\\").replace("'", "\\'")


SCRIPTS: dict[str, Callable[[tuple[Command, ...]], str]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
