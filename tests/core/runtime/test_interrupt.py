"""Long work can be given up between its steps."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

import motionweave as mw
from motionweave.core.runtime.interrupt import Interrupted, checkpoint, interruptible

WORK: dict[str, Callable[[], object]] = {
    "register": lambda: mw.register(mw.sample("walk"), mw.sample("jog")),
    "register cycles": lambda: mw.register(mw.sample("walk"), mw.sample("jog"), ends="cyclic"),
    "transition": lambda: mw.transition(mw.sample("walk"), mw.sample("jog")),
    "clean": lambda: mw.clean_feet(mw.sample("walk")),
    "warp": lambda: mw.warp(mw.sample("walk"), [mw.Key(20, "left_hand", offset=(0, 0.2, 0))]),
}


@pytest.mark.parametrize("name", WORK)
def test_work_ends_when_it_is_given_up(name: str) -> None:
    asked = 0

    def given_up() -> bool:
        nonlocal asked
        asked += 1
        return True

    with pytest.raises(Interrupted), interruptible(given_up):
        WORK[name]()
    assert asked == 1


def test_without_anybody_to_ask_nothing_ends() -> None:
    checkpoint()
    with interruptible(lambda: False):
        checkpoint()
    with pytest.raises(Interrupted), interruptible(lambda: True):
        checkpoint()
    checkpoint()


def test_other_threads_go_on() -> None:
    ended: list[bool] = []

    def work() -> None:
        checkpoint()
        ended.append(True)

    with interruptible(lambda: True):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert ended == [True]
