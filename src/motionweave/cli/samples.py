"""``motionweave samples``: list the built-in clips, or write them to files."""

from __future__ import annotations

import argparse
from pathlib import Path

from motionweave.cli import common
from motionweave.cli.progress import progress
from motionweave.errors import FormatError, MotionError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "write"),
        default="list",
        help="list them (the default), or write them as files",
    )
    parser.add_argument(
        "folder", nargs="?", type=Path, help="folder to write to; created if needed"
    )
    parser.add_argument(
        "--names", nargs="+", metavar="NAME", help="only these clips, such as walk jog_left"
    )
    parser.add_argument("--fps", type=float, default=30.0, help="frames per second (default: 30)")
    parser.add_argument(
        "--format", default="bvh", metavar="SUFFIX", help="file format to write (default: bvh)"
    )
    common.add_json(parser)


def run(args: argparse.Namespace) -> None:
    from motionweave import samples

    chosen = tuple(dict.fromkeys(args.names or samples.names()))
    for name in chosen:
        samples.describe(name)  # an unknown name is reported before anything is written
    if args.action == "write":
        _write(args, chosen)
        return
    if args.folder is not None:
        raise MotionError(
            f"to write clips to {args.folder}: motionweave samples write {args.folder}"
        )
    facts = [
        {
            "name": name,
            "description": samples.describe(name),
            "parameters": samples.parameters(name),
        }
        for name in chosen
    ]
    width = max(len(name) for name in chosen)
    text = "\n".join(f"{fact['name']:<{width}}  {fact['description']}" for fact in facts)
    common.emit(args, facts, text)


def _write(args: argparse.Namespace, chosen: tuple[str, ...]) -> None:
    from motionweave import samples
    from motionweave.io.registry import format_of

    if args.folder is None:
        raise MotionError("say where to write: motionweave samples write FOLDER")
    suffix = "." + args.format.lower().lstrip(".")
    format_of(Path(f"clip{suffix}"), writing=True).require()
    if args.folder.exists() and not args.folder.is_dir():
        raise FormatError("this is a file; give a folder to write into", args.folder)
    args.folder.mkdir(parents=True, exist_ok=True)
    facts = []
    for name in progress(chosen, "writing"):
        motion = samples.sample(name, fps=args.fps)
        target = args.folder / f"{name}{suffix}"
        common.save_clip(motion, target)
        facts.append(
            {
                "name": name,
                "file": str(target),
                "frames": len(motion),
                "fps": motion.fps,
                "contacts": len(motion.constraints),
            }
        )
    common.emit(args, facts, "\n".join(f"wrote {fact['file']}" for fact in facts))
