"""Several clips of the shelf that are selected, to do the same to all of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from motionweave.studio.document.document import Document


@dataclass(frozen=True)
class Selection:
    """Which clips are selected.

    Parameters
    ----------
    ids
        Of the clips.
    anchor
        The clip from which a range of them is counted.
    """

    ids: frozenset[str] = frozenset()
    anchor: str = ""

    def toggled(self, clip_id: str) -> Selection:
        """With one more clip, or one less; ranges are counted from there."""
        return Selection(self.ids ^ {clip_id}, clip_id)

    def extended(self, clip_id: str, order: Sequence[str]) -> Selection:
        """All clips from the anchor to another one, in the order in which they are listed."""
        if self.anchor not in order:
            return Selection(frozenset({clip_id}), clip_id)
        first, last = sorted((order.index(self.anchor), order.index(clip_id)))
        return replace(self, ids=frozenset(order[first : last + 1]))

    def among(self, ids: Collection[str]) -> Selection:
        """Without clips that are no longer there."""
        gone = self.ids - set(ids)
        return replace(self, ids=self.ids - gone) if gone else self


def mirrored(document: Document, ids: Collection[str]) -> Document:
    """The document with left and right exchanged in clips; those without a motion stay."""
    for clip in document.clips:
        if clip.id in ids and clip.usable:
            document = document.with_clip(replace(clip, mirrored=not clip.mirrored))
    return document
