"""Code blocks of Markdown pages."""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Verbs that go on until they are stopped.
ENDLESS = ("studio", "demo")
# Pages that begin in an empty folder; the others expect the built-in clips in "clips".
_FROM_NOTHING = ("README.md", "start.md")
_FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the line where that begins."""

    language: str
    text: str
    line: int


def pages() -> list[Path]:
    """The README and every page of the documentation."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> list[Block]:
    """The code blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(found[1], found[2], text.count("\n", 0, found.start()) + 2)
        for found in _FENCE.finditer(text)
    ]


def code(page: Path) -> list[Block]:
    """The blocks of a page that can be run."""
    return [block for block in blocks(page) if block.language in ("python", "sh")]


def prepare(folder: Path, page: Path, clips: Path) -> None:
    """Put what a page expects, built-in clips and warp files, into an empty folder."""
    if page.name not in _FROM_NOTHING:
        shutil.copytree(clips, folder / "clips")
    for recipe in (ROOT / "examples" / "warps").glob("*.yaml"):
        shutil.copy(recipe, folder)


def commands(block: Block) -> list[list[str]]:
    """The ``motionweave`` commands of a shell block, as lists of words without the first."""
    lines = block.text.replace("\\\n", " ").splitlines()
    words = [shlex.split(line, comments=True) for line in lines]
    return [line[1:] for line in words if line and line[0] == "motionweave"]
