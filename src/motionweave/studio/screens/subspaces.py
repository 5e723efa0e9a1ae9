"""Subspaces of pairs of clips, remembered: fitting one is the slow part of a spline."""

from __future__ import annotations

from motionweave.core.motion import Motion
from motionweave.methods.subspace.fitting import subspace
from motionweave.methods.subspace.space import Subspace
from motionweave.studio.work.memo import Memo

_spaces: Memo[Subspace] = Memo(size=6)


def space_of(first: Motion, second: Motion, part: str | None = None) -> Subspace:
    """The subspace of two clips, or of a part of the body in both."""
    return _spaces.get((first, second), part, lambda: subspace(first, second, part=part))


def own_frame(space: Subspace, frame: int) -> int:
    """A frame of the second clip in the subspace as a frame of the clip itself."""
    return round(frame / space.enter_scale)
