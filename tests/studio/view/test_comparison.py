"""Before and after: what a result is compared with."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from motionweave.errors import QualityWarning
from motionweave.samples.clips import sample
from motionweave.studio.document.document import Common, Document
from motionweave.studio.screens.screen import RESULT
from motionweave.studio.screens.warp.model import PoseKey, WarpSettings
from motionweave.studio.screens.warp.screen import WarpScreen
from motionweave.studio.view.comparison import compared
from motionweave.studio.view.result import Result
from motionweave.studio.view.viewport import Look
from motionweave.studio.work.jobs import attempt
from tests.studio.documents import document_with

WALK = sample("walk")
CLEAN, PLAIN = (Document((), {"common": Common(clean=on)}) for on in (True, False))


def made(document: Document, live: bool) -> Result:
    """A result whose root is a little higher where its feet are planted."""
    planted = document.settings["common"].clean and not live
    if not planted:
        warnings.warn("the feet slide", QualityWarning, stacklevel=1)
    motion = replace(WALK, root=WALK.root + np.array([0.0, 0.01 * planted, 0.0]))
    return Result(motion, (Look("result", motion, RESULT, label="walk"),))


def test_a_result_is_compared_with_itself_before_its_feet_are_planted() -> None:
    outcome = attempt(lambda: compared(made(CLEAN, False), made, CLEAN, False))
    assert outcome.value is not None
    main, before = outcome.value.looks
    raised = main.motion.root - before.motion.root
    np.testing.assert_allclose(raised, np.tile([0.0, 0.01, 0.0], (93, 1)), atol=1e-12)
    assert (before.before, before.hidden, before.label) == ("feet not planted", True, "")
    # What is doubtful about what there was is not said about the result.
    assert outcome.remarks == ()


def test_nothing_is_planted_in_a_drag_so_before_and_after_are_one() -> None:
    main, before = compared(made(CLEAN, True), made, CLEAN, True).looks
    assert before.motion is main.motion


def test_without_a_difference_there_is_nothing_to_compare_with() -> None:
    assert len(compared(made(PLAIN, False), made, PLAIN, False).looks) == 1
    always = made(CLEAN, False)
    assert compared(always, lambda document, live: always, CLEAN, False) is always


def test_a_warp_is_compared_with_the_clip_in_the_warped_time() -> None:
    untouched = WarpScreen.make(document_with(["walk"], "warp", WarpSettings(clips=("c1",))), False)
    assert [look.before for look in untouched.looks] == ["walk"]
    keys = (PoseKey(30.0, "left_hand", "offset", (0.0, 0.2, 0.0)),)
    settings = WarpSettings(clips=("c1",), keys=keys, times=((60.0, 30.0),))
    result = WarpScreen.make(document_with(["walk"], "warp", settings), False)
    main, before = result.looks
    assert (main.before, before.before) == ("", "walk")
    assert len(before.motion) == len(main.motion)
    np.testing.assert_allclose(before.motion.root[60], WALK.root[30], atol=1e-9)
