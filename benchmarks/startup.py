"""New processes: import, ``--help``, a first blend with a cold and a warm Numba cache, memory."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from benchmarks.measure import Contender, Row

_BLEND = """
import motionweave as mw
walk, jog = mw.sample("walk"), mw.sample("jog")
mw.blend(mw.register(walk, jog), [0.5, 0.5], clean=True)
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


def _process(*words: str, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **(env or {})},
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


def _cold() -> Callable[[], float]:
    def run() -> float:
        with tempfile.TemporaryDirectory() as folder:
            return _timed("-c", _BLEND, env={"NUMBA_CACHE_DIR": folder})()

    return run


def _warm() -> Callable[[], float]:
    folder = tempfile.TemporaryDirectory()
    run = _timed("-c", _BLEND, env={"NUMBA_CACHE_DIR": folder.name})
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
            [own(_warm), numpy],
            seconds=10.0,
        ),
        Row(
            "process: the same, cold Numba cache (once a machine)",
            [own(_cold)],
            seconds=20.0,
        ),
    ]


def memory(lengths: tuple[int, ...]) -> list[dict[str, Any]]:
    """Peak memory of register, blend and clean for clips of so many frames."""
    found = []
    _process("-c", _MEMORY, "60")  # compiling takes more memory than anything else
    for frames in lengths:
        answer = json.loads(_process("-c", _MEMORY, str(frames)))
        found.append({"frames": frames, **answer})
    return found
