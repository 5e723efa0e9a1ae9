"""Plain English: turns of phrase that make a reader stumble stay out of docs, help and messages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT

_UNIT = "second|frame|clip|joint|call|machine|cycle"
_COMPARED = "longer|more than|rougher|lower|darker"
# What not to write, and what to write instead.
WORDS = {
    rf"\b(\d+|frames|fps|:g\}}|weight|times|lengths|heights|one|row) a ({_UNIT})\b": "per, or fps",
    r"\b[Ss]o many\b(?! that)": "this many",
    r"\b(found|finds?|matched|chosen|plays?|works?) by (itself|themselves)\b": "automatically",
    r"\bfor ever\b": "forever",
    rf"\b(this|that|it|which|what) (is|are) no (?!{_COMPARED})\w+": "is not a",
    r"\bare no (?!longer|more than)(figures|news|error|interval|stretch)": "are not",
    r"\bhang together\b": "depend on each other",
    r"\bcome nearer\b": "zoom",
    r"\bstarted for the purpose\b": "runs in the background",
    r"\bas many as one likes\b": "as many as you like",
    r"\bmost frames for one\b": "how many frames of one clip",
    r"\bmeasure that they do\b": "measure how well that worked",
    r"\bnot to be found out\b": "cannot be found",
    r"\b(moments|frames|events|contacts)( of \w+( \w+)?)? (that )?belong together\b": "match",
    r"\b[Tt]he way is (\{|\d)|\bway over the floor\b": "path, or root motion",
    r"\b(is|are) warned of\b": "draw a warning, or false alarm",
    r"\bthough right\b": "false alarm",
    r"\b[Tt]hose of the \w+ table\b": "the blends in the table",
    r"\bTell of\b": "Report",
    r"\b(is|are) looked at (there|more closely)\b": "checked more closely",
    r"\bdoes not say otherwise\b": "unless ... says otherwise",
    r"\bappears? whole or not at all\b": "written completely or not at all",
    r"\b(goes|go|going) over into\b": "turns into",
    r"\bwould do harm\b(?!\")": "would make things worse",
    r"\ball that hangs from\b": "everything below",
    r"\bby way of\b(?! a third)": "through",
    r"\bin life\b": "as recorded",
    r"\bkept aside\b": "set aside",
    r"\bbefore the (chest|belly)\b": "in front of",
    r"\bheld out of\b|\bunseen data\b": "held-out",
    r"\bis dear\b": "is expensive",
}  # fmt: skip

_FILES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "src").rglob("*.py")),
    *sorted((ROOT / "src").rglob("*.pyi")),
    *sorted(p for p in (ROOT / "src").rglob("*.js") if "vendor" not in p.parts),
    *sorted((ROOT / "examples").rglob("*.py")),
]


@pytest.mark.parametrize("phrase", WORDS)
def test_no_page_and_no_message_says(phrase: str) -> None:
    found = [place for path in _FILES for place in _places(path, re.compile(phrase))]
    assert not found, f"write instead: {WORDS[phrase]}\n" + "\n".join(found)


def _places(path: Path, phrase: re.Pattern[str]) -> list[str]:
    text = path.read_text(encoding="utf-8")
    if not phrase.search(text):
        return []
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for number, line in enumerate(text.splitlines(), start=1)
        if phrase.search(line)
    ]


def test_the_list_finds_what_it_should() -> None:
    bad = "30 a second; so many frames; found by themselves; this is no file; one a clip"
    assert sum(bool(re.search(phrase, bad)) for phrase in WORDS) >= 4
    good = "30 frames per second; a second later; this is not a file; it is no longer there"
    assert not [phrase for phrase in WORDS if re.search(phrase, good)]
