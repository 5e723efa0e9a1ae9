"""Documents to test screens with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from motionweave.samples.clips import sample
from motionweave.studio.document.document import Common, Document, ShelfClip


@lru_cache
def clip(name: str, number: int) -> ShelfClip:
    """A built-in clip with the id ``c<number>``; the same object whenever it is asked for."""
    return ShelfClip(f"c{number}", name, sample(name), "sample", name)


def document_with(
    names: Sequence[str], screen: str, settings: Any, *, clean: bool = False
) -> Document:
    """A document with built-in clips c1, c2, ... and settings of one screen."""
    clips = tuple(clip(name, number) for number, name in enumerate(names, start=1))
    return Document(clips, {"common": Common(clean=clean), screen: settings})
