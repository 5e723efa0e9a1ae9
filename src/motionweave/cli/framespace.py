"""``motionweave framespace``: blend and join clips by their motion events."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motionweave.cli import common
from motionweave.errors import BlendError

if TYPE_CHECKING:
    from motionweave.contacts.states import EventTable
    from motionweave.methods.framespace.blend import Framespace
    from motionweave.methods.framespace.correspondence import MatchedStates
    from motionweave.methods.framespace.interpolant import Interpolant
    from motionweave.methods.framespace.track import Matched


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_clips(parser, "several")
    common.add_output(parser)
    curve = parser.add_argument_group("interpolant")
    curve.add_argument(
        "--shape",
        choices=("concatenate", "blend"),
        help="from the first clip to the last (the default), or a constant mix of them (the "
        "default for four clips of which one is played once)",
    )
    curve.add_argument(
        "--level",
        type=float,
        nargs="+",
        metavar="Y",
        help="share of the second clip in a blend (default: 0.5); with four clips y and z",
    )
    curve.add_argument(
        "--interpolant",
        type=Path,
        metavar="FILE",
        help="control vertices x, y[, z] in a CSV or JSON file, instead of a shape",
    )
    curve.add_argument(
        "--cycles",
        type=int,
        metavar="N",
        help="number of cycles it spans (default: 6, or as many as fit a clip that is played once)",
    )
    events = parser.add_argument_group("events")
    events.add_argument(
        "--events",
        nargs="+",
        metavar="FILE",
        help="event tables (CSV or JSON), one per clip; - for a clip whose events should be "
        "detected",
    )
    events.add_argument(
        "--write-events",
        type=Path,
        metavar="FOLDER",
        help="write the event tables used, one per clip, as CLIP.events.csv",
    )
    events.add_argument(
        "--cycle",
        action="append",
        metavar="N=A:B",
        default=[],
        help="use frames A to B as the cycle of the N-th clip; N=once plays it once",
    )
    parser.add_argument(
        "--decoupled", action="store_true", help="match upper and lower body by their own events"
    )
    parser.add_argument(
        "--paper",
        action="store_true",
        help="the published settings: no smoothing, each half of the body by its own events, "
        "feet not planted",
    )
    common.add_cleaning(parser)
    parser.add_argument("--fps", type=float, help="frames per second of the output")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the framespace")
    common.add_json(parser)


def run(args: argparse.Namespace) -> int:
    from motionweave.methods.framespace.blend import Framespace
    from motionweave.methods.framespace.interpolant import as_interpolant

    count = len(args.clips)
    if count not in (2, 4):
        raise BlendError(f"framespace takes 2 or 4 clips, got {count}")
    common.check_output(args.output, args.clips)
    if args.plot is not None:
        common.check_output(args.plot, args.clips, motion=False)
    given = _curve(args, count)
    cyclic = _cycles(args.cycle, count)
    tables = _tables(args.events, count)
    clips = common.load_clips(args, args.clips)
    options = {"decoupled": True, "smoothing": 0.0} if args.paper else {"decoupled": args.decoupled}
    space = Framespace(clips, events=tables, cyclic=cyclic, **options)
    curve = as_interpolant(space.shape, count) if given is None else given
    clean = not (args.no_clean or args.paper)
    cycles = space.rounds(args.cycles)
    result = space.interpolate(curve, cycles, fps=args.fps, clean=clean)
    common.save_clip(result, args.output)
    if args.write_events is not None:
        _write_events(space, args.clips, args.write_events)
    if args.plot is not None:
        from motionweave.plots.framespace import plot_framespace

        plot_framespace(space, curve, cycles, args.plot)
    matched = space.matched(cycles)
    facts = common.facts_of(result, args.output, args.plot) | {
        "clips": [
            {"name": name, "cyclic": b.cyclic, "frames": b.ends, "period": b.period}
            for name, b in zip(space.names, space.bases, strict=True)
        ],
        "correspondence": {"lower": _rows(matched.lower), "upper": _rows(matched.upper)},
    }
    common.emit(args, facts, common.summary(facts, *_notes(facts["clips"], matched)))
    return 0


def _curve(args: argparse.Namespace, count: int) -> Interpolant | None:
    """The interpolant that is asked for, if any."""
    from motionweave.methods.framespace.interpolant import Interpolant, as_interpolant

    if args.interpolant is not None:
        return as_interpolant(Interpolant.load(args.interpolant), count)
    if args.level is not None:
        if args.shape != "blend":
            raise BlendError("--level needs --shape blend")
        return Interpolant.blend(*args.level, clips=count)
    return None if args.shape is None else as_interpolant(args.shape, count)


def _cycles(given: list[str], count: int) -> list[bool | tuple[int, int] | None]:
    ways: list[bool | tuple[int, int] | None] = [None] * count
    for text in given:
        number, _, stretch = text.partition("=")
        first, _, last = stretch.partition(":")
        if not number.isdigit() or not 1 <= int(number) <= count:
            raise BlendError(f"--cycle {text}: expected N=A:B with clip N from 1 to {count}")
        if stretch == "once":
            ways[int(number) - 1] = False
        elif first.isdigit() and last.isdigit():
            ways[int(number) - 1] = (int(first), int(last))
        else:
            raise BlendError(f"--cycle {text}: expected frames such as {number}=36:176, or once")
    return ways


def _tables(given: list[str] | None, count: int) -> list[EventTable | None] | None:
    from motionweave.contacts.event_files import load_events

    if given is None:
        return None
    if len(given) != count:
        raise BlendError(f"--events: expected {count} files (or -), one per clip, got {len(given)}")
    return [None if name == "-" else load_events(name) for name in given]


def _write_events(space: Framespace, clips: list[Path], folder: Path) -> None:
    from motionweave.contacts.event_files import save_events

    folder.mkdir(parents=True, exist_ok=True)
    for number, (basis, clip) in enumerate(zip(space.bases, clips, strict=True), start=1):
        # The same file may be given twice.
        stem = (
            clip.stem if [c.stem for c in clips].count(clip.stem) == 1 else f"{clip.stem}-{number}"
        )
        save_events(basis.events.placed(*basis.ends), folder / f"{stem}.events.csv")


def _rows(match: MatchedStates) -> list[dict[str, Any]]:
    return [{"labels": sorted(labels), "times": list(times)} for labels, times in match.rows()]


def _notes(clips: list[dict[str, Any]], matched: Matched) -> list[str]:
    """How each clip is played, and which of their states match."""
    lines = []
    for clip in clips:
        kind = "cycle" if clip["cyclic"] else "played once,"
        first, last = clip["frames"]
        lines.append(f"  {clip['name']}: {kind} frames {first} to {last}, {clip['period']:.2f} s")
    if matched.upper is matched.lower:
        lines += ["correspondence:", *(f"  {row}" for row in str(matched.lower).splitlines())]
    else:
        for half, match in (("lower", matched.lower), ("upper", matched.upper)):
            lines += [f"{half} body:", *(f"  {row}" for row in str(match).splitlines())]
    return lines
