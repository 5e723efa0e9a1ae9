"""Several clips of the shelf at once."""

from __future__ import annotations

from dataclasses import replace

from motionweave.studio.document.document import ShelfClip
from motionweave.studio.document.selection import Selection, mirrored
from motionweave.studio.screens.blend.model import BlendSettings
from tests.studio.documents import document_with

ORDER = ["c1", "c4", "c2", "c3"]


def test_clips_are_selected_one_by_one_and_in_ranges_as_they_are_listed() -> None:
    one = Selection().toggled("c2")
    assert one.extended("c1", ORDER).ids == {"c1", "c4", "c2"}
    # Every range is counted from the same clip, also when it goes the other way.
    assert one.extended("c1", ORDER).extended("c3", ORDER).ids == {"c2", "c3"}
    assert one.toggled("c3").toggled("c2").ids == {"c3"}
    # Without a clip to count from, or when that one is gone, a range is one clip.
    assert Selection().extended("c3", ORDER) == Selection(frozenset({"c3"}), "c3")
    assert one.extended("c3", ["c1", "c3"]).ids == {"c3"}
    assert one.toggled("c1").among(["c1", "c3"]).ids == {"c1"}


def test_what_is_done_to_selected_clips_leaves_the_others_alone() -> None:
    document = document_with(["walk", "jog", "sneak"], "blend", BlendSettings())
    document = document.with_clip(ShelfClip("c9", "broken", None, error="no motion"))
    document = document.with_clip(replace(document.clips[1], mirrored=True))
    both = mirrored(document, {"c1", "c2", "c9"})
    assert [clip.mirrored for clip in both.clips] == [True, False, False, False]
    assert both.clips[2] is document.clips[2]
    assert [clip.id for clip in document.without_clips({"c1", "c9"}).clips] == ["c2", "c3"]
