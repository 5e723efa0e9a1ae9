"""``motionweave spline``: join two clips by a spline through the subspace of both."""

from __future__ import annotations

import argparse
from pathlib import Path

from motionweave.cli import common
from motionweave.errors import BlendError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_clips(parser, "several")
    common.add_output(parser, "motion file to write")
    spline = parser.add_argument_group("spline")
    spline.add_argument(
        "--leave", type=int, metavar="FRAME", help="last frame of the first clip (default: best)"
    )
    spline.add_argument(
        "--enter", type=int, metavar="FRAME", help="first frame of the second clip (default: best)"
    )
    spline.add_argument(
        "--degree",
        type=int,
        default=4,
        help="2 to 6: 2 is quick and plain, 4 or more has room to swing (default: 4)",
    )
    spline.add_argument(
        "--length",
        type=float,
        help="relative to the most direct spline; longer ones swing further and take more time "
        "(default: 1.3)",
    )
    spline.add_argument(
        "--bias",
        type=float,
        default=0.0,
        help="-1 for follow-through of the first clip, 1 for anticipation of the second "
        "(default: 0)",
    )
    spline.add_argument(
        "--part",
        help="let only a part of the body change to the second clip, above the legs of the "
        "first: upper, arms, left_arm, head ..., or a joint",
    )
    space = parser.add_argument_group("subspace")
    space.add_argument(
        "--dimensions",
        type=int,
        help="dimensions of the subspace (default: as many as --explained needs)",
    )
    space.add_argument(
        "--explained",
        type=float,
        default=0.95,
        metavar="SHARE",
        help="share of the squared dissimilarities that the subspace keeps (default: 0.95)",
    )
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help="picture of curves, spline and film strip (png, pdf)",
    )
    parser.add_argument(
        "--axes",
        type=int,
        choices=(2, 3),
        default=2,
        help="number of axes of the plot (default: 2)",
    )
    space.add_argument(
        "--paper",
        action="store_true",
        help="exactly as published: kriging along the spline, and nothing else",
    )
    common.add_cleaning(parser)
    common.add_json(parser)


def run(args: argparse.Namespace) -> None:
    if len(args.clips) < 2:
        raise BlendError(f"a spline joins two clips, {len(args.clips)} given")
    common.check_output(args.output, args.clips)
    if args.plot is not None:
        common.check_output(args.plot, args.clips, motion=False)
    clips = common.load_clips(args, args.clips)
    from motionweave.methods.subspace.fitting import subspace

    # Clips after the second contribute their poses.
    space = subspace(
        *clips,
        dimensions=args.dimensions,
        explained=args.explained,
        paper=args.paper,
        part=args.part,
    )
    made = space.transition(
        args.leave,
        args.enter,
        degree=args.degree,
        length=args.length,
        bias=args.bias,
        clean=not args.no_clean,
    )
    common.save_clip(made.motion, args.output)
    if args.plot is not None:
        from motionweave.plots.subspace import subspace_plot

        subspace_plot(space, made, args.plot, dimensions=args.axes)
    enter = round(made.enter / space.enter_scale)
    facts = common.facts_of(made.motion, args.output, args.plot) | {
        "leave": made.leave,
        "enter": enter,
        "transition": {"start": made.start, "end": made.end, "seconds": made.duration},
        "spline": {"degree": made.degree, "length": made.length, "control": made.control},
        "dimensions": space.embedding.dimensions,
        "explained": space.explained,
    }
    spline = (
        f"frame {made.leave} of {args.clips[0].name} to frame {enter} of {args.clips[1].name} in "
        f"{made.duration:.2f} s ({space.embedding.dimensions} dimensions, "
        f"{100 * space.explained:.0f} % explained)"
    )
    common.emit(args, facts, common.summary(facts, spline))
