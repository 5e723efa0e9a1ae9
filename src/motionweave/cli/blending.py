"""What verbs that use a registration share: a saved one, or clips to register."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from motionweave.cli import common
from motionweave.errors import BlendError, RegistrationError

if TYPE_CHECKING:
    from motionweave.core.motion import Motion
    from motionweave.registration.curve import RegistrationCurve

REGISTRATION_SUFFIX = ".mwreg"


def add_curve(parser: argparse.ArgumentParser) -> None:
    """Arguments that name a saved registration, or clips and how to register them."""
    common.add_clips(parser, "several")
    group = parser.add_argument_group("registering clips (not needed with a .mwreg file)")
    add_registering(group)


def add_registering(group: argparse._ActionsContainer) -> None:
    """Options that say how clips are registered; the names are those of the API."""
    group.add_argument(
        "--ends",
        default="auto",
        type=_ends,
        metavar="ENDS",
        help="auto (default): whichever matches best; fixed: whole clips; free: the best "
        "stretch; cyclic: one cycle of each; fixed,free or free,fixed: start and end separately",
    )
    group.add_argument(
        "--anchors",
        type=_frames,
        nargs="+",
        default=[],
        metavar="F,F,...",
        help="matching frames, one from each clip, such as 12,20 48,71",
    )
    group.add_argument(
        "--keep",
        type=_kept,
        nargs="+",
        default=[],
        metavar="N=A:B",
        help="frames of the N-th clip that must not be cut off, such as 2=40:60",
    )
    group.add_argument(
        "--cycles",
        choices=("find", "whole"),
        default="find",
        help="with cyclic ends: find the cycles (the default), or treat each clip as one cycle",
    )
    group.add_argument(
        "--slope-limit",
        type=int,
        default=2,
        metavar="L",
        help="how many frames of one clip in a row may match one frame of another (default: 2)",
    )
    add_weights(group)
    group.add_argument(
        "--points",
        type=int,
        default=40,
        metavar="N",
        help="number of points to compare (default: 40)",
    )
    group.add_argument(
        "--window",
        type=int,
        default=5,
        metavar="N",
        help="number of frames to compare at a time, 1/30 s apart (default: 5)",
    )
    group.add_argument(
        "--strikes",
        type=float,
        metavar="W",
        help="how much footfalls count compared with poses (default: 4; 0 for poses alone)",
    )
    group.add_argument(
        "--paper", action="store_true", help="exactly the published method, on whole clips"
    )


def add_weights(parser: argparse._ActionsContainer) -> None:
    """The option for how much joints count when poses are compared."""
    parser.add_argument(
        "--weight",
        type=_weight,
        action="append",
        default=[],
        metavar="JOINT=W",
        help="how much a joint counts (default: 1); may be given several times",
    )


def registered(args: argparse.Namespace, clips: Sequence[Motion]) -> RegistrationCurve:
    """The registration of clips with the given options."""
    from motionweave.registration.register import register

    keep: list[list[tuple[float, float]]] = [[] for _ in clips]
    for number, first, last in args.keep:
        if not 1 <= number <= len(clips):
            raise RegistrationError(
                f"--keep {number}={first}:{last}: there are clips 1 to {len(clips)}"
            )
        keep[number - 1].append((first, last))
    return register(
        *clips,
        ends=args.ends,
        anchors=args.anchors,
        keep=keep,
        cycles=args.cycles,
        slope_limit=args.slope_limit,
        weights=dict(args.weight) or None,
        points=args.points,
        window=args.window,
        strikes=args.strikes,
        paper=args.paper,
    )


def load_curve(args: argparse.Namespace) -> RegistrationCurve:
    """The registration of the given file or clips."""
    saved = [path for path in args.clips if path.suffix.lower() == REGISTRATION_SUFFIX]
    if saved:
        if len(args.clips) > 1:
            raise BlendError(f"{saved[0]}: give one registration file or clips, not both")
        from motionweave.registration.files import load_registration

        return load_registration(saved[0])
    if len(args.clips) < 2:
        raise BlendError("give two clips or more, or a .mwreg file made by 'motionweave register'")
    return registered(args, common.load_clips(args, args.clips))


def used(curve: RegistrationCurve) -> list[list[float]]:
    """First and last frame that a curve uses of each clip."""
    return [[float(first), float(last)] for first, last in curve.ranges]


def parts(curve: RegistrationCurve) -> tuple[str, ...]:
    """A line that says which parts of the clips a curve uses; none if it uses all of them."""
    verdict = curve.verdict
    if verdict is None or verdict.ends not in ("free", "cyclic"):
        return ()
    frames = ", ".join(
        f"frames {first:.0f} to {last:.0f} of {motion.name or f'clip {number}'}"
        for number, (motion, (first, last)) in enumerate(
            zip(curve.motions, curve.ranges, strict=True), start=1
        )
    )
    why = f" ({verdict.why})" if verdict.why else ""
    return (f"{verdict.taken}{why}: {frames}",)


def _ends(text: str) -> Any:
    parts = text.split(",")
    if len(parts) == 2 and all(part in ("fixed", "free") for part in parts):
        return parts[0], parts[1]
    if text not in ("auto", "fixed", "free", "cyclic"):
        raise argparse.ArgumentTypeError(
            f"{text!r}: expected auto, fixed, free, cyclic, or a pair such as fixed,free"
        )
    return text


def _frames(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected frames such as 55,12") from None


def _kept(text: str) -> tuple[int, int, int]:
    number, _, frames = text.partition("=")
    if not number.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r}: expected clip and frames such as 2=40:60")
    return int(number), *common.frame_range(frames)


def _weight(text: str) -> tuple[str, float]:
    joint, _, weight = text.rpartition("=")
    try:
        if not joint:
            raise ValueError
        return joint, float(weight)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected JOINT=WEIGHT") from None
