"""What the verbs that work on a registration share: naming a saved one, or clips to register."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from motionweave.cli import common
from motionweave.errors import BlendError

if TYPE_CHECKING:
    from motionweave.registration.curve import RegistrationCurve

REGISTRATION_SUFFIX = ".mwreg"


def add_curve(parser: argparse.ArgumentParser) -> None:
    """Arguments that name a saved registration, or clips and how to register them."""
    common.add_clips(parser, "several")
    group = parser.add_argument_group("registering clips (not needed with a .mwreg file)")
    group.add_argument(
        "--ends",
        choices=("fixed", "free"),
        default="fixed",
        help="whether first and last frames correspond, or the best stretch is found",
    )
    group.add_argument(
        "--cyclic", action="store_true", help="cut the clips to cycles, to go on for ever"
    )
    group.add_argument("--slope-limit", type=int, default=2, metavar="L")


def load_curve(args: argparse.Namespace) -> RegistrationCurve:
    """The registration of the given file or clips."""
    saved = [path for path in args.clips if path.suffix.lower() == REGISTRATION_SUFFIX]
    if saved:
        if len(args.clips) > 1:
            raise BlendError(f"{saved[0]}: give either one registration file or clips, not both")
        from motionweave.registration.files import load_registration

        return load_registration(saved[0])
    if len(args.clips) < 2:
        raise BlendError("give two clips or more, or a .mwreg file made by 'motionweave register'")
    from motionweave.registration.register import register

    clips = common.load_clips(args, args.clips)
    return register(*clips, ends=args.ends, cyclic=args.cyclic, slope_limit=args.slope_limit)
