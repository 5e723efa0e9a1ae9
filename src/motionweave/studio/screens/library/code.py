"""A search in a library, a gap filled and a path followed, as Python and as command lines."""

from __future__ import annotations

from motionweave.studio.document.document import Document
from motionweave.studio.screens import snippets
from motionweave.studio.screens.library.model import (
    Found,
    LibrarySettings,
    found,
    gap_of,
    rigs_on_shelf,
    walked,
)
from motionweave.studio.screens.snippets import Snippet


def as_code(document: Document, *, clean: bool) -> Snippet:
    """How to find, fill or follow the same with the library and on the command line."""
    settings: LibrarySettings = document.settings["library"]
    if settings.mode == "walk":
        return _walking(document, clean)
    return _filling(document, clean) if settings.mode == "fill" else _finding(document)


def opening(settings: LibrarySettings) -> tuple[list[str], str]:
    """Python and the command that read the folder."""
    lines = [f"library = mw.Library({settings.folder!r})", "library.add()"]
    return lines, snippets.command("motionweave", "library", "add", settings.folder)


def _finding(document: Document) -> Snippet:
    settings: LibrarySettings = document.settings["library"]
    made: Found = found(document)
    examples = [] if made.example is None else [made.example]
    clips = snippets.named([*examples, *rigs_on_shelf(document)])
    names, rigs = clips[: len(examples)], clips[len(examples) :]
    alike = settings.least_alike if names else None
    lines, adding = opening(settings)
    given: dict[str, object] = {
        "most": settings.most,
        **({"part": settings.part} if settings.part else {}),
        **({"words": settings.words} if settings.words else {}),
        **({"through_others": True} if settings.through and names else {}),
        **({} if alike is None else {"alike": alike}),
        **({"itself": False} if names else {}),
    }
    call = [one.variable for one in names] + [f"{key}={value!r}" for key, value in given.items()]
    call += [f"rigs=[{', '.join(one.variable for one in rigs)}]"] if rigs else []
    row = made.rows[made.chosen]
    lines += [
        f"found = library.find({', '.join(call)})",
        f"motion = found[{made.chosen}].load()",
        f"mw.save(motion, {snippets.OUTPUT!r})",
    ]
    words: list[object] = ["motionweave", "library", "find", settings.folder]
    words += [one.file for one in names]
    words += ["--most", settings.most]
    words += ["--part", settings.part] if settings.part else []
    words += ["--words", settings.words] if settings.words else []
    words += ["--through"] if settings.through and names else []
    words += [] if alike is None else ["--alike", alike]
    words += ["--no-self"] if names else []
    words += [word for one in rigs for word in ("--rig", one.file)]
    trim = ["--trim", f"{row.first}:{row.last}"]
    file = f"{settings.folder.rstrip('/')}/{row.clip}"
    cutting = ["motionweave", "convert", file, "-o", snippets.OUTPUT, *trim]
    return Snippet(
        snippets.script(clips, *lines),
        snippets.commands(clips, adding, snippets.command(*words), snippets.command(*cutting)),
    )


def _filling(document: Document, clean: bool) -> Snippet:
    settings: LibrarySettings = document.settings["library"]
    (clip,) = document.usable(settings.clips)[:1]
    (name,) = snippets.named([clip])
    first, last = gap_of(settings, len(clip.motion))
    seconds = snippets.number((last + 2 - first) / clip.motion.fps)
    lines, adding = opening(settings)
    parts = f"{name.variable}[:{first}], {name.variable}[{last + 1}:]"
    how = "" if clean else ", clean=False"
    lines += [
        f"motion = mw.inbetween({parts}, {seconds}, library{how})",
        f"mw.save(motion, {snippets.OUTPUT!r})",
    ]
    end = len(clip.motion) - 1
    cuts = [("before.bvh", f"0:{first - 1}"), ("after.bvh", f"{last + 1}:{end}")]
    commands = [
        snippets.command("motionweave", "convert", name.file, "-o", file, "--trim", trim)
        for file, trim in cuts
    ]
    filling = ["motionweave", "library", "fill", settings.folder, "before.bvh", "after.bvh"]
    filling += ["--seconds", seconds, *([] if clean else ["--no-clean"]), "-o", snippets.OUTPUT]
    return Snippet(
        snippets.script([name], *lines),
        snippets.commands([name], adding, *commands, snippets.command(*filling)),
    )


def _walking(document: Document, clean: bool) -> Snippet:
    settings: LibrarySettings = document.settings["library"]
    lines, adding = opening(settings)
    places = [tuple(map(snippets.number, place)) for place in walked(document, clean=clean).path]
    listed = ", ".join(f"({x}, {z})" for x, z in places)
    among = f", graph=library.graph(words={settings.words!r})" if settings.words else ""
    how = "" if clean else ", clean=False"
    lines += [
        f"motion = library.walk([{listed}]{among}{how}).motion",
        f"mw.save(motion, {snippets.OUTPUT!r})",
    ]
    words: list[object] = ["motionweave", "library", "walk", settings.folder]
    words += ["--words", settings.words] if settings.words else []
    # In one word, as the first number may have a minus.
    words += [f"--path={' '.join(f'{x},{z}' for x, z in places)}"]
    words += [*([] if clean else ["--no-clean"]), "-o", snippets.OUTPUT]
    return Snippet(
        snippets.script([], *lines), snippets.commands([], adding, snippets.command(*words))
    )
