"""A spline transition as Python and as command lines."""

from __future__ import annotations

from motionweave.studio.document.document import Document
from motionweave.studio.screens import snippets
from motionweave.studio.screens.snippets import Snippet
from motionweave.studio.screens.spline.model import SplineSettings, inside


def as_code(document: Document) -> Snippet:
    """How to make the spline transition with the library and on the command line."""
    settings: SplineSettings = document.settings["spline"]
    clips = document.usable(settings.clips)
    names = snippets.named(clips)
    clean = document.settings["common"].clean
    leave, enter = inside(settings, *(clip.motion for clip in clips))
    given: dict[str, object] = {
        "leave": leave,
        "enter": enter,
        "degree": settings.degree,
        "length": snippets.number(settings.length),
        "bias": snippets.number(settings.bias) if settings.bias else None,
    }
    said = {name: value for name, value in given.items() if value is not None}
    arguments = [one.variable for one in names]
    arguments += [f"{name}={value}" for name, value in said.items()]
    if settings.part is not None:
        said["part"] = settings.part
        arguments.append(f"part={settings.part!r}")
    arguments.append(f"clean={clean}")
    words = [word for name, value in said.items() for word in (f"--{name}", value)]
    return Snippet(
        snippets.script(
            names,
            f"motion = mw.spline_transition({', '.join(arguments)})",
            f"mw.save(motion, {snippets.OUTPUT!r})",
        ),
        snippets.commands(
            names,
            snippets.command(
                "motionweave",
                "spline",
                *(one.file for one in names),
                *words,
                *([] if clean else ["--no-clean"]),
                "-o",
                snippets.OUTPUT,
            ),
        ),
    )
