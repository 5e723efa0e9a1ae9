"""``motionweave convert``: change format, frame rate, length, axes or units, or mirror a clip."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motionweave.cli import batch, common
from motionweave.core.units import UNITS
from motionweave.errors import MotionError

if TYPE_CHECKING:
    from motionweave.core.motion import Motion


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_clips(parser, "several")
    batch.add_outputs(parser)
    batch.add_jobs(parser)
    parser.add_argument("--fps", type=float, help="frames per second of the output")
    parser.add_argument(
        "--trim", type=_stretch, metavar="A:B", help="first and last frame to keep, such as 30:200"
    )
    parser.add_argument("--mirror", action="store_true", help="swap left and right")
    parser.add_argument(
        "--faster",
        type=float,
        metavar="TIMES",
        help="play faster by this factor; below 1 is slower",
    )
    way = parser.add_mutually_exclusive_group()
    way.add_argument(
        "--in-place",
        action="store_true",
        help="remove the root motion, as on a treadmill",
    )
    way.add_argument(
        "--travel",
        action="store_true",
        help="make an in-place clip travel, as fast as its planted feet slide",
    )
    parser.add_argument(
        "--speed",
        type=float,
        help="with --travel: its speed, in the clip's unit per second",
    )
    parser.add_argument("--output-up", choices=("y", "z"), help="up axis of the output")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--scale", type=float, help="multiply all lengths by this")
    size.add_argument(
        "--units",
        type=_units,
        metavar="FROM:TO",
        help=f"convert lengths, such as cm:m; units are {', '.join(UNITS)}",
    )
    common.add_json(parser)


def run(args: argparse.Namespace) -> int:
    if args.speed is not None and not args.travel:
        raise MotionError("--speed needs --travel")
    written, code = batch.each(args, batch.outputs(args), _converted, "converting")
    lines = "\n".join(common.summary(facts, contacts=facts["contacts"] > 0) for facts in written)
    common.emit(args, written if args.several else written[0], lines)
    return code


def _converted(args: argparse.Namespace, pair: tuple[Path, Path]) -> dict[str, Any]:
    path, output = pair
    motion = convert(args, _load(args, path))
    options = {} if args.output_up is None else {"up": args.output_up}
    common.save_clip(motion, output, **options)
    return {"input": str(path)} | common.facts_of(motion, output)


def convert(args: argparse.Namespace, motion: Motion) -> Motion:
    """The converted motion; trimming counts frames of the input."""
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
    if args.faster is not None:
        motion = motion.faster(args.faster)
    if args.in_place:
        from motionweave.registration.loops import in_place

        motion = in_place(motion)
    if args.travel:
        from motionweave.registration.loops import travel

        motion = travel(motion, args.speed)
    if args.scale is not None or args.units is not None:
        motion = motion.scaled(args.units if args.scale is None else args.scale)
    return motion if args.fps is None else motion.resample(args.fps)


def _load(args: argparse.Namespace, path: Path) -> Motion:
    """Contacts are carried along where there are any; they are not detected for this."""
    from motionweave.io.store.sidecar import beside

    return common.load_clip(args, path, contacts=beside(path).exists())


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
