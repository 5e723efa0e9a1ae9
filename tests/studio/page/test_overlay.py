"""What the overlay says while something takes long."""

from __future__ import annotations

import pytest

from motionweave.studio.page.overlay import time_left


@pytest.mark.parametrize(
    ("seconds", "share", "said"),
    [
        (0.5, 0.5, ""),
        (10.0, 0.01, ""),
        (10.0, 0.5, "about 10 s left"),
        (60.0, 0.2, "about 4 min left"),
        (10.0, 1.0, ""),
    ],
)
def test_time_left_is_told_when_it_can_be(seconds: float, share: float, said: str) -> None:
    assert time_left(seconds, share) == said
