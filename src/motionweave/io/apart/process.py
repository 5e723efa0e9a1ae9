"""A third-party reader in a separate process: a crash or a hang there is an error here.

Compiled readers trust what a file says about itself, and on damaged files they may crash, run
forever or exhaust the memory. None of this must happen to the calling program. Starting such a
process takes far longer than reading a clip, so it is kept, with the reader loaded, and forks for
each file.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from motionweave.core.parsing import parse_json
from motionweave.errors import FormatError
from motionweave.io.store.container import Members

# What a reader needs for a small file, and how much more for each byte of a large one.
_MEMORY, _MEMORY_PER_BYTE = 1 << 30, 40
# CPU seconds; on a busy machine they may take many times as long.
_SECONDS, _BYTES_PER_SECOND = 4, 1 << 20
_PATIENCE = 15.0
# Libraries that would reserve memory for every core of the machine.
_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PXR_WORK_THREAD_LIMIT": "1",
}
_WORKER = Path(__file__).with_name("worker.py")


def read_apart(
    script: Path, path: Path, what: str, options: dict[str, Any] | None = None
) -> dict[str, NDArray[Any]]:
    """Arrays that a script makes of a file; see `motionweave.io.apart.worker`.

    Parameters
    ----------
    script
        A Python file with a function ``read(path, options)``.
    path
        The file to be read.
    what
        What it is expected to be, such as ``"a C3D file"``.
    options
        Plain values for the script.

    Raises
    ------
    FormatError
        If the reader refuses the file, crashes, or takes too long or too much memory.
    """
    size = path.stat().st_size
    memory, seconds = _MEMORY + _MEMORY_PER_BYTE * size, _SECONDS + size // _BYTES_PER_SECOND
    with tempfile.TemporaryDirectory(prefix="motionweave-") as folder:
        target = Path(folder) / "arrays.npz"
        request = {
            "source": str(path.resolve()),
            "target": str(target),
            "memory": memory,
            "seconds": seconds,
            "options": options or {},
        }
        answer = _asked(script, request, _PATIENCE * seconds)
        if answer is None:
            raise FormatError("reading it takes too long; it is probably broken", path)
        if answer["code"] != 0 or not target.is_file():
            said = answer["said"].strip().splitlines()
            if said and answer["code"] > 0:
                raise FormatError(f"it cannot be read as {what}: {said[-1][-160:]}", path)
            raise FormatError(f"this is not {what}, or it is broken", path)
        with Members(target, what) as arrays:
            return {name.removesuffix(".npy"): arrays.array(name) for name in arrays.names}


def _asked(script: Path, request: dict[str, Any], patience: float) -> dict[str, Any] | None:
    """The answer of a worker, with code -1 if it dies; None if it takes too long."""
    while True:
        worker = _taken(script)
        used = worker.used
        try:
            answer = worker.ask(request, patience)
        except TimeoutError:
            worker.end()
            return None
        except OSError:
            worker.end()
            # An idle worker may have exited since; a new one really died on this file.
            if not used:
                return {"code": -1, "said": ""}
        except BaseException:
            worker.end()
            raise
        else:
            _give_back(worker)
            return answer


class _Worker:
    """A process that reads files one after another, each in a fork of itself."""

    def __init__(self, script: Path):
        self.script, self.owner, self.used = script, os.getpid(), False
        self._late = False
        # -P: the modules beside the script must not be taken for Python's own.
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_WORKER), str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_ONE_THREAD},
            start_new_session=True,
        )

    def ask(self, request: dict[str, Any], patience: float) -> dict[str, Any]:
        """Its answer; `OSError` if it dies, `TimeoutError` if it takes too long."""
        questions, answers = self._process.stdin, self._process.stdout
        assert questions is not None
        assert answers is not None
        self.used = True
        timer = threading.Timer(patience, self._stop)
        timer.daemon = True
        timer.start()
        try:
            questions.write(json.dumps(request).encode() + b"\n")
            questions.flush()
            line = answers.readline()
        finally:
            timer.cancel()
        if self._late:
            raise TimeoutError
        if not line:
            raise BrokenPipeError
        answer: dict[str, Any] = parse_json(line)
        return answer

    def end(self) -> None:
        """End the process and the copy of it that is reading."""
        self._kill()
        with suppress(OSError, ValueError):
            self._process.communicate()

    def _stop(self) -> None:
        self._late = True
        self._kill()

    def _kill(self) -> None:
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()


_idle: list[_Worker] = []
_lock = threading.Lock()


def _taken(script: Path) -> _Worker:
    """A worker that nobody else uses; a new one if necessary."""
    with _lock:
        for worker in _idle:
            # After a fork, workers belong to the parent process.
            if worker.script == script and worker.owner == os.getpid():
                _idle.remove(worker)
                return worker
    return _Worker(script)


def _give_back(worker: _Worker) -> None:
    with _lock:
        _idle.append(worker)


@atexit.register
def _end_all() -> None:
    for worker in _idle:
        if worker.owner == os.getpid():
            worker.end()
