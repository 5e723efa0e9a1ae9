"""Checks the links of README, documentation and notices: files, anchors and pictures.

    python docs/links.py

Links to our own site and repository are checked as files of this tree; nothing is fetched.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SITE = "https://motionweave.github.io/motionweave/"
_REPOSITORY = re.compile(
    r"https://(?:github\.com/motionweave/motionweave/(?:blob|tree)|"
    r"raw\.githubusercontent\.com/motionweave/motionweave)/main/"
)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{1,6} +(.+?)\s*$", re.MULTILINE)


def pages() -> list[Path]:
    """Everything that is written for people."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def links(page: Path) -> list[str]:
    """The links of a page, those in code left out."""
    return _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as the site makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    found = set()
    for heading in _HEADING.findall(text):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading).lower()
        plain = plain.encode("ascii", "ignore").decode()
        found.add(re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip()))
    return found


def local(page: Path, link: str) -> tuple[Path, str] | None:
    """The file of this tree and the anchor that a link means; None for links elsewhere."""
    link, _, anchor = link.partition("#")
    if link.startswith(SITE):
        name = link.removeprefix(SITE) or "index.html"
        return ROOT / "docs" / re.sub(r"\.html$", ".md", name), anchor
    ours = _REPOSITORY.match(link)
    if ours:
        return ROOT / link[ours.end() :], anchor
    if re.match(r"\w+:", link):
        return None
    return (page.parent / link if link else page), anchor


def broken() -> Iterator[str]:
    """Links that lead nowhere, each as a line."""
    for page in pages():
        for link in links(page):
            target = local(page, link)
            if target is None:
                continue
            file, anchor = target
            where = f"{page.relative_to(ROOT)}: {link}"
            if not file.exists():
                yield f"{where}: there is no {file.name}"
            elif anchor and file.suffix == ".md" and anchor not in anchors(file):
                yield f"{where}: {file.name} has no such heading"


if __name__ == "__main__":
    found = list(broken())
    print("\n".join(found), file=sys.stderr)
    sys.exit(bool(found))
