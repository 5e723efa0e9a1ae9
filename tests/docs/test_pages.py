"""What the documentation says of the package is so."""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from motionweave.cli.main import VERBS
from tests.docs.blocks import ROOT, pages

DOCS = ROOT / "docs"
STUB = ROOT / "src" / "motionweave" / "__init__.pyi"
# Pictures of the README have addresses that work on a package index, too.
RAW = "https://raw.githubusercontent.com/motionweave/motionweave/main/"
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))


def public_homes() -> dict[str, str]:
    """Public names and the modules that hold them, as the stub file lists them."""
    return {
        alias.asname or alias.name: node.module or ""
        for node in ast.walk(ast.parse(STUB.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_functions_of_the_equations_exist() -> None:
    text = (DOCS / "how.md").read_text(encoding="utf-8")
    packages = "core|body|contacts|measure|registration|methods"
    names = re.findall(rf"`((?:{packages})\.[\w.]+)`", text)
    assert len(names) > 25
    for name in names:
        pkgutil.resolve_name(f"motionweave.{name}")


def test_the_reference_has_every_public_name() -> None:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    for name, home in public_homes().items():
        shown = "motionweave.errors" if home == "errors" else f"::: motionweave.{home}.{name}\n"
        assert shown in text + "\n", f"mw.{name} is not in docs/api.md"


def test_every_verb_is_shown() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in pages())
    for verb in VERBS:
        assert f"motionweave {verb}" in text or f"make {verb}" in text, verb


def test_pictures_are_there_and_small() -> None:
    for page in pages():
        for link in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            picture = page.parent / link.removeprefix(RAW)
            assert picture.exists(), f"{page}: {link}"
            moves = picture.suffix in (".gif", ".webp")
            assert picture.stat().st_size < (500_000 if moves else 150_000), link


GUIDES = [page for page in sorted((DOCS / "guides").glob("*.md")) if page.stem != "index"]


@pytest.mark.parametrize("guide", GUIDES, ids=lambda p: p.stem)
def test_every_guide_makes_and_shows_something_that_moves(guide: Path) -> None:
    text = guide.read_text(encoding="utf-8")
    assert re.search(r"\.html\b", text), "a page with a player to open"
    assert re.search(r"!\[[^\]]+\]\(\.\./images/\w+\.(gif|webp)\)", text), "a moving picture"


def test_the_map_has_a_paragraph_for_every_package() -> None:
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    for path in (ROOT / "src" / "motionweave").iterdir():
        if path.is_dir() or path.suffix == ".py":
            assert path.stem.startswith("__") or f"**`{path.stem}`** — " in text, path.stem


def test_every_picture_can_be_made_anew() -> None:
    made = runpy.run_path(str(DOCS / "pictures.py"))
    assert {path.stem for path in (DOCS / "images").glob("*.png")} <= set(made["PICTURES"])
    moving = [path for path in (DOCS / "images").iterdir() if path.suffix in (".gif", ".webp")]
    assert {path.name for path in moving} == {n + kind for n, (_, kind) in made["MOVING"].items()}
    assert sum(path.stat().st_size for path in moving) < 3_000_000


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_examples_run(example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(example.read_text(encoding="utf-8").splitlines()) < 40
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(example)])
    runpy.run_path(str(example), run_name="__main__")
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written, "an example leaves something to look at"


def test_examples_are_numbered() -> None:
    assert len(EXAMPLES) >= 8
    numbers = [int(path.name.split("_")[0]) for path in EXAMPLES]
    assert numbers == list(range(1, len(numbers) + 1))


def test_committed_tables_belong_together() -> None:
    data = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))
    table = (ROOT / "benchmarks" / "results.md").read_text(encoding="utf-8")
    assert all(row["work"] in table for row in data["speed"])
    assert {row["work"] for row in data["quality"]} >= {"transition", "interpolation"}


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda p: p.stem)
def test_benchmarks_find_all_that_they_measure(path: Path) -> None:
    importlib.import_module(f"benchmarks.{path.stem}")


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
def test_make_knows_its_targets() -> None:
    for target in ("demo", "test", "docs", "pictures", "bench", "bench-full"):
        done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, check=False)
        assert done.returncode == 0, target
