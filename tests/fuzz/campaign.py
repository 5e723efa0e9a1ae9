"""A run of many inputs over readers: what escapes, what hangs, and how much memory it takes."""

from __future__ import annotations

import importlib.util
import resource
import signal
import time
import traceback
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.fuzz.targets import HERE, TARGETS, Target

# Seconds for one input, and gigabytes for all.
SECONDS = 5.0
GIGABYTES = 1.0


class Hang(BaseException):
    """An input that takes too long; not an Exception, so that no reader can catch it."""


@dataclass
class Outcome:
    """What a reader did: inputs tried, seconds in all, the longest, and failures by kind."""

    name: str
    inputs: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    failures: dict[str, Path] = field(default_factory=dict)
    count: int = 0


@contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    """Raise `Hang` after so much computing time: a busy machine is not the input's fault."""

    def late(*_: object) -> None:
        raise Hang(f"over {seconds:g} s")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def attempt(target: Target, data: bytes) -> str | None:
    """None if the target copes with the bytes, else in one line what escaped and from where."""
    try:
        with _deadline(SECONDS):
            target.run(data)
    except (Exception, Hang) as error:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [one for one in frames if "motionweave" in one.filename]
        place = f"{Path(ours[-1].filename).name}:{ours[-1].name}" if ours else "?"
        return f"{type(error).__name__} in {place}: {str(error)[:100]}"
    return None


def compile_for(target: Target) -> None:
    """Compile what a reader needs: that is not a cost of the input that happens to come first."""
    for path in target.seeds():
        target.run(path.read_bytes())


def inputs(target: Target, seed: int) -> Iterator[bytes]:
    """Bad files without end; the same for the same seed."""
    whole = [path.read_bytes() for path in target.seeds()]
    number = 0
    while True:
        key = (zlib.crc32(target.name.encode()), seed, number)
        rng = np.random.default_rng(key)
        data = whole[number % len(whole)]
        for _ in range(int(rng.integers(1, 3))):
            try:
                data = target.mutate(data, rng)
            except Exception:
                # A file that is too broken to be broken further by its structure.
                break
        yield data
        number += 1


def available(target: Target) -> bool:
    """Whether what the reader needs is installed."""
    return all(importlib.util.find_spec(module) is not None for module in target.modules)


def run(
    total: int,
    seed: int = 0,
    names: tuple[str, ...] = (),
    *,
    keep: Path | None = HERE / "found",
    progress: Callable[[Outcome], None] = lambda _: None,
) -> list[Outcome]:
    """Try about ``total`` inputs, shared among readers; failures are kept as files."""
    chosen = [TARGETS[name] for name in names] if names else list(TARGETS.values())
    chosen = [one for one in chosen if available(one)]
    shares = sum(one.share for one in chosen)
    outcomes = []
    for target in chosen:
        outcome = Outcome(target.name)
        compile_for(target)
        source = inputs(target, seed)
        for _ in range(max(1, round(total * target.share / shares))):
            _one(target, next(source), outcome, keep)
        outcomes.append(outcome)
        progress(outcome)
    return outcomes


def _one(target: Target, data: bytes, outcome: Outcome, keep: Path | None) -> None:
    start = time.perf_counter()
    failed = attempt(target, data)
    took = time.perf_counter() - start
    outcome.inputs += 1
    outcome.seconds += took
    outcome.longest = max(outcome.longest, took)
    if failed is None:
        return
    outcome.count += 1
    if failed not in outcome.failures:
        path = Path()
        if keep is not None:
            path = keep / target.name / f"{zlib.crc32(data):08x}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        outcome.failures[failed] = path


def gigabytes() -> float:
    """The most memory that this process and those that it started ever held."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(one).ru_maxrss for one in kinds) / 1e6
