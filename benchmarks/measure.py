"""Contenders, and how they are timed: in turns, several times, in one run."""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

# Whoever takes longer, in seconds, need not do it again.
_SLOW = 3.0


@dataclass
class Contender:
    """One way to do a row's work.

    Parameters
    ----------
    name
        As in the table.
    prepare
        Makes what is needed and returns a function that does the work once and returns
        the seconds it took. It may raise `MissingError`.
    kind
        ``"ours"``, ``"peer"``, ``"numpy"`` (the straightforward), ``"limit"`` (cannot be
        beaten by much) or ``"paper"``.
    note
        What a reader has to know.
    """

    name: str
    prepare: Callable[[], Callable[[], float]]
    kind: str = "peer"
    note: str = ""


class MissingError(Exception):
    """A contender cannot take part; says why."""


@dataclass
class Row:
    """Work that several contenders do.

    Parameters
    ----------
    work
        What is done.
    contenders
        Who does it.
    full
        Whether it is only measured by a full run.
    seconds
        About how long the row may take.
    """

    work: str
    contenders: Sequence[Contender]
    full: bool = False
    seconds: float = 6.0


@dataclass
class Result:
    """What was measured of one contender: seconds of every repeat, or why there are none."""

    name: str
    kind: str
    note: str = ""
    times: list[float] = field(default_factory=list)
    missing: str = ""

    @property
    def median(self) -> float:
        """Of the repeats, in seconds; NaN if there are none."""
        return statistics.median(self.times) if self.times else math.nan

    @property
    def spread(self) -> tuple[float, float]:
        """Fastest and slowest repeat."""
        return (min(self.times), max(self.times)) if self.times else (math.nan, math.nan)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        if self.missing:
            return {"name": self.name, "kind": self.kind, "missing": self.missing}
        low, high = self.spread
        return {
            "name": self.name,
            "kind": self.kind,
            "note": self.note,
            "median_s": self.median,
            "least_s": low,
            "most_s": high,
            "repeats": len(self.times),
        }


def clocked(work: Callable[[], Any]) -> Callable[[], float]:
    """The work as a function that returns the processor time it took.

    Everything runs on one thread, so that this is the time it takes on an idle machine,
    and other people's work does not count.
    """

    def once() -> float:
        began = time.process_time()
        work()
        return time.process_time() - began

    return once


def ours(
    prepare: Callable[[], Callable[[], Any]], name: str = "motionweave", **kw: str
) -> Contender:
    """A contender of this process; ``prepare`` returns the bare work."""
    return Contender(name, lambda: clocked(prepare()), kw.pop("kind", "ours"), **kw)


def fixed(name: str, seconds: float, note: str) -> Contender:
    """A figure from a paper."""
    return Contender(name, lambda: lambda: seconds, "paper", note)


def measure(row: Row, repeats: int, patience: float = 1.0) -> list[Result]:
    """Time all contenders of a row in turns.

    A round times every contender once, each round beginning with another one; rounds end
    after ``repeats``. Whoever is slow rests in later rounds rather than keep the others
    waiting.
    """
    budget = row.seconds * patience
    results, runs, lasts = [], [], []
    for contender in row.contenders:
        result = Result(contender.name, contender.kind, contender.note)
        run: Callable[[], float] | None = None
        began = time.perf_counter()
        try:
            run = contender.prepare()
            run()  # compiles, fills caches
        except MissingError as reason:
            result.missing = str(reason)
            run = None
        results.append(result)
        runs.append(run)
        lasts.append(time.perf_counter() - began)
    # Everybody may use an equal share of the row's time, and has a few turns anyhow.
    share = budget / len(runs)
    used = [0.0] * len(runs)
    for number in range(repeats):
        for i in _rolled(len(runs), number):
            run, result = runs[i], results[i]
            least = 1 if lasts[i] > _SLOW else 3
            if run is None or (len(result.times) >= least and used[i] + lasts[i] > share):
                continue
            start = time.perf_counter()
            result.times.append(_several(run, result.times))
            lasts[i] = time.perf_counter() - start
            used[i] += lasts[i]
    for run in runs:
        if hasattr(run, "close"):
            run.close()
    return results


def _rolled(count: int, first: int) -> list[int]:
    return [(first + i) % count for i in range(count)]


def _several(run: Callable[[], float], before: list[float]) -> float:
    """One repeat: what takes microseconds is done often enough for the clock."""
    expected = before[-1] if before else 1.0
    count = max(1, min(200, int(2e-3 / max(expected, 1e-9))))
    return statistics.median(run() for _ in range(count))


def say(text: str) -> None:
    """Progress, on standard error."""
    print(text, file=sys.stderr, flush=True)
