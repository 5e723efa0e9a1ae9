"""``python -m benchmarks``: measure and write the tables."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def main() -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--full", action="store_true", help="all rows, more repeats, more patience")
    parser.add_argument("--all-rows", action="store_true", help="all rows, otherwise quick")
    parser.add_argument("--only", metavar="WORD", help="only rows whose work contains this")
    parser.add_argument(
        "--output", type=Path, default=Path(__file__).parent, help="folder of the tables"
    )
    args = parser.parse_args()
    # One thread each, ours and peers alike; libraries read this when they are imported.
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    from benchmarks import peers, quality, report, speed, startup, studio
    from benchmarks.measure import measure, say

    began = time.monotonic()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        rows = [*speed.rows(Path(folder)), *studio.rows(), *startup.rows()]
        for row in rows:
            if (row.full and not (args.full or args.all_rows)) or (
                args.only and args.only not in row.work
            ):
                continue
            say(f"{time.monotonic() - began:5.0f} s  {row.work}")
            found = measure(row, 15 if args.full else 7, 4.0 if args.full else 0.5)
            results.append((row.work, found))
    memory, blends, drags = [], [], []
    if not args.only:
        say(f"{time.monotonic() - began:5.0f} s  memory")
        memory = startup.memory((300, 1200, 6000) if not args.full else (300, 1200, 3000, 6000))
        say(f"{time.monotonic() - began:5.0f} s  drags in the browser")
        drags = studio.drags()
        say(f"{time.monotonic() - began:5.0f} s  quality")
        blends = quality.table()
    data = report.to_json(results, memory, drags, blends, peers.versions())
    if args.only:
        print(report.markdown(data))
    else:
        report.write(data, args.output)
        say(f"wrote {args.output / 'results.md'} and .json in {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
