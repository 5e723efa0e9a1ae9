"""``python -m benchmarks.growth``: time and memory against length, number of clips and joints.

Each figure comes from a process of its own, on clips made for it, after a small run that loads
what was compiled. Growth is how many times as long the doubled work takes. The tables go to
``growth.md`` and the plot to the documentation's pictures.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

_PROGRAM = """
import json, pathlib, resource, sys, time, warnings
import numpy as np
import motionweave as mw
warnings.simplefilter("ignore")
work, frames, count, joints, fps = sys.argv[1], *map(int, sys.argv[2:])
def clip(name, frames):
    motion = mw.sample(name, fps=fps, duration=(frames + 1) / fps)[:frames]
    extra = joints - len(motion.skeleton)
    if extra <= 0:
        return motion
    # Fingers, as it were: more joints at the end of the last one's parent.
    bones = motion.skeleton
    parent = int(bones.parents[-1])
    grown = mw.Skeleton(
        names=(*bones.names, *(f"Extra{i}" for i in range(extra))),
        parents=np.concatenate([bones.parents, np.full(extra, parent)]),
        offsets=np.concatenate([bones.offsets, np.tile([[0.0, 0.02, 0.0]], (extra, 1))]),
    )
    still = np.tile([0.0, 0.0, 0.0, 1.0], (len(motion), extra, 1))
    turned = np.concatenate([motion.rotations, still], 1)
    return mw.Motion(grown, motion.fps, motion.root, turned, constraints=motion.constraints)
def clips(frames):
    names = ("walk", "sneak", "walk_left", "walk_right", "sneak_left", "sneak_right", "jog")
    return [clip(names[i % len(names)], frames) for i in range(count)]
def peak():
    status = pathlib.Path("/proc/self/status")
    if status.exists():
        line = next(l for l in status.read_text().splitlines() if l.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
def key(clip):
    return mw.Key(len(clip) // 2, "left_hand", offset=(0.0, 0.1, 0.0))
WORKS = {
    "register": lambda c: mw.register(*c, ends="fixed"),
    "register, free ends": lambda c: mw.register(*c, ends="free"),
    "register, ends found": lambda c: mw.register(*c),
    "blend and clean": lambda c: mw.blend(mw.register(*c, ends="fixed"), np.full(count, 1 / count)),
    "transition": lambda c: mw.transition(*c[:2]),
    "join": lambda c: mw.join(*c[:2]),
    "framespace": lambda c: mw.framespace(*c[:2]),
    "spline transition": lambda c: mw.subspace(*c[:2]).transition(),
    "junctions": lambda c: mw.junctions(*c[:2]),
    "warp to a goal": lambda c: mw.warp(c[0], [key(c[0])]),
    "retarget": lambda c: mw.retarget(c[0], c[0][:2].scaled(1.2)),
    "clean": lambda c: mw.clean_feet(c[0]),
    "contacts": lambda c: mw.detect_contacts(c[0]),
    "loop": lambda c: mw.loop(c[0]),
    "quality": lambda c: mw.quality(c[0]),
}
WORKS[work](clips(4 * fps))
made, before = clips(frames), peak()
began = time.process_time()
WORKS[work](made)
print(json.dumps({"seconds": time.process_time() - began, "peak": peak(), "before": before}))
"""

_LENGTHS = (
    "register",
    "register, free ends",
    "register, ends found",
    "blend and clean",
    "transition",
    "join",
    "framespace",
    "spline transition",
    "junctions",
    "warp to a goal",
    "retarget",
    "clean",
    "contacts",
    "loop",
    "quality",
)
_CLIPS = ("register", "blend and clean")
_JOINTS = ("register", "blend and clean", "transition", "clean", "contacts")
# Ten minutes of a character as it is recorded.
_TAKE = (36_000, 2, 31, 60)
_PLOT = Path(__file__).parent.parent / "docs" / "images" / "growth.png"


def _measured(work: str, frames: int, count: int, joints: int, fps: int) -> dict[str, float]:
    print(f"{work}: {frames} frames, {count} clips, {joints or 22} joints", file=sys.stderr)
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, work, *map(str, (frames, count, joints, fps))],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    return dict(json.loads(done.stdout))


def _row(work: str, found: list[dict[str, float]]) -> str:
    times = " → ".join(f"{one['seconds']:.2f}" for one in found)
    growth = found[-1]["seconds"] / found[-2]["seconds"]
    return f"| {work} | {times} | {growth:.1f} | {found[-1]['peak'] / 2**20:.0f} MB |"


def _table(title: str, measured: dict[str, list[dict[str, float]]]) -> str:
    head = "| work | processor seconds | last doubling | peak memory |\n| --- | --- | ---: | ---: |"
    return "\n".join([title, "", head, *(_row(*one) for one in measured.items()), ""])


def tables(lengths: tuple[int, ...], by_length: dict[str, list[dict[str, float]]]) -> str:
    """The four tables as Markdown, of which the first was measured before."""
    frames = " → ".join(f"{n:,}" for n in lengths)
    take = {work: _measured(work, *_TAKE) for work in _LENGTHS}
    return "\n".join(
        [
            _table(
                f"Against length ({frames} frames at 120 fps, two clips where two are needed, 22 "
                "joints):",
                by_length,
            ),
            "A take of ten minutes (36,000 frames at 60 fps, 31 joints; two of them where two are "
            "needed):",
            "",
            "| work | processor seconds | peak memory |\n| --- | ---: | ---: |",
            *(
                f"| {work} | {one['seconds']:.2f} | {one['peak'] / 2**20:.0f} MB |"
                for work, one in take.items()
            ),
            "",
            _table(
                "Against the number of clips (2 → 4 → 8 clips of 300 frames):",
                {w: [_measured(w, 300, n, 0, 30) for n in (2, 4, 8)] for w in _CLIPS},
            ),
            _table(
                "Against the number of joints (22 → 44 → 88, two clips of 600 frames):",
                {w: [_measured(w, 600, 2, n, 30) for n in (22, 44, 88)] for w in _JOINTS},
            ),
        ]
    )


def plot(lengths: tuple[int, ...], by_length: dict[str, list[dict[str, float]]]) -> None:
    """Time against length, beside a line along which doubled work takes twice as long."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    axes: Any = figure.subplots()
    ordered = sorted(by_length.items(), key=lambda one: -one[1][-1]["seconds"])
    for number, (work, found) in enumerate(ordered):
        style = ("-", "--", ":")[number // 10 % 3]
        axes.plot(lengths, [one["seconds"] for one in found], style, marker="o", ms=3, label=work)
    least = min(found[0]["seconds"] for found in by_length.values())
    straight = [0.7 * least * n / lengths[0] for n in lengths]
    axes.plot(lengths, straight, color="0.6", lw=1, label="twice as long, twice the time")
    axes.set(xscale="log", yscale="log", xlabel="frames per clip", ylabel="processor seconds")
    axes.set_xticks(lengths, [f"{n:,}" for n in lengths], minor=False)
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right center", fontsize=8, frameon=False)
    figure.savefig(_PLOT, dpi=120)


def main() -> int:
    """Measure, write ``growth.md`` and draw the plot."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--lengths", type=int, nargs="+", default=[3000, 6000, 12000])
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "growth.md")
    args = parser.parse_args()
    lengths = tuple(args.lengths)
    by_length = {work: [_measured(work, n, 2, 0, 120) for n in lengths] for work in _LENGTHS}
    plot(lengths, by_length)
    args.output.write_text(tables(lengths, by_length), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
