"""Subspaces of pairs of clips, remembered: fitting one is the slow part of a spline."""

from __future__ import annotations

from motionweave.core.motion import Motion
from motionweave.methods.subspace.fitting import subspace
from motionweave.methods.subspace.space import Subspace
from motionweave.studio.memo import Memo

_spaces: Memo[Subspace] = Memo(size=6)


def space_of(first: Motion, second: Motion) -> Subspace:
    """The subspace of two clips."""
    return _spaces.get((first, second), None, lambda: subspace(first, second))


def own_frame(space: Subspace, frame: int) -> int:
    """A frame of the second clip in the subspace as a frame of the clip itself."""
    return round(frame / space.enter_scale)
