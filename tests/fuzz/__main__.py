"""``python -m tests.fuzz [--inputs N] [--seed S] [READER ...]``: fuzz readers, print a table.

For a fuzzing service, ``python -m tests.fuzz --atheris READER [CORPUS]`` hands the target to
Atheris, which must be installed.
"""

from __future__ import annotations

import argparse
import sys

from tests.fuzz.campaign import GIGABYTES, Outcome, gigabytes, run
from tests.fuzz.targets import TARGETS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", help=", ".join(TARGETS))
    parser.add_argument("--inputs", type=int, default=100_000, help="how many, over all readers")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other inputs")
    parser.add_argument("--atheris", action="store_true", help="let Atheris choose the inputs")
    chosen = parser.parse_args()
    if chosen.atheris:
        return _atheris(*chosen.readers)
    print(f"{'reader':12} {'inputs':>9} {'escaped':>8} {'per s':>7} {'longest':>9}", flush=True)
    outcomes = run(chosen.inputs, chosen.seed, tuple(chosen.readers), progress=_show)
    escaped, most = sum(one.count for one in outcomes), gigabytes()
    total = sum(one.inputs for one in outcomes)
    print(f"{total} inputs, {escaped} escaped, at most {most:.2f} GB of memory")
    return int(escaped > 0 or most > GIGABYTES)


def _show(one: Outcome) -> None:
    speed = one.inputs / max(one.seconds, 1e-9)
    row = f"{one.name:12} {one.inputs:9} {one.count:8} {speed:7.0f} {one.longest:7.2f} s"
    print(row, flush=True)
    for failure, path in one.failures.items():
        print(f"    {failure}  ({path})", flush=True)


def _atheris(reader: str, *corpus: str) -> int:
    import atheris

    target = TARGETS[reader]
    folders = corpus or (str(target.seeds()[0].parent),)
    atheris.Setup([sys.argv[0], *folders], target.run)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
