"""Carrying out what the studio copies: scripts and command lines, in this process."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from motionweave.cli.main import main
from motionweave.clips import load
from motionweave.core.motion import Motion
from motionweave.studio.screens.snippets import OUTPUT, Snippet


def by_python(recipe: Snippet, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Motion:
    """What the script leaves in ``motion``."""
    monkeypatch.chdir(folder)
    names: dict[str, object] = {}
    exec(compile(recipe.python, "recipe", "exec"), names)
    motion = names["motion"]
    assert isinstance(motion, Motion)
    return motion


def by_commands(recipe: Snippet, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Motion:
    """The motion that the command lines leave in their file."""
    monkeypatch.chdir(folder)
    lines = iter(recipe.commands.splitlines())
    for line in lines:
        words = shlex.split(line, comments=True)
        if words and words[0] == "cat":
            # cat > FILE <<END: what follows, up to END, is the file's content.
            target, end = words[2], words[3].removeprefix("<<")
            content = []
            while (text := next(lines)) != end:
                content.append(text)
            (folder / target).write_text("\n".join(content) + "\n", encoding="utf-8")
        elif words:
            assert words[0] == "motionweave"
            assert main(words[1:]) == 0, line
    return load(folder / OUTPUT)
