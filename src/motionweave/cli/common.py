"""What the verbs share: arguments, reading and writing clips, and telling the result.

Importing this module loads neither NumPy nor anything else that is slow.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motionweave.cli.progress import progress
from motionweave.errors import FormatError

if TYPE_CHECKING:
    from motionweave.core.motion import Motion

# Options of `load` that are not those of a reader, and have their own arguments.
_SAID_OTHERWISE = ("path", "contacts", "up", "drop_tpose", "fps", "rig")


def add_clips(parser: argparse.ArgumentParser, clips: str = "one") -> None:
    """Arguments that name clips and say how to read them.

    Parameters
    ----------
    parser
        The verb's parser.
    clips
        ``"one"`` for ``args.clip``, ``"several"`` for a list ``args.clips``,
        ``"none"`` for the options alone.
    """
    if clips == "one":
        parser.add_argument("clip", type=Path, help="motion file, of any supported format")
    elif clips == "several":
        parser.add_argument(
            "clips",
            type=Path,
            nargs="+",
            action=_Clips,
            metavar="clip",
            help="motion files of any supported formats, folders of them, or patterns such as "
            "'clips/**/*walk*.bvh'",
        )
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--up",
        choices=("y", "z", "-y", "-z"),
        help="up axis of the files, if detected wrongly; --up=-y if y points down in them",
    )
    group.add_argument(
        "--input-fps",
        type=float,
        metavar="FPS",
        help="true frame rate of the files, if they state a wrong one or none",
    )
    group.add_argument("--drop-tpose", action="store_true", help="leave out a T-pose at the start")
    group.add_argument(
        "--option",
        type=_option,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="option of the format's reader, such as animation=Run, asf=16.asf or rate=60",
    )
    group.add_argument("--rig", type=Path, metavar="FILE", help="JSON file that names joint roles")


class _Clips(argparse.Action):
    """Clips as ``clips``; skeletons (ASF) named together with takes (AMC) as ``skeletons``."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        paired = any(_is(path, ".amc") for path in values)
        namespace.skeletons = [path for path in values if paired and _is(path, ".asf")]
        namespace.clips = [path for path in values if path not in namespace.skeletons]


def _is(path: Path, suffix: str) -> bool:
    return path.suffix.lower() == suffix


def _option(text: str) -> tuple[str, str | float]:
    """A name and its value, converted to a number if possible."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier() or name in _SAID_OTHERWISE:
        raise argparse.ArgumentTypeError(f"{text!r}: expected NAME=VALUE such as animation=Run")
    try:
        return name, float(value)
    except ValueError:
        return name, value


def frame_range(text: str) -> tuple[int, int]:
    """The type of options that name two frames of a clip, such as ``30:200``."""
    first, colon, last = text.partition(":")
    if not (colon and first.isdigit() and last.isdigit() and int(first) < int(last)):
        raise argparse.ArgumentTypeError(f"{text!r}: expected two frames such as 30:200")
    return int(first), int(last)


def frame_or_range(text: str) -> tuple[int, int]:
    """The type of options that name two frames of a clip, or one, such as ``60``."""
    return (int(text), int(text)) if text.isdigit() else frame_range(text)


def add_output(parser: argparse.ArgumentParser, what: str = "file to write") -> None:
    """The argument ``-o FILE``, required."""
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help=what)


def add_json(parser: argparse.ArgumentParser) -> None:
    """The option ``--json``: the result on standard output as one JSON value."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def add_strictness(parser: argparse.ArgumentParser, default: bool | str = False) -> None:
    """The options ``--strict`` and ``--quiet``; with ``argparse.SUPPRESS`` as their default, those
    of an outer parser hold."""
    parser.add_argument(
        "--strict",
        action="store_true",
        default=default,
        help="fail (exit code 2) if there is any warning",
    )
    parser.add_argument(
        "--quiet",
        action="store_true",
        default=default,
        help="print neither warnings nor a summary",
    )


