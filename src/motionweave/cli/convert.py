"""``motionweave convert``: another format, frame rate, stretch, side, axis or size."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motionweave.cli import common
from motionweave.core.units import UNITS
from motionweave.errors import FormatError, MotionError

if TYPE_CHECKING:
    from motionweave.core.motion import Motion


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_clips(parser, "several")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="file to write, or for several clips a folder",
    )
    parser.add_argument(
        "--format", metavar="SUFFIX", help="format of the files in the output folder, such as glb"
    )
    parser.add_argument("--fps", type=float, help="frames a second of the output")
    parser.add_argument(
        "--input-fps", type=float, metavar="FPS", help="frames a second that the input really has"
    )
    parser.add_argument(
        "--trim", type=_stretch, metavar="A:B", help="first and last frame to keep, such as 30:200"
    )
    parser.add_argument("--mirror", action="store_true", help="exchange left and right")
    parser.add_argument("--output-up", choices=("y", "z"), help="vertical axis of the output")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--scale", type=float, help="make everything longer by a factor")
    size.add_argument(
        "--units", type=_units, metavar="FROM:TO", help=f"change of unit, of {', '.join(UNITS)}"
    )
    common.add_json(parser)


def run(args: argparse.Namespace) -> int:
    pairs = _outputs(args)
    written: list[dict[str, Any]] = []
    failed: list[Path] = []
    for path, output in common.progress(pairs, "converting"):
        with common.each_for_itself(args, failed, path):
            motion = _converted(args, path, output)
            written.append(
                {
                    "input": str(path),
                    "output": str(output),
                    "frames": len(motion),
                    "fps": motion.fps,
                }
            )
    lines = [
        f"{one['output']}: {one['frames']} frames at {one['fps']:g} a second" for one in written
    ]
    common.emit(args, written if len(args.clips) > 1 else written[0], "\n".join(lines))
    return 2 if failed else 0


def _converted(args: argparse.Namespace, path: Path, output: Path) -> Motion:
    motion = _load(args, path)
    motion = convert(args, motion)
    options = {} if args.output_up is None else {"up": args.output_up}
    common.save_clip(motion, output, **options)
    return motion


def convert(args: argparse.Namespace, motion: Motion) -> Motion:
    """The motion changed as the arguments say; trimming counts frames of the input."""
    if args.input_fps is not None:
        motion = replace(motion, fps=args.input_fps)
    if args.trim is not None:
        first, last = args.trim
        last = len(motion) - 1 if last is None else last
        if not first <= last < len(motion):
            raise MotionError(
                f"{motion.name}: frames {first} to {last} cannot be kept; "
                f"the clip has frames 0 to {len(motion) - 1}"
            )
        motion = motion[first : last + 1]
    if args.mirror:
        from motionweave.body.mirror import mirror

        motion = mirror(motion)
    if args.scale is not None or args.units is not None:
        motion = motion.scaled(args.units if args.scale is None else args.scale)
    return motion if args.fps is None else motion.resample(args.fps)


def _load(args: argparse.Namespace, path: Path) -> Motion:
    """Contacts are carried along where there are any; they are not detected for this."""
    from motionweave.io.store.sidecar import beside

    return common.load_clip(args, path, contacts=beside(path).exists())


def _outputs(args: argparse.Namespace) -> list[tuple[Path, Path]]:
    """Which clip becomes which file."""
    output: Path = args.output
    if len(args.clips) == 1 and not output.is_dir():
        common.check_output(output, args.clips)
        return [(args.clips[0], output)]
    if output.suffix and not output.is_dir():
        raise FormatError("several clips need a folder as the output", output)
    output.mkdir(parents=True, exist_ok=True)
    pairs: dict[Path, Path] = {}
    for path in args.clips:
        suffix = f".{args.format.lstrip('.')}" if args.format else path.suffix
        target = output / f"{path.stem}{suffix}"
        common.check_output(target, args.clips)
        if target in pairs:
            raise FormatError(f"both {pairs[target]} and {path} would be written here", target)
        pairs[target] = path
    return [(path, target) for target, path in pairs.items()]


def _stretch(text: str) -> tuple[int, int | None]:
    first, colon, last = text.partition(":")
    try:
        if not colon:
            raise ValueError
        stretch = int(first or 0), int(last) if last else None
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected frames such as 30:200") from None
    if stretch[0] < 0 or (stretch[1] is not None and stretch[1] < stretch[0]):
        raise argparse.ArgumentTypeError(f"{text!r}: expected the first frame before the last")
    return stretch


def _units(text: str) -> float:
    before, _, after = text.partition(":")
    if before not in UNITS or after not in UNITS:
        raise argparse.ArgumentTypeError(
            f"{text!r}: expected two of {', '.join(UNITS)}, such as cm:m"
        )
    return UNITS[before] / UNITS[after]
