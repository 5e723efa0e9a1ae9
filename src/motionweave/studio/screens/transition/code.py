"""A transition as Python and as command lines."""

from __future__ import annotations

from motionweave.studio.document.document import Document
from motionweave.studio.screens import snippets
from motionweave.studio.screens.snippets import Snippet
from motionweave.studio.screens.transition.model import TransitionSettings, half_frames


def as_code(document: Document) -> Snippet:
    """How to make the transition with the library and on the command line."""
    settings: TransitionSettings = document.settings["transition"]
    clips = document.usable(settings.clips)
    names = snippets.named(clips)
    half = half_frames(settings, clips[0].motion)
    clean = document.settings["common"].clean
    call = ", ".join(one.variable for one in names)
    words: list[object] = []
    if settings.at is not None:
        frames = [snippets.number(f) for f in settings.at]
        call += f", at=({', '.join(frames)})"
        words += ["--at", ",".join(frames)]
    if half is not None:
        call += f", half_width={half}"
        words += ["--half-width", half]
    return Snippet(
        snippets.script(
            names,
            f"motion = mw.transition({call}{'' if clean else ', clean=False'})",
            f"mw.save(motion, {snippets.OUTPUT!r})",
        ),
        snippets.commands(
            names,
            snippets.command(
                "motionweave",
                "transition",
                *(one.file for one in names),
                *words,
                *([] if clean else ["--no-clean"]),
                "-o",
                snippets.OUTPUT,
            ),
        ),
    )
