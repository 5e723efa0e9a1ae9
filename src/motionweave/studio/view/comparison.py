"""What a result is compared with in the view of before and after, beside its own clips."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from motionweave.core.motion import Motion
from motionweave.studio.document.document import Document
from motionweave.studio.view.result import Result
from motionweave.studio.work.jobs import attempt

_UNPLANTED = "feet not planted"

Make = Callable[[Document, bool], Result]


def compared(result: Result, make: Make, document: Document, live: bool) -> Result:
    """A result together with the same one before its feet are planted, if that differs.

    Parameters
    ----------
    result
        What came of the document.
    make
        Makes the result of a document, live or not.
    document
        What the result is made from.
    live
        Whether something is being dragged. Feet are not planted then: before and after are the
        same until it is let go.
    """
    common = document.settings["common"]
    if not common.clean:
        return result
    plain = result
    if not live:
        unplanted = document.with_settings("common", replace(common, clean=False))
        # What is to be said about it is not about what is exported.
        made = attempt(lambda: make(unplanted, live)).value
        if made is None or _same(made.motion, result.motion):
            return result
        plain = made
    before = replace(
        plain.looks[0],
        id="unplanted",
        ghost=True,
        beside=0.0,
        label="",
        grips=(),
        before=_UNPLANTED,
        hidden=True,
    )
    return replace(result, looks=(*result.looks, before))


def _same(one: Motion, other: Motion) -> bool:
    return np.array_equal(one.root, other.root) and np.array_equal(one.rotations, other.rotations)
