"""A sequence as Python and as command lines."""

from __future__ import annotations

from motionweave.studio import snippets
from motionweave.studio.document import Document
from motionweave.studio.screens.sequence_model import (
    PlayedBlock,
    SequenceSettings,
    parts_of,
    wanted,
)
from motionweave.studio.snippets import Named, Snippet


def as_code(document: Document, *, clean: bool) -> Snippet:
    """How to make the same sequence with the library and on the command line."""
    settings: SequenceSettings = document.settings["sequence"]
    parts = parts_of(document)
    names = snippets.named([part.clip for part in parts])
    played = [_played(part, name) for part, name in zip(parts, names, strict=True)]
    files, making = _files(parts, names)
    save = f"mw.save(motion, {snippets.OUTPUT!r})"
    if len(parts) == 1:
        command = snippets.command("motionweave", "convert", files[0], "-o", snippets.OUTPUT)
        return Snippet(
            snippets.script(names, f"motion = {played[0]}", save),
            snippets.commands(names, *making, command),
        )
    places, halves = wanted(settings, parts)
    call = [f"    {one}," for one in played]
    words: list[object] = []
    if any(place is not None for place in places):
        call.append(f"    at=[{', '.join(_place(place) for place in places)}],")
        for place in places:
            at = "best" if place is None else ",".join(snippets.number(f) for f in place)
            words += ["--at", at]
    if any(half is not None for half in halves):
        call.append(f"    half_width=[{', '.join(str(half) for half in halves)}],")
        for half in halves:
            words += ["--half-width", "usual" if half is None else half]
    if settings.keep == "all":
        call.append('    keep="all",')
        words += ["--keep", "all"]
    if not clean:
        call.append("    clean=False,")
        words.append("--no-clean")
    command = snippets.command("motionweave", "transition", *files, *words, "-o", snippets.OUTPUT)
    return Snippet(
        snippets.script(names, "motion = mw.transition(", *call, ")", save),
        snippets.commands(names, *making, command),
    )


def _place(place: tuple[float, float] | None) -> str:
    if place is None:
        return "None"
    return f"({snippets.number(place[0])}, {snippets.number(place[1])})"


def _played(part: PlayedBlock, name: Named) -> str:
    """What a block plays, as Python."""
    text, block = name.variable, part.block
    if _is_cut(part):
        text += f"[{part.trim[0]}:{part.trim[1] + 1}]"
    if block.mirrored:
        text = f"mw.mirror({text})"
    return text if block.speed == 1.0 else f"{text}.faster({snippets.number(block.speed)})"


def _files(parts: list[PlayedBlock], names: list[Named]) -> tuple[list[str], list[str]]:
    """The file of every block, and the command lines that make those of edited blocks."""
    files, making = [], []
    for number, (part, name) in enumerate(zip(parts, names, strict=True), start=1):
        words: list[object] = []
        if _is_cut(part):
            words += ["--trim", f"{part.trim[0]}:{part.trim[1]}"]
        if part.block.mirrored:
            words.append("--mirror")
        if part.block.speed != 1.0:
            words += ["--faster", snippets.number(part.block.speed)]
        if not words:
            files.append(name.file)
            continue
        files.append(f"block_{number}.bvh")
        making.append(
            snippets.command("motionweave", "convert", name.file, "-o", files[-1], *words)
        )
    return files, making


def _is_cut(part: PlayedBlock) -> bool:
    return part.trim != (0, len(part.clip.motion) - 1)
