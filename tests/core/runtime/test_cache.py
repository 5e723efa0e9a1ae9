"""What is cached, and for how long."""

from __future__ import annotations

import pickle

import motionweave as mw
from motionweave.core.runtime.cache import Recent, kept_with_motion


def test_the_one_that_nobody_asked_for_longest_goes() -> None:
    kept: Recent[int] = Recent(2)
    kept.put("a", 1)
    kept.put("b", 2)
    assert kept.get("a") == 1
    kept.put("c", 3)
    assert [kept.get(key) for key in "abc"] == [1, None, 3]
    kept.put("a", 4)
    assert kept.get("a") == 4


def test_what_is_there_is_not_made_again_even_if_it_is_nothing() -> None:
    kept: Recent[int | None] = Recent(2)
    made: list[str] = []

    def make() -> None:
        made.append("once")

    assert kept.made("a", make) is None
    assert kept.made("a", make) is None
    assert made == ["once"]
    kept.clear()
    kept.made("a", make)
    assert len(made) == 2


def test_what_is_kept_with_a_motion_is_found_once_for_its_frames() -> None:
    looked: list[int] = []

    @kept_with_motion
    def length(motion: mw.Motion) -> int:
        looked.append(len(motion))
        return len(motion)

    walk = mw.sample("walk")
    # Contacts do not matter, and other frames are another motion.
    same, part = walk.with_constraints(()), walk[5:]
    assert length(same) == length(walk) == len(walk)
    assert length(part) == len(part)
    assert looked == [len(walk), len(part)]
    assert pickle.loads(pickle.dumps(walk)) == walk
