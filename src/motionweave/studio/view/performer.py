"""Who performs a result: the clips' own body, drawn with its mesh, or a character put on."""

from __future__ import annotations

from dataclasses import replace

from motionweave.core.motion import Motion
from motionweave.retargeting import retarget
from motionweave.studio.document.document import Document, ShelfClip
from motionweave.studio.view.result import Result
from motionweave.studio.view.viewport import Look
from motionweave.studio.work.jobs import stage
from motionweave.studio.work.memo import Memo

_performed: Memo[Motion] = Memo(size=8)


def performer_of(document: Document) -> ShelfClip | None:
    """The clip whose character performs all results, if one was chosen."""
    clip = document.clip(document.settings["common"].worn)
    return clip if clip is not None and clip.usable else None


def with_performer(
    result: Result, document: Document, live: bool, *, alone: bool = False
) -> Result:
    """A result performed by the character that was chosen, and drawn with its mesh.

    A body whose joints are dragged stays as it is, for the keys are its own; what is exported
    is performed by the character all the same. ``alone`` is for a clip shown by itself, which
    shows its own body.
    """
    clip = None if alone else performer_of(document)
    main, *others = result.looks
    if clip is None:
        main = _in_its_mesh(main, document)
        # What it is compared with is the same body, and a ghost of it is drawn without its mesh.
        others = [_in_its_mesh(one, document) if one.before else one for one in others]
        return replace(result, looks=(main, *others), character=main.character)
    stage(f"Putting it on {clip.name}", 0.8)
    motion = on_body(result.motion, clip.motion, live)
    if not main.grips and main.motion is result.motion:
        main = replace(main, motion=motion, ground=clip.motion, character=clip.character)
    return replace(result, motion=motion, looks=(main, *others), character=clip.character)


def on_body(motion: Motion, body: Motion, live: bool) -> Motion:
    """A motion on another body; in a drag its feet are not planted."""

    def made() -> Motion:
        return replace(retarget(motion, body, feet=not live), name=motion.name)

    if motion.skeleton == body.skeleton:
        return motion
    return _performed.get((motion, body), live, made)


def _in_its_mesh(look: Look, document: Document) -> Look:
    """A look drawn with the mesh that came with a clip of its body."""
    found = (
        clip.character
        for clip in document.clips
        if clip.character is not None
        and clip.original is not None
        and clip.original.skeleton == look.motion.skeleton
    )
    return replace(look, character=next(found, None))
