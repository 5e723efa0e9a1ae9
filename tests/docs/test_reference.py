"""Pages made from the code are up to date, links lead somewhere, the first lines run anywhere."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

from tests.docs.blocks import ROOT, blocks

DOCS = ROOT / "docs"

# What the core does without: every optional package.
_OPTIONAL = (
    "matplotlib", "PIL", "imageio_ffmpeg", "yaml", "nicegui", "pxr", "ezc3d", "distributed"
)  # fmt: skip


def test_the_reference_of_the_command_line_is_not_stale() -> None:
    script = runpy.run_path(str(DOCS / "reference.py"))
    assert script["PAGE"].read_text(encoding="utf-8") == script["page"](), (
        "run: python docs/reference.py"
    )


def test_links_lead_somewhere() -> None:
    assert list(runpy.run_path(str(DOCS / "links.py"))["broken"]()) == []


def test_readme_works_on_a_package_index() -> None:
    script = runpy.run_path(str(DOCS / "links.py"))
    for link in script["links"](ROOT / "README.md"):
        assert link.startswith("https://"), link


def test_the_first_lines_run_in_an_empty_folder_with_the_core(tmp_path: Path) -> None:
    (first,) = (block for block in blocks(ROOT / "README.md") if block.language == "python")
    assert len([line for line in first.text.splitlines() if line.strip()]) <= 10
    missing = f"import sys\nfor name in {_OPTIONAL!r}:\n    sys.modules[name] = None\n"
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", missing + first.text],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "half.bvh").stat().st_size > 1000
    assert (tmp_path / "half.html").stat().st_size > 1000


def test_set_up_commands_of_the_shell_are_those_of_the_project() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    extras = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for extra in ("studio", "all"):
        assert f".[{extra}]" in text
        assert f"\n{extra} = [" in extras
