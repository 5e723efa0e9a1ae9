"""Where jobs run: in Blender's own Python, or in a process beside it. Both look the same."""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import wire
from .take import Take

VARIABLE = "MOTIONWEAVE_PYTHON"
_PACKAGES = ("numpy", "scipy", "numba", "motionweave")


class Problem(Exception):  # noqa: N818 - it is told to the user as it is
    """Something that the user can do something about, in plain words."""


@dataclass
class Answer:
    """What came back from a job."""

    takes: list[Take]
    values: dict[str, Any]
    messages: list[str]


def inside_problem() -> str:
    """Why motionweave cannot run in this Python; empty if it can."""
    for name in _PACKAGES:
        try:
            importlib.import_module(name)
        except Exception as error:
            return f"{name}: {error}"
    return ""


def place(mode: str, python: str, own: Path | None) -> str:
    """Where jobs are to run: ``""`` for inside, or the Python of the process.

    Parameters
    ----------
    mode
        ``"AUTO"``, ``"INSIDE"`` or ``"PROCESS"``.
    python
        The Python that the user names, or nothing.
    own
        The environment that the button installs motionweave into.
    """
    problem = inside_problem() if mode in ("AUTO", "INSIDE") else "not asked for"
    if not problem:
        return ""
    if mode == "INSIDE":
        raise Problem(f"motionweave cannot run inside Blender ({problem})")
    for one in (python, os.environ.get(VARIABLE, ""), str(python_of(own)) if own else ""):
        if one and Path(one).exists():
            return one
    if python:
        raise Problem(f"{python}: there is no such Python; see the add-on's preferences")
    raise Problem(
        "motionweave is not installed: press Install in the add-on's preferences, or enter a "
        "Python there that has it"
    )


def python_of(environment: Path) -> Path:
    """The Python of a virtual environment."""
    below = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    return environment.joinpath(*below)


class _Process:
    """A process that does one job after the other."""

    def __init__(self, python: str):
        self.python = python
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        script = Path(__file__).with_name("worker.py")
        # The process has its own packages: those of Blender do not fit it.
        clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONHOME",)}
        try:
            self._process = subprocess.Popen(
                [python, str(script)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                env=clean,
            )
        except OSError as error:
            raise Problem(f"{python} cannot be started: {error}") from None

    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, message: bytes) -> bytes:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            wire.send(self._process.stdin, message)
            reply = wire.receive(self._process.stdout)
        except OSError:
            reply = None
        if reply is None:
            self.end()
            self._said.seek(0)
            lines = self._said.read().decode(errors="replace").strip().splitlines()
            raise Problem(f"the motionweave process ended: {lines[-1] if lines else 'no reason'}")
        return reply

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            # What was still to be written to a process that is gone does not matter.
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()


_process: _Process | None = None


def end_process() -> None:
    """End the process beside Blender, if there is one."""
    global _process
    if _process is not None:
        _process.end()
        _process = None


atexit.register(end_process)


class Task:
    """A job under way.

    Parameters
    ----------
    where
        What `place` gave.
    job, takes, values
        What to do.
    """

    def __init__(self, where: str, job: str, takes: list[Take], values: dict[str, Any]):
        self._where, self._job, self._takes, self._values = where, job, takes, values
        self._given_up = threading.Event()
        self._answer: Answer | None = None
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        """Whether `result` has something to give."""
        return not self._thread.is_alive()

    def wait(self, seconds: float) -> None:
        """Wait until it is done, at most so long."""
        self._thread.join(seconds)

    def cancel(self) -> None:
        """Give it up."""
        self._given_up.set()
        if self._where:
            end_process()

    def result(self) -> Answer:
        """What came of it; `Problem` if nothing did."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._answer is not None
        return self._answer

    def _run(self) -> None:
        try:
            self._answer = self._beside() if self._where else self._inside()
        except Problem as error:
            self._error = error
        except Exception as error:
            self._error = Problem(f"{type(error).__name__}: {error}")

    def _inside(self) -> Answer:
        from motionweave.core.runtime.interrupt import Interrupted, interruptible
        from motionweave.errors import MotionweaveError

        from . import jobs

        try:
            with interruptible(self._given_up.is_set):
                reply = jobs.run(self._job, self._takes, self._values)
        except Interrupted:
            raise Problem("cancelled") from None
        except MotionweaveError as error:
            raise Problem(str(error)) from None
        return Answer(reply.takes, reply.values, reply.messages)

    def _beside(self) -> Answer:
        global _process
        if _process is None or not _process.alive() or _process.python != self._where:
            end_process()
            _process = _Process(self._where)
        message = wire.packed({"job": self._job, "values": self._values}, self._takes)
        values, takes = wire.unpacked(_process.ask(message))
        if "error" in values:
            if "trace" in values:
                print(values["trace"])
            if values["kind"] == "ModuleNotFoundError":
                raise Problem(f"{self._where} has no motionweave: {values['error']}")
            raise Problem(values["error"])
        return Answer(takes, values["values"], values["messages"])


def finished(task: Task) -> Iterator[None]:
    """Yield until a task is done; leaving earlier gives it up."""
    try:
        while not task.done:
            yield
    finally:
        if not task.done:
            task.cancel()
