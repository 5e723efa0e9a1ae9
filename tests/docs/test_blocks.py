"""Every code block of README and documentation does what it says."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import pytest

from motionweave.cli.main import main
from tests.docs.blocks import ENDLESS, ROOT, Block, blocks, code, commands, pages, prepare

# What else shells are told in the pages; these set things up and are not run here.
_SET_UP = ("make ", "pip install ", "git ", "python -m venv", ".venv", "#")


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built-in clips as files, as the first page tells the reader to write them."""
    folder = tmp_path_factory.mktemp("clips")
    assert main(["samples", "write", str(folder)]) == 0
    return folder


@pytest.mark.parametrize(
    "page", list(filter(code, pages())), ids=lambda p: str(p.relative_to(ROOT))
)
def test_blocks_run(
    page: Path, clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Blocks of a page follow each other, in one folder and one interpreter.
    prepare(tmp_path, page, clips)
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    names: dict[str, object] = {"__name__": "page"}
    for block in code(page):
        if block.language == "python":
            exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), names)
        else:
            _run_shell(block, page)


def _run_shell(block: Block, page: Path) -> None:
    for words in commands(block):
        if words[0] not in ENDLESS:
            assert main(words) == 0, f"{page}:{block.line}: motionweave {' '.join(words)}"


@pytest.mark.parametrize("page", pages(), ids=lambda p: str(p.relative_to(ROOT)))
def test_shell_blocks_hold_nothing_unknown(page: Path) -> None:
    """A line that would not be run above is one of those that set things up."""
    for block in blocks(page):
        assert block.language in ("python", "sh", "yaml", "json", "text"), f"{page}:{block.line}"
        if block.language == "sh":
            lines = block.text.replace("\\\n", " ").splitlines()
            for line in filter(None, lines):
                assert line.startswith(("motionweave ", *_SET_UP)), f"{page}: {line}"


def test_python_blocks_are_not_long() -> None:
    """A page that promises ten lines keeps the promise."""
    for page in (ROOT / "docs" / "methods").glob("*.md"):
        first = next(block for block in blocks(page) if block.language == "python")
        lines = [line for line in first.text.splitlines() if line.strip()]
        assert len(lines) <= 12, f"{page}: {len(lines)} lines"
