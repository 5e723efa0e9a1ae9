"""A framespace interpolation as Python and as command lines."""

from __future__ import annotations

from collections.abc import Sequence

from motionweave.studio.document.document import ShelfClip
from motionweave.studio.screens import snippets
from motionweave.studio.screens.framespace.model import FramespaceSettings, Table, cyclic
from motionweave.studio.screens.snippets import Snippet

_CURVE_FILE = "interpolant.csv"


def as_code(clips: Sequence[ShelfClip], settings: FramespaceSettings, *, clean: bool) -> Snippet:
    """How to mix clips like that outside the studio."""
    names = snippets.named(clips)
    arguments = [f"[{', '.join(one.variable for one in names)}]"]
    lines, files = [], []
    words: list[object] = []
    if settings.drawn(len(clips)):
        rows = [list(row) for row in settings.vertices]
        arguments.append("vertices")
        lines.append(f"vertices = {rows!r}")
        text = "\n".join(",".join(snippets.number(v) for v in row) for row in rows)
        files.append(snippets.heredoc(_CURVE_FILE, text))
        words = ["--interpolant", _CURVE_FILE]
    elif settings.shape is not None:
        arguments.append(repr(settings.shape))
        words = ["--shape", settings.shape]
    if settings.cycles is not None:
        arguments.append(f"cycles={settings.cycles}")
        words += ["--cycles", settings.cycles]
    edited = [settings.events.get(clip.id) for clip in clips]
    if any(table is not None for table in edited):
        lines += ["events = [", *(f"    {_python(table)}," for table in edited), "]"]
        arguments.append("events=events")
        words.append("--events")
        for one, table in zip(names, edited, strict=True):
            file = f"{one.variable}.events.csv"
            words.append("-" if table is None else file)
            if table is not None:
                files.append(snippets.heredoc(file, _csv(table)))
    ways = cyclic(clips, settings)
    if any(way is not None for way in ways):
        arguments.append(f"cyclic={ways!r}")
        for number, way in enumerate(ways, start=1):
            if way is not None:
                stretch = f"{way[0]}:{way[1]}" if isinstance(way, tuple) else "once"
                words += ["--cycle", f"{number}={stretch}"]
    if settings.decoupled:
        arguments.append("decoupled=True")
        words.append("--decoupled")
    if not clean:
        arguments.append("clean=False")
        words.append("--no-clean")
    return Snippet(
        snippets.script(
            names,
            *lines,
            f"motion = mw.framespace({', '.join(arguments)})",
            f"mw.save(motion, {snippets.OUTPUT!r})",
        ),
        snippets.commands(
            names,
            *files,
            snippets.command(
                "motionweave",
                "framespace",
                *(one.file for one in names),
                *words,
                "-o",
                snippets.OUTPUT,
            ),
        ),
    )


def _python(table: Table | None) -> str:
    if table is None:
        return "None"
    states = ", ".join(
        f"mw.State({frame!r}, {set(labels)!r}, {half!r})" for frame, half, labels in table
    )
    return f"mw.EventTable(({states},))"


def _csv(table: Table) -> str:
    rows = [f"{snippets.number(frame)},{half},{' '.join(labels)}" for frame, half, labels in table]
    return "\n".join(["frame,half,labels", *rows])
