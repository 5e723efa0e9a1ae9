"""What runs in a process of its own: a script that turns a file into plain arrays, in bounds.

It is started by `motionweave.io.apart.process`::

    python worker.py SCRIPT INPUT OUTPUT.npz MEMORY SECONDS [OPTIONS]

The script has a function ``read(path, options)`` that returns arrays by name; options are JSON.
What it has to say about a bad file it raises as ``SystemExit``.
"""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import numpy as np


def run(script: str, source: str, target: str, memory: str, seconds: str, options: str) -> None:
    _limit(int(memory), int(seconds))
    # Wherever motionweave was found there, it must be found here.
    sys.path.append(str(Path(__file__).resolve().parents[3]))
    read = runpy.run_path(script)["read"]
    np.savez(target, **read(source, json.loads(options)))


def _limit(memory: int, seconds: int) -> None:
    try:
        import resource
    except ImportError:
        return  # Windows has no such limits; the time that passes is watched from outside.
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    # A crash is expected here, and needs no picture of the memory on disk.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    run(*sys.argv[1:])
