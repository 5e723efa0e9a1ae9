"""A blend as Python and as command lines."""

from __future__ import annotations

from collections.abc import Sequence

from motionweave.studio.document.document import Document
from motionweave.studio.screens import snippets
from motionweave.studio.screens.blend.keys import WeightKey
from motionweave.studio.screens.blend.model import BlendSettings, as_found, asked_for, parts
from motionweave.studio.screens.snippets import Snippet

# Lines of Python, words of the command, and what has to be written before the command.
_Call = tuple[list[str], list[object], list[str]]


def as_code(document: Document) -> Snippet:
    """How to make the same blend outside the studio."""
    settings: BlendSettings = document.settings["blend"]
    clips, weights = parts(document)
    settings = as_found(clips, settings)
    names = snippets.named(clips)
    clean = document.settings["common"].clean
    asked = asked_for(clips, settings)
    if asked:
        python, words, tables = _by_measure(asked, clean)
    elif settings.mode == "time" and settings.keys:
        python, words, tables = _over_time(settings.keys, settings.duration, clean)
    else:
        python, words, tables = _constant(weights, settings, clean)
    options, flags = _registering(settings)
    arguments = ", ".join(one.variable for one in names)
    verb = "parametric" if asked else "blend"
    keep = [] if clean else ["--no-clean"]
    call = snippets.command(
        "motionweave",
        verb,
        *(one.file for one in names),
        *flags,
        *words,
        *keep,
        "-o",
        snippets.OUTPUT,
    )
    return Snippet(
        snippets.script(
            names,
            f"curve = mw.register({arguments}{options})",
            *python,
            f"mw.save(motion, {snippets.OUTPUT!r})",
        ),
        snippets.commands(names, *tables, call),
    )


def _registering(settings: BlendSettings) -> tuple[str, list[object]]:
    """Parameters of `register`, and the same as words of the command."""
    options = ""
    flags: list[object] = []
    if settings.cyclic:
        options, flags = ", ends='cyclic'", ["--ends", "cyclic"]
    elif settings.ends != "auto":
        options, flags = f", ends={settings.ends!r}", ["--ends", settings.ends]
    if settings.slope_limit != 2:
        options += f", slope_limit={settings.slope_limit}"
        flags += ["--slope-limit", settings.slope_limit]
    return options, flags


def _constant(weights: Sequence[float], settings: BlendSettings, clean: bool) -> _Call:
    length = f", duration={snippets.number(settings.duration)}" if settings.cyclic else ""
    python = [f"motion = mw.blend(curve, {snippets.numbers(weights)}{length}{_cleaning(clean)})"]
    words: list[object] = ["--weights", ",".join(snippets.number(w) for w in weights)]
    if settings.cyclic:
        words += ["--duration", snippets.number(settings.duration)]
    return python, words, []


def _over_time(keys: Sequence[WeightKey], duration: float, clean: bool) -> _Call:
    length = snippets.number(duration)
    python = [
        "from motionweave.methods.blending.weights import over_time",
        "",
        f"times = {snippets.numbers([t for t, _ in keys])}",
        "rows = [" + ", ".join(snippets.numbers(row) for _, row in keys) + "]",
        f"motion = mw.blend(curve, over_time(times, rows), duration={length}{_cleaning(clean)})",
    ]
    table = "\n".join(",".join(snippets.number(v) for v in (t, *row)) for t, row in keys)
    words: list[object] = ["--weights-over-time", "weights.csv", "--duration", length]
    return python, words, [snippets.heredoc("weights.csv", table)]


def _by_measure(asked: dict[str, float], clean: bool) -> _Call:
    values = ", ".join(f"{n}={snippets.number(v)}" for n, v in asked.items())
    python = [
        f"space = mw.parametric(curve, {list(asked)!r})",
        f'motion = space.at({values}, outside="nearest"{_cleaning(clean)}).motion',
    ]
    words: list[object] = []
    for name, value in asked.items():
        words += ["--set", f"{name}={snippets.number(value)}"]
    return python, [*words, "--nearest"], []


def _cleaning(clean: bool) -> str:
    return "" if clean else ", clean=False"
