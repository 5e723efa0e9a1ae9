"""``motionweave warm-up``: compile everything now, so that no later process has to."""

from __future__ import annotations

import argparse

from motionweave.cli import common


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        f"{parser.description} Compiled code is kept in the folder NUMBA_CACHE_DIR, if that "
        "is set, otherwise beside the installed modules or in your own cache folder. For an image "
        "or a classroom, set NUMBA_CACHE_DIR to a folder that everyone can write to, now and later."
    )
    common.add_json(parser)


def run(args: argparse.Namespace) -> None:
    from motionweave.warmup import warm_up

    done = warm_up()
    count = len(done.compiled)
    text = f"{count} kernel{'s' * (count != 1)} compiled in {done.seconds:.1f} s"
    facts = {"compiled": list(done.compiled), "seconds": done.seconds}
    common.emit(args, facts, text if count else "everything is compiled already")
