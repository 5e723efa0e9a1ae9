"""A sequence as Python and as command lines."""

from __future__ import annotations

from collections.abc import Sequence

from motionweave.studio.document.document import Document, ShelfClip
from motionweave.studio.screens import snippets
from motionweave.studio.screens.library.code import opening
from motionweave.studio.screens.sequence.joining import Bridge, joined, rows_of, wanted
from motionweave.studio.screens.sequence.model import (
    ChosenSeam,
    PlayedBlock,
    SequenceSettings,
    parts_of,
    seams_of,
)
from motionweave.studio.screens.snippets import Named, Snippet

Rows = Sequence[Sequence[PlayedBlock]]


def as_code(document: Document, *, clean: bool) -> Snippet:
    """How to make the same sequence with the library and on the command line."""
    parts = parts_of(document)
    overs = [part.over for part in parts if part.over is not None]
    names = snippets.named([*(part.clip for part in parts), *overs])
    rows = rows_of(parts, seams_of(document.settings["sequence"], parts))
    bridges = joined(document, clean=clean).bridges if len(rows) > 1 else ()
    return Snippet(
        snippets.script(names, *_python(document, rows, names, bridges, clean)),
        snippets.commands(names, *_commands(document, rows, names, bridges, clean)),
    )


def _python(
    document: Document, rows: Rows, names: Sequence[Named], bridges: Sequence[Bridge], clean: bool
) -> list[str]:
    blocks = [part for row in rows for part in row]
    played = [_played(part, names) for part in blocks]
    lines = []
    if any(bridge.seconds is not None for bridge in bridges):
        lines += opening(document.settings["library"])[0]
    if bridges:
        body = blocks[0].motion.skeleton
        for number, part in enumerate(blocks[1:], start=1):
            if part.motion.skeleton != body:
                block = f"block_{number + 1}"
                both = f"{played[0]}, {played[number]}"
                lines.append(f"{block} = mw.on_common_skeleton(({both}))[1]")
                played[number] = block
    done = 0
    for number, row in enumerate(rows, start=1):
        own = played[done : done + len(row)]
        done += len(row)
        name = "motion" if number == 1 else f"row_{number}"
        if len(row) == 1:
            lines.append(f"{name} = {own[0]}")
        else:
            options = [f"    {one}," for one in (*own, *_options(document, row, clean)[0])]
            lines += [f"{name} = mw.transition(", *options, ")"]
        if number > 1:
            lines.append(f"motion = {_bridged(bridges[number - 2], name, clean)}")
    return [*lines, f"mw.save(motion, {snippets.OUTPUT!r})"]


def _bridged(bridge: Bridge, row: str, clean: bool) -> str:
    """A row added to what is there already, as Python."""
    how = "" if clean else ", clean=False"
    if bridge.seconds is None or bridge.placed is None:
        shape = "".join(f", {name}={value}" for name, value in _shape(bridge).items())
        return f"mw.spline_transition(motion, {row}, {bridge.leave}, {bridge.enter}{shape}{how})"
    placed = bridge.placed
    move = ", ".join(snippets.number(one) for one in (placed.angle, placed.x, placed.z))
    after = f"{row}[{bridge.enter}:]" if bridge.enter else row
    seconds = snippets.number(bridge.seconds)
    parts = f"motion[:{bridge.leave + 1}], {after}.moved(mw.Planar({move}))"
    return f"mw.inbetween({parts}, {seconds}, library{how})"


def _shape(bridge: Bridge) -> dict[str, str]:
    """What a spline is like, where that is not as usual."""
    seam, usual = bridge.spline, ChosenSeam(("", ""))
    if seam is None:
        return {}
    given = {name: getattr(seam, name) for name in ("degree", "length", "bias")}
    return {
        name: snippets.number(value)
        for name, value in given.items()
        if value != getattr(usual, name)
    }


