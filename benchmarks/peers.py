"""Peers, driven in a virtual environment of their own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.measure import Contender, MissingError

WORKER = Path(__file__).with_name("worker.py")
PYTHON = Path(".venv-bench/bin/python")


def peer(name: str, task: str, note: str = "", **args: Any) -> Contender:
    """A contender that does a task of `worker`."""
    return Contender(name, lambda: Worker(task, args), "peer", note)


def versions() -> dict[str, str]:
    """Which peers are installed, and which version."""
    if not PYTHON.exists():
        return {}
    code = (
        "import importlib.metadata as m, json;"
        "print(json.dumps({d.metadata['Name'].lower(): d.version for d in m.distributions()}))"
    )
    found = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(found.stdout)


class Worker:
    """One peer's task in a process of its own; calling it does the task once.

    Returns the seconds that the process measured itself, so that the pipe does not count.
    """

    def __init__(self, task: str, args: dict[str, Any]):
        if not PYTHON.exists():
            raise MissingError(f"no peers installed ({PYTHON} does not exist; run make bench)")
        self._process = subprocess.Popen(
            [PYTHON, WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        )
        self._ask({"task": task, "args": args})

    def __call__(self) -> float:
        return float(self._ask({"run": True})["seconds"])

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        answer = json.loads(line) if line else {"error": "the peer's process died"}
        if "error" in answer:
            self.close()
            raise MissingError(str(answer["error"]).splitlines()[0][:100])
        return dict(answer)
