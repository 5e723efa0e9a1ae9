"""Many clips at once: folders and patterns, where each result goes, and several processes.

Importing this module loads neither NumPy nor anything else that is slow.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from motionweave.cli import common
from motionweave.cli.progress import progress
from motionweave.cli.warned import Warned, told
from motionweave.errors import FormatError, MotionError, MotionweaveError, QualityWarning

Item = TypeVar("Item")
Result = TypeVar("Result")

_WILD = frozenset("*?[")


def expand(args: argparse.Namespace) -> None:
    """Replace folders and patterns in ``args.clips`` by their motion files.

    ``args.several`` says whether the result is about any number of clips, and
    ``args.inside`` where in its folder each file was found.
    """
    given: list[Path] = args.clips
    args.inside = {}
    clips: list[Path] = []
    for path in given:
        if not path.is_dir() and (path.exists() or _WILD.isdisjoint(str(path))):
            clips.append(path)
            continue
        from motionweave.clips import motion_files

        base = path if path.is_dir() else _plain_part(path)
        files = motion_files(path)
        args.inside |= {file: file.relative_to(base) for file in files}
        clips += files
    args.clips = clips
    args.several = len(clips) > 1 or clips != given


def _plain_part(pattern: Path) -> Path:
    """The folder before the first wildcard of a pattern."""
    wild = next(i for i, part in enumerate(pattern.parts) if not _WILD.isdisjoint(part))
    return Path(*pattern.parts[:wild])


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """The arguments ``-o`` and ``--format`` of verbs that make one file per clip."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="file to write; for several clips a folder, which is created if needed",
    )
    parser.add_argument(
        "--format",
        metavar="SUFFIX",
        help="format of the files in the output folder, such as glb (default: each clip's own)",
    )


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """The option ``--jobs``: how many clips are processed at a time."""
    parser.add_argument(
        "--jobs",
        type=_count,
        default=1,
        metavar="N",
        help="number of processes that work on clips in parallel (default: 1)",
    )


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number, 1 or more")
    return int(text)


def outputs(
    args: argparse.Namespace, suffix: str | None = None, *, motion: bool = True
) -> list[tuple[Path, Path]]:
    """Which clip becomes which file, checked before any work is done.

    Parameters
    ----------
    args
        With ``clips``, ``output`` and, unless ``suffix`` is given, ``format``.
    suffix
        The suffix of files in a folder; by default that of ``--format``, otherwise
        as the clip's own.
    motion
        Whether the outputs are motions.
    """
    output: Path = args.output
    wanted = suffix or (f".{args.format.lstrip('.')}" if args.format else None)
    folder = output.is_dir() or args.several or (wanted is not None and not output.suffix)
    if not folder:
        common.check_output(output, args.clips, motion=motion)
        return [(args.clips[0], output)]
    if output.suffix and not output.is_dir():
        raise FormatError("for several clips, the output must be a folder", output)
    pairs: dict[Path, Path] = {}
    for path in args.clips:
        place = args.inside.get(path, Path(path.name))
        target = output / place.with_name(f"{place.stem}{wanted or place.suffix}")
        target.parent.mkdir(parents=True, exist_ok=True)
        common.check_output(target, args.clips, motion=motion)
        if target in pairs:
            raise FormatError(f"both {pairs[target]} and {path} would be written here", target)
        pairs[target] = path
    return [(path, target) for target, path in pairs.items()]


def only_for_one(args: argparse.Namespace, *options: str) -> None:
    """Refuse options for a single clip if there are several."""
    for name in options:
        if args.several and getattr(args, name) is not None:
            flag = "--" + name.replace("_", "-")
            raise MotionError(f"{flag} works with one clip, and {len(args.clips)} were given")


def answer(args: argparse.Namespace, found: Sequence[tuple[Any, str]], code: int) -> int:
    """Print data and text of each clip; returns the exit code."""
    data = [one for one, _ in found]
    common.emit(args, data if args.several else data[0], "\n".join(text for _, text in found))
    return code


def each(
    args: argparse.Namespace,
    items: Sequence[Item],
    work: Callable[[argparse.Namespace, Item], Result],
    label: str,
) -> tuple[list[Result], int]:
    """Do the same for each of several clips, in ``args.jobs`` processes.

    A clip that fails is reported in one line on stderr and left out; a single one just fails.

    Parameters
    ----------
    args
        The parsed arguments, passed to ``work``.
    items
        A path for each clip, or a tuple that begins with it.
    work
        A function of a module, so that other processes can find it.
    label
        What is being done, for the progress bar.

    Returns
    -------
    list, int
        Results in the order of the items, and the exit code: 2 if any failed.
    """
    if args.jobs > 1 and len(items) > 1:
        return _in_processes(args, items, work, label)
    results: list[Result] = []
    failed: list[Item] = []
    for item in progress(items, label):
        args.warned.about = _name(item) if args.several else ""
        with _each_for_itself(args, failed, item):
            results.append(work(args, item))
    args.warned.about = ""
    return results, 2 if failed else 0


def _name(item: Any) -> str:
    return str(item[0] if isinstance(item, tuple) else item)


@contextmanager
def _each_for_itself(args: argparse.Namespace, failed: list[Any], item: Any) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except (MotionweaveError, OSError) as error:
        if not args.several:
            raise
        print(f"motionweave: {told(error, _name(item))}", file=sys.stderr)
        failed.append(item)


def _in_processes(
    args: argparse.Namespace,
    items: Sequence[Item],
    work: Callable[[argparse.Namespace, Item], Result],
    label: str,
) -> tuple[list[Result], int]:
    from motionweave.core.runtime.processes import processes
    from motionweave.library.engine import in_order

    plain = argparse.Namespace(**{k: v for k, v in vars(args).items() if k not in _OURS})
    results: list[Result] = []
    failed = False
    # A fresh process, so that nothing depends on what this one has done so far.
    with processes(min(args.jobs, len(items)), "spawn") as pool:
        done = in_order(pool, partial(_apart, work, plain), items)
        for item, answer in zip(items, progress(done, label, len(items)), strict=True):
            result, error, warned, notices = answer
            args.warned.about = _name(item)
            args.warned.repeat(warned, notices)
            if error is None:
                results.append(result)
            else:
                print(f"motionweave: {error}", file=sys.stderr)
                failed = True
    args.warned.about = ""
    return results, 2 if failed else 0


# What belongs to this process.
_OURS = ("run", "warned")


def _apart(
    work: Callable[[argparse.Namespace, Any], Any], args: argparse.Namespace, item: Any
) -> tuple[Any, str | None, list[QualityWarning], list[str]]:
    """The work on one clip in another process: its result, or its error as a line; warnings."""
    args.warned = Warned(quiet=True)
    result, error = None, None
    with args.warned.listening():
        try:
            result = work(args, item)
        except (MotionweaveError, OSError) as problem:
            error = told(problem, _name(item))
    return result, error, args.warned.messages, args.warned.notices
