"""Work on one thread leaves the number of threads as it was."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from motionweave.core.runtime.threads import one_thread


def _threads() -> list[int]:
    assert np.linalg.det(np.eye(2)) == 1.0
    return [
        one["num_threads"] for one in ThreadpoolController().info() if one["user_api"] == "blas"
    ]


def test_threads_come_back_after_the_last_one_leaves() -> None:
    before = _threads()
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with one_thread():
            entered.set()
            leave.wait(10.0)

    thread = threading.Thread(target=other)
    with one_thread():
        assert set(_threads()) <= {1}
        thread.start()
        assert entered.wait(10.0)
    # The other one is still inside.
    assert set(_threads()) <= {1}
    leave.set()
    thread.join()
    assert _threads() == before


def test_threads_come_back_after_an_error() -> None:
    before = _threads()

    @one_thread()
    def fail() -> None:
        raise ValueError("no")

    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            fail()
    assert _threads() == before
