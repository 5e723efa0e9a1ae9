"""New processes: import, ``--help``, a first blend with a cold and a warm Numba cache, memory."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmarks.measure import Contender, Row

_BLEND = """
import motionweave as mw
walk, jog = mw.sample("walk"), mw.sample("jog")
mw.blend(mw.register(walk, jog), [0.5, 0.5], clean=True)
"""

# The least that anything with Numba costs: importing it, and one function of one line.
_ONE_KERNEL = """
import numba, numpy
@numba.njit(cache=True)
def fill(values):
    for i in range(len(values)):
        values[i] = 1.0
fill(numpy.zeros(3))
"""

_MEMORY = """
import json, pathlib, resource, sys
import motionweave as mw
frames = int(sys.argv[1])
def peak():
    # Of this process alone: what getrusage says may be its parent's.
    status = pathlib.Path("/proc/self/status")
    if status.exists():
        line = next(l for l in status.read_text().splitlines() if l.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
def work(seconds):
    a, b = (mw.sample(name, duration=seconds) for name in ("walk", "sneak"))
    mw.blend(mw.register(a, b), [0.5, 0.5], clean=True)
work(2.0)
before = peak()
work(frames / 30.0)
print(json.dumps({"base": before, "peak": peak()}))
"""


@lru_cache
def _bytecode() -> tempfile.TemporaryDirectory[str]:
    """Where processes keep compiled modules: an installed package has them, a checkout may not."""
    return tempfile.TemporaryDirectory()


def _process(*words: str, env: dict[str, str] | None = None) -> str:
    kept = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": _bytecode().name}
    done = subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **kept, **(env or {})},
    )
    return done.stdout


def _children() -> float:
    """Processor time of all processes started and ended so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _timed(*words: str, env: dict[str, str] | None = None) -> Callable[[], float]:
    def run() -> float:
        began = _children()
        _process(*words, env=env)
        return _children() - began

    return run


def _script(text: str, folder: str) -> str:
    """A program as a file, because Numba keeps nothing of one that is not."""
    path = Path(folder) / "program.py"
    path.write_text(text)
    return str(path)


def _cold(program: str) -> Callable[[], float]:
    def run() -> float:
        with tempfile.TemporaryDirectory() as folder:
            env = {"NUMBA_CACHE_DIR": folder}
            return _timed(_script(program, folder), env=env)()

    return run


def _warm(program: str) -> Callable[[], float]:
    folder = tempfile.TemporaryDirectory()
    run = _timed(_script(program, folder.name), env={"NUMBA_CACHE_DIR": folder.name})
    run()
    run.folder = folder  # type: ignore[attr-defined]  # kept as long as the run
    return run


def rows() -> list[Row]:
    """Times of whole processes; bare Python is the limit."""
    bare = Contender("bare Python", lambda: _timed("-c", "pass"), "limit")

    def own(run: Callable[[], Callable[[], float]], note: str = "") -> Contender:
        return Contender("motionweave", run, "ours", note)

    numpy = Contender("import numpy", lambda: _timed("-c", "import numpy"), "limit")
    return [
        Row(
            "process: import motionweave",
            [own(lambda: _timed("-c", "import motionweave")), bare, numpy],
        ),
        Row(
            "process: motionweave --help",
            [own(lambda: _timed("-m", "motionweave", "--help")), bare],
        ),
        Row(
            "process: first blend (two samples, register, blend, clean), warm Numba cache",
            [
                own(lambda: _warm(_BLEND)),
                Contender("one Numba function", lambda: _warm(_ONE_KERNEL), "limit"),
            ],
            seconds=16.0,
        ),
        Row(
            "process: the same, cold Numba cache (once per machine)",
            [
                own(lambda: _cold(_BLEND)),
                Contender("one Numba function", lambda: _cold(_ONE_KERNEL), "limit"),
            ],
            seconds=40.0,
        ),
    ]


def memory(lengths: tuple[int, ...]) -> list[dict[str, Any]]:
    """Peak memory of register, blend and clean for clips of this many frames."""
    found = []
    _process("-c", _MEMORY, "60")  # compiling takes more memory than anything else
    for frames in lengths:
        answer = json.loads(_process("-c", _MEMORY, str(frames)))
        found.append({"frames": frames, **answer})
    return found
