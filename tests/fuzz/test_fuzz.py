"""Every reader copes with bad files: inputs that failed once, and some thousands of new ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.fuzz.campaign import GIGABYTES, attempt, available, compile_for, gigabytes, inputs, run
from tests.fuzz.targets import TARGETS

_INPUTS = 20_000
_REGRESSIONS = [(one.name, path) for one in TARGETS.values() for path in one.regressions()]


@pytest.mark.parametrize("name", TARGETS)
def test_whole_files_are_read(name: str) -> None:
    target = TARGETS[name]
    if not available(target):
        pytest.skip(f"{', '.join(target.modules)} is not installed")
    compile_for(target)
    for seed in target.seeds():
        assert attempt(target, seed.read_bytes()) is None, seed.name


@pytest.mark.parametrize(
    ("name", "path"), _REGRESSIONS, ids=[f"{name}-{path.name}" for name, path in _REGRESSIONS]
)
def test_what_failed_once(name: str, path: Path) -> None:
    if not available(TARGETS[name]):
        pytest.skip(f"{', '.join(TARGETS[name].modules)} is not installed")
    assert attempt(TARGETS[name], path.read_bytes()) is None


@pytest.mark.parametrize("name", TARGETS)
def test_bad_files(name: str) -> None:
    target = TARGETS[name]
    if not available(target):
        pytest.skip(f"{', '.join(target.modules)} is not installed")
    shares = sum(one.share for one in TARGETS.values())
    (outcome,) = run(round(_INPUTS * target.share / shares), seed=0, names=(name,), keep=None)
    assert outcome.inputs > 0
    assert not outcome.failures, "\n".join(outcome.failures)
    assert gigabytes() < GIGABYTES


def test_the_same_seed_gives_the_same_files() -> None:
    for name in ("bvh", "glb", "npz", "contacts"):
        one, other = (inputs(TARGETS[name], seed=3) for _ in range(2))
        assert [next(one) for _ in range(20)] == [next(other) for _ in range(20)]
        assert len({next(one) for _ in range(50)}) > 40


def test_what_escapes_is_caught() -> None:
    """The harness can fail: an error that is not ours, and an input without end."""
    from tests.fuzz import campaign
    from tests.fuzz.targets import Target

    def broken(data: bytes) -> None:
        raise IndexError("list index out of range")

    def endless(data: bytes) -> None:
        while True:
            np.sqrt(2.0)

    assert "IndexError" in str(attempt(Target(broken, lambda data, rng: data), b""))
    before = campaign.SECONDS
    campaign.SECONDS = 0.2
    try:
        assert "Hang" in str(attempt(Target(endless, lambda data, rng: data), b""))
    finally:
        campaign.SECONDS = before
