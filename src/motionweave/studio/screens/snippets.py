"""What is on screen as Python and as command lines: the exact calls that make it again."""

from __future__ import annotations

import keyword
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from motionweave.studio.document.document import ShelfClip


@dataclass(frozen=True)
class Snippet:
    """How to make a result outside the studio.

    Parameters
    ----------
    python
        A script that leaves the result in ``motion``.
    commands
        Command lines that leave it in ``OUTPUT``.
    """

    python: str
    commands: str


OUTPUT = "motion.bvh"


@dataclass(frozen=True)
class Named:
    """A clip with the names that stand for it in a recipe: a variable, and a file."""

    clip: ShelfClip
    variable: str
    file: str


def named(clips: Sequence[ShelfClip]) -> list[Named]:
    """Names for clips, each different; a clip that is used twice has one name."""
    found: dict[str, Named] = {}
    variables: set[str] = {"mw", "motion", "curve", "space"}
    files: set[str] = {OUTPUT}
    for clip in clips:
        if clip.id not in found:
            variable = _unique(_identifier(clip.name), variables, "_")
            path = PurePath(_file(clip))
            edited = clip.trim is not None or clip.mirrored or bool(_animation(clip))
            stem = f"{path.stem}_edited" if edited else path.stem
            file = _unique(stem, {PurePath(f).stem for f in files}, "_") + path.suffix
            found[clip.id] = Named(clip, variable, file)
            variables.add(variable)
            files.add(file)
    return [found[clip.id] for clip in clips]


def script(clips: Sequence[Named], *body: str) -> str:
    """A Python script: the clips, then the lines that use them."""
    lines = ["import motionweave as mw", ""]
    for one in dict.fromkeys(clips):
        lines += _loading(one)
    return "\n".join([*lines, *body]) + "\n"


def commands(clips: Sequence[Named], *body: str) -> str:
    """Command lines: what makes the files of the clips, then what uses them."""
    lines: list[str] = []
    for one in dict.fromkeys(clips):
        lines += _preparing(one)
    return "\n".join([*lines, *body]) + "\n"


def alone(clip: ShelfClip) -> Snippet:
    """How to have one clip of the shelf, with its edits."""
    (one,) = named([clip])
    line = f"mw.save({one.variable}, {OUTPUT!r})"
    words = command("motionweave", "convert", one.file, "-o", OUTPUT)
    return Snippet(script([one], f"motion = {one.variable}", line), commands([one], words))


def performed_by(recipe: Snippet, clip: ShelfClip) -> Snippet:
    """How to have a result on the body of a clip."""
    (body,) = named([clip])
    body = replace(body, variable="body")
    *lines, last = recipe.python.splitlines()
    made = [*lines, *_loading(body), "motion = mw.retarget(motion, body)", last]
    words = ["motionweave", "retarget", OUTPUT, body.file, "-o", f"worn_{OUTPUT}"]
    commands = [recipe.commands.rstrip("\n"), *_preparing(body), command(*words)]
    return Snippet("\n".join(made) + "\n", "\n".join(commands) + "\n")


def command(*words: object) -> str:
    """A command line, quoted where needed."""
    return shlex.join(str(word) for word in words)


def heredoc(file: str, content: str) -> str:
    """A command that writes a small text file."""
    return f"cat > {shlex.quote(file)} <<'END'\n{content}\nEND"


def number(value: float) -> str:
    """A number as short as it can be without being another one."""
    return f"{value:.6g}"


def numbers(values: Sequence[float]) -> str:
    """A Python list of numbers."""
    return f"[{', '.join(number(v) for v in values)}]"


def _loading(one: Named) -> list[str]:
    clip, variable = one.clip, one.variable
    sampled = clip.origin == "sample"
    which = _animation(clip)
    chosen = f", animation={which!r}" if which else ""
    call = f"mw.sample({clip.source!r})" if sampled else f"mw.load({_file(clip)!r}{chosen})"
    if clip.trim is not None:
        call += f"[{clip.trim[0]}:{clip.trim[1] + 1}]"
    if clip.mirrored:
        call = f"mw.mirror({call})"
    note = "  # a result of the studio: export it from the shelf" if clip.origin == "result" else ""
    return [f"{variable} = {call}{note}"]


def _preparing(one: Named) -> list[str]:
    clip = one.clip
    lines = []
    original = _file(clip)
    if clip.origin == "sample":
        lines.append(command("motionweave", "samples", "write", ".", "--names", clip.source))
    elif clip.origin == "result":
        lines.append(f"# {original} is a result of the studio: export it from the shelf")
    if one.file != original:
        words: list[object] = ["motionweave", "convert", original, "-o", one.file]
        if _animation(clip):
            words += ["--option", f"animation={_animation(clip)}"]
        if clip.trim is not None:
            words += ["--trim", f"{clip.trim[0]}:{clip.trim[1]}"]
        if clip.mirrored:
            words.append("--mirror")
        lines.append(command(*words))
    return lines


def _animation(clip: ShelfClip) -> str:
    """Which animation of its file a clip is; empty if the file has one alone."""
    if clip.original is None or clip.origin != "file":
        return ""
    names = clip.original.source.get("animations", ())
    return clip.original.name if len(names) > 1 and clip.original.name in names else ""


def _file(clip: ShelfClip) -> str:
    """The file that holds the clip as it was loaded."""
    if clip.origin == "sample":
        return f"{clip.source}.bvh"
    return clip.source if clip.origin == "file" else f"{_identifier(clip.name)}.bvh"


def _identifier(name: str) -> str:
    word = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower() or "clip"
    return f"clip_{word}" if word[0].isdigit() or keyword.iskeyword(word) else word


def _unique(name: str, taken: set[str], joint: str) -> str:
    if name not in taken:
        return name
    return next(
        f"{name}{joint}{n}" for n in range(2, len(taken) + 3) if f"{name}{joint}{n}" not in taken
    )
