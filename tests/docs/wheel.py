"""README and pages as a new user tries them: with the wheel, in an empty folder.

``python tests/docs/wheel.py [--borrow] [PAGE ...]`` builds the wheel of the package without any
extra, installs it into a new virtual environment, and runs the Python and shell blocks of the
pages, by default of the README, each page in an empty folder. What a page says to install with
extras is not there: a block that needs more than the core fails, and so does the script.
With ``--borrow`` the packages that the wheel depends on are those of this environment, so
that nothing large is downloaded.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.docs.blocks import Block, blocks, commands  # noqa: E402

# What the wheel depends on, with what those packages depend on.
_CORE = ("numpy", "scipy", "numba", "llvmlite", "lazy_loader", "packaging")
_ENDLESS = ("studio", "demo")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE")
    parser.add_argument("--borrow", action="store_true", help="dependencies of this environment")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = installed(wheel(folder), folder, borrow=chosen.borrow)
        failed = [page for page in chosen.pages or [ROOT / "README.md"] if not runs(page, python)]
    return int(bool(failed))


def wheel(folder: Path) -> Path:
    """The wheel, built from this tree."""
    _run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ROOT])
    return next(folder.glob("motionweave-*.whl"))


def installed(package: Path, folder: Path, *, borrow: bool) -> Path:
    """The Python of a new environment that has the wheel, and nothing that it does not need."""
    home = folder / "environment"
    _run([sys.executable, "-m", "venv", home])
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    options = ["--no-deps"] if borrow else []
    _run([python, "-m", "pip", "install", "--quiet", *options, package])
    if borrow:
        _borrow(python)
    return python


def _borrow(python: Path) -> None:
    """Make the packages that the wheel needs those of the Python that runs here."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    theirs = Path(subprocess.check_output([python, "-c", code], text=True).strip())
    for name in _CORE:
        files = importlib.metadata.files(name) or []
        for top in {Path(str(file)).parts[0] for file in files} - {"..", "__pycache__"}:
            source = Path(str(importlib.metadata.distribution(name).locate_file(top)))
            if source.exists() and not (theirs / top).exists():
                (theirs / top).symlink_to(source, target_is_directory=source.is_dir())


def runs(page: Path, python: Path) -> bool:
    """Whether all blocks of a page run, one after the other, in an empty folder."""
    code = [block for block in blocks(page) if block.language in ("python", "sh")]
    with tempfile.TemporaryDirectory() as name:
        for run in _joined(code):
            start = time.perf_counter()
            done = subprocess.run(
                _words(run, python), cwd=name, env=_environment(python), check=False
            )
            took = time.perf_counter() - start
            print(f"{page.name}:{run[0].line}: {took:.1f} s", flush=True)
            if done.returncode != 0:
                print(f"{page.name}:{run[0].line} fails with the core wheel:\n{run[0].text}")
                return False
    return True


def _joined(code: list[Block]) -> list[list[Block]]:
    """Blocks of Python in a row share their names, so they are run as one."""
    runs: list[list[Block]] = []
    for block in code:
        if block.language == "sh" and not _lines(block):
            continue
        if runs and block.language == runs[-1][0].language == "python":
            runs[-1].append(block)
        else:
            runs.append([block])
    return runs


def _lines(block: Block) -> list[list[str]]:
    return [words for words in commands(block) if words[0] not in _ENDLESS]


def _words(run: list[Block], python: Path) -> list[str]:
    if run[0].language == "python":
        return [str(python), "-c", "\n".join(block.text for block in run)]
    code = "import sys; from motionweave.cli.main import main\n" + "\n".join(
        f"assert main({words!r}) == 0, {words!r}" for words in _lines(run[0])
    )
    return [str(python), "-c", code]


def _environment(python: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return {**kept, "PATH": f"{python.parent}{os.pathsep}{kept.get('PATH', '')}"}


def _run(words: list[object]) -> None:
    subprocess.run([str(word) for word in words], check=True)


if __name__ == "__main__":
    sys.exit(main())
