"""``motionweave library add``, ``info`` and ``remove``: what is in the library."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motionweave.cli.library.work import cluster_argument, workers
from motionweave.cli.progress import bar

if TYPE_CHECKING:
    from motionweave.library.library import Library


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", type=Path, nargs="*", help="files and folders (default: all)")
    cluster_argument(parser)


def add(args: argparse.Namespace, library: Library) -> tuple[Any, str]:
    with workers(args) as executor, bar("reading") as progress:
        report = library.add(*args.paths, executor=executor, progress=progress)
    return vars(report), str(report)


def info_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def info(args: argparse.Namespace, library: Library) -> tuple[Any, str]:
    info = library.info()
    lines = [
        f"{info['clips']} clips of {info['rigs']} rigs, {info['frames']} frames, "
        f"{info['seconds'] / 60:.1f} min; {info['bytes'] / 1e6:.1f} MB kept",
        f"most frequent words: {', '.join(list(info['words'])[:20])}",
    ]
    if not info["clips"]:
        lines = [f"no clips yet; run `motionweave library add {args.folder}` to index them"]
    if info["broken"]:
        many = len(info["broken"])
        lines.append(f"{many} file{'s' * (many != 1)} could not be read:")
        lines += [f"  {path}: {reason}" for path, reason in info["broken"].items()]
    return info, "\n".join(lines)


def remove_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", type=Path, nargs="+", help="clips or folders of clips")


def remove(args: argparse.Namespace, library: Library) -> tuple[Any, str]:
    gone = library.remove(*args.paths)
    return list(gone), f"{len(gone)} clip{'s' * (len(gone) != 1)} forgotten"
