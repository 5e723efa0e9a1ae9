"""Runs in a separate process: scripts that turn files into plain arrays, in bounds.

It is started by `motionweave.io.apart.process`::

    python worker.py SCRIPT

and reads one request per line, in JSON: the file, where to put the arrays, the limits of memory
and of computing time, and options. For each it makes a copy of itself, which reads the file
within the limits, and answers with the code with which that ended and with what it said.
Where processes cannot be copied, it reads one file itself.

The script has a function ``read(path, options)`` that returns arrays by name, and a function
``prepare()`` that loads what every file needs. What it has to say about a bad file it raises
as ``SystemExit``.
"""

from __future__ import annotations

import json
import os
import runpy
import select
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

# A worker that is idle for this many seconds exits.
_IDLE = 60.0
_MOST_SAID = 1000

Read = Callable[[str, dict[str, Any]], dict[str, Any]]


def serve(script: str) -> None:
    """Answer requests until there are no more."""
    # Whatever a reader prints must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    # motionweave must be found here in the same place as there.
    sys.path.append(str(Path(__file__).resolve().parents[3]))
    functions = runpy.run_path(script)
    functions["prepare"]()
    # Unbuffered, so that what waits is seen by select.
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    while _waits(requests) and (line := requests.readline()):
        request = json.loads(line)
        if not hasattr(os, "fork"):
            answers.write(_answer(*_alone(functions["read"], request)))
            return
        answers.write(_answer(*_copied(functions["read"], request)))


def _waits(requests: Any) -> bool:
    if os.name == "nt":
        return True
    return bool(select.select([requests], [], [], _IDLE)[0])


def _answer(code: int, said: str) -> bytes:
    return json.dumps({"code": code, "said": said[-_MOST_SAID:]}).encode() + b"\n"


def _copied(read: Read, request: dict[str, Any]) -> tuple[int, str]:
    """Read in a copy of this process; the code with which it ended, and what it said."""
    said = Path(request["target"]).with_name("said.txt")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            file = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(file, 1)
            os.dup2(file, 2)
            _limit(request["memory"], request["seconds"])
            code, last = _alone(read, request)
            os.write(file, b"\n" + last.encode("utf-8", "replace"))
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    text = said.read_text(encoding="utf-8", errors="replace") if said.exists() else ""
    return os.waitstatus_to_exitcode(status), text


def _alone(read: Read, request: dict[str, Any]) -> tuple[int, str]:
    try:
        np.savez(request["target"], **read(request["source"], request["options"]))
    except BaseException as error:
        kind = "" if isinstance(error, SystemExit) else f"{type(error).__name__}: "
        return 1, f"{kind}{error}"
    return 0, ""


def _limit(memory: int, seconds: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    # A crash is expected here, and needs no core dump.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    serve(sys.argv[1])
