"""When a result cannot be made: one plain sentence, and buttons that do something about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from motionweave.errors import Kind, MotionweaveError, RegistrationError, RigError
from motionweave.studio.document.document import Document, ShelfClip
from motionweave.studio.work.remarks import plain

_UNKNOWN = "This cannot be made with the present settings."


@dataclass(frozen=True)
class RemedyButton:
    """A button that does something about a problem.

    Parameters
    ----------
    label
        What it says.
    apply
        Gives the document that it goes on with.
    vain
        Kinds of problem that it does nothing about, or leads into.
    fewer
        Whether it leaves out clips, which is all that helps where bodies do not correspond.
    """

    label: str
    apply: Callable[[Document], Document]
    vain: frozenset[Kind] = frozenset()
    fewer: bool = False


@dataclass(frozen=True)
class Problem:
    """Why there is no result.

    Parameters
    ----------
    sentence
        What is wrong, in the studio's words.
    remedies
        What can be done about it, the most promising first.
    details
        What the library said.
    """

    sentence: str
    remedies: tuple[RemedyButton, ...] = ()
    details: str = ""


def problem_of(problem: Exception, screen: str, document: Document) -> Problem:
    """What to show for an error that a screen ended with.

    Parameters
    ----------
    problem
        What was raised; anything but a `MotionweaveError` is a bug, and is called one.
    screen
        The screen's name.
    document
        What it worked on.
    """
    message = str(problem)
    if not isinstance(problem, MotionweaveError):
        return Problem("Something went wrong in the studio itself.", (), repr(problem))
    settings = document.settings[screen]
    clips = document.usable(settings.clips)
    offered = tuple(_REMEDIES[screen](settings, clips)) if screen in _REMEDIES else ()
    remedies = tuple(remedy for remedy in offered if problem.kind not in remedy.vain)
    if problem.kind is Kind.OTHER_BODY:
        remedies = tuple(remedy for remedy in offered if remedy.fewer)
    if isinstance(problem, RigError) and document.settings["common"].worn:
        remedies = (
            RemedyButton("Show results on their own characters", _setting("common", worn="")),
        )
    return Problem(_sentence(problem, clips), remedies, message)


# Said about errors of these kinds; the names are those of the clips.
KNOWN_ERRORS: dict[Kind, str] = {
    Kind.ENDS_DIFFER: "{names} differ too much to match from end to end.",
    Kind.NO_STRETCH: "No stretch of {names} is similar enough to match.",
    Kind.NO_CYCLE: "{one} does not repeat itself, so it has no cycle to take.",
    Kind.TOO_SHORT: "{one} is too short for this.",
    Kind.NO_ROOM: "There is not enough room for a transition here.",
    Kind.SEAMS_MEET: "Two seams are too near to each other.",
    Kind.T_POSE: "This place is a T-pose, not a part of the motion.",
    Kind.OTHER_BODY: "The bodies of {names} are too different to be combined. "
    "Click a clip on the shelf to leave it out.",
}


def _sentence(problem: MotionweaveError, clips: Sequence[ShelfClip]) -> str:
    message = str(problem)
    names = _listed([clip.name for clip in clips])
    one = next((clip.name for clip in clips if clip.name in message), "A clip")
    if problem.kind in KNOWN_ERRORS:
        return KNOWN_ERRORS[problem.kind].format(names=names, one=one)
    if isinstance(problem, RegistrationError):
        return f"{names} could not be matched with each other."
    if isinstance(problem, RigError):
        return f"The bodies of {names} do not fit this: {plain(message) or 'joints are missing'}."
    said = plain(message)
    return f"{said}." if said else _UNKNOWN


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names) or "The clips"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _setting(screen: str, **fields: Any) -> Callable[[Document], Document]:
    """The document with fields of a screen's settings changed."""

    def applied(document: Document) -> Document:
        return document.with_settings(screen, replace(document.settings[screen], **fields))

    return applied


def _for_blend(settings: Any, clips: Sequence[ShelfClip]) -> Iterator[RemedyButton]:
    if settings.cyclic or settings.ends != "free":
        change = _setting("blend", ends="free", cyclic=False)
        yield RemedyButton("Use the best stretch", change, frozenset({Kind.NO_STRETCH}))
    if not settings.cyclic:
        change = _setting("blend", ends="auto", cyclic=True)
        yield RemedyButton("Treat as cycles", change, frozenset({Kind.NO_CYCLE, Kind.TOO_SHORT}))
    if settings.cyclic or settings.ends != "auto":
        yield RemedyButton("Choose automatically", _setting("blend", ends="auto", cyclic=False))
    if settings.cyclic or settings.ends != "fixed":
        change = _setting("blend", ends="fixed", cyclic=False)
        yield RemedyButton("Use whole clips", change, frozenset({Kind.ENDS_DIFFER}))
    if len(clips) > 2:
        kept = [clip.id for clip in clips[:2]]
        weights = (0.5, 0.5)
        fields = {"clips": tuple(kept), "weights": weights, "keys": (), "against": ""}
        label = f"Only {clips[0].name} and {clips[1].name}"
        yield RemedyButton(label, _setting("blend", **fields), fewer=True)