def add_cleaning(parser: argparse.ArgumentParser) -> None:
    """The option ``--no-clean``; feet are planted unless it is given."""
    parser.add_argument("--no-clean", action="store_true", help="do not plant the feet")


def load_clip(args: argparse.Namespace, path: Path, *, contacts: bool | Path = True) -> Motion:
    """Load one clip with the options of `add_clips`; warnings become lines on stderr."""
    from motionweave.clips import load

    options = dict(getattr(args, "option", ()))
    if _is(path, ".amc") and "asf" not in options:
        options.update(_skeleton(path, getattr(args, "skeletons", ())))
    return load(
        path,
        contacts=contacts,
        up=args.up,
        drop_tpose=args.drop_tpose,
        fps=args.input_fps,
        rig=getattr(args, "rig", None),
        **options,
    )


def load_clips(
    args: argparse.Namespace, paths: Sequence[Path], *, contacts: bool = True
) -> list[Motion]:
    """Load several clips, with a progress bar if that takes long."""
    return [
        load_clip(args, path, contacts=contacts) for path in progress(paths, "reading", len(paths))
    ]


def _skeleton(take: Path, skeletons: Iterable[Path]) -> dict[str, Any]:
    """The reader option that names the skeleton of a take."""
    from motionweave.io.acclaim.takes import skeleton_for

    chosen = skeleton_for(take.stem, {path.stem: path for path in skeletons})
    return {} if chosen is None else {"asf": chosen}


def check_output(output: Path, inputs: Iterable[Path] = (), *, motion: bool = True) -> None:
    """Refuse, before any work is done, an output that cannot or must not be written.

    Parameters
    ----------
    output
        The file to write.
    inputs
        Files that are read and must not be overwritten.
    motion
        Whether the output is a motion, whose suffix must name a format.
    """
    if motion:
        from motionweave.io.registry import format_of

        format_of(output, writing=True).require()
    if output.is_dir():
        raise FormatError("this is a folder; give the name of a file to write", output)
    if not output.parent.is_dir():
        raise FormatError(f"the folder {output.parent} does not exist", output)
    for path in inputs:
        if output.exists() and path.exists() and output.samefile(path):
            raise FormatError("this is an input; choose another name for the output", output)


def save_clip(motion: Motion, output: Path, **options: Any) -> None:
    """Save a motion; warnings become lines on stderr."""
    from motionweave.clips import save

    save(motion, output, **options)


def facts_of(motion: Motion, output: Path, *others: Path | None) -> dict[str, Any]:
    """What every verb tells about the motion that it wrote to ``output``.

    ``others`` are further files that were written, such as a plot; None if one was not wanted.
    """
    return {
        "output": str(output),
        "frames": len(motion),
        "fps": motion.fps,
        "seconds": motion.duration,
        "contacts": len(motion.constraints),
        "written": [str(path) for path in (output, *others) if path is not None],
    }


def summary(facts: Mapping[str, Any], *notes: str, contacts: bool = True) -> str:
    """`facts_of` a motion in one line, then notes of the verb, then the other files.

    Without ``contacts`` those are left out: a verb that does not look for any cannot count them.
    """
    from motionweave.core.checks import counted

    first = (
        f"{facts['output']}: {counted(facts['frames'], 'frame')} at {facts['fps']:.4g} fps, "
        f"{facts['seconds']:.2f} s"
    )
    if contacts:
        first += f", {counted(facts['contacts'], 'contact')}"
    return "\n".join([first, *notes, *(f"wrote {path}" for path in facts["written"][1:])])


def emit(args: argparse.Namespace, data: Any, text: str) -> None:
    """Print the result: ``data`` if JSON is wanted, otherwise ``text``."""
    if args.json:
        if isinstance(data, Mapping):
            data = {**data, "warnings": args.warned.as_data()}
        print(json.dumps(data, indent=2, ensure_ascii=False, default=_plain))
    elif text and not args.quiet:
        print(text)


def _plain(value: Any) -> Any:
    """NumPy values, paths and mappings as plain JSON values."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no JSON form")
