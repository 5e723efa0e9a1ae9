"""What is remembered, and for how long."""

from __future__ import annotations

from motionweave.samples.clips import sample
from motionweave.studio.memo import Memo, Recent


def test_the_one_that_nobody_asked_for_longest_goes() -> None:
    kept: Recent[int] = Recent(2)
    kept.put("a", 1)
    kept.put("b", 2)
    assert kept.get("a") == 1
    kept.put("c", 3)
    assert [kept.get(key) for key in "abc"] == [1, None, 3]
    kept.put("a", 4)
    assert kept.get("a") == 4


def test_the_same_motions_and_options_are_not_made_twice() -> None:
    memo: Memo[int] = Memo()
    walk, jog = sample("walk"), sample("jog")
    made: list[int] = []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    assert memo.get((walk, jog), "x", make) == memo.get((walk, jog), "x", make) == 0
    assert memo.get((jog, walk), "x", make) == 1
    assert memo.get((walk, jog), "y", make) == 2
    # A copy is another motion, however alike.
    assert memo.get((sample("walk"), jog), "x", make) == 3