def _for_transition(settings: Any, clips: Sequence[ShelfClip]) -> Iterator[RemedyButton]:
    if settings.at is not None:
        yield RemedyButton("Use the best place", _setting("transition", at=None))
    if settings.half_width is not None:
        change = _setting("transition", half_width=None)
        yield RemedyButton("Use the usual width", change, frozenset({Kind.T_POSE}))
    yield RemedyButton(
        "Swap the clips", _setting("transition", clips=settings.clips[::-1], at=None)
    )


def _for_framespace(settings: Any, clips: Sequence[ShelfClip]) -> Iterator[RemedyButton]:
    once = {clip.id: () for clip in clips if clip.id not in settings.stretches}
    if once:
        stretches = {**settings.stretches, **once}
        yield RemedyButton("Play each clip once", _setting("framespace", stretches=stretches))
    if settings.stretches:
        change = _setting("framespace", stretches={})
        yield RemedyButton("Find the cycles again", change, frozenset({Kind.NO_CYCLE}))
    if settings.events:
        yield RemedyButton("Find events again", _setting("framespace", events={}))


def _for_spline(settings: Any, clips: Sequence[ShelfClip]) -> Iterator[RemedyButton]:
    if (settings.leave, settings.enter) != (None, None):
        yield RemedyButton("Use the best places", _setting("spline", leave=None, enter=None))
    if (settings.degree, settings.length, settings.bias) != (4, 1.3, 0.0):
        change = _setting("spline", degree=4, length=1.3, bias=0.0)
        yield RemedyButton("Use the usual spline", change, frozenset({Kind.T_POSE}))
    yield RemedyButton("Swap the clips", _setting("spline", clips=settings.clips[::-1]))


def _for_warp(settings: Any, clips: Sequence[ShelfClip]) -> Iterator[RemedyButton]:
    if settings.keys:
        change = _setting("warp", keys=settings.keys[:-1], active=None)
        yield RemedyButton("Remove the last key", change)
    if settings.times:
        yield RemedyButton("Remove the time markers", _setting("warp", times=()))


def _for_sequence(settings: Any, clips: Sequence[ShelfClip]) -> Iterator[RemedyButton]:
    if any(seam.at or seam.half_width for seam in settings.seams):
        seams = tuple(replace(seam, at=None, half_width=None) for seam in settings.seams)
        yield RemedyButton("Use the best places", _setting("sequence", seams=seams))
    if any(seam.kind != "transition" for seam in settings.seams):
        seams = tuple(replace(seam, kind="transition", at=None) for seam in settings.seams)
        yield RemedyButton("Use transitions everywhere", _setting("sequence", seams=seams))
    if settings.keep == "all":
        yield RemedyButton("Let clips be cut where they fit", _setting("sequence", keep="most"))
    if any(block.trim for block in settings.blocks):
        blocks = tuple(replace(block, trim=None) for block in settings.blocks)
        yield RemedyButton("Use whole clips", _setting("sequence", blocks=blocks))
    if any(block.over for block in settings.blocks):
        blocks = tuple(replace(block, over=None) for block in settings.blocks)
        yield RemedyButton("Remove the layers", _setting("sequence", blocks=blocks))
    if len(settings.blocks) > 1:
        change = _setting("sequence", blocks=settings.blocks[:-1])
        yield RemedyButton("Remove the last block", change, fewer=True)


def _for_library(settings: Any, clips: Sequence[ShelfClip]) -> Iterator[RemedyButton]:
    if settings.words and clips:
        yield RemedyButton("Search without words", _setting("library", words=""))
    if settings.through and clips:
        yield RemedyButton("Without matches of matches", _setting("library", through=False))
    if settings.alike is not None:
        yield RemedyButton("Decide what is alike automatically", _setting("library", alike=None))
    if settings.compatible:
        yield RemedyButton("Search on all rigs", _setting("library", compatible=False))
    if settings.part:
        yield RemedyButton("Compare the whole body", _setting("library", part=""))
    if settings.gap:
        yield RemedyButton("Take the usual gap", _setting("library", gap=None))


_REMEDIES: dict[str, Callable[[Any, Sequence[ShelfClip]], Iterator[RemedyButton]]] = {
    "blend": _for_blend,
    "transition": _for_transition,
    "framespace": _for_framespace,
    "spline": _for_spline,
    "warp": _for_warp,
    "sequence": _for_sequence,
    "library": _for_library,
}
