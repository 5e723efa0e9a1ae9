"""``python -m benchmarks.growth``: time and memory against length, number of clips and joints.

Each figure comes from a process of its own, on clips made for it, after a small run that loads
what was compiled. Growth is how many times as long the doubled work takes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import json, pathlib, resource, sys, time, warnings
from dataclasses import replace
import numpy as np
import motionweave as mw
warnings.simplefilter("ignore")
work, frames, count, joints = sys.argv[1], *map(int, sys.argv[2:])
def clip(name, frames):
    motion = mw.sample(name, duration=(frames + 1) / 30.0)[:frames]
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
    return mw.Motion(grown, motion.fps, motion.root, np.concatenate([motion.rotations, still], 1))
def clips(frames):
    names = ("walk", "sneak", "walk_left", "walk_right", "sneak_left", "sneak_right", "jog")
    return [clip(names[i % len(names)], frames) for i in range(count)]
def peak():
    status = pathlib.Path("/proc/self/status")
    if status.exists():
        line = next(l for l in status.read_text().splitlines() if l.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
WORKS = {
    "register": lambda c: mw.register(*c, ends="fixed"),
    "blend and clean": lambda c: mw.blend(mw.register(*c, ends="fixed"), np.full(count, 1 / count)),
    "clean": lambda c: mw.clean_feet(c[0]),
    "contacts": lambda c: mw.detect_contacts(c[0]),
    "loop": lambda c: mw.loop(c[0]),
    "transition": lambda c: mw.transition(*c[:2]),
    "quality": lambda c: mw.quality(c[0]),
}
WORKS[work](clips(90))
made, before = clips(frames), peak()
began = time.process_time()
WORKS[work](made)
print(json.dumps({"seconds": time.process_time() - began, "peak": peak(), "before": before}))
"""

# What is measured: work, and the values of what grows.
_LENGTHS = ("register", "blend and clean", "clean", "contacts", "loop", "transition", "quality")


def _measured(work: str, frames: int, count: int, joints: int) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, work, str(frames), str(count), str(joints)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    return dict(json.loads(done.stdout))


def _row(work: str, sizes: list[tuple[int, int, int]]) -> str:
    found = [_measured(work, *size) for size in sizes]
    times = " → ".join(f"{one['seconds']:.2f}" for one in found)
    growth = found[-1]["seconds"] / found[-2]["seconds"]
    peak = found[-1]["peak"] / 2**20
    return f"| {work} | {times} | {growth:.1f} | {peak:.0f} MB |"


def tables(lengths: tuple[int, ...]) -> str:
    """The three tables as Markdown."""
    head = "| work | processor seconds | last doubling | peak memory |\n| --- | --- | ---: | ---: |"

    def told(title: str, rows: list[str]) -> str:
        return "\n".join([title, "", head, *rows, ""])

    frames = " → ".join(f"{n:,}" for n in lengths)
    return "\n".join(
        [
            told(
                f"Against length ({frames} frames, two clips where two are needed, 22 joints):",
                [_row(work, [(n, 2, 0) for n in lengths]) for work in _LENGTHS],
            ),
            told(
                "Against the number of clips (2 → 4 → 8 clips of 300 frames):",
                [_row(w, [(300, n, 0) for n in (2, 4, 8)]) for w in _LENGTHS[:2]],
            ),
            told(
                "Against the number of joints (22 → 44 → 88, two clips of 600 frames):",
                [_row(w, [(600, 2, n) for n in (22, 44, 88)]) for w in _LENGTHS[:4]],
            ),
        ]
    )


def main() -> int:
    """Measure and write ``growth.md``."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--lengths", type=int, nargs="+", default=[3000, 6000, 12000])
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "growth.md")
    args = parser.parse_args()
    args.output.write_text(tables(tuple(args.lengths)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
