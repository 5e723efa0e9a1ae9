"""What the spline screen makes: a spline through the subspace of two clips."""

from __future__ import annotations

from dataclasses import dataclass

from motionweave.core.motion import Motion
from motionweave.methods.subspace.joined import SplineTransition
from motionweave.methods.subspace.space import Subspace
from motionweave.studio.document.document import Document
from motionweave.studio.screens.parts import Part
from motionweave.studio.screens.screen import RESULT, series
from motionweave.studio.screens.subspaces import space_of
from motionweave.studio.view.result import Result
from motionweave.studio.view.viewport import Look
from motionweave.studio.work.jobs import stage

_GHOST_GAP = 1.1


@dataclass(frozen=True)
class SplineSettings:
    """What the spline screen makes.

    Parameters
    ----------
    clips
        Ids of the clip that is left and of the one that is entered.
    leave, enter
        Last frame of the first and first frame of the second; None for the best.
    degree, length, bias
        Of the spline, see `Subspace.transition`.
    part
        The part of the body that alone changes to the second clip; None for all of it.
    axes
        Of the subspace that are shown: 2 or 3.
    """

    clips: tuple[str, ...] = ()
    leave: int | None = None
    enter: int | None = None
    degree: int = 4
    length: float = 1.3
    bias: float = 0.0
    part: Part | None = None
    axes: int = 2


@dataclass(frozen=True, eq=False)
class SplineDetails:
    """What the widgets show."""

    names: tuple[str, str]
    space: Subspace
    made: SplineTransition


def make(document: Document, live: bool) -> Result:
    """The spline transition that the settings describe, with what the widgets show of it."""
    settings: SplineSettings = document.settings["spline"]
    clips = document.usable(settings.clips)
    first, second = (clip.motion for clip in clips)
    stage("Finding the space of both clips", 0.0)
    space = space_of(first, second, settings.part)
    stage("Swinging over", 0.6)
    leave, enter = inside(settings, first, second)
    made = space.transition(
        leave,
        enter,
        degree=settings.degree,
        length=settings.length,
        bias=settings.bias,
        clean=document.settings["common"].clean and not live,
    )
    looks = (
        Look("result", made.motion, RESULT, ground=first),
        Look("ghost0", first, series(0), ghost=True, beside=_GHOST_GAP, label=clips[0].name),
        Look("ghost1", second, series(1), ghost=True, beside=-_GHOST_GAP, label=clips[1].name),
    )
    details = SplineDetails((clips[0].name, clips[1].name), space, made)
    return Result(made.motion, looks, (first, second), details)


def inside(
    settings: SplineSettings, first: Motion, second: Motion
) -> tuple[int | None, int | None]:
    """Frames to leave and to enter, inside clips that may have been trimmed since."""
    leave, enter = settings.leave, settings.enter
    return (
        None if leave is None else min(leave, len(first) - 1),
        None if enter is None else min(enter, len(second) - 1),
    )
