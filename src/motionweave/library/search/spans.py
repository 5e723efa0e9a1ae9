"""When two stretches of a clip are one and the same match."""

from __future__ import annotations

# They are if they share more than this part of the shorter.
SAME = 0.4

# First and last sample or row, both included.
Span = tuple[int, int]


def shared(a: Span, b: Span) -> bool:
    """Whether two spans of a clip overlap so much that they are the same match."""
    common = min(a[1], b[1]) - max(a[0], b[0]) + 1
    return common > SAME * (min(a[1] - a[0], b[1] - b[0]) + 1)


class Taken:
    """Spans of clips that are taken by a match, so that none is listed twice."""

    def __init__(self) -> None:
        self._spans: dict[int, list[Span]] = {}

    def take(self, clip: int, span: Span) -> bool:
        """Take a span of a clip if no other match has it; whether it was free."""
        spans = self._spans.setdefault(clip, [])
        free = not any(shared(span, other) for other in spans)
        if free:
            spans.append(span)
        return free
