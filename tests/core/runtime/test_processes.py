"""Processes that share work: how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from motionweave.core.runtime.processes import processes

_WAITING = """
import signal, sys, time
from motionweave.core.runtime.processes import processes

if __name__ == "__main__":
    # Tests that run in the background of a shell ignore interrupts, and so would this.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with processes(2, sys.argv[1]) as pool:
        pool.submit(abs, 1).result()
        print("ready", flush=True)
        pool.submit(time.sleep, 600.0).result()
"""

pytestmark = pytest.mark.skipif(
    not hasattr(os, "killpg"), reason="no process groups on this system"
)


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.parametrize("everybody", [True, False])
def test_an_interrupt_ends_all_at_once_without_a_word_of_the_workers(
    everybody: bool, start: str, tmp_path: Path
) -> None:
    script = tmp_path / "waiting.py"
    script.write_text(_WAITING)
    process = subprocess.Popen(
        [sys.executable, script, start],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        # A terminal interrupts every process; `kill -INT` the one that it names.
        if everybody:
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.send_signal(signal.SIGINT)
        # Both streams end with the last process that holds them.
        _, said = process.communicate(timeout=60.0)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    # The parent alone tells where it was interrupted.
    assert said.count("KeyboardInterrupt") == 1
    assert "Process" not in said


def test_an_error_does_not_wait_for_work_in_progress() -> None:
    def fail() -> None:
        with processes(2) as pool:
            pool.submit(time.sleep, 600.0)
            raise ValueError("no")

    began = time.monotonic()
    with pytest.raises(ValueError, match="no"):
        fail()
    assert time.monotonic() - began < 300.0


def test_work_is_done_and_its_errors_are_told() -> None:
    with processes(2) as pool:
        assert list(pool.map(abs, range(-4, 0))) == [4, 3, 2, 1]
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result()
