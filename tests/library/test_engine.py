"""Workers: how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

_WAITING = """
import time
from motionweave.library.engine import in_order, workers

if __name__ == "__main__":
    with workers(None, 100) as pool:
        pool.submit(abs, 1).result()
        print("ready", flush=True)
        list(in_order(pool, time.sleep, [60.0]))
"""


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="no process groups on this system")
def test_workers_that_are_interrupted_end_at_once_without_a_word() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _WAITING],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=30.0)
    # The parent alone tells where it was interrupted.
    assert said.count("KeyboardInterrupt") == 1
    assert "Process" not in said