def _commands(
    document: Document, rows: Rows, names: Sequence[Named], bridges: Sequence[Bridge], clean: bool
) -> list[str]:
    if any(bridge.seconds is not None for bridge in bridges):
        # No command puts a clip at its place on the floor.
        return ["# filled gaps between blocks can be made in Python only"]
    files, lines = _files([part for row in rows for part in row], names)
    if len(files) == 1:
        return [*lines, snippets.command("motionweave", "convert", *files, "-o", snippets.OUTPUT)]
    done, whole = 0, ""
    for number, row in enumerate(rows, start=1):
        own = files[done : done + len(row)]
        done += len(row)
        file = own[0]
        if len(row) > 1:
            file = f"row_{number}.bvh" if bridges else snippets.OUTPUT
            words = [*own, *_options(document, row, clean)[1], "-o", file]
            lines.append(snippets.command("motionweave", "transition", *words))
        if number > 1:
            bridge = bridges[number - 2]
            made = snippets.OUTPUT if number == len(rows) else f"rows_1_to_{number}.bvh"
            place: list[object] = ["--leave", bridge.leave, "--enter", bridge.enter]
            # In one word, as a number may have a minus.
            place += [f"--{name}={value}" for name, value in _shape(bridge).items()]
            how = [] if clean else ["--no-clean"]
            words = [whole, file, *place, *how, "-o", made]
            lines.append(snippets.command("motionweave", "spline", *words))
            file = made
        whole = file
    return lines


def _options(
    document: Document, row: Sequence[PlayedBlock], clean: bool
) -> tuple[list[str], list[object]]:
    """How the blocks of a row are joined, as arguments in Python and on the command line."""
    settings: SequenceSettings = document.settings["sequence"]
    places, halves = wanted(settings, row)
    call: list[str] = []
    words: list[object] = []
    if any(place is not None for place in places):
        call.append(f"at=[{', '.join(_place(place) for place in places)}]")
        for place in places:
            at = "best" if place is None else ",".join(snippets.number(f) for f in place)
            words += ["--at", at]
    if any(half is not None for half in halves):
        call.append(f"half_width=[{', '.join(str(half) for half in halves)}]")
        for half in halves:
            words += ["--half-width", "usual" if half is None else half]
    if settings.keep == "all":
        call.append('keep="all"')
        words += ["--keep", "all"]
    if not clean:
        call.append("clean=False")
        words.append("--no-clean")
    return call, words


def _place(place: tuple[float, float] | None) -> str:
    if place is None:
        return "None"
    return f"({snippets.number(place[0])}, {snippets.number(place[1])})"


def _name(clip: ShelfClip, names: Sequence[Named]) -> Named:
    return next(one for one in names if one.clip.id == clip.id)


def _played(part: PlayedBlock, names: Sequence[Named]) -> str:
    """What a block plays, as Python."""
    text, block = _name(part.clip, names).variable, part.block
    if _is_cut(part):
        text += f"[{part.trim[0]}:{part.trim[1] + 1}]"
    if block.mirrored:
        text = f"mw.mirror({text})"
    if block.speed != 1.0:
        text += f".faster({snippets.number(block.speed)})"
    if block.over is not None and part.over is not None:
        how = f"{block.over.part!r}, start={part.over_start}"
        how += f", weight={snippets.number(block.over.weight)}" if block.over.weight != 1.0 else ""
        text = f"mw.layer({text}, {_name(part.over, names).variable}, {how})"
    return text


def _files(parts: Sequence[PlayedBlock], names: Sequence[Named]) -> tuple[list[str], list[str]]:
    """The file of every block, and the command lines that make those of edited blocks."""
    files, making = [], []
    for number, part in enumerate(parts, start=1):
        file = _name(part.clip, names).file
        words: list[object] = []
        if _is_cut(part):
            words += ["--trim", f"{part.trim[0]}:{part.trim[1]}"]
        if part.block.mirrored:
            words.append("--mirror")
        if part.block.speed != 1.0:
            words += ["--faster", snippets.number(part.block.speed)]
        if words:
            made = f"block_{number}.bvh"
            making.append(snippets.command("motionweave", "convert", file, "-o", made, *words))
            file = made
        over = part.block.over
        if over is not None and part.over is not None:
            made = f"layered_{number}.bvh"
            how: list[object] = ["--part", over.part, "--start", part.over_start]
            how += ["--weight", snippets.number(over.weight)] if over.weight != 1.0 else []
            lent = _name(part.over, names).file
            making.append(snippets.command("motionweave", "layer", file, lent, *how, "-o", made))
            file = made
        files.append(file)
    return files, making


def _is_cut(part: PlayedBlock) -> bool:
    return part.trim != (0, len(part.clip.motion) - 1)
