"""The public face: light to import, complete, and honest about what is missing."""

from __future__ import annotations

import ast
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import motionweave as mw


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys, motionweave\n"
        "heavy = {'numpy', 'scipy', 'numba', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(f'loaded at import: {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_public_name_resolves() -> None:
    assert {"load", "register", "blend", "Motion", "MotionweaveError"} <= set(mw.__all__)
    for name in mw.__all__:
        assert getattr(mw, name) is not None
        assert name in dir(mw)


def test_public_modules_resolve_before_anything_else_was_used() -> None:
    for name in mw.__all__:
        if isinstance(getattr(mw, name), ModuleType):
            code = f"import motionweave; motionweave.{name}"
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_thing"):
        mw.no_such_thing  # noqa: B018


def all_modules() -> list[str]:
    found = pkgutil.walk_packages(mw.__path__, "motionweave.")
    # Two scripts run in processes of their own: inside Blender, and around a compiled reader.
    return [info.name for info in found if not info.name.endswith(("_script", "__main__"))]


def test_a_class_name_stands_for_one_idea() -> None:
    homes: dict[str, list[str]] = {}
    for path in sorted(Path(mw.__path__[0]).rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(path.name)
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def test_every_module_can_be_imported_alone(tmp_path: Path) -> None:
    """Whatever was imported before: no module counts on another having been there first."""
    modules = all_modules()
    assert len(modules) > 150
    # What others wrote is loaded once; each module of ours is imported in a fork of its own, and
    # compiled by the first that needs it, even if the environment forbids to keep bytecode.
    code = (
        "import os, sys, importlib, traceback\n"
        "import numpy, scipy.sparse, scipy.spatial, numba, matplotlib.pyplot, nicegui\n"
        "sys.dont_write_bytecode, sys.pycache_prefix = False, sys.argv[1]\n"
        "for name in sys.argv[2:]:\n"
        "    assert not any(known.startswith('motionweave') for known in sys.modules)\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        try:\n"
        "            importlib.import_module(name)\n"
        "        except BaseException:\n"
        "            print(name, traceback.format_exc(limit=-1))\n"
        "        sys.stdout.flush()\n"
        "        os._exit(0)\n"
        "    os.waitpid(child, 0)\n"
    )
    started = [sys.executable, "-c", code, str(tmp_path), *modules]
    done = subprocess.run(started, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


def test_packages_of_a_function_s_name_can_be_imported_by_their_path() -> None:
    code = (
        "import motionweave as mw; mw.subspace, mw.framespace, mw.blend\n"
        "import motionweave.methods.subspace.kriging as kriging\n"
        "import motionweave.methods.framespace.blend\n"
        "assert callable(mw.subspace) and callable(mw.framespace)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
