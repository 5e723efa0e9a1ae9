"""What is remembered, and for how long."""

from __future__ import annotations

import warnings

import pytest

from motionweave.errors import BlendError, QualityWarning
from motionweave.samples.clips import sample
from motionweave.studio.work.jobs import attempt
from motionweave.studio.work.memo import Memo


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


@pytest.mark.parametrize(("quiet", "heard"), [(False, ("feet slide",)), (True, ())])
def test_what_was_said_when_it_was_made_is_heard_every_time(
    quiet: bool, heard: tuple[str, ...]
) -> None:
    memo: Memo[int] = Memo(quiet=quiet)

    def make() -> int:
        warnings.warn("feet slide", QualityWarning, stacklevel=1)
        return 7

    walk = sample("walk")
    for _ in range(2):
        outcome = attempt(lambda: memo.get((walk,), "x", make))
        assert (outcome.value, outcome.warnings) == (7, heard)


def test_what_cannot_be_made_is_not_tried_twice() -> None:
    memo: Memo[int] = Memo()
    tried: list[int] = []

    def make() -> int:
        tried.append(1)
        raise BlendError("no room")

    walk = sample("walk")
    for _ in range(2):
        with pytest.raises(BlendError, match="no room"):
            memo.get((walk,), "x", make)
    assert len(tried) == 1
