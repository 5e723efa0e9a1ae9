"""README and pages as a new user tries them: with the wheel, in an empty folder.

``python tests/docs/wheel.py [--extras] [--borrow]`` builds the wheel, installs it into a new
virtual environment, and runs Python and shell blocks. Without extras those of the README: a
block that needs more than the core fails, and so does the script. With ``--extras`` those of
all pages, with everything that pages say to install. With ``--borrow`` the packages that
the wheel depends on are those of this environment, so that nothing large is downloaded.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.docs.blocks import ENDLESS, code, commands, pages, prepare  # noqa: E402

# What the wheel depends on, with what those packages depend on.
_CORE = ("numpy", "scipy", "numba", "llvmlite", "lazy_loader", "packaging", "threadpoolctl")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--extras", action="store_true", help="all pages, with all extras")
    parser.add_argument("--borrow", action="store_true", help="dependencies of this environment")
    chosen = parser.parse_args()
    tried = list(filter(code, pages())) if chosen.extras else [ROOT / "README.md"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = installed(wheel(folder), folder, extras=chosen.extras, borrow=chosen.borrow)
        clips = folder / "clips"
        _run([python, "-m", "motionweave", "samples", "write", clips])
        failed = [page for page in tried if not runs(page, python, clips)]
    print(f"{len(tried) - len(failed)} of {len(tried)} pages run")
    return int(bool(failed))


def wheel(folder: Path) -> Path:
    """The wheel, built from this tree."""
    _run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, ROOT])
    return next(folder.glob("motionweave-*.whl"))


def installed(package: Path, folder: Path, *, extras: bool, borrow: bool) -> Path:
    """The Python of a new environment that has the wheel, and nothing that it was not asked for."""
    home = folder / "environment"
    _run([sys.executable, "-m", "venv", home])
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    options = ["--no-deps"] if borrow else []
    wanted = f"{package}[all]" if extras else package
    _run([python, "-m", "pip", "install", "--quiet", *options, wanted])
    if borrow:
        _borrow(python, extras)
    return python


def _borrow(python: Path, extras: bool) -> None:
    """Make the packages that the wheel needs those of the Python that runs here."""
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    theirs = Path(subprocess.check_output([python, "-c", where], text=True).strip())
    if extras:
        # Looked for after those of the new environment, where the wheel is.
        (theirs / "borrowed.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
        return
    for name in _CORE:
        files = importlib.metadata.files(name) or []
        for top in {Path(str(file)).parts[0] for file in files} - {"..", "__pycache__"}:
            source = Path(str(importlib.metadata.distribution(name).locate_file(top)))
            if source.exists() and not (theirs / top).exists():
                (theirs / top).symlink_to(source, target_is_directory=source.is_dir())


def runs(page: Path, python: Path, clips: Path) -> bool:
    """Whether all blocks of a page run, one after the other, in a folder with what it expects."""
    with tempfile.TemporaryDirectory() as name:
        prepare(Path(name), page, clips)
        start = time.perf_counter()
        words = [python, "-c", _script(page)]
        done = subprocess.run(words, cwd=name, env=_environment(python), check=False)
        took = time.perf_counter() - start
    print(f"{page.name}: {took:.1f} s{', fails' if done.returncode else ''}", flush=True)
    return done.returncode == 0


def _script(page: Path) -> str:
    """The blocks of a page in one interpreter, in which they share their names."""
    lines = ["from motionweave.cli.main import main", "names = {'__name__': 'page'}"]
    for block in code(page):
        if block.language == "python":
            place = f"{page.name}:{block.line}"
            lines.append(f"exec(compile({block.text!r}, {place!r}, 'exec'), names)")
        else:
            wanted = [words for words in commands(block) if words[0] not in ENDLESS]
            lines += [f"assert main({words!r}) == 0, {words!r}" for words in wanted]
    return "\n".join(lines)


def _environment(python: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return {**kept, "PATH": f"{python.parent}{os.pathsep}{kept.get('PATH', '')}"}


def _run(words: list[object]) -> None:
    subprocess.run([str(word) for word in words], check=True)


if __name__ == "__main__":
    sys.exit(main())
