"""What is cached, and for how long."""

from __future__ import annotations

from motionweave.core.runtime.cache import Recent


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
